import Catalog
import Diagnostics
import SQLSyntax

/// A relation whose links are the edges of a graph: graph algorithms run over it.
///
/// ```swift
/// struct Person: Record {
///   var id: Int?
///   var name: String
///   struct Relations: Sendable {
///     let friends = Many<Person>(through: "friend", from: "person_id")
///   }
///   static let relations = Relations()
/// }
///
/// for (place, other) in try Person.relations.friends.pageRank(db).prefix(10).enumerated() {
///   print(place + 1, other.row.name, other.value)
/// }
/// ```
///
/// Every call is one statement: the function of the same name in SQL, over the links as they stand, whose answer is joined with the
/// rows. It asks a snapshot, a transaction or a database, like any other; `observe` asks it again
/// when rows or links have changed.
///
/// An edge leads from a row to one that belongs to it. Algorithms that give a single row for each vertex, and those about ways, are those of
/// a relation of a table to itself; those about likeness and matchings work between two tables as well.
public protocol GraphRelation: Sendable {
  /// The rows that links lead from.
  associatedtype From: Record
  /// The rows that links lead to.
  associatedtype To: Record
  /// What says which column of the links has their weights: its name, or a property of the record that stands for a link.
  associatedtype EdgeColumn = String

  /// The links as edges, with the column of their weights; each weighs 1 without one.
  func edges(weighedBy column: EdgeColumn?) -> GraphEdges
}

/// The links of a relation as the edges of a graph.
public struct GraphEdges: Sendable {
  enum Weight: Sendable {
    case named(String)
    case property(PropertyReference)
  }
  let declaration: RelationDeclaration
  let weight: Weight?
}

extension ToOne: GraphRelation {
  /// The links as edges, with the column of their weights by its name.
  public func edges(weighedBy column: String?) -> GraphEdges {
    GraphEdges(declaration: declaration, weight: column.map { .named($0) })
  }
}

extension ToMany: GraphRelation {
  /// The links as edges, with the column of their weights by its name.
  public func edges(weighedBy column: String?) -> GraphEdges {
    GraphEdges(declaration: declaration, weight: column.map { .named($0) })
  }
}

extension ToManyThrough: GraphRelation {
  /// The links as edges, with the property that has their weights.
  public func edges(weighedBy column: PartialKeyPath<Link>?) -> GraphEdges {
    GraphEdges(
      declaration: declaration, weight: column.map { .property(PropertyReference($0)) })
  }
}

extension GraphEdges {
  /// The graph by the name that functions of graphs take.
  ///
  /// - Throws: 0A000 for keys whose columns are all those of others as well.
  static func name(of route: RelationRoute, _ view: CatalogView) throws(SQLError) -> String {
    let ends: [String]
    let table: TableDefinition
    switch route.relationship.route {
    case .toParent(let key):
      table = route.from.definition
      ends = [try column(of: key, in: table)]
    case .toChildren(let key):
      table = route.to.definition
      guard let own = table.graphKey(view.catalog).first else { throw unnamed(table) }
      ends = [try column(of: key, in: table), SQLPrinter.quoted(table.columns[own].name)]
    case .throughJunction(let near, let far):
      guard let junction = route.junction else { throw .internal("links without a table") }
      table = junction
      ends = [try column(of: near, in: junction), try column(of: far, in: junction)]
    }
    return "\(table.spelledName)(\(ends.joined(separator: ", ")))"
  }

  /// A column by which a foreign key is known from the others.
  private static func column(
    of key: ForeignKeyLink, in table: TableDefinition
  ) throws(SQLError) -> String {
    let own = key.columns.first { column in
      table.foreignKeys.count { $0.columns.contains(column) } == 1
    }
    guard let own else { throw unnamed(table) }
    return SQLPrinter.quoted(table.columns[own].name)
  }

  private static func unnamed(_ table: TableDefinition) -> SQLError {
    SQLError.unsupported(
      "a graph along a foreign key of \"\(table.name.name)\" all of whose columns are those of others, too"
    )
  }

  /// The column with the weights.
  ///
  /// - Throws: 42703 for a property without a column.
  func weightColumn(_ view: CatalogView) throws(SQLError) -> String? {
    switch weight {
    case nil: return nil
    case .named(let name): return name
    case .property(let property):
      guard let layout = try declaration.link?.layout(view) else { return nil }
      return layout.definition.columns[layout.columns[try property.place(in: layout)].index].name
    }
  }
}

extension TableDefinition {
  /// The columns by which a graph knows the rows.
  func graphKey(_ catalog: CatalogSnapshot) -> [Int] {
    catalog.relationshipGraph.vertices.first { $0.table == id }?.key ?? []
  }
}
