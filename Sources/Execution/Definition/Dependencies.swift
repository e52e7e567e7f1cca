import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// An object, or a part of one, that DROP takes away.
enum DroppedObject: Hashable {
  case table(ObjectID)
  case view(ObjectID)
  case sequence(ObjectID)
  case graph(ObjectID)
  /// An element table, by the name that it goes by in the graph.
  case graphElement(ObjectID, String)
  case graphLabel(ObjectID, element: String, String)
  /// A property of a label, in all elements that have the label.
  case graphProperty(ObjectID, label: String, String)
  case function(ObjectID)
  case type(ObjectID)
  case constraint(table: ObjectID, name: String)
  case domainCheck(ObjectID, name: String)
  /// An index that is no key.
  case index(table: ObjectID, name: String)
  case column(table: ObjectID, name: String)
  /// The default of a column of a table or view.
  case defaultValue(table: ObjectID, column: String)
}

/// An object that depends on one that is dropped.
struct Dependent {
  var object: DroppedObject
  /// What it depends on, as a message describes it.
  var cause: String
  /// Whether it goes along without being asked: a sequence owned by a column.
  var isAutomatic: Bool
}

extension DefinitionExecutor {
  /// The object in the words of a message, such as `view v`.
  func describe(_ object: DroppedObject) -> String {
    switch object {
    case .table(let id):
      let kind = catalog.tables[id]?.materialized == nil ? "table" : "materialized view"
      return "\(kind) \(catalog.tables[id].map { shown($0.name) } ?? "")"
    case .view(let id): return "view \(catalog.views[id].map { shown($0.name) } ?? "")"
    case .sequence(let id):
      return "sequence \(catalog.sequences[id].map { shown($0.name) } ?? "")"
    case .graph(let id): return describe(graph: id)
    case .graphElement(let id, let name):
      let isEdge = catalog.graphs[id]?.edges.contains { $0.name == name } ?? false
      return "\(isEdge ? "edge" : "vertex") \(name) of \(describe(graph: id))"
    case .graphLabel(let id, let element, let name):
      return "label \(name) of \(describe(.graphElement(id, element)))"
    case .graphProperty(let id, let label, let name):
      return "property \(name) of label \(label) of \(describe(graph: id))"
    case .function(let id):
      guard let function = catalog.functions[id] else { return "function" }
      return "function \(signature(of: function))"
    case .type(let id): return "type \(catalog.types[id].map { shown($0.name) } ?? "")"
    case .constraint(let table, let name):
      return "constraint \(name) on table \(catalog.tables[table].map { shown($0.name) } ?? "")"
    case .domainCheck(_, let name): return "constraint \(name)"
    case .index(let table, let name):
      let schema = catalog.tables[table]?.name.schema ?? ""
      return "index \(shown(ObjectName(schema: schema, name)))"
    case .column(let table, let name):
      return "column \(name) of table \(catalog.tables[table].map { shown($0.name) } ?? "")"
    case .defaultValue(let table, let column):
      let owner = catalog.views[table] == nil ? DroppedObject.table(table) : .view(table)
      return "default value for column \(column) of \(describe(owner))"
    }
  }

  private func describe(graph id: ObjectID) -> String {
    "property graph \(catalog.graphs[id].map { shown($0.name) } ?? "")"
  }

  func signature(of function: FunctionDefinition) -> String {
    let types = function.parameters.map { $0.type.type.name }.joined(separator: ",")
    return "\(shown(function.name))(\(types))"
  }

  /// The materialized views whose query uses an object.
  func materialized(on id: ObjectID) -> [TableDefinition] {
    sortedTables.filter { $0.materialized?.dependencies.contains(id) == true && $0.id != id }
  }

  /// The objects that depend directly on one.
  func dependents(of object: DroppedObject) -> [Dependent] {
    let cause = describe(object)
    var found: [Dependent] = []
    func add(_ object: DroppedObject, automatic: Bool = false) {
      found.append(Dependent(object: object, cause: cause, isAutomatic: automatic))
    }
    switch object {
    case .table(let id), .view(let id), .graph(let id):
      for table in materialized(on: id) { add(.table(table.id)) }
    case .sequence, .constraint, .domainCheck, .index, .column, .defaultValue, .function,
      .type, .graphElement, .graphLabel, .graphProperty:
      break
    }
    switch object {
    case .table(let id):
      for child in catalog.children(of: id) { add(.table(child.id)) }
      for sequence in sortedSequences where sequence.owner?.table == id {
        add(.sequence(sequence.id), automatic: true)
      }
      for entry in catalog.foreignKeys(to: id) where entry.child.id != id {
        add(.constraint(table: entry.child.id, name: entry.key.name))
      }
      for view in views(on: id) { add(.view(view.id)) }
      addRowTypeUsers(of: id, add: { add($0) })
      addElements(over: id, add: { add($0) })
    case .view(let id), .graph(let id):
      for view in views(on: id) { add(.view(view.id)) }
    case .sequence(let id): addDefaults(of: id, add: { add($0) })
    case .graphElement(let id, let name): addEdges(at: name, of: id, add: { add($0) })
    case .function(let id):
      addUsers(of: id, add: { add($0) })
      addProperties(add: { add($0) }) { property in
        guard case .expression(let expression) = property.value else { return false }
        return expression.functionNames.contains {
          $0.name == catalog.functions[id]?.name.name
        }
      }
    case .type(let id):
      guard let type = catalog.types[id] else { break }
      for table in sortedTables {
        for column in table.columns
        where type.isUsed(by: column.type) || column.domain == id {
          add(.column(table: table.id, name: column.name))
        }
      }
      addUsers(of: id, add: { add($0) })
      for function in sortedFunctions where uses(function, type) { add(.function(function.id)) }
      addProperties(add: { add($0) }) { property in
        guard case .expression = property.value else { return false }
        return type.isUsed(by: property.type.type)
      }
    case .constraint(let tableID, let name):
      if let table = catalog.tables[tableID] { addCounters(of: name, table, add: { add($0) }) }
      guard let table = catalog.tables[tableID],
        let key = table.keys.first(where: { $0.name == name })
      else { break }
      addReferences(to: table, key) { child in
        found.append(
          Dependent(
            object: child, cause: "index \(shown(ObjectName(schema: table.name.schema, key.name)))",
            isAutomatic: false))
      }
      if key.isPrimary { addGroupings(by: key, of: table, add: { add($0) }) }
    case .column(let tableID, let name):
      addUsers(of: name, tableID, add: { add($0, automatic: $1) })
    case .defaultValue, .domainCheck, .index, .graphLabel, .graphProperty: break
    }
    return found
  }

  /// Foreign keys that rest on a key of their parent.
  private func addReferences(
    to table: TableDefinition, _ key: KeyConstraint, add: (DroppedObject) -> Void
  ) {
    let others = table.keys.filter { $0.name != key.name }
    for entry in catalog.foreignKeys(to: table.id) {
      let columns = Set(entry.key.parentColumns)
      guard columns == Set(key.columns), !others.contains(where: { Set($0.columns) == columns })
      else { continue }
      add(.constraint(table: entry.child.id, name: entry.key.name))
    }
  }

  /// Views that hand out columns which only the primary key among their GROUP BY settles.
  ///
  /// Which these are is not written down: they are bound without the key.
  private func addGroupings(
    by key: KeyConstraint, of table: TableDefinition, add: (DroppedObject) -> Void
  ) {
    let (views, tables) = (views(on: table.id), materialized(on: table.id))
    if views.isEmpty, tables.isEmpty { return }
    var bare = table
    bare.keys.removeAll { $0.name == key.name }
    var trial = catalog
    trial.put(bare)
    for view in changed(views, tables, in: trial) { add(view) }
  }

  private func addDefaults(of sequence: ObjectID, add: (DroppedObject) -> Void) {
    for table in sortedTables {
      for column in table.columns {
        if case .sequence(let used) = column.defaultValue, used == sequence {
          add(.defaultValue(table: table.id, column: column.name))
        } else if case .expression(let expression) = column.defaultValue,
          let definition = catalog.sequences[sequence],
          expression.mentions(sequence: definition.name)
        {
          add(.defaultValue(table: table.id, column: column.name))
        }
      }
    }
  }

  private func addRowTypeUsers(of table: ObjectID, add: (DroppedObject) -> Void) {
    guard let name = catalog.tables[table]?.name.name else { return }
    for function in sortedFunctions {
      var isUser = function.parameters.contains { $0.type.type.isRow(named: name) }
      switch function.result {
      case .scalar(let type), .set(let type): isUser = isUser || type.type.isRow(named: name)
      case .table(let record, _): isUser = isUser || record.name == name
      case .void: break
      }
      if isUser { add(.function(function.id)) }
    }
  }

  /// What uses a column: owned sequences, other tables' foreign keys, views, generated columns.
  private func addUsers(
    of name: String, _ tableID: ObjectID, add: (DroppedObject, Bool) -> Void
  ) {
    guard let table = catalog.tables[tableID], let index = table.column(named: name) else { return }
    for sequence in sortedSequences
    where sequence.owner?.table == tableID && sequence.owner?.column == index {
      add(.sequence(sequence.id), true)
    }
    for entry in catalog.foreignKeys(to: tableID) where entry.key.parentColumns.contains(index) {
      if entry.child.id == tableID, entry.key.columns.contains(index) { continue }
      add(.constraint(table: entry.child.id, name: entry.key.name), false)
    }
    for column in table.columns where column.name != name {
      if column.generated?.columnNames.contains(where: { $0.name == name }) == true {
        add(.column(table: tableID, name: column.name), false)
      }
    }
    addGraphParts(using: name, at: index, of: tableID) { add($0, false) }
    for view in views(on: tableID)
    where view.query.columnNames.contains(where: { $0.name == name })
      || view.query.selectsEverything(of: table.name.name)
    {
      add(.view(view.id), false)
    }
    for other in materialized(on: tableID) {
      guard let query = other.materialized?.query else { continue }
      if query.columnNames.contains(where: { $0.name == name })
        || query.selectsEverything(of: table.name.name)
      {
        add(.table(other.id), false)
      }
    }
  }

  private var sortedTables: [TableDefinition] { catalog.tables.values.sorted { $0.id < $1.id } }
  private var sortedSequences: [SequenceDefinition] {
    catalog.sequences.values.sorted { $0.id < $1.id }
  }
  private var sortedFunctions: [FunctionDefinition] {
    catalog.functions.values.sorted { $0.id < $1.id }
  }

  func views(on id: ObjectID) -> [ViewDefinition] {
    catalog.views.values.filter { $0.dependencies.contains(id) && $0.id != id }
      .sorted { $0.id < $1.id }
  }

  private func uses(_ function: FunctionDefinition, _ type: TypeDefinition) -> Bool {
    if function.parameters.contains(where: { type.isUsed(by: $0.type.type) }) { return true }
    switch function.result {
    case .scalar(let result), .set(let result): return type.isUsed(by: result.type)
    case .table(let record, _):
      return type.isUsed(by: .record(record))
        || record.fields.contains { type.isUsed(by: $0.type) }
    case .void: return false
    }
  }
}

extension LogicalType {
  /// Whether the type is the row of a table or composite type of this name, or an array of such rows.
  fileprivate func isRow(named name: String) -> Bool {
    if case .record(let record) = self {
      record.name == name
    } else if case .array(let element) = self {
      element.isRow(named: name)
    } else {
      false
    }
  }
}

extension Expression {
  /// Whether a call such as `nextval('s')` names the sequence.
  fileprivate func mentions(sequence: ObjectName) -> Bool {
    guard case .function(let call) = kind, call.name.name == "nextval",
      let first = call.arguments.first?.value
    else { return false }
    var argument = first
    while case .cast(let inner, _) = argument.kind { argument = inner }
    guard case .literal(.string(let text)) = argument.kind else { return false }
    return text == sequence.name || text == "\(sequence.schema).\(sequence.name)"
  }
}

extension SelectStatement {
  /// Whether the outermost list of the query takes all columns of a table by `*`.
  fileprivate func selectsEverything(of table: String) -> Bool {
    switch body {
    case .table(let named): return named.name.name == table
    case .select(let core):
      return core.items.contains { item in
        switch item.kind {
        case .all, .allColumns: true
        case .allFields, .expression: false
        }
      }
    case .parenthesised(let inner): return inner.selectsEverything(of: table)
    case .values, .setOperation: return false
    }
  }
}
