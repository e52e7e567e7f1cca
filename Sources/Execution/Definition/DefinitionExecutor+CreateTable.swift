import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension DefinitionExecutor {
  mutating func createTable(_ statement: CreateTableStatement) throws(SQLError) -> String {
    try refuseUnsupported(statement)
    let isTemporary = statement.persistence == .temporary
    let tag = statement.source == nil ? "CREATE TABLE" : "CREATE TABLE AS"
    let name = try newName(statement.name, isTemporary: isTemporary)
    if catalog.isRelationNameTaken(name) {
      if statement.ifNotExists {
        notice(
          "relation \"\(name.name)\" already exists, skipping", state: .duplicateTable)
        return tag
      }
      throw SQLError(.duplicateTable, "relation \"\(name.name)\" already exists")
    }
    if let source = statement.source {
      return try createTable(name, as: source, statement)
    }
    var building = TableBuilding(
      table: TableDefinition(
        id: transaction.makeID(), name: name, columns: [],
        isTemporary: isTemporary || name.schema == Self.temporarySchema))
    try inherit(from: statement.inherits, into: &building)
    for element in statement.elements {
      switch element {
      case .column(let column) where building.inherited.contains(column.name.name):
        try merge(column, into: &building)
      case .column(let column): try add(column, to: &building)
      case .like(let clause): try copyStructure(clause, into: &building)
      case .constraint: break
      }
    }
    for case .constraint(let constraint) in statement.elements {
      try add(constraint, to: &building)
    }
    try makeSequences(&building)
    _ = try complete(&building)
    nameIndexes(&building)
    try transaction.createTable(building.table)
    return tag
  }

  private func refuseUnsupported(_ statement: CreateTableStatement) throws(SQLError) {
    if let partitioning = statement.partitioning {
      switch partitioning.kind {
      case .partitionBy: throw .unsupported("PARTITION BY", at: partitioning.range)
      case .partitionOf: throw .unsupported("PARTITION OF", at: partitioning.range)
      case .ofType: throw .unsupported("CREATE TABLE OF", at: partitioning.range)
      }
    }
    if statement.onCommit != nil, statement.persistence != .temporary {
      throw SQLError(
        .invalidTableDefinition, "ON COMMIT can only be used on temporary tables")
    }
    if let onCommit = statement.onCommit, onCommit != .preserveRows {
      throw .unsupported("ON COMMIT \(onCommit.rawValue)", at: statement.range)
    }
  }

  /// CREATE TABLE … AS.
  private mutating func createTable(
    _ name: ObjectName, as source: CreateTableStatement.Source, _ statement: CreateTableStatement
  ) throws(SQLError) -> String {
    let description = try environment.describe(source.statement, in: catalog)
    var names = description.names
    if source.columnNames.count > names.count {
      throw SQLError(.syntaxError, "too many column names were specified")
    }
    for (index, given) in source.columnNames.enumerated() { names[index] = given.name }
    var columns: [TableColumn] = []
    for (column, type) in zip(names, description.types) {
      if columns.contains(where: { $0.name == column }) {
        throw SQLError(
          .duplicateColumn, "column \"\(column)\" specified more than once")
      }
      // A literal whose type nothing settled is text in a table.
      let settled = type.type == .unknown ? ColumnType(.text) : type
      try checkColumnType(settled.type, of: column)
      columns.append(TableColumn(name: column, columnType: settled))
    }
    let chunks = source.withData ? try environment.run(source.statement, in: transaction) : []
    let isFirstChange = !transaction.isChanged
    let table = TableDefinition(
      id: transaction.makeID(), name: name, columns: columns,
      isTemporary: statement.persistence == .temporary)
    try transaction.createTable(table)
    var count = 0
    var rows: [DataChunk] = []
    for chunk in chunks {
      count += chunk.count
      let columns = zip(chunk.columns, table.columns).map { vector, column in
        vector.type == column.type || vector.type.physical != column.type.physical
          ? vector : vector.retyped(column.type)
      }
      rows.append(DataChunk(columns, count: chunk.count))
    }
    try transaction.load(rows, into: table, adopting: isFirstChange)
    return source.withData ? "SELECT \(count)" : "CREATE TABLE AS"
  }

  /// LIKE: the columns of another table, and what INCLUDING asks for.
  private func copyStructure(
    _ clause: LikeClause, into building: inout TableBuilding
  ) throws(SQLError) {
    guard let source = relation(clause.table) else { throw missingRelation(clause.table) }
    let including = Set(clause.including)
    var columns: [TableColumn] = []
    var table: TableDefinition?
    switch source {
    case .table(let found):
      table = found
      columns = found.columns
    case .view(let view):
      columns = zip(view.columnNames, view.columnTypes).map {
        TableColumn(name: $0, columnType: $1)
      }
    case .sequence:
      throw SQLError(
        .wrongObjectType, "relation \"\(clause.table.name)\" is invalid in LIKE clause",
        at: clause.table.range, detail: "This operation is not supported for sequences.")
    case .graph:
      throw SQLError(
        .wrongObjectType, "relation \"\(clause.table.name)\" is invalid in LIKE clause",
        at: clause.table.range, detail: "This operation is not supported for property graphs.")
    }
    let offset = building.table.columns.count
    for (index, original) in columns.enumerated() {
      if building.table.column(named: original.name) != nil {
        throw SQLError(
          .duplicateColumn, "column \"\(original.name)\" specified more than once")
      }
      var column = TableColumn(
        name: original.name, columnType: original.columnType, isNotNull: original.isNotNull)
      if including.contains(.defaults), original.identity == nil {
        column.defaultValue = original.defaultValue
      }
      if including.contains(.generated) { column.generated = original.generated }
      if including.contains(.comments) { column.comment = original.comment }
      if including.contains(.identity), let identity = original.identity {
        column.identity = identity
        building.sequences.append(
          TableBuilding.PendingSequence(
            column: offset + index, type: original.type, options: []))
      }
      building.table.columns.append(column)
    }
    guard let table else { return }
    if including.contains(.constraints) { building.table.checks += table.checks }
    if including.contains(.indexes) {
      for key in table.keys {
        building.keys.append(
          TableBuilding.PendingKey(
            name: nil, columns: key.columns.map { $0 + offset }, isPrimary: key.isPrimary,
            nullsNotDistinct: key.nullsNotDistinct, deferral: key.deferral, range: clause.range))
      }
      building.indexes += table.indexes
    }
  }

  /// Names copied indices anew.
  private func nameIndexes(_ building: inout TableBuilding) {
    for index in building.indexes {
      var copy = index
      copy.name = freeRelationName(
        building.table.name.name, indexColumnPart(index.keys, building.table), "idx",
        schema: building.table.name.schema, besides: building.table.indexNames)
      building.table.indexes.append(copy)
    }
  }

  /// Makes the sequences of serial and identity columns.
  func makeSequences(_ building: inout TableBuilding) throws(SQLError) {
    for pending in building.sequences {
      let table = building.table
      let column = table.columns[pending.column]
      var name = ObjectName(
        schema: table.name.schema,
        freeRelationName(
          table.name.name, column.name, "seq", schema: table.name.schema,
          besides: [table.name.name]))
      for case .sequenceName(let given) in pending.options.map(\.kind) {
        name = try newName(given)
      }
      var sequence = SequenceDefinition(
        id: transaction.makeID(), name: name, type: pending.type,
        owner: (table.id, pending.column))
      _ = try apply(pending.options, to: &sequence, isNew: true)
      sequence.owner = (table.id, pending.column)
      transaction.catalog.put(sequence)
      building.table.columns[pending.column].defaultValue = .sequence(sequence.id)
    }
    building.sequences = []
  }
}
