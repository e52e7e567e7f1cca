import Catalog
import Columnar
import Diagnostics
import Storage

/// Rows of a child that refer to some rows of a parent: pairs by rising parent.
struct ChildMatches {
  /// Which of the parents, by index.
  var rows: Buffer<UInt32>
  /// The positions of the children.
  var positions: Buffer<UInt32>
  var count: Int
}

/// Reading and writing the stored rows.
extension TargetTable {
  func isLive(_ position: UInt32) -> Bool { writer.current.isLive(position) }

  /// Some columns of the rows at `positions`, as they are now.
  func gather(_ column: Int, _ positions: Buffer<UInt32>, count: Int) -> Vector {
    writer.current.gather(positions, count: count, column: column)
  }

  /// All columns of the rows at `positions`.
  func rows(_ positions: Buffer<UInt32>, count: Int) -> DataChunk {
    writer.current.gather(positions, count: count, columns: Array(table.columns.indices))
  }

  /// The row with each key, `TableStore.noRow` for none.
  ///
  /// - Throws: XX000 if the definitions of the table and its parents do not fit.
  func find(_ key: Int, _ values: [Vector], count: Int) throws(SQLError) -> Buffer<UInt32> {
    let search = try KeySearch(
      key, of: table, in: writer.current, tables: transaction.readableTable)
    return try search.lookup(values, count: count)
  }

  /// Looks for the first of the rows before `limit` whose key is taken, by a row that is there or by an
  /// earlier one of the chunk.
  func checkKeys(
    _ chunk: DataChunk, upTo limit: Int, _ violation: inout FirstViolation
  ) throws(SQLError) {
    let count = min(limit, chunk.count)
    for index in immediateKeys {
      let key = table.keys[index]
      let values = key.columns.map { chunk.columns[$0] }
      let found = try find(index, values, count: chunk.count)
      for row in 0..<count where found[row] != TableStore.noRow {
        violation.note(row: row) { Violations.unique(key, of: table, row: row, in: values) }
        break
      }
      if let row = try KeyRepeats.first(values, chunk.count, nullsEqual: key.nullsNotDistinct) {
        violation.note(row: row) { Violations.unique(key, of: table, row: row, in: values) }
      }
    }
  }

  /// The same for new values of rows that are there.
  ///
  /// As in PostgreSQL rows change one after another: a row may take the key that an earlier row of the
  /// chunk gave up, but not one that a later row still has.
  func checkKeys(
    _ new: DataChunk, replacing old: DataChunk, at positions: Buffer<UInt32>, changed: Set<Int>,
    upTo limit: Int, _ violation: inout FirstViolation
  ) throws(SQLError) {
    for index in immediateKeys {
      let key = table.keys[index]
      guard !changed.isDisjoint(with: key.columns) else { continue }
      let values = key.columns.map { new.columns[$0] }
      let found = try find(index, values, count: new.count)
      var places: [UInt32: Int]?
      for row in 0..<min(limit, new.count) where found[row] != TableStore.noRow {
        if found[row] == positions[row] { continue }
        let known = places ?? Self.places(positions, new.count)
        places = known
        if let other = known[found[row]], other < row { continue }
        violation.note(row: row) { Violations.unique(key, of: table, row: row, in: values) }
        break
      }
      if let row = try KeyRepeats.first(values, new.count, nullsEqual: key.nullsNotDistinct) {
        violation.note(row: row) { Violations.unique(key, of: table, row: row, in: values) }
      }
    }
  }

  private static func places(_ positions: Buffer<UInt32>, _ count: Int) -> [UInt32: Int] {
    var places: [UInt32: Int] = [:]
    for row in 0..<count { places[positions[row]] = row }
    return places
  }

  // MARK: Writing

  /// Adds rows behind the others, and gives the position of the first.
  ///
  /// - Throws: 23505.
  func append(_ chunk: DataChunk, parents: [Buffer<UInt32>]) throws(SQLError) -> UInt32 {
    let start = UInt32(truncatingIfNeeded: writer.current.rowCount)
    do throws(KeyConflict) {
      try writer.append(chunk, parents: parents)
    } catch {
      throw violation(error, chunk, row: Int(error.row &- start))
    }
    return start
  }

  /// Gives rows new values in some columns.
  ///
  /// - Throws: 23505.
  func update(
    _ columns: [Int], _ positions: Buffer<UInt32>, count: Int, _ values: [Vector],
    parents: [(reference: Int, parents: Buffer<UInt32>)], new: DataChunk
  ) throws(SQLError) {
    do throws(KeyConflict) {
      try writer.update(positions, count: count, columns: columns, to: values)
    } catch {
      let row = (0..<count).first { positions[$0] == error.row } ?? 0
      throw violation(error, new, row: row)
    }
    do throws(KeyConflict) {
      try writer.setParents(parents, positions, count: count)
    } catch {
      let row = (0..<count).first { positions[$0] == error.row } ?? 0
      throw violation(error, new, row: row)
    }
  }

  func violation(_ conflict: KeyConflict, _ chunk: DataChunk, row: Int) -> SQLError {
    if let interruption = conflict.interruption { return interruption }
    guard let index = writer.current.key(violatedBy: conflict), index < table.keys.count,
      row >= 0, row < chunk.count
    else {
      return SQLError(
        .uniqueViolation,
        "duplicate key value violates a unique constraint of relation"
          + " \"\(table.name.name)\"")
    }
    let key = table.keys[index]
    return Violations.unique(
      key, of: table, row: row, in: key.columns.map { chunk.columns[$0] })
  }

  func delete(_ positions: Buffer<UInt32>, count: Int) {
    writer.delete(positions, count: count)
  }

  /// The live rows that refer by a foreign key to the rows of the parent at `parents`, whose keys are
  /// or were `keys`.
  func children(
    _ reference: Int, of parents: Buffer<UInt32>, _ keys: [Vector], count: Int
  ) throws(SQLError) -> ChildMatches {
    let store = writer.current
    let (rows, positions, found) = edges(reference, of: parents, count: count)
    guard found > 0 else { return ChildMatches(rows: rows, positions: positions, count: 0) }
    // A row that has taken another key in this statement may still stand under its old parent.
    let columns = table.foreignKeys[reference].columns
    var values: [Vector] = []
    for (place, column) in columns.enumerated() {
      values.append(
        try KeyConversion.comparable(
          store.gather(positions, count: found, column: column), keys[place].type))
    }
    let same = RowComparison.matching(
      values, SelectionVector.all(found).positions, keys, rows, count: found, nulls: .unequal)
    if same.count == found { return ChildMatches(rows: rows, positions: positions, count: found) }
    return ChildMatches(
      rows: ModificationRun.gathered(rows, same),
      positions: ModificationRun.gathered(positions, same), count: same.count)
  }

  /// Every pair of one of `parents` and a row that stands under it.
  private func edges(
    _ reference: Int, of parents: Buffer<UInt32>, count: Int
  ) -> (rows: Buffer<UInt32>, positions: Buffer<UInt32>, count: Int) {
    let index = writer.current.edges(from: reference)
    let degrees = index.degrees(of: parents, count: count)
    var total = 0
    for row in 0..<count { total += Int(degrees[row]) }
    let rows = Buffer<UInt32>(uninitialized: max(total, 1))
    let positions = Buffer<UInt32>(uninitialized: max(total, 1))
    var found = 0
    for row in 0..<count where degrees[row] > 0 {
      let list = index.neighbours(of: parents[row])
      for run in 0..<list.runCount {
        let stretch = list.run(run)
        for edge in 0..<stretch.count {
          rows[found] = UInt32(truncatingIfNeeded: row)
          positions[found] = stretch.rows[edge]
          found += 1
        }
      }
    }
    return (rows, positions, found)
  }
}

extension TableStore {
  /// The key, by index, that a row would break.
  func key(violatedBy conflict: KeyConflict) -> Int? {
    switch conflict.constraint {
    case .key(let index): index
    case .junction(let junction): layout.keys.firstIndex { $0.junction == junction }
    }
  }
}
