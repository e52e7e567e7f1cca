import Diagnostics
import Junction
import Testing

@Suite("The first rows by an exact quotient")
struct EstimatedKeyTests {
  private static let database: Result<Database, SQLError> = {
    do throws(SQLError) {
      let database = Database()
      try database.connect().execute(
        """
        CREATE TABLE t (id int PRIMARY KEY, i int, b bigint, n numeric(7, 2), w numeric);
        INSERT INTO t SELECT k, k * 7919::bigint % 3001, CASE WHEN k % 40 > 0 THEN 1 + k * 31 % 97 END,
            CASE WHEN k % 5 > 0 THEN (k * 17 % 401 - 200) / 4.0 END,
            (k * 1000000007::bigint % 99991) * 12345678901234567890.123456789
          FROM generate_series(1, 9000) k;
        """)
      return .success(database)
    } catch {
      return .failure(error)
    }
  }()

  @Test(
    "are those that a sort of all rows begins with",
    arguments: [
      "i * 1.0 / b", "i::numeric / (b + i % 7)", "n / b", "w / (id + 0.5)", "n / w",
      "round(n / b, 2)", "round(w / id) + n", "-(n / b) * 3 - w / 1000000", "i / 3.0 - i / 3.0",
      "(n - n) / b", "0.1 * i / (1 + n * n)", "CASE WHEN b > 50 THEN n END / (id % 7 + 1)",
      "n / 7 / 7 / 7 / 7", "'NaN'::numeric / b",
      "CASE WHEN id % 3 = 0 THEN 'Infinity' ELSE n END / b",
    ], ["", " DESC", " NULLS FIRST", " DESC NULLS LAST"])
  func rows(_ key: String, _ order: String) throws {
    let connection = try Self.database.get().connect()
    let query = "SELECT id, \(key) AS q FROM t ORDER BY q\(order), id DESC"
    // Rows that are numbered are all computed exactly.
    let sorted = try connection.query(
      SQL(
        raw: """
          SELECT id, q FROM (
            SELECT id, q, row_number() OVER (ORDER BY q\(order), id DESC) AS r FROM (SELECT id, \(key) AS q FROM t) x) y
          WHERE r <= 330 ORDER BY r
          """)
    ).map(\.values)
    for (limit, offset) in [(5, 0), (20, 300)] {
      let found = try connection.query(SQL(raw: "\(query) LIMIT \(limit) OFFSET \(offset)"))
      #expect(found.map(\.values) == Array(sorted[offset..<(offset + limit)]), "\(key)\(order)")
    }
    let ties = try connection.query(
      SQL(raw: "SELECT \(key) AS q FROM t ORDER BY q\(order) FETCH FIRST 9 ROWS WITH TIES"))
    let ranked = try connection.query(
      SQL(
        raw: """
          SELECT count(*) FROM (SELECT rank() OVER (ORDER BY q\(order)) AS r FROM (SELECT \(key) AS q FROM t) x) y WHERE r <= 9
          """))
    #expect(ranked.value(row: 0, column: 0) == .integer(Int64(ties.count)), "\(key)\(order)")
  }

  @Test(
    "fail where a row that comes behind them does",
    arguments: [
      "i * 1.0 / (id - 8999)", "n / (b - 1.0)", "1 / (n - n) - id", "i / (w - w) + 1",
      "(-b - 9223372036854775800) * 1.0 / -id", "1.0 * i / b + 1 / (id - 7000)",
    ], ["", " DESC"])
  func failures(_ key: String, _ order: String) throws {
    let connection = try Self.database.get().connect()
    #expect(throws: SQLError.self) {
      try connection.query(SQL(raw: "SELECT id, \(key) AS q FROM t ORDER BY q\(order) LIMIT 3"))
    }
  }

  @Test("are found anew for each row of a lateral join")
  func repeated() throws {
    let connection = try Self.database.get().connect()
    let places = "(VALUES (1), (700), (3), (2999)) p(least)"
    let found = try connection.query(
      SQL(
        raw: """
          SELECT least, id, q FROM \(places), LATERAL (
            SELECT id, n / (b + least) AS q FROM t WHERE i >= least ORDER BY q DESC NULLS LAST, id LIMIT 4) x ORDER BY least, q DESC, id
          """))
    let numbered = try connection.query(
      SQL(
        raw: """
          SELECT least, id, q FROM (
            SELECT *, row_number() OVER (PARTITION BY least ORDER BY q DESC NULLS LAST, id) AS r
            FROM (SELECT least, id, n / (b + least) AS q FROM \(places), t WHERE i >= least) x) y
          WHERE r <= 4 ORDER BY least, q DESC, id
          """))
    #expect(found.count == 16 && found.map(\.values) == numbered.map(\.values))
  }

  @Test("are seen to be estimated in the plan")
  func explained() throws {
    let connection = try Self.database.get().connect()
    func plan(_ query: String) throws -> String {
      try connection.query(SQL(raw: "EXPLAIN " + query)).map { "\($0.values[0])" }
        .joined(separator: "\n")
    }
    let line = "Estimated First"
    #expect(try plan("SELECT n / b AS q FROM t ORDER BY q LIMIT 3").contains(line))
    #expect(try plan("SELECT i FROM t ORDER BY n / b + 1 LIMIT 3").contains(line))
    #expect(try !plan("SELECT n + b AS q FROM t ORDER BY q LIMIT 3").contains(line))
    // Whole numbers, and rows of which something else may fail.
    #expect(try !plan("SELECT i / b AS q FROM t ORDER BY q LIMIT 3").contains(line))
    #expect(try !plan("SELECT n / b AS q, 1 / i FROM t ORDER BY q LIMIT 3").contains(line))
  }
}
