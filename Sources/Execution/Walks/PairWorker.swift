import Columnar
import Planning
import Storage

/// What one worker counts pairs with.
///
/// Sendable by rule: one worker at a time has it.
final class PairWorker: @unchecked Sendable {
  let filter: ConjunctiveFilter
  /// The ways to each target from the source in hand; all zero between two sources.
  private(set) var counters = Buffer<UInt32>(uninitialized: 0)
  /// Targets with ways enough, or that were come past.
  private(set) var kept = Buffer<UInt32>(uninitialized: 0)
  /// The sources of a morsel that have few ways.
  let few = Buffer<UInt32>(uninitialized: PairSources.morselEdgeCount)
  /// First steps of some of them: where they arrive, and the index of their source.
  private(set) var between = Buffer<UInt32>(uninitialized: Vector.chunkCapacity)
  private(set) var origins = Buffer<UInt32>(uninitialized: Vector.chunkCapacity)
  private(set) var scratch = Buffer<UInt32>(uninitialized: Vector.chunkCapacity)
  /// Those of them that are the only ones of their source, once they are set apart.
  let single = Buffer<UInt32>(uninitialized: Vector.chunkCapacity)
  let singleOrigins = Buffer<UInt32>(uninitialized: Vector.chunkCapacity)
  var aside: [UInt32] = []
  private var met = Buffer<UInt32>(uninitialized: Vector.chunkCapacity)

  init(_ filter: ConjunctiveFilter) { self.filter = filter }

  func makeRoom(ofTargets limit: Int) {
    if counters.count >= limit { return }
    counters = Buffer(zeroed: limit)
    kept = Buffer(uninitialized: limit + 1)
  }

  /// Makes room for so many first steps.
  func makeRoom(ofSteps count: Int) {
    if between.count >= count { return }
    between = Buffer(uninitialized: count)
    origins = Buffer(uninitialized: count)
    scratch = Buffer(uninitialized: count)
  }

  /// Keeps those of the first steps that arrive at a row that is admitted, and says how many.
  func admit(_ count: Int, by bits: Buffer<UInt64>) -> Int {
    let (between, origins) = (between, origins)
    var found = 0
    for index in 0..<count {
      let row = between[index]
      between[found] = row
      origins[found] = origins[index]
      found &+= bit(bits.contains(row))
    }
    return found
  }

  /// Sets those of the first steps apart that are their source's only one, and says how many these are and how many are left.
  ///
  /// - Precondition: the steps are no more than a chunk, and all of a source stand together.
  func setApart(_ count: Int) -> (singles: Int, rest: Int) {
    let (between, origins, single, singleOrigins) = (between, origins, single, singleOrigins)
    var (singles, rest) = (0, 0)
    var last = UInt32.max
    for index in 0..<count {
      let (row, origin) = (between[index], origins[index])
      let next = index &+ 1 < count ? origins[index &+ 1] : .max
      let isSingle = bit(origin != last) & bit(origin != next)
      last = origin
      single[singles] = row
      singleOrigins[singles] = origin
      singles &+= isSingle
      between[rest] = row
      origins[rest] = origin
      rest &+= 1 &- isSingle
    }
    return (singles, rest)
  }

  /// Keeps those steps set apart whose pairs are still wanted, and says how many.
  @inline(__always)
  func keepSingles(_ count: Int, where isWanted: (_ source: UInt32) -> Bool) -> Int {
    let (few, single, singleOrigins) = (few, single, singleOrigins)
    var kept = 0
    for index in 0..<count {
      let origin = singleOrigins[index]
      single[kept] = single[index]
      singleOrigins[kept] = origin
      kept &+= bit(isWanted(few[origin]))
    }
    return kept
  }

  /// Makes one step of those set apart the first and only one.
  func bringBack(_ index: Int) {
    between[0] = single[index]
    origins[0] = singleOrigins[index]
  }

  /// Those of some rows that are admitted, until the next call.
  func admitting(
    _ rows: Buffer<UInt32>, by bits: Buffer<UInt64>?
  ) -> (rows: Buffer<UInt32>, count: Int) {
    guard let bits else { return (rows, rows.count) }
    if met.count < rows.count { met = Buffer(uninitialized: rows.count) }
    let met = met
    var found = 0
    for index in 0..<rows.count {
      met[found] = rows[index]
      found &+= bit(bits.contains(rows[index]))
    }
    return (met, found)
  }
}

/// Pairs on their way to a chunk: those of many sources where each has few.
struct PairBatch {
  private(set) var sources = Buffer<UInt32>(uninitialized: Vector.chunkCapacity)
  private(set) var targets = Buffer<UInt32>(uninitialized: Vector.chunkCapacity)
  private(set) var numbers = Buffer<Int64>(uninitialized: Vector.chunkCapacity)
  private(set) var count = 0

  var isFull: Bool { count == Vector.chunkCapacity }

  /// Takes those of a source's pairs that are within bounds, from `next` on until the batch is full or there are no
  /// more.
  mutating func take(
    _ source: UInt32, _ found: Buffer<UInt32>, from next: inout Int, to end: Int,
    _ counters: Buffer<UInt32>, _ bounds: PairBounds
  ) {
    let capacity = Vector.chunkCapacity
    var place = count
    while next < end && place < capacity {
      let target = found[next]
      let ways = counters[target]
      sources[place] = source
      targets[place] = target
      numbers[place] = Int64(truncatingIfNeeded: ways)
      place &+= bounds.take(target, ways)
      next &+= 1
    }
    count = place
  }

  /// Takes the pairs of one way each that stand behind the others, up to `end`, with the index of their step in place of their
  /// source.
  mutating func takeSingles(
    to end: Int, _ sources: Buffer<UInt32>, _ origins: Buffer<UInt32>,
    _ comparison: ComparisonOperator?, _ targetLimit: Int
  ) {
    let (own, targets, numbers) = (self.sources, self.targets, self.numbers)
    for place in count..<end {
      own[place] = sources[origins[own[place]]]
      numbers[place] = 1
    }
    guard let comparison else {
      count = end
      return
    }
    var found = count
    for place in count..<end {
      let (source, target) = (own[place], targets[place])
      own[found] = source
      targets[found] = target
      let wanted = comparison.targets(of: Int(source), targetLimit)
      found &+= bit(Int(target) >= wanted.lowerBound) & bit(Int(target) < wanted.upperBound)
    }
    count = found
  }

  /// Makes room anew, as what was handed on may still be read by somebody.
  mutating func renew() {
    sources = Buffer(uninitialized: Vector.chunkCapacity)
    targets = Buffer(uninitialized: Vector.chunkCapacity)
    numbers = Buffer(uninitialized: Vector.chunkCapacity)
    count = 0
  }
}

/// The fewest and most ways that a pair of a source may have, and the positions that its target may have.
struct PairBounds {
  let ways: ClosedRange<UInt32>
  let targets: Range<UInt32>

  /// 1 for a pair that is within bounds, otherwise 0.
  @inline(__always)
  func take(_ target: UInt32, _ number: UInt32) -> Int {
    bit(number >= ways.lowerBound) & bit(number <= ways.upperBound)
      & bit(target >= targets.lowerBound) & bit(target < targets.upperBound)
  }
}

extension ComparisonOperator {
  /// The targets whose position compares so with a source's, of those below `limit`.
  @inline(__always)
  func targets(of source: Int, _ limit: Int) -> Range<Int> {
    switch self {
    case .less: 0..<min(limit, source)
    case .lessOrEqual: 0..<min(limit, source + 1)
    case .greater: min(limit, source + 1)..<limit
    case .equal, .notEqual, .greaterOrEqual: min(limit, source)..<limit
    }
  }
}
