import Catalog
import Columnar
import Diagnostics
import Storage

/// Rows that a statement has written to a junction ahead of their parents, by the keys that edges hold.
///
/// They are edges of nothing (yet), so that the edges of the junction do not tell of them.
final class WaitingRows {
  /// One key: a group for each of its values, and the row that has it.
  private struct Key {
    let index: Int
    let columns: [Int]
    let groups: GroupTable
    var positions: [UInt32] = []
  }
  private let target: TargetTable
  private var keys: [Key] = []

  init(_ target: TargetTable) {
    self.target = target
    for (index, key) in target.writer.current.layout.keys.enumerated() where key.junction != nil {
      let types = key.columns.map { target.table.columns[$0].type }
      keys.append(Key(index: index, columns: key.columns, groups: GroupTable(types: types)))
    }
  }

  /// Adds some rows of a chunk; `positions` are those of all its rows.
  ///
  /// - Throws: 23505 if another row waits with the same key.
  /// - Complexity: O(rows) on average.
  func add(
    _ chunk: DataChunk, _ rows: SelectionVector, _ positions: Buffer<UInt32>
  ) throws(SQLError) {
    for place in keys.indices {
      let values = keys[place].columns.map { chunk.columns[$0].gathered(rows).flattened() }
      let groups = try keys[place].groups.findOrInsert(values, count: rows.count)
      for row in 0..<rows.count {
        let position = positions[rows.positions[row]]
        let group = Int(groups[row])
        if group == keys[place].positions.count {
          keys[place].positions.append(position)
        } else if keys[place].positions[group] == position {
          continue
        } else if target.isLive(keys[place].positions[group]) {
          throw Violations.unique(
            target.table.keys[keys[place].index], of: target.table, row: row, in: values)
        } else {
          keys[place].positions[group] = position
        }
      }
    }
  }

  /// The row that waits with each value of a key, `TableStore.noRow` for none; nil if no edges hold the key.
  func find(
    _ key: Int, _ values: [Vector], count: Int
  ) throws(SQLError) -> Buffer<UInt32>? {
    guard let known = keys.first(where: { $0.index == key }), !known.positions.isEmpty else {
      return nil
    }
    let groups = try known.groups.find(values.map { $0.flattened() }, count: count)
    let found = Buffer<UInt32>(repeating: TableStore.noRow, count: max(count, 1))
    for row in 0..<count where Int(groups[row]) < known.positions.count {
      let position = known.positions[Int(groups[row])]
      if target.isLive(position) { found[row] = position }
    }
    return found
  }
}
