package import Columnar
import Diagnostics

extension TableWriter {
  /// Builds all indexes anew, in bulk: the end of a load that left them out.
  ///
  /// - Throws: the first `KeyConflict` found; the writer must then be reset or dropped.
  /// - Complexity: O(*n*) for each index, on all cores.
  package func rebuildIndexes() throws(KeyConflict) {
    try rebuildKeys()
    let draft = draft
    try rebuildAdjacencies(Array(draft.directions.indices), draft)
  }

  /// Builds the key indexes anew, in bulk, where `setLayout` will follow with the parents.
  ///
  /// Keys that junctions keep are checked only then.
  ///
  /// - Throws: the first `KeyConflict` found; the writer must then be reset or dropped.
  package func rebuildKeys() throws(KeyConflict) {
    let draft = draft
    for key in draft.keys.indices { try rebuildKey(key, draft) }
  }

  private func rebuildKey(_ key: Int, _ draft: TableStore) throws(KeyConflict) {
    let conflict: (row: UInt32, existing: UInt32)?
    do throws(SQLError) { conflict = try draft.keys[key].build(draft, epoch: epoch) } catch {
      throw KeyConflict(interruptedBy: error)
    }
    if let conflict {
      throw KeyConflict(constraint: .key(key), row: conflict.row, existing: conflict.existing)
    }
  }

  /// Builds some adjacency indexes anew; the second direction of a junction out of the first.
  ///
  /// Parents are let go of when no index needs them any more, so that their memory serves for the next.
  private func rebuildAdjacencies(
    _ chosen: [Int], _ draft: TableStore, parents given: consuming [Int: Buffer<UInt32>] = [:]
  ) throws(KeyConflict) {
    var parents = consume given
    var ordered: (junction: Int, edges: EdgeList)?
    for index in chosen {
      let direction = draft.directions[index]
      let edges: EdgeList
      if let known = ordered, known.junction == direction.junction {
        edges = known.edges.reversed
      } else {
        edges = edgeList(direction, draft, parents)
      }
      let hasOther = direction.junction != nil && chosen.contains(index + 1) && index & 1 == 0
      let built: (conflict: (row: UInt32, existing: UInt32)?, ordered: EdgeList?)
      do throws(SQLError) {
        built = try draft.adjacencies[index].build(
          edges, isUnique: direction.isUnique, wantsOrdered: hasOther, epoch: epoch)
      } catch {
        throw KeyConflict(interruptedBy: error)
      }
      ordered = nil
      if let junction = direction.junction {
        if let conflict = built.conflict {
          throw KeyConflict(
            constraint: .junction(junction), row: conflict.row, existing: conflict.existing)
        }
        if let edges = built.ordered {
          ordered = (junction, edges)
          // The other direction is built out of these edges.
          let later = chosen.filter { $0 > index + 1 }.map { draft.directions[$0] }
          for reference in [direction.source, direction.target] {
            guard let reference else { continue }
            let isWanted = later.contains { $0.source == reference || $0.target == reference }
            if !isWanted { parents[reference] = nil }
          }
        }
      }
    }
  }

  /// The edges of a direction in the order of rows.
  private func edgeList(
    _ direction: TableLayout.Direction, _ draft: TableStore, _ parents: [Int: Buffer<UInt32>]
  ) -> EdgeList {
    let count = draft.rowCount
    if draft.liveRowCount == count, let sources = parents[direction.source] {
      // As after a load: what was given is the list.
      guard let target = direction.target else {
        return EdgeList(sources: sources, targets: nil, count: count)
      }
      if let targets = parents[target], !hasGap(targets, count) {
        return EdgeList(sources: sources, targets: targets, count: count)
      }
    }
    let sources = Buffer<UInt32>(uninitialized: count)
    let targets = direction.target.map { _ in Buffer<UInt32>(uninitialized: count) }
    let table = draft
    parallelFor(tasks: (table.pageCount + 63) / 64) { group in
      for page in (group * 64)..<min(table.pageCount, group * 64 + 64) {
        let count = table.rowCount(ofPage: page)
        let start = page * TableStore.pageCapacity
        sources.copy(
          table.parents(ofPage: page, reference: direction.source), count: count, to: start)
        if let targets, let target = direction.target {
          let values = table.parents(ofPage: page, reference: target)
          targets.copy(values, count: count, to: start)
          for row in 0..<count where values[row] == .max { sources[start &+ row] = .max }
        }
        if let mask = table.live.mask(page) {
          for row in 0..<count where mask[row &>> 6] &>> UInt64(row & 63) & 1 == 0 {
            sources[start &+ row] = .max
          }
        }
      }
    }
    return EdgeList(sources: sources, targets: targets, count: count)
  }

  /// Whether some row has no parent.
  private func hasGap(_ parents: Buffer<UInt32>, _ count: Int) -> Bool {
    let rowsATask = 1 << 18
    let tasks = (count + rowsATask - 1) / rowsATask
    let greatest = Buffer<UInt32>(zeroed: max(1, tasks))
    parallelFor(tasks: tasks) { task in
      var high: UInt32 = 0
      for row in (task * rowsATask)..<min(count, (task + 1) * rowsATask) {
        high = max(high, parents[row])
      }
      greatest[task] = high
    }
    return greatest.array(greatest.count).contains(.max)
  }

  /// Changes which indexes the table keeps; those that stay are kept, new ones are built.
  ///
  /// - Parameters:
  ///   - layout: the new layout.
  ///   - given: for each new reference (by its index in the new layout) the positions of the
  ///     parents' rows for all positions of the table; `noRow` for NULL and deleted rows. The table keeps
  ///     the memory, which nobody may change any more.
  /// - Throws: `KeyConflict` if a new unique key does not hold; the writer must then be reset or dropped.
  package func setLayout(
    _ layout: TableLayout, parents given: consuming [Int: Buffer<UInt32>] = [:]
  ) throws(KeyConflict) {
    var parents = consume given
    let draft = draft
    let old = draft.layout
    let oldKeys = draft.keys
    let oldReferences = draft.references
    let oldDirections = draft.directions
    let oldAdjacencies = draft.adjacencies
    draft.layout = layout
    var unclaimed = Array(old.references.indices)
    var origins: [Int?] = []
    draft.references = layout.references.indices.map { index in
      let place = unclaimed.firstIndex { old.references[$0] == layout.references[index] }
      let origin = place.map { unclaimed.remove(at: $0) }
      if let given = parents[index] {
        origins.append(nil)
        return referenceColumn(given, index, draft)
      }
      if let origin {
        origins.append(origin)
        return oldReferences[origin]
      }
      origins.append(nil)
      return referenceColumn(Buffer(repeating: .max, count: draft.rowCount), index, draft)
    }
    draft.keys = layout.keys.map { key in
      oldKeys.first { $0.key == key }
        ?? KeyIndex(key, types: key.columns.map { draft.types[$0] })
    }
    draft.directions = layout.directions
    draft.adjacencies = []
    var missing: [Int] = []
    for (index, direction) in draft.directions.enumerated() {
      let kept = oldDirections.indices.first { candidate in
        let other = oldDirections[candidate]
        return origins[direction.source] == other.source
          && direction.target.flatMap { origins[$0] } == other.target
          && (direction.target == nil) == (other.target == nil)
          && (other.isUnique || !direction.isUnique)
      }
      if let kept {
        draft.adjacencies.append(oldAdjacencies[kept])
      } else {
        draft.adjacencies.append(AdjacencyIndex(hasEdgeRows: direction.target != nil))
        missing.append(index)
      }
    }
    // Rows appended later must not land in memory that the old layout's versions share in part.
    for key in layout.keys.indices where !oldKeys.contains(where: { $0.key == layout.keys[key] }) {
      try rebuildKey(key, draft)
    }
    // What the table does not keep is to go as soon as it is not needed any more.
    let rest = parents
    parents = [:]
    try rebuildAdjacencies(missing, draft, parents: consume rest)
  }

  private func referenceColumn(
    _ parents: Buffer<UInt32>, _ reference: Int, _ draft: TableStore
  ) -> ReferenceColumn {
    ReferenceColumn(
      adopting: parents, count: draft.rowCount, of: draft.column(ofReference: reference),
      epoch: epoch)
  }

  /// `column` with the rows of `vector`, one for each position of the table.
  private func filled(
    _ column: ColumnStore, _ vector: Vector, _ draft: TableStore
  ) -> ColumnStore {
    var column = column
    var row = 0
    while row < draft.rowCount {
      let count = min(TableStore.pageCapacity, draft.rowCount - row)
      column.append(vector, from: row, count: count, at: row, epoch: epoch)
      row += count
    }
    return column
  }

  // MARK: Columns

  /// Adds a column behind the others; `values` has a row for each position, deleted ones included, or
  /// is constant.
  package func addColumn(_ type: LogicalType, values: Vector) {
    let draft = draft
    let column = filled(
      ColumnStore(type), values.form == .constant ? values.resized(to: draft.rowCount) : values,
      draft)
    replaceDraft(
      TableStore(copying: draft, types: draft.types + [type], columns: draft.columns + [column]))
  }

  /// Takes a column away; columns behind it move up.
  ///
  /// - Precondition: no key and no reference of the layout uses the column.
  package func dropColumn(_ index: Int) {
    let draft = draft
    var types = draft.types
    var columns = draft.columns
    types.remove(at: index)
    columns.remove(at: index)
    let other = TableStore(copying: draft, types: types, columns: columns)
    let moved = { (column: Int) in column > index ? column - 1 : column }
    for key in other.layout.keys.indices {
      let columns = other.layout.keys[key].columns
      precondition(!columns.contains(index), "a column of a key cannot be dropped")
      other.layout.keys[key].columns = columns.map(moved)
      other.keys[key] = other.keys[key].renumbered(columns.map(moved))
    }
    for reference in other.layout.references.indices {
      let columns = other.layout.references[reference].columns
      other.layout.references[reference].columns = columns.map(moved)
    }
    replaceDraft(other)
  }

  /// Gives a column another type and new values, one for each position, deleted ones included.
  ///
  /// - Throws: `KeyConflict` if a unique key over the column does not hold any more.
  package func replaceColumn(
    _ index: Int, type: LogicalType, values: Vector
  ) throws(KeyConflict) {
    let draft = draft
    var types = draft.types
    var columns = draft.columns
    types[index] = type
    columns[index] = filled(
      ColumnStore(type), values.form == .constant ? values.resized(to: draft.rowCount) : values,
      draft)
    let other = TableStore(copying: draft, types: types, columns: columns)
    replaceDraft(other)
    for key in other.keys.indices where other.keys[key].key.columns.contains(index) {
      let layout = other.keys[key].key
      other.keys[key] = KeyIndex(layout, types: layout.columns.map { types[$0] })
      try rebuildKey(key, other)
    }
  }

  /// Deletes all rows at once; positions start again from 0.
  package func truncate() {
    let empty = TableStore(types: draft.types, layout: draft.layout)
    replaceDraft(empty)
  }
}
