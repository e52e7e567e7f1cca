import Catalog
import Columnar
import Diagnostics
import Storage
import Testing

@testable import Junction

@Suite("The numbers of keys")
struct KeyDigestTests {
  /// Columns of a table whose rows have many keys in common, some of them deleted or NULL.
  private static let columns = [
    "i % 300 AS k", "(i % 7)::smallint AS a, i % 90 AS b", "i % 5 AS a, (i % 77)::bigint AS b",
    "(i % 300)::bigint * 5000000000 AS k", "CASE WHEN i % 5 > 0 THEN i % 300 END AS k",
    "'n' || i % 400 AS k", "repeat('long ', 5) || i % 400 AS k",
    "(repeat(' ', i % 3))::char(3) AS k",
    "(i % 300)::numeric / 4 AS k", "(i % 40)::numeric(9,2) AS k",
    "CASE i % 4 WHEN 0 THEN '0'::float8 WHEN 1 THEN '-0'::float8 WHEN 2 THEN 'NaN'::float8 ELSE i END AS k",
    "(i % 9)::real AS k, i % 2 = 0 AS l", "i % 60 * interval '12 hours' AS k",
    "DATE '2020-01-01' + i % 500 AS k", "ARRAY[i % 9, NULL] AS k, i % 40 AS l",
    "lpad((i % 300)::text, 32, '0')::uuid AS k",
    "CASE WHEN i % 3 > 0 THEN 'x' END AS k, i % 90 AS l",
  ]

  private static func digests(
    _ columns: String, _ form: KeyDigests.Form? = nil, rows: Int = 5000
  ) throws -> KeyDigests {
    let database = Database()
    let connection = database.connect()
    try connection.execute(
      """
      CREATE TABLE t AS SELECT \(columns), i FROM generate_series(1, \(rows)) i;
      DELETE FROM t WHERE i % 13 = 1;
      """)
    let version = database.state.current
    let definition = try #require(version.catalog.tables.values.first)
    let store = try #require(version.tables[definition.id])
    let key = Array(definition.columns.indices.dropLast())
    return try KeyDigests(
      store, key, form ?? KeyDigests.form(store.types, key),
      EvaluationContext(transactionTime: 0, statementTime: 0))
  }

  /// The first row whose key another one before it has, found by comparing bytes.
  private static func firstRepeat(_ keys: KeyDigests, takesNulls: Bool) -> Int? {
    var seen: Set<[UInt8]> = []
    for position in 0..<keys.count {
      switch keys.row(position) {
      case .deleted: continue
      case .null, .partlyNull: if !takesNulls { continue }
      case .present: break
      }
      if !seen.insert(keys.bytes(at: position)).inserted { return position }
    }
    return nil
  }

  @Test("are equal for equal keys, and hardly ever for others", arguments: columns)
  func equality(_ columns: String) throws {
    for form in [nil, KeyDigests.Form.hash] {
      let keys = try Self.digests(columns, form)
      var bytes: [UInt64: [UInt8]] = [:]
      var numbers: [[UInt8]: UInt64] = [:]
      var live = 0
      for position in 0..<keys.count where keys.row(position) == .present {
        live += 1
        let (number, key) = (keys.digests[position], keys.bytes(at: position))
        #expect(bytes.updateValue(key, forKey: number) ?? key == key)
        #expect(numbers.updateValue(number, forKey: key) ?? number == number)
      }
      #expect(live > 0)
      let set = try DigestSet(keys)
      #expect(numbers.values.allSatisfy { set.contains($0) })
      #expect(!set.contains(0x1234_5678_9ABC_DEF1))
    }
  }

  @Test("lead to the first key that stands twice", arguments: columns)
  func repeats(_ columns: String) throws {
    let keys = try Self.digests(columns)
    #expect(
      try DigestParts(keys, takesNulls: false).firstRepeat()
        == Self.firstRepeat(keys, takesNulls: false))
    let hashes = try Self.digests(columns, .hash)
    #expect(
      try DigestParts(hashes, takesNulls: true).firstRepeat()
        == Self.firstRepeat(hashes, takesNulls: true))
  }

  @Test("find no key twice where each stands once", arguments: ["i + 5 AS k", "'n' || i AS k"])
  func once(_ columns: String) throws {
    let keys = try Self.digests(columns, rows: 20_000)
    let parts = try DigestParts(keys, takesNulls: false)
    #expect(try parts.firstRepeat() == nil)
    #expect(parts.count == (0..<keys.count).count { keys.row($0) == .present })
  }

  @Test(
    "are the same for values of types that can be compared",
    arguments: [
      ("i % 50 AS k", "(i % 50)::numeric AS k"), ("i % 50 AS k", "(i % 50)::bigint AS k"),
      ("(i % 50)::numeric(9,3) AS k", "i % 50 AS k"),
      ("(i % 50)::real AS k", "(i % 50)::float8 AS k"),
      ("('a' || i % 50)::char(9) AS k", "'a' || i % 50 AS k"),
    ])
  func types(_ first: String, _ second: String) throws {
    let (keys, others) = try (Self.digests(first, .hash), Self.digests(second, .hash))
    let set = try DigestSet(others)
    for position in 0..<keys.count where keys.row(position) == .present {
      #expect(
        keys.digests[position] == others.digests[position] && set.contains(keys.digests[position]))
    }
  }
}
