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

  /// The rows ordered by columns that tell partitions apart, and within them by others; equal rows stay in the order
  /// `before`.
  init(
    _ partitionColumns: [Vector], _ orderColumns: [Vector], _ orders: [SortOrder], count: Int,
    after before: Buffer<UInt32>
  ) throws(SQLError) {
    self.count = count
    let keys = partitionColumns + orderColumns
    if keys.isEmpty {
      order = before
    } else {
      let moved = keys.map { $0.gathered(before, count: count) }
      let orders = partitionColumns.map { _ in SortOrder() } + orders
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

  /// Fewer rows are sorted as they are.
  private static let numberedRowMin = 1024

  /// Columns that tell the same partitions apart, in the same order: one with the place of each row's partition among all,
  /// where that is found sooner than rows are sorted by columns of any type.
  static func numbered(
    _ columns: [Vector], _ count: Int
  ) throws(SQLError) -> [Vector] {
    let isPlain = columns.count == 1 && columns[0].type.isInteger
    guard count >= numberedRowMin, !columns.isEmpty, !isPlain else { return columns }
    var keys: [Vector] = []
    for column in columns { keys.append(try column.normalizedInSlices().flattenedInSlices()) }
    let table = GroupTable(types: columns.map(\.type))
    let numbers = Buffer<UInt32>(uninitialized: count)
    var start = 0
    while start < count {
      try RunningStatement.check()
      let length = min(Vector.chunkCapacity, count - start)
      let part = keys.map { $0.slice(from: start, count: length).flattened() }
      numbers.copy(try table.findOrInsert(part, count: length), count: length, to: start)
      start += length
    }
    // Partitions of hardly more than a row are sorted like rows.
    let groupCount = table.groupCount
    if groupCount * 2 > count { return columns }
    let order = try Sorting.permutation(
      columns: table.keys(0..<groupCount), orders: columns.map { _ in SortOrder() },
      count: groupCount)
    let places = try inverse(order, groupCount)
    let result = Buffer<UInt32>(uninitialized: count)
    try (0..<count).inSlices { slice in
      for row in slice { result[row] = places[numbers[row]] }
    }
    return [Vector(.integer, result, count: count)]
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
