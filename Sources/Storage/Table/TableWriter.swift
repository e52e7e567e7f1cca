package import Columnar

/// Builds the next version of one table from a published one.
///
/// The writer shares everything with the version that it started from and copies what it touches, once
/// between two calls of `freeze()`. Drop the writer to roll back; keep a frozen version as a savepoint
/// and `reset(to:)` it to return there.
///
/// Use it from one thread at a time. Constraints other than unique keys are the caller's.
package final class TableWriter {
  private var store: TableStore
  /// Whether `store` has been handed out, so that it must not change any more.
  private var isFrozen = true
  private(set) var epoch: Epoch
  /// A writer that starts from `version`.
  package init(_ version: TableStore) {
    store = version
    epoch = .next()
  }

  /// The table as it stands, for reading between two changes.
  ///
  /// - Complexity: O(1). The next change copies on first touch, as it does after `freeze()`.
  package func freeze() -> TableStore {
    if !isFrozen {
      isFrozen = true
      epoch = .next()
    }
    return store
  }

  /// Whether something was changed since the last `freeze()`.
  package var hasChanges: Bool { !isFrozen }

  /// The table as it stands, only for looking at until the next change.
  ///
  /// Unlike `freeze()` it does not make the next change copy.
  package var current: TableStore { store }

  /// Goes back (or over) to a version that was frozen before.
  package func reset(to version: TableStore) {
    store = version
    isFrozen = true
    epoch = .next()
  }

  /// The store to change.
  var draft: TableStore {
    if isFrozen {
      store = TableStore(copying: store)
      isFrozen = false
    }
    return store
  }

  /// Puts another store in place of the one that was being changed.
  func replaceDraft(_ other: TableStore) {
    store = other
    isFrozen = false
  }

  // MARK: Appending

  /// Adds rows behind the last one.
  ///
  /// - Parameters:
  ///   - chunk: the table's columns, of any form and any number of rows.
  ///   - parents: for each reference of the layout the positions of the parents' rows, `noRow` for NULL;
  ///     nil (or an array too short) where `setParents` will say so later.
  ///   - maintainingIndexes: false in a bulk load, which ends with `rebuildIndexes()`.
  /// - Returns: the positions of the rows.
  /// - Throws: `KeyConflict`; the writer must then be reset or dropped.
  /// - Complexity: O(*n*); for a row about a microsecond, and about as much for each index.
  @discardableResult
  package func append(
    _ chunk: DataChunk, parents: [Buffer<UInt32>?] = [], maintainingIndexes: Bool = true
  ) throws(KeyConflict) -> Range<Int> {
    let draft = draft
    precondition(chunk.columns.count == draft.columns.count, "a row has a value for each column")
    let start = draft.rowCount
    let end = start + chunk.count
    guard chunk.count > 0 else { return start..<start }
    precondition(end <= TableStore.rowLimit, "a table holds at most \(TableStore.rowLimit) rows")
    draft.claim(end, epoch: epoch)
    var from = 0
    while from < chunk.count {
      let row = start + from
      let room = TableStore.pageCapacity - row % TableStore.pageCapacity
      let count = min(room, chunk.count - from)
      for column in draft.columns.indices {
        draft.columns[column].append(
          chunk.columns[column], from: from, count: count, at: row, epoch: epoch)
      }
      appendParents(parents, from: from, count: count, at: row, draft)
      from += count
    }
    draft.rowCount = end
    draft.liveRowCount += chunk.count
    if maintainingIndexes { try index(chunk, parents, start, draft) }
    return start..<end
  }

  private func appendParents(
    _ parents: [Buffer<UInt32>?], from: Int, count: Int, at row: Int, _ draft: TableStore
  ) {
    for reference in draft.references.indices {
      let given = reference < parents.count ? parents[reference] : nil
      draft.references[reference].append(
        given ?? Buffer(repeating: .max, count: count), from: given == nil ? 0 : from,
        count: count, at: row, of: draft.column(ofReference: reference), epoch: epoch)
    }
  }

  /// Enters appended rows into all indexes.
  private func index(
    _ chunk: DataChunk, _ parents: [Buffer<UInt32>?], _ start: Int, _ draft: TableStore
  ) throws(KeyConflict) {
    let positions = Buffer<UInt32>(uninitialized: chunk.count)
    for row in 0..<chunk.count { positions[row] = UInt32(truncatingIfNeeded: start &+ row) }
    // Keys in their order, so that of several violations that of the first is found.
    for key in draft.keys.indices {
      if let junction = draft.keys[key].key.junction {
        if !parents.isEmpty { try link(junction: junction, positions, chunk.count, draft) }
        continue
      }
      let columns = draft.keys[key].key.columns
      try enter(key, columns.map { chunk.columns[$0] }, positions, chunk.count, draft)
    }
    guard !parents.isEmpty else { return }
    for junction in draft.layout.junctions.indices
    where !draft.keys.contains(where: { $0.key.junction == junction }) {
      try link(junction: junction, positions, chunk.count, draft)
    }
    linkReferences(positions, chunk.count, draft) { _ in true }
  }

  private func enter(
    _ key: Int, _ vectors: [Vector], _ positions: Buffer<UInt32>, _ count: Int,
    _ draft: TableStore
  ) throws(KeyConflict) {
    let columns = draft.keys[key].key.columns.map { draft.columns[$0] }
    let conflict = draft.keys[key].insert(
      vectors, positions: positions, count: count, columns: columns, epoch: epoch)
    if let conflict {
      throw KeyConflict(
        constraint: .key(key), row: conflict.row, existing: conflict.existing)
    }
  }

  /// Enters the edges of rows whose parents are set into both directions of a junction.
  ///
  /// - Throws: `KeyConflict` for a second edge between the same rows of a unique junction.
  private func link(
    junction: Int, _ positions: Buffer<UInt32>, _ count: Int, _ draft: TableStore
  ) throws(KeyConflict) {
    let isUnique = draft.layout.junctions[junction].isUnique
    for row in 0..<count {
      let position = positions[row]
      let (source, target) = draft.ends(of: position, junction)
      if source == .max || target == .max { continue }
      if isUnique {
        let existing = draft.edge(ofJunction: junction, from: source, to: target)
        if existing != .max {
          throw KeyConflict(
            constraint: .junction(junction), row: position, existing: existing)
        }
      }
      draft.adjacencies[2 * junction].insert(source, target, row: position, epoch: epoch)
      draft.adjacencies[2 * junction + 1].insert(target, source, row: position, epoch: epoch)
    }
  }

  /// Enters rows under those of their parents that no junction starts from.
  private func linkReferences(
    _ positions: Buffer<UInt32>, _ count: Int, _ draft: TableStore, _ isChosen: (Int) -> Bool
  ) {
    for index in (2 * draft.layout.junctions.count)..<draft.directions.count {
      let reference = draft.directions[index].source
      guard isChosen(reference) else { continue }
      for row in 0..<count {
        let parent = draft.references[reference].parent(of: positions[row])
        if parent == .max { continue }
        draft.adjacencies[index].insert(
          parent, positions[row], row: positions[row], epoch: epoch)
      }
    }
  }

  /// Takes the edges of rows out of the directions that have to do with chosen references.
  private func unlink(
    _ positions: Buffer<UInt32>, _ count: Int, _ draft: TableStore, _ isChosen: (Int) -> Bool
  ) {
    for (index, direction) in draft.directions.enumerated() {
      guard isChosen(direction.source) || direction.target.map(isChosen) == true else { continue }
      for row in 0..<count {
        let position = positions[row]
        let source = draft.references[direction.source].parent(of: position)
        if source == .max { continue }
        var target = position
        if let other = direction.target {
          target = draft.references[other].parent(of: position)
          if target == .max { continue }
        }
        draft.adjacencies[index].remove(source, target, row: position, epoch: epoch)
      }
    }
  }

  // MARK: Deleting

  /// Deletes rows; those deleted already (or named twice) count once.
  ///
  /// - Returns: how many rows were there to delete.
  /// - Complexity: O(*n*), and 256 bytes for each page on first touch, besides the indexes.
  @discardableResult
  package func delete(_ positions: Buffer<UInt32>, count: Int) -> Int {
    guard count > 0 else { return 0 }
    let draft = draft
    let gone = Buffer<UInt32>(uninitialized: count)
    var found = 0
    for row in 0..<count where draft.live.delete(positions[row], epoch: epoch) {
      gone[found] = positions[row]
      found += 1
    }
    draft.liveRowCount -= found
    for key in draft.keys.indices where draft.keys[key].key.junction == nil {
      let columns = draft.keys[key].key.columns
      let vectors = columns.map { draft.columns[$0].gather(gone, count: found) }
      draft.keys[key].remove(vectors, positions: gone, count: found, epoch: epoch)
    }
    unlink(gone, found, draft) { _ in true }
    return found
  }

  // MARK: Changing

  /// Gives some columns of the rows at `positions` new values; row *i* of each vector is for
  /// `positions[i]`.
  ///
  /// Keys are checked when all rows have their new values, so that rows may exchange keys. Where a
  /// foreign key changes, `setParents` must follow.
  ///
  /// - Precondition: the positions are of live rows, each once.
  /// - Throws: `KeyConflict`; the writer must then be reset or dropped.
  package func update(
    _ positions: Buffer<UInt32>, count: Int, columns: [Int], to vectors: [Vector]
  ) throws(KeyConflict) {
    guard count > 0 else { return }
    let draft = draft
    let touched = draft.keys.indices.filter { key in
      draft.keys[key].key.junction == nil
        && draft.keys[key].key.columns.contains { columns.contains($0) }
    }
    for key in touched {
      let old = draft.keys[key].key.columns.map {
        draft.columns[$0].gather(positions, count: count)
      }
      draft.keys[key].remove(old, positions: positions, count: count, epoch: epoch)
    }
    for reference in draft.references.indices
    where columns.contains(where: draft.layout.references[reference].columns.contains) {
      draft.references[reference].detach(
        positions, count: count, rowCount: draft.rowCount, epoch: epoch)
    }
    for (column, vector) in zip(columns, vectors) {
      draft.columns[column].update(
        positions, count: count, to: vector, rowCount: draft.rowCount, epoch: epoch)
    }
    for key in touched {
      let new = draft.keys[key].key.columns.map {
        draft.columns[$0].gather(positions, count: count)
      }
      try enter(key, new, positions, count, draft)
    }
  }

  /// Says to which parents' rows the rows at `positions` refer by some references; `noRow` for none.
  ///
  /// Edges are checked when all references of all rows are set, so that rows may exchange parents.
  ///
  /// - Throws: `KeyConflict` for a second edge between the same parents of a unique junction; the writer
  ///   must then be reset or dropped.
  package func setParents(
    _ changes: [(reference: Int, parents: Buffer<UInt32>)], _ positions: Buffer<UInt32>, count: Int
  ) throws(KeyConflict) {
    guard count > 0, !changes.isEmpty else { return }
    let draft = draft
    let isChosen = { (reference: Int) in changes.contains { $0.reference == reference } }
    unlink(positions, count, draft, isChosen)
    for change in changes {
      draft.references[change.reference].update(
        positions, count: count, to: change.parents, rowCount: draft.rowCount, epoch: epoch)
    }
    for (index, junction) in draft.layout.junctions.enumerated()
    where isChosen(junction.from) || isChosen(junction.to) {
      try link(junction: index, positions, count, draft)
    }
    linkReferences(positions, count, draft, isChosen)
  }

  /// Says to which parents' rows the rows at `positions` refer by one reference.
  ///
  /// - Throws: `KeyConflict` as for several.
  package func setParents(
    _ reference: Int, _ positions: Buffer<UInt32>, count: Int, to parents: Buffer<UInt32>
  ) throws(KeyConflict) {
    try setParents([(reference: reference, parents: parents)], positions, count: count)
  }
}

extension TableStore {
  /// The parents' rows that a row of a junction joins.
  fileprivate func ends(of position: UInt32, _ junction: Int) -> (from: UInt32, to: UInt32) {
    let ends = layout.junctions[junction]
    return (
      references[ends.from].parent(of: position), references[ends.to].parent(of: position)
    )
  }
}
