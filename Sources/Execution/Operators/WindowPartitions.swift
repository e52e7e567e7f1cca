import Columnar
import Diagnostics

/// Rows in the order of a window, with the bounds of each row's partition and peers.
///
/// Everything but `inverse` is indexed by place in that order.
final class WindowPartitions {
  let count: Int
  /// The row at each place.
  let order: Buffer<UInt32>
  /// The place of each row.
  let inverse: Buffer<UInt32>
  /// The first place of the partition, and the place behind its last.
  let starts: Buffer<UInt32>
  let ends: Buffer<UInt32>
  /// The same for the rows that ORDER BY does not tell apart.
  let peerStarts: Buffer<UInt32>
  let peerEnds: Buffer<UInt32>
  /// The number of the partition, from 0.
  let partitions: Buffer<UInt32>
  let partitionCount: Int

  /// Equal rows stay in the order `before`.
  init(_ call: WindowCallPlan, _ rows: DataChunk, after before: Buffer<UInt32>) throws(SQLError) {
    let count = rows.count
    self.count = count
    let partitionColumns = call.partitionColumns(rows)
    let orderColumns = call.orderColumns(rows)
    let keys = partitionColumns + orderColumns
    if keys.isEmpty {
      order = before
    } else {
      let moved = keys.map { $0.gathered(before, count: count) }
      let orders = partitionColumns.map { _ in SortOrder() } + call.orders
      let permutation = try Sorting.permutation(columns: moved, orders: orders, count: count)
      let combined = Buffer<UInt32>(uninitialized: count)
      try (0..<count).inSlices { slice in
        for place in slice { combined[place] = before[permutation[place]] }
      }
      order = combined
    }
    inverse = try Self.inverse(order, count)
    let breaks = try Self.breaks(partitionColumns, order, count)
    let peerBreaks =
      orderColumns.isEmpty ? breaks : try Self.breaks(keys, order, count)
    (starts, ends) = try Self.bounds(breaks, count)
    (peerStarts, peerEnds) = try Self.bounds(peerBreaks, count)
    let numbers = Buffer<UInt32>(uninitialized: count)
    var number: UInt32 = 0
    try (0..<count).inSlices { slice in
      for place in slice {
        if place > 0 && breaks[place] != 0 { number &+= 1 }
        numbers[place] = number
      }
    }
    partitions = numbers
    partitionCount = Int(number) + 1
  }

  private static func inverse(
    _ order: Buffer<UInt32>, _ count: Int
  ) throws(SQLError) -> Buffer<UInt32> {
    let inverse = try Buffer<UInt32>(uninitializedInSlices: count)
    try (0..<count).inSlices { slice in
      for place in slice { inverse[order[place]] = UInt32(truncatingIfNeeded: place) }
    }
    return inverse
  }

  /// A 1 at each place whose row differs from the one before.
  private static func breaks(
    _ columns: [Vector], _ order: Buffer<UInt32>, _ count: Int
  ) throws(SQLError) -> Buffer<UInt8> {
    let breaks = try Buffer<UInt8>(repeatingInSlices: columns.isEmpty ? 0 : 1, count: count)
    breaks[0] = 1
    if columns.isEmpty || count < 2 { return breaks }
    try (1..<count).inSlices { slice in
      let before = slice.lowerBound - 1..<slice.upperBound - 1
      let same = RowComparison.matching(
        columns, order.slice(before), columns, order.slice(slice), count: slice.count,
        nulls: .equal)
      for index in 0..<same.count {
        breaks[slice.lowerBound &+ Int(same.positions[index])] = 0
      }
    }
    return breaks
  }

  private static func bounds(
    _ breaks: Buffer<UInt8>, _ count: Int
  ) throws(SQLError) -> (Buffer<UInt32>, Buffer<UInt32>) {
    let starts = Buffer<UInt32>(uninitialized: count)
    let ends = Buffer<UInt32>(uninitialized: count)
    var start: UInt32 = 0
    try (0..<count).inSlices { slice in
      for place in slice {
        if breaks[place] != 0 { start = UInt32(truncatingIfNeeded: place) }
        starts[place] = start
      }
    }
    var end = UInt32(truncatingIfNeeded: count)
    // From the back.
    try (0..<count).inSlices { slice in
      for index in slice {
        let place = count &- 1 &- index
        ends[place] = end
        if breaks[place] != 0 { end = UInt32(truncatingIfNeeded: place) }
      }
    }
    return (starts, ends)
  }
}
