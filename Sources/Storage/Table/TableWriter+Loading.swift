package import Columnar

extension TableWriter {
  /// Adds rows behind the last one without entering them anywhere, at the cost of a copy.
  ///
  /// For an empty table. `finishLoading()` must follow, then `rebuildKeys()`, then `setLayout` with the
  /// parents of every reference; until then references have no rows.
  package func load(_ chunk: DataChunk) {
    guard chunk.count > 0 else { return }
    let draft = draft
    let start = draft.rowCount
    let end = start + chunk.count
    precondition(end <= TableStore.rowLimit, "a table holds at most \(TableStore.rowLimit) rows")
    draft.claim(end, epoch: epoch)
    var from = 0
    while from < chunk.count {
      let row = start + from
      let room = TableStore.pageCapacity - row % TableStore.pageCapacity
      let count = min(room, chunk.count - from)
      for column in draft.columns.indices {
        draft.columns[column].append(
          chunk.columns[column], from: from, count: count, at: row, epoch: epoch, seals: false)
      }
      from += count
    }
    draft.rowCount = end
    draft.liveRowCount += chunk.count
  }

  /// Computes the bounds and statistics of all pages that were loaded.
  ///
  /// - Complexity: O(*n*) for each column, on all cores.
  package func finishLoading() {
    let draft = draft
    for column in draft.columns.indices { draft.columns[column].arena = nil }
    ColumnStore.sealPages(
      &draft.columns, fullPages: draft.rowCount / TableStore.pageCapacity, epoch: epoch)
  }
}
