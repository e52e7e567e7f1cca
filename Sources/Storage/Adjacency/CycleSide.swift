import Columnar
package import Diagnostics

/// The edges over which corner 2 of a ring is reached from a row next to the source.
///
/// Sources are gone through in rising order, so what an order with the source leaves of a list begins or ends ever further on: its
/// end is moved and never searched for.
final class CycleSide {
  private let lists: AdjacencyLists
  private let gate: CycleGate
  private let flat: FlatLists?
  /// How a target compares with the source; none where that need not be looked at.
  private let ofSource: CycleBound
  /// Where the wanted targets of each flat list begin, or end, for the source in hand.
  private let moved: Buffer<UInt32>
  private var warmth: UInt32 = 0

  /// A side, over flat lists if there are any.
  ///
  /// `isMarked` says that targets are only looked for among marked ones, which an order with the source has been
  /// asked of.
  init(_ index: AdjacencyIndex, _ gate: CycleGate, _ flat: FlatLists?, isMarked: Bool) {
    lists = AdjacencyLists(index)
    self.gate = gate
    self.flat = flat
    ofSource = isMarked ? .none : gate.bound(with: 0)
    if let flat, ofSource != .none {
      moved = Buffer(uninitialized: flat.starts.count)
      moved.copy(flat.starts, count: flat.starts.count, to: 0)
    } else {
      moved = Buffer(uninitialized: 0)
    }
  }

  /// Brings the lists of the next rows into the cache.
  func warm(_ sources: Buffer<UInt32>, from start: Int, of count: Int) {
    guard let flat else { return lists.warm(sources, from: start, of: count) }
    for place in start..<min(start &+ AdjacencyLists.warmedCount, count) {
      warmth &+= flat.targets[flat.starts[sources[place]]]
    }
  }

  /// The places of a flat list's wanted targets.
  @inline(__always)
  private func places(_ flat: FlatLists, of source: UInt32, _ corners: CycleCorners) -> Range<Int> {
    let all = flat.places(of: source)
    if ofSource == .none { return all }
    var (lower, upper) = (UInt32(0), UInt32.max)
    ofSource.narrow(&lower, &upper, corners[0])
    var place = Int(truncatingIfNeeded: moved[source])
    let border = ofSource.isLower ? lower : upper
    while place < all.upperBound && flat.targets[place] < border { place &+= 1 }
    moved[source] = UInt32(truncatingIfNeeded: place)
    return ofSource.isLower ? place..<all.upperBound : all.lowerBound..<place
  }

  /// The targets within bounds.
  @inline(__always)
  private func stretches(of source: UInt32, _ corners: CycleCorners) -> TargetStretches {
    if let flat {
      let places = places(flat, of: source, corners)
      return TargetStretches(
        all: PagePointer(flat.targets).advanced(by: places.lowerBound), count: places.count)
    }
    let (lower, upper) = gate.narrowed(corners)
    return lists.stretches(of: source, from: lower, below: upper)
  }

  // Written out for each use: a closure for the edges would count references for each list.

  /// Adds one to the counter of each target that may stand at corner 2.
  func add(_ source: UInt32, _ corners: CycleCorners, to counters: Buffer<UInt32>) {
    var stretches = stretches(of: source, corners)
    while let stretch = stretches.pop() {
      let targets = stretch.targets
      if gate.isRange {
        for place in stretch.places { counters[targets[place]] &+= 1 }
      } else {
        for place in stretch.places where gate.passes(targets[place], corners) {
          counters[targets[place]] &+= 1
        }
      }
    }
  }

  /// The sum of the counters of those targets.
  func sum(_ source: UInt32, _ corners: CycleCorners, of counters: Buffer<UInt32>) -> Int64 {
    var sum: Int64 = 0
    var stretches = stretches(of: source, corners)
    while let stretch = stretches.pop() {
      let targets = stretch.targets
      if gate.isRange {
        for place in stretch.places { sum &+= Int64(counters[targets[place]]) }
      } else {
        for place in stretch.places where gate.passes(targets[place], corners) {
          sum &+= Int64(counters[targets[place]])
        }
      }
    }
    return sum
  }

  /// Sets the counters of all targets within bounds to zero.
  func clear(_ source: UInt32, _ corners: CycleCorners, in counters: Buffer<UInt32>) {
    var stretches = stretches(of: source, corners)
    while let stretch = stretches.pop() {
      for place in stretch.places { counters[stretch.targets[place]] = 0 }
    }
  }

  /// About how many targets may.
  func likelyCount(of source: UInt32, _ corners: CycleCorners) -> Int {
    guard let flat else { return gate.likelyCount(lists, of: source, corners) }
    return flat.places(of: source).count
  }

  /// How many targets may, and are in a set.
  func count(of source: UInt32, _ corners: CycleCorners, in bits: Buffer<UInt64>) -> Int {
    var count = 0
    if let flat, gate.isRange {
      for place in places(flat, of: source, corners) {
        count &+= Self.isSet(flat.targets[place], bits)
      }
      return count
    }
    var stretches = stretches(of: source, corners)
    while let stretch = stretches.pop() {
      let targets = stretch.targets
      if !gate.isRange {
        for place in stretch.places where gate.passes(targets[place], corners) {
          count &+= Self.isSet(targets[place], bits)
        }
      } else if stretch.bits.count > 0 {
        count &+= stretch.bits.commonCount(with: bits)
      } else {
        for place in stretch.places { count &+= Self.isSet(targets[place], bits) }
      }
    }
    return count
  }

  /// Whether a row is a target and may stand at corner 2.
  func contains(_ source: UInt32, _ target: UInt32, _ corners: CycleCorners) -> Bool {
    lists.contains(source, target) && gate.admits(target, corners)
  }

  @inline(__always)
  private static func isSet(_ target: UInt32, _ bits: Buffer<UInt64>) -> Int {
    Int(truncatingIfNeeded: bits[Int(target >> 6)] >> UInt64(target & 63) & 1)
  }
}

/// Flat lists of the sides of a ring, where it pays to make them.
package struct FlatSides: Sendable {
  var forth: FlatLists?
  var back: FlatLists?
}

extension CycleRing {
  /// Whether the lists of a side are made flat: many, of which an order leaves only a part, or that are so short that it takes
  /// longer to find them than to go through them.
  private func isFlat(_ index: AdjacencyIndex, from corner: Int, _ large: Int) -> Bool {
    let gate = CycleGate(self, 2, knowing: [0, corner])
    let isOfSource = steps.count == 4 && gate.bound(with: 0) != .none
    let isShort = index.edgeCount < CycleRing.shortListCount * limits[corner]
    return gate.isPlain && (isShort || isOfSource || gate.bound(with: corner) != .none)
      && index.edgeCount >= large && index.edgeCount < Int(UInt32.max)
  }

  /// Lists of fewer edges are short.
  private static var shortListCount: Int { 16 }

  /// The bytes that `flatSides` takes, and those that each counter over them takes.
  package func flatByteCounts(large: Int = CycleRing.largeEdgeCount) -> (all: Int, each: Int) {
    var (all, each) = (0, 0)
    for (index, corner) in sides(large) {
      all += FlatLists.byteCount(index, sourceLimit: limits[corner])
      each += 4 * (limits[corner] + 1)
    }
    return (all, each)
  }

  /// Makes the flat lists, of indices of so many edges.
  ///
  /// - Throws: 57014, 53200.
  package func flatSides(
    large: Int = CycleRing.largeEdgeCount
  ) throws(SQLError) -> FlatSides {
    var result = FlatSides()
    for (index, corner) in sides(large) {
      let bound = CycleGate(self, 2, knowing: [0, corner]).bound(with: corner)
      let flat = try FlatLists(index, bound, sourceLimit: limits[corner])
      if corner == 1 { result.forth = flat } else { result.back = flat }
    }
    return result
  }

  private func sides(_ large: Int) -> [(index: AdjacencyIndex, corner: Int)] {
    var result: [(index: AdjacencyIndex, corner: Int)] = []
    if isFlat(steps[1].forth, from: 1, large) { result.append((steps[1].forth, 1)) }
    if steps.count == 4, isFlat(steps[2].back, from: 3, large) {
      result.append((steps[2].back, 3))
    }
    return result
  }
}
