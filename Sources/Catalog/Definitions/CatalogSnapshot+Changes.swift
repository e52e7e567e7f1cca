/// What a comment is about, where the object's definition has no place for one.
package struct CommentKey: Hashable, Sendable {
  /// The kind in SQL's words, such as `SCHEMA`.
  package var kind: String
  package var name: ObjectName
  /// The part of the object, such as a constraint of a table.
  package var part: String?

  package init(kind: String, name: ObjectName, part: String? = nil) {
    self.kind = kind
    self.name = name
    self.part = part
  }
}

/// Changes. Each raises the version; the caller has checked names and dependencies before.
extension CatalogSnapshot {
  /// Adds a table, or replaces the definition of the same identity, its name included.
  ///
  /// - Complexity: O(number of its keys, indices and foreign keys).
  package mutating func put(_ table: TableDefinition) {
    version = Self.nextVersion()
    if let old = tables[table.id] { unlink(old) }
    tables[table.id] = table
    noteInheritance(table)
    noteCardinalities(table)
    relations[table.name] = table.id
    for name in table.indexNames {
      indexTables[ObjectName(schema: table.name.schema, name)] = table.id
    }
    for (index, key) in table.foreignKeys.enumerated() {
      referencing[key.parent, default: []].append((child: table.id, constraint: index))
    }
  }

  /// Removes a table, with its names.
  package mutating func removeTable(_ id: ObjectID) {
    guard let old = tables[id] else { return }
    version = Self.nextVersion()
    unlink(old)
    tables[id] = nil
    countingTables.remove(id)
    referencing[id] = nil
  }

  private mutating func unlink(_ table: TableDefinition) {
    relations[table.name] = nil
    for name in table.indexNames {
      indexTables[ObjectName(schema: table.name.schema, name)] = nil
    }
    for key in table.foreignKeys {
      referencing[key.parent]?.removeAll { $0.child == table.id }
    }
  }

  /// Adds or replaces a view.
  package mutating func put(_ view: ViewDefinition) {
    version = Self.nextVersion()
    if let old = views[view.id] { relations[old.name] = nil }
    views[view.id] = view
    relations[view.name] = view.id
  }

  package mutating func removeView(_ id: ObjectID) {
    guard let old = views[id] else { return }
    version = Self.nextVersion()
    relations[old.name] = nil
    views[id] = nil
  }

  /// Adds or replaces a sequence.
  package mutating func put(_ sequence: SequenceDefinition) {
    version = Self.nextVersion()
    if let old = sequences[sequence.id] { relations[old.name] = nil }
    sequences[sequence.id] = sequence
    relations[sequence.name] = sequence.id
  }

  package mutating func removeSequence(_ id: ObjectID) {
    guard let old = sequences[id] else { return }
    version = Self.nextVersion()
    relations[old.name] = nil
    sequences[id] = nil
  }

  /// Adds or replaces a property graph.
  package mutating func put(_ graph: PropertyGraphDefinition) {
    version = Self.nextVersion()
    if let old = graphs[graph.id] { relations[old.name] = nil }
    graphs[graph.id] = graph
    relations[graph.name] = graph.id
  }

  package mutating func removeGraph(_ id: ObjectID) {
    guard let old = graphs[id] else { return }
    version = Self.nextVersion()
    relations[old.name] = nil
    graphs[id] = nil
  }

  /// Adds or replaces a function.
  package mutating func put(_ function: FunctionDefinition) {
    version = Self.nextVersion()
    if let old = functions[function.id] { functionNames[old.name]?.removeAll { $0 == function.id } }
    functions[function.id] = function
    functionNames[function.name, default: []].append(function.id)
  }

  package mutating func removeFunction(_ id: ObjectID) {
    guard let old = functions[id] else { return }
    version = Self.nextVersion()
    functionNames[old.name]?.removeAll { $0 == id }
    if functionNames[old.name]?.isEmpty == true { functionNames[old.name] = nil }
    functions[id] = nil
  }

  /// Adds or replaces a type.
  package mutating func put(_ type: TypeDefinition) {
    version = Self.nextVersion()
    if let old = types[type.id] { typeNames[old.name] = nil }
    types[type.id] = type
    typeNames[type.name] = type.id
  }

  package mutating func removeType(_ id: ObjectID) {
    guard let old = types[id] else { return }
    version = Self.nextVersion()
    typeNames[old.name] = nil
    types[id] = nil
  }

  package mutating func addSchema(_ name: String) {
    version = Self.nextVersion()
    schemas.insert(name)
  }

  package mutating func removeSchema(_ name: String) {
    version = Self.nextVersion()
    schemas.remove(name)
  }

  /// Sets or, with nil, removes a comment.
  package mutating func setComment(_ text: String?, on key: CommentKey) {
    version = Self.nextVersion()
    comments[key] = text
  }
}

extension TableDefinition {
  /// The names that the table's keys and indices take in the name space of relations.
  package var indexNames: [String] { keys.map(\.name) + indexes.map(\.name) }

  /// The names of all constraints, for finding one that is free.
  package var constraintNames: [String] {
    keys.filter { !$0.isIndexOnly }.map(\.name) + foreignKeys.map(\.name) + checks.map(\.name)
      + cardinalities.map(\.name)
  }
}

extension CatalogSnapshot {
  /// Whether a table, view, sequence or index has this name.
  package func isRelationNameTaken(_ name: ObjectName) -> Bool {
    relations[name] != nil || indexTables[name] != nil
  }

  /// The relation of this name; nil for none.
  package func relation(at name: ObjectName) -> Relation? {
    relation(schema: name.schema, name.name)
  }

  /// The foreign keys that refer to a table.
  package func foreignKeys(to parent: ObjectID) -> [(
    child: TableDefinition, index: Int, key: ForeignKeyConstraint
  )] {
    (referencing[parent] ?? []).compactMap { entry in
      guard let child = tables[entry.child], entry.constraint < child.foreignKeys.count else {
        return nil
      }
      return (child, entry.constraint, child.foreignKeys[entry.constraint])
    }
  }
}
