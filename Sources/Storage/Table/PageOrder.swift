package import Columnar

/// The pages of a table in the order in which the first rows by a column are looked for: by the best value that each may have.
///
/// Where values rise with positions, as keys and dates that are handed out do, the first pages hold the first rows, and of all others
/// their bounds tell that they hold none: if one of them holds none, so do those behind it. Those with NULL, where that comes first, and
/// those whose bounds are not known stand before all others.
package struct PageOrder: Sendable {
  package let pages: Buffer<UInt32>
  /// Whether a page has values of its own mostly: bounds then tell pages apart.
  package let tellsApart: Bool

  /// Values of a page span so small a share of all at most, on average.
  private static let spanMax = 0.125

  /// - Complexity: O(*p* log *p*) in the pages, O(*p*) where they are in order.
  init(_ column: Int, _ order: SortOrder, of table: TableStore) {
    let count = table.pageCount
    let ranks = Buffer<UInt64>(uninitialized: max(1, count))
    var all = Zone()
    var (width, unknown) = (0.0, 0)
    for page in 0..<count {
      ranks[page] = 0
      guard let zone = table.zone(ofPage: page, column: column) else {
        unknown += 1
        continue
      }
      all.merge(zone)
      if zone.valueCount > 0 { width += Double(zone.maximum &- zone.minimum) }
      if order.nullsFirst && zone.nullCount > 0 { continue }
      ranks[page] =
        if zone.valueCount == 0 { .max } else { order.descending ? ~zone.maximum : zone.minimum }
    }
    let whole = all.valueCount > 0 ? Double(all.maximum &- all.minimum) : 0
    tellsApart =
      whole > 0 && width <= whole * Double(count) * Self.spanMax && unknown * 8 <= count
    var (rises, falls) = (true, true)
    for page in 1..<max(count, 1) {
      if ranks[page] < ranks[page &- 1] { rises = false }
      if ranks[page] > ranks[page &- 1] { falls = false }
    }
    pages = Buffer(uninitialized: max(1, count))
    if rises || falls || !tellsApart {
      let last = rises || !tellsApart ? 0 : count &- 1
      for place in 0..<count {
        pages[place] = UInt32(truncatingIfNeeded: last == 0 ? place : last &- place)
      }
    } else {
      let sorted = (0..<count).sorted { (ranks[$0], $0) < (ranks[$1], $1) }
      for place in 0..<count { pages[place] = UInt32(truncatingIfNeeded: sorted[place]) }
    }
  }
}

extension TableStore {
  /// The bounds of a page; nil where they are not known.
  fileprivate func zone(ofPage page: Int, column: Int) -> Zone? {
    streamed == nil ? columns[column].pages[page].zone : nil
  }
}
