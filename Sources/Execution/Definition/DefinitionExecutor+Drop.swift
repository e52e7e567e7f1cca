import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension DefinitionExecutor {
  mutating func drop(_ statement: DropStatement) throws(SQLError) -> String {
    let tag = "DROP \(statement.kind.rawValue)"
    var objects: [DroppedObject] = []
    for reference in statement.objects {
      switch statement.kind {
      case .table, .view, .sequence, .materializedView, .foreignTable, .propertyGraph:
        if let found = try relationToDrop(reference, statement) { objects.append(found) }
      case .index: try dropIndex(reference, statement)
      case .schema: objects += try schemaToDrop(reference, statement)
      case .type, .domain:
        if let found = try typeToDrop(reference, statement) { objects.append(found) }
      case .function, .procedure, .routine:
        if let found = try functionToDrop(reference, statement) { objects.append(found) }
      case .aggregate, .operator, .cast, .collation, .conversion, .column, .constraint, .database,
        .eventTrigger, .extension, .language, .policy, .publication, .role, .rule, .server,
        .statistics, .subscription, .tablespace, .textSearchConfiguration, .textSearchDictionary,
        .transform, .trigger, .accessMethod:
        throw .unsupported(tag, at: statement.range)
      }
    }
    try drop(objects, behavior: statement.behavior)
    if statement.kind == .schema {
      for reference in statement.objects { transaction.catalog.removeSchema(reference.name.name) }
    }
    return tag
  }

  /// Drops objects with all that depends on them, or refuses to.
  ///
  /// - Throws: 2BP01 if something depends on them and the behaviour is not CASCADE.
  mutating func drop(_ objects: [DroppedObject], behavior: DropBehavior) throws(SQLError) {
    var order: [DroppedObject] = []
    var known = Set(objects)
    var reasons: [(object: DroppedObject, cause: String)] = []
    for root in objects.reversed() {
      order.append(root)
      follow(dependents(of: root), &order, &known, &reasons)
    }
    while true {
      let users = dependents(ofGraphParts: order).filter { !known.contains($0.object) }
      if users.isEmpty { break }
      follow(
        users.map { Dependent(object: $0.object, cause: $0.cause, isAutomatic: false) }, &order,
        &known, &reasons)
    }
    // What came before the object that it is a part of goes along with that.
    reasons.removeAll { goesAlong($0.object, known) }
    if !reasons.isEmpty { try report(reasons, objects, behavior) }
    for object in order.reversed() { try remove(object) }
  }

  /// Adds objects and what depends on them, each before its own dependents, as PostgreSQL tells of them.
  ///
  /// A chain may be as long as there are views: it is followed by a loop.
  private func follow(
    _ first: [Dependent], _ order: inout [DroppedObject], _ known: inout Set<DroppedObject>,
    _ reasons: inout [(object: DroppedObject, cause: String)]
  ) {
    var waiting = Array(first.reversed())
    while let dependent = waiting.popLast() {
      guard known.insert(dependent.object).inserted else { continue }
      if case .constraint(let table, _) = dependent.object, known.contains(.table(table)) {
        order.append(dependent.object)
        continue
      }
      if goesAlong(dependent.object, known) { continue }
      order.append(dependent.object)
      if !dependent.isAutomatic { reasons.append((dependent.object, dependent.cause)) }
      waiting += dependents(of: dependent.object).reversed()
    }
  }

  /// Whether something is a part of what is dropped anyway.
  private func goesAlong(_ object: DroppedObject, _ known: Set<DroppedObject>) -> Bool {
    switch object {
    case .column(let table, _), .index(let table, _): known.contains(.table(table))
    case .domainCheck(let type, _): known.contains(.type(type))
    case .defaultValue(let owner, let column):
      known.contains(.table(owner)) || known.contains(.view(owner))
        || known.contains(.column(table: owner, name: column))
    case .graphElement(let graph, _): known.contains(.graph(graph))
    case .table, .view, .sequence, .graph, .graphLabel, .graphProperty, .function, .type,
      .constraint:
      false
    }
  }

  private mutating func report(
    _ reasons: [(object: DroppedObject, cause: String)], _ objects: [DroppedObject],
    _ behavior: DropBehavior
  ) throws(SQLError) {
    if behavior == .restrict {
      let details = reasons.map { "\(describe($0.object)) depends on \($0.cause)" }
      let message =
        objects.count == 1
        ? "cannot drop \(describe(objects[0])) because other objects depend on it"
        : "cannot drop desired object(s) because other objects depend on them"
      throw SQLError(
        .dependentObjectsStillExist, message, detail: details.joined(separator: "\n"),
        hint: "Use DROP ... CASCADE to drop the dependent objects too.")
    }
    noteCascade(to: reasons.map(\.object))
  }

  /// Tells what else goes.
  private mutating func noteCascade(to objects: [DroppedObject]) {
    let details = objects.map { "drop cascades to \(describe($0))" }
    if details.count == 1 {
      notice(details[0])
    } else {
      notice(
        "drop cascades to \(details.count) other objects",
        detail: details.joined(separator: "\n"))
    }
  }

  private mutating func remove(_ object: DroppedObject) throws(SQLError) {
    switch object {
    case .table(let id): transaction.dropTable(id)
    case .view(let id): transaction.catalog.removeView(id)
    case .sequence(let id): transaction.catalog.removeSequence(id)
    case .graph(let id): transaction.catalog.removeGraph(id)
    case .graphElement(let id, _), .graphLabel(let id, _, _), .graphProperty(let id, _, _):
      if let graph = catalog.graphs[id] { transaction.catalog.put(graph.without(object)) }
    case .function(let id): transaction.catalog.removeFunction(id)
    case .type(let id): transaction.catalog.removeType(id)
    case .constraint(let table, let name):
      if let definition = catalog.tables[table] {
        try removeConstraint(name, from: definition)
      }
    case .domainCheck(let id, let name): try removeCheck(name, ofDomain: id)
    case .index(let table, let name):
      if var definition = catalog.tables[table] {
        definition.indexes.removeAll { $0.name == name }
        try transaction.setDefinition(definition)
      }
    case .column(let table, let name):
      if let definition = catalog.tables[table] { try removeColumn(name, from: definition) }
    case .defaultValue(let id, let column):
      if var view = catalog.views[id], let index = view.columnNames.firstIndex(of: column) {
        view.columnDefaults[index] = nil
        transaction.catalog.put(view)
      }
      guard var definition = catalog.tables[id], let index = definition.column(named: column)
      else { return }
      definition.columns[index].defaultValue = nil
      transaction.catalog.put(definition)
    }
  }

  // MARK: Finding what is named

  private mutating func relationToDrop(
    _ reference: ObjectReference, _ statement: DropStatement
  ) throws(SQLError) -> DroppedObject? {
    let name = reference.name
    let word = statement.kind.rawValue.lowercased()
    if let schema = name.qualifier, !catalog.schemas.contains(schema),
      schema != Self.temporarySchema
    {
      guard statement.ifExists else {
        throw SQLError(.invalidSchemaName, "schema \"\(schema)\" does not exist")
      }
      notice("schema \"\(schema)\" does not exist, skipping")
      return nil
    }
    guard let found = relation(name) else {
      guard statement.ifExists else {
        throw SQLError(.undefinedTable, "\(word) \"\(name.joined)\" does not exist")
      }
      notice("\(word) \"\(name.name)\" does not exist, skipping")
      return nil
    }
    switch (found, statement.kind) {
    case (.table(let table), .materializedView) where table.materialized != nil:
      return .table(table.id)
    case (.table(let table), .table) where table.materialized == nil: return .table(table.id)
    case (.view(let view), .view): return .view(view.id)
    case (.sequence(let sequence), .sequence): return .sequence(sequence.id)
    case (.graph(let graph), .propertyGraph): return .graph(graph.id)
    case (.table, _), (.view, _), (.sequence, _), (.graph, _):
      let hint: String
      switch found {
      case .table(let table):
        hint =
          table.materialized == nil
          ? "Use DROP TABLE to remove a table."
          : "Use DROP MATERIALIZED VIEW to remove a materialized view."
      case .view: hint = "Use DROP VIEW to remove a view."
      case .sequence: hint = "Use DROP SEQUENCE to remove a sequence."
      case .graph: hint = "Use DROP PROPERTY GRAPH to remove a property graph."
      }
      let article = statement.kind == .index ? "an" : "a"
      throw SQLError(
        .wrongObjectType, "\"\(name.name)\" is not \(article) \(word)", hint: hint)
    }
  }

  private mutating func schemaToDrop(
    _ reference: ObjectReference, _ statement: DropStatement
  ) throws(SQLError) -> [DroppedObject] {
    let name = reference.name.name
    guard catalog.schemas.contains(name) else {
      guard statement.ifExists else {
        throw SQLError(.invalidSchemaName, "schema \"\(name)\" does not exist")
      }
      notice("schema \"\(name)\" does not exist, skipping")
      return []
    }
    if name == "pg_catalog" || name == "information_schema" {
      throw SQLError(
        .dependentObjectsStillExist,
        "cannot drop schema \(name) because it is required by the database system")
    }
    var inside: [(ObjectID, DroppedObject)] = []
    for table in catalog.tables.values where table.name.schema == name {
      inside.append((table.id, .table(table.id)))
    }
    for view in catalog.views.values where view.name.schema == name {
      inside.append((view.id, .view(view.id)))
    }
    for sequence in catalog.sequences.values
    where sequence.name.schema == name && sequence.owner == nil {
      inside.append((sequence.id, .sequence(sequence.id)))
    }
    for graph in catalog.graphs.values where graph.name.schema == name {
      inside.append((graph.id, .graph(graph.id)))
    }
    for function in catalog.functions.values where function.name.schema == name {
      inside.append((function.id, .function(function.id)))
    }
    for type in catalog.types.values where type.name.schema == name {
      inside.append((type.id, .type(type.id)))
    }
    let objects = inside.sorted { $0.0 < $1.0 }.map(\.1)
    guard !objects.isEmpty else { return [] }
    if statement.behavior == .restrict {
      throw SQLError(
        .dependentObjectsStillExist,
        "cannot drop schema \(name) because other objects depend on it",
        detail: objects.map { "\(describe($0)) depends on schema \(name)" }
          .joined(separator: "\n"),
        hint: "Use DROP ... CASCADE to drop the dependent objects too.")
    }
    noteCascade(to: objects)
    return objects
  }

  private mutating func typeToDrop(
    _ reference: ObjectReference, _ statement: DropStatement
  ) throws(SQLError) -> DroppedObject? {
    let name = reference.name
    if let type = catalog.type(
      schema: name.qualifier, named: name.name, searchPath: environment.searchPath)
    {
      return .type(type.id)
    }
    guard statement.ifExists else {
      throw SQLError(.undefinedObject, "type \"\(name.joined)\" does not exist")
    }
    notice("type \"\(name.joined)\" does not exist, skipping")
    return nil
  }

  private mutating func functionToDrop(
    _ reference: ObjectReference, _ statement: DropStatement
  ) throws(SQLError) -> DroppedObject? {
    let word = statement.kind.rawValue.lowercased()
    let found: FunctionDefinition?
    do {
      found = try function(reference)
    } catch  where error.state == .ambiguousFunction || !statement.ifExists {
      throw error
    } catch {
      found = nil
    }
    if let found { return .function(found.id) }
    let shownArguments = try reference.argumentTypes.map { (list) throws(SQLError) in
      "(" + (try argumentNames(list)).joined(separator: ",") + ")"
    }
    guard statement.ifExists else {
      if let shownArguments {
        throw SQLError(
          .undefinedFunction,
          "\(word) \(reference.name.joined)\(shownArguments) does not exist")
      }
      throw SQLError(
        .undefinedFunction, "could not find a \(word) named \"\(reference.name.joined)\"")
    }
    notice(
      "\(word) \(reference.name.joined)\(shownArguments ?? "()") does not exist, skipping")
    return nil
  }

  func argumentNames(_ parameters: [FunctionParameter]) throws(SQLError) -> [String] {
    var names: [String] = []
    for parameter in parameters where parameter.mode != .out && parameter.mode != .table {
      names.append(try environment.type(parameter.type, in: catalog).type.name)
    }
    return names
  }

  /// The function that a reference means; nil for none.
  ///
  /// - Throws: 42725 if it means several.
  func function(_ reference: ObjectReference) throws(SQLError) -> FunctionDefinition? {
    let candidates = catalog.functions(
      schema: reference.name.qualifier, named: reference.name.name,
      searchPath: environment.searchPath)
    guard let arguments = reference.argumentTypes else {
      if candidates.count > 1 {
        throw SQLError(
          .ambiguousFunction, "function name \"\(reference.name.joined)\" is not unique",
          hint: "Specify the argument list to select the function unambiguously.")
      }
      return candidates.first
    }
    let names = try argumentNames(arguments)
    return candidates.first { $0.parameters.map { $0.type.type.name } == names }
  }
}
