import Catalog
import Diagnostics
import Synchronization

/// The catalog as a reader sees it.
///
/// It is an object, so that handing it on counts one reference and not all of the catalog's.
final class CatalogView: Sendable {
  let catalog: CatalogSnapshot
  let searchPath: [String]

  init(_ catalog: CatalogSnapshot, searchPath: [String]) {
    self.catalog = catalog
    self.searchPath = searchPath
  }

  /// Takes a look.
  static func of(_ db: borrowing some Reader & ~Copyable) throws(SQLError) -> CatalogView {
    let look = CatalogLook()
    _ = try db.run(Request(.look(look)))
    guard let view = look.found else { throw .internal("nobody looked at the catalog") }
    return view
  }

  /// The table of a name, or of a schema's name, a point and the table's.
  ///
  /// - Throws: 42P01 if there is none, 42809 if it is something else.
  func table(_ name: String) throws(SQLError) -> TableDefinition {
    var relation = catalog.relation(schema: nil, name, searchPath: searchPath)
    if relation == nil, let point = name.firstIndex(of: ".") {
      relation = catalog.relation(
        schema: String(name[..<point]), String(name[name.index(after: point)...]))
    }
    switch relation {
    case .table(let table) where table.materialized == nil: return table
    case .table, .view, .sequence, .graph:
      throw SQLError(.wrongObjectType, "\"\(name)\" is not a table")
    case nil:
      let near = nearestNames(to: name, among: catalog.tables.values.map(\.name.name))
      throw SQLError(
        .undefinedTable, "relation \"\(name)\" does not exist",
        hint: near.isEmpty
          ? nil
          : "Perhaps you meant the table " + near.map { "\"\($0)\"" }.joined(separator: " or ")
            + ".")
    }
  }

  /// The names and types of a table's columns.
  ///
  /// - Throws: as `table`.
  func shape(of name: String) throws(SQLError) -> [ResultColumn] {
    try table(name).columns.map { ResultColumn(name: $0.name, columnType: $0.columnType) }
  }
}

/// A look at the catalog, which keeps what was found.
final class CatalogLook: Sendable {
  private let view = Mutex<CatalogView?>(nil)

  /// What was found.
  var found: CatalogView? { view.withLock { $0 } }

  func note(_ found: CatalogView) { view.withLock { $0 = found } }
}
