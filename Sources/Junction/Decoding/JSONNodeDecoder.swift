import Diagnostics

/// Decodes values from JSON that has been read.
///
/// Whole numbers are checked for the range of the type, and a number is also taken for a text's value: a `numeric` keeps
/// all of its digits in a `String`.
struct JSONNodeDecoder: Decoder {
  let node: JSONNode
  /// The path of what the value stands in, and its key there: most paths are never asked for as a whole.
  private let outerPath: [any CodingKey]
  private let key: (any CodingKey)?
  /// Whether members are found as columns are: by exactly the name of a property, else by its snake case.
  let matchesColumns: Bool
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(
    _ node: JSONNode, within outerPath: [any CodingKey] = [], under key: (any CodingKey)? = nil,
    matchesColumns: Bool = false
  ) {
    self.node = node
    self.outerPath = outerPath
    self.key = key
    self.matchesColumns = matchesColumns
  }

  var codingPath: [any CodingKey] { key.map { outerPath + [$0] } ?? outerPath }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = node else { throw mismatch([String: Any].self) }
    return KeyedDecodingContainer(
      Members<Key>(members: members, codingPath: codingPath, matchesColumns: matchesColumns))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = node else { throw mismatch([Any].self) }
    return Elements(
      elements: elements, codingPath: codingPath, matchesColumns: matchesColumns)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  fileprivate func mismatch(_ type: Any.Type) -> DecodingError {
    let context = DecodingError.Context(
      codingPath: codingPath, debugDescription: "expected \(type), found \(node.kind)")
    if case .null = node { return .valueNotFound(type, context) }
    return .typeMismatch(type, context)
  }
}

extension JSONNodeDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool {
    if case .null = node { return true }
    return false
  }

  func decode(_ type: Bool.Type) throws -> Bool {
    guard case .boolean(let flag) = node else { throw mismatch(type) }
    return flag
  }

  func decode(_ type: String.Type) throws -> String {
    switch node {
    case .text(let text), .number(let text): return text
    case .null, .boolean, .array, .object: throw mismatch(type)
    }
  }

  func decode(_ type: Double.Type) throws -> Double { try number(type) }
  func decode(_ type: Float.Type) throws -> Float { try number(type) }
  func decode(_ type: Int.Type) throws -> Int { try number(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try number(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try number(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try number(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try number(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try number(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try number(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try number(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try number(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try number(type) }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    switch node {
    case .text, .number:
      if let convertible = type as? any SQLValueConvertible.Type,
        let found = try spelled(convertible), let value = found as? Value
      {
        return value
      }
    case .null, .boolean, .array, .object: break
    }
    return try Value(from: self)
  }

  /// The value of a type of SQL that a text or a number spells, as PostgreSQL writes it in JSON; nil where the type decodes itself.
  private func spelled<Value: SQLValueConvertible>(_ type: Value.Type) throws -> Value? {
    let text: String
    switch node {
    case .text(let spelling), .number(let spelling): text = spelling
    case .null, .boolean, .array, .object: return nil
    }
    let value: SQLValue?
    switch Value.sqlType.name {
    case "numeric": value = SQLNumeric(text).map { .numeric($0) }
    case "uuid": value = SQLUUID(text).map { .uuid($0) }
    case "date": value = SQLDate(text).map { .date($0) }
    case "time": value = SQLTime(text).map { .time($0) }
    case "timestamptz": value = SQLTimestamp(text).map { .timestamp($0) }
    case "interval": value = SQLInterval(text).map { .interval($0) }
    case "text" where !(type is String.Type) && !(type is any RawRepresentable.Type):
      value = .text(text)
    default: return nil
    }
    do {
      if let value { return try Value(sqlValue: value) }
      throw mismatch(type)
    } catch let error as SQLError {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: codingPath, debugDescription: error.message))
    }
  }

  private func number<Value: LosslessStringConvertible>(_ type: Value.Type) throws -> Value {
    guard case .number(let text) = node else { throw mismatch(type) }
    guard let value = Value(text) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: codingPath, debugDescription: "\(text) is no value of \(type)"))
    }
    return value
  }
}

extension JSONNode {
  fileprivate var kind: String {
    switch self {
    case .null: "null"
    case .boolean: "a boolean"
    case .number: "a number"
    case .text: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// The members of an object.
private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let members: JSONMembers
  let codingPath: [any CodingKey]
  let matchesColumns: Bool

  var allKeys: [Key] { members.distinctKeys.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { node(key) != nil }

  private func node(_ key: some CodingKey) -> JSONNode? {
    members[key.stringValue]
      ?? (matchesColumns ? members[ColumnNames.snakeCase(key.stringValue)] : nil)
  }

  private func decoder(_ key: some CodingKey) throws -> JSONNodeDecoder {
    guard let node = node(key) else {
      throw DecodingError.keyNotFound(
        key,
        DecodingError.Context(
          codingPath: codingPath, debugDescription: "there is no \"\(key.stringValue)\""))
    }
    return JSONNodeDecoder(
      node, within: codingPath, under: key, matchesColumns: matchesColumns)
  }

  func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decoder(key).decode(type)
  }

  // The values that come most often, for which nothing has to be asked of their types.
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try decoder(key).decode(type) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try decoder(key).decode(type)
  }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try decoder(key).decode(type) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try decoder(key).decode(type)
  }

  /// The decoder of a member; nil if there is none, or null.
  private func presentDecoder(_ key: Key) -> JSONNodeDecoder? {
    guard let node = node(key) else { return nil }
    if case .null = node { return nil }
    return JSONNodeDecoder(
      node, within: codingPath, under: key, matchesColumns: matchesColumns)
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try presentDecoder(key)?.decode(type)
  }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try presentDecoder(key)?.decode(type)
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try presentDecoder(key)?.decode(type)
  }
  func decodeIfPresent<Value: Decodable>(
    _ type: Value.Type, forKey key: Key
  ) throws -> Value? { try presentDecoder(key)?.decode(type) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { try decoder(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    JSONNodeDecoder(
      members["super"] ?? .null, within: codingPath, matchesColumns: matchesColumns)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

/// The elements of an array.
private struct Elements: UnkeyedDecodingContainer {
  let elements: [JSONNode]
  let codingPath: [any CodingKey]
  let matchesColumns: Bool
  private(set) var currentIndex = 0

  init(elements: [JSONNode], codingPath: [any CodingKey], matchesColumns: Bool) {
    self.elements = elements
    self.codingPath = codingPath
    self.matchesColumns = matchesColumns
  }

  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  private mutating func next() throws -> JSONNodeDecoder {
    let key = IndexKey(currentIndex)
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        JSONNode.self,
        DecodingError.Context(
          codingPath: codingPath + [key], debugDescription: "the array has no more elements"))
    }
    defer { currentIndex += 1 }
    return JSONNodeDecoder(
      elements[currentIndex], within: codingPath, under: key, matchesColumns: matchesColumns)
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, case .null = elements[currentIndex] else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try next().decode(type)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> { try next().container(keyedBy: type) }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { try next() }
}
