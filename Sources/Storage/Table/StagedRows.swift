package import Columnar

/// Rows on their way into a table: whole pages that one thread puts together by itself.
///
/// A bulk load lets each thread stage a piece of the input, then hands the pieces to the table's writer
/// in their order, which takes the pages over without moving a value.
///
/// Use it from one thread at a time; hand it over when done.
package final class StagedRows: @unchecked Sendable {
  // Sendable by rule: whoever fills it hands it over and does not touch it any more.
  private let epoch = Epoch.next()
  private(set) var columns: [ColumnStore]
  /// The number of rows.
  package private(set) var rowCount = 0

  package init(types: [LogicalType]) { columns = types.map { ColumnStore($0) } }

  /// Adds rows behind the last one.
  ///
  /// - Complexity: O(*n*).
  package func append(_ chunk: DataChunk) {
    var from = 0
    while from < chunk.count {
      let room = TableStore.pageCapacity - rowCount % TableStore.pageCapacity
      let count = min(room, chunk.count - from)
      for column in columns.indices {
        columns[column].append(
          chunk.columns[column], from: from, count: count, at: rowCount, epoch: epoch)
      }
      from += count
      rowCount += count
    }
  }

  /// The number of pages.
  package var pageCount: Int {
    (rowCount + TableStore.pageCapacity - 1) / TableStore.pageCapacity
  }

  /// Columns of a page in place; for finding parents before the rows are handed over.
  package func page(_ page: Int, columns wanted: [Int]) -> DataChunk {
    let count = min(TableStore.pageCapacity, rowCount - page * TableStore.pageCapacity)
    return DataChunk(
      wanted.map { columns[$0].vector(page: page, count: count) }, count: count)
  }
}

extension TableWriter {
  /// Pieces of fewer pages are copied, as the gap before them would cost more than that.
  private static let adoptedPages = 16

  /// Adds staged rows behind the last one, without entering them into the indexes.
  ///
  /// `rebuildIndexes()` must follow. Positions that fall between the table's last row and the next page
  /// are passed over: they count as deleted rows.
  ///
  /// - Parameters:
  ///   - staged: the rows, which must not be changed any more.
  ///   - parents: for each reference the positions of the parents' rows; nil for none.
  /// - Returns: the positions of the rows.
  /// - Complexity: O(pages).
  @discardableResult
  package func append(_ staged: StagedRows, parents: [Buffer<UInt32>?] = []) -> Range<Int> {
    if staged.pageCount < Self.adoptedPages { return copy(staged, parents) }
    padPage()
    let draft = draft
    let start = draft.rowCount
    let end = start + staged.rowCount
    precondition(end <= TableStore.rowLimit, "a table holds at most \(TableStore.rowLimit) rows")
    for column in draft.columns.indices {
      draft.columns[column].adopt(staged.columns[column], epoch: epoch)
    }
    for reference in draft.references.indices {
      let given = reference < parents.count ? parents[reference] : nil
      let values = given ?? Buffer(repeating: .max, count: staged.rowCount)
      draft.references[reference].appendPages(
        values, count: staged.rowCount, at: start, of: draft.column(ofReference: reference),
        epoch: epoch)
    }
    draft.rowCount = end
    draft.liveRowCount += staged.rowCount
    draft.tail = TailClaim(filled: end)
    return start..<end
  }

  private func copy(_ staged: StagedRows, _ parents: [Buffer<UInt32>?]) -> Range<Int> {
    let start = draft.rowCount
    for page in 0..<staged.pageCount {
      let chunk = staged.page(page, columns: Array(draft.columns.indices))
      let first = page * TableStore.pageCapacity
      // Without indexes there is no conflict.
      _ = try? append(
        chunk, parents: parents.map { $0?.slice(first..<(first + chunk.count)) },
        maintainingIndexes: false)
    }
    return start..<(start + staged.rowCount)
  }

  /// Fills the last page with deleted rows.
  private func padPage() {
    let draft = draft
    let start = draft.rowCount
    let gap = (TableStore.pageCapacity - start % TableStore.pageCapacity) % TableStore.pageCapacity
    guard gap > 0 else { return }
    let nothing = DataChunk(draft.types.map { Vector.null($0, count: gap) }, count: gap)
    _ = try? append(nothing, maintainingIndexes: false)
    for position in start..<(start + gap) {
      _ = draft.live.delete(UInt32(position), epoch: epoch)
    }
    draft.liveRowCount -= gap
  }
}

extension ColumnStore {
  /// Takes over the pages of another column behind those of this one, which are all full.
  mutating func adopt(_ other: ColumnStore, epoch: Epoch) {
    let base = pages.count
    for page in 0..<other.pages.count { pages.append(other.pages[page], epoch: epoch) }
    for field in fields.indices { fields[field].adopt(other.fields[field], epoch: epoch) }
    for (group, summary) in other.summaries.enumerated() {
      let first = base + group * 64
      // A group of the other column may lie across two of this one; bounds may be too wide.
      for target in (first >> 6)...((first + 63) >> 6) {
        merge(summary, into: target, epoch: epoch)
      }
    }
  }
}
