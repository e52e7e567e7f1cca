import Catalog
import Columnar
import Diagnostics
import Planning
import SQLSyntax

/// ALTER TABLE where the stored columns change.
extension DefinitionExecutor {
  /// Gives the stored rows a new last column with its default in every row.
  func addStoredColumn(_ table: TableDefinition, _ index: Int) throws(SQLError) {
    let column = table.columns[index]
    var parts: [Vector] = []
    let source: BoundRowExpression?
    if let generated = column.generated {
      source = try environment.bind(
        generated, as: .generated(table, column: column.name, column.columnType), in: catalog)
    } else if case .expression(let expression) = column.defaultValue {
      source = try environment.bind(
        expression, as: .defaultValue(column: column.name, column.columnType), in: catalog)
    } else {
      source = nil
    }
    for chunk in try transaction.chunks(of: table.id) {
      if let source {
        // The new column is NULL while its own expression, which cannot use it, is computed.
        let extended = DataChunk(
          chunk.columns + [.null(column.type, count: chunk.count)], count: chunk.count)
        parts.append(
          try environment.evaluate(
            source.expression, columns: source.columns,
            over: source.columns.isEmpty ? DataChunk([], count: chunk.count) : extended,
            in: transaction))
      } else if case .sequence(let id) = column.defaultValue, let sequence = catalog.sequences[id] {
        parts.append(
          try DefaultValues.nextValues(
            chunk.count, of: sequence, type: column.type, transaction))
      } else {
        parts.append(.null(column.type, count: chunk.count))
      }
    }
    try transaction.addColumn(parts, newDefinition: table)
  }

  mutating func setType(
    of name: Identifier, to typeName: TypeName, _ collation: QualifiedName?, using: Expression?,
    in original: TableDefinition
  ) throws(SQLError) {
    let index = try columnIndex(name, of: original)
    let type = try collated(try environment.type(typeName, in: catalog), collation)
    try checkColumnType(type.type, of: name.name)
    let old = original.columns[index]
    if old.identity != nil, !type.type.isInteger {
      throw SQLError(
        .invalidParameterValue, "identity column type must be smallint, integer, or bigint")
    }
    try refuseTypeChange(original, old)
    let conversion = using ?? Expression(.column(QualifiedName(Identifier(name.name))))
    let bound: BoundRowExpression
    do {
      bound = try environment.bind(
        conversion, as: .conversion(original, column: name.name, type), in: catalog)
    } catch  where error.state == .datatypeMismatch || error.state == .cannotCoerce {
      if using != nil {
        throw SQLError(
          .datatypeMismatch,
          "result of USING clause for column \"\(name.name)\" cannot be cast automatically to type"
            + " \(type.name)",
          hint: "You might need to add an explicit cast.")
      }
      throw SQLError(
        .datatypeMismatch,
        "column \"\(name.name)\" cannot be cast automatically to type \(type.name)",
        hint: "You might need to specify \"USING \(name.name)::\(type.name)\".")
    }
    var table = original
    table.columns[index].columnType = type
    if case .expression(let expression) = old.defaultValue {
      do {
        _ = try environment.bind(
          expression, as: .defaultValue(column: name.name, type), in: catalog)
      } catch {
        throw SQLError(
          .datatypeMismatch,
          "default for column \"\(name.name)\" cannot be cast automatically to type \(type.name)")
      }
    }
    for check in table.checks
    where check.expression.columnNames.contains(where: { $0.name == name.name }) {
      _ = try environment.bind(check.expression, as: .check(table), in: catalog)
    }
    try checkForeignTypes(table, index)
    var parts: [Vector] = []
    for chunk in try transaction.chunks(of: table.id) {
      let converted = try environment.evaluate(
        bound.expression, columns: bound.columns, over: chunk, in: transaction)
      if old.isNotNull, converted.mayHaveNulls {
        for row in 0..<chunk.count where !converted.isValid(row) {
          throw SQLError(
            .notNullViolation,
            "column \"\(name.name)\" of relation \"\(table.name.name)\" contains null values"
          ).about(table.errorObject(column: name.name))
        }
      }
      parts.append(converted)
    }
    try transaction.replaceColumn(index, by: parts, newDefinition: table)
    try recheck(table, index)
    try retypeInGraphs(name.name, of: table)
  }

  /// Looks once more at the constraints that a column with other values has a part in.
  private func recheck(_ table: TableDefinition, _ index: Int) throws(SQLError) {
    let name = table.columns[index].name
    for key in table.keys where key.columns.contains(index) {
      try transaction.checkUnique(table, key)
    }
    for (place, key) in table.foreignKeys.enumerated() where key.columns.contains(index) {
      try transaction.checkForeignKey(table, place)
    }
    for entry in catalog.foreignKeys(to: table.id) where entry.key.parentColumns.contains(index) {
      try transaction.checkForeignKey(entry.child, entry.index)
    }
    for check in table.checks
    where check.expression.columnNames.contains(where: { $0.name == name }) {
      try validate(check, of: table)
    }
  }

  private func refuseTypeChange(
    _ table: TableDefinition, _ column: TableColumn
  ) throws(SQLError) {
    for user in dependents(of: .column(table: table.id, name: column.name)) {
      switch user.object {
      case .view, .table:
        throw SQLError(
          .featureNotSupported, "cannot alter type of a column used by a view or rule",
          detail: "rule _RETURN on \(describe(user.object)) depends on column"
            + " \"\(column.name)\"")
      case .sequence, .graph, .graphElement, .graphLabel, .graphProperty, .function, .type,
        .constraint, .domainCheck, .index, .column, .defaultValue:
        continue
      }
    }
    for other in table.columns {
      if other.generated?.columnNames.contains(where: { $0.name == column.name }) == true {
        throw SQLError(
          .featureNotSupported, "cannot alter type of a column used by a generated column",
          detail: "Column \"\(column.name)\" is used by generated column \"\(other.name)\".")
      }
    }
  }

  private func checkForeignTypes(_ table: TableDefinition, _ index: Int) throws(SQLError) {
    func check(_ key: ForeignKeyConstraint, _ child: TableDefinition, _ parent: TableDefinition)
      throws(SQLError)
    {
      for (column, referenced) in zip(key.columns, key.parentColumns) {
        let own = child.columns[column]
        let other = parent.columns[referenced]
        guard Self.areComparable(own.type, other.type) else {
          throw SQLError(
            .datatypeMismatch, "foreign key constraint \"\(key.name)\" cannot be implemented",
            detail: "Key columns \"\(own.name)\" and \"\(other.name)\" are of incompatible types:"
              + " \(own.type.name) and \(other.type.name).")
        }
      }
    }
    for key in table.foreignKeys where key.columns.contains(index) {
      guard let parent = key.parent == table.id ? table : catalog.tables[key.parent] else {
        continue
      }
      try check(key, table, parent)
    }
    for entry in catalog.foreignKeys(to: table.id) where entry.key.parentColumns.contains(index) {
      try check(entry.key, entry.child.id == table.id ? table : entry.child, table)
    }
  }
}
