import Diagnostics
import Junction
import Testing

@Suite("Decoding from columns")
struct DecodingPropertyTests {
  /// A Swift type that a random column has, how it is decoded, and random values of it.
  private struct Kind: Sendable {
    let type: String
    let decode: @Sendable (KeyedDecodingContainer<Key>, Key) throws -> SQLValue
    let encode: @Sendable (SQLValue, inout KeyedEncodingContainer<Key>, Key) throws -> Void
    let make: @Sendable (inout SplitMix) -> SQLValue

    init<Value: SQLValueConvertible>(
      _ type: String, _ swift: Value.Type, _ make: @escaping @Sendable (inout SplitMix) -> SQLValue
    ) {
      self.type = type
      self.make = make
      encode = { value, container, key in
        try container.encodeIfPresent(Value?(sqlValue: value), forKey: key)
      }
      decode = { container, key in try container.decodeIfPresent(swift, forKey: key).sqlValue }
    }
  }

  private struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
    mutating func text() -> String {
      let scalars: [Character] = [
        "a", "Z", "\"", "\\", "\n", "é", "🏳", ",", "{", " ", "'", "\u{1}",
      ]
      return String(
        (0..<Int.random(in: 0...20, using: &self)).map { _ in
          scalars.randomElement(using: &self) ?? "x"
        })
    }
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  /// A row of the schema at hand.
  private struct Row: Codable, Hashable {
    @TaskLocal static var schema: [(name: String, kind: Kind)] = []
    let values: [SQLValue]

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      values = try Self.schema.map { try $0.kind.decode(container, Key($0.name)) }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      for (column, value) in zip(Self.schema, values) {
        try column.kind.encode(value, &container, Key(column.name))
      }
    }
  }

  private static let kinds: [Kind] = [
    Kind("int", Int32.self) { .integer(Int64(Int32.random(in: .min ... .max, using: &$0))) },
    Kind("smallint", Int.self) { .integer(Int64(Int16.random(in: .min ... .max, using: &$0))) },
    Kind("bigint", Int64.self) { .integer(.random(in: .min ... .max, using: &$0)) },
    Kind("double precision", Double.self) { .double(.random(in: -1e9...1e9, using: &$0)) },
    Kind("real", Float.self) { .double(Double(Float.random(in: -1e9...1e9, using: &$0))) },
    Kind("boolean", Bool.self) { .boolean(.random(using: &$0)) },
    Kind("text", String.self) { .text($0.text()) },
    Kind("varchar", String.self) { .text($0.text()) },
    Kind("numeric", SQLNumeric.self) {
      SQLNumeric(
        "\(Int.random(in: -10000...10000, using: &$0)).\(UInt64.random(in: 0...UInt64.max, using: &$0))"
      )
      .sqlValue
    },
    Kind("uuid", SQLUUID.self) { .uuid(SQLUUID(high: $0.next(), low: $0.next())) },
    Kind("date", SQLDate.self) {
      .date(SQLDate(daysSince1970: .random(in: -900_000...900_000, using: &$0)))
    },
    Kind("time", SQLTime.self) {
      .time(SQLTime(microseconds: .random(in: 0...86_399_999_999, using: &$0)))
    },
    Kind("timestamptz", SQLTimestamp.self) {
      .timestamp(SQLTimestamp(microsecondsSince1970: .random(in: -1 << 55...1 << 58, using: &$0)))
    },
    Kind("interval", SQLInterval.self) {
      .interval(
        SQLInterval(
          months: .random(in: -99...99, using: &$0), days: .random(in: -99...99, using: &$0),
          microseconds: .random(in: -1 << 40...1 << 40, using: &$0)))
    },
    Kind("int[]", [Int?].self) { random in
      .array(
        (0..<Int.random(in: 0...4, using: &random)).map { _ in
          Bool.random(using: &random) ? .null : .integer(Int64.random(in: -9...9, using: &random))
        })
    },
    Kind("text[]", [String].self) { random in
      .array((0..<Int.random(in: 0...3, using: &random)).map { _ in .text(random.text()) })
    },
    Kind("numeric[]", [SQLNumeric].self) { random in
      .array([SQLNumeric(Int.random(in: 0...9, using: &random)).sqlValue])
    },
  ]

  @Test("gives what decoding from JSON gives, for any schema", arguments: 0..<24)
  func equalsJSON(_ seed: Int) throws {
    var random = SplitMix(state: UInt64(seed))
    let schema = (0..<Int.random(in: 1...9, using: &random)).map { index in
      (name: "c\(index)", kind: Self.kinds.randomElement(using: &random) ?? Self.kinds[0])
    }
    let database = Database()
    let columns = schema.map { "\($0.name) \($0.kind.type)" }.joined(separator: ", ")
    try database.execute(SQL(raw: "CREATE TABLE t (place serial, \(columns))"))
    let marks = (1...schema.count).map { "$\($0)" }.joined(separator: ", ")
    let names = schema.map(\.name).joined(separator: ", ")
    var stored: [[SQLValue]] = []
    for _ in 0..<Int.random(in: 0...60, using: &random) {
      let values = schema.map { column in
        Int.random(in: 0..<4, using: &random) == 0 ? .null : column.kind.make(&random)
      }
      stored.append(values)
      try database.execute(SQL(raw: "INSERT INTO t (\(names)) VALUES (\(marks))", values))
    }
    try Row.$schema.withValue(schema) {
      let typed = try database.fetchAll(Row.self, "SELECT * FROM t ORDER BY place")
      #expect(typed.map(\.values) == stored)
      let json = try database.fetchAll(
        JSON<Row>.self, "SELECT to_json(t) FROM t ORDER BY place")
      for (left, right) in zip(typed, json) where left != right.value {
        Issue.record("\(left.values) and \(right.value.values)")
      }
      #expect(typed.count == json.count)
      // Filtered, so that values stand elsewhere than their rows.
      let odd = try database.fetchAll(
        Row.self, "SELECT * FROM t WHERE place % 2 = 1 ORDER BY place")
      #expect(odd == typed.enumerated().filter { $0.offset % 2 == 0 }.map(\.element))
      // And back into a table, by properties and by columns.
      for other in ["u", "v"] {
        try database.execute(SQL(raw: "CREATE TABLE \(other) (place serial, \(columns))"))
      }
      #expect(try database.insert(typed, into: "u") == typed.count)
      #expect(try database.fetchAll(Row.self, "SELECT * FROM u ORDER BY place") == typed)
      let input = schema.indices.map { index in
        ColumnInput(schema[index].name, stored.map { Boxed(value: $0[index]) })
      }
      #expect(try database.append(input, to: "v") == typed.count)
      #expect(try database.fetchAll(Row.self, "SELECT * FROM v ORDER BY place") == typed)
    }
  }

  /// Any value, as a type that stands in a column.
  private struct Boxed: SQLValueConvertible {
    static var sqlType: SQLType { SQLType("text") }
    let sqlValue: SQLValue
    init(value: SQLValue) { sqlValue = value }
    init(sqlValue: SQLValue) { self.sqlValue = sqlValue }
    init(from decoder: any Decoder) throws { sqlValue = .null }
    func encode(to encoder: any Encoder) throws {}
  }
}
