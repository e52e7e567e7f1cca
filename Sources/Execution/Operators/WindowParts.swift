import Columnar
import Diagnostics

/// The rows of a window's input in parts, each of whole partitions and all of them before those of the next.
///
/// Parts are work for several workers, and their rows are few enough to stay in a cache while they are sorted, looked through
/// and put into order again.
struct WindowParts: Sendable {
  /// The rows, part by part, in each as they came; nil where they came in that order.
  private let order: Buffer<UInt32>?
  /// Where each part begins, and where the last one ends.
  private let bounds: Buffer<Int>
  let count: Int

  /// Fewer rows are left together.
  private static let rowMin = 65_536
  /// About so many rows are meant to be in a part.
  private static let partRows = 16_384
  private static let partLimit = 1024

  /// nil where the rows are few, or nearly all of one part.
  ///
  /// `key` is a whole number for each row, by which partitions are told apart and ordered.
  init?(_ key: Vector, count: Int) throws(SQLError) {
    guard count >= Self.rowMin else { return nil }
    let flat = try key.flattenedInSlices()
    switch flat.type.physical {
    case .int16: try self.init(flat.values(Int16.self), flat.validity, count)
    case .int32: try self.init(flat.values(Int32.self), flat.validity, count)
    case .int64: try self.init(flat.values(Int64.self), flat.validity, count)
    case .bool, .float, .double, .numeric, .interval, .uuid, .text, .list, .record: return nil
    }
  }

  private init?<Number: FixedWidthInteger & SignedInteger & BitwiseCopyable>(
    _ values: Buffer<Number>, _ validity: ValidityMask, _ count: Int
  ) throws(SQLError) {
    var (least, greatest) = (Number.max, Number.min)
    try (0..<count).inSlices { slice in
      for row in slice where validity.isValid(row) {
        least = min(least, values[row])
        greatest = max(greatest, values[row])
      }
    }
    guard least < greatest else { return nil }
    let first = Int64(least)
    let span = UInt64(bitPattern: Int64(greatest) &- first)
    let wanted = min(Self.partLimit, count / Self.partRows)
    let shift = UInt64(
      max(0, wanted.leadingZeroBitCount - span.leadingZeroBitCount))
    // The last part is that of NULLs, which come behind all values.
    let partCount = Int(truncatingIfNeeded: span &>> shift) + 2
    let parts = try Buffer<UInt16>(uninitializedInSlices: count)
    let bounds = Buffer<Int>(zeroed: partCount + 1)
    var isRising = true
    var before: UInt16 = 0
    try (0..<count).inSlices { slice in
      for row in slice {
        let distance = UInt64(bitPattern: Int64(values[row]) &- first) &>> shift
        let part =
          validity.isValid(row)
          ? UInt16(truncatingIfNeeded: distance) : UInt16(truncatingIfNeeded: partCount - 1)
        parts[row] = part
        bounds[Int(part) &+ 1] &+= 1
        isRising = isRising && before <= part
        before = part
      }
    }
    var most = 0
    for part in 0..<partCount {
      most = max(most, bounds[part + 1])
      bounds[part + 1] += bounds[part]
    }
    guard most < count / 8 * 7 else { return nil }
    self.bounds = bounds
    self.count = partCount
    order = isRising ? nil : try Self.sorted(parts, count, bounds, partCount)
  }

  private static func sorted(
    _ parts: Buffer<UInt16>, _ count: Int, _ bounds: Buffer<Int>, _ partCount: Int
  ) throws(SQLError) -> Buffer<UInt32> {
    let next = Buffer<Int>(uninitialized: partCount)
    next.copy(bounds, count: partCount, to: 0)
    let order = try Buffer<UInt32>(uninitializedInSlices: count)
    try (0..<count).inSlices { slice in
      for row in slice {
        let part = Int(parts[row])
        order[next[part]] = UInt32(truncatingIfNeeded: row)
        next[part] &+= 1
      }
    }
    return order
  }

  /// The rows of a part.
  func rows(_ part: Int, of all: DataChunk) throws(SQLError) -> WindowRows {
    let range = bounds[part]..<bounds[part + 1]
    guard let order else {
      let positions = Buffer<UInt32>(uninitialized: range.count)
      for place in 0..<range.count {
        positions[place] = UInt32(truncatingIfNeeded: range.lowerBound &+ place)
      }
      return WindowRows(all, at: positions, count: range.count)
    }
    // They stand apart, and are looked at several times.
    let positions = order.slice(range)
    var columns: [Vector] = []
    for column in all.columns {
      columns.append(try column.gatheredInSlices(positions, count: range.count))
    }
    return WindowRows(DataChunk(columns, count: range.count))
  }
}

/// Rows for windows, which are put in order by their positions and not moved.
struct WindowRows {
  private let source: DataChunk
  /// Where the rows stand in the source; nil if it has them in their order, and no others.
  private var positions: Buffer<UInt32>?
  let count: Int

  /// - Precondition: the columns are flat or constant.
  init(_ source: DataChunk, at positions: Buffer<UInt32>? = nil, count: Int? = nil) {
    self.source = source
    self.positions = positions
    self.count = count ?? source.count
  }

  /// A column's values, flat or constant, small decimals kept.
  func column(_ place: Int) throws(SQLError) -> Vector {
    guard let positions else { return source.columns[place] }
    return try source.columns[place].gatheredInSlices(positions, count: count)
  }

  func columns(_ places: [Int]) throws(SQLError) -> [Vector] {
    var result: [Vector] = []
    for place in places { result.append(try column(place)) }
    return result
  }

  /// Puts row `order[i]` at place *i*.
  mutating func reorder(_ order: Buffer<UInt32>) throws(SQLError) {
    guard let before = positions else {
      positions = order
      return
    }
    let combined = Buffer<UInt32>(uninitialized: count)
    try (0..<count).inSlices { slice in
      for place in slice { combined[place] = before[order[place]] }
    }
    positions = combined
  }

  /// The first `width` columns of all rows, with columns behind them that are in the rows' order, chunk by chunk.
  func chunks(_ width: Int, and results: [Vector]) throws(SQLError) -> [DataChunk] {
    let visible = DataChunk(Array(source.columns[..<width]), count: source.count)
    var chunks: [DataChunk] = []
    var start = 0
    while start < count {
      try RunningStatement.check()
      let length = min(Vector.chunkCapacity, count - start)
      let range = start..<(start + length)
      let own =
        positions.map { visible.gathered($0.slice(range), count: length) }
        ?? visible.slice(from: start, count: length)
      chunks.append(
        DataChunk(
          own.columns + results.map { $0.slice(from: start, count: length) }, count: length))
      start += length
    }
    return chunks
  }
}
