extension CatalogSnapshot {
  /// The schema of what ends with its session.
  static let temporarySchema = "pg_temp"

  /// The objects that end with their session, and those that cannot be without them.
  package var temporaryObjects: Set<ObjectID> {
    var lost = Set(tables.values.filter(\.isTemporary).map(\.id))
    lost.formUnion(views.values.filter(\.isTemporary).map(\.id))
    lost.formUnion(graphs.values.filter(\.isTemporary).map(\.id))
    lost.formUnion(
      functions.values.filter { $0.name.schema == Self.temporarySchema }.map(\.id))
    lost.formUnion(
      sequences.values.filter { sequence in
        sequence.name.schema == Self.temporarySchema
          || sequence.owner.map { lost.contains($0.table) } ?? false
      }.map(\.id))
    // Views over views over temporary tables go too.
    while !lost.isEmpty {
      let before = lost.count
      for view in views.values where !lost.isDisjoint(with: view.dependencies) {
        lost.insert(view.id)
      }
      for graph in graphs.values where !lost.isDisjoint(with: graph.tables) {
        lost.insert(graph.id)
      }
      if lost.count == before { break }
    }
    return lost
  }

  /// The catalog as it is once all sessions have ended.
  package var withoutTemporaries: CatalogSnapshot {
    let lost = temporaryObjects
    if lost.isEmpty { return self }
    var copy = self
    for id in lost {
      copy.removeTable(id)
      copy.removeView(id)
      copy.removeSequence(id)
      copy.removeGraph(id)
      copy.removeFunction(id)
    }
    for table in copy.tables.values.sorted(by: { $0.id < $1.id }) {
      if let changed = table.without(lost) { copy.put(changed) }
    }
    copy.comments = comments.filter { $0.key.name.schema != Self.temporarySchema }
    return copy
  }
}

extension TableDefinition {
  /// The table without what refers to one of these objects; nil if nothing does.
  fileprivate func without(_ lost: Set<ObjectID>) -> TableDefinition? {
    var copy = self
    var isChanged = false
    if foreignKeys.contains(where: { lost.contains($0.parent) }) {
      copy.foreignKeys.removeAll { lost.contains($0.parent) }
      copy.removeLoneCardinalities()
      isChanged = true
    }
    if parents.contains(where: lost.contains) {
      copy.parents.removeAll { lost.contains($0) }
      isChanged = true
    }
    for (index, column) in columns.enumerated() {
      if case .sequence(let id)? = column.defaultValue, lost.contains(id) {
        copy.columns[index].defaultValue = nil
        isChanged = true
      }
    }
    if let materialized, !lost.isDisjoint(with: materialized.dependencies) {
      copy.materialized?.dependencies.subtract(lost)
      isChanged = true
    }
    return isChanged ? copy : nil
  }
}
