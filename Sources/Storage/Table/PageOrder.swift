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
  /// Whether the bounds of all pages are known, and neither the least nor the greatest value of a page is less than that of the page
  /// before: a range of values is then one of pages.
  let rises: Bool
  /// The bounds of the last page, where it has none of its own as it is not full.
  let lastZone: Zone?
  /// Whether pages stand one behind another, upwards or downwards; nil where they are mixed.
  private let isUpwards: Bool?

  /// Values of a page span so small a share of all at most, on average.
  private static let spanMax = 0.125

  /// - Complexity: O(*p* log *p*) in the pages, O(*p*) where they are in order.
  init(_ column: Int, _ order: SortOrder, of table: TableStore) {
    let count = table.pageCount
    let ranks = Buffer<UInt64>(uninitialized: max(1, count))
    var all = Zone()
    var (width, unknown) = (0.0, 0)
    var (last, isRising) = (Zone(), true)
    lastZone = count == 0 ? nil : table.zone(ofLastPage: count &- 1, column: column)
    for page in 0..<count {
      ranks[page] = 0
      let own = table.zone(ofPage: page, column: column)
      guard let zone = page == count &- 1 ? own ?? lastZone : own else {
        unknown += 1
        continue
      }
      all.merge(zone)
      if zone.valueCount > 0 { width += Double(zone.maximum &- zone.minimum) }
      isRising =
        isRising && zone.valueCount > 0
        && (page == 0 || zone.minimum >= last.minimum && zone.maximum >= last.maximum)
      last = zone
      if order.nullsFirst && zone.nullCount > 0 { continue }
      ranks[page] =
        if zone.valueCount == 0 { .max } else { order.descending ? ~zone.maximum : zone.minimum }
    }
    let whole = all.valueCount > 0 ? Double(all.maximum &- all.minimum) : 0
    rises = isRising && unknown == 0
    tellsApart =
      whole > 0 && width <= whole * Double(count) * Self.spanMax && unknown * 8 <= count
    var (isInOrder, isTurned) = (true, true)
    for page in 1..<max(count, 1) {
      if ranks[page] < ranks[page &- 1] { isInOrder = false }
      if ranks[page] > ranks[page &- 1] { isTurned = false }
    }
    pages = Buffer(uninitialized: max(1, count))
    isUpwards = isInOrder || !tellsApart ? true : isTurned ? false : nil
    if let isUpwards {
      let last = isUpwards ? 0 : count &- 1
      for place in 0..<count {
        pages[place] = UInt32(truncatingIfNeeded: last == 0 ? place : last &- place)
      }
    } else {
      let sorted = (0..<count).sorted { (ranks[$0], $0) < (ranks[$1], $1) }
      for place in 0..<count { pages[place] = UInt32(truncatingIfNeeded: sorted[place]) }
    }
  }
}

extension PageOrder {
  /// Those of the pages that lie in a range, in this order.
  ///
  /// - Complexity: O(1) where pages stand one behind another.
  package func pages(in range: Range<Int>, of table: TableStore) -> Buffer<UInt32> {
    let count = table.pageCount
    if let isUpwards {
      return isUpwards
        ? pages.slice(range) : pages.slice((count - range.upperBound)..<(count - range.lowerBound))
    }
    if range.count == count { return pages.slice(0..<count) }
    let found = Buffer<UInt32>(uninitialized: max(1, range.count))
    var next = 0
    for place in 0..<count where range.contains(Int(pages[place])) {
      found[next] = pages[place]
      next &+= 1
    }
    return found.slice(0..<next)
  }
}

extension TableStore {
  /// The pages in an order by a column, if that makes a difference: rows stand in about that order, or in the opposite one.
  ///
  /// - Complexity: O(*p* log *p*) in the pages the first time that a version is asked, O(1) later.
  package func pageOrder(by column: Int, _ order: SortOrder = SortOrder()) -> PageOrder? {
    guard streamed == nil, pageCount >= Self.orderPageMin else { return nil }
    let pages = orders.pages(by: column, order, of: self)
    return pages.tellsApart ? pages : nil
  }

  /// Of fewer pages it does not matter which come first.
  private static let orderPageMin = 8

  /// The bounds of a page; nil where they are not known.
  fileprivate func zone(ofPage page: Int, column: Int) -> Zone? {
    streamed == nil ? columns[column].pages[page].zone : nil
  }

  /// The bounds of the last page by its values; nil where it has bounds of its own, or the column has none.
  fileprivate func zone(ofLastPage page: Int, column: Int) -> Zone? {
    if streamed != nil || zone(ofPage: page, column: column) != nil { return nil }
    let values = self.page(page, columns: [column]).columns[0].flattened()
    return ZoneKey.zone(of: values, 0..<values.count)
  }
}
