import Catalog
import Diagnostics
import SQLSyntax

/// The columns and relations that the properties of a shape mean.
struct ShapeResolution {
  /// Columns, as they are written in SQL.
  private(set) var columns: [String] = []
  private(set) var embeds: [Embed] = []

  /// - Throws: 42703 for a property that is neither.
  init(
    _ shape: ShapeTree, _ source: RecordSource, _ layout: RecordLayout, _ view: CatalogView
  ) throws(SQLError) {
    let names = layout.definition.columns.map(\.name)
    for property in shape.properties {
      if let index = try ColumnNames.index(of: property.name, in: names) {
        columns.append(SQLPrinter.quoted(names[index]))
      } else if let parts = property.parts {
        embeds.append(
          try Self.embed(property, parts, shape, source, layout, view))
      } else if !property.isOptional {
        throw Self.unknown(property, shape, source, layout)
      }
    }
  }

  private static func embed(
    _ property: ShapeTree.Property, _ parts: ShapeTree.Parts, _ shape: ShapeTree,
    _ source: RecordSource, _ layout: RecordLayout, _ view: CatalogView
  ) throws(SQLError) -> Embed {
    if property.name == "link", !parts.isList { return Embed(name: property.name, content: .link) }
    guard
      let relation = source.relations[property.name]
        ?? Self.ofCatalog(property.name, isList: parts.isList, source, layout, view)
    else { throw unknown(property, shape, source, layout) }
    guard parts.isList == (relation.kind != .one) else {
      throw SQLError(
        .datatypeMismatch,
        "property \(property.name) of shape \(shape.typeName) is \(parts.isList ? "an array" : "no array"), "
          + "but the relation leads to \(relation.kind == .one ? "one row" : "many rows")")
    }
    var tree = QueryTree(relation.to)
    tree.shape = .success(parts.tree)
    return Embed(
      name: property.name, content: parts.isList ? .rows(relation, tree) : .row(relation, tree))
  }

  /// A relation that no record declares, by the name of the table that it leads to.
  private static func ofCatalog(
    _ name: String, isList: Bool, _ source: RecordSource, _ layout: RecordLayout,
    _ view: CatalogView
  ) -> RelationDeclaration? {
    let wanted = ColumnNames.snakeCase(name)
    let targets = view.catalog.relationships(of: layout.definition.id).map(\.target)
    let tables = targets.compactMap { view.catalog.tables[$0] }
    guard let table = tables.first(where: { areAlike($0.name.name.lowercased(), wanted) }) else {
      return nil
    }
    return RelationDeclaration(
      kind: isList ? .many : .one, from: source, to: RecordSource(table: table.name))
  }

  /// Whether two nouns are the same, one of them in the plural or not.
  private static func areAlike(_ one: String, _ other: String) -> Bool {
    func plurals(_ noun: String) -> [String] {
      [noun, noun + "s", noun + "es"] + (noun.hasSuffix("y") ? [noun.dropLast() + "ies"] : [])
    }
    return plurals(one).contains(other) || plurals(other).contains(one)
  }

  private static func unknown(
    _ property: ShapeTree.Property, _ shape: ShapeTree, _ source: RecordSource,
    _ layout: RecordLayout
  ) -> SQLError {
    let columns = layout.definition.columns.map(\.name)
    let relations = source.relations.keys.sorted()
    var error = SQLError.noColumn(property.name, among: columns + relations)
    error.message =
      "property \(property.name) of shape \(shape.typeName) is neither a column nor a relation of table \"\(layout.definition.name.name)\""
    error.detail = "The columns are \(columns.map { "\"\($0)\"" }.joined(separator: ", "))."
    if !relations.isEmpty {
      error.detail? += " The relations are \(relations.joined(separator: ", "))."
    }
    return error
  }
}
