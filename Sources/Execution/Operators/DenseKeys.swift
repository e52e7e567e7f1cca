import Columnar
import Diagnostics

/// Keys of whole numbers that stand close together, numbered by how far they are from the least: of several columns the numbers are
/// those of a table with a dimension for each.
struct DenseKeys {
  /// For each column the least number, and how many there are from it to the greatest.
  private let columns: [(base: Int64, size: UInt64)]
  /// How many keys there may be.
  let count: Int

  /// nil where there may be as many as `limit` keys, or some are no whole numbers.
  ///
  /// - Precondition: the columns are flat and without NULLs.
  /// - Throws: 57014.
  init?(_ keys: [Vector], count: Int, limit: Int) throws(SQLError) {
    guard !keys.isEmpty, count > 0 else { return nil }
    var columns: [(base: Int64, size: UInt64)] = []
    var total: UInt64 = 1
    for key in keys {
      guard key.digits == nil, let range = try Self.range(key, count) else { return nil }
      let (span, isWide) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
      guard !isWide, span < limit, span < UInt32.max else { return nil }
      columns.append((range.lowerBound, UInt64(span) + 1))
      total *= UInt64(span) + 1
      guard total <= limit, total < UInt32.max - 8 else { return nil }
    }
    self.columns = columns
    self.count = Int(total)
  }

  private static func range(_ key: Vector, _ count: Int) throws(SQLError) -> ClosedRange<Int64>? {
    switch key.type.physical {
    case .int16: return try range(key.values(Int16.self), count)
    case .int32: return try range(key.values(Int32.self), count)
    case .int64: return try range(key.values(Int64.self), count)
    case .bool, .float, .double, .numeric, .interval, .uuid, .text, .list, .record: return nil
    }
  }

  private static func range<Element: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Element>, _ count: Int
  ) throws(SQLError) -> ClosedRange<Int64> {
    var least = values[0]
    var greatest = values[0]
    try (0..<count).inSlices { slice in
      for row in slice {
        least = min(least, values[row])
        greatest = max(greatest, values[row])
      }
    }
    return Int64(least)...Int64(greatest)
  }

  /// The number of the key of each row; `count` where it is out of range.
  ///
  /// - Throws: 57014.
  /// - Complexity: O(*n*) for each column.
  func numbers(of keys: [Vector], count rows: Int) throws(SQLError) -> Buffer<UInt32> {
    let numbers = Buffer<UInt32>(zeroed: max(rows, 1))
    var known: UInt64 = 1
    for (key, column) in zip(keys, columns) {
      switch key.type.physical {
      case .int16: try add(key.values(Int16.self), rows, column, known, numbers)
      case .int32: try add(key.values(Int32.self), rows, column, known, numbers)
      case .bool, .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
        try add(key.values(Int64.self), rows, column, known, numbers)
      }
      known *= column.size
    }
    return numbers
  }

  /// Adds a column to numbers of which `known` and greater ones are out of range.
  private func add<Element: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Element>, _ rows: Int, _ column: (base: Int64, size: UInt64),
    _ known: UInt64, _ numbers: Buffer<UInt32>
  ) throws(SQLError) {
    let (base, size) = column
    let none = known * size
    try (0..<rows).inSlices { slice in
      for row in slice {
        let distance = UInt64(bitPattern: Int64(truncatingIfNeeded: values[row]) &- base)
        let number = UInt64(numbers[row])
        let isKnown = distance < size && number < known
        numbers[row] = UInt32(truncatingIfNeeded: isKnown ? number &* size &+ distance : none)
      }
    }
  }
}
