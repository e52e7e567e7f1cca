/// Numbers that never fall where values come one behind another in an order: what has the smaller number comes first, what has the
/// same may come in any order.
///
/// They tell cheaply that a row comes behind others; they do not tell all rows apart.
package struct OrderNumbers {
  private let order: SortOrder

  package init(_ order: SortOrder) { self.order = order }

  /// Whether numbers can be made of values of a type; exact numbers may still be too long.
  package static func suit(_ type: LogicalType) -> Bool {
    // Others with the same memory, as jsonb and bit strings, have orders of their own.
    type.isInteger
      || [
        .boolean, .real, .double, .numeric, .date, .time, .timestamp, .timestamptz, .text, .varchar,
        .name, .bytea,
      ].contains(type)
  }

  /// A number for each row of a flat column, small exact numbers as they are; nil where the values are too long for it.
  ///
  /// - Complexity: O(*n*).
  package func numbers(_ column: Vector, count: Int) -> Buffer<Int64>? {
    let result = Buffer<Int64>(uninitialized: max(1, count))
    let isThere =
      if let scale = column.decimals {
        decimals(column.scaledValues, scale: scale, count, into: result)
      } else {
        values(column, count, into: result)
      }
    guard isThere else { return nil }
    if order.descending {
      for row in 0..<count { result[row] = ~result[row] }
    }
    if !column.validity.isAllValid {
      let missing = order.nullsFirst ? Int64.min : Int64.max
      for row in 0..<count where !column.validity.isValid(row) { result[row] = missing }
    }
    return result
  }

  private func values(_ column: Vector, _ count: Int, into result: Buffer<Int64>) -> Bool {
    switch column.type.physical {
    case .bool: widen(column.values(UInt8.self), count, into: result)
    case .int16: widen(column.values(Int16.self), count, into: result)
    case .int32: widen(column.values(Int32.self), count, into: result)
    case .int64: result.copy(column.values(Int64.self), count: count, to: 0)
    case .float:
      let values = column.values(Float.self)
      for row in 0..<count { result[row] = Self.number(Double(values[row])) }
    case .double:
      let values = column.values(Double.self)
      for row in 0..<count { result[row] = Self.number(values[row]) }
    case .numeric:
      let values = column.values(Numeric.self)
      for row in 0..<count where column.validity.isValid(row) {
        let value = values[row]
        guard value.isFinite, (0...22).contains(value.scale),
          let whole = Int64(exactly: value.coefficient), whole.magnitude < Self.exactMax
        else { return false }
        result[row] = Self.number(Double(whole) / Self.power(Int(value.scale)))
      }
    case .text:
      // Other orders than that of bytes sort by keys, which are bytes.
      let values = column.values(TextView.self)
      for row in 0..<count where column.validity.isValid(row) {
        let word = values.bytes(at: row).orderWord(from: 0)
        result[row] = Int64(bitPattern: word ^ 1 &<< 63)
      }
    case .interval, .uuid, .list, .record: return false
    }
    return true
  }

  private func widen<Number: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Number>, _ count: Int, into result: Buffer<Int64>
  ) {
    for row in 0..<count { result[row] = Int64(values[row]) }
  }

  /// Below it all whole numbers are doubles, so that a quotient by a power of ten that is one too is that nearest to the true one.
  private static let exactMax: UInt64 = 1 << 53

  private func decimals(
    _ values: Buffer<Int64>, scale: Int16, _ count: Int, into result: Buffer<Int64>
  ) -> Bool {
    guard (0...22).contains(scale) else { return false }
    let power = Self.power(Int(scale))
    var tooLong = false
    for row in 0..<count {
      let value = values[row]
      tooLong = tooLong || value.magnitude >= Self.exactMax
      result[row] = Self.number(Double(value) / power)
    }
    return !tooLong
  }

  private static func power(_ scale: Int) -> Double {
    var power = 1.0
    for _ in 0..<scale { power *= 10 }
    return power
  }

  /// Numbers in the order of doubles, in which both zeros are equal and NaN comes last.
  @inline(__always)
  private static func number(_ value: Double) -> Int64 {
    if value.isNaN { return .max }
    let bits = Int64(bitPattern: (value + 0).bitPattern)
    return bits < 0 ? bits ^ .max : bits
  }
}
