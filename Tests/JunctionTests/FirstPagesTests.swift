import Junction
import Testing

/// Pages are taken in the order of their bounds, and those behind what was found are passed over; by an expression all are read.
@Suite("The first rows by a column that rises with positions")
struct FirstPagesTests {
  private static func events() throws -> Connection {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE event (id int PRIMARY KEY, day date, kind int, name text, late int);
      INSERT INTO event SELECT i, DATE '2020-01-01' + i / 100, CASE WHEN i % 9000 > 40 THEN i / 700 END, 'e' || 100000 + i,
        CASE WHEN i > 38000 THEN i END FROM generate_series(1, 40000) i;
      CREATE TABLE visit (event_id int REFERENCES event, guest int, PRIMARY KEY (event_id, guest));
      INSERT INTO visit SELECT i, g FROM generate_series(1, 40000, 3) i, generate_series(1, 2) g
      """)
    return connection
  }

  private static let keys = ["id", "day", "kind", "name", "late"]
  private static let orders = ["", "DESC", "NULLS FIRST", "DESC NULLS LAST"]
  private static let rests = [
    "", "WHERE id > 20000", "WHERE id % 997 = 3", "WHERE kind IS NULL OR kind < 9", "WHERE id < 60",
  ]

  /// What puts the same rows in order by an expression, for which there are no bounds.
  private static func computed(_ key: String) -> String {
    switch key {
    case "day": "day + 0"
    case "name": "name || ''"
    default: "\(key) + 0"
    }
  }

  private static func check(_ connection: Connection) throws {
    for key in keys {
      for order in orders {
        for rest in rests {
          for limit in ["LIMIT 5", "LIMIT 90 OFFSET 2500"] {
            let query = "SELECT id, kind FROM event \(rest) ORDER BY"
            let (found, expected) = (
              try connection.query(SQL(raw: "\(query) \(key) \(order) \(limit)")).map { $0.line },
              try connection.query(SQL(raw: "\(query) \(computed(key)) \(order) \(limit)")).map {
                $0.line
              }
            )
            #expect(found == expected, "\(rest) ORDER BY \(key) \(order) \(limit)")
          }
        }
      }
    }
  }

  @Test("are those that sorting all of them gives, ties in their order")
  func answers() throws { try Self.check(try Self.events()) }

  @Test("are those whatever becomes of the rows")
  func changed() throws {
    let connection = try Self.events()
    try connection.execute(
      """
      DELETE FROM visit WHERE event_id BETWEEN 1 AND 5000 OR event_id > 39990 OR event_id BETWEEN 10000 AND 10100;
      UPDATE event SET id = 50000 + id, day = day - 900 WHERE id BETWEEN 10000 AND 10100;
      DELETE FROM event WHERE id BETWEEN 1 AND 5000 OR id BETWEEN 39991 AND 45000;
      INSERT INTO event VALUES (3, '2030-01-01', 1, 'e1', NULL)
      """)
    try Self.check(connection)
  }

  @Test(
    "are found in a few pages, behind joins that add to rows too",
    arguments: [
      "SELECT id FROM event WHERE id > 20000 ORDER BY id LIMIT 10",
      "SELECT id FROM event WHERE id % 2 = 0 ORDER BY day DESC, id LIMIT 10",
      "SELECT e.id, v.guest FROM event e JOIN visit v ON v.event_id = e.id WHERE e.id > 9000 ORDER BY e.id, v.guest LIMIT 10",
      "SELECT id FROM event WHERE kind > 2 ORDER BY name DESC LIMIT 10",
    ])
  func pages(query: String) throws {
    let plan = try Self.events().query(SQL(raw: "EXPLAIN ANALYZE \(query)")).map { $0.line }
    let read = plan.compactMap { $0.firstMatch(of: /Pages Read: (\d+) of/)?.1 }.compactMap {
      Int($0)
    }
    #expect(read.first.map { $0 <= 4 } ?? false, "\(plan)")
  }

  @Test(
    "are found for each row of a loop, as if it were the first",
    arguments: [
      """
      SELECT x, e.id FROM generate_series(9, 0, -1) x,
        LATERAL (SELECT id FROM event WHERE id > 4000 * x ORDER BY id@ LIMIT 3) e ORDER BY 1, 2
      """,
      """
      SELECT x, e.* FROM generate_series(0, 40000, 3500) x,
        LATERAL (SELECT e.id, v.guest FROM event e JOIN visit v ON v.event_id = e.id
          WHERE e.id < x ORDER BY e.id@ DESC, v.guest LIMIT 5) e ORDER BY 1, 2 DESC, 3
      """,
      """
      WITH RECURSIVE walk(id) AS (
        SELECT 0 UNION ALL
        SELECT (SELECT id FROM event WHERE id > w.id + 700 AND kind > 3 ORDER BY id@ LIMIT 1) FROM walk w
        WHERE w.id < 36000)
      SELECT id FROM walk ORDER BY id
      """,
    ])
  func loops(query: String) throws {
    let connection = try Self.events()
    func rows(_ end: String) throws -> [String] {
      try connection.query(SQL(raw: query.replacing("@", with: end))).map { $0.line }
    }
    #expect(try rows("") == rows(" + 0"))
    let plan = try connection.query(SQL(raw: "EXPLAIN \(query.replacing("@", with: ""))")).map {
      $0.line
    }
    #expect(plan.contains { $0.contains("Left Out Early: rows behind the last one kept, by") })
    // No more than a page and the next one for each row.
    let measured = try connection.query(
      SQL(raw: "EXPLAIN ANALYZE \(query.replacing("@", with: ""))")
    ).map { $0.line }
    func numbers(_ pattern: Regex<(Substring, Substring)>) -> [Int] {
      measured.compactMap { $0.firstMatch(of: pattern)?.1 }.compactMap { Int($0) }
    }
    let runs = numbers(/Top-N Sort.*loops=(\d+)/).max() ?? 0
    let read = numbers(/Pages Read: (\d+) of/)
    #expect(read.isEmpty || read.contains { $0 <= 2 * runs }, "\(measured)")
  }
}
