import Diagnostics
import SQLSyntax

extension CatalogWriter {
  mutating func write(_ table: TableDefinition) {
    write(table.id)
    write(table.name)
    write(list: table.columns) { $0.write($1) }
    write(list: table.keys) { $0.write($1) }
    write(list: table.foreignKeys) { $0.write($1) }
    write(list: table.checks) { $0.write($1) }
    write(list: table.indexes) { $0.write($1) }
    write(list: table.parents) { $0.write($1) }
    write(optional: table.materialized) { writer, materialized in
      writer.write(materialized.query)
      writer.write(ids: materialized.dependencies)
      writer.write(materialized.isPopulated)
    }
    write(optional: table.comment) { $0.write($1) }
    write(list: table.cardinalities) { $0.write($1) }
  }

  private mutating func write(_ cardinality: CardinalityConstraint) {
    write(cardinality.name)
    write(places: cardinality.columns)
    write(place: cardinality.bounds.lowerBound)
    write(place: cardinality.bounds.upperBound)
  }

  private mutating func write(_ column: TableColumn) {
    write(column.name)
    write(column.columnType)
    write(column.isNotNull)
    write(optional: column.defaultValue) { writer, value in
      switch value {
      case .expression(let expression):
        writer.write(tag: 1)
        writer.write(expression)
      case .sequence(let id):
        writer.write(tag: 2)
        writer.write(id)
      }
    }
    write(optional: column.identity) { $0.write(tag: $1 == .always ? 1 : 2) }
    write(optional: column.generated) { $0.write($1) }
    write(optional: column.domain) { $0.write($1) }
    write(optional: column.comment) { $0.write($1) }
  }

  private mutating func write(_ deferral: ConstraintDeferral) {
    write(deferral.isDeferrable)
    write(deferral.isInitiallyDeferred)
  }

  private mutating func write(_ key: KeyConstraint) {
    write(key.name)
    write(places: key.columns)
    write(key.isPrimary)
    write(key.isIndexOnly)
    write(key.nullsNotDistinct)
    write(key.deferral)
  }

  private mutating func write(_ action: ReferentialAction) {
    switch action {
    case .noAction: write(tag: 1)
    case .restrict: write(tag: 2)
    case .cascade: write(tag: 3)
    case .setNull(let columns):
      write(tag: 4)
      write(places: columns)
    case .setDefault(let columns):
      write(tag: 5)
      write(places: columns)
    }
  }

  private mutating func write(_ key: ForeignKeyConstraint) {
    write(key.name)
    write(places: key.columns)
    write(key.parent)
    write(places: key.parentColumns)
    write(key.onDelete)
    write(key.onUpdate)
    write(key.isMatchFull)
    write(key.deferral)
    write(key.isValidated)
    write(key.isEnforced)
  }

  mutating func write(_ check: CheckConstraint) {
    write(check.name)
    write(check.expression)
  }

  private mutating func write(_ index: IndexDefinition) {
    write(index.name)
    write(list: index.keys) { writer, key in
      switch key {
      case .column(let column, let isDescending):
        writer.write(tag: 1)
        writer.write(place: column)
        writer.write(isDescending)
      case .expression(let expression, let isDescending):
        writer.write(tag: 2)
        writer.write(expression)
        writer.write(isDescending)
      }
    }
    write(index.isUnique)
    write(optional: index.predicate) { $0.write($1) }
    for place in index.keys.indices { write(index.collations[place]) }
  }
}

extension CatalogReader {
  mutating func table() throws(SQLError) -> TableDefinition {
    let id = try id()
    let name = try name()
    var table = TableDefinition(
      id: id, name: name,
      columns: try list { reader throws(SQLError) in try reader.column() },
      keys: try list { reader throws(SQLError) in try reader.key() },
      foreignKeys: try list { reader throws(SQLError) in try reader.foreignKey() },
      checks: try list { reader throws(SQLError) in try reader.check() },
      indexes: try list { reader throws(SQLError) in try reader.index() })
    table.parents = try list { reader throws(SQLError) in try reader.id() }
    table.materialized = try optional { reader throws(SQLError) in
      let query = try reader.query()
      let dependencies = try reader.ids()
      return MaterializedQuery(
        query: query, dependencies: dependencies, isPopulated: try reader.flag())
    }
    table.comment = try optional { reader throws(SQLError) in try reader.text() }
    if format >= CatalogFormat.cardinalities {
      table.cardinalities = try list { reader throws(SQLError) in try reader.cardinality() }
    }
    return table
  }

  private mutating func cardinality() throws(SQLError) -> CardinalityConstraint {
    let name = try text()
    let columns = try places()
    let low = try place()
    let high = try place()
    guard low <= high else { throw damage("the bounds of \"\(name)\" are the wrong way round") }
    return CardinalityConstraint(name: name, columns: columns, bounds: low...high)
  }

  private mutating func column() throws(SQLError) -> TableColumn {
    let name = try text()
    let type = try columnType()
    var column = TableColumn(name: name, columnType: type, isNotNull: try flag())
    column.defaultValue = try optional { reader throws(SQLError) in
      switch try reader.tag() {
      case 1: .expression(try reader.expression())
      case 2: .sequence(try reader.id())
      case let tag: throw reader.damage("\(tag) is no default's tag")
      }
    }
    column.identity = try optional { reader throws(SQLError) in
      switch try reader.tag() {
      case 1: .always
      case 2: .byDefault
      case let tag: throw reader.damage("\(tag) is no identity's tag")
      }
    }
    column.generated = try optional { reader throws(SQLError) in try reader.expression() }
    column.domain = try optional { reader throws(SQLError) in try reader.id() }
    column.comment = try optional { reader throws(SQLError) in try reader.text() }
    return column
  }

  private mutating func deferral() throws(SQLError) -> ConstraintDeferral {
    let isDeferrable = try flag()
    return ConstraintDeferral(isDeferrable: isDeferrable, isInitiallyDeferred: try flag())
  }

  private mutating func key() throws(SQLError) -> KeyConstraint {
    let name = try text()
    let columns = try places()
    let isPrimary = try flag()
    let isIndexOnly = try flag()
    let nullsNotDistinct = try flag()
    return KeyConstraint(
      name: name, columns: columns, isPrimary: isPrimary, isIndexOnly: isIndexOnly,
      nullsNotDistinct: nullsNotDistinct, deferral: try deferral())
  }

  private mutating func action() throws(SQLError) -> ReferentialAction {
    switch try tag() {
    case 1: .noAction
    case 2: .restrict
    case 3: .cascade
    case 4: .setNull(try places())
    case 5: .setDefault(try places())
    case let tag: throw damage("\(tag) is no referential action's tag")
    }
  }

  private mutating func foreignKey() throws(SQLError) -> ForeignKeyConstraint {
    let name = try text()
    let columns = try places()
    let parent = try id()
    let parentColumns = try places()
    let onDelete = try action()
    let onUpdate = try action()
    let isMatchFull = try flag()
    var key = ForeignKeyConstraint(
      name: name, columns: columns, parent: parent, parentColumns: parentColumns,
      onDelete: onDelete, onUpdate: onUpdate, isMatchFull: isMatchFull, deferral: try deferral())
    key.isValidated = try flag()
    if format >= CatalogFormat.cardinalities { key.isEnforced = try flag() }
    return key
  }

  mutating func check() throws(SQLError) -> CheckConstraint {
    let name = try text()
    return CheckConstraint(name: name, expression: try expression())
  }

  private mutating func index() throws(SQLError) -> IndexDefinition {
    let name = try text()
    let keys: [IndexDefinition.Key] = try list { reader throws(SQLError) in
      switch try reader.tag() {
      case 1:
        let column = try reader.place()
        return .column(column, isDescending: try reader.flag())
      case 2:
        let expression = try reader.expression()
        return .expression(expression, isDescending: try reader.flag())
      case let tag: throw reader.damage("\(tag) is no index key's tag")
      }
    }
    let isUnique = try flag()
    var index = IndexDefinition(
      name: name, keys: keys, isUnique: isUnique,
      predicate: try optional { reader throws(SQLError) in try reader.expression() })
    for place in keys.indices { index.collations[place] = try collation() }
    return index
  }
}
