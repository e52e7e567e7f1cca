import Columnar
package import Diagnostics

/// Counts closed walks of three or four edges, a source at a time.
///
/// Three edges are counted by intersection: for each neighbour of the source its list against the set of rows that lead back
/// to the source, the shorter of the two gone through, so that no more is looked at than the worst case of the answer
/// allows. Four edges are counted from both sides: walks of two edges from the source by where they end, and
/// walks of two edges back to it, whose numbers are multiplied. If the two rows between have an order, both sides are gone
/// through in that order, so that only the walks before are there to be multiplied. Other orders cut the lists.
///
/// Source: H. Ngo, C. Ré and A. Rudra, "Skew Strikes Back: New Developments in the Theory of Join Algorithms" (SIGMOD
/// Record 2013).
///
/// One worker at a time has it.
package final class CycleCounter {
  /// The edges of the first step, and those of the last step against its direction.
  private let first: AdjacencyLists
  private let last: AdjacencyLists
  private let isTriangle: Bool
  private let keys: Buffer<Int64>?
  /// The corners next to the source.
  private let nearGates: (forth: CycleGate, back: CycleGate)
  /// What leads to corner 2 over the one and the other; of a triangle only the first counts.
  private let far: (forth: CycleSide, back: CycleSide)
  /// How corner 3 compares with corner 1 in a ring of four.
  private let order: Comparison?
  private let bits: Buffer<UInt64>
  private let counters: Buffer<UInt32>
  /// The rows that may stand next to the source.
  private var ahead = Buffer<UInt32>(uninitialized: 0)
  private var behind = Buffer<UInt32>(uninitialized: 0)
  /// The number of closed walks so far; more than fit are noted in `isOver`.
  package private(set) var total: Int64 = 0
  package private(set) var isOver = false

  /// A counter for a ring, of which perhaps some lists have been made flat.
  package init(_ ring: CycleRing, _ flat: FlatSides = FlatSides()) {
    let steps = ring.steps
    let limit = ring.limits[2]
    let last = steps.count - 1
    isTriangle = last == 2
    keys = ring.keys
    first = AdjacencyLists(steps[0].forth)
    self.last = AdjacencyLists(steps[last].back)
    nearGates = (CycleGate(ring, 1, knowing: [0]), CycleGate(ring, last, knowing: [0]))
    let gates = (CycleGate(ring, 2, knowing: [0, 1]), CycleGate(ring, 2, knowing: [0, 3]))
    far = (
      CycleSide(steps[1].forth, gates.0, flat.forth, isMarked: isTriangle),
      CycleSide(steps[2].back, gates.1, flat.back, isMarked: isTriangle)
    )
    order = isTriangle ? nil : ring.order(of: 3, to: 1)
    bits = Buffer(zeroed: isTriangle ? (limit + 63) / 64 + 1 : 1)
    counters = Buffer(zeroed: isTriangle ? 1 : max(1, limit))
  }

  /// The bytes that a counter for a ring holds.
  package static func byteCount(_ ring: CycleRing) -> Int { ring.limits[2] * 4 }

  /// Counts the closed walks that begin at some sources.
  ///
  /// - Precondition: no source before them was greater.
  /// - Throws: 57014, 53200; the counter is of no use afterwards.
  /// - Complexity: O(sum over the edges of the first step of the lesser of two degrees) for three edges, O(walks of two
  ///   edges) for four.
  package func add(_ sources: Range<UInt32>) throws(SQLError) {
    if isTriangle { return note(try triangles(at: sources)) }
    for source in sources { note(try squares(at: source)) }
  }

  private func note(_ found: Int64) {
    let (sum, overflow) = total.addingReportingOverflow(found)
    total = sum
    isOver = isOver || overflow
  }

  /// Sees that there is room for what stands next to a source, beside so much as is there already; false if what is there
  /// would have to move.
  private func makeRoom(for source: UInt32, beside known: CycleEnds) -> Bool {
    let (outward, inward) = (first.degree(of: source), last.degree(of: source))
    let (forth, back) = (known.ahead &+ outward &+ 1, known.behind &+ inward &+ 1)
    if forth <= ahead.count && back <= behind.count { return true }
    if known.ahead > 0 || known.behind > 0 { return false }
    if ahead.count < forth { ahead = Buffer(uninitialized: max(forth, Self.usualRoom)) }
    if behind.count < back { behind = Buffer(uninitialized: max(back, Self.usualRoom)) }
    return true
  }

  private static let usualRoom = 1024

  /// Finds the rows that may stand next to a source, and writes them behind those that are known.
  ///
  /// - Precondition: there is room.
  @inline(__always)
  private func collect(at source: UInt32, behind known: CycleEnds) -> CycleEnds {
    var ends = CycleEnds(source: source, ahead: known.ahead, behind: known.behind)
    let corners = CycleCorners(repeating: source)
    let held = nearGates.back.collect(last, of: source, corners, into: behind, at: known.behind)
    if held == 0 { return ends }
    ends.ahead &+= nearGates.forth.collect(
      first, of: source, corners, into: ahead, at: known.ahead)
    if ends.ahead > known.ahead { ends.behind &+= held }
    return ends
  }

  // MARK: Three edges

  /// The triangles of some sources: of as many at a time as have about so many neighbours as are brought into the cache together.
  private func triangles(at sources: Range<UInt32>) throws(SQLError) -> Int64 {
    var count: Int64 = 0
    var next = sources.lowerBound
    var found = InlineArray<16, CycleEnds>(repeating: CycleEnds())
    while next < sources.upperBound {
      var known = CycleEnds()
      var foundCount = 0
      while next < sources.upperBound, foundCount < found.count,
        known.ahead < AdjacencyLists.warmedCount, makeRoom(for: next, beside: known)
      {
        let ends = collect(at: next, behind: known)
        next &+= 1
        if ends.ahead == known.ahead { continue }
        found[foundCount] = ends
        foundCount &+= 1
        known = ends
      }
      if foundCount == 0 { continue }
      try RunningStatement.check()
      far.forth.warm(ahead, from: 0, of: known.ahead)
      known = CycleEnds()
      for index in 0..<foundCount {
        count &+= try triangles(found[index], behind: known)
        known = found[index]
      }
    }
    return count
  }

  /// The triangles of a source whose neighbours stand behind those of another.
  private func triangles(_ ends: CycleEnds, behind known: CycleEnds) throws(SQLError) -> Int64 {
    let (bits, ahead, behind, second) = (bits, ahead, behind, far.forth)
    for place in known.behind..<ends.behind {
      let target = behind[place]
      bits[Int(target >> 6)] |= 1 &<< UInt64(target & 63)
    }
    var corners = CycleCorners(repeating: ends.source)
    var count = 0
    // A search in a list costs about as much as so many probes of the set.
    let probes = (ends.behind &- known.behind) &* 8
    for place in known.ahead..<ends.ahead {
      if place % AdjacencyLists.warmedCount == 0 && place > 0 {
        try RunningStatement.check()
        second.warm(ahead, from: place, of: ends.ahead)
      }
      let middle = ahead[place]
      corners[1] = middle
      if second.likelyCount(of: middle, corners) <= probes {
        count &+= second.count(of: middle, corners, in: bits)
      } else {
        for index in known.behind..<ends.behind {
          count &+= bit(second.contains(middle, behind[index], corners))
        }
      }
    }
    for place in known.behind..<ends.behind { bits[Int(behind[place] >> 6)] = 0 }
    return Int64(count)
  }

  // MARK: Four edges

  private func squares(at source: UInt32) throws(SQLError) -> Int64 {
    guard makeRoom(for: source, beside: CycleEnds()) else { return 0 }
    let ends = collect(at: source, behind: CycleEnds())
    if ends.ahead == 0 { return 0 }
    let sides = Sides(
      source: source, ahead: ahead, aheadCount: ends.ahead, behind: behind,
      behindCount: ends.behind)
    guard let order else { return try squares(sides, rises: true) { _ in true } }
    if let keys {
      sides.ahead.sort(sides.aheadCount, by: keys)
      sides.behind.sort(sides.behindCount, by: keys)
    }
    return switch order {
    case .greater: try squares(sides, rises: true) { $0 < 0 }
    case .greaterOrEqual: try squares(sides, rises: true) { $0 <= 0 }
    case .less: try squares(sides, rises: false) { $0 > 0 }
    case .lessOrEqual: try squares(sides, rises: false) { $0 >= 0 }
    case .notEqual:
      try squares(sides, rises: true) { $0 < 0 } &+ squares(sides, rises: false) { $0 > 0 }
    case .equal:
      try squares(sides, rises: true) { $0 <= 0 } &- squares(sides, rises: true) { $0 < 0 }
    }
  }

  /// A source and the rows that may stand next to it.
  private struct Sides {
    let source: UInt32
    let ahead: Buffer<UInt32>
    let aheadCount: Int
    let behind: Buffer<UInt32>
    let behindCount: Int
  }

  /// The squares of a source of whose two rows between the first comes before the second, by how they compare, both
  /// gone through in rising or in falling order.
  @inline(__always)
  private func squares(
    _ sides: Sides, rises: Bool, _ precedes: (_ order: Int) -> Bool
  ) throws(SQLError) -> Int64 {
    let (one, two, counters) = (far.forth, far.back, counters)
    let (ahead, behind) = (sides.ahead, sides.behind)
    let (aheadCount, behindCount) = (sides.aheadCount, sides.behindCount)
    var corners = CycleCorners(repeating: sides.source)
    var done = 0
    var count: Int64 = 0
    for place in 0..<behindCount {
      let later = behind[rises ? place : behindCount &- 1 &- place]
      while done < aheadCount {
        let middle = ahead[rises ? done : aheadCount &- 1 &- done]
        if !precedes(compare(middle, later)) { break }
        if done % AdjacencyLists.warmedCount == 0 {
          if done > 0 { try RunningStatement.check() }
          if rises { one.warm(ahead, from: done, of: aheadCount) }
        }
        corners[1] = middle
        one.add(middle, corners, to: counters)
        done &+= 1
      }
      if place % AdjacencyLists.warmedCount == 0 {
        if place > 0 { try RunningStatement.check() }
        if rises { two.warm(behind, from: place, of: behindCount) }
      }
      if done == 0 { continue }
      corners[3] = later
      count &+= two.sum(later, corners, of: counters)
    }
    for place in 0..<done {
      let middle = ahead[rises ? place : aheadCount &- 1 &- place]
      corners[1] = middle
      one.clear(middle, corners, in: counters)
    }
    return count
  }

  @inline(__always)
  private func compare(_ one: UInt32, _ other: UInt32) -> Int {
    if let keys { return keys[one] < keys[other] ? -1 : keys[one] == keys[other] ? 0 : 1 }
    return Int(one) &- Int(other)
  }
}

/// Where the rows next to a source end that may stand there, ahead of it and behind it.
private struct CycleEnds: BitwiseCopyable {
  var source: UInt32 = 0
  var ahead = 0
  var behind = 0
}

extension Buffer<UInt32> {
  /// Sorts the first rows by their keys.
  fileprivate func sort(_ count: Int, by keys: Buffer<Int64>) {
    let sorted = array(count).sorted { keys[$0] < keys[$1] }
    for (place, row) in sorted.enumerated() { self[place] = row }
  }
}
