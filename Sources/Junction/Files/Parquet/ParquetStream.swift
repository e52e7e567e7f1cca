import Columnar
import Diagnostics
import Parquet
import Storage
import Synchronization

/// Parquet files as the rows of a table that are read when somebody comes to them.
///
/// Who goes through the table from beginning to end has pages unpacked one behind another, and keeps nothing of them; who does
/// so again, or comes to single rows, has whole columns put in place by all workers. So a question that is asked once
/// takes the memory of a few pages, and one that is asked often finds a table.
final class ParquetStream: StreamedSource {
  private let groups: ParquetRowGroups
  private let columns: [ParquetColumnStream]
  private let groupCount: Int
  let partStarts: [Int]
  private let hasFailed = Atomic<Bool>(false)

  /// About so many bytes are kept of each group of 64 pages before any is read.
  private static let directoryByteCount = 3 << 10
  /// A longer row group is a part for each so many pages of it.
  private static let partPagesMax = 128
  /// So many parts are enough for workers to be done at about the same time.
  private static let partsPerWorker = 6

  /// - Throws: 54000 for files of more rows than a table has, 53200.
  init(_ rows: ParquetRows) throws(SQLError) {
    groups = rows.rowGroups
    guard groups.rowCount <= TableStore.rowLimit else {
      throw SQLError(
        .programLimitExceeded,
        "the files have \(groups.rowCount) rows, but a table has at most \(TableStore.rowLimit)",
        hint: "Name fewer files.")
    }
    groupCount = TableSections.groupCount(groups.rowCount)
    // A few bytes may claim any number of rows, for each column of which there is a directory.
    let (byteCount, isTooMuch) = (groupCount * Self.directoryByteCount)
      .multipliedReportingOverflow(by: rows.columns.count)
    try RunningStatement.reserve(isTooMuch ? .max : byteCount)
    let groups = groups
    columns = rows.columns.map { ParquetColumnStream($0, groups) }
    partStarts = Self.partStarts(groups)
  }

  /// The pages with which row groups begin: of several row groups to a part where there are many of them, and between them where
  /// they are long.
  ///
  /// Where two parts meet within a page one thread may have to wait for another.
  private static func partStarts(_ groups: ParquetRowGroups) -> [Int] {
    let capacity = TableStore.pageCapacity
    let least = groups.rowCount / capacity / (partsPerWorker * parallelWidth)
    var starts: [Int] = []
    for group in groups.all {
      let first = (group.rows.lowerBound + capacity - 1) / capacity
      let end = (group.rows.upperBound + capacity - 1) / capacity
      let parts = max(1, (end - first + partPagesMax - 1) / partPagesMax)
      for part in 0..<parts where first < end {
        let start = first + (end - first) * part / parts
        if starts.last.map({ start - $0 >= max(1, least) }) ?? true { starts.append(start) }
      }
    }
    return starts
  }

  /// The table of the files' rows.
  var table: TableStore {
    TableStore(
      streaming: columns.map(\.column.type.type), rowCount: groups.rowCount, from: self)
  }

  var isDamaged: Bool { hasFailed.load(ordering: .acquiring) }

  /// Ends the statement with an error, and sees to it that nobody takes what it has read for the file's.
  private func fail(_ error: SQLError) {
    hasFailed.store(true, ordering: .releasing)
    RunningStatement.current?.fail(error)
  }

  // MARK: Reading

  func columnPages(_ section: Int, _ type: LogicalType, rows: [Int]) -> [PageContents]? {
    let (column, group) = section.quotientAndRemainder(dividingBy: groupCount)
    do throws(SQLError) {
      let first = group * TableStore.pagesPerRowGroup
      return try columns[column].wholePages(first..<(first + rows.count))
    } catch {
      fail(error)
      return nil
    }
  }

  func columnPage(_ section: Int, _ type: LogicalType, page: Int, rows: Int) -> Vector? {
    let (column, group) = section.quotientAndRemainder(dividingBy: groupCount)
    do throws(SQLError) {
      return try columns[column].page(group * TableStore.pagesPerRowGroup + page, rows: rows)
    } catch {
      fail(error)
      return nil
    }
  }

  func columnValues(
    from first: Int, _ type: LogicalType, at positions: Buffer<UInt32>, count: Int
  ) -> Vector? {
    let column = columns[first / groupCount]
    guard column.column.isFlat else { return nil }
    var pages: [Int] = []
    for row in 0..<count {
      let page = Int(positions[row]) / TableStore.pageCapacity
      if pages.last == page { continue }
      guard isSampled(page) else { return nil }
      pages.append(page)
    }
    do throws(SQLError) {
      return try column.values(positions, count: count, on: pages)
    } catch {
      fail(error)
      return nil
    }
  }

  /// Whether a page stands near the beginning of a part, so that it is not far to it.
  private func isSampled(_ page: Int) -> Bool {
    var (low, high) = (0, partStarts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if partStarts[middle] <= page { low = middle } else { high = middle }
    }
    return low < partStarts.count && page >= partStarts[low]
      && page < partStarts[low] + TableStore.sampledPagesMax
  }

  func statistics(ofColumn column: Int) -> ColumnStatistics { columns[column].statistics }

  func zone(ofColumn column: Int, page: Int) -> Zone? { columns[column].zone(ofPage: page) }

  func bounds(ofColumn column: Int, pages: Range<Int>) -> [PageBounds] {
    columns[column].bounds(ofPages: pages)
  }

  // MARK: What files have none of

  func parents(_ section: Int, rows: [Int]) -> [ParentContents]? { nil }

  func lists(
    _ section: Int, _ extent: ListExtent, parents: (Range<Int>) -> Buffer<UInt32>?
  ) -> ListContents? { nil }

  func degrees(_ section: Int, sourceCount: Int) -> Buffer<UInt32>? { nil }

  func note(damagedSection section: Int, _ reason: String) {
    fail(.internal("rows of a file do not hold together: \(reason)"))
  }

  func note(damagedTable reason: String) {
    fail(.internal("rows of a file do not hold together: \(reason)"))
  }
}
