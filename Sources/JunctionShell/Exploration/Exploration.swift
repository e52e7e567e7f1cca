import Catalog
import Diagnostics
import Junction

/// The way that was gone from row to row, and the questions about the row at its end.
///
/// Everything is asked by ordinary statements, so it shows what the session sees, uncommitted changes included.
struct Exploration {
  /// The rows from the first to the current one.
  private(set) var stack: [RowPlace] = []

  /// The current row.
  var current: RowPlace? { stack.last }

  /// A row that was found, with what leads on from it.
  struct Step {
    let place: RowPlace
    let table: TableDefinition
    let rows: ResultSet
    let choices: RelationshipChoices
  }

  // Moving.

  /// Begins anew at a row.
  mutating func begin(at place: RowPlace) { stack = [place] }

  /// Goes on to a related row.
  mutating func push(_ place: RowPlace) { stack.append(place) }

  /// Goes back over some rows, but not before the first.
  ///
  /// - Throws: 55000 where there are not as many.
  mutating func pop(_ count: Int) throws(SQLError) {
    guard let current else { throw Self.nowhere }
    guard count < stack.count else {
      let left = stack.count - 1
      throw SQLError(
        .objectNotInPrerequisiteState,
        left == 0
          ? "\(current.title) is the first row, so there is nothing to go back to"
          : "only \(left) \(left == 1 ? "row was" : "rows were") passed on the way here",
        hint: "\\stack shows the way; \\nav TABLE KEY begins another one.")
    }
    stack.removeLast(count)
  }

  static let nowhere = SQLError(
    .objectNotInPrerequisiteState, "there is no current row",
    hint: "Go to one with \\nav TABLE KEY; \\explore lists the tables.")

  // Tables.

  /// The table that a word names.
  ///
  /// - Throws: 42P01 with the nearest names, 42809 for a view.
  static func table(
    named word: String, _ catalog: CatalogSnapshot
  ) throws(SQLError) -> TableDefinition {
    let parts = RelationshipChoices.identifierParts(word)
    let schema = parts.count == 2 ? parts[0] : nil
    switch catalog.relation(schema: schema, parts.last ?? "") {
    case .table(let table) where parts.count <= 2 && table.materialized == nil: return table
    case .table, .view:
      throw SQLError(
        .wrongObjectType, "\(word) is a view, whose rows have no relationships",
        hint: "Name one of the tables that it is made of; \\d+ \(word) shows its query.")
    case .sequence, .graph, nil:
      let names = Diagram.drawableTables(catalog).map { displayName($0.name) }
      let near = RelationshipChoices.nearest(to: word, among: names)
      throw SQLError(
        .undefinedTable, "there is no table \(RelationshipChoices.spelled(word))",
        hint: near.map { "Perhaps you meant \($0)." } ?? "\\explore lists the tables.")
    }
  }

  /// The place of the row of a table with a key.
  ///
  /// - Throws: 42601 if the key has another number of values.
  static func place(
    in table: TableDefinition, key: [String], way: String? = nil
  ) throws(SQLError) -> RowPlace {
    let columns = table.identity.map { table.columns[$0].name }
    guard columns.count == key.count else {
      let names = columns.map(quotedName).joined(separator: ", ")
      throw SQLError(
        .syntaxError,
        "the key of \(displayName(table.name)) has \(columns.count) "
          + (columns.count == 1 ? "column" : "columns")
          + ", but \(key.count) \(key.count == 1 ? "value was" : "values were") given",
        hint: "Give a value for each of: \(names).")
    }
    return RowPlace(table: table.name, columns: columns, values: key, way: way)
  }

  // Asking.

  /// The current row with what leads on from it.
  ///
  /// - Throws: 55000 if it is gone, and whatever the statements say.
  func step(
    _ connection: Connection, _ query: (String) throws(SQLError) -> ResultSet
  ) throws(SQLError) -> Step {
    guard let current else { throw Self.nowhere }
    return try Self.step(at: current, connection.catalog, query)
  }

  /// The row at a place with what leads on from it.
  static func step(
    at place: RowPlace, _ catalog: CatalogSnapshot,
    _ query: (String) throws(SQLError) -> ResultSet
  ) throws(SQLError) -> Step {
    guard case .table(let table)? = catalog.relation(schema: place.table.schema, place.table.name)
    else {
      throw SQLError(
        .undefinedTable, "the table \(displayName(place.table)) no longer exists",
        hint: "\\up goes back; \\nav TABLE KEY begins another way.")
    }
    let rows = try query(
      "SELECT * FROM \(table.qualifiedName) WHERE \(place.condition()) LIMIT 1")
    guard rows.count == 1 else {
      throw SQLError(
        .objectNotInPrerequisiteState, "there is no row \(place.title)",
        hint: "\\nav \(displayName(table.name)) lists the rows of the table.")
    }
    let values = rows.columns.indices.map { rows.text(row: 0, column: $0) }
    return Step(
      place: Self.place(of: table, rows, row: 0, way: place.way), table: table, rows: rows,
      choices: RelationshipChoices(RelatedRows.all(from: table, row: values, catalog)))
  }

  /// The place of a row of a result whose first columns are those of a table.
  static func place(
    of table: TableDefinition, _ rows: ResultSet, row: Int, way: String?
  ) -> RowPlace {
    RowPlace(
      table: table.name, columns: table.identity.map { table.columns[$0].name },
      values: table.identity.map { rows.text(row: row, column: $0) }, way: way)
  }
}
