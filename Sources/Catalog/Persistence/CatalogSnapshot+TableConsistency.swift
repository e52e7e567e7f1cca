import Columnar
import Diagnostics

/// What tables hold to.
extension CatalogSnapshot {
  func check(_ table: TableDefinition) throws(SQLError) {
    let object = "table \"\(table.name.name)\""
    var names: Set<String> = []
    for column in table.columns {
      guard !column.name.isEmpty, names.insert(column.name).inserted else {
        throw inconsistency(object, "two of its columns are called \"\(column.name)\"")
      }
      try check(column, of: table, object)
    }
    for key in table.keys { try check(key, of: table, object) }
    guard table.keys.count(where: \.isPrimary) <= 1 else {
      throw inconsistency(object, "it has two primary keys")
    }
    for key in table.foreignKeys { try check(key, of: table, object) }
    for cardinality in table.cardinalities where table.foreignKey(of: cardinality) == nil {
      throw inconsistency(object, "\"\(cardinality.name)\" counts rows of no foreign key")
    }
    for index in table.indexes {
      let columns = index.keys.compactMap { key -> Int? in
        if case .column(let column, _) = key { return column }
        return nil
      }
      guard !index.keys.isEmpty, columns.allSatisfy(table.columns.indices.contains) else {
        throw inconsistency(object, "index \"\(index.name)\" is over columns that are not there")
      }
    }
    var parents: Set<ObjectID> = []
    for parent in table.parents {
      guard tables[parent] != nil, parents.insert(parent).inserted else {
        throw inconsistency(object, "it inherits from \(parent), which is no table or there twice")
      }
    }
    for id in table.materialized?.dependencies ?? [] where !hasObject(id) {
      throw inconsistency(object, "it is made of \(id), which is not there")
    }
  }

  private func check(
    _ column: TableColumn, of table: TableDefinition, _ object: String
  ) throws(SQLError) {
    let object = "column \"\(column.name)\" of \(object)"
    var heart = column.type
    while case .array(let element) = heart { heart = element }
    guard heart != .void, heart != .unknown || table.materialized != nil else {
      throw inconsistency(object, "its type is \(heart.name)")
    }
    if case .sequence(let id)? = column.defaultValue, sequences[id] == nil {
      throw inconsistency(object, "there is no sequence \(id)")
    }
    if column.identity != nil {
      guard column.type.isInteger, column.defaultValue != nil, column.generated == nil else {
        throw inconsistency(object, "it cannot be an identity")
      }
    }
    if let domain = column.domain {
      guard let definition = types[domain], case .domain = definition.kind else {
        throw inconsistency(object, "there is no domain \(domain)")
      }
    }
  }

  private func check(
    _ key: KeyConstraint, of table: TableDefinition, _ object: String
  ) throws(SQLError) {
    // An index, unlike a constraint, may name a column twice.
    guard !key.columns.isEmpty, key.columns.allSatisfy(table.columns.indices.contains),
      key.isIndexOnly || Set(key.columns).count == key.columns.count
    else {
      throw inconsistency(object, "key \"\(key.name)\" is over columns that are not there")
    }
  }

  private func check(
    _ key: ForeignKeyConstraint, of table: TableDefinition, _ object: String
  ) throws(SQLError) {
    let object = "foreign key \"\(key.name)\" of \(object)"
    guard let parent = tables[key.parent] else {
      throw inconsistency(object, "there is no table \(key.parent)")
    }
    guard !key.columns.isEmpty, key.columns.count == key.parentColumns.count,
      key.columns.allSatisfy(table.columns.indices.contains),
      key.parentColumns.allSatisfy(parent.columns.indices.contains)
    else { throw inconsistency(object, "it is over columns that are not there") }
    guard parent.isKey(key.parentColumns) else {
      throw inconsistency(object, "what it refers to is no key")
    }
    for (column, parentColumn) in zip(key.columns, key.parentColumns)
    where !Self.canBeEqual(table.columns[column].type, parent.columns[parentColumn].type) {
      throw inconsistency(object, "its columns cannot be compared with those that they refer to")
    }
    for action in [key.onDelete, key.onUpdate] {
      switch action {
      case .setNull(let columns), .setDefault(let columns):
        guard columns.allSatisfy(table.columns.indices.contains) else {
          throw inconsistency(object, "it sets columns that are not there")
        }
      case .noAction, .restrict, .cascade: break
      }
    }
  }

  /// Whether values of two types can be equal at all: numbers, texts and times among themselves.
  static func canBeEqual(_ left: LogicalType, _ right: LogicalType) -> Bool {
    if left.isNumeric { return right.isNumeric }
    if left.isString { return right.isString }
    if left.isDateOrTimestamp { return right.isDateOrTimestamp }
    if left.isBits { return right.isBits }
    return left == right
  }
}

extension LogicalType {
  fileprivate var isDateOrTimestamp: Bool {
    switch self {
    case .date, .timestamp, .timestamptz: true
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
      .character, .name, .bytea, .time, .timetz, .interval, .bit, .varbit, .uuid, .json, .jsonb,
      .oid, .array, .record, .enumeration, .unknown, .void:
      false
    }
  }

  fileprivate var isBits: Bool { self == .bit || self == .varbit }
}
