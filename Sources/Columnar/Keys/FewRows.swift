/// So few rows to sort that comparing them costs less than making keys of them.
///
/// Each column gives a number a row, which never falls where rows come one behind another; where that does not tell two rows apart, and
/// the column is not of whole numbers alone, their values are compared.
struct FewRows {
  /// The most rows.
  static let most = 64

  private let columns: [Vector]
  private let orders: [SortOrder]
  private let count: Int
  /// Column by column, the number of each row.
  private let numbers: Buffer<Int64>
  /// Whether equal numbers are equal values, a bit for each of the first columns.
  private let exact: UInt64

  /// nil where a column has values of which no such numbers can be made.
  ///
  /// - Precondition: the columns are flat or constant, and there is at least one.
  init?(_ columns: [Vector], _ orders: [SortOrder], count: Int) {
    let numbers = Buffer<Int64>(uninitialized: max(1, columns.count * count))
    var exact: UInt64 = 0
    for (place, column) in columns.enumerated() {
      let start = place * count
      guard let isExact = Self.write(column, orders[place], count, to: numbers, at: start) else {
        return nil
      }
      if isExact && place < UInt64.bitWidth { exact |= 1 << UInt64(place) }
    }
    (self.columns, self.orders, self.count) = (columns, orders, count)
    (self.numbers, self.exact) = (numbers, exact)
  }

  /// Writes the numbers of a column, and says whether equal ones are equal values; nil where there are none.
  private static func write(
    _ column: Vector, _ order: SortOrder, _ count: Int, to numbers: Buffer<Int64>, at start: Int
  ) -> Bool? {
    if column.form == .constant {
      numbers.fill(start..<start + count, with: 0)
      return true
    }
    if column.decimals != nil {
      return write(column.scaledValues, column.validity, order, count, to: numbers, at: start)
    }
    guard OrderNumbers.suit(column.type) else { return nil }
    switch column.type.physical {
    case .int16:
      return write(
        column.values(Int16.self), column.validity, order, count, to: numbers, at: start)
    case .int32:
      return write(
        column.values(Int32.self), column.validity, order, count, to: numbers, at: start)
    case .int64:
      return write(
        column.values(Int64.self), column.validity, order, count, to: numbers, at: start)
    case .bool, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      guard let own = OrderNumbers(order).numbers(column, count: count) else { return nil }
      numbers.copy(own, count: count, to: start)
      return false
    }
  }

  private static func write<Number: FixedWidthInteger & SignedInteger & BitwiseCopyable>(
    _ values: Buffer<Number>, _ validity: ValidityMask, _ order: SortOrder, _ count: Int,
    to numbers: Buffer<Int64>, at start: Int
  ) -> Bool? {
    let flip: Int64 = order.descending ? -1 : 0
    for row in 0..<count { numbers[start &+ row] = Int64(values[row]) ^ flip }
    if validity.isAllValid { return true }
    // The numbers at both ends stand for NULL.
    let missing = order.nullsFirst ? Int64.min : Int64.max
    for row in 0..<count {
      if !validity.isValid(row) {
        numbers[start &+ row] = missing
      } else if numbers[start &+ row] == missing {
        return nil
      }
    }
    return true
  }

  /// The rows in order, of which equal ones stay in theirs, and whether some had to be moved.
  func sorted() -> (rows: Buffer<UInt32>, isMoved: Bool) {
    let rows = Buffer<UInt32>(uninitialized: max(1, count))
    var isMoved = false
    for row in 0..<count {
      // Rows come in order often.
      var place = row
      if row > 0, precedes(row, Int(rows[row &- 1])) {
        var (low, high) = (0, row &- 1)
        while low < high {
          let middle = (low &+ high) / 2
          if precedes(row, Int(rows[middle])) { high = middle } else { low = middle &+ 1 }
        }
        place = low
        isMoved = true
        var free = row
        while free > place {
          rows[free] = rows[free &- 1]
          free &-= 1
        }
      }
      rows[place] = UInt32(truncatingIfNeeded: row)
    }
    return (rows, isMoved)
  }

  /// How many of the rows are among the first `limit` or equal to the last of them.
  func count(ofFirst limit: Int, in rows: Buffer<UInt32>) -> Int {
    var end = limit
    while end < count, order(Int(rows[limit - 1]), Int(rows[end])) == 0 { end += 1 }
    return end
  }

  private func precedes(_ row: Int, _ other: Int) -> Bool { order(row, other) < 0 }

  private func order(_ row: Int, _ other: Int) -> Int {
    var start = 0
    for place in orders.indices {
      let (left, right) = (numbers[start &+ row], numbers[start &+ other])
      if left != right { return left < right ? -1 : 1 }
      if exact &>> UInt64(place) & 1 == 0 || place >= UInt64.bitWidth {
        let found = orders[place].compare(columns[place], row, columns[place], other)
        if found != 0 { return found }
      }
      start &+= count
    }
    return 0
  }
}
