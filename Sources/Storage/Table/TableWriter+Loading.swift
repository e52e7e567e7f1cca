package import Columnar
import Synchronization

extension TableWriter {
  /// Adds rows behind the last one without entering them anywhere, at the cost of a copy.
  ///
  /// For an empty table. `finishLoading()` must follow, then `rebuildKeys()`, then `setLayout` with the
  /// parents of every reference; until then references have no rows.
  package func load(_ chunk: DataChunk) {
    let draft = draft
    let start = draft.rowCount
    let end = start + chunk.count
    precondition(end <= TableStore.rowLimit, "a table holds at most \(TableStore.rowLimit) rows")
    draft.claim(end, epoch: epoch)
    for column in draft.columns.indices {
      draft.columns[column].load(chunk.columns[column], at: start, epoch: epoch)
    }
    draft.rowCount = end
    draft.liveRowCount += chunk.count
  }

  /// As `load` of one chunk behind another, with columns filled side by side.
  ///
  /// With `adopting`, a column takes over the memory of vectors that are a page each and stand in a stretch of many.
  package func load(_ chunks: [DataChunk], adopting: Bool = false) {
    let draft = draft
    let start = draft.rowCount
    let end = chunks.reduce(start) { $0 + $1.count }
    precondition(end <= TableStore.rowLimit, "a table holds at most \(TableStore.rowLimit) rows")
    if end == start { return }
    draft.claim(end, epoch: epoch)
    let columns = draft.columns.map { LoadedColumn($0) }
    draft.columns = []
    let epoch = epoch
    parallelFor(tasks: columns.count) { index in
      var row = start
      for chunk in chunks {
        columns[index].append(chunk.columns[index], at: row, epoch, adopting: adopting)
        row += chunk.count
      }
    }
    draft.columns = columns.map(\.filled)
    draft.rowCount = end
    draft.liveRowCount += end - start
  }

  /// Computes the bounds and statistics of all pages that were loaded.
  ///
  /// With `sketching`, different values are counted, for tables that will be asked many questions.
  ///
  /// - Complexity: O(*n*) for each column, on all cores.
  package func finishLoading(sketching: Bool = true) {
    let draft = draft
    for column in draft.columns.indices { draft.columns[column].arena = nil }
    ColumnStore.sealPages(
      &draft.columns, fullPages: draft.rowCount / TableStore.pageCapacity, epoch: epoch,
      sketching: sketching)
  }
}

/// A column that one task fills.
private final class LoadedColumn: Sendable {
  private let column: Mutex<ColumnStore>

  init(_ column: ColumnStore) { self.column = Mutex(column) }

  /// The column with what it has been given.
  var filled: ColumnStore { column.withLock { $0 } }

  func append(_ vector: Vector, at start: Int, _ epoch: Epoch, adopting: Bool) {
    column.withLock { column in
      if adopting && column.adopt(vector, at: start, epoch: epoch) { return }
      column.load(vector, at: start, epoch: epoch)
    }
  }
}

extension ColumnStore {
  /// Adds the values of a vector, over as many pages as they take.
  fileprivate mutating func load(_ vector: Vector, at start: Int, epoch: Epoch) {
    var from = 0
    while from < vector.count {
      let row = start + from
      let room = TableStore.pageCapacity - row % TableStore.pageCapacity
      let count = min(room, vector.count - from)
      append(vector, from: from, count: count, at: row, epoch: epoch, seals: false)
      from += count
    }
  }
}
