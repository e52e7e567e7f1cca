import Columnar
import Diagnostics
import Planning

/// Counts, sums and averages over frames that slide: differences of what stands before two places.
///
/// A frame then costs the same however many rows it has. Sums must be exact for that: numbers that are rounded leave traces
/// of rows that are not in the frame.
///
/// The least and the greatest number are the first of those that no later one of the frame is as good as (a monotone queue).
extension WindowAggregation {
  /// nil for other aggregates, and where 64 bits do not hold the sum of all rows.
  func sliding(_ context: ExecutionContext) throws(SQLError) -> Vector? {
    guard frames.exclusion == .none, !call.isDistinct, call.orderBy.isEmpty, !call.isWithinGroup
    else { return nil }
    if call.name == "count" {
      let result = try Buffer<Int64>(uninitializedInSlices: partitions.count)
      try (0..<partitions.count).inSlices { slice in
        for place in slice { result[place] = Int64(rowCount(at: place)) }
      }
      return Vector(.bigint, result, count: partitions.count)
    }
    if call.name == "min" || call.name == "max" { return try slidingExtremes() }
    guard let sums = try runningSums() else { return nil }
    let parts = (partitions.count + Vector.chunkCapacity - 1) / Vector.chunkCapacity
    let width = max(1, min(Workers.parallelism, context.workerLimit, parts / 8))
    let workers = (0..<width).map { _ in SlidingWorker() }
    let (call, argumentTypes, total) = (call, argumentTypes, partitions.count)
    let (starts, ends, before) = (frames.starts, frames.ends, before)
    let scale = arguments[0].decimals ?? 0
    try Workers.share(parts, among: workers, context) {
      (worker: SlidingWorker, part: Int) throws(SQLError) in
      let start = part * Vector.chunkCapacity
      let count = min(Vector.chunkCapacity, total - start)
      guard let accumulator = call.factory(argumentTypes, call.type) as? any SummingAccumulator
      else { return }
      let own = Buffer<Int64>(uninitialized: count)
      let counts = Buffer<Int64>(uninitialized: count)
      for row in 0..<count {
        let (first, end) = (before[starts[start &+ row]], before[ends[start &+ row]])
        counts[row] = Int64(end &- first)
        own[row] = sums[end] &- sums[first]
      }
      accumulator.grow(to: count)
      try accumulator.add(sums: own, ofValues: counts, scale: scale, count: count)
      worker.results.append((part, try accumulator.results(0..<count)))
    }
    let results = workers.flatMap(\.results).sorted { $0.part < $1.part }.map(\.values)
    if results.count < parts { return nil }
    return try Vector.concatenateInSlices(results, type: call.type)
  }

  /// How many rows that count are in the frame of a place.
  @inline(__always)
  private func rowCount(at place: Int) -> UInt32 {
    before[frames.ends[place]] &- before[frames.starts[place]]
  }

  /// For each row that counts, and behind the last, the sum of those before it; nil where there is none, or it is too large.
  private func runningSums() throws(SQLError) -> Buffer<Int64>? {
    guard call.name == "sum" || call.name == "avg", arguments.count == 1 else { return nil }
    let argument = arguments[0].compactFlattened()
    if argument.decimals != nil { return try runningSums(argument.scaledValues, argument.count) }
    switch argument.type.physical {
    case .int16: return try runningSums(argument.values(Int16.self), argument.count)
    case .int32: return try runningSums(argument.values(Int32.self), argument.count)
    case .int64: return try runningSums(argument.values(Int64.self), argument.count)
    case .bool, .float, .double, .numeric, .interval, .uuid, .text, .list, .record: return nil
    }
  }

  private func runningSums<Number: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Number>, _ count: Int
  ) throws(SQLError) -> Buffer<Int64>? {
    let sums = try Buffer<Int64>(uninitializedInSlices: count + 1)
    var sum: Int64 = 0
    var overflows = false
    sums[0] = 0
    try (0..<count).inSlices { slice in
      for row in slice {
        let (next, overflow) = sum.addingReportingOverflow(Int64(truncatingIfNeeded: values[row]))
        overflows = overflows || overflow
        sum = next
        sums[row &+ 1] = next
      }
    }
    return overflows ? nil : sums
  }

  /// nil where values are no whole numbers, or frames go back.
  private func slidingExtremes() throws(SQLError) -> Vector? {
    let argument = arguments[0].compactFlattened()
    if argument.decimals != nil { return try slidingExtremes(argument, argument.scaledValues) }
    switch argument.type.physical {
    case .bool: return try slidingExtremes(argument, argument.values(UInt8.self))
    case .int16: return try slidingExtremes(argument, argument.values(Int16.self))
    case .int32: return try slidingExtremes(argument, argument.values(Int32.self))
    case .int64: return try slidingExtremes(argument, argument.values(Int64.self))
    case .float, .double, .numeric, .interval, .uuid, .text, .list, .record: return nil
    }
  }

  private func slidingExtremes<Number: FixedWidthInteger & BitwiseCopyable>(
    _ argument: Vector, _ values: Buffer<Number>
  ) throws(SQLError) -> Vector? {
    if argument.count == 0 { return nil }
    let count = partitions.count
    let isMaximum = call.name == "max"
    let found = try Buffer<UInt32>(uninitializedInSlices: count)
    // Rows of the frame, each better than all behind it.
    let queue = try Buffer<UInt32>(uninitializedInSlices: argument.count)
    var (head, tail, next) = (0, 0, 0)
    var last = (start: UInt32(0), end: UInt32(0))
    var goesBack = false
    var missing = ValidityMask.allValid
    try (0..<count).inSlices { slice in
      for place in slice {
        let (start, end) = (before[frames.starts[place]], before[frames.ends[place]])
        goesBack = goesBack || start < last.start || end < last.end
        last = (start, end)
        while next < Int(end) {
          let value = values[next]
          while tail > head {
            let known = values[queue[tail &- 1]]
            if isMaximum ? known > value : known < value { break }
            tail &-= 1
          }
          queue[tail] = UInt32(truncatingIfNeeded: next)
          tail &+= 1
          next &+= 1
        }
        while head < tail && queue[head] < start { head &+= 1 }
        found[place] = start < end ? queue[min(head, argument.count &- 1)] : 0
        if start >= end { missing.setNull(place, count: count) }
      }
    }
    if goesBack { return nil }
    let result = try argument.gatheredInSlices(found, count: count)
    return Vector(
      type: result.type, count: count, storage: result.storage, validity: missing,
      digits: result.digits)
  }
}

/// What a worker has computed, by part.
///
/// One thread at a time has it.
private final class SlidingWorker {
  var results: [(part: Int, values: Vector)] = []
}
