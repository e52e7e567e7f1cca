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
    return (pageCount + Self.pagesPerMorsel - 1) / Self.pagesPerMorsel
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
    let first = min(pageCount, morsel * Self.pagesPerMorsel)
    return first..<min(pageCount, first + Self.pagesPerMorsel)
  }
}
