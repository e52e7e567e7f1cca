import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension RequestTranslator {
  /// The table of a level as what is changed.
  private func changedTable(_ level: ReadLevel) -> NamedTable {
    let name = level.table.name
    return NamedTable(
      QualifiedName([Identifier(name.schema), Identifier(name.name)]),
      alias: TableAlias(Identifier(alias(ofTable: level))))
  }

  /// The filters of a level by which a change finds its rows.
  private func filter(of level: ReadLevel) -> Expression? {
    .all(level.filters.map { condition($0, in: level) })
  }

  /// An INSERT; nil for no rows.
  ///
  /// - Throws: 42804 and 22021 for a value that is none of its column.
  func insert(
    _ rows: RestRows, into level: ReadLevel, _ conflict: SQLSyntax.OnConflict?
  ) throws(NestedSelectError) -> InsertStatement? {
    if rows.rows.isEmpty { return nil }
    var columns = rows.columns
    // Rows without any value have the default of one column in its place.
    if columns.isEmpty { columns = Array(level.table.columns.prefix(1)) }
    var values: [[Expression]] = []
    for row in rows.rows {
      var constants: [Expression] = []
      for (place, column) in columns.enumerated() {
        let part = place < row.count ? row[place] : nil
        constants.append(
          try part?.constant(column.type, column.name) ?? Expression(.defaultValue))
      }
      values.append(constants)
    }
    var insert = InsertStatement(
      into: changedTable(level), columns.map { AssignmentTarget($0.name) },
      .values(ValuesList(rows: values, range: .none)))
    insert.onConflict = conflict
    return insert
  }

  /// An UPDATE of the rows that filters leave; nil where no column is to be changed.
  ///
  /// - Throws: as `insert`; PGRST102 for several rows of values.
  func update(_ level: ReadLevel, _ rows: RestRows) throws(NestedSelectError) -> UpdateStatement? {
    guard rows.rows.count <= 1 else {
      throw NestedSelectError(
        "PGRST102", "Empty or invalid json", details: "An update has one row of values",
        hint: "upsert(_:) changes each row in its own way.")
    }
    var assignments: [Assignment] = []
    for (place, column) in rows.columns.enumerated() {
      guard let value = rows.rows.first?[place] else { continue }
      assignments.append(
        .single(AssignmentTarget(column.name), try value.constant(column.type, column.name)))
    }
    if assignments.isEmpty { return nil }
    var update = UpdateStatement(changedTable(level), assignments)
    update.filter = filter(of: level)
    return update
  }

  /// A DELETE of the rows that filters leave.
  func delete(_ level: ReadLevel) -> DeleteStatement {
    var delete = DeleteStatement(from: changedTable(level))
    delete.filter = filter(of: level)
    return delete
  }

  /// The number of a level's rows as they are without its limit.
  ///
  /// - Throws: as `query(for:)`.
  func count(of level: ReadLevel) throws(NestedSelectError) -> SelectStatement {
    var level = level
    level.order = []
    level.limit = nil
    level.offset = nil
    let rows: TableReference
    var conditions: [Expression] = []
    if level.isGrouped {
      rows = .subquery(
        DerivedTable(
          query: try query(for: level), alias: TableAlias(Identifier("counted")),
          isLateral: false, range: .none))
    } else {
      rows = table(of: level)
      conditions = self.conditions(of: level)
    }
    return SelectStatement(
      body: .select(
        SelectCore(
          items: [SelectItem(.expression(.rowCount))], from: [rows], filter: .all(conditions))))
  }
}
