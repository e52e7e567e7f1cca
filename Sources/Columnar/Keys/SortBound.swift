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
