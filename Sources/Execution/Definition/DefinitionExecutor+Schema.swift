import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension DefinitionExecutor {
  mutating func createSchema(_ statement: CreateSchemaStatement) throws(SQLError) -> String {
    let name = statement.name?.name ?? statement.owner?.name ?? "public"
    if name.hasPrefix("pg_") {
      throw SQLError(
        SQLState("42939"), "unacceptable schema name \"\(name)\"",
        detail: "The prefix \"pg_\" is reserved for system schemas.")
    }
    if catalog.schemas.contains(name) {
      guard statement.ifNotExists else {
        throw SQLError(.duplicateSchema, "schema \"\(name)\" already exists")
      }
      notice("schema \"\(name)\" already exists, skipping", state: .duplicateSchema)
      return "CREATE SCHEMA"
    }
    transaction.catalog.addSchema(name)
    for element in statement.elements { _ = try run(qualified(element, with: name)) }
    return "CREATE SCHEMA"
  }

  /// A CREATE inside CREATE SCHEMA, with its object put into that schema.
  private func qualified(_ statement: Statement, with schema: String) -> Statement {
    func full(_ name: QualifiedName) -> QualifiedName {
      name.parts.count > 1
        ? name : QualifiedName([Identifier(schema)] + name.parts, at: name.range)
    }
    if case .createTable(var table) = statement {
      table.name = full(table.name)
      return .createTable(table)
    }
    if case .createView(var view) = statement {
      view.name = full(view.name)
      return .createView(view)
    }
    if case .createSequence(var sequence) = statement {
      sequence.name = full(sequence.name)
      return .createSequence(sequence)
    }
    if case .createIndex(var index) = statement {
      index.table.name = full(index.table.name)
      return .createIndex(index)
    }
    return statement
  }

  // MARK: Types

  mutating func createType(_ statement: CreateTypeStatement) throws(SQLError) -> String {
    let name = try newName(statement.name)
    if catalog.typeNames[name] != nil || catalog.relations[name] != nil {
      throw SQLError(.duplicateObject, "type \"\(name.name)\" already exists")
    }
    let kind: TypeDefinition.Kind
    switch statement.definition {
    case .enumeration(let labels):
      for (index, label) in labels.enumerated() {
        try checkLabel(label)
        if labels[..<index].contains(label) {
          throw SQLError(
            .duplicateObject, "enum label \"\(label)\" used more than once")
        }
      }
      kind = .enumeration(EnumerationType(name: name.name, labels: labels))
    case .composite(let columns):
      var fields: [RecordType.Field] = []
      for column in columns {
        if fields.contains(where: { $0.name == column.name.name }) {
          throw SQLError(
            .duplicateColumn, "column \"\(column.name.name)\" specified more than once")
        }
        let type = try environment.type(column.type, in: catalog).type
        try checkColumnType(type, of: column.name.name)
        fields.append(RecordType.Field(column.name.name, type))
      }
      kind = .composite(RecordType(name: name.name, fields: fields))
    case .other(let words): throw .unsupported("CREATE TYPE \(words)", at: statement.range)
    }
    transaction.catalog.put(
      TypeDefinition(id: transaction.makeID(), name: name, kind: kind))
    return "CREATE TYPE"
  }

  private func checkLabel(_ label: String) throws(SQLError) {
    guard label.utf8.count <= GeneratedNames.byteLimit else {
      throw SQLError(
        .invalidName, "invalid enum label \"\(label)\"",
        detail: "Labels must be \(GeneratedNames.byteLimit) bytes or less.")
    }
  }

  private func type(_ name: QualifiedName) throws(SQLError) -> TypeDefinition {
    if let type = catalog.type(
      schema: name.qualifier, named: name.name, searchPath: environment.searchPath)
    {
      return type
    }
    throw SQLError(.undefinedObject, "type \"\(name.joined)\" does not exist")
  }

  mutating func alterType(_ statement: AlterTypeStatement) throws(SQLError) -> String {
    for action in statement.actions {
      let definition = try type(statement.name)
      switch action {
      case .addValue(let label, let ifNotExists, let before, let after):
        try addValue(label, ifNotExists, before: before, after: after, to: definition)
      case .renameValue(let old, let new): try renameValue(old, to: new, of: definition)
      case .renameAttribute(let old, let new):
        guard case .composite(let record) = definition.kind,
          record.fields.contains(where: { $0.name == old.name })
        else {
          throw SQLError(
            .undefinedColumn,
            "attribute \"\(old.name)\" of relation \"\(definition.name.name)\" does not exist")
        }
        let fields = record.fields.map {
          RecordType.Field($0.name == old.name ? new.name : $0.name, $0.type)
        }
        try change(definition, to: .composite(RecordType(name: record.name, fields: fields)))
      case .addAttribute, .dropAttribute, .alterAttribute:
        throw .unsupported("ALTER TYPE of attributes", at: statement.range)
      }
    }
    return "ALTER TYPE"
  }

  private mutating func addValue(
    _ label: String, _ ifNotExists: Bool, before: String?, after: String?,
    to definition: TypeDefinition
  ) throws(SQLError) {
    let old = try enumeration(definition)
    try checkLabel(label)
    if old.labels.contains(label) {
      guard ifNotExists else {
        throw SQLError(.duplicateObject, "enum label \"\(label)\" already exists")
      }
      notice("enum label \"\(label)\" already exists, skipping", state: .duplicateObject)
      return
    }
    var labels = old.labels
    if let neighbour = before ?? after {
      guard let place = labels.firstIndex(of: neighbour) else {
        throw SQLError(
          .invalidParameterValue, "\"\(neighbour)\" is not an existing enum label")
      }
      labels.insert(label, at: before == nil ? place + 1 : place)
    } else {
      labels.append(label)
    }
    try change(definition, to: .enumeration(EnumerationType(name: old.name, labels: labels)))
  }

  private mutating func renameValue(
    _ label: String, to new: String, of definition: TypeDefinition
  ) throws(SQLError) {
    let old = try enumeration(definition)
    guard let place = old.labels.firstIndex(of: label) else {
      throw SQLError(.invalidParameterValue, "\"\(label)\" is not an existing enum label")
    }
    if old.labels.contains(new) {
      throw SQLError(.duplicateObject, "enum label \"\(new)\" already exists")
    }
    var labels = old.labels
    labels[place] = new
    try change(definition, to: .enumeration(EnumerationType(name: old.name, labels: labels)))
  }

  private func enumeration(_ definition: TypeDefinition) throws(SQLError) -> EnumerationType {
    if case .enumeration(let type) = definition.kind { return type }
    throw SQLError(.wrongObjectType, "\(definition.name.name) is not an enum")
  }

  private mutating func alterNamedType(
    _ definition: TypeDefinition, renamedTo name: String
  ) throws(SQLError) {
    var renamed = definition
    renamed.name.name = name
    if catalog.typeNames[renamed.name] != nil {
      throw SQLError(.duplicateObject, "type \"\(name)\" already exists")
    }
    transaction.catalog.put(renamed)
    switch definition.kind {
    case .enumeration(let type):
      try change(renamed, to: .enumeration(EnumerationType(name: name, labels: type.labels)))
    case .composite(let type):
      try change(renamed, to: .composite(RecordType(name: name, fields: type.fields)))
    case .domain: break
    }
  }

  mutating func alterNamedType(
    _ name: QualifiedName, _ action: AlterObjectStatement.Action
  ) throws(SQLError) {
    var definition = try type(name)
    switch action {
    case .renameTo(let new): try alterNamedType(definition, renamedTo: new.name)
    case .setSchema(let schema):
      guard catalog.schemas.contains(schema.name) else {
        throw SQLError(.invalidSchemaName, "schema \"\(schema.name)\" does not exist")
      }
      definition.name.schema = schema.name
      transaction.catalog.put(definition)
    case .ownerTo: break
    }
  }

  /// Replaces a type everywhere it is used: columns, views, functions.
  ///
  /// Values of an enumeration are indices of labels, so columns whose labels have moved are rewritten.
  private func change(
    _ definition: TypeDefinition, to kind: TypeDefinition.Kind
  ) throws(SQLError) {
    let change = TypeChange(from: definition.kind, to: kind)
    var changed = definition
    changed.kind = kind
    transaction.catalog.put(changed)
    for table in catalog.tables.values.sorted(by: { $0.id < $1.id }) {
      var copy = table
      var columns: [Int] = []
      for (index, column) in table.columns.enumerated() {
        guard let type = change.replacing(column.type) else { continue }
        copy.columns[index].columnType.type = type
        columns.append(index)
      }
      if columns.isEmpty { continue }
      for index in columns {
        var parts: [Vector] = []
        for chunk in try transaction.chunks(of: table.id) {
          parts.append(change.moved(chunk.columns[index], to: copy.columns[index].type))
        }
        var step = catalog.tables[table.id] ?? copy
        step.columns[index] = copy.columns[index]
        try transaction.replaceColumn(index, by: parts, newDefinition: step)
      }
    }
    for view in catalog.views.values {
      var copy = view
      var isChanged = false
      for index in copy.columnTypes.indices {
        if let type = change.replacing(copy.columnTypes[index].type) {
          copy.columnTypes[index].type = type
          isChanged = true
        }
      }
      if isChanged { transaction.catalog.put(copy) }
    }
    for graph in catalog.graphs.values {
      var copy = graph
      copy.changeElements { element in
        element.changeProperties { $0.type.type = change.replacing($0.type.type) ?? $0.type.type }
      }
      transaction.catalog.put(copy)
    }
    for function in catalog.functions.values {
      if let copy = change.replacing(function) { transaction.catalog.put(copy) }
    }
  }
}

/// The replacement of one user-defined type by its new form.
private struct TypeChange {
  private let old: LogicalType
  private let new: LogicalType
  /// For an enumeration the new index of each old label.
  private let indices: [Int32]?

  init(from: TypeDefinition.Kind, to: TypeDefinition.Kind) {
    old = Self.type(from)
    new = Self.type(to)
    if case .enumeration(let before) = old, case .enumeration(let after) = new {
      // A renamed label keeps its place, an inserted one moves those behind it.
      let isRename = before.labels.count == after.labels.count
      let moved = before.labels.enumerated().map { index, label in
        isRename ? Int32(index) : Int32(after.labels.firstIndex(of: label) ?? index)
      }
      indices = moved == moved.indices.map { Int32($0) } ? nil : moved
    } else {
      indices = nil
    }
  }

  private static func type(_ kind: TypeDefinition.Kind) -> LogicalType {
    switch kind {
    case .enumeration(let type): .enumeration(type)
    case .composite(let type): .record(type)
    case .domain(let type, _, _, _): type.type
    }
  }

  /// The type with the old one replaced; nil if it does not hold it.
  func replacing(_ type: LogicalType) -> LogicalType? {
    if type == old { return new }
    if case .array(let element) = type { return replacing(element).map { .array($0) } }
    return nil
  }

  func replacing(_ function: FunctionDefinition) -> FunctionDefinition? {
    var copy = function
    var isChanged = false
    for index in copy.parameters.indices {
      if let type = replacing(copy.parameters[index].type.type) {
        copy.parameters[index].type.type = type
        isChanged = true
      }
    }
    switch copy.result {
    case .scalar(var type):
      if let replaced = replacing(type.type) {
        type.type = replaced
        copy.result = .scalar(type)
        isChanged = true
      }
    case .set(var type):
      if let replaced = replacing(type.type) {
        type.type = replaced
        copy.result = .set(type)
        isChanged = true
      }
    case .table, .void: break
    }
    return isChanged ? copy : nil
  }

  /// The values under the new type.
  func moved(_ vector: Vector, to type: LogicalType) -> Vector {
    let flat = vector.flattened()
    if case .array = type {
      guard let child = flat.children.first else { return flat.retyped(type) }
      return Vector(
        type: type, count: flat.count, storage: flat.storage, validity: flat.validity,
        children: [moved(child, to: type.element ?? new)], heaps: flat.heaps)
    }
    guard let indices, case .enumeration = type else { return flat.retyped(type) }
    let values = flat.values(Int32.self)
    let result = Buffer<Int32>(zeroed: max(flat.count, 1))
    for row in 0..<flat.count where flat.validity.isValid(row) {
      let index = Int(values[row])
      result[row] = index < indices.count ? indices[index] : values[row]
    }
    return Vector(type, result, count: flat.count, validity: flat.validity)
  }
}
