/// A field of a file's schema, with what its values' levels mean.
///
/// - Invariant: it has children or a stored type, and never both; the leaves below it are those numbered
///   `leaves`, in the order of the file's column chunks.
final class SchemaNode: Sendable {
  let name: String
  let repetition: Repetition
  let annotation: Annotation
  /// nil for a group.
  let stored: StoredType?
  /// The bytes of a value of fixed length.
  let typeLength: Int
  let children: [SchemaNode]
  /// The definition level at which the field is there.
  let definitionLevel: Int
  /// How many fields on the way to here, itself included, repeat.
  let repetitionLevel: Int
  let leaves: Range<Int>

  /// Fields stand in each other no deeper.
  static let depthMax = 64
  /// The most bytes of a value of fixed length.
  static let typeLengthMax = 1 << 20

  fileprivate init(
    _ element: FileMetadata.SchemaElement, _ children: [SchemaNode], definitionLevel: Int,
    repetitionLevel: Int, leaves: Range<Int>
  ) {
    name = element.name
    repetition = element.repetition
    annotation = element.annotation
    stored = children.isEmpty ? element.stored : nil
    typeLength = Int(element.typeLength)
    self.children = children
    self.definitionLevel = definitionLevel
    self.repetitionLevel = repetitionLevel
    self.leaves = leaves
  }

  /// What a list's elements are, if the field is a list each time that it is there.
  ///
  /// Source: "LogicalTypes.md", github.com/apache/parquet-format, rules for backward compatibility.
  var listElement: SchemaNode? {
    guard annotation == .list, children.count == 1, children[0].repetition == .repeated else {
      return nil
    }
    let middle = children[0]
    // The repeated field is the element itself where it could not be a mere wrapper.
    if middle.stored != nil || middle.children.count != 1 || middle.name == "array"
      || middle.name == name + "_tuple" || middle.children[0].repetition == .repeated
    {
      return middle
    }
    return middle.children[0]
  }

  /// The repeated group of a map, which has a key and at most one value.
  var mapEntry: SchemaNode? {
    guard annotation == .map, children.count == 1,
      children[0].repetition == .repeated, (1...2).contains(children[0].children.count),
      children[0].children[0].stored != nil, children[0].children[0].repetition == .required
    else { return nil }
    return children[0]
  }

  /// Hands over the leaves below, in their order.
  func forEachLeaf(_ body: (SchemaNode) -> Void) {
    if children.isEmpty {
      body(self)
    } else {
      for child in children { child.forEachLeaf(body) }
    }
  }
}

/// Makes the tree of a schema out of its elements in preorder.
struct SchemaBuilder {
  private let elements: [FileMetadata.SchemaElement]
  private var next = 0
  private var leafCount = 0

  /// The fields of the root: the columns of a table.
  static func columns(
    _ elements: [FileMetadata.SchemaElement]
  ) throws(Damage) -> [SchemaNode] {
    var builder = SchemaBuilder(elements: elements)
    guard let root = elements.first else { throw Damage("it has no schema") }
    builder.next = 1
    let columns = try builder.children(of: root, 0, 0, depth: 1)
    guard builder.next == elements.count else {
      throw Damage("its schema has elements that belong to no column")
    }
    return columns
  }

  private init(elements: [FileMetadata.SchemaElement]) { self.elements = elements }

  private mutating func children(
    of element: FileMetadata.SchemaElement, _ definition: Int, _ repetition: Int, depth: Int
  ) throws(Damage) -> [SchemaNode] {
    guard element.childCount >= 0, Int(element.childCount) <= elements.count - next else {
      throw Damage("its schema says that \"\(element.name)\" has \(element.childCount) fields")
    }
    guard depth <= SchemaNode.depthMax else {
      throw Damage("its schema is nested more than \(SchemaNode.depthMax) deep")
    }
    var children: [SchemaNode] = []
    for _ in 0..<element.childCount {
      children.append(try node(definition, repetition, depth: depth))
    }
    return children
  }

  private mutating func node(
    _ definition: Int, _ repetition: Int, depth: Int
  ) throws(Damage) -> SchemaNode {
    guard next < elements.count else { throw Damage("its schema is cut off") }
    let element = elements[next]
    next += 1
    let ownDefinition = definition + (element.repetition == .required ? 0 : 1)
    let ownRepetition = repetition + (element.repetition == .repeated ? 1 : 0)
    let first = leafCount
    let children = try children(of: element, ownDefinition, ownRepetition, depth: depth + 1)
    if children.isEmpty {
      guard let stored = element.stored else {
        throw Damage("its schema has the group \"\(element.name)\" without fields")
      }
      let length = Int(element.typeLength)
      if stored == .fixedLengthByteArray, !(0...SchemaNode.typeLengthMax).contains(length) {
        throw Damage("values of \"\(element.name)\" have the length \(length)")
      }
      leafCount += 1
    }
    return SchemaNode(
      element, children, definitionLevel: ownDefinition, repetitionLevel: ownRepetition,
      leaves: first..<leafCount)
  }
}
