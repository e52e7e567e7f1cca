import Columnar
package import Storage

extension TableDefinition {
  /// What the table's rows are indexed by.
  ///
  /// - Invariant: key *i* of the layout is key *i* of the table, behind them come the plain indices whose keys
  ///   are columns; reference *i* is foreign key *i*.
  package var layout: TableLayout {
    var junctions = junctions
    var keys = keys.map { key in
      TableLayout.Key(
        columns: key.columns, isUnique: !key.deferral.isDeferrable,
        nullsNotDistinct: key.nullsNotDistinct,
        junction: junctions.firstIndex { keeps($0, key) })
    }
    for index in junctions.indices {
      junctions[index].isUnique = keys.contains { $0.junction == index }
    }
    for index in indexes {
      guard let columns = index.plainColumns else { continue }
      keys.append(TableLayout.Key(columns: columns, isUnique: false))
    }
    return TableLayout(
      keys: keys,
      references: foreignKeys.map {
        TableLayout.Reference(columns: $0.columns, parent: $0.parent.number)
      }, junctions: junctions)
  }

  /// Whether no two rows with the same key is the same as no two equal edges of a junction.
  ///
  /// So it is where the key is the two columns of the foreign keys, if equal values name one row of the
  /// parent and different values different rows: not so for texts, as a `character` key of the parent is
  /// found with and without blanks behind it.
  private func keeps(_ junction: TableLayout.Junction, _ key: KeyConstraint) -> Bool {
    let ends = [foreignKeys[junction.from].columns, foreignKeys[junction.to].columns]
    return !key.deferral.isDeferrable && !key.nullsNotDistinct && key.columns.count == 2
      && ends.allSatisfy { $0.count == 1 } && Set(ends.joined()) == Set(key.columns)
      && key.columns.allSatisfy { columns[$0].type.isInteger || columns[$0].type == .uuid }
  }

  /// The pairs of foreign keys that make each row an edge between two parents.
  ///
  /// Of two or three foreign keys that are never NULL every pair counts; of more, those that a key
  /// of the table covers together.
  private var junctions: [TableLayout.Junction] {
    let candidates = foreignKeys.indices.filter(isEnd)
    var pairs: [TableLayout.Junction] = []
    for (place, first) in candidates.enumerated() {
      for second in candidates.dropFirst(place + 1)
      where candidates.count <= 3 || areCovered(first, second) {
        pairs.append(TableLayout.Junction(from: first, to: second, isUnique: false))
      }
    }
    return pairs
  }

  /// Whether every row has a parent by a foreign key.
  private func isEnd(_ foreignKey: Int) -> Bool {
    foreignKeys[foreignKey].columns.allSatisfy { columns[$0].isNotNull }
      && foreignKeys[foreignKey].alwaysHasParent
  }

  /// Whether a key has all columns of two foreign keys.
  private func areCovered(_ first: Int, _ second: Int) -> Bool {
    keys.contains { key in
      foreignKeys[first].columns.allSatisfy(key.columns.contains)
        && foreignKeys[second].columns.allSatisfy(key.columns.contains)
    }
  }

  /// Whether an index of the layout leads from the parents' rows of one foreign key to those of another.
  package func hasJunction(from: Int, to: Int) -> Bool {
    from != to && isEnd(from) && isEnd(to)
      && (areCovered(from, to) || foreignKeys.indices.count(where: isEnd) <= 3)
  }
}

extension IndexDefinition {
  /// The columns of an index over nothing but columns and all rows; nil for any other.
  package var plainColumns: [Int]? {
    guard predicate == nil else { return nil }
    var columns: [Int] = []
    for key in keys {
      guard case .column(let column, _) = key else { return nil }
      columns.append(column)
    }
    return columns
  }
}
