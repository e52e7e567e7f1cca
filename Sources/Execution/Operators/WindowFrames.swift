import Columnar
import Diagnostics
import Planning

/// The frame of each row: the places it spans, and those taken out of it.
struct WindowFrames {
  let count: Int
  /// The first place and the place behind the last.
  let starts: Buffer<UInt32>
  let ends: Buffer<UInt32>
  let exclusion: WindowCall.WindowFrame.Exclusion
  /// The bounds of each row's peers, where these are taken out.
  private let peers: (starts: Buffer<UInt32>, ends: Buffer<UInt32>)?
  /// Whether each frame is its whole partition.
  let isWholePartition: Bool
  /// Whether each frame starts with its partition.
  let isRunning: Bool

  init(
    _ frame: WindowCall.WindowFrame, _ partitions: WindowPartitions, startOffsets: Vector?,
    endOffsets: Vector?, key: Vector?, order: SortOrder
  ) throws(SQLError) {
    count = partitions.count
    exclusion = frame.exclusion
    switch frame.exclusion {
    case .none, .currentRow: peers = nil
    case .group, .ties: peers = (try partitions.peerStarts, try partitions.peerEnds)
    }
    let bounds = FrameBounds(
      unit: frame.unit, partitions: partitions, key: key, order: order)
    starts = try bounds.starts(frame.start, startOffsets)
    let ends = try bounds.ends(frame.end, endOffsets)
    self.ends = ends
    let starts = starts
    let (firsts, lasts) = (try partitions.starts, try partitions.ends)
    var fromStart = exclusion == .none
    var toEnd = true
    try (0..<count).inSlices { slice in
      for place in slice {
        ends[place] = max(ends[place], starts[place])
        fromStart = fromStart && starts[place] == firsts[place]
        toEnd = toEnd && ends[place] == lasts[place]
      }
    }
    isRunning = fromStart
    isWholePartition = fromStart && toEnd
  }

  /// The stretches of places in a row's frame, at most three, the empty ones left out.
  func ranges(_ place: Int) -> FrameRanges {
    let start = starts[place]
    let end = ends[place]
    var result = FrameRanges()
    let own = UInt32(truncatingIfNeeded: place)
    let peers = peers.map { ($0.starts[place], $0.ends[place]) } ?? (own, own)
    switch exclusion {
    case .none: result.add(start, end)
    case .currentRow:
      result.add(start, min(end, own))
      result.add(max(start, own &+ 1), end)
    case .group:
      result.add(start, min(end, peers.0))
      result.add(max(start, peers.1), end)
    case .ties:
      result.add(start, min(end, peers.0))
      result.add(max(start, own), min(end, own &+ 1))
      result.add(max(start, peers.1), end)
    }
    return result
  }
}

/// Up to three stretches of places.
struct FrameRanges {
  private var bounds = (
    SIMD2<UInt32>(0, 0), SIMD2<UInt32>(0, 0), SIMD2<UInt32>(0, 0)
  )
  private(set) var rangeCount = 0
  private(set) var count = 0

  mutating func add(_ start: UInt32, _ end: UInt32) {
    guard start < end else { return }
    switch rangeCount {
    case 0: bounds.0 = SIMD2(start, end)
    case 1: bounds.1 = SIMD2(start, end)
    default: bounds.2 = SIMD2(start, end)
    }
    rangeCount += 1
    count += Int(end - start)
  }

  subscript(index: Int) -> Range<Int> {
    let pair = index == 0 ? bounds.0 : index == 1 ? bounds.1 : bounds.2
    return Int(pair.x)..<Int(pair.y)
  }

  /// The place number `index` of the frame, nil past its end.
  func place(_ index: Int) -> Int? {
    var rest = index
    for number in 0..<rangeCount {
      let range = self[number]
      if rest < range.count { return range.lowerBound + rest }
      rest -= range.count
    }
    return nil
  }
}

/// Where frames start and end.
struct FrameBounds {
  let unit: WindowCall.WindowFrame.Unit
  let partitions: WindowPartitions
  let key: Vector?
  let order: SortOrder

  func starts(
    _ bound: WindowCall.WindowFrame.Bound, _ offsets: Vector?
  ) throws(SQLError) -> Buffer<UInt32> {
    switch bound {
    case .unboundedPreceding: return try partitions.starts
    case .unboundedFollowing: return try partitions.ends
    case .currentRow: return unit == .rows ? try own(shift: 0) : try partitions.peerStarts
    case .preceding: return try shifted(offsets, isPreceding: true, isStart: true)
    case .following: return try shifted(offsets, isPreceding: false, isStart: true)
    }
  }

  /// Always a buffer of its own.
  func ends(
    _ bound: WindowCall.WindowFrame.Bound, _ offsets: Vector?
  ) throws(SQLError) -> Buffer<UInt32> {
    switch bound {
    case .unboundedPreceding: return try copy(try partitions.starts)
    case .unboundedFollowing: return try copy(try partitions.ends)
    case .currentRow: return unit == .rows ? try own(shift: 1) : try copy(try partitions.peerEnds)
    case .preceding: return try shifted(offsets, isPreceding: true, isStart: false)
    case .following: return try shifted(offsets, isPreceding: false, isStart: false)
    }
  }

  private func copy(_ buffer: Buffer<UInt32>) throws(SQLError) -> Buffer<UInt32> {
    let result = Buffer<UInt32>(uninitialized: partitions.count)
    try result.copyInSlices(buffer, from: 0, count: partitions.count, to: 0)
    return result
  }

  private func own(shift: UInt32) throws(SQLError) -> Buffer<UInt32> {
    let result = Buffer<UInt32>(uninitialized: partitions.count)
    try (0..<partitions.count).inSlices { slice in
      for place in slice { result[place] = UInt32(truncatingIfNeeded: place) &+ shift }
    }
    return result
  }

  private func shifted(
    _ offsets: Vector?, isPreceding: Bool, isStart: Bool
  ) throws(SQLError) -> Buffer<UInt32> {
    guard let offsets else { throw SQLError.internal("a frame has no offset") }
    let side = isStart ? "starting" : "ending"
    if offsets.validity.nullCount(offsets.count) > 0 {
      throw SQLError(.nullNotAllowed, "frame \(side) offset must not be null")
    }
    switch unit {
    case .rows: return try rows(try numbers(offsets, side), isPreceding, isStart)
    case .groups: return try groups(try numbers(offsets, side), isPreceding, isStart)
    case .range:
      guard let key else {
        throw SQLError(
          .windowingError,
          "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column")
      }
      let search = RangeSearch(
        key, offsets, order: order, partitions: partitions, side: side)
      return try search.bounds(isPreceding: isPreceding, isStart: isStart)
    }
  }

  private func numbers(_ offsets: Vector, _ side: String) throws(SQLError) -> [Int] {
    var result: [Int] = []
    result.reserveCapacity(offsets.count)
    for row in 0..<offsets.count {
      if row & (Range.sliceLength - 1) == 0 { try RunningStatement.check() }
      let number: Int
      switch offsets.type.physical {
      case .int16: number = Int(offsets.values(Int16.self)[row])
      case .int32: number = Int(offsets.values(Int32.self)[row])
      case .int64: number = Int(offsets.values(Int64.self)[row])
      case .bool, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
        throw SQLError.internal("a frame offset is no whole number")
      }
      if number < 0 {
        throw SQLError(
          SQLState("22013"), "frame \(side) offset must not be negative")
      }
      result.append(number)
    }
    return result
  }

  private func rows(
    _ offsets: [Int], _ isPreceding: Bool, _ isStart: Bool
  ) throws(SQLError) -> Buffer<UInt32> {
    let result = Buffer<UInt32>(uninitialized: partitions.count)
    let (starts, ends) = (try partitions.starts, try partitions.ends)
    for place in 0..<partitions.count {
      if place & (Range.sliceLength - 1) == 0 { try RunningStatement.check() }
      let first = Int(starts[place])
      let end = Int(ends[place])
      let distance = min(offsets[place], partitions.count)
      let target = (isPreceding ? place - distance : place + distance) + (isStart ? 0 : 1)
      result[place] = UInt32(truncatingIfNeeded: min(max(target, first), end))
    }
    return result
  }

  private func groups(
    _ offsets: [Int], _ isPreceding: Bool, _ isStart: Bool
  ) throws(SQLError) -> Buffer<UInt32> {
    // The groups of peers of all partitions, in order.
    var firstPlaces: [UInt32] = []
    let numbers = Buffer<UInt32>(uninitialized: partitions.count)
    let (starts, ends) = (try partitions.starts, try partitions.ends)
    let peerStarts = try partitions.peerStarts
    for place in 0..<partitions.count {
      if place & (Range.sliceLength - 1) == 0 { try RunningStatement.check() }
      if Int(peerStarts[place]) == place {
        firstPlaces.append(UInt32(truncatingIfNeeded: place))
      }
      numbers[place] = UInt32(truncatingIfNeeded: firstPlaces.count - 1)
    }
    firstPlaces.append(UInt32(truncatingIfNeeded: partitions.count))
    let result = Buffer<UInt32>(uninitialized: partitions.count)
    for place in 0..<partitions.count {
      if place & (Range.sliceLength - 1) == 0 { try RunningStatement.check() }
      let own = Int(numbers[place])
      let distance = min(offsets[place], partitions.count)
      let target = (isPreceding ? own - distance : own + distance) + (isStart ? 0 : 1)
      let bounded = min(max(target, 0), firstPlaces.count - 1)
      result[place] = min(
        max(firstPlaces[bounded], starts[place]), ends[place])
    }
    return result
  }
}
