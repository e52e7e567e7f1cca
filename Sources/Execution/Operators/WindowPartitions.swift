import Columnar

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
  init(_ call: WindowCallPlan, _ rows: DataChunk, after before: Buffer<UInt32>) {
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
      let permutation = Sorting.permutation(columns: moved, orders: orders, count: count)
      let combined = Buffer<UInt32>(uninitialized: count)
      for place in 0..<count { combined[place] = before[permutation[place]] }
      order = combined
    }
    inverse = Buffer(uninitialized: count)
    for place in 0..<count { inverse[order[place]] = UInt32(truncatingIfNeeded: place) }
    let breaks = Self.breaks(partitionColumns, order, count)
    let peerBreaks =
      orderColumns.isEmpty ? breaks : Self.breaks(keys, order, count)
    (starts, ends) = Self.bounds(breaks, count)
    (peerStarts, peerEnds) = Self.bounds(peerBreaks, count)
    partitions = Buffer(uninitialized: count)
    var number: UInt32 = 0
    for place in 0..<count {
      if place > 0 && breaks[place] != 0 { number &+= 1 }
      partitions[place] = number
    }
    partitionCount = Int(number) + 1
  }

  /// A 1 at each place whose row differs from the one before.
  private static func breaks(
    _ columns: [Vector], _ order: Buffer<UInt32>, _ count: Int
  ) -> Buffer<UInt8> {
    let breaks = Buffer<UInt8>(repeating: columns.isEmpty ? 0 : 1, count: count)
    breaks[0] = 1
    if columns.isEmpty || count < 2 { return breaks }
    let same = RowComparison.matching(
      columns, order.slice(0..<(count - 1)), columns, order.slice(1..<count), count: count - 1,
      nulls: .equal)
    for index in 0..<same.count { breaks[Int(same.positions[index]) &+ 1] = 0 }
    return breaks
  }

  private static func bounds(
    _ breaks: Buffer<UInt8>, _ count: Int
  ) -> (Buffer<UInt32>, Buffer<UInt32>) {
    let starts = Buffer<UInt32>(uninitialized: count)
    let ends = Buffer<UInt32>(uninitialized: count)
    var start: UInt32 = 0
    for place in 0..<count {
      if breaks[place] != 0 { start = UInt32(truncatingIfNeeded: place) }
      starts[place] = start
    }
    var end = UInt32(truncatingIfNeeded: count)
    for place in stride(from: count - 1, through: 0, by: -1) {
      ends[place] = end
      if breaks[place] != 0 { end = UInt32(truncatingIfNeeded: place) }
    }
    return (starts, ends)
  }
}
