import Diagnostics
import Junction
import SimulatedDisk

/// A Swift type that a random column has, how it is decoded, and random values of it.
struct DecodedKind: Sendable {
  let type: String
  let decode: @Sendable (KeyedDecodingContainer<ColumnKey>, ColumnKey) throws -> SQLValue
  let encode:
    @Sendable (SQLValue, inout KeyedEncodingContainer<ColumnKey>, ColumnKey) throws -> Void
  let make: @Sendable (inout SimulationRandom) -> SQLValue

  init<Value: SQLValueConvertible>(
    _ type: String, _ swift: Value.Type,
    _ make: @escaping @Sendable (inout SimulationRandom) -> SQLValue
  ) {
    self.type = type
    self.make = make
    encode = { value, container, key in
      try container.encodeIfPresent(Value?(sqlValue: value), forKey: key)
    }
    decode = { container, key in try container.decodeIfPresent(swift, forKey: key).sqlValue }
  }
}

/// The name of a column.
struct ColumnKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}

extension SimulationRandom {
  /// A short text with characters that mean something to JSON, arrays and CSV.
  fileprivate mutating func text() -> String {
    let characters: [Character] = [
      "a", "Z", "\"", "\\", "\n", "é", "🏳", ",", "{", " ", "'", "\u{1}",
    ]
    return String((0..<within(0...20)).map { _ in pick(characters) })
  }
}

extension DecodedKind {
  static let all: [DecodedKind] = [
    DecodedKind("int", Int32.self) { .integer(Int64(Int32.random(in: .min ... .max, using: &$0))) },
    DecodedKind("smallint", Int.self) {
      .integer(Int64(Int16.random(in: .min ... .max, using: &$0)))
    },
    DecodedKind("bigint", Int64.self) { .integer(.random(in: .min ... .max, using: &$0)) },
    DecodedKind("double precision", Double.self) { .double(.random(in: -1e9...1e9, using: &$0)) },
    DecodedKind("real", Float.self) { .double(Double(Float.random(in: -1e9...1e9, using: &$0))) },
    DecodedKind("boolean", Bool.self) { .boolean(.random(using: &$0)) },
    DecodedKind("text", String.self) { .text($0.text()) },
    DecodedKind("varchar", String.self) { .text($0.text()) },
    DecodedKind("numeric", SQLNumeric.self) {
      SQLNumeric(
        "\(Int.random(in: -10000...10000, using: &$0)).\(UInt64.random(in: 0...UInt64.max, using: &$0))"
      )
      .sqlValue
    },
    DecodedKind("uuid", SQLUUID.self) { .uuid(SQLUUID(high: $0.next(), low: $0.next())) },
    DecodedKind("date", SQLDate.self) {
      .date(SQLDate(daysSince1970: .random(in: -900_000...900_000, using: &$0)))
    },
    DecodedKind("time", SQLTime.self) {
      .time(SQLTime(microseconds: .random(in: 0...86_399_999_999, using: &$0)))
    },
    DecodedKind("timestamptz", SQLTimestamp.self) {
      .timestamp(SQLTimestamp(microsecondsSince1970: .random(in: -1 << 55...1 << 58, using: &$0)))
    },
    DecodedKind("interval", SQLInterval.self) {
      .interval(
        SQLInterval(
          months: .random(in: -99...99, using: &$0), days: .random(in: -99...99, using: &$0),
          microseconds: .random(in: -1 << 40...1 << 40, using: &$0)))
    },
    DecodedKind("int[]", [Int?].self) { random in
      .array(
        (0..<Int.random(in: 0...4, using: &random)).map { _ in
          Bool.random(using: &random) ? .null : .integer(Int64.random(in: -9...9, using: &random))
        })
    },
    DecodedKind("text[]", [String].self) { random in
      .array((0..<Int.random(in: 0...3, using: &random)).map { _ in .text(random.text()) })
    },
    DecodedKind("numeric[]", [SQLNumeric].self) { random in
      .array([SQLNumeric(Int.random(in: 0...9, using: &random)).sqlValue])
    },
  ]
}
