import Diagnostics
import Junction
import Testing

/// Aggregates over the different rows that edges lead to, with keys and without.
@Suite("Different neighbours")
struct DistinctNeighbourTests {
  private static func connection(
    isKeyed: Bool, rows: [String], _ counts: (Int, Int)
  ) throws -> Connection {
    let connection = Database().connect()
    let key = isKeyed ? " PRIMARY KEY" : ""
    func references(_ table: String) -> String { isKeyed ? " REFERENCES \(table)" : "" }
    try connection.execute(
      """
      CREATE TABLE student (id int\(key), v int);
      CREATE TABLE course (id int\(key), name text);
      CREATE TABLE takes (s int NOT NULL\(references("student")), c int NOT NULL\(references("course")), t int, g int);
      CREATE TABLE maybe (s int\(references("student")), c int NOT NULL\(references("course")), g int);
      INSERT INTO student SELECT i * 2, i % 7 FROM generate_series(1, \(counts.0)) i;
      INSERT INTO course SELECT i, 'c' || i % 5 FROM generate_series(1, \(counts.1)) i;
      INSERT INTO takes VALUES \(rows.joined(separator: ", "));
      DELETE FROM takes WHERE t = 3;
      INSERT INTO maybe SELECT CASE WHEN g % 3 > 0 THEN s END, c, g FROM takes;
      ANALYZE;
      """)
    return connection
  }

  private static let queries = [
    "SELECT c, count(DISTINCT s) FROM takes GROUP BY c",
    "SELECT c, count(DISTINCT s), count(*), sum(g), min(t) FROM takes GROUP BY c HAVING count(*) > 2",
    "SELECT s, sum(DISTINCT c), avg(DISTINCT c), max(g) FROM takes GROUP BY s",
    "SELECT c, count(DISTINCT s) FILTER (WHERE t = 1), count(DISTINCT g) FROM takes GROUP BY c",
    "SELECT c, count(DISTINCT s), count(DISTINCT t) FROM takes GROUP BY c",
    "SELECT k.id, k.name, count(DISTINCT t.s), sum(t.g) FROM course k LEFT JOIN takes t ON t.c = k.id GROUP BY k.id, k.name",
    "SELECT k.id, count(DISTINCT p.id), avg(p.v) FROM course k JOIN takes t ON t.c = k.id JOIN student p ON p.id = t.s GROUP BY k.id",
    "SELECT t.c, avg(p.v), count(DISTINCT p.id) FROM takes t JOIN student p ON p.id = t.s GROUP BY t.c HAVING count(p.v) > 1",
    "SELECT t.s, count(DISTINCT k.id), min(k.name) FROM takes t JOIN course k ON k.id = t.c GROUP BY t.s",
    "SELECT t.s, count(DISTINCT k.id) FROM takes t JOIN course k ON k.id = t.c WHERE t.g > 2 GROUP BY t.s",
    "SELECT t.c, count(DISTINCT t.s) FROM takes t JOIN student p ON p.id = t.s WHERE p.v < 4 GROUP BY t.c",
    "SELECT c, array_agg(DISTINCT s), string_agg(DISTINCT s::text, ',') FROM takes GROUP BY c",
    "SELECT c, t, count(DISTINCT s) FROM takes GROUP BY c, t",
    "SELECT count(DISTINCT s) FROM takes GROUP BY c",
    "SELECT c, count(DISTINCT s), count(*) FROM maybe GROUP BY c",
    "SELECT s, count(DISTINCT c), count(*) FROM maybe GROUP BY s",
    "SELECT k.id, count(DISTINCT m.s), count(m.g), count(*) FROM course k LEFT JOIN maybe m ON m.c = k.id GROUP BY k.id",
    "SELECT c, count(DISTINCT s), count(*), sum(g) FROM takes WHERE t < 2 GROUP BY c",
    "SELECT c, count(DISTINCT s) FROM takes WHERE c > 2 AND g + t > 3 GROUP BY c HAVING count(*) > 1",
    "SELECT s, count(DISTINCT c) FROM takes WHERE s % 4 = 0 GROUP BY s",
    "SELECT t.c, count(DISTINCT t.s), min(p.v) FROM takes t JOIN student p ON p.id = t.s WHERE p.v < t.g GROUP BY t.c",
    "SELECT k.id, k.name, count(DISTINCT t.s) FROM course k JOIN takes t ON t.c = k.id WHERE t.t = 1 OR k.name = 'c1' GROUP BY k.id, k.name",
    "SELECT k.id, count(DISTINCT t.s) FROM course k LEFT JOIN takes t ON t.c = k.id AND t.t = 1 GROUP BY k.id",
    "SELECT k.id, count(DISTINCT t.s) FROM course k JOIN takes t ON t.c = k.id WHERE k.id < 20 GROUP BY k.id",
    "SELECT k.id, k.name, count(DISTINCT t.s) FROM course k JOIN takes t ON t.c = k.id WHERE t.t = 1 GROUP BY k.id, k.name",
    "SELECT k.id, k.name, count(DISTINCT t.s), max(t.g) FROM course k JOIN takes t ON t.c = k.id WHERE t.t <> 1 AND k.name <> 'c2' GROUP BY k.id, k.name",
    "SELECT p.id, p.v, count(DISTINCT t.c) FROM student p JOIN takes t ON t.s = p.id WHERE t.g > 1 GROUP BY p.id, p.v",
    "SELECT k.id, length(json_agg(json_build_object('s', t.s))::text) FROM course k JOIN takes t ON t.c = k.id WHERE t.t <> 1 GROUP BY k.id",
    "SELECT t.c, count(DISTINCT p.id) FROM takes t JOIN student p ON p.id = t.s WHERE p.v <> 0 AND 100 / p.v > t.g GROUP BY t.c",
    "SELECT t.c, count(DISTINCT t.s), count(p.v), count(*) FROM takes t LEFT JOIN student p ON p.id = t.s AND p.v < 4 GROUP BY t.c",
    "SELECT t.c, count(DISTINCT t.s), count(p.v) FROM takes t LEFT JOIN student p ON p.id = t.s WHERE p.v < 4 OR t.g = 1 GROUP BY t.c",
    "SELECT t.c, count(DISTINCT p.id), min(p.v) FROM takes t LEFT JOIN student p ON p.id = t.s AND p.v > t.g GROUP BY t.c",
    "SELECT k.id, count(DISTINCT t.s), count(p.v) FROM course k LEFT JOIN takes t ON t.c = k.id LEFT JOIN student p ON p.id = t.s AND p.v < 3 GROUP BY k.id",
    "SELECT c, n FROM (SELECT c, count(DISTINCT s) AS n FROM takes GROUP BY c) x WHERE n > 1",
    "SELECT p.id, (SELECT count(DISTINCT t.c) FROM takes t WHERE t.s = p.id), (SELECT count(*) FROM takes t WHERE t.s = p.id) FROM student p WHERE p.v = 3 AND p.id < 500",
    "SELECT k.id, x.n, x.m FROM course k JOIN (SELECT c, count(DISTINCT s) AS n, sum(g) AS m FROM takes WHERE t < 2 GROUP BY c) x ON x.c = k.id WHERE k.name = 'c1'",
    "SELECT p.id, x.n, x.m FROM student p LEFT JOIN (SELECT s, count(DISTINCT c) AS n, max(t) AS m FROM takes GROUP BY s) x ON x.s = p.id WHERE p.id < 40",
    "SELECT k.id, x.n FROM course k JOIN (SELECT j.id, count(DISTINCT t.s) AS n FROM course j LEFT JOIN takes t ON t.c = j.id GROUP BY j.id) x ON x.id = k.id WHERE k.name = 'c2'",
  ]

  /// Parents that are named by rows of something else.
  private static let named = [
    "SELECT p.id, count(*), sum(t.g) FROM student p JOIN takes t ON t.s = p.id WHERE p.v = 3 GROUP BY p.id",
    "SELECT p.id, p.v, count(*), avg(t.g), max(t.c) FROM student p JOIN takes t ON t.s = p.id WHERE p.v < 5 GROUP BY p.id, p.v",
    "SELECT p.id, count(DISTINCT t.c), count(DISTINCT t.g) FROM student p JOIN takes t ON t.s = p.id WHERE p.v = 2 GROUP BY p.id",
    "SELECT p.id, max(t.g) - min(t.t) FROM student p JOIN takes t ON t.s = p.id WHERE p.v = 1 AND t.t > 0 GROUP BY p.id",
    "SELECT p.id, count(t.c), sum(t.g) FROM student p LEFT JOIN takes t ON t.s = p.id AND t.g > 3 WHERE p.v = 4 GROUP BY p.id",
    "SELECT p.id, count(t.c), count(*), array_agg(t.g ORDER BY t.g, t.c) FROM student p LEFT JOIN takes t ON t.s = p.id WHERE p.v = 4 GROUP BY p.id",
    "SELECT p.id, count(t.c) FROM student p LEFT JOIN takes t ON t.s = p.id AND t.g > p.v AND t.t <> 2 WHERE p.id > 8 GROUP BY p.id HAVING count(t.c) < 3",
    "SELECT p.id, sum(k.id), min(k.name) FROM student p JOIN takes t ON t.s = p.id JOIN course k ON k.id = t.c WHERE p.v = 5 GROUP BY p.id",
    "SELECT p.id, sum(k.id) FROM student p JOIN takes t ON t.s = p.id JOIN course k ON k.id = t.c WHERE p.v = 5 AND k.name <> 'c3' AND t.g > 1 GROUP BY p.id",
    "SELECT x.id, count(*), sum(t.g) FROM (SELECT DISTINCT c AS id FROM takes WHERE s < 50) x JOIN takes t ON t.c = x.id GROUP BY x.id",
    "SELECT t.s, count(*), count(DISTINCT t.c) FROM takes t WHERE t.s IN (SELECT s FROM takes WHERE c = 2) GROUP BY t.s",
    "SELECT t.c, count(*), count(DISTINCT t.s) FROM takes t JOIN (SELECT id FROM course WHERE name = 'c1') k ON k.id = t.c GROUP BY t.c",
    "SELECT x.s, x.n, count(t.g) FROM (SELECT s, count(*) AS n FROM takes GROUP BY s HAVING count(*) > 2) x JOIN takes t ON t.s = x.s WHERE t.t = 1 GROUP BY x.s, x.n",
    "SELECT t.s, sum(p.v), count(*), min(p.id::text) FROM student p LEFT JOIN takes t ON t.s = p.id WHERE p.v < 3 GROUP BY t.s",
    "SELECT t.s, count(p.v) FROM student p LEFT JOIN takes t ON t.s = p.id AND t.g > 4 WHERE p.v = 3 GROUP BY t.s",
    "SELECT p.id, t.s, count(t.g) FROM student p LEFT JOIN takes t ON t.s = p.id AND t.g > 4 WHERE p.v = 3 GROUP BY p.id, t.s",
    "SELECT x.i, count(m.g), sum(m.c) FROM generate_series(1, 40) x(i) LEFT JOIN maybe m ON m.s = x.i GROUP BY x.i",
    "SELECT x.i, count(m.g) FROM (SELECT DISTINCT i * 3 AS i FROM generate_series(-2, 40) i) x JOIN maybe m ON m.s = x.i AND m.g > 1 GROUP BY x.i",
    "SELECT k.id, string_agg(t.s::text, ',' ORDER BY t.s, t.t, t.g) FROM course k JOIN takes t ON t.c = k.id WHERE k.name = 'c4' GROUP BY k.id",
    "SELECT p.id, k.name, count(*) FROM student p JOIN takes t ON t.s = p.id JOIN course k ON k.id = t.c WHERE p.v = 6 GROUP BY p.id, k.name",
    "SELECT p.id, q.id, count(*) FROM student p JOIN student q ON q.id = p.id + 2 JOIN takes t ON t.s = p.id WHERE p.v = 6 GROUP BY p.id, q.id",
    "SELECT p.id, sum(DISTINCT t.c), count(*) FILTER (WHERE t.t = 1) FROM student p JOIN takes t ON t.s = p.id WHERE p.v = 0 AND p.id IN (SELECT s FROM takes WHERE g > 2) GROUP BY p.id",
  ]

  @Test("are told apart as they are without keys", arguments: [1, 3, 4])
  func answers(_ seed: Int) throws {
    var random = RepeatableNumbers(seed)
    let counts = (random.pick([5, 60, 3000]), random.pick([3, 40]))
    let rows = (0..<random.pick([30, 6000])).map { _ in
      let student = random.next(3) == 0 ? 1 : 1 + random.next(counts.0)
      let course = 1 + random.next(counts.1)
      return
        "(\(student * 2), \(course), \(random.next(5)), \(random.next(6) == 0 ? "NULL" : "\(random.next(9))"))"
    }
    let keyed = try Self.connection(isKeyed: true, rows: rows, counts)
    let plain = try Self.connection(isKeyed: false, rows: rows, counts)
    for query in Self.queries + Self.named {
      func rows(_ connection: Connection) throws -> [String] {
        try connection.query(
          "SELECT count(*), md5(string_agg(r::text, ',' ORDER BY r::text)) FROM (\(query)) r"
        ).map { $0.line }
      }
      #expect(try rows(keyed) == rows(plain), "\(query)")
    }
  }

  @Test(
    "are counted where lists are in their order, however edges and parents are joined",
    arguments: [0, 5, 6, 7, 8, 13, 17, 18, 20, 21])
  func plan(_ number: Int) throws {
    let rows = (0..<6000).map { "(\((1 + $0 % 900) * 2), \(1 + $0 * 7 % 40), \($0 % 5), 1)" }
    let connection = try Self.connection(isKeyed: true, rows: rows, (1000, 40))
    let plan = try connection.query("EXPLAIN (COSTS OFF) \(Self.queries[number])")
      .map { $0.line }.joined(separator: "\n")
    #expect(plan.contains("Once Each Neighbour: "), "\(plan)")
  }

  @Test("and aggregates of many parents, under conditions that most edges meet, go by lists")
  func manyParents() throws {
    func connection(isKeyed: Bool) throws -> Connection {
      let connection = try Self.connection(
        isKeyed: isKeyed, rows: ["(2, 1, 0, 1)"], (66_000, 40))
      try connection.execute(
        """
        INSERT INTO takes SELECT 2 * (1 + i * 7919 % 66000), 1 + i % 37, i % 5, nullif(i % 11, 3)
        FROM generate_series(1, 90000) i;
        DELETE FROM takes WHERE t = 4;
        ANALYZE;
        """)
      return connection
    }
    let keyed = try connection(isKeyed: true)
    let plain = try connection(isKeyed: false)
    for (query, goesByLists) in [
      (
        "SELECT t.s, sum(k.id), count(*) FROM takes t JOIN course k ON k.id = t.c WHERE t.g >= 1 GROUP BY t.s",
        true
      ),
      ("SELECT s, sum(g), max(t) FROM takes WHERE t <> 1 GROUP BY s HAVING count(*) > 1", true),
      (
        "SELECT p.id, p.v, min(t.g) FROM student p JOIN takes t ON t.s = p.id WHERE t.c > 5 GROUP BY p.id, p.v",
        true
      ),
      ("SELECT s, count(DISTINCT g) FROM takes WHERE t <> 1 GROUP BY s", false),
      ("SELECT s, sum(g) FROM takes WHERE t = 1 GROUP BY s", false),
    ] {
      func rows(_ connection: Connection) throws -> [String] {
        try connection.query(
          "SELECT count(*), md5(string_agg(r::text, ',' ORDER BY r::text)) FROM (\(query)) r"
        ).map { $0.line }
      }
      #expect(try rows(keyed) == rows(plain), "\(query)")
      let plan = try keyed.query("EXPLAIN \(query)").map { $0.line }.joined()
      #expect(plan.contains("Neighbour Aggregate") == goesByLists, "\(plan)")
    }
  }
}
