import Catalog
import Columnar
import Diagnostics
import Planning
import SQLSyntax

extension DefinitionExecutor {
  mutating func createIndex(_ statement: CreateIndexStatement) throws(SQLError) -> String {
    guard let found = relation(statement.table.name) else {
      throw missingRelation(statement.table.name).located(at: .none)
    }
    guard case .table(var table) = found else {
      throw SQLError(
        .wrongObjectType,
        "cannot create index on relation \"\(statement.table.name.name)\"",
        detail: "This operation is not supported for views.")
    }
    if let method = statement.method?.name,
      !["btree", "hash", "gin", "gist", "brin", "spgist"].contains(method)
    {
      throw SQLError(.undefinedObject, "access method \"\(method)\" does not exist")
    }
    if let name = statement.name?.name,
      catalog.isRelationNameTaken(ObjectName(schema: table.name.schema, name))
    {
      guard statement.ifNotExists else {
        throw SQLError(.duplicateTable, "relation \"\(name)\" already exists")
      }
      notice("relation \"\(name)\" already exists, skipping", state: .duplicateTable)
      return "CREATE INDEX"
    }
    let keys = try indexKeys(statement, table)
    if let filter = statement.filter {
      _ = try environment.bind(filter, as: .indexPredicate(table), in: catalog)
    }
    for name in statement.including {
      guard table.column(named: name.name) != nil else {
        throw SQLError(.undefinedColumn, "column \"\(name.name)\" does not exist", at: name.range)
      }
    }
    let name =
      statement.name?.name
      ?? freeRelationName(
        table.name.name, indexColumnPart(keys, table), "idx", schema: table.name.schema)
    let columns = keys.compactMap { key in
      if case .column(let column, _) = key { column } else { nil }
    }
    if statement.isUnique {
      guard columns.count == keys.count, statement.filter == nil else {
        throw .unsupported("a unique index over expressions or with WHERE", at: statement.range)
      }
      // Texts are equal if their bytes are, by whatever collation.
      _ = try collations(of: statement, keys, table)
      let key = KeyConstraint(
        name: name, columns: columns, isPrimary: false, isIndexOnly: true,
        nullsNotDistinct: statement.nullsNotDistinct)
      try transaction.checkUnique(table, key)
      table.keys.append(key)
    } else {
      var index = IndexDefinition(name: name, keys: keys, predicate: statement.filter)
      index.collations = try collations(of: statement, keys, table)
      table.indexes.append(index)
    }
    try transaction.setDefinition(table)
    return "CREATE INDEX"
  }

  /// The collations of keys where they are not those of the columns.
  private func collations(
    of statement: CreateIndexStatement, _ keys: [IndexDefinition.Key], _ table: TableDefinition
  ) throws(SQLError) -> [Int: Collation] {
    var found: [Int: Collation] = [:]
    for (place, (element, key)) in zip(statement.elements, keys).enumerated() {
      guard let name = element.collation else { continue }
      switch key {
      case .column(let column, _):
        let type = table.columns[column].columnType
        let collation = try collated(type, name).collation
        if collation != type.collation { found[place] = collation }
      case .expression: found[place] = try Collation.found(name)
      }
    }
    return found
  }

  private func indexKeys(
    _ statement: CreateIndexStatement, _ table: TableDefinition
  ) throws(SQLError) -> [IndexDefinition.Key] {
    var keys: [IndexDefinition.Key] = []
    for element in statement.elements {
      try checkOperatorClass(element, table)
      if case .column(let name) = element.expression.kind, name.parts.count == 1 {
        guard let column = table.column(named: name.name) else {
          throw SQLError(
            .undefinedColumn, "column \"\(name.name)\" does not exist", at: element.range)
        }
        if table.columns[column].type == .json, statement.method?.name ?? "btree" == "btree" {
          throw SQLError(
            .undefinedObject,
            "data type json has no default operator class for access method \"btree\"",
            hint: "You must specify an operator class for the index or define a default operator"
              + " class for the data type.")
        }
        keys.append(.column(column, isDescending: element.isDescending))
      } else {
        _ = try environment.bind(element.expression, as: .index(table), in: catalog)
        keys.append(.expression(element.expression, isDescending: element.isDescending))
      }
    }
    return keys
  }

  /// - Throws: 42704 for an operator class that does not exist, 42804 for one of another type.
  private func checkOperatorClass(
    _ element: IndexElement, _ table: TableDefinition
  ) throws(SQLError) {
    guard let name = element.operatorClass else { return }
    guard let types = Self.operatorClasses[name.name] else {
      guard name.name.hasSuffix("_ops") else {
        throw SQLError(
          .undefinedObject,
          "operator class \"\(name.name)\" does not exist for access method \"btree\"")
      }
      return
    }
    guard case .column(let column) = element.expression.kind, column.parts.count == 1,
      let index = table.column(named: column.name)
    else { return }
    let type = table.columns[index].type
    guard types.contains(type) else {
      throw SQLError(
        .datatypeMismatch,
        "operator class \"\(name.name)\" does not accept data type \(type.name)")
    }
  }

  /// The common operator classes, and the types that each accepts.
  private static let operatorClasses: [String: Set<LogicalType>] = [
    "bool_ops": [.boolean], "int2_ops": [.smallint], "int4_ops": [.integer],
    "int8_ops": [.bigint], "float4_ops": [.real], "float8_ops": [.double],
    "numeric_ops": [.numeric], "text_ops": [.text, .varchar], "varchar_ops": [.text, .varchar],
    "bpchar_ops": [.character], "name_ops": [.name], "bytea_ops": [.bytea],
    "text_pattern_ops": [.text, .varchar], "varchar_pattern_ops": [.text, .varchar],
    "bpchar_pattern_ops": [.character], "date_ops": [.date], "time_ops": [.time],
    "timestamp_ops": [.timestamp], "timestamptz_ops": [.timestamptz],
    "interval_ops": [.interval], "uuid_ops": [.uuid], "oid_ops": [.oid],
  ]

  /// The part of a generated index name that its keys give.
  func indexColumnPart(_ keys: [IndexDefinition.Key], _ table: TableDefinition) -> String {
    var names: [String] = []
    for key in keys {
      var base: String
      switch key {
      case .column(let column, _): base = table.columns[column].name
      case .expression(let expression, _):
        if case .function(let call) = expression.kind {
          base = call.name.name
        } else {
          base = "expr"
        }
      }
      // A name that occurs again gets a number.
      let plain = base
      var number = 1
      while names.contains(base) {
        base = "\(plain)\(number)"
        number += 1
      }
      names.append(base)
    }
    return GeneratedNames.columnPart(names)
  }

  /// The table that has an index or key of this name.
  private func indexOwner(_ name: QualifiedName) -> TableDefinition? {
    let schemas = name.qualifier.map { [$0] } ?? environment.searchPath
    for schema in schemas {
      if let id = catalog.indexTables[ObjectName(schema: schema, name.name)] {
        return catalog.tables[id]
      }
    }
    return nil
  }

  mutating func dropIndex(
    _ reference: ObjectReference, _ statement: DropStatement
  ) throws(SQLError) {
    let name = reference.name
    guard var table = indexOwner(name) else {
      if relation(name) != nil {
        throw SQLError(.wrongObjectType, "\"\(name.name)\" is not an index")
      }
      guard statement.ifExists else {
        throw SQLError(.undefinedObject, "index \"\(name.joined)\" does not exist")
      }
      notice("index \"\(name.name)\" does not exist, skipping")
      return
    }
    if let key = table.keys.first(where: { $0.name == name.name }) {
      guard key.isIndexOnly else {
        throw SQLError(
          .dependentObjectsStillExist,
          "cannot drop index \(name.name) because constraint \(name.name) on table"
            + " \(shown(table.name)) requires it",
          hint: "You can drop constraint \(name.name) on table \(shown(table.name)) instead.")
      }
      try drop([.constraint(table: table.id, name: key.name)], behavior: statement.behavior)
      return
    }
    table.indexes.removeAll { $0.name == name.name }
    try transaction.setDefinition(table)
  }

  mutating func alterIndex(_ statement: AlterTableStatement) throws(SQLError) -> String {
    let name = statement.name.name
    guard var table = indexOwner(name) else {
      guard statement.ifExists else { throw missingRelation(name) }
      notice("relation \"\(name.name)\" does not exist, skipping")
      return "ALTER INDEX"
    }
    for action in statement.actions {
      guard case .renameTo(let new) = action.kind else { continue }
      try checkFree(ObjectName(schema: table.name.schema, new.name))
      for index in table.keys.indices where table.keys[index].name == name.name {
        table.keys[index].name = new.name
      }
      for index in table.indexes.indices where table.indexes[index].name == name.name {
        table.indexes[index].name = new.name
      }
      transaction.catalog.put(table)
    }
    return "ALTER INDEX"
  }
}
