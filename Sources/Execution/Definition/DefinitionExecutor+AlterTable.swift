import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension DefinitionExecutor {
  mutating func alterTable(_ statement: AlterTableStatement) throws(SQLError) -> String {
    let tag = "ALTER \(statement.kind.rawValue)"
    let name = statement.name.name
    if statement.kind == .index { return try alterIndex(statement) }
    guard let found = relation(name) else {
      guard statement.ifExists else { throw missingRelation(name) }
      notice("relation \"\(name.name)\" does not exist, skipping")
      return tag
    }
    switch found {
    case .view(let view):
      guard statement.kind == .view || statement.kind == .table else {
        throw SQLError(
          .wrongObjectType, "\"\(name.name)\" is not a \(statement.kind.rawValue.lowercased())")
      }
      for action in statement.actions { try alter(view: view.id, action) }
      return tag
    case .sequence(let sequence):
      for action in statement.actions { try alter(sequence: sequence, action) }
      return tag
    case .graph(let graph): return try alter(graph: graph, statement)
    case .table(let table):
      let isKind = statement.kind == (table.materialized == nil ? .table : .materializedView)
      guard isKind || isRename(statement) else {
        throw SQLError(
          .wrongObjectType, "\"\(name.name)\" is not a \(statement.kind.rawValue.lowercased())")
      }
      let ordered = statement.actions.enumerated().sorted {
        (Self.pass($0.element), $0.offset) < (Self.pass($1.element), $1.offset)
      }
      for (_, action) in ordered {
        try alter(table: table.id, action)
        guard !statement.name.isOnly else { continue }
        for child in catalog.descendants(of: table.id) where isInherited(action, by: child) {
          try alter(table: child.id, action)
        }
      }
      return tag
    }
  }

  /// Whether what is done to a table is done to one that inherits from it, too.
  private func isInherited(_ action: AlterTableAction, by child: TableDefinition) -> Bool {
    switch action.kind {
    case .addColumn(let column, _): return child.column(named: column.name.name) == nil
    case .dropColumn(let name, _, _), .setType(let name, _, _, _), .setDefault(let name, _),
      .dropDefault(let name), .setNotNull(let name), .dropNotNull(let name),
      .renameColumn(let name, _):
      return child.column(named: name.name) != nil
    case .addConstraint(let constraint):
      guard case .check = constraint.kind, !constraint.timing.isNoInherit else { return false }
      return true
    case .dropConstraint(let name, _, _), .renameConstraint(let name, _):
      return child.checks.contains { $0.name == name.name }
    case .dropExpression, .addIdentity, .setIdentity, .dropIdentity, .alterConstraint,
      .validateConstraint, .renameTo, .setSchema, .ownerTo, .inherit, .options, .other:
      return false
    }
  }

  private func isRename(_ statement: AlterTableStatement) -> Bool {
    if case .renameTo? = statement.actions.first?.kind { return statement.kind != .sequence }
    return false
  }

  /// Several actions of one statement are done in this order, whatever order they are written in.
  private static func pass(_ action: AlterTableAction) -> Int {
    switch action.kind {
    case .dropColumn, .dropConstraint: 0
    case .setType: 1
    case .addColumn: 2
    case .setDefault, .dropDefault, .setNotNull, .dropNotNull, .dropExpression, .addIdentity,
      .setIdentity, .dropIdentity:
      3
    case .addConstraint(let constraint):
      switch constraint.kind {
      case .primaryKey, .unique: 4
      case .check, .foreignKey, .exclude: 5
      case .cardinality: 6
      }
    case .alterConstraint, .validateConstraint, .renameTo, .renameColumn, .renameConstraint,
      .setSchema, .ownerTo, .inherit, .options, .other:
      7
    }
  }

  /// The table as it stands after the actions before.
  private func current(_ id: ObjectID) throws(SQLError) -> TableDefinition {
    guard let table = catalog.tables[id] else { throw .internal("a table vanished") }
    return table
  }

  private mutating func alter(
    table id: ObjectID, _ action: AlterTableAction
  ) throws(SQLError) {
    let table = try current(id)
    switch action.kind {
    case .addColumn(let column, let ifNotExists):
      try addColumn(column, ifNotExists: ifNotExists, to: table)
    case .dropColumn(let name, let ifExists, let behavior):
      try dropColumn(name, ifExists: ifExists, behavior, from: table)
    case .setType(let name, let type, let collation, let using):
      try setType(of: name, to: type, collation, using: using, in: table)
    case .setDefault, .dropDefault, .setNotNull, .dropNotNull, .dropExpression, .addIdentity,
      .setIdentity, .dropIdentity:
      try alterColumn(action, of: table)
    case .addConstraint(let constraint): try addConstraint(constraint, to: table)
    case .alterConstraint(let name, let timing):
      try alterConstraint(name, timing, of: table)
    case .validateConstraint(let name): try validateConstraint(name, of: table)
    case .dropConstraint(let name, let ifExists, let behavior):
      try dropConstraint(name, ifExists: ifExists, behavior, from: table)
    case .renameTo(let name): try rename(table, to: name)
    case .renameColumn(let name, let new): try renameColumn(name, to: new, of: table)
    case .renameConstraint(let name, let new): try renameConstraint(name, to: new, of: table)
    case .setSchema(let schema): try move(table, to: schema)
    case .inherit(let parent, let isAdded):
      try setParent(parent, of: table, isAdded: isAdded)
    case .options(_, let column?, _): _ = try columnIndex(column, of: table)
    case .ownerTo, .options: break
    case .other(let words) where Self.hints.contains(words): break
    case .other(let words): throw .unsupported("ALTER TABLE \(words)", at: action.range)
    }
  }

  /// What says how PostgreSQL should lay out or copy rows, and means nothing to the answers.
  private static let hints: Set<String> = [
    "REPLICA IDENTITY", "SET WITHOUT", "CLUSTER ON",
  ]

  func columnIndex(_ name: Identifier, of table: TableDefinition) throws(SQLError) -> Int {
    if let index = table.column(named: name.name) { return index }
    throw SQLError(
      .undefinedColumn,
      "column \"\(name.name)\" of relation \"\(table.name.name)\" does not exist")
  }

  // MARK: Columns

  private mutating func addColumn(
    _ column: ColumnDefinition, ifNotExists: Bool, to table: TableDefinition
  ) throws(SQLError) {
    let subject = "column \"\(column.name.name)\" of relation \"\(table.name.name)\""
    if ifNotExists, table.column(named: column.name.name) != nil {
      notice("\(subject) already exists, skipping", state: .duplicateColumn)
      return
    }
    var building = TableBuilding(table: table)
    try add(column, to: &building, isAlteration: true)
    try makeSequences(&building)
    let plain = building.table
    let added = try complete(&building)
    let index = table.columns.count
    let isKey = added.keys.contains { building.table.keys[$0].isPrimary }
    var stored = plain
    stored.columns = building.table.columns
    try addStoredColumn(stored, index)
    if building.table.columns[index].isNotNull || isKey {
      try checkNoNulls(stored, index)
    }
    try install(building.table, added)
  }

  private mutating func dropColumn(
    _ name: Identifier, ifExists: Bool, _ behavior: DropBehavior, from table: TableDefinition
  ) throws(SQLError) {
    guard table.column(named: name.name) != nil else {
      if ifExists {
        notice(
          "column \"\(name.name)\" of relation \"\(table.name.name)\" does not exist, skipping")
        return
      }
      throw SQLError(
        .undefinedColumn,
        "column \"\(name.name)\" of relation \"\(table.name.name)\" does not exist")
    }
    try drop([.column(table: table.id, name: name.name)], behavior: behavior)
  }

  private mutating func alterColumn(
    _ action: AlterTableAction, of original: TableDefinition
  ) throws(SQLError) {
    var table = original
    let relation = "of relation \"\(table.name.name)\""
    switch action.kind {
    case .setDefault(let name, let expression):
      let index = try columnIndex(name, of: table)
      try refuseComputed(table.columns[index], relation)
      table.columns[index].defaultValue = try columnDefault(expression, table.columns[index])
    case .dropDefault(let name):
      let index = try columnIndex(name, of: table)
      try refuseComputed(table.columns[index], relation)
      table.columns[index].defaultValue = nil
    case .setNotNull(let name):
      let index = try columnIndex(name, of: table)
      if !table.columns[index].isNotNull { try checkNoNulls(table, index) }
      table.columns[index].isNotNull = true
    case .dropNotNull(let name):
      let index = try columnIndex(name, of: table)
      if table.columns[index].identity != nil {
        throw SQLError(
          .syntaxError, "column \"\(name.name)\" \(relation) is an identity column")
      }
      if table.primaryKey?.columns.contains(index) == true {
        throw SQLError(.invalidTableDefinition, "column \"\(name.name)\" is in a primary key")
      }
      table.columns[index].isNotNull = false
    case .dropExpression(let name, let ifExists):
      let index = try columnIndex(name, of: table)
      if table.columns[index].generated == nil {
        let message = "column \"\(name.name)\" \(relation) is not a stored generated column"
        guard ifExists else { throw SQLError(.objectNotInPrerequisiteState, message) }
        notice(message + ", skipping")
        return
      }
      table.columns[index].generated = nil
    case .addIdentity(let name, let isAlways, let options):
      try addIdentity(name, isAlways, options, to: &table)
    case .setIdentity(let name, let isAlways, let options):
      let index = try columnIndex(name, of: table)
      guard table.columns[index].identity != nil else {
        throw SQLError(
          .objectNotInPrerequisiteState,
          "column \"\(name.name)\" \(relation) is not an identity column")
      }
      try setIdentity(of: &table.columns[index], isAlways, options)
    case .dropIdentity(let name, let ifExists):
      let index = try columnIndex(name, of: table)
      guard table.columns[index].identity != nil else {
        let message = "column \"\(name.name)\" \(relation) is not an identity column"
        guard ifExists else { throw SQLError(.objectNotInPrerequisiteState, message) }
        notice(message + ", skipping")
        return
      }
      if case .sequence(let id) = table.columns[index].defaultValue {
        transaction.catalog.removeSequence(id)
      }
      table.columns[index].identity = nil
      table.columns[index].defaultValue = nil
    case .addColumn, .dropColumn, .setType, .addConstraint, .alterConstraint, .validateConstraint,
      .dropConstraint, .renameTo, .renameColumn, .renameConstraint, .setSchema, .ownerTo, .inherit,
      .options, .other:
      return
    }
    transaction.catalog.put(table)
  }

  private mutating func setIdentity(
    of column: inout TableColumn, _ isAlways: Bool?, _ options: [SequenceOption]
  ) throws(SQLError) {
    if let isAlways { column.identity = isAlways ? .always : .byDefault }
    if case .sequence(let id) = column.defaultValue, var sequence = catalog.sequences[id],
      !options.isEmpty
    {
      try alter(&sequence, options)
    }
  }

  private func refuseComputed(_ column: TableColumn, _ relation: String) throws(SQLError) {
    if column.identity != nil {
      throw SQLError(
        .syntaxError, "column \"\(column.name)\" \(relation) is an identity column")
    }
    if column.generated != nil {
      throw SQLError(
        .syntaxError, "column \"\(column.name)\" \(relation) is a generated column")
    }
  }

  private func addIdentity(
    _ name: Identifier, _ isAlways: Bool, _ options: [SequenceOption],
    to table: inout TableDefinition
  ) throws(SQLError) {
    let index = try columnIndex(name, of: table)
    let column = table.columns[index]
    let subject = "column \"\(name.name)\" of relation \"\(table.name.name)\""
    guard column.type.isInteger else {
      throw SQLError(
        .invalidParameterValue, "identity column type must be smallint, integer, or bigint")
    }
    guard column.isNotNull else {
      throw SQLError(
        .objectNotInPrerequisiteState,
        "\(subject) must be declared NOT NULL before identity can be added")
    }
    if column.identity != nil {
      throw SQLError(.objectNotInPrerequisiteState, "\(subject) is already an identity column")
    }
    if column.defaultValue != nil {
      throw SQLError(.objectNotInPrerequisiteState, "\(subject) already has a default value")
    }
    var building = TableBuilding(table: table)
    building.sequences.append(
      TableBuilding.PendingSequence(column: index, type: column.type, options: options))
    try makeSequences(&building)
    table = building.table
    table.columns[index].identity = isAlways ? .always : .byDefault
  }

  /// Takes a column away, with the constraints and indices of the table that use it.
  func removeColumn(_ name: String, from original: TableDefinition) throws(SQLError) {
    guard let index = original.column(named: name) else { return }
    var table = original
    table.columns.remove(at: index)
    func shifted(_ columns: [Int]) -> [Int] { columns.map { $0 > index ? $0 - 1 : $0 } }
    table.keys = table.keys.filter { !$0.columns.contains(index) }
    table.foreignKeys = table.foreignKeys.filter {
      !$0.columns.contains(index)
        && !($0.parent == original.id && $0.parentColumns.contains(index))
    }
    table.cardinalities.removeAll { $0.columns.contains(index) }
    table.removeLoneCardinalities()
    table.checks = table.checks.filter { check in
      !check.expression.columnNames.contains { $0.name == name }
    }
    table.indexes = table.indexes.filter { !$0.uses(index, named: name) }
    for key in table.keys.indices { table.keys[key].columns = shifted(table.keys[key].columns) }
    for place in table.cardinalities.indices {
      table.cardinalities[place].columns = shifted(table.cardinalities[place].columns)
    }
    for key in table.foreignKeys.indices {
      table.foreignKeys[key].columns = shifted(table.foreignKeys[key].columns)
      table.foreignKeys[key].onDelete = table.foreignKeys[key].onDelete.mapping(shifted)
      table.foreignKeys[key].onUpdate = table.foreignKeys[key].onUpdate.mapping(shifted)
      if table.foreignKeys[key].parent == table.id {
        table.foreignKeys[key].parentColumns = shifted(table.foreignKeys[key].parentColumns)
      }
    }
    for position in table.indexes.indices {
      table.indexes[position].keys = table.indexes[position].keys.map { key in
        guard case .column(let column, let isDescending) = key else { return key }
        return .column(shifted([column])[0], isDescending: isDescending)
      }
    }
    for entry in catalog.foreignKeys(to: table.id) where entry.child.id != table.id {
      // Read again, as it may refer to the table by more than one key.
      guard var child = catalog.tables[entry.child.id] else { continue }
      child.foreignKeys[entry.index].parentColumns = shifted(entry.key.parentColumns)
      transaction.catalog.put(child)
    }
    for sequence in catalog.sequences.values {
      guard let owner = sequence.owner, owner.table == table.id, owner.column > index else {
        continue
      }
      var moved = sequence
      moved.owner = (owner.table, owner.column - 1)
      transaction.catalog.put(moved)
    }
    removeColumnFromGraphs(index, of: table.id)
    try transaction.removeColumn(index, newDefinition: table)
  }
}

extension ReferentialAction {
  func mapping(_ transform: ([Int]) -> [Int]) -> ReferentialAction {
    switch self {
    case .setNull(let columns): .setNull(transform(columns))
    case .setDefault(let columns): .setDefault(transform(columns))
    case .noAction, .restrict, .cascade: self
    }
  }
}

extension IndexDefinition {
  /// Whether the index has something to do with a column.
  func uses(_ index: Int, named name: String) -> Bool {
    if predicate?.columnNames.contains(where: { $0.name == name }) == true { return true }
    return keys.contains { key in
      switch key {
      case .column(let column, _): column == index
      case .expression(let expression, _):
        expression.columnNames.contains { $0.name == name }
      }
    }
  }
}
