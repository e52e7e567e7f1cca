import Catalog
import Columnar
import Diagnostics
import Execution
import SQLSyntax
import Storage

/// Asks the tables of a session what keys and references hang on.
struct ColumnQueries {
  let session: Session

  /// How many values a column has, and how many differ.
  struct Counts {
    var rows: Int64
    var present: Int64
    var different: Int64
    var missing: Int64 { rows - present }
    var repeated: Int64 { present - different }
  }

  func definition(of table: String) throws(SQLError) -> TableDefinition {
    guard
      case .table(let definition)? = session.state.current.catalog.relation(schema: nil, table)
    else { throw .internal("the table \(table) is gone") }
    return definition
  }

  /// The name of the one column of a table's primary key.
  func keyColumn(of table: String) throws(SQLError) -> TableColumn? {
    let definition = try definition(of: table)
    guard let key = definition.primaryKey, key.columns.count == 1 else { return nil }
    return definition.columns[key.columns[0]]
  }

  func primaryKey(of table: String) throws(SQLError) -> KeyConstraint? {
    try definition(of: table).primaryKey
  }

  func rowCount(of table: String) throws(SQLError) -> Int64 {
    let id = try definition(of: table).id
    return Int64(try session.state.current.table(id).liveRowCount)
  }

  func counts(_ column: String, in table: String) throws(SQLError) -> Counts {
    let name = SQLPrinter.quoted(column)
    let found = try numbers(
      "SELECT count(*), count(\(name)), count(DISTINCT \(name)) FROM \(SQLPrinter.quoted(table))")
    guard found.count == 3 else { return Counts(rows: 0, present: 0, different: 0) }
    return Counts(rows: found[0], present: found[1], different: found[2])
  }

  func differentRows(_ columns: [String], in table: String) throws(SQLError) -> Int64 {
    let list = columns.map(SQLPrinter.quoted).joined(separator: ", ")
    return try numbers(
      "SELECT count(*) FROM (SELECT DISTINCT \(list) FROM \(SQLPrinter.quoted(table))) d"
    ).first ?? 0
  }

  /// Whether the texts of a column are short, of one word and with letters, as codes are.
  func areCodes(_ column: String, in table: String) throws(SQLError) -> Bool {
    let name = SQLPrinter.quoted(column)
    return try numbers(
      "SELECT count(*) FROM (SELECT \(name)::text AS v FROM \(SQLPrinter.quoted(table)) LIMIT 1000) d "
        + "WHERE v IS NULL OR length(v) > 40 OR v LIKE '% %' OR v !~ '[[:alpha:]]'"
    ).first == 0
  }

  /// How many of the first `limit` values of a column a key lacks, or of all values; compared as they are written
  /// where their types differ.
  func missing(
    _ child: (table: String, column: String), from parent: (table: String, column: String),
    asText isWritten: Bool, limit: Int? = nil
  ) throws(SQLError) -> (missing: Int64, present: Int64, different: Int64) {
    let column = SQLPrinter.quoted(child.column)
    var source =
      "SELECT \(column) AS v FROM \(SQLPrinter.quoted(child.table)) WHERE \(column) IS NOT NULL"
    if let limit { source += " LIMIT \(limit)" }
    let value = isWritten ? "c.v::text" : "c.v"
    // A question for each number: an anti-join alone takes a tenth of the time of one within an aggregate.
    let missing = try numbers(
      "SELECT count(*) FROM (\(source)) c WHERE NOT EXISTS (SELECT FROM "
        + "\(SQLPrinter.quoted(parent.table)) p WHERE p.\(SQLPrinter.quoted(parent.column)) = \(value))"
    )
    let counts = try numbers("SELECT count(*), count(DISTINCT v) FROM (\(source)) c")
    guard let missing = missing.first, counts.count == 2 else { return (0, 0, 0) }
    return (missing, counts[0], counts[1])
  }

  /// How densely the whole numbers of a key stand between the least and the greatest of a column; 0 for other values.
  func density(
    of key: TableColumn, in parent: String, around column: String, of child: String
  ) throws(SQLError) -> Double {
    guard key.type.isInteger else { return 0 }
    let value = SQLPrinter.quoted(column)
    let bounds = try numbers(
      "SELECT min(\(value))::bigint, max(\(value))::bigint FROM \(SQLPrinter.quoted(child))")
    guard bounds.count == 2 else { return 1 }
    let name = SQLPrinter.quoted(key.name)
    let inside = try numbers(
      "SELECT count(*) FROM \(SQLPrinter.quoted(parent)) WHERE \(name) BETWEEN \(bounds[0]) AND \(bounds[1])"
    )
    return Double(inside.first ?? 0) / (Double(bounds[1]) - Double(bounds[0]) + 1)
  }

  /// Adds a constraint if all rows meet it.
  func add(_ constraint: String, to table: String) -> Bool {
    alter(table, "ADD \(constraint)")
  }

  /// Changes a table; says whether that could be.
  func alter(_ table: String, _ change: String) -> Bool {
    guard
      let statements = try? parseStatements("ALTER TABLE \(SQLPrinter.quoted(table)) \(change)")
    else { return false }
    return statements.allSatisfy { (try? session.run($0)) != nil }
  }

  /// The numbers in the one row that a query gives; none if there is a NULL among them.
  private func numbers(_ query: String) throws(SQLError) -> [Int64] {
    guard let statement = try parseStatements(query).first,
      let rows = try session.run(statement).rows, rows.count == 1
    else { return [] }
    return rows.columns.indices.compactMap { column in
      if case .integer(let number) = rows.value(row: 0, column: column) { return number }
      return nil
    }
  }
}
