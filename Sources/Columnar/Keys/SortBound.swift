import Synchronization

/// A value of the first column of an ORDER BY behind which no row is wanted any more.
///
/// Once as many rows as a LIMIT wants have been seen, most others are told by it to come behind them, before they are kept and sorted.
package struct SortBound: Sendable {
  /// A row with the value.
  private let value: Vector
  /// The same as a whole number; nil where the row has no value, or the column is of other values.
  private let number: Int64?
  private let order: SortOrder

  /// The value of a row of a flat column; nil for any other form.
  package init?(_ column: Vector, row: Int, order: SortOrder) {
    guard column.form == .flat else { return nil }
    let place = Buffer<UInt32>(uninitialized: 1)
    place[0] = UInt32(truncatingIfNeeded: row)
    value = column.gathered(place, count: 1).compactFlattened()
    number = column.validity.isValid(row) ? ShortNumbers(column)?[row] : nil
    self.order = order
  }

  /// The value that no row that is wanted comes behind, which may be NULL.
  package var last: Value { value.value(at: 0) }

  /// Whether values of a column are kept as this one is.
  private func isOfForm(_ column: Vector) -> Bool {
    column.form == .flat && column.type == value.type && column.decimals == value.decimals
  }

  /// Whether rows may be dropped by this bound that are not by the other.
  package func isTighter(than other: SortBound) -> Bool {
    isOfForm(other.value) && order.compare(value, 0, other.value, 0) < 0
  }

  /// The rows that come before the bound or are equal to it; nil where that cannot be told of the column.
  ///
  /// - Complexity: O(*n*).
  package func rowsNotBehind(_ column: Vector, count: Int) -> SelectionVector? {
    let column = column.compactNormalized()
    guard isOfForm(column) else { return nil }
    let kept = Buffer<UInt32>(uninitialized: max(1, count))
    switch ShortNumbers(column) {
    case .int16(let values)?: return select(values, column.validity, count, into: kept)
    case .int32(let values)?: return select(values, column.validity, count, into: kept)
    case .int64(let values)?: return select(values, column.validity, count, into: kept)
    case nil: return select(column, count, into: kept)
    }
  }

  /// The rows that may come before the bound or be equal to it, by estimates of an exact number; nil where there is no such bound.
  ///
  /// - Complexity: O(*n*).
  package func rowsNotBehind(_ estimates: EstimatedNumbers) -> SelectionVector? {
    guard value.type == .numeric, value.validity.isValid(0) else { return nil }
    return estimates.rowsNotBehind(value.numeric(at: 0).double, descending: order.descending)
  }

  /// The same of texts and all else, compared value by value.
  private func select(
    _ column: Vector, _ count: Int, into kept: Buffer<UInt32>
  ) -> SelectionVector {
    var found = 0
    if [.text, .varchar, .name].contains(column.type), value.validity.isValid(0) {
      let texts = column.values(TextView.self)
      let bound = value.values(TextView.self)[0]
      let (sign, nulls) = (order.descending ? -1 : 1, order.nullsFirst)
      for row in 0..<count {
        let isKept =
          column.validity.isValid(row) ? TextView.order(texts[row], bound) &* sign <= 0 : nulls
        kept[found] = UInt32(truncatingIfNeeded: row)
        found &+= bit(isKept)
      }
      return SelectionVector(kept, count: found)
    }
    for row in 0..<count {
      kept[found] = UInt32(truncatingIfNeeded: row)
      found &+= bit(order.compare(column, row, value, 0) <= 0)
    }
    return SelectionVector(kept, count: found)
  }

  private func select<Number: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Number>, _ validity: ValidityMask, _ count: Int, into kept: Buffer<UInt32>
  ) -> SelectionVector {
    // Where the bound is NULL, values are either all before it or all behind.
    let bound =
      number.map { Number(truncatingIfNeeded: $0) }
      ?? (order.nullsFirst == order.descending ? Number.max : Number.min)
    let isBeforeNull = number != nil || !order.nullsFirst
    let keepsNull = number == nil || order.nullsFirst
    let descending = order.descending
    let hasNulls = !validity.isAllValid
    var found = 0
    for row in 0..<count {
      let isKept =
        hasNulls && !validity.isValid(row)
        ? keepsNull
        : isBeforeNull && (descending ? values[row] >= bound : values[row] <= bound)
      kept[found] = UInt32(truncatingIfNeeded: row)
      found &+= bit(isKept)
    }
    return SelectionVector(kept, count: found)
  }
}

/// Values of a flat column that are whole numbers, or are kept as such.
private enum ShortNumbers {
  case int16(Buffer<Int16>)
  case int32(Buffer<Int32>)
  case int64(Buffer<Int64>)

  init?(_ column: Vector) {
    if column.decimals != nil {
      self = .int64(column.scaledValues)
      return
    }
    switch column.type.physical {
    case .int16: self = .int16(column.values(Int16.self))
    case .int32: self = .int32(column.values(Int32.self))
    case .int64: self = .int64(column.values(Int64.self))
    case .bool, .float, .double, .numeric, .interval, .uuid, .text, .list, .record: return nil
    }
  }

  subscript(row: Int) -> Int64 {
    switch self {
    case .int16(let values): Int64(values[row])
    case .int32(let values): Int64(values[row])
    case .int64(let values): values[row]
    }
  }
}

extension Vector {
  /// Where the first `limit` rows of a column that rises or falls may stand, with those equal to the last of them; nil for a column
  /// that does neither, or not of whole numbers, or in which one is missing.
  ///
  /// Rows of a table stand in the order of keys and dates that are handed out: then what comes first need not be looked for.
  ///
  /// - Complexity: O(*n*), and a look at some rows for a column in no order.
  package func firstRows(_ limit: Int, order: SortOrder) -> (rows: Range<Int>, last: Int)? {
    guard form == .flat, validity.isAllValid, limit > 0, limit < count else { return nil }
    return switch ShortNumbers(self) {
    case .int16(let values)?: values.firstRows(limit, of: count, order)
    case .int32(let values)?: values.firstRows(limit, of: count, order)
    case .int64(let values)?: values.firstRows(limit, of: count, order)
    case nil: nil
    }
  }
}

extension Buffer where Element: FixedWidthInteger {
  fileprivate func firstRows(
    _ limit: Int, of count: Int, _ order: SortOrder
  ) -> (rows: Range<Int>, last: Int)? {
    let falls = self[0] > self[count &- 1]
    guard isInOrder(count, falls: falls) else { return nil }
    if falls == order.descending || self[0] == self[count &- 1] {
      var end = limit
      while end < count && self[end] == self[limit &- 1] { end &+= 1 }
      return (0..<end, limit &- 1)
    }
    let last = count &- limit
    var start = last
    while start > 0 && self[start &- 1] == self[last] { start &-= 1 }
    return (start..<count, last)
  }

  /// Whether no value is less than the one before it, or none is greater.
  private func isInOrder(_ count: Int, falls: Bool) -> Bool {
    let step = 64
    for start in stride(from: 1, to: count, by: step) {
      var isOff = false
      for row in start..<Swift.min(count, start &+ step) {
        let (before, value) = (self[row &- 1], self[row])
        isOff = isOff || (falls ? before < value : value < before)
      }
      if isOff { return false }
    }
    return true
  }
}

/// The tightest bound that any worker of a run has found.
package final class SharedSortBound: Sendable {
  private let bound = Mutex<SortBound?>(nil)
  /// The order of the column.
  package let order: SortOrder

  package init(_ order: SortOrder) { self.order = order }

  package var current: SortBound? { bound.withLock { $0 } }

  /// Forgets the last run.
  package func reset() { bound.withLock { $0 = nil } }

  package func offer(_ new: SortBound) {
    bound.withLock { known in
      if known.map({ new.isTighter(than: $0) }) ?? true { known = new }
    }
  }
}
