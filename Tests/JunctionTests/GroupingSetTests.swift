import Diagnostics
import Junction
import Testing

@Suite("Grouping sets")
struct GroupingSetTests {
  private static let database: Result<Database, SQLError> = {
    do throws(SQLError) {
      let database = Database()
      try database.connect().execute(
        """
        CREATE TABLE t (a text, b int, c date, n int, d numeric(8, 2), e numeric, f float8, s text);
        INSERT INTO t SELECT CASE WHEN i % 9 > 0 THEN 'a longer text ' || i * 7919 % 11 END,
            CASE WHEN i % 13 > 0 THEN i * 31 % 170 END, DATE '2024-02-20' + i * 17 % 60,
            CASE WHEN i % 5 > 0 THEN i % 301 - 40 END, i % 1009 / 8.0,
            CASE WHEN i % 100 = 3 THEN 1e30 * i WHEN i % 1000 = 7 THEN 'NaN' ELSE i / 4.0 END, i % 64 / 8.0,
            CASE WHEN i % 3 > 0 THEN chr(97 + i % 26) END
          FROM generate_series(1, 9000) i;
        """)
      return .success(database)
    } catch {
      return .failure(error)
    }
  }()

  private static let aggregates = [
    "count(*)", "count(n)", "sum(n)", "avg(n)", "sum(d)", "avg(d)", "sum(e)", "sum(f)", "min(s)",
    "max(c)", "count(DISTINCT s)", "sum(DISTINCT n)", "bool_and(n > -20)", "stddev(n)",
    "sum(d) FILTER (WHERE n > 100)", "array_agg(DISTINCT s ORDER BY s)",
    "string_agg(s, '' ORDER BY s)",
  ]
  /// Sets in the order of their numbers, as SQL has them and one by one.
  private static let groupings: [(String, [[String]])] = [
    ("ROLLUP (a, b, c)", [["a", "b", "c"], ["a", "b"], ["a"], []]),
    ("CUBE (a, b)", [["a", "b"], ["a"], ["b"], []]),
    ("GROUPING SETS ((a), (b), (a, b), (b), (c))", [["a"], ["b"], ["a", "b"], ["b"], ["c"]]),
    ("GROUPING SETS ((), (), (c))", [[], [], ["c"]]),
    ("c, ROLLUP (b % 7, a)", [["c", "b % 7", "a"], ["c", "b % 7"], ["c"]]),
  ]

  @Test("give what grouping by each of them gives", arguments: groupings.indices)
  func sameAsUnion(_ number: Int) throws {
    let connection = try Self.database.get().connect()
    let (grouping, sets) = Self.groupings[number]
    var keys: [String] = []
    for key in sets.joined() where !keys.contains(key) { keys.append(key) }
    for condition in ["true", "n > 1000"] {
      for start in stride(from: 0, to: Self.aggregates.count, by: 4) {
        // Aggregates with an order are among the last.
        let items = Self.aggregates[start..<min(start + 4, Self.aggregates.count)]
          .joined(separator: ", ")
        let order = (1...(keys.count + 1)).map(String.init).joined(separator: ", ")
        let found = try connection.query(
          """
          SELECT \(keys.joined(separator: ", ")), grouping(\(keys.joined(separator: ", "))), \(items)
          FROM t WHERE \(condition) GROUP BY \(grouping) ORDER BY \(order)
          """
        ).map(\.values)
        let parts = sets.map { set in
          let columns = keys.map { set.contains($0) ? $0 : "NULL" }.joined(separator: ", ")
          let bits = keys.reduce(0) { $0 * 2 + (set.contains($1) ? 0 : 1) }
          let group = set.isEmpty ? "()" : set.joined(separator: ", ")
          return "SELECT \(columns), \(bits), \(items) FROM t WHERE \(condition) GROUP BY \(group)"
        }
        // NULLs need the types of the first part.
        let expected = try connection.query(
          "\(Self.typed(keys, items)) UNION ALL \(parts.joined(separator: " UNION ALL ")) ORDER BY \(order)"
        ).map(\.values)
        #expect(found == expected, "\(items) by \(grouping) where \(condition)")
      }
    }
  }

  /// A query without rows whose columns have the types of the keys and aggregates.
  private static func typed(_ keys: [String], _ items: String) -> String {
    "SELECT \(keys.joined(separator: ", ")), 0, \(items) FROM t WHERE false GROUP BY \(keys.joined(separator: ", "))"
  }
}
