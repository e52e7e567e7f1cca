import Diagnostics
import Junction
import Testing

/// Where nobody sees the order of rows, what is asked of whole partitions is asked of groups; elsewhere rows are sorted.
@Suite("Aggregates over whole partitions")
struct WholePartitionTests {
  private static let database: Result<Database, SQLError> = {
    do throws(SQLError) {
      let database = Database()
      try database.connect().execute(
        """
        CREATE TABLE u (k int PRIMARY KEY, name text);
        INSERT INTO u SELECT i, 'name ' || i % 5 FROM generate_series(0, 20) i;
        CREATE TABLE t (id int PRIMARY KEY, p int NOT NULL, q int, k int REFERENCES u, n int, d numeric, s text, day date);
        INSERT INTO t SELECT i, i % 300, CASE WHEN i % 4 > 0 THEN i % 7 END, i * 7919 % 21,
            CASE WHEN i % 5 > 0 THEN i * 31 % 1000 - 300 END, (i % 9)::numeric + CASE WHEN i % 2 = 0 THEN 0.00 ELSE 0 END,
            CASE WHEN i % 3 > 0 THEN chr(97 + i * 11 % 26) END, DATE '2024-01-01' + i % 40
          FROM generate_series(1, 24000) i;
        ANALYZE;
        """)
      return .success(database)
    } catch {
      return .failure(error)
    }
  }()

  private static let partitions = [
    "p", "q", "k", "d", "s", "q, s", "day, q", "k % 3", "n / 100", "coalesce(s, 'none')",
    "NULL::int",
  ]
  private static let aggregates = [
    "count(*)", "count(n)", "sum(n)", "avg(n)", "max(d)", "min(s)", "bool_or(n > 600)", "stddev(n)",
    "sum(n) FILTER (WHERE k > 5)", "max(n) - n", "count(*) FILTER (WHERE s = 'c')",
  ]

  private static func plan(_ query: String) throws -> String {
    let rows = try database.get().connect().query(SQL(raw: "EXPLAIN \(query)"))
    return rows.map { $0.line }.joined(separator: "\n")
  }

  @Test("are the same, be they asked of groups or of sorted rows", arguments: partitions)
  func agree(partition: String) throws {
    let connection = try Self.database.get().connect()
    let window = " OVER (PARTITION BY \(partition))"
    let calls = Self.aggregates.map { call in
      call == "max(n) - n" ? "max(n)\(window) - n" : call + window
    }.joined(separator: ", ")
    let sources = ["t", "t JOIN u USING (k)", "(SELECT * FROM t WHERE id > 3000) x"]
    let place = Self.partitions.firstIndex(of: partition) ?? 0
    let sorted = "SELECT id, \(calls) FROM \(sources[place % sources.count])"
    let grouped = "\(sorted) ORDER BY id"
    #expect(try Self.plan(sorted).contains("WindowAgg"))
    if partition != "NULL::int" { #expect(try !Self.plan(grouped).contains("WindowAgg")) }
    func rows(_ query: String) throws -> [Int64: [SQLValue]] {
      let rows = try connection.query(SQL(raw: query)).map(\.values)
      return Dictionary(uniqueKeysWithValues: rows.map { ($0[0].integer ?? 0, $0) })
    }
    #expect(try rows(grouped) == rows(sorted))
  }

  @Test(
    "are asked of sorted rows where their order is seen, or where they are not of whole partitions",
    arguments: [
      "SELECT id, sum(n) OVER (PARTITION BY p) FROM t",
      "SELECT id, sum(n) OVER (PARTITION BY p) FROM t LIMIT 10",
      "SELECT array_agg(id) FROM (SELECT id, sum(n) OVER (PARTITION BY p) AS v FROM t) x WHERE v > 3",
      "SELECT id, sum(n) OVER (PARTITION BY p ORDER BY id) FROM t ORDER BY id",
      "SELECT id, sum(n) OVER (PARTITION BY p ROWS 2 PRECEDING) FROM t ORDER BY id",
      "SELECT id, sum(n) OVER (PARTITION BY p ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM t ORDER BY id",
      "SELECT id, sum(n) OVER (PARTITION BY p RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM t ORDER BY id",
      "SELECT id, sum(n) OVER (PARTITION BY p), rank() OVER (PARTITION BY p ORDER BY n) FROM t ORDER BY id",
      "SELECT id, string_agg(s, '') OVER (PARTITION BY p) FROM t ORDER BY id",
      "SELECT id, sum(n) OVER (PARTITION BY id) FROM t ORDER BY id",
    ])
  func sorted(query: String) throws { #expect(try Self.plan(query).contains("WindowAgg")) }

  @Test(
    "are asked of groups in other places",
    arguments: [
      "SELECT count(*) FROM (SELECT n, avg(n) OVER (PARTITION BY p) AS m FROM t) x WHERE n > m",
      "SELECT id, sum(n) OVER (PARTITION BY p ORDER BY k RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM t ORDER BY id",
      "SELECT DISTINCT p, sum(n) OVER (PARTITION BY p) FROM t",
      "SELECT p, max(v) FROM (SELECT p, count(*) OVER (PARTITION BY q) AS v FROM t) x GROUP BY p",
    ])
  func grouped(query: String) throws { #expect(try !Self.plan(query).contains("WindowAgg")) }

  @Test("fail where an aggregate does")
  func failure() throws {
    let connection = try Self.database.get().connect()
    for query in [
      "SELECT max(v) FROM (SELECT sum(9223372036854775807 - id) OVER (PARTITION BY p) AS v FROM t) x",
      "SELECT max(v) FROM (SELECT sum((n + 2147483000)::int) OVER (PARTITION BY p) AS v FROM t) x",
    ] {
      let plain = query.replacing("max(v)", with: "v").replacing(
        "SELECT v FROM", with: "SELECT * FROM")
      func outcome(_ query: String) -> String {
        do { return "\(try connection.query(SQL(raw: query)).count > 0)" } catch {
          return "\(error.state)"
        }
      }
      #expect(outcome(query) == outcome(plain))
    }
  }
}
