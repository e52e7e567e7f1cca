import Storage

/// How a table is cut into morsels by everything that reads it page by page.
extension TableStore {
  private static var pagesPerMorsel: Int { 16 }
  /// A table of fewer rows is one morsel: starting another worker takes longer than reading it.
  private static var parallelRowCount: Int { 100_000 }

  private var isOneMorsel: Bool { rowCount < Self.parallelRowCount }

  var morselCount: Int {
    if isOneMorsel { return 1 }
    if let streamed { return streamed.partStarts.count }
    return Self.morselCount(of: 0..<pageCount)
  }

  /// The pieces of a page that are morsels of a small table each row of which makes much work.
  static var piecesPerPage: Int { 8 }

  /// Whether the table is cut into pieces of pages where rows make much work.
  var hasPieces: Bool { isOneMorsel && rowCount > Self.pageCapacity / Self.piecesPerPage }

  /// The pages of a morsel; none for a table that is empty, or a morsel that it has not.
  func pages(ofMorsel morsel: Int) -> Range<Int> {
    if isOneMorsel { return 0..<pageCount }
    if let starts = streamed?.partStarts {
      guard morsel < starts.count else { return pageCount..<pageCount }
      return starts[morsel]..<(morsel + 1 < starts.count ? starts[morsel + 1] : pageCount)
    }
    return Self.pages(ofMorsel: morsel, of: 0..<pageCount)
  }

  /// The number of morsels of some pages that stand one behind another.
  static func morselCount(of pages: Range<Int>) -> Int {
    (pages.count + pagesPerMorsel - 1) / pagesPerMorsel
  }

  /// The pages of one of these morsels; none for one that they have not.
  static func pages(ofMorsel morsel: Int, of pages: Range<Int>) -> Range<Int> {
    let first = min(pages.upperBound, pages.lowerBound + morsel * pagesPerMorsel)
    return first..<min(pages.upperBound, first + pagesPerMorsel)
  }
}
