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

  /// Counts the closed walks that begin at a source.
  ///
  /// - Precondition: no source before it was greater.
  /// - Throws: 57014, 53200; the counter is of no use afterwards.
  /// - Complexity: O(sum over the edges of the first step of the lesser of two degrees) for three edges, O(walks of two
  ///   edges) for four.
  package func add(_ source: UInt32) throws(SQLError) {
    let found = isTriangle ? try triangles(at: source) : try squares(at: source)
    let (sum, overflow) = total.addingReportingOverflow(found)
    total = sum
    isOver = isOver || overflow
  }

  /// Finds the rows that may stand next to a source.
  private func collect(at source: UInt32) -> (ahead: Int, behind: Int) {
    let (outward, inward) = (first.degree(of: source), last.degree(of: source))
    if outward == 0 || inward == 0 { return (0, 0) }
    if ahead.count <= outward { ahead = Buffer(uninitialized: outward + 1) }
    if behind.count <= inward { behind = Buffer(uninitialized: inward + 1) }
    let corners = CycleCorners(repeating: source)
    let held = nearGates.back.collect(last, of: source, corners, into: behind)
    if held == 0 { return (0, 0) }
    return (nearGates.forth.collect(first, of: source, corners, into: ahead), held)
  }

  // MARK: Three edges

  private func triangles(at source: UInt32) throws(SQLError) -> Int64 {
    let (aheadCount, behindCount) = collect(at: source)
    if aheadCount == 0 { return 0 }
    let (bits, ahead, behind, second) = (bits, ahead, behind, far.forth)
    for place in 0..<behindCount {
      let target = behind[place]
      bits[Int(target >> 6)] |= 1 &<< UInt64(target & 63)
    }
    var corners = CycleCorners(repeating: source)
    var count = 0
    // A search in a list costs about as much as so many probes of the set.
    let probes = behindCount &* 8
    for place in 0..<aheadCount {
      if place % AdjacencyLists.warmedCount == 0 {
        if place > 0 { try RunningStatement.check() }
        second.warm(ahead, from: place, of: aheadCount)
      }
      let middle = ahead[place]
      corners[1] = middle
      if second.likelyCount(of: middle, corners) <= probes {
        count &+= second.count(of: middle, corners, in: bits)
      } else {
        for index in 0..<behindCount {
          count &+= bit(second.contains(middle, behind[index], corners))
        }
      }
    }
    for place in 0..<behindCount { bits[Int(behind[place] >> 6)] = 0 }
    return Int64(count)
  }

  // MARK: Four edges

  private func squares(at source: UInt32) throws(SQLError) -> Int64 {
    let (aheadCount, behindCount) = collect(at: source)
    if aheadCount == 0 { return 0 }
    let sides = Sides(
      source: source, ahead: ahead, aheadCount: aheadCount, behind: behind,
      behindCount: behindCount)
    guard let order else { return try squares(sides, rises: true) { _ in true } }
    if let keys {
      sides.ahead.sort(aheadCount, by: keys)
      sides.behind.sort(behindCount, by: keys)
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

extension Buffer<UInt32> {
  /// Sorts the first rows by their keys.
  fileprivate func sort(_ count: Int, by keys: Buffer<Int64>) {
    let sorted = array(count).sorted { keys[$0] < keys[$1] }
    for (place, row) in sorted.enumerated() { self[place] = row }
  }
}
