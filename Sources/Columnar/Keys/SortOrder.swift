package import Diagnostics

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
///
/// All of it goes through long inputs in slices, between which it looks whether the statement has to end.
package enum Sorting {
  /// The rows of `columns` in the given order; equal rows stay in theirs.
  ///
  /// - Complexity: O(*n*) where the columns' keys fit 64 bits, O(*n* log *n*) otherwise.
  package static func permutation(
    columns: [Vector], orders: [SortOrder], count: Int
  ) throws(SQLError) -> Buffer<UInt32> {
    if let order = try order(columns: columns, orders: orders, count: count) { return order }
    return try Buffer(rising: count)
  }

  /// The same; nil where the rows are seen to come in that order.
  package static func order(
    columns: [Vector], orders: [SortOrder], count: Int
  ) throws(SQLError) -> Buffer<UInt32>? {
    if columns.isEmpty { return nil }
    if let few = try fewRows(columns, orders, count) {
      let (rows, isMoved) = few.sorted()
      return isMoved ? rows : nil
    }
    let key = try SortKey(columns: try compacted(columns), orders: orders, count: count)
    if try key.isRising(count) { return nil }
    return try sort(try Buffer(rising: count), count, key, columns, orders)
  }

  private static func fewRows(
    _ columns: [Vector], _ orders: [SortOrder], _ count: Int
  ) throws(SQLError) -> FewRows? {
    count <= FewRows.most && !columns.isEmpty
      ? FewRows(try compacted(columns), orders, count: count) : nil
  }

  private static func normalized(_ columns: [Vector]) throws(SQLError) -> [Vector] {
    var result: [Vector] = []
    for column in columns { result.append(try column.normalizedInSlices()) }
    return result
  }

  /// The columns as sort keys take them: exact numbers that are kept as whole ones stay so.
  private static func compacted(_ columns: [Vector]) throws(SQLError) -> [Vector] {
    var result: [Vector] = []
    for column in columns {
      let isReady = column.form == .flat && column.decimals != nil
      result.append(isReady ? column : try column.normalizedInSlices())
    }
    return result
  }

  /// The first `limit` rows of `columns` in the given order, and with ties those that are equal to the last of them; equal rows
  /// stay in theirs.
  ///
  /// - Complexity: O(*n*) on average, and what sorting the rows up to the limit takes.
  package static func topPermutation(
    columns: [Vector], orders: [SortOrder], count: Int, limit: Int, withTies: Bool = false
  ) throws(SQLError) -> (rows: Buffer<UInt32>, count: Int) {
    let limit = min(max(0, limit), count)
    if limit == 0 { return (Buffer(uninitialized: 0), 0) }
    if let few = try fewRows(columns, orders, count) {
      let rows = few.sorted().rows
      return (rows, withTies ? few.count(ofFirst: limit, in: rows) : limit)
    }
    let key = try SortKey(columns: try compacted(columns), orders: orders, count: count)
    var rows: Buffer<UInt32>
    var candidates = count
    if limit < count {
      // Every row whose key is not above the limit-th least one may be among the first.
      rows = Buffer(uninitialized: count)
      switch key.keys {
      case .narrow(let keys):
        candidates = try keep(
          keys, notAbove: try nthLeast(keys, count, limit - 1), count, rows)
      case .wide(let keys):
        candidates = try keep(
          keys, notAbove: try nthLeast(keys, count, limit - 1), count, rows)
      }
    } else {
      rows = try Buffer(rising: count)
    }
    rows = try sort(rows, candidates, key, columns, orders)
    guard withTies, limit < candidates else { return (rows, limit) }
    let normalized = try normalized(columns)
    let last = Int(rows[limit - 1])
    var end = limit
    var isEqual = true
    try (limit..<candidates).inSlices { slice in
      for place in slice where isEqual {
        isEqual =
          RowComparison.compare(normalized, last, normalized, Int(rows[place]), orders: orders)
          == 0
        end &+= bit(isEqual)
      }
    }
    return (rows, end)
  }

  /// Brings two sorted lists of rows of the same columns into one; equal rows of `left` come first.
  ///
  /// - Complexity: O(*n*) comparisons.
  package static func merge(
    _ left: Buffer<UInt32>, _ leftCount: Int, _ right: Buffer<UInt32>, _ rightCount: Int,
    columns: [Vector], orders: [SortOrder]
  ) throws(SQLError) -> Buffer<UInt32> {
    let columns = try normalized(columns)
    let result = Buffer<UInt32>(uninitialized: leftCount + rightCount)
    var i = 0
    var j = 0
    try (0..<(leftCount + rightCount)).inSlices { slice in
      for place in slice {
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
    }
    return result
  }

  private static func keep<Key: FixedWidthInteger & BitwiseCopyable>(
    _ keys: Buffer<Key>, notAbove bound: Key, _ count: Int, _ rows: Buffer<UInt32>
  ) throws(SQLError) -> Int {
    var found = 0
    try (0..<count).inSlices { slice in
      for row in slice {
        rows[found] = UInt32(truncatingIfNeeded: row)
        found &+= bit(keys[row] <= bound)
      }
    }
    return found
  }

  /// Sorts rows by key, then those of equal keys by what the keys do not show of the columns, which may have any form.
  private static func sort(
    _ rows: Buffer<UInt32>, _ count: Int, _ key: SortKey, _ columns: [Vector], _ orders: [SortOrder]
  ) throws(SQLError) -> Buffer<UInt32> {
    switch key.keys {
    case .narrow(let keys):
      let sorted = try sortNarrow(keys, bits: key.bits, rows, count)
      try settleTies(keys, sorted, count, key, columns, orders)
      return sorted
    case .wide(let keys):
      let sorted = try mergeSort(keys, rows, count)
      try settleTies(keys, sorted, count, key, columns, orders)
      return sorted
    }
  }

  private static func settleTies<Key: FixedWidthInteger & BitwiseCopyable>(
    _ keys: Buffer<Key>, _ sorted: Buffer<UInt32>, _ count: Int, _ key: SortKey,
    _ columns: [Vector], _ orders: [SortOrder]
  ) throws(SQLError) {
    if key.isExact { return }
    var breaker = TieBreaker(
      columns: try normalized(Array(columns[key.exactColumns...])),
      orders: Array(orders[key.exactColumns...]),
      settledBytes: key.settledBytes, rows: sorted, count: count)
    var start = 0
    var nextLook = Range.sliceLength
    while start < count {
      let value = keys[sorted[start]]
      var end = start &+ 1
      while end < count && keys[sorted[end]] == value { end &+= 1 }
      if end > start &+ 1 { try breaker.settle(start..<end) }
      start = end
      if end >= nextLook {
        try RunningStatement.check()
        nextLook = end &+ Range.sliceLength
      }
    }
  }

  /// A stable merge sort of a stretch of rows by comparing their columns.
  static func sortByComparison(
    _ rows: Buffer<UInt32>, _ range: Range<Int>, _ columns: [Vector], _ orders: [SortOrder]
  ) throws(SQLError) {
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
        // Rows may be long texts or arrays.
        try (start..<end).inSlices(of: 1 << 12) { slice in
          for place in slice {
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
        }
        start = end
      }
      try RunningStatement.check()
      swap(&source, &target)
      width &*= 2
    }
    rows.copy(source, count: length, to: range.lowerBound)
  }
}
