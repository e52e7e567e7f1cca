import Columnar

/// Encodes values as JSON texts.
struct JSONTextEncoder: Encoder {
  /// A JSON value that is being put together.
  final class Part {
    /// What it is so far.
    enum Content {
      /// JSON as it stands.
      case raw(String)
      case text(String)
      case array([Part])
      case object([(key: String, value: Part)])
    }
    var content = Content.raw("null")
  }

  let part: Part
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ part: Part, at path: [any CodingKey] = []) {
    self.part = part
    codingPath = path
  }

  /// What a value encodes itself as.
  ///
  /// - Throws: `EncodingError` for a number that is not finite, and what the value's own encoding throws.
  static func part(of value: some Encodable) throws -> Part {
    let part = Part()
    try JSONTextEncoder(part).encode(value)
    return part
  }

  /// The JSON text of a value.
  ///
  /// - Throws: as `part(of:)`.
  static func text(of value: some Encodable) throws -> String { try part(of: value).text }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .object = part.content {} else { part.content = .object([]) }
    return KeyedEncodingContainer(Members<Key>(part: part, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .array = part.content {} else { part.content = .array([]) }
    return Elements(part: part, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  /// The members of an object.
  private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let part: Part
    let codingPath: [any CodingKey]

    private func encoder(_ key: some CodingKey) -> JSONTextEncoder {
      let value = Part()
      if case .object(var members) = part.content {
        part.content = .raw("null")
        members.append((key.stringValue, value))
        part.content = .object(members)
      }
      return JSONTextEncoder(value, at: codingPath + [key])
    }

    func encodeNil(forKey key: Key) throws { encoder(key).encodeNil() }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
      try encoder(key).encode(value)
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { encoder(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      encoder(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder(IndexKey(name: "super")) }

    func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }
  }

  /// The elements of an array.
  private struct Elements: UnkeyedEncodingContainer {
    let part: Part
    let codingPath: [any CodingKey]

    var count: Int {
      if case .array(let elements) = part.content { return elements.count }
      return 0
    }

    private func encoder() -> JSONTextEncoder {
      let value = Part()
      let path = codingPath + [IndexKey(count)]
      if case .array(var elements) = part.content {
        part.content = .raw("null")
        elements.append(value)
        part.content = .array(elements)
      }
      return JSONTextEncoder(value, at: path)
    }

    func encodeNil() throws { encoder().encodeNil() }

    func encode<Value: Encodable>(_ value: Value) throws { try encoder().encode(value) }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> { encoder().container(keyedBy: type) }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }

    func superEncoder() -> any Encoder { encoder() }
  }
}

extension JSONTextEncoder: SingleValueEncodingContainer {
  func encodeNil() { part.content = .raw("null") }
  func encode(_ value: Bool) { part.content = .raw(value ? "true" : "false") }
  func encode(_ value: String) { part.content = .text(value) }
  func encode(_ value: Double) throws { try encode(number: value) }
  func encode(_ value: Float) throws { try encode(number: value) }
  func encode(_ value: Int) { part.content = .raw(value.description) }
  func encode(_ value: Int8) { part.content = .raw(value.description) }
  func encode(_ value: Int16) { part.content = .raw(value.description) }
  func encode(_ value: Int32) { part.content = .raw(value.description) }
  func encode(_ value: Int64) { part.content = .raw(value.description) }
  func encode(_ value: UInt) { part.content = .raw(value.description) }
  func encode(_ value: UInt8) { part.content = .raw(value.description) }
  func encode(_ value: UInt16) { part.content = .raw(value.description) }
  func encode(_ value: UInt32) { part.content = .raw(value.description) }
  func encode(_ value: UInt64) { part.content = .raw(value.description) }

  func encode<Value: Encodable>(_ value: Value) throws {
    if let value = value as? any SQLValueConvertible,
      Self.ownTypes.contains(type(of: value).sqlType.name),
      let standing = value.sqlValue.jsonContent
    {
      part.content = standing
    } else {
      try value.encode(to: self)
    }
  }

  /// The types of columns whose values are written as `to_json` writes them, whatever encoding a Swift type has of its own.
  private static let ownTypes: Set<String> = ["numeric", "uuid", "timestamptz"]

  private func encode(number: some BinaryFloatingPoint & LosslessStringConvertible) throws {
    guard number.isFinite else {
      throw EncodingError.invalidValue(
        number,
        EncodingError.Context(
          codingPath: codingPath, debugDescription: "\(number) is no number of JSON"))
    }
    part.content = .raw(number.description)
  }
}

extension SQLValue {
  /// What stands for the value in JSON; nil for values that encode themselves.
  fileprivate var jsonContent: JSONTextEncoder.Part.Content? {
    switch self {
    case .numeric(let number):
      number.isFinite ? .raw(number.description) : .text(number.description)
    case .uuid(let uuid): .text(uuid.description)
    case .timestamp(let moment): .text(moment.description)
    case .null, .boolean, .integer, .double, .text, .bytes, .date, .time, .interval, .json, .array:
      nil
    }
  }
}

extension JSONTextEncoder.Part {
  /// The JSON text.
  var text: String {
    var writer = JSONWriter()
    write(to: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private func write(to writer: inout JSONWriter) {
    switch content {
    case .raw(let text): writer.append(raw: text)
    case .text(let text): writer.value(text)
    case .array(let elements):
      writer.open("[")
      for element in elements {
        writer.separate()
        element.write(to: &writer)
      }
      writer.close("]")
    case .object(let members):
      writer.open("{")
      for member in members {
        writer.key(member.key)
        member.value.write(to: &writer)
      }
      writer.close("}")
    }
  }
}

/// A key that the engine makes: the place in an array, or a name.
struct IndexKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ index: Int) {
    stringValue = String(index)
    intValue = index
  }

  init(name: String) {
    stringValue = name
    intValue = nil
  }

  init?(stringValue: String) { self.init(name: stringValue) }
  init?(intValue: Int) { self.init(intValue) }
}
