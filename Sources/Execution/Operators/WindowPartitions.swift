import Columnar
import Diagnostics

/// The bounds of each row's partition and peers, of rows in the order of a window.
///
/// All of it is indexed by place in that order, and made when it is first asked for.
final class WindowPartitions {
  let count: Int
  private let orderColumns: [Vector]
  /// A 1 at each place where a partition begins.
  private let partitionBreaks: Buffer<UInt8>
  private var partitionStarts: Buffer<UInt32>?
  private var partitionEnds: Buffer<UInt32>?
  private var peerBounds: (starts: Buffer<UInt32>, ends: Buffer<UInt32>)?
  private var partitionNumbers: (numbers: Buffer<UInt32>, count: Int)?

  /// The columns are in the order of the window: those that tell partitions apart, and those that tell apart the rows
  /// of one.
  init(
    _ partitionColumns: [Vector], _ orderColumns: [Vector], count: Int
  ) throws(SQLError) {
    self.count = count
    self.orderColumns = orderColumns
    let breaks = try Buffer<UInt8>(repeatingInSlices: 0, count: count)
    breaks[0] = 1
    try Self.mark(partitionColumns, count, in: breaks)
    partitionBreaks = breaks
  }

  /// The first place of the partition at each place.
  var starts: Buffer<UInt32> {
    get throws(SQLError) {
      if let known = partitionStarts { return known }
      let made = try Self.starts(partitionBreaks, count)
      partitionStarts = made
      return made
    }
  }

  /// The place behind the last of the partition.
  var ends: Buffer<UInt32> {
    get throws(SQLError) {
      if let known = partitionEnds { return known }
      let made = try Self.ends(partitionBreaks, count)
      partitionEnds = made
      return made
    }
  }

  /// The first place of the rows that ORDER BY does not tell apart.
  var peerStarts: Buffer<UInt32> {
    get throws(SQLError) { orderColumns.isEmpty ? try starts : try peers().starts }
  }

  /// The place behind the last of them.
  var peerEnds: Buffer<UInt32> {
    get throws(SQLError) { orderColumns.isEmpty ? try ends : try peers().ends }
  }

  private func peers() throws(SQLError) -> (starts: Buffer<UInt32>, ends: Buffer<UInt32>) {
    if let peerBounds { return peerBounds }
    let breaks = Buffer<UInt8>(uninitialized: count)
    try breaks.copyInSlices(partitionBreaks, from: 0, count: count, to: 0)
    try Self.mark(orderColumns, count, in: breaks)
    let made = (try Self.starts(breaks, count), try Self.ends(breaks, count))
    peerBounds = made
    return made
  }

  /// The number of the partition at each place, from 0, and how many there are.
  var numbered: (numbers: Buffer<UInt32>, count: Int) {
    get throws(SQLError) {
      if let partitionNumbers { return partitionNumbers }
      let numbers = Buffer<UInt32>(uninitialized: count)
      let breaks = partitionBreaks
      var found: UInt32 = 0
      try (0..<count).inSlices { slice in
        for place in slice {
          found &+= UInt32(breaks[place])
          numbers[place] = found &- 1
        }
      }
      let made = (numbers, Int(found))
      partitionNumbers = made
      return made
    }
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

  /// Adds a 1 at each place whose row differs from the one before in one of the columns.
  private static func mark(
    _ columns: [Vector], _ count: Int, in breaks: Buffer<UInt8>
  ) throws(SQLError) {
    if count < 2 { return }
    for column in columns {
      if column.form == .constant { continue }
      if column.form == .flat && column.decimals != nil {
        try markNumbers(column.scaledValues, column.validity, count, in: breaks)
        continue
      }
      let flat = try column.flattenedInSlices()
      let validity = flat.validity
      switch flat.type.physical {
      case .bool: try markNumbers(flat.values(UInt8.self), validity, count, in: breaks)
      case .int16: try markNumbers(flat.values(Int16.self), validity, count, in: breaks)
      case .int32: try markNumbers(flat.values(Int32.self), validity, count, in: breaks)
      case .int64: try markNumbers(flat.values(Int64.self), validity, count, in: breaks)
      case .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
        try markRows(flat, count, in: breaks)
      }
    }
  }

  /// Whole numbers; NULLs are equal to each other, whatever stands below them.
  private static func markNumbers<Number: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Number>, _ validity: ValidityMask, _ count: Int, in breaks: Buffer<UInt8>
  ) throws(SQLError) {
    let hasNulls = !validity.isAllValid
    try (1..<count).inSlices { slice in
      if !hasNulls {
        for place in slice {
          breaks[place] |= UInt8(truncatingIfNeeded: bit(values[place] != values[place &- 1]))
        }
        return
      }
      var before = validity.isValid(slice.lowerBound &- 1)
      for place in slice {
        let isThere = validity.isValid(place)
        let differs = isThere != before || isThere && values[place] != values[place &- 1]
        breaks[place] |= UInt8(truncatingIfNeeded: bit(differs))
        before = isThere
      }
    }
  }

  /// Any values, NULLs equal to each other.
  private static func markRows(
    _ column: Vector, _ count: Int, in breaks: Buffer<UInt8>
  ) throws(SQLError) {
    let places = try Buffer<UInt32>(rising: count)
    try (1..<count).inSlices { slice in
      let before = slice.lowerBound - 1..<slice.upperBound - 1
      let same = RowComparison.matching(
        [column], places.slice(before), [column], places.slice(slice), count: slice.count,
        nulls: .equal)
      var next = slice.lowerBound
      for index in 0...same.count {
        let equal =
          index < same.count ? slice.lowerBound &+ Int(same.positions[index]) : slice.upperBound
        while next < equal {
          breaks[next] = 1
          next &+= 1
        }
        next &+= 1
      }
    }
  }

  private static func starts(
    _ breaks: Buffer<UInt8>, _ count: Int
  ) throws(SQLError) -> Buffer<UInt32> {
    let starts = Buffer<UInt32>(uninitialized: count)
    var start: UInt32 = 0
    try (0..<count).inSlices { slice in
      for place in slice {
        start = breaks[place] != 0 ? UInt32(truncatingIfNeeded: place) : start
        starts[place] = start
      }
    }
    return starts
  }

  private static func ends(
    _ breaks: Buffer<UInt8>, _ count: Int
  ) throws(SQLError) -> Buffer<UInt32> {
    let ends = Buffer<UInt32>(uninitialized: count)
    var end = UInt32(truncatingIfNeeded: count)
    // From the back.
    try (0..<count).inSlices { slice in
      for index in slice {
        let place = count &- 1 &- index
        ends[place] = end
        end = breaks[place] != 0 ? UInt32(truncatingIfNeeded: place) : end
      }
    }
    return ends
  }
}
