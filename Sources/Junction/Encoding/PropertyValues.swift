/// Values of a few properties, as what encodes them hands them out.
enum PropertyValues {
  /// The values of properties by their coding keys; nil if one of them does not stand in one column.
  static func of(_ value: some Encodable, _ names: [String]) -> [SQLValue]? {
    let encoder = PropertyEncoder(names)
    guard (try? value.encode(to: encoder)) != nil else { return nil }
    return encoder.values
  }
}

/// Takes the values of some properties out of what is encoded, and lets go of the rest.
private final class PropertyEncoder: Encoder {
  private let names: [String]
  private(set) var values: [SQLValue]
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Why nothing can be taken out.
  struct Unsuited: Error {}

  init(_ names: [String]) {
    self.names = names
    values = Array(repeating: .null, count: names.count)
  }

  fileprivate func take(_ name: String, _ value: @autoclosure () -> SQLValue?) throws {
    for index in names.indices where names[index] == name {
      guard let value = value() else { throw Unsuited() }
      values[index] = value
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Fields(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { Nothing() }
  func singleValueContainer() -> any SingleValueEncodingContainer { Nothing() }

  private struct Fields<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: PropertyEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { try encoder.take(key.stringValue, .null) }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
      try encoder.take(key.stringValue, (value as? any SQLValueConvertible)?.sqlValue)
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
      KeyedEncodingContainer(Fields<Nested>(encoder: PropertyEncoder([])))
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { Nothing() }
    func superEncoder() -> any Encoder { encoder }
    func superEncoder(forKey key: Key) -> any Encoder { PropertyEncoder([]) }
  }

  /// Refuses what is no value with properties.
  private struct Nothing: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }
    func encodeNil() throws { throw Unsuited() }
    func encode<Value: Encodable>(_ value: Value) throws { throw Unsuited() }
    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
      KeyedEncodingContainer(Fields(encoder: PropertyEncoder([])))
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func superEncoder() -> any Encoder { PropertyEncoder([]) }
  }
}
