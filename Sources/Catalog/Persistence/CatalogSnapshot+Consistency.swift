package import Diagnostics

extension CatalogSnapshot {
  /// Checks what every catalog holds to: what is referred to is there, columns lie in their tables, names differ.
  ///
  /// - Throws: XX001 naming the object and the rule that does not hold for it.
  /// - Complexity: O(*n* log *n*) in the columns, keys and other parts of all objects.
  package func checkConsistency() throws(SQLError) {
    try checkNumbers()
    try checkNames()
    for type in types.values { try check(type) }
    for sequence in sequences.values { try check(sequence) }
    for table in tables.values { try check(table) }
    try checkInheritance()
    for view in views.values { try check(view) }
    for graph in graphs.values { try check(graph) }
    for function in functions.values { try check(function) }
  }

  /// The error of an object that breaks a rule.
  func inconsistency(_ object: String, _ reason: String) -> SQLError {
    SQLError(
      .dataCorrupted, "the database's catalog is damaged", detail: "\(object): \(reason).",
      hint: "Nothing was changed. Restore the database from a backup.")
  }

  /// Identities are those under which the objects are kept, each given once and not to be given again.
  private func checkNumbers() throws(SQLError) {
    var pairs: [(key: ObjectID, id: ObjectID)] = []
    pairs += types.map { ($0.key, $0.value.id) }
    pairs += sequences.map { ($0.key, $0.value.id) }
    pairs += tables.map { ($0.key, $0.value.id) }
    pairs += views.map { ($0.key, $0.value.id) }
    pairs += graphs.map { ($0.key, $0.value.id) }
    pairs += functions.map { ($0.key, $0.value.id) }
    var known: Set<ObjectID> = []
    for (key, id) in pairs {
      guard key == id else { throw inconsistency("object \(id)", "it is kept as \(key)") }
      guard id.number <= nextNumber else {
        throw inconsistency("object \(id)", "the last number that was given is \(nextNumber)")
      }
      guard known.insert(id).inserted else {
        throw inconsistency("object \(id)", "another one has its number")
      }
    }
  }

  /// Names are there, in schemas that are there, and lead to the objects that have them.
  private func checkNames() throws(SQLError) {
    var names: [ObjectName: ObjectID] = [:]
    func add(_ name: ObjectName, _ id: ObjectID, _ kind: String) throws(SQLError) {
      try checkSchema(name, kind)
      guard names.updateValue(id, forKey: name) == nil else {
        throw inconsistency("\(kind) \"\(name.name)\"", "another relation has its name")
      }
    }
    for table in tables.values {
      try add(table.name, table.id, "table")
      for name in table.indexNames {
        let name = ObjectName(schema: table.name.schema, name)
        try add(name, table.id, "index")
        guard indexTables[name] == table.id else {
          throw inconsistency("index \"\(name.name)\"", "its name leads elsewhere")
        }
      }
    }
    for view in views.values { try add(view.name, view.id, "view") }
    for sequence in sequences.values { try add(sequence.name, sequence.id, "sequence") }
    for graph in graphs.values { try add(graph.name, graph.id, "property graph") }
    for (name, id) in relations where names[name] != id {
      throw inconsistency("relation \"\(name.name)\"", "its name leads to \(id)")
    }
    guard names.count == relations.count + indexTables.count else {
      throw inconsistency("the catalog", "names of relations or indices lead nowhere")
    }
    for type in types.values {
      try checkSchema(type.name, "type")
      guard typeNames[type.name] == type.id else {
        throw inconsistency("type \"\(type.name.name)\"", "its name leads elsewhere")
      }
    }
    for function in functions.values {
      try checkSchema(function.name, "function")
      guard functionNames[function.name]?.contains(function.id) == true else {
        throw inconsistency("function \"\(function.name.name)\"", "its name leads elsewhere")
      }
    }
    guard typeNames.count == types.count,
      functionNames.values.reduce(0, { $0 + $1.count }) == functions.count
    else { throw inconsistency("the catalog", "names of types or functions lead nowhere") }
  }

  private func checkSchema(_ name: ObjectName, _ kind: String) throws(SQLError) {
    guard !name.name.isEmpty else { throw inconsistency("a \(kind)", "it has no name") }
    guard schemas.contains(name.schema) || name.schema == Self.temporarySchema else {
      throw inconsistency("\(kind) \"\(name.name)\"", "there is no schema \"\(name.schema)\"")
    }
  }

  /// Whether a table, view, sequence, graph, function or type has this identity.
  func hasObject(_ id: ObjectID) -> Bool {
    tables[id] != nil || views[id] != nil || sequences[id] != nil || graphs[id] != nil
      || functions[id] != nil || types[id] != nil
  }

  /// No table inherits from itself, also not by way of others.
  ///
  /// - Complexity: O(tables and their parents).
  private func checkInheritance() throws(SQLError) {
    var waiting = tables.mapValues { Set($0.parents).count }
    var children: [ObjectID: [ObjectID]] = [:]
    for table in tables.values {
      for parent in Set(table.parents) { children[parent, default: []].append(table.id) }
    }
    var ready = waiting.filter { $0.value == 0 }.map(\.key)
    var settled = 0
    while let id = ready.popLast() {
      settled += 1
      for child in children[id] ?? [] {
        let left = (waiting[child] ?? 1) - 1
        waiting[child] = left
        if left == 0 { ready.append(child) }
      }
    }
    guard settled == tables.count else {
      throw inconsistency("the catalog", "tables inherit from each other in a circle")
    }
  }
}
