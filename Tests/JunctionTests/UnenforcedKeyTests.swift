import Diagnostics
import Junction
import Testing

@Suite("Foreign keys that are not enforced")
struct UnenforcedKeyTests {
  /// The keys of a schema in the order of their places: all, some and none of them not enforced.
  private static let keys: [[String]] = [
    [
      "REFERENCES person NOT ENFORCED", "REFERENCES person NOT ENFORCED",
      "REFERENCES person NOT ENFORCED", "REFERENCES task NOT ENFORCED",
    ],
    ["", "REFERENCES person ON DELETE CASCADE NOT ENFORCED", "REFERENCES person NOT ENFORCED", ""],
    ["", "REFERENCES person NOT ENFORCED", "REFERENCES person NOT ENFORCED", "REFERENCES task"],
  ]

  private static func database(_ keys: [String]) throws -> Connection {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE person (id int PRIMARY KEY, name text, boss int \(keys[0]));
      CREATE TABLE task (id int PRIMARY KEY, owner int NOT NULL \(keys[1]), size int);
      CREATE TABLE helps (person int NOT NULL \(keys[2]), task int NOT NULL \(keys[3]), hours int,
        PRIMARY KEY (person, task));
      INSERT INTO person SELECT i, 'p' || i % 7, nullif(i % 50, 3) FROM generate_series(1, 80, 2) i;
      INSERT INTO task SELECT i, i * 7 % 100, i % 9 FROM generate_series(1, 300) i;
      INSERT INTO helps SELECT i % 97, i * 13 % 290 + 1, i % 5 FROM generate_series(1, 2500) i
        ON CONFLICT DO NOTHING;
      CREATE PROPERTY GRAPH work VERTEX TABLES (person, task)
        EDGE TABLES (helps SOURCE KEY (person) REFERENCES person (id)
          DESTINATION KEY (task) REFERENCES task (id));
      ANALYZE;
      """)
    return connection
  }

  private static let queries = [
    "SELECT count(*) FROM helps JOIN person ON person.id = person",
    "SELECT count(*), count(person.id) FROM helps LEFT JOIN person ON person.id = person",
    "SELECT count(*), count(helps.task) FROM person LEFT JOIN helps ON person = person.id",
    "SELECT count(*) FROM helps FULL JOIN person ON person.id = person",
    "SELECT person, count(*), sum(hours) FROM helps GROUP BY person",
    "SELECT name, count(*) FROM helps JOIN person ON person.id = person GROUP BY name",
    "SELECT person.id, count(helps.task) FROM person LEFT JOIN helps ON person = person.id GROUP BY person.id",
    "SELECT owner, count(*) FROM task GROUP BY owner ORDER BY 2 DESC, 1 LIMIT 5",
    "SELECT id FROM person WHERE NOT EXISTS (SELECT FROM helps WHERE person = person.id)",
    "SELECT id FROM person WHERE EXISTS (SELECT FROM task WHERE owner = person.id AND size > 5)",
    "SELECT id FROM task WHERE owner NOT IN (SELECT id FROM person)",
    "SELECT count(*) FROM task WHERE owner IN (SELECT id FROM person WHERE name = 'p1')",
    "SELECT task FROM helps WHERE person = 9", "SELECT task FROM helps WHERE person = 10",
    "SELECT * FROM helps WHERE person = 11 AND task BETWEEN 10 AND 200",
    "SELECT * FROM helps WHERE (person, task) IN ((1, 14), (2, 27), (3, 40))",
    "SELECT count(*) FROM task WHERE owner = 14", "SELECT sum(size) FROM task WHERE owner = 21",
    "SELECT DISTINCT b.person FROM helps a JOIN helps b USING (task) WHERE a.person = 9",
    "SELECT DISTINCT p.id FROM helps a JOIN helps b USING (task) JOIN person p ON p.id = b.person WHERE a.person = 10",
    "SELECT b.person, count(*) FROM helps a JOIN helps b ON a.task = b.task AND a.person < b.person WHERE a.person < 6 GROUP BY 1",
    "SELECT a.person, b.person, count(*) FROM helps a JOIN helps b USING (task) WHERE a.person < b.person GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 9",
    "SELECT count(*) FROM helps a JOIN helps b USING (task) JOIN helps c ON c.person = b.person JOIN task ON task.id = c.task WHERE a.person = 5",
    "SELECT count(*) FROM person p CROSS JOIN task t WHERE NOT EXISTS (SELECT FROM helps WHERE person = p.id AND task = t.id)",
    "SELECT count(*) FROM person p JOIN task t ON t.owner = p.id JOIN helps h ON h.person = p.id AND h.task = t.id",
    "SELECT count(*) FROM person a JOIN person b ON b.boss = a.id JOIN person c ON c.boss = b.id",
    "WITH RECURSIVE up AS (SELECT id, boss FROM person WHERE id = 61 UNION SELECT p.id, p.boss FROM up JOIN person p ON p.id = up.boss) SELECT * FROM up",
    "WITH RECURSIVE down AS (SELECT 1 AS id UNION SELECT p.id FROM down JOIN person p ON p.boss = down.id) SELECT * FROM down",
    "SELECT count(*) FROM task t JOIN person p ON p.id = t.owner JOIN person q ON q.id = p.boss",
    "SELECT p.name, sum(h.hours * t.size) FROM person p JOIN helps h ON h.person = p.id JOIN task t ON t.id = h.task GROUP BY p.name",
    "SELECT count(*) FROM GRAPH_TABLE (work MATCH (p IS person)-[h IS helps]->(t IS task) COLUMNS (p.id AS p, t.id AS t))",
    "SELECT DISTINCT q FROM GRAPH_TABLE (work MATCH (p IS person WHERE p.id = 9)-[IS helps]->(IS task)<-[IS helps]-(q IS person) COLUMNS (q.id AS q))",
    "SELECT count(*) FROM helps, person, task WHERE person.id = person AND task.id = task",
    "SELECT (SELECT name FROM person WHERE id = owner), id FROM task WHERE id < 30",
    "SELECT max(n) FROM (SELECT count(*) AS n FROM helps GROUP BY task) q",
    "SELECT count(DISTINCT person) FROM helps JOIN task ON task.id = task WHERE size = 4",
    "SELECT t.id FROM task t WHERE NOT EXISTS (SELECT FROM (VALUES (9), (11)) AS v (p) WHERE NOT EXISTS (SELECT FROM helps WHERE person = p AND task = t.id))",
  ]

  private static func statement(_ random: inout RepeatableNumbers, mayLoseTasks: Bool) -> String {
    let (one, other) = (random.next(100), random.next(100))
    switch random.next(9) {
    case 0: return "INSERT INTO person VALUES (\(one), 'new', \(other)) ON CONFLICT DO NOTHING"
    case 1: return "DELETE FROM person WHERE id = \(one)"
    case 2:
      return
        "UPDATE person SET id = \(one) WHERE id = \(other) AND NOT EXISTS (SELECT FROM person WHERE id = \(one))"
    case 3: return "UPDATE person SET boss = \(other) WHERE id % 5 = \(one % 5)"
    case 4: return "UPDATE task SET owner = \(one) WHERE owner = \(other)"
    case 5:
      return
        "INSERT INTO helps SELECT \(one), i, 1 FROM generate_series(1, 290, 17) i ON CONFLICT DO NOTHING"
    case 6: return "DELETE FROM helps WHERE person = \(one)"
    case 7: return "UPDATE helps SET person = person + 200 WHERE person = \(one)"
    default:
      return mayLoseTasks
        ? "DELETE FROM task WHERE id % 37 = \(one % 37)" : "UPDATE helps SET hours = hours + 1"
    }
  }

  private static func rows(_ connection: Connection, _ sql: String) throws -> [String] {
    let result = try connection.query(sql)
    return (0..<result.count).map { row in
      result.columns.indices.map { result.text(row: row, column: $0) ?? "NULL" }
        .joined(separator: "|")
    }.sorted()
  }

  @Test("leave every answer what it is without them", arguments: keys.indices)
  func answers(_ place: Int) throws {
    let keys = Self.keys[place]
    let first = try Self.database(keys)
    let second = try Self.database(["", "", "", ""])
    var random = RepeatableNumbers(place)
    for step in 0..<12 {
      for query in Self.queries {
        #expect(
          try Self.rows(first, query) == Self.rows(second, query), "step \(step): \(query)")
      }
      for _ in 0..<3 {
        let statement = Self.statement(&random, mayLoseTasks: !keys[3].hasSuffix("REFERENCES task"))
        for connection in [first, second] { try connection.execute(statement) }
      }
    }
    #expect(try first.query("VERIFY").allSatisfy { $0["sqlstate"] == .text("00000") })
  }
}
