/// Decodes a type from nothing, to learn its coding keys, and which property each of them is for.
///
/// Every property gets its plain value, such as 0 or nil; in another decoding one of them gets its other value, such as 1. The property
/// that then differs is the one of that key. Only the public interface of `Decodable` is used.
struct ProbingDecoder: Decoder {
  /// A coding key of the type.
  struct Key {
    let name: String
    var isOptional = false
    /// The type that was asked for, once one was.
    var type: (any Decodable.Type)?
  }

  /// What has been asked for.
  final class Findings {
    fileprivate(set) var keys: [Key] = []
    fileprivate var depth = 0
  }

  private enum Level {
    /// The type itself, whose keys are of interest.
    case top
    /// A part of it, in which all values are plain, or all are the other ones.
    case plain, other
  }

  let findings: Findings
  /// The key whose value is to be the other one; nil for none.
  private let changed: String?
  private let level: Level
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// So many parts may stand within each other.
  private static let depthMax = 16

  init(changing changed: String?) {
    self.init(Findings(), changed, .top)
  }

  private init(_ findings: Findings, _ changed: String?, _ level: Level) {
    self.findings = findings
    self.changed = changed
    self.level = level
  }

  /// Whether the value of a key is to be the other one; a key that was not known is taken note of.
  private func isOther(_ key: any CodingKey, isOptional: Bool = false) -> Bool {
    guard level == .top else { return level == .other }
    let name = key.stringValue
    if let known = findings.keys.firstIndex(where: { $0.name == name }) {
      if isOptional { findings.keys[known].isOptional = true }
    } else {
      findings.keys.append(Key(name: name, isOptional: isOptional))
    }
    return name == changed
  }

  /// Takes note of the type that a key of the type itself has.
  private func note(_ type: any Decodable.Type, of key: any CodingKey) {
    guard level == .top else { return }
    let known = findings.keys.firstIndex { $0.name == key.stringValue }
    if let known { findings.keys[known].type = type }
  }

  private func value<Value: Decodable>(_ type: Value.Type, isOther: Bool) throws -> Value {
    if let made = ProbedValue.of(type, isOther: isOther) { return made }
    guard findings.depth < Self.depthMax else { throw ProbingError(type: type) }
    findings.depth += 1
    defer { findings.depth -= 1 }
    return try Value(from: part(isOther: isOther))
  }

  private func part(isOther: Bool) -> ProbingDecoder {
    ProbingDecoder(findings, nil, isOther ? .other : .plain)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Fields(decoder: self))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { Elements(decoder: self) }

  func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }

  private struct Fields<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ProbingDecoder
    var codingPath: [any CodingKey] { [] }
    /// Those of a dictionary.
    var allKeys: [Key] {
      decoder.level == .other ? [Key(stringValue: "x") ?? Key(intValue: 1)].compactMap { $0 } : []
    }

    func contains(_ key: Key) -> Bool { true }

    /// What is optional is nil where it is plain, and within parts, so that a type that holds itself comes to an end.
    func decodeNil(forKey key: Key) -> Bool {
      !decoder.isOther(key, isOptional: true) || decoder.level != .top
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      let isOther = decoder.isOther(key)
      decoder.note(type, of: key)
      do {
        return try decoder.value(type, isOther: isOther)
      } catch {
        throw ProbingError(type: type, path: [key.stringValue] + ProbingError.path(of: error))
      }
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedDecodingContainer<Nested> {
      decoder.part(isOther: decoder.isOther(key)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
      decoder.part(isOther: decoder.isOther(key)).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { decoder }

    func superDecoder(forKey key: Key) -> any Decoder {
      decoder.part(isOther: decoder.isOther(key))
    }
  }

  /// No element where values are plain, else one.
  private struct Elements: UnkeyedDecodingContainer {
    let decoder: ProbingDecoder
    var currentIndex = 0
    var codingPath: [any CodingKey] { [] }
    var count: Int? { decoder.level == .other ? 1 : 0 }
    var isAtEnd: Bool { currentIndex >= count ?? 0 }

    mutating func decodeNil() -> Bool { false }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      currentIndex += 1
      return try decoder.value(type, isOther: false)
    }

    private mutating func element() -> ProbingDecoder {
      currentIndex += 1
      return decoder.part(isOther: false)
    }

    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) -> KeyedDecodingContainer<Nested> { element().container(keyedBy: type) }
    mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer {
      element().unkeyedContainer()
    }
    mutating func superDecoder() -> any Decoder { element() }
  }

  private struct Single: SingleValueDecodingContainer {
    let decoder: ProbingDecoder
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { decoder.level != .other }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      try decoder.value(type, isOther: decoder.level == .other)
    }
  }
}

/// Why a type could not be made from nothing.
struct ProbingError: Error {
  let type: Any.Type
  var path: [String] = []

  static func path(of error: any Error) -> [String] { (error as? ProbingError)?.path ?? [] }
}

/// Values that are made for a try.
enum ProbedValue {
  /// The plain or the other value of a type; nil if it has to be decoded from its parts.
  static func of<Value: Decodable>(_ type: Value.Type, isOther: Bool) -> Value? {
    if let type = type as? any FixedWidthInteger.Type {
      return type.init(isOther ? 1 : 0) as? Value
    }
    if let cases = type as? any CaseIterable.Type { return one(of: cases, isOther) as? Value }
    if let type = type as? any SQLValueConvertible.Type {
      return convertible(type, isOther) as? Value
    }
    return nil
  }

  /// nil where there are no two cases.
  private static func one<Cases: CaseIterable>(of type: Cases.Type, _ isOther: Bool) -> Any? {
    var cases = type.allCases.makeIterator()
    guard let first = cases.next(), let second = cases.next() else { return nil }
    return isOther ? second : first
  }

  /// Two values of each kind there is, of which a type takes those of its own kind.
  private static let candidates: [SQLValue] = [
    .boolean(false), .boolean(true), .integer(0), .integer(1), .double(0), .double(1),
    .text(""), .text("x"), .text("https://a.example"), .text("https://b.example"),
    .bytes([]), .bytes([1]), .numeric(SQLNumeric(0)), .numeric(SQLNumeric(1)),
    .uuid(SQLUUID(high: 0, low: 0)), .uuid(SQLUUID(high: 0, low: 1)),
    .date(SQLDate(daysSince1970: 0)), .date(SQLDate(daysSince1970: 1)),
    .time(SQLTime(microseconds: 0)), .time(SQLTime(microseconds: 1)),
    .timestamp(SQLTimestamp(microsecondsSince1970: 0)),
    .timestamp(SQLTimestamp(microsecondsSince1970: 1_000_000)),
    .interval(SQLInterval(days: 0)), .interval(SQLInterval(days: 1)),
  ]

  /// nil where the type takes no two of the candidates.
  private static func convertible<Value: SQLValueConvertible>(
    _ type: Value.Type, _ isOther: Bool
  ) -> Any? {
    var first: Value?
    for candidate in candidates {
      guard let value = try? Value(sqlValue: candidate) else { continue }
      guard let known = first else {
        first = value
        continue
      }
      if value.sqlValue != known.sqlValue { return isOther ? value : known }
    }
    return nil
  }
}
