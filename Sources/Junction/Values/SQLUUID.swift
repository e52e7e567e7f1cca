import Columnar
public import Diagnostics

/// A universally unique identifier: a `uuid`.
public struct SQLUUID: Hashable, Sendable, Comparable, LosslessStringConvertible, BitwiseCopyable {
  let uuid: UUIDValue

  init(_ uuid: UUIDValue) { self.uuid = uuid }

  /// The identifier of 16 bytes, the first ones in `high`, each word big-endian.
  public init(high: UInt64, low: UInt64) { uuid = UUIDValue(high: high, low: low) }

  /// The first eight bytes, as a big-endian number.
  public var high: UInt64 { uuid.high }
  /// The last eight bytes, as a big-endian number.
  public var low: UInt64 { uuid.low }

  /// The identifier that a text of 32 hexadecimal digits spells, with or without hyphens; nil for another text.
  public init?(_ description: String) {
    guard case .uuid(let uuid)? = Value(spelled: description, as: .uuid) else { return nil }
    self.uuid = uuid
  }

  /// An identifier of version 4, from random bits of the system.
  public static func random() -> SQLUUID {
    SQLUUID(UUIDValue(random: .random(in: .min ... .max), .random(in: .min ... .max)))
  }

  /// The 36 characters, in lower case.
  public var description: String { Value.uuid(uuid).text(of: .uuid) }

  /// Whether the bytes of one stand before those of another.
  public static func < (left: SQLUUID, right: SQLUUID) -> Bool { left.uuid < right.uuid }
}

extension SQLUUID: Codable {
  /// The value that a text spells.
  ///
  /// - Throws: `DecodingError` for what is no text, and for one that spells none.
  public init(from decoder: any Decoder) throws { self = try Self.decoded(from: decoder) }

  /// Writes the text that PostgreSQL prints.
  public func encode(to encoder: any Encoder) throws { try encodeText(to: encoder) }
}

extension SQLUUID: SQLValueConvertible {
  /// `uuid`.
  public static var sqlType: SQLType { SQLType("uuid") }
  /// The value as the engine takes it.
  public var sqlValue: SQLValue { .uuid(self) }
  /// A value that the engine gave.
  ///
  /// - Throws: 42804 if it is of another type.
  public init(sqlValue: SQLValue) throws(SQLError) {
    guard case .uuid(let value) = sqlValue else { throw .misfit(sqlValue, Self.self) }
    self = value
  }
}

extension Value {
  /// The value that a text spells whenever it is read; nil for any other text, such as `now`.
  init?(spelled text: String, as type: LogicalType) {
    guard let value = try? Value(parsing: text, as: ColumnType(type)) else { return nil }
    self = value
    // A word that depends on the clock reads differently at another time.
    let later = DateTimeParser(now: 40 * Calendar.microsecondsPerDay + 1)
    guard text.utf8.contains(where: { $0 | 32 >= UInt8(ascii: "a") }),
      [.date, .time, .timestamptz].contains(type)
    else { return }
    guard let again = try? Value(parsing: text, as: ColumnType(type), dates: later),
      again.text(of: type) == value.text(of: type)
    else { return nil }
  }
}
