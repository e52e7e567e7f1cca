package import Columnar

/// Goes through some columns of one version of a table, page by page.
///
/// Pages are found through plain bytes: workers that share a table would otherwise wait for each other to count the references of
/// its columns.
package final class TableScanner: Sendable {
  private let table: TableStore
  private let columns: [Int]
  private let types: [LogicalType]
  /// One for each column; none where some column cannot be read so.
  private let readers: [ColumnReader]
  private let hasDeletedRows: Bool

  /// Reads `columns` of a table, which go by `types`, of the same form as those that are stored.
  package init(_ table: TableStore, columns: [Int], types: [LogicalType]) {
    self.table = table
    self.columns = columns
    self.types = types
    let found = columns.map { table.column($0).reader }
    readers = found.contains { $0 == nil } ? [] : found.compactMap { $0 }
    hasDeletedRows = table.liveRowCount < table.rowCount
  }

  /// Whether a page is read in place where it stands: no row of it is deleted.
  private func readsInPlace(_ page: Int) -> Bool {
    readers.count == columns.count && (!hasDeletedRows || table.isWhole(page: page))
  }

  /// The rows of the first of some pages, and of as many behind it as stand one behind another in memory.
  ///
  /// - Precondition: they are pages of the table, at least one, and have no more rows than a chunk.
  package func scan(pages: Range<Int>) -> (chunk: DataChunk, pageCount: Int) {
    let first = pages.lowerBound
    var end = first + 1
    if readsInPlace(first) {
      while end < pages.upperBound && readsInPlace(end) { end += 1 }
      for place in readers.indices where end > first + 1 {
        end = readers[place].end(of: first..<end, types[place])
      }
    }
    if end == first + 1 { return (scan(page: first), 1) }
    let count = (end - 1 - first) * ColumnPage.capacity + table.rowCount(ofPage: end - 1)
    var vectors: [Vector] = []
    vectors.reserveCapacity(columns.count)
    for place in readers.indices {
      let vector = readers[place].vector(pages: first..<end, types[place], count: count)
      guard let vector else { return (scan(page: first), 1) }
      vectors.append(vector)
    }
    return (DataChunk(vectors, count: count), end - first)
  }

  /// The rows of a page that are not deleted.
  package func scan(page: Int) -> DataChunk {
    guard readsInPlace(page) else { return readFromTable(page) }
    let count = table.rowCount(ofPage: page)
    var vectors: [Vector] = []
    vectors.reserveCapacity(columns.count)
    for place in readers.indices {
      guard let vector = readers[place].vector(page: page, types[place], count: count) else {
        return readFromTable(page)
      }
      vectors.append(vector)
    }
    return DataChunk(vectors, count: count)
  }

  private func readFromTable(_ page: Int) -> DataChunk {
    var chunk = table.scan(page: page, columns: columns)
    for place in columns.indices where chunk.columns[place].type != types[place] {
      chunk.columns[place] = chunk.columns[place].retyped(types[place])
    }
    return chunk
  }
}

/// Whether some row of a page may satisfy a comparison of a column, or all of them do.
package struct PageTest: Sendable {
  private let column: Int
  private let probe: ZoneProbe
  private let reader: ColumnReader?

  package init(_ table: TableStore, column: Int, _ probe: ZoneProbe) {
    self.column = column
    self.probe = probe
    reader = table.column(column).reader
  }

  /// - Precondition: the table is the one that the test was made for.
  package func mayHold(page: Int, of table: TableStore) -> Bool {
    guard let reader, let zone = reader.zone(page: page) else {
      return table.mayContain(page: page, column: column, probe)
    }
    return probe.mayHold(in: zone)
  }

  /// The pages of which some row may satisfy the comparison, where the bounds of pages rise from page to page.
  ///
  /// - Precondition: the table is the one that the test was made for.
  /// - Complexity: O(log *p*) in the pages, and O(*p*) the first time that a version of the table is asked.
  package func range(of table: TableStore, leastPages: Int = Self.pageMin) -> Range<Int>? {
    guard table.streamed == nil, table.pageCount >= leastPages, let sides = probe.sides else {
      return nil
    }
    let order = table.orders.pages(by: column, SortOrder(), of: table)
    if !order.rises { return nil }
    let reader = reader
    func mayHold(_ page: Int, _ probe: ZoneProbe) -> Bool {
      if page == table.pageCount - 1, let last = order.lastZone { return probe.mayHold(in: last) }
      if let zone = reader?.zone(page: page) { return probe.mayHold(in: zone) }
      return table.mayContain(page: page, column: column, probe)
    }
    // The pages from the first on whose greatest value is great enough, to the last whose least is small enough.
    var range = 0..<table.pageCount
    if let least = sides.least {
      range = first(in: range) { mayHold($0, least) }..<range.upperBound
    }
    if let greatest = sides.greatest {
      range = range.lowerBound..<first(in: range) { !mayHold($0, greatest) }
    }
    return range
  }

  /// Fewer pages are soon asked one by one.
  package static var pageMin: Int { 4 }

  /// The first page of a range from which on something is true.
  private func first(in range: Range<Int>, where isTrue: (Int) -> Bool) -> Int {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if isTrue(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Whether no row of a page does, as is known without putting anything in place.
  ///
  /// - Precondition: the table is the one that the test was made for.
  package func isKnownToMiss(page: Int) -> Bool {
    reader?.zone(page: page).map { !probe.mayHold(in: $0) } ?? false
  }

  /// Whether all rows of a page are known to satisfy it.
  ///
  /// - Precondition: the table is the one that the test was made for.
  package func mustHold(page: Int) -> Bool {
    guard let reader, let zone = reader.zone(page: page) else { return false }
    return probe.mustHold(in: zone)
  }
}

extension ColumnReader {
  /// The page, if it is in place.
  private func page(_ index: Int) -> UncountedReference<ColumnPage>? {
    if !(lazy.withObject { $0.isFilled(index &>> 6) } ?? true) { return nil }
    return directory[index &>> 6][index & 63].page
  }

  /// The first `count` values of a page; nil where it is not in place.
  fileprivate func vector(page index: Int, _ type: LogicalType, count: Int) -> Vector? {
    page(index)?.withObject { $0.vector(type, count: count) }
  }

  /// Where those of some pages end that stand one behind another in place.
  fileprivate func end(of pages: Range<Int>, _ type: LogicalType) -> Int {
    let end = page(pages.lowerBound)?.withObject { first in
      var next = pages.lowerBound + 1
      while next < pages.upperBound,
        page(next)?.withObject({
          first.isFollowed(by: $0, after: next - pages.lowerBound, type)
        }) == true
      { next += 1 }
      return next
    }
    return end ?? pages.lowerBound + 1
  }

  /// The first `count` values of pages that stand one behind another.
  fileprivate func vector(pages: Range<Int>, _ type: LogicalType, count: Int) -> Vector? {
    guard let first = page(pages.lowerBound), let last = page(pages.upperBound - 1) else {
      return nil
    }
    var parts = PageParts()
    for index in pages { page(index)?.withObject { parts.add($0, total: count) } }
    let vector = first.withObject { first in
      last.withObject { first.vector(type, parts, through: $0, count: count) } ?? nil
    }
    return vector ?? nil
  }

  /// The bounds of a page that is in place and full; nil for any other.
  fileprivate func zone(page index: Int) -> Zone? {
    page(index)?.withObject { $0.zone } ?? nil
  }
}
