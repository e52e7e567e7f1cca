package import Columnar

/// A source of rows that is best read from beginning to end, as a file whose pages have to be unpacked one after another.
package protocol StreamedSource: SectionSource {
  /// The pages, by rising number and from the first on, with which parts begin that one thread should read by itself.
  var partStarts: [Int] { get }

  /// Bounds of the values on a page that is not in place; nil if nothing is known.
  ///
  /// Its counts are those of more rows than the page's: they say only whether there are any.
  func zone(ofColumn column: Int, page: Int) -> Zone?

  /// Whether something could not be read, so that made up values may stand in its place.
  var isDamaged: Bool { get }
}

extension TableStore {
  /// So many pages of each part may be looked at for an estimate.
  package static let sampledPagesMax = 4

  /// Puts columns in place, on all cores: for somebody who keeps all of them.
  package func putInPlace(_ wanted: [Int]) {
    let columns = wanted.map { self.columns[$0] }
    for column in columns { column.requireAll() }
  }

  /// A table of rows that are read when they are first touched, without keys and references.
  ///
  /// Row groups of column *i* stand in sections *i* × `TableSections.groupCount(rowCount)` on. No type is composite.
  ///
  /// - Precondition: there are at most `rowLimit` rows.
  package convenience init(
    streaming types: [LogicalType], rowCount: Int, _ statistics: [ColumnStatistics],
    from source: any StreamedSource
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
    statisticsCache.seed(statistics, rowCount: rowCount)
  }
}
