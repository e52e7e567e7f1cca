import Diagnostics

/// The properties of a type that rows are to become.
struct ShapeTree: Sendable, Hashable {
  /// A property.
  struct Property: Sendable, Hashable {
    let name: String
    let isOptional: Bool
    /// What stands in it, if that is no single value.
    let parts: Parts?
  }

  /// The parts of a value.
  struct Parts: Sendable, Hashable {
    let isList: Bool
    let tree: ShapeTree
  }

  let typeName: String
  fileprivate(set) var properties: [Property] = []

  /// What a type says of itself when it is decoded.
  ///
  /// It fails with 54000 for a type that holds itself, and with 42804 for one that cannot be made for a try.
  static func of<Shape: Decodable>(_ type: Shape.Type) -> Result<ShapeTree, SQLError> {
    let node = ShapeDecoder.Node("\(type)")
    do {
      _ = try Shape(from: ShapeDecoder(node, depth: 0))
      return .success(node.tree)
    } catch let error as SQLError {
      return .failure(error)
    } catch {
      return .failure(
        SQLError(
          .datatypeMismatch, "the properties of \(type) are not found by themselves: \(error)",
          hint: "Let an enum conform to CaseIterable and SQLValueConvertible."))
    }
  }
}

/// Decodes a type from nothing, to learn its properties and theirs.
private struct ShapeDecoder: Decoder {
  /// What has been found of one type.
  final class Node {
    var tree: ShapeTree
    var isList = false
    /// Whether it was asked for as one with properties.
    var hasProperties = false

    init(_ typeName: String) { tree = ShapeTree(typeName: typeName) }
  }

  let node: Node
  let depth: Int
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }
  private static let depthMax = 16

  init(_ node: Node, depth: Int) {
    self.node = node
    self.depth = depth
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    node.hasProperties = true
    return KeyedDecodingContainer(Fields(decoder: self))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer {
    node.isList = true
    return Elements(decoder: self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }

  /// A value, and what is found of its parts.
  func value<Value: Decodable>(_ type: Value.Type) throws -> (Value, ShapeTree.Parts?) {
    if let made = ProbedValue.of(type, isOther: false) { return (made, nil) }
    guard depth < Self.depthMax else {
      throw SQLError(
        .programLimitExceeded, "shape \(node.tree.typeName) holds itself",
        hint: "A shape has a struct of its own for each level.")
    }
    let inner = Node("\(type)")
    let value = try Value(from: ShapeDecoder(inner, depth: depth + 1))
    let parts =
      inner.hasProperties
      ? ShapeTree.Parts(isList: inner.isList, tree: inner.tree) : nil
    return (value, parts)
  }

  private struct Fields<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ShapeDecoder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }

    func decodeNil(forKey key: Key) -> Bool {
      note(key, isOptional: true, nil)
      return false
    }

    private func note(_ key: Key, isOptional: Bool, _ parts: ShapeTree.Parts?) {
      let name = key.stringValue
      var isOptional = isOptional
      if let known = decoder.node.tree.properties.firstIndex(where: { $0.name == name }) {
        isOptional = isOptional || decoder.node.tree.properties[known].isOptional
        decoder.node.tree.properties.remove(at: known)
      }
      decoder.node.tree.properties.append(
        ShapeTree.Property(name: name, isOptional: isOptional, parts: parts))
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      let (value, parts) = try decoder.value(type)
      note(key, isOptional: false, parts)
      return value
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
      throw SQLError.unsupported("a shape that decodes its parts by containers of its own")
    }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      throw SQLError.unsupported("a shape that decodes its parts by containers of its own")
    }
    func superDecoder() -> any Decoder { decoder }
    func superDecoder(forKey key: Key) -> any Decoder { decoder }
  }

  /// One element, of whose type the list consists.
  private struct Elements: UnkeyedDecodingContainer {
    let decoder: ShapeDecoder
    var currentIndex = 0
    var codingPath: [any CodingKey] { [] }
    var count: Int? { 1 }
    var isAtEnd: Bool { currentIndex > 0 }

    mutating func decodeNil() -> Bool { false }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      currentIndex += 1
      let (value, parts) = try decoder.value(type)
      if let parts, !parts.isList {
        decoder.node.hasProperties = true
        decoder.node.tree = parts.tree
      }
      return value
    }
    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
      throw SQLError.unsupported("a shape that decodes its parts by containers of its own")
    }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      throw SQLError.unsupported("a shape that decodes its parts by containers of its own")
    }
    mutating func superDecoder() -> any Decoder { decoder }
  }

  private struct Single: SingleValueDecodingContainer {
    let decoder: ShapeDecoder
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      if let made = ProbedValue.of(type, isOther: false) { return made }
      return try Value(from: decoder)
    }
  }
}
