import Columnar
import Diagnostics
import Planning

/// Aggregates over frames that start with their partition and only grow.
///
/// A partition takes a *step* for each frame that ends elsewhere than the one before: the rows between the two ends are fed to
/// its state, and the state's result is that of all places whose frames end there. In a round many partitions take a step each,
/// so that an aggregate is called once for all of them, and yet gets the rows of each in their order.
extension WindowAggregation {
  /// Partitions that take their steps together; their states and rows fit the cache.
  private static let partitionMax = 2048

  func running(_ context: ExecutionContext) throws(SQLError) -> Vector {
    let walks = try partitionWalks()
    let positions = try Buffer<UInt32>(uninitializedInSlices: partitions.count)
    // A result may share the memory of a state that goes on changing, so each is copied at once.
    var results = VectorBuilder(call.type, capacity: partitions.count)
    var start = 0
    while start < walks.count {
      let end = min(walks.count, start + Self.partitionMax)
      try take(walks.slice(start..<end), end - start, &results, positions, context)
      start = end
    }
    return results.finish().gathered(positions, count: partitions.count)
  }

  /// The partitions by their first places, those with most steps first.
  ///
  /// - Complexity: O(rows).
  private func partitionWalks() throws(SQLError) -> Buffer<UInt32> {
    let (numbers, partitionCount) = try partitions.numbered
    let firsts = try Buffer<UInt32>(uninitializedInSlices: partitionCount)
    let steps = try Buffer<UInt32>(zeroedInSlices: partitionCount)
    var most = 0
    let (ends, starts) = (frames.ends, try partitions.starts)
    try (0..<partitions.count).inSlices { slice in
      for place in slice {
        let partition = Int(numbers[place])
        let isFirst = Int(starts[place]) == place
        if isFirst { firsts[partition] = UInt32(truncatingIfNeeded: place) }
        if isFirst || ends[place] != ends[place &- 1] { steps[partition] &+= 1 }
        most = max(most, Int(steps[partition]))
      }
    }
    // Sorted by counting.
    let offsets = try Buffer<UInt32>(zeroedInSlices: most + 2)
    let sorted = try Buffer<UInt32>(uninitializedInSlices: partitionCount)
    try (0..<partitionCount).inSlices { slice in
      for partition in slice { offsets[most &- Int(steps[partition]) &+ 1] &+= 1 }
    }
    try (0..<(most + 1)).inSlices { slice in
      for count in slice { offsets[count &+ 1] &+= offsets[count] }
    }
    try (0..<partitionCount).inSlices { slice in
      for partition in slice {
        let bucket = most &- Int(steps[partition])
        sorted[offsets[bucket]] = firsts[partition]
        offsets[bucket] &+= 1
      }
    }
    return sorted
  }

  /// All steps of some partitions.
  private func take(
    _ walks: Buffer<UInt32>, _ walkCount: Int, _ results: inout VectorBuilder,
    _ positions: Buffer<UInt32>, _ context: ExecutionContext
  ) throws(SQLError) {
    let accumulator = call.factory(argumentTypes, call.type)
    accumulator.grow(to: walkCount)
    // Where each partition stands, and how many of the rows that count it has fed.
    let places = Buffer<UInt32>(uninitialized: walkCount)
    let fed = Buffer<UInt32>(uninitialized: walkCount)
    for index in 0..<walkCount {
      places[index] = walks[index]
      fed[index] = before[walks[index]]
    }
    let (ends, lasts, before) = (frames.ends, try partitions.ends, before)
    var active = walkCount
    var round = RunningRound(capacity: walkCount)
    var next = 0
    while true {
      // Those with the fewest steps stand last.
      while active > 0 && places[active - 1] >= lasts[walks[active - 1]] { active -= 1 }
      if active == 0 { return }
      if next <= 0 {
        try context.check()
        try context.memory.checkRoom(for: accumulator.byteCount + results.byteCount)
        next = Vector.chunkCapacity
      }
      next -= active
      round.clear()
      let base = UInt32(truncatingIfNeeded: results.count)
      for index in 0..<active {
        var place = Int(places[index])
        let end = ends[place]
        let last = Int(lasts[place])
        let target = before[end]
        if target > fed[index] {
          round.add(fed[index]..<target, to: UInt32(truncatingIfNeeded: index))
          fed[index] = target
        }
        repeat {
          positions[place] = base &+ UInt32(truncatingIfNeeded: index)
          place &+= 1
        } while place < last && ends[place] == end
        places[index] = UInt32(truncatingIfNeeded: place)
      }
      if round.count > 0 {
        try accumulator.update(
          groups: round.groups, arguments: round.taken(from: arguments), count: round.count)
      }
      results.append(try accumulator.results(0..<active))
    }
  }
}

/// The rows that partitions feed in one round.
private struct RunningRound {
  private(set) var groups: Buffer<UInt32>
  private var rows: Buffer<UInt32>
  private(set) var count = 0

  init(capacity: Int) {
    groups = Buffer(uninitialized: capacity)
    rows = Buffer(uninitialized: capacity)
  }

  mutating func clear() { count = 0 }

  mutating func add(_ range: Range<UInt32>, to group: UInt32) {
    let wanted = count + range.count
    if wanted > rows.count {
      let capacity = max(wanted, rows.count * 2)
      let (moreGroups, moreRows) = (
        Buffer<UInt32>(uninitialized: capacity), Buffer<UInt32>(uninitialized: capacity)
      )
      moreGroups.copy(groups, count: count, to: 0)
      moreRows.copy(rows, count: count, to: 0)
      (groups, rows) = (moreGroups, moreRows)
    }
    for row in range {
      groups[count] = group
      rows[count] = row
      count &+= 1
    }
  }

  /// The rows' arguments, flat; rows that follow each other are not moved.
  func taken(from arguments: [Vector]) -> [Vector] {
    let first = Int(rows[0])
    let isStretch = Int(rows[count &- 1]) &- first == count &- 1 && groups[0] == groups[count &- 1]
    return arguments.map { argument in
      isStretch
        ? argument.slice(from: first, count: count).compactFlattened()
        : argument.gathered(rows, count: count).compactFlattened()
    }
  }
}
