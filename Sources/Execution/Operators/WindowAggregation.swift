import Columnar
import Diagnostics
import Planning

/// An aggregate over frames.
///
/// Whole partitions are grouped as GROUP BY does. Exact sums, and extremes, are told of frames that slide. Frames that
/// start with their partition and only grow are fed step by step, many partitions at once. The rest is spelled out, as pairs of a frame and a row in it, some chunks of
/// them at a time.
struct WindowAggregation {
  let call: AggregateCall
  let partitions: WindowPartitions
  let frames: WindowFrames
  let argumentTypes: [LogicalType]
  /// The arguments of the rows that count, and how many of those stand before each place.
  let arguments: [Vector]
  let before: Buffer<UInt32>
  private let eligible: SelectionVector

  /// Pairs spelled out at a time.
  private static let pairCountMax = 32_768

  init(
    _ call: AggregateCall, _ arguments: [Vector], filter: Vector?, _ partitions: WindowPartitions,
    _ frames: WindowFrames
  ) throws(SQLError) {
    self.call = call
    self.partitions = partitions
    self.frames = frames
    argumentTypes = arguments.map(\.type)
    let count = partitions.count
    var rows = filter.map { SelectionVector(whereTrue: $0) } ?? .all(count)
    if call.isStrict {
      for argument in arguments where !argument.validity.isAllValid {
        let kept = Buffer<UInt32>(uninitialized: max(rows.count, 1))
        let before = rows.positions
        let validity = argument.validity
        var found = 0
        try (0..<rows.count).inSlices { slice in
          for index in slice {
            kept[found] = before[index]
            found &+= bit(validity.isValid(Int(before[index])))
          }
        }
        rows = SelectionVector(kept, count: found)
      }
    }
    eligible = rows
    var eligibleArguments = arguments
    if rows.count < count {
      for index in arguments.indices {
        eligibleArguments[index] = try arguments[index].gatheredInSlices(
          rows.positions, count: rows.count)
      }
    }
    self.arguments = eligibleArguments
    let before = Buffer<UInt32>(uninitialized: count + 1)
    let positions = rows.positions
    let rowCount = rows.count
    var next = 0
    try (0..<(count + 1)).inSlices { slice in
      for place in slice {
        while next < rowCount && Int(positions[next]) < place { next &+= 1 }
        before[place] = UInt32(truncatingIfNeeded: next)
      }
    }
    self.before = before
  }

  func compute(_ context: ExecutionContext) throws(SQLError) -> Vector {
    if frames.isWholePartition { return try wholePartitions(context) }
    if let found = try sliding(context) { return found }
    // What shows the order of its rows keeps them all, and sorts them for good when it is first asked.
    if frames.isRunning && !call.isOrderSensitive { return try running(context) }
    return try spelledOut(context)
  }

  func slice(_ range: Range<Int>) -> [Vector] {
    arguments.map { $0.slice(from: range.lowerBound, count: range.count).compactFlattened() }
  }

  private func wholePartitions(_ context: ExecutionContext) throws(SQLError) -> Vector {
    let accumulator = call.factory(argumentTypes, call.type)
    let (numbers, partitionCount) = try partitions.numbered
    accumulator.grow(to: partitionCount)
    var start = 0
    while start < eligible.count {
      try context.check()
      try context.memory.checkRoom(for: accumulator.byteCount)
      let end = min(eligible.count, start + Vector.chunkCapacity)
      let groups = Buffer<UInt32>(uninitialized: end - start)
      for index in start..<end {
        groups[index - start] = numbers[eligible.positions[index]]
      }
      try accumulator.update(groups: groups, arguments: slice(start..<end), count: end - start)
      start = end
    }
    return try accumulator.results(0..<partitionCount)
      .gathered(numbers, count: partitions.count)
  }

  private func spelledOut(_ context: ExecutionContext) throws(SQLError) -> Vector {
    var results: [Vector] = []
    var place = 0
    while place < partitions.count {
      try context.check()
      let first = place
      let accumulator = call.factory(argumentTypes, call.type)
      var groups: [UInt32] = []
      var rows: [UInt32] = []
      while place < partitions.count && rows.count < Self.pairCountMax
        && place - first < Vector.chunkCapacity
      {
        let ranges = frames.ranges(place)
        for number in 0..<ranges.rangeCount {
          let range = ranges[number]
          let lower = before[range.lowerBound]
          let upper = before[range.upperBound]
          var row = lower
          while row < upper {
            groups.append(UInt32(truncatingIfNeeded: place - first))
            rows.append(row)
            row &+= 1
          }
        }
        place += 1
      }
      accumulator.grow(to: place - first)
      if !rows.isEmpty {
        let positions = Buffer(rows)
        try accumulator.update(
          groups: Buffer(groups),
          arguments: arguments.map { $0.gathered(positions, count: rows.count).compactFlattened() },
          count: rows.count)
      }
      results.append(try accumulator.results(0..<(place - first)))
    }
    return try Vector.concatenateInSlices(results, type: call.type)
  }
}
