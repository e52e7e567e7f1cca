/// A type of columns, with values that follow from numbers.
package enum HuntType: String, CaseIterable, Sendable {
  case smallint, integer, bigint, numeric = "numeric(10,2)", real, double = "double precision"
  case text, varchar = "varchar(40)", character = "character(12)", bytea, uuid
  case date, time, timestamp, timestamptz, interval, boolean

  package var sql: String { rawValue }

  /// Whether a key of it can have as many values as are wanted.
  package var isForKeys: Bool { self != .boolean }

  package var isNumber: Bool {
    switch self {
    case .smallint, .integer, .bigint, .numeric, .real, .double: true
    default: false
    }
  }

  package var isWhole: Bool { self == .smallint || self == .integer || self == .bigint }

  package var isText: Bool { self == .text || self == .varchar }

  /// Whether `min` and `max` take it.
  package var hasExtremes: Bool {
    switch self {
    case .boolean, .uuid, .bytea: false
    default: true
    }
  }

  /// The literal of a number; other numbers have other values, booleans aside.
  ///
  /// If it is wild, some are the greatest and least of their type, on which arithmetic fails.
  package func literal(_ k: Int, isWild: Bool = false, textBytesMost: Int = 40) -> String {
    switch self {
    case .smallint:
      isWild && k % 7 == 5 ? "\(32767 - k)" : isWild && k % 7 == 6 ? "-\(32768 - k)" : "\(k)"
    case .integer:
      isWild && k % 7 == 5
        ? "\(2_147_483_647 - k)" : isWild && k % 7 == 6 ? "\(-2_147_483_648 + k)" : "\(k)"
    case .bigint:
      isWild && k % 7 == 5
        ? "\(Int64.max - Int64(k))"
        : isWild && k % 7 == 6 ? "(\(Int64.min + 1 + Int64(k)))" : "\(k)"
    case .numeric: isWild && k % 7 == 5 ? "\(99_999_999 - k).25" : "\(k).50"
    case .real, .double: "'\(k).5'"
    case .text, .varchar: "'\(Self.text(k, most: textBytesMost))'"
    case .character: "'\(Self.text(k, most: min(textBytesMost, 12)))'"
    case .bytea:
      k % 3 == 0
        ? "'\\x\(Self.hex(k, 2))'"
        : "'\\x00\(String(repeating: "ab", count: k % 12))\(Self.hex(k, 6))'"
    case .uuid:
      k % 2 == 0
        ? "'00000000-0000-0000-0000-\(Self.hex(k, 12))'"
        : "'\(Self.hex(k, 8))-0000-4000-8000-00000000000f'"
    case .date: "'\(Self.date(k))'"
    case .time: "'\(Self.two(k % 24)):\(Self.two(k / 24 % 60)):\(Self.two(k / 1440 % 60))'"
    case .timestamp: "'\(Self.date(k)) 12:00:00'"
    case .timestamptz: "'\(Self.date(k)) 12:00:00+00'"
    case .interval: "'\(k) hours'"
    case .boolean: k % 2 == 0 ? "false" : "true"
    }
  }

  /// The literal with its type, for where nothing else says it.
  package func typed(_ k: Int, isWild: Bool = false) -> String {
    let text = literal(k, isWild: isWild)
    switch self {
    case .boolean, .integer: return text
    default: return "\(text)::\(rawValue)"
    }
  }

  // MARK: Values

  private static let letters = Array("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz")

  /// Texts of 0 to 40 bytes, many of which begin alike and are about as long as what a key or a view holds inline.
  static func text(_ k: Int, most: Int = 40) -> String {
    if k == 0 { return "" }
    let digits = String(k, radix: 36, uppercase: true)
    let length = min([1, 7, 8, 12, 13, 6, 9, 3, 24, 40, 7, 8, 16, 13, 11, 31][k * 7 % 16], most)
    // A character of two bytes stands before the digits of some.
    let tail = (k % 11 == 4 ? "é" : "") + digits
    return String(letters.prefix(max(length - tail.utf8.count, 0))) + tail
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private static func date(_ k: Int) -> String {
    "\(2000 + k / 300)-\(two(1 + k % 12))-\(two(1 + k / 12 % 25))"
  }

  private static func hex(_ k: Int, _ width: Int) -> String {
    let digits = String(k, radix: 16)
    let even = digits.count % 2 == 1 ? "0" + digits : digits
    return String(repeating: "0", count: max(width - even.count, 0)) + even
  }
}
