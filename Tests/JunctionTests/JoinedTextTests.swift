import Junction
import Testing

@Suite("Texts of a group in one")
struct JoinedTextTests {
  /// Rows of `few` groups first, and of `many` from row 9,000 on; texts and separators of all lengths, some of them missing.
  private static func lines(few: Int, many: Int) throws -> Connection {
    let connection = Database().connect()
    try connection.execute(
      SQL(
        raw: """
          CREATE TABLE line AS SELECT i, (CASE WHEN i < 9000 THEN i * 7 % \(few) ELSE i * 7 % \(many) END)::int AS g,
            CASE WHEN i % 11 > 0 THEN repeat('t' || i, (i % 13 / 4)::int) END AS x,
            CASE WHEN i % 17 > 0 THEN repeat('-', (i % 19 / 3)::int) END AS s
          FROM generate_series(1, 24000) i
          """))
    return connection
  }

  private static func joined(_ connection: Connection) throws -> [String] {
    var texts: [Int64: String] = [:]
    var groups: Set<Int64> = []
    for row in try connection.query("SELECT g, x, s FROM line ORDER BY i").map(\.values) {
      guard case .integer(let group) = row[0] else { continue }
      groups.insert(group)
      guard case .text(let text) = row[1] else { continue }
      let separator = if case .text(let separator) = row[2] { separator } else { "" }
      texts[group] = texts[group].map { $0 + separator + text } ?? text
    }
    return groups.sorted().map { "\($0) \(texts[$0] ?? "NULL")" }
  }

  @Test(
    "comes as its rows come, whether groups are few, become many or are many",
    arguments: [(1, 1), (5, 5), (5, 3000), (900, 1100), (4000, 4000)])
  func order(few: Int, many: Int) throws {
    let connection = try Self.lines(few: few, many: many)
    let expected = try Self.joined(connection)
    for text in ["string_agg(x, s)", "string_agg(x, s ORDER BY i)"] {
      let found = try connection.query(
        SQL(raw: "SELECT g || ' ' || coalesce(\(text), 'NULL') FROM line GROUP BY g ORDER BY g"))
      #expect((0..<found.count).map { found.text(row: $0, column: 0) } == expected, "\(text)")
    }
  }

  @Test("is one without groups, and none without texts")
  func whole() throws {
    let connection = try Self.lines(few: 1, many: 1)
    let expected = try Self.joined(connection)
    let found = try connection.query(
      "SELECT '0 ' || string_agg(x, s), string_agg(x, s) FILTER (WHERE x IS NULL) FROM line")
    #expect(found.text(row: 0, column: 0) == expected[0])
    #expect(found.text(row: 0, column: 1) == nil)
  }
}
