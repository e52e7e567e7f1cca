import Catalog
import Diagnostics

/// Everything that a catalog says, as lines to compare: places in texts and the order of sets left out.
///
/// It is drawn by reflection, so that a property that is added to a definition is compared without anybody thinking of
/// it.
struct CatalogPortrait: Equatable {
  private(set) var lines: [String] = []

  init(_ catalog: CatalogSnapshot) {
    lines.append("schemas " + catalog.schemas.sorted().joined(separator: " "))
    add(catalog.types, "type")
    add(catalog.sequences, "sequence")
    add(catalog.tables, "table")
    add(catalog.views, "view")
    add(catalog.graphs, "graph")
    add(catalog.functions, "function")
    lines += Self.entries(catalog.relations, "relation")
    lines += Self.entries(catalog.indexTables, "index")
    lines += Self.entries(catalog.typeNames, "type name")
    lines += Self.entries(catalog.functionNames, "function name")
    lines += Self.entries(catalog.comments, "comment")
    lines += Self.entries(catalog.referencing.filter { !$0.value.isEmpty }, "references to")
  }

  private mutating func add<Definition>(_ objects: [ObjectID: Definition], _ kind: String) {
    for (id, object) in objects.sorted(by: { $0.key < $1.key }) {
      lines.append("\(kind) \(id): \(Self.description(of: object))")
    }
  }

  private static func entries<Key, Value>(_ values: [Key: Value], _ kind: String) -> [String] {
    values.map { "\(kind) \(description(of: $0.key)): \(description(of: $0.value))" }.sorted()
  }

  private static func description(of value: Any) -> String {
    if value is SourceRange { return "" }
    let mirror = Mirror(reflecting: value)
    if mirror.children.isEmpty { return "\(value)" }
    var parts = mirror.children.map { child in
      (mirror.displayStyle == .enum ? child.label ?? "" : "") + description(of: child.value)
    }
    if mirror.displayStyle == .dictionary || mirror.displayStyle == .set { parts.sort() }
    return "(" + parts.filter { !$0.isEmpty }.joined(separator: " ") + ")"
  }

  /// The first line in which two portraits differ.
  static func difference(_ left: CatalogPortrait, _ right: CatalogPortrait) -> String? {
    if left == right { return nil }
    for (one, other) in zip(left.lines, right.lines) where one != other {
      return "\(one)\n  is not\n\(other)"
    }
    return "\(left.lines.count) lines are not \(right.lines.count) lines"
  }
}
