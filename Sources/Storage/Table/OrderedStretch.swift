import Columnar

extension TableStore {
  /// Rows from a number on, upwards or downwards, of a column of whole numbers in whose order the rows about there stand: of the rows
  /// before the range, or behind it where it goes downwards, none has the number or one beyond it, and of those at its other end
  /// none has a number that is in it.
  ///
  /// - Parameters:
  ///   - number: Where the range starts.
  ///   - isUpwards: Whether greater numbers follow.
  ///   - column: The column.
  ///   - count: How many positions are wanted, those of deleted rows included.
  /// - Returns: The range, and whether nothing follows; nil where rows do not stand in that order, or some have no value.
  /// - Complexity: O(log *p* + positions of the pages that the range lies in).
  package func stretch(
    from number: Int64, isUpwards: Bool, by column: Int, atLeast count: Int
  ) -> (positions: Range<Int>, isLast: Bool)? {
    let comparison: ZoneComparison = isUpwards ? .greaterOrEqual : .lessOrEqual
    guard streamed == nil,
      let probe = ZoneProbe(comparison, .int64(number), type: types[column]),
      let pages = PageTest(self, column: column, probe).range(of: self, leastPages: 1)
    else { return nil }
    if pages.isEmpty { return (0..<0, true) }
    switch types[column].physical {
    case .int16: return stretch(pages, number, isUpwards, column, count, Int16.self)
    case .int32: return stretch(pages, number, isUpwards, column, count, Int32.self)
    case .int64: return stretch(pages, number, isUpwards, column, count, Int64.self)
    case .bool, .float, .double, .numeric, .interval, .uuid, .text, .list, .record: return nil
    }
  }

  /// A range that goes over more pages is left to a scan.
  private static let stretchPages = 3

  private func stretch<Number: FixedWidthInteger & SignedInteger & BitwiseCopyable>(
    _ pages: Range<Int>, _ number: Int64, _ isUpwards: Bool, _ column: Int, _ count: Int,
    _ type: Number.Type
  ) -> (positions: Range<Int>, isLast: Bool)? {
    var page = isUpwards ? pages.lowerBound : pages.upperBound - 1
    var (range, last, left) = (0..<0, Number?.none, count)
    for _ in 0..<Self.stretchPages {
      guard let values = risingPage(page, column, type) else { return nil }
      let (rows, base) = (rowCount(ofPage: page), page * Self.pageCapacity)
      // Where the rows that are wanted of the page start, and where they end.
      let part: Range<Int>
      if isUpwards {
        if let last, values[0] < last { return nil }
        let start = last == nil ? values.place(in: rows) { Int64($0) >= number } : 0
        var end = min(rows, start + left)
        while end < rows, let before = end > start ? values[end - 1] : last, values[end] == before {
          end += 1
        }
        part = start..<end
        range = (range.isEmpty ? base + start : range.lowerBound)..<(base + end)
        if end < rows {
          return isBehind(page + 1, values[max(end, 1) - 1], isUpwards, column)
            ? (range, false) : nil
        }
        last = values[rows - 1]
        page += 1
        if page == pageCount { return (range, true) }
      } else {
        if let last, values[rows - 1] > last { return nil }
        let end = last == nil ? values.place(in: rows) { Int64($0) > number } : rows
        var start = max(0, end - left)
        while start > 0, let behind = start < end ? values[start] : last,
          values[start - 1] == behind
        {
          start -= 1
        }
        part = start..<end
        range = (base + start)..<(range.isEmpty ? base + end : range.upperBound)
        if start > 0 {
          return isBehind(page - 1, values[min(start, rows - 1)], isUpwards, column)
            ? (range, false) : nil
        }
        last = values[0]
        page -= 1
        if page < 0 { return (range, true) }
      }
      left = max(0, left - part.count)
    }
    return nil
  }

  /// Whether all values of a page, if there is one, and of those beyond it come behind a number.
  ///
  /// Bounds rise from page to page, so that those of one page speak for all beyond it. Its values do not: the bounds of a page that was
  /// changed may be wider than these.
  private func isBehind<Number: FixedWidthInteger & SignedInteger & BitwiseCopyable>(
    _ page: Int, _ number: Number, _ isUpwards: Bool, _ column: Int
  ) -> Bool {
    guard page >= 0, page < pageCount else { return true }
    let comparison: ZoneComparison = isUpwards ? .lessOrEqual : .greaterOrEqual
    if let probe = ZoneProbe(comparison, .int64(Int64(number)), type: types[column]),
      !mayContain(page: page, column: column, probe)
    {
      return true
    }
    // The last page has no bounds as long as it is not full, and none is beyond it.
    guard isUpwards, page == pageCount - 1, let values = risingPage(page, column, Number.self)
    else { return false }
    return values[0] > number
  }

  /// The values of a page, if all rows have one and none is less than that of the row before it.
  private func risingPage<Number: FixedWidthInteger & BitwiseCopyable>(
    _ page: Int, _ column: Int, _ type: Number.Type
  ) -> Buffer<Number>? {
    let rows = rowCount(ofPage: page)
    let vector = columns[column].vector(page: page, count: rows)
    if rows == 0 || vector.mayHaveNulls { return nil }
    let values = vector.values(type)
    let rises = orders.rises(page: page, of: pageCount, column: column) {
      var descents = 0
      for row in 1..<rows { descents &+= values[row] < values[row &- 1] ? 1 : 0 }
      return descents == 0
    }
    return rises ? values : nil
  }
}

extension Buffer {
  /// The first place from which on something is true of values in order.
  fileprivate func place(in count: Int, where isTrue: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isTrue(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
