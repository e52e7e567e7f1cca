import Columnar

/// Counts closed walks of three or four edges, a source at a time.
///
/// Three edges are counted by intersection: for each neighbour of the source its list against the set of rows that lead back
/// to the source, the shorter of the two gone through, so that no more is looked at than the worst case of the answer
/// allows. Four edges are counted from both sides: walks of two edges from the source by where they end, and
/// walks of two edges back to it, whose numbers are multiplied.
///
/// Source: H. Ngo, C. Ré and A. Rudra, "Skew Strikes Back: New Developments in the Theory of Join Algorithms" (SIGMOD
/// Record 2013).
///
/// One worker at a time has it.
package final class CycleCounter {
  /// The edges of each step in their direction, and those of the last step, or of the last two, against it.
  private let forth: (AdjacencyLists, AdjacencyLists)
  private let back: (AdjacencyLists, AdjacencyLists)
  private let isTriangle: Bool
  private let bits: Buffer<UInt64>
  private let counters: Buffer<UInt32>
  /// The number of closed walks so far; more than fit are noted in `isOver`.
  package private(set) var total: Int64 = 0
  package private(set) var isOver = false

  /// A counter for the steps of a cycle.
  ///
  /// - Parameters:
  ///   - steps: Three or four steps, each with the index in its direction and the one against it. For three no edge may
  ///     come twice between the same rows.
  ///   - middleLimit: Positions of rows two steps from the source are below this.
  package init(steps: [(forth: AdjacencyIndex, back: AdjacencyIndex)], middleLimit: Int) {
    isTriangle = steps.count == 3
    forth = (AdjacencyLists(steps[0].forth), AdjacencyLists(steps[1].forth))
    back = (AdjacencyLists(steps[steps.count - 1].back), AdjacencyLists(steps[2].back))
    bits = Buffer(zeroed: isTriangle ? (middleLimit + 63) / 64 + 1 : 1)
    counters = Buffer(zeroed: isTriangle ? 1 : max(1, middleLimit))
  }

  /// Counts the closed walks that begin at some sources.
  ///
  /// - Complexity: O(sum over the edges of the first step of the lesser of two degrees) for three edges, O(walks of two
  ///   edges) for four.
  package func add(_ sources: Range<Int>) {
    for source in sources {
      let source = UInt32(truncatingIfNeeded: source)
      let found = isTriangle ? triangles(at: source) : squares(at: source)
      let (sum, overflow) = total.addingReportingOverflow(found)
      total = sum
      isOver = isOver || overflow
    }
  }

  // MARK: Three edges

  private func triangles(at source: UInt32) -> Int64 {
    let (first, second, last) = (forth.0, forth.1, back.0)
    let inward = last.degree(of: source)
    if inward == 0 || first.degree(of: source) == 0 { return 0 }
    let bits = bits
    last.forEach(of: source) { bits[Int($0 >> 6)] |= 1 &<< UInt64($0 & 63) }
    var count = 0
    // A search in a list costs about as much as so many probes of the set.
    let probes = inward &* 8
    first.forEach(of: source, before: second) { middle in
      if second.degree(of: middle) <= probes {
        second.forEach(of: middle) {
          count &+= Int(truncatingIfNeeded: bits[Int($0 >> 6)] >> UInt64($0 & 63) & 1)
        }
      } else {
        last.forEach(of: source) { count &+= second.index.contains(middle, $0) ? 1 : 0 }
      }
    }
    last.forEach(of: source) { bits[Int($0 >> 6)] = 0 }
    return Int64(count)
  }

  // MARK: Four edges

  private func squares(at source: UInt32) -> Int64 {
    let (first, ahead) = forth
    let (last, behind) = back
    if first.degree(of: source) == 0 || last.degree(of: source) == 0 { return 0 }
    let counters = counters
    first.forEach(of: source, before: ahead) { middle in
      ahead.forEach(of: middle) { counters[$0] &+= 1 }
    }
    var count: Int64 = 0
    last.forEach(of: source, before: behind) { middle in
      behind.forEach(of: middle) { count &+= Int64(counters[$0]) }
    }
    first.forEach(of: source) { middle in
      ahead.forEach(of: middle) { counters[$0] = 0 }
    }
    return count
  }
}
