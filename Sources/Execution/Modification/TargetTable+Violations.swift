import Catalog
import Columnar
import Diagnostics
import Storage

/// Finding every violation rather than the first: for loads that name them all.
extension TargetTable {
  /// The rows that have NULL where they must not, or that a check refuses; each at most once.
  func findBadRows(
    _ chunk: inout DataChunk, note: (Int, SQLError) -> Void
  ) throws(SQLError) {
    var bad = RowSet(count: chunk.count)
    for (index, column) in table.columns.enumerated() where column.isNotNull {
      let vector = chunk.columns[index]
      guard vector.mayHaveNulls else { continue }
      for row in 0..<chunk.count where !vector.isValid(row) {
        let before = bad.count
        bad.insert(row)
        if bad.count > before {
          note(row, Violations.notNull(index, of: table, row: row, in: chunk.columns))
        }
      }
    }
    guard hasChecks else { return }
    let good = bad.complement
    var part = good.count == chunk.count ? chunk : chunk.gathered(good)
    guard part.count > 0 else { return }
    var refused = RowSet(count: part.count)
    let columns = part.columns
    let count = part.count
    try forEachCheck(&part) { name, result in
      for row in 0..<count {
        guard result.isValid(row), !result.isTrue(row) else { continue }
        let before = refused.count
        refused.insert(row)
        guard refused.count > before else { continue }
        note(
          Int(good.positions[row]),
          Violations.check(name, of: table, row: row, in: columns))
      }
    }
  }

  /// The rows whose key a stored row has, or an earlier row of the chunk.
  func findTakenKeys(
    _ chunk: DataChunk, note: (Int, SQLError) -> Void
  ) throws(SQLError) {
    for index in immediateKeys {
      let key = table.keys[index]
      let values = key.columns.map { chunk.columns[$0].flattened() }
      let found = try find(index, values, count: chunk.count)
      let groups = GroupTable(types: values.map(\.type))
      let fresh = try groups.insertNew(values, count: chunk.count)
      var next = 0
      for row in 0..<chunk.count {
        var isRepeat = true
        if next < fresh.count && Int(fresh.positions[next]) == row {
          isRepeat = false
          next += 1
        }
        if isRepeat, !key.nullsNotDistinct, values.contains(where: { !$0.isValid(row) }) {
          isRepeat = false
        }
        if isRepeat || found[row] != TableStore.noRow {
          note(row, Violations.unique(key, of: table, row: row, in: values))
        }
      }
    }
  }
}

extension Vector {
  /// Whether a boolean vector is true at a row that is not NULL.
  fileprivate func isTrue(_ row: Int) -> Bool { values(UInt8.self)[position(row)] != 0 }
}
