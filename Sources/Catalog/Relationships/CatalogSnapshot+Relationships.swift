extension CatalogSnapshot {
  /// Every relationship that starts from a table: to parents, to children, and through junction tables, in this
  /// order and each sorted by the names of constraints.
  ///
  /// A foreign key of a table to itself is there twice, once in each direction.
  ///
  /// - Complexity: O(*k*²) in the foreign keys of the table and of the junctions around it.
  package func relationships(of id: ObjectID) -> [Relationship] {
    guard let table = tables[id] else { return [] }
    var list: [Relationship] = []
    for key in table.foreignKeys.sorted(by: { $0.name < $1.name }) where tables[key.parent] != nil {
      list.append(
        Relationship(
          origin: id, target: key.parent,
          cardinality: table.isUnique(key.columns) ? .oneToOne : .manyToOne,
          route: .toParent(ForeignKeyLink(key, of: id))))
    }
    let incoming = foreignKeys(to: id).sorted {
      ($0.child.name.name, $0.key.name) < ($1.child.name.name, $1.key.name)
    }
    for (child, _, key) in incoming {
      list.append(
        Relationship(
          origin: id, target: child.id,
          cardinality: child.isUnique(key.columns) ? .oneToOne : .oneToMany,
          route: .toChildren(ForeignKeyLink(key, of: child.id))))
    }
    for (child, index, key) in incoming {
      list += junctionRelationships(of: id, through: child, near: index, key)
    }
    return list
  }

  /// The many-to-many relationships that begin with one foreign key of a junction table.
  private func junctionRelationships(
    of id: ObjectID, through junction: TableDefinition, near index: Int,
    _ key: ForeignKeyConstraint
  ) -> [Relationship] {
    let others = junction.foreignKeys.enumerated().filter { $0.offset != index }.map(\.element)
    return others.sorted { $0.name < $1.name }.compactMap { other in
      guard tables[other.parent] != nil, junction.isJunction(of: key, other) else { return nil }
      return Relationship(
        origin: id, target: other.parent, cardinality: .manyToMany,
        route: .throughJunction(
          near: ForeignKeyLink(key, of: junction.id), far: ForeignKeyLink(other, of: junction.id)))
    }
  }

  /// The pairs of foreign keys that make a table a junction; none for a table that is none.
  package func junctionPairs(
    of table: TableDefinition
  ) -> [(first: ForeignKeyLink, second: ForeignKeyLink)] {
    var pairs: [(first: ForeignKeyLink, second: ForeignKeyLink)] = []
    for (index, first) in table.foreignKeys.enumerated() {
      for second in table.foreignKeys.dropFirst(index + 1)
      where table.isJunction(of: first, second) {
        pairs.append((ForeignKeyLink(first, of: table.id), ForeignKeyLink(second, of: table.id)))
      }
    }
    return pairs
  }
}

extension TableDefinition {
  /// The keys that hold at any time: a transaction may see rows that break a deferrable one until it is checked.
  package var immediateKeys: [KeyConstraint] { keys.filter { !$0.deferral.isDeferrable } }

  /// Whether no two rows agree in these columns (rows with a NULL among them aside): a key lies within them.
  package func isUnique(_ columns: [Int]) -> Bool {
    keys.contains { Set($0.columns).isSubset(of: columns) }
  }

  /// The same at any time, also before a deferred check.
  package func isAlwaysUnique(_ columns: [Int]) -> Bool {
    immediateKeys.contains { Set($0.columns).isSubset(of: columns) }
  }

  /// Whether the table links the parents of two of its foreign keys, many to many.
  ///
  /// Their columns together lie within one key, which may have more. Were the columns of one among those of the
  /// other, each row of the one parent would fix that of the other; were the columns of one a
  /// key, each parent would be linked once at most. Neither is many-to-many.
  package func isJunction(of first: ForeignKeyConstraint, _ second: ForeignKeyConstraint) -> Bool {
    let (left, right) = (Set(first.columns), Set(second.columns))
    if left.isSubset(of: right) || right.isSubset(of: left) { return false }
    if isUnique(first.columns) || isUnique(second.columns) { return false }
    let both = left.union(right)
    return keys.contains { both.isSubset(of: $0.columns) }
  }
}
