package import Columnar

/// A source of rows that is best read from beginning to end, as a file whose pages have to be unpacked one after another.
package protocol StreamedSource: SectionSource {
  /// The pages, by rising number and from the first on, with which parts begin that one thread should read by itself.
  var partStarts: [Int] { get }

  /// What the optimiser may know of a column.
  func statistics(ofColumn column: Int) -> ColumnStatistics

  /// Bounds of the values on a page that is not in place; nil if nothing is known.
  ///
  /// Its counts are those of more rows than the page's: they say only whether there are any.
  func zone(ofColumn column: Int, page: Int) -> Zone?

  /// The same as values, for each part of pages, of which there is one at least; they may be ones that no row has.
  func bounds(ofColumn column: Int, pages: Range<Int>) -> [PageBounds]

  /// Whether something could not be read, so that made up values may stand in its place.
  var isDamaged: Bool { get }
}

/// Bounds of the values on a page, or a part of it.
package struct PageBounds: Sendable {
  /// No value is less; nil where that is not known.
  package var minimum: Value?
  /// No value is greater; nil where that is not known.
  package var maximum: Value?
  /// Whether there may be values that are not NULL.
  package var hasValues: Bool
  /// Whether a row of the table has the minimum.
  package var isMinimumReached: Bool
  /// Whether a row of the table has the maximum.
  package var isMaximumReached: Bool

  package init(
    minimum: Value?, maximum: Value?, hasValues: Bool, isMinimumReached: Bool = false,
    isMaximumReached: Bool = false
  ) {
    self.minimum = minimum
    self.maximum = maximum
    self.hasValues = hasValues
    self.isMinimumReached = isMinimumReached
    self.isMaximumReached = isMaximumReached
  }
}

extension TableStore {
  /// Bounds of the values on each part of a page, if they are known without reading it.
  package func bounds(ofPage page: Int, column: Int) -> [PageBounds]? {
    let store = columns[column]
    guard store.pages.isInPlace(page) else {
      return streamed?.bounds(ofColumn: column, pages: page..<page + 1)
    }
    guard ZoneKey.precision(store.type) == .exact, let zone = store.pages[page].zone else {
      return nil
    }
    return [
      PageBounds(
        minimum: ZoneKey.value(zone.minimum, store.type),
        maximum: ZoneKey.value(zone.maximum, store.type), hasValues: zone.valueCount > 0)
    ]
  }
}

extension TableStore {
  /// So many pages of each part may be looked at for an estimate.
  package static let sampledPagesMax = 4

  /// Puts columns in place, on all cores, unless the statement has to end: for somebody who keeps all of them.
  package func putInPlace(_ wanted: [Int]) {
    for column in wanted { columns[column].pages.lazy?.fillUnlessInterrupted() }
  }

  /// A table of rows that are read when they are first touched, without keys and references.
  ///
  /// Row groups of column *i* stand in sections *i* × `TableSections.groupCount(rowCount)` on. No type is composite.
  ///
  /// - Precondition: there are at most `rowLimit` rows.
  package convenience init(
    streaming types: [LogicalType], rowCount: Int, from source: any StreamedSource
  ) {
    self.init(types: types)
    self.rowCount = rowCount
    liveRowCount = rowCount
    tail = TailClaim(filled: rowCount)
    streamed = source
    var summaries: ArraySlice<[GroupSummary]> = []
    columns = types.indices.map { index in
      ColumnStore(
        opening: types[index], rowCount: rowCount, summaries: &summaries,
        origin: SectionOrigin(source, first: index * TableSections.groupCount(rowCount)))
    }
  }
}
