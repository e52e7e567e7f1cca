import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// A table while CREATE TABLE or ALTER TABLE gathers its parts.
///
/// Columns and constraints are collected first and completed afterwards, since a constraint may
/// name a column that comes later.
struct TableBuilding {
  /// A key that waits for its name.
  struct PendingKey {
    var name: String?
    var columns: [Int]
    var isPrimary: Bool
    var nullsNotDistinct: Bool
    var deferral: ConstraintDeferral
    var range: SourceRange
  }
  /// A foreign key that waits for its parent to be looked up.
  struct PendingForeignKey {
    var name: String?
    var columns: [Identifier]
    var clause: ReferencesClause
    var deferral: ConstraintDeferral
    var isNotValid: Bool
    var isEnforced: Bool
  }
  /// A check that waits to be bound.
  struct PendingCheck {
    var name: String?
    var expression: Expression
    var isNotValid = false
  }
  /// A cardinality constraint that waits for its foreign key.
  struct PendingCardinality {
    var name: String?
    var clause: CardinalityClause
  }
  /// A sequence that a column needs.
  struct PendingSequence {
    var column: Int
    var type: LogicalType
    var options: [SequenceOption]
  }
  var table: TableDefinition
  var keys: [PendingKey] = []
  var foreignKeys: [PendingForeignKey] = []
  var checks: [PendingCheck] = []
  var cardinalities: [PendingCardinality] = []
  var sequences: [PendingSequence] = []
  /// Keys written with a column, by names, resolved when all columns are known.
  var indexes: [IndexDefinition] = []
  /// Columns that came from parents and that the statement has not named itself.
  var inherited: Set<String> = []
}

extension DefinitionExecutor {
  private static let systemColumns: Set<String> = [
    "tableoid", "xmin", "cmin", "xmax", "cmax", "ctid",
  ]
  private static let columnLimit = 1600

  /// Adds a column with what stands behind it.
  ///
  /// - Throws: 42701, 42704, 42601, 42P16 and the errors of its default and constraints.
  func add(
    _ column: ColumnDefinition, to building: inout TableBuilding, isAlteration: Bool = false
  ) throws(SQLError) {
    let name = column.name.name
    let tableName = building.table.name.name
    if building.table.column(named: name) != nil {
      throw isAlteration
        ? SQLError(
          .duplicateColumn, "column \"\(name)\" of relation \"\(tableName)\" already exists")
        : SQLError(
          .duplicateColumn, "column \"\(name)\" specified more than once", at: column.name.range)
    }
    if Self.systemColumns.contains(name) {
      throw SQLError(
        .duplicateColumn, "column name \"\(name)\" conflicts with a system column name")
    }
    guard building.table.columns.count < Self.columnLimit else {
      throw SQLError(
        .tooManyColumns, "tables can have at most \(Self.columnLimit) columns")
    }
    let index = building.table.columns.count
    let serial = serialType(column.type)
    let type: ColumnType
    if let serial {
      type = ColumnType(serial)
      if !column.type.arrayBounds.isEmpty {
        throw SQLError(
          .featureNotSupported, "array of serial is not implemented", at: column.type.range)
      }
    } else {
      type = try environment.type(column.type, in: catalog)
      try checkColumnType(type.type, of: name)
    }
    var definition = TableColumn(name: name, columnType: try collated(type, column.collation))
    if let serial {
      definition.isNotNull = true
      building.sequences.append(
        TableBuilding.PendingSequence(column: index, type: serial, options: []))
    }
    building.table.columns.append(definition)
    if serial == nil { apply(column.type, to: index, in: &building) }
    let isNotNull = building.table.columns[index].isNotNull
    var state = ColumnState(hasDefault: serial != nil, isNotNull: isNotNull ? true : nil)
    try addConstraints(of: column, at: index, state: &state, to: &building)
  }

  /// Adds what stands behind a column that the table has from its parents.
  func addConstraints(
    of column: ColumnDefinition, at index: Int, to building: inout TableBuilding
  ) throws(SQLError) {
    let isNotNull = building.table.columns[index].isNotNull
    var state = ColumnState(hasDefault: false, isNotNull: isNotNull ? true : nil)
    try addConstraints(of: column, at: index, state: &state, to: &building)
  }

  private func addConstraints(
    of column: ColumnDefinition, at index: Int, state: inout ColumnState,
    to building: inout TableBuilding
  ) throws(SQLError) {
    for constraint in column.constraints {
      try Self.checkEnforced(constraint)
      try add(constraint, to: index, state: &state, in: &building)
    }
    if building.table.columns[index].identity != nil {
      building.table.columns[index].isNotNull = true
    }
  }

  /// What has been said of a column so far.
  private struct ColumnState {
    var hasDefault: Bool
    var isNotNull: Bool?
    var hasIdentity = false
    var hasGenerated = false
  }

  /// The whole number that `serial` and its like stand for.
  private func serialType(_ name: TypeName) -> LogicalType? {
    guard name.name.parts.count == 1, !name.isColumnType else { return nil }
    switch name.name.name {
    case "serial", "serial4": return .integer
    case "bigserial", "serial8": return .bigint
    case "smallserial", "serial2": return .smallint
    default: return nil
    }
  }

  func checkColumnType(_ type: LogicalType, of column: String) throws(SQLError) {
    guard type.height <= LogicalType.heightMax else {
      throw SQLError(
        .statementTooComplex, "type of column \"\(column)\" is nested too deeply",
        hint: "At most \(LogicalType.heightMax) types may lie in each other.")
    }
    switch type {
    case .unknown, .void:
      throw SQLError(
        .invalidTableDefinition, "column \"\(column)\" has pseudo-type \(type.name)")
    case .record(let record) where record.name == nil:
      throw SQLError(.invalidTableDefinition, "column \"\(column)\" has pseudo-type record")
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
      .character, .name, .bytea, .date, .time, .timetz, .timestamp, .timestamptz, .interval, .bit,
      .varbit, .uuid, .json, .jsonb, .oid, .array, .record, .enumeration:
      break
    }
  }

  private func add(
    _ constraint: ColumnConstraint, to index: Int, state: inout ColumnState,
    in building: inout TableBuilding
  ) throws(SQLError) {
    let column = building.table.columns[index]
    let table = building.table.name.name
    let subject = "column \"\(column.name)\" of table \"\(table)\""
    let deferral = ConstraintDeferral(
      isDeferrable: constraint.timing.isDeferrable,
      isInitiallyDeferred: constraint.timing.isInitiallyDeferred)
    switch constraint.kind {
    case .notNull, .null:
      var wanted = false
      if case .notNull = constraint.kind { wanted = true }
      if let known = state.isNotNull, known != wanted {
        throw contradiction(building.table, index, constraint.range)
      }
      state.isNotNull = wanted
      building.table.columns[index].isNotNull = wanted
    case .defaultValue(let expression):
      if state.hasDefault {
        throw SQLError(
          .syntaxError, "multiple default values specified for \(subject)", at: constraint.range)
      }
      state.hasDefault = true
      try checkExclusive(state, subject, constraint.range)
      building.table.columns[index].defaultValue = try columnDefault(expression, column)
    case .check(let expression):
      building.checks.append(
        TableBuilding.PendingCheck(
          name: constraint.name?.name, expression: expression,
          isNotValid: constraint.timing.isNotValid))
    case .primaryKey, .unique:
      try addKey(constraint, deferral, to: index, state: state, in: &building)
    case .generated(let expression):
      if state.hasGenerated {
        throw SQLError(
          .syntaxError, "multiple generation clauses specified for \(subject)",
          at: constraint.range)
      }
      state.hasGenerated = true
      try checkExclusive(state, subject, constraint.range)
      building.table.columns[index].generated = expression
    case .identity(let isAlways, let options):
      try addIdentity(
        isAlways, options, to: index, state: &state, in: &building, at: constraint.range)
    case .references(let clause):
      building.foreignKeys.append(
        TableBuilding.PendingForeignKey(
          name: constraint.name?.name, columns: [Identifier(column.name)], clause: clause,
          deferral: deferral, isNotValid: constraint.timing.isNotValid,
          isEnforced: constraint.timing.isEnforced ?? true))
    }
  }

  private func addKey(
    _ constraint: ColumnConstraint, _ deferral: ConstraintDeferral, to index: Int,
    state: ColumnState, in building: inout TableBuilding
  ) throws(SQLError) {
    var isPrimary = true
    var nullsNotDistinct = false
    if case .unique(let flag) = constraint.kind {
      isPrimary = false
      nullsNotDistinct = flag
    }
    if isPrimary && state.isNotNull == false {
      throw contradiction(building.table, index, constraint.range)
    }
    try addKey(
      TableBuilding.PendingKey(
        name: constraint.name?.name, columns: [index], isPrimary: isPrimary,
        nullsNotDistinct: nullsNotDistinct, deferral: deferral, range: constraint.range),
      to: &building)
  }

  private func addIdentity(
    _ isAlways: Bool, _ options: [SequenceOption], to index: Int, state: inout ColumnState,
    in building: inout TableBuilding, at range: SourceRange
  ) throws(SQLError) {
    let column = building.table.columns[index]
    let subject = "column \"\(column.name)\" of table \"\(building.table.name.name)\""
    if state.hasIdentity {
      throw SQLError(
        .syntaxError, "multiple identity specifications for \(subject)", at: range)
    }
    state.hasIdentity = true
    try checkExclusive(state, subject, range)
    if state.isNotNull == false { throw contradiction(building.table, index, range) }
    guard column.type.isInteger else {
      throw SQLError(
        .invalidParameterValue, "identity column type must be smallint, integer, or bigint")
    }
    building.table.columns[index].identity = isAlways ? .always : .byDefault
    building.table.columns[index].isNotNull = true
    building.sequences.append(
      TableBuilding.PendingSequence(column: index, type: column.type, options: options))
  }

  private func contradiction(
    _ table: TableDefinition, _ index: Int, _ range: SourceRange
  ) -> SQLError {
    SQLError(
      .syntaxError,
      "conflicting NULL/NOT NULL declarations for column \"\(table.columns[index].name)\" of"
        + " table \"\(table.name.name)\"", at: range)
  }

  private func checkExclusive(
    _ state: ColumnState, _ subject: String, _ range: SourceRange
  ) throws(SQLError) {
    let message: String
    switch (state.hasDefault, state.hasIdentity, state.hasGenerated) {
    case (true, true, _): message = "both default and identity specified for"
    case (true, _, true): message = "both default and generation expression specified for"
    case (_, true, true): message = "both identity and generation expression specified for"
    default: return
    }
    throw SQLError(.syntaxError, "\(message) \(subject)", at: range)
  }

  /// A default as it is stored, bound once to see that it can be.
  func columnDefault(
    _ expression: Expression, _ column: TableColumn
  ) throws(SQLError) -> ColumnDefault? {
    if case .literal(.null) = expression.kind { return nil }
    _ = try environment.bind(
      expression, as: .defaultValue(column: column.name, column.columnType), in: catalog)
    if let sequence = sequence(ofDefault: expression) { return .sequence(sequence) }
    return .expression(expression)
  }

  /// The sequence that `nextval('name'::regclass)` takes values from, which stays the same whatever it is called
  /// later; nil for any other expression.
  private func sequence(ofDefault expression: Expression) -> ObjectID? {
    guard case .function(let call) = expression.kind, call.name.name == "nextval",
      call.arguments.count == 1, case .cast(let argument, let type) = call.arguments[0].value.kind,
      type.name.name == "regclass", case .literal(.string(let name)) = argument.kind,
      case .sequence(let sequence)? = catalog.relation(
        spelled: name, searchPath: environment.searchPath)
    else { return nil }
    return sequence.id
  }

  /// Adds a constraint that stands by itself.
  func add(
    _ constraint: TableConstraint, to building: inout TableBuilding
  ) throws(SQLError) {
    let deferral = ConstraintDeferral(
      isDeferrable: constraint.timing.isDeferrable,
      isInitiallyDeferred: constraint.timing.isInitiallyDeferred)
    let name = constraint.name?.name
    try Self.checkEnforced(constraint)
    switch constraint.kind {
    case .check(let expression):
      building.checks.append(
        TableBuilding.PendingCheck(
          name: name, expression: expression, isNotValid: constraint.timing.isNotValid))
    case .primaryKey(let key), .unique(let key):
      var isPrimary = false
      if case .primaryKey = constraint.kind { isPrimary = true }
      if key.existingIndex != nil {
        throw .unsupported("USING INDEX of a constraint", at: constraint.range)
      }
      let columns = try keyColumns(
        key.columns, of: building.table,
        what: isPrimary ? "primary key constraint" : "unique constraint")
      _ = try keyColumns(key.including, of: building.table, what: "index")
      try addKey(
        TableBuilding.PendingKey(
          name: name, columns: columns, isPrimary: isPrimary,
          nullsNotDistinct: key.nullsNotDistinct, deferral: deferral, range: constraint.range),
        to: &building)
    case .foreignKey(let columns, let clause):
      building.foreignKeys.append(
        TableBuilding.PendingForeignKey(
          name: name, columns: columns, clause: clause, deferral: deferral,
          isNotValid: constraint.timing.isNotValid,
          isEnforced: constraint.timing.isEnforced ?? true))
    case .cardinality(let clause):
      try Self.checkTiming(constraint.timing, at: constraint.range)
      building.cardinalities.append(
        TableBuilding.PendingCardinality(name: name, clause: clause))
    case .exclude: throw .unsupported("EXCLUDE", at: constraint.range)
    }
  }

  private func keyColumns(
    _ names: [Identifier], of table: TableDefinition, what: String
  ) throws(SQLError) -> [Int] {
    var columns: [Int] = []
    for name in names {
      guard let index = table.column(named: name.name) else {
        throw SQLError(
          .undefinedColumn, "column \"\(name.name)\" named in key does not exist", at: name.range)
      }
      if columns.contains(index) {
        throw SQLError(
          .duplicateColumn, "column \"\(name.name)\" appears twice in \(what)", at: name.range)
      }
      columns.append(index)
    }
    return columns
  }

  private func addKey(
    _ key: TableBuilding.PendingKey, to building: inout TableBuilding
  ) throws(SQLError) {
    if key.isPrimary {
      if building.table.primaryKey != nil || building.keys.contains(where: \.isPrimary) {
        throw SQLError(
          .invalidTableDefinition,
          "multiple primary keys for table \"\(building.table.name.name)\" are not allowed",
          at: key.range)
      }
    }
    for column in key.columns {
      let type = building.table.columns[column].type
      if case .json = type {
        throw SQLError(
          .undefinedObject,
          "data type \(type.name) has no default operator class for access method \"btree\"",
          hint: "You must specify an operator class for the index or define a default operator"
            + " class for the data type.")
      }
    }
    // A key that says the same as one before it is that one.
    for index in building.keys.indices
    where building.keys[index].columns == key.columns
      && building.keys[index].deferral == key.deferral
      && building.keys[index].nullsNotDistinct == key.nullsNotDistinct
      && (building.keys[index].name == nil || key.name == nil
        || building.keys[index].name == key.name)
    {
      building.keys[index].isPrimary = building.keys[index].isPrimary || key.isPrimary
      building.keys[index].name = building.keys[index].name ?? key.name
      return
    }
    building.keys.append(key)
  }
}
