/// One column's part of an ORDER BY.
package struct SortOrder: Hashable, Sendable {
  package var descending: Bool
  package var nullsFirst: Bool

  /// An order; NULLs count as greater than every value unless it says where they go.
  package init(descending: Bool = false, nullsFirst: Bool? = nil) {
    self.descending = descending
    self.nullsFirst = nullsFirst ?? descending
  }

  /// The order of two values of flat storage, NULLs where this order puts them.
  package func compare(_ left: Vector, _ i: Int, _ right: Vector, _ j: Int) -> Int {
    let a = left.validity.isValid(i)
    let b = right.validity.isValid(j)
    if a && b {
      let order = ValueOrder.compare(left, i, right, j)
      return descending ? 0 &- order : order
    }
    let order = bit(!a) &- bit(!b)
    return nullsFirst ? 0 &- order : order
  }
}

/// Sorting of whole columns: positions come out, no value is moved.
package enum Sorting {
  /// The rows of `columns` in the given order; equal rows stay in theirs.
  ///
  /// - Complexity: O(*n*) where the columns' keys fit 64 bits, O(*n* log *n*) otherwise.
  package static func permutation(
    columns: [Vector], orders: [SortOrder], count: Int
  ) -> Buffer<UInt32> {
    let columns = columns.map { $0.normalized() }
    let key = SortKey(columns: columns, orders: orders, count: count)
    let rows = Buffer<UInt32>(uninitialized: count)
    for row in 0..<count { rows[row] = UInt32(truncatingIfNeeded: row) }
    return sort(rows, count, key, columns, orders)
  }

  /// The first `limit` rows of `columns` in the given order; equal rows stay in theirs.
  ///
  /// - Complexity: O(*n*) on average, and what sorting the rows up to the limit takes.
  package static func topPermutation(
    columns: [Vector], orders: [SortOrder], count: Int, limit: Int
  ) -> (rows: Buffer<UInt32>, count: Int) {
    let limit = min(max(0, limit), count)
    if limit == 0 { return (Buffer(uninitialized: 0), 0) }
    let columns = columns.map { $0.normalized() }
    let key = SortKey(columns: columns, orders: orders, count: count)
    var rows = Buffer<UInt32>(uninitialized: count)
    var candidates = 0
    if limit < count {
      // Every row whose key is not above the limit-th least one may be among the first.
      switch key.keys {
      case .narrow(let keys):
        candidates = keep(keys, notAbove: nthLeast(keys, count, limit - 1), count, rows)
      case .wide(let keys):
        candidates = keep(keys, notAbove: nthLeast(keys, count, limit - 1), count, rows)
      }
    } else {
      for row in 0..<count { rows[row] = UInt32(truncatingIfNeeded: row) }
      candidates = count
    }
    rows = sort(rows, candidates, key, columns, orders)
    return (rows, limit)
  }

  /// Brings two sorted lists of rows of the same columns into one; equal rows of `left` come first.
  ///
  /// - Complexity: O(*n*) comparisons.
  package static func merge(
    _ left: Buffer<UInt32>, _ leftCount: Int, _ right: Buffer<UInt32>, _ rightCount: Int,
    columns: [Vector], orders: [SortOrder]
  ) -> Buffer<UInt32> {
    let columns = columns.map { $0.normalized() }
    let result = Buffer<UInt32>(uninitialized: leftCount + rightCount)
    var i = 0
    var j = 0
    for place in 0..<(leftCount + rightCount) {
      let takesRight =
        i == leftCount
        || j < rightCount
          && RowComparison.compare(columns, Int(right[j]), columns, Int(left[i]), orders: orders)
            < 0
      if takesRight {
        result[place] = right[j]
        j &+= 1
      } else {
        result[place] = left[i]
        i &+= 1
      }
    }
    return result
  }

  private static func keep<Key: FixedWidthInteger & BitwiseCopyable>(
    _ keys: Buffer<Key>, notAbove bound: Key, _ count: Int, _ rows: Buffer<UInt32>
  ) -> Int {
    var found = 0
    for row in 0..<count {
      rows[found] = UInt32(truncatingIfNeeded: row)
      found &+= bit(keys[row] <= bound)
    }
    return found
  }

  /// Sorts rows by key, then those of equal keys by what the keys do not show.
  private static func sort(
    _ rows: Buffer<UInt32>, _ count: Int, _ key: SortKey, _ columns: [Vector], _ orders: [SortOrder]
  ) -> Buffer<UInt32> {
    switch key.keys {
    case .narrow(let keys):
      let sorted = sortNarrow(keys, bits: key.bits, rows, count)
      settleTies(keys, sorted, count, key, columns, orders)
      return sorted
    case .wide(let keys):
      let sorted = mergeSort(keys, rows, count)
      settleTies(keys, sorted, count, key, columns, orders)
      return sorted
    }
  }

  private static func settleTies<Key: FixedWidthInteger & BitwiseCopyable>(
    _ keys: Buffer<Key>, _ sorted: Buffer<UInt32>, _ count: Int, _ key: SortKey,
    _ columns: [Vector], _ orders: [SortOrder]
  ) {
    if key.isExact { return }
    var breaker = TieBreaker(
      columns: Array(columns[key.exactColumns...]), orders: Array(orders[key.exactColumns...]),
      settledBytes: key.settledBytes, rows: sorted, count: count)
    var start = 0
    while start < count {
      let value = keys[sorted[start]]
      var end = start &+ 1
      while end < count && keys[sorted[end]] == value { end &+= 1 }
      if end > start &+ 1 { breaker.settle(start..<end) }
      start = end
    }
  }

  /// A stable merge sort of a stretch of rows by comparing their columns.
  static func sortByComparison(
    _ rows: Buffer<UInt32>, _ range: Range<Int>, _ columns: [Vector], _ orders: [SortOrder]
  ) {
    let length = range.count
    var source = Buffer<UInt32>(uninitialized: length)
    source.copy(rows, from: range.lowerBound, count: length, to: 0)
    var target = Buffer<UInt32>(uninitialized: length)
    var width = 1
    while width < length {
      var start = 0
      while start < length {
        let middle = min(start &+ width, length)
        let end = min(middle &+ width, length)
        var i = start
        var j = middle
        for place in start..<end {
          let takesRight =
            i == middle
            || j < end
              && RowComparison.compare(
                columns, Int(source[j]), columns, Int(source[i]), orders: orders) < 0
          if takesRight {
            target[place] = source[j]
            j &+= 1
          } else {
            target[place] = source[i]
            i &+= 1
          }
        }
        start = end
      }
      swap(&source, &target)
      width &*= 2
    }
    rows.copy(source, count: length, to: range.lowerBound)
  }
}
