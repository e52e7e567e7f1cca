import Columnar
import Diagnostics

/// Elements sorted by a count that each has, which stay so while counts are lowered one by one.
///
/// Source: V. Batagelj and M. Zaveršnik, "An O(m) Algorithm for Cores Decomposition of Networks" (2003).
struct CountedOrder {
  /// By element.
  let counts: Buffer<UInt32>
  /// The elements by rising count, where each stands, and where those of a count begin.
  let sorted: Buffer<UInt32>
  private let places: Buffer<UInt32>
  private let firsts: Buffer<UInt32>

  /// Sorts the elements 0 ..< `size` by counting.
  ///
  /// - Complexity: O(elements + greatest count); 8 bytes an element, and as many for each count up to the greatest.
  init(_ counts: Buffer<UInt32>, size: Int, _ work: GraphWork) throws(SQLError) {
    self.counts = counts
    var greatest = 0
    for element in 0..<size { greatest = max(greatest, Int(counts[element])) }
    sorted = try work.buffer(0, count: size)
    places = try work.buffer(0, count: size)
    firsts = try work.buffer(0, count: greatest + 2)
    for element in 0..<size { firsts[Int(counts[element]) + 1] &+= 1 }
    for count in 0...greatest { firsts[count + 1] &+= firsts[count] }
    let next = try work.buffer(UInt32(0), count: greatest + 2)
    next.copy(firsts, count: greatest + 2, to: 0)
    for element in 0..<size {
      let place = next[counts[element]]
      next[counts[element]] = place &+ 1
      sorted[place] = UInt32(truncatingIfNeeded: element)
      places[element] = place
    }
  }

  /// Where an element stands.
  @inline(__always)
  func place(of element: UInt32) -> Int { Int(truncatingIfNeeded: places[element]) }

  /// Lowers the count of an element by one, unless it is `least` or less.
  @inline(__always)
  func lower(_ element: UInt32, least: UInt32) {
    let count = counts[element]
    if count <= least { return }
    // It changes places with the first of its count, which then begins one further on.
    let (from, to) = (places[element], firsts[count])
    let first = sorted[to]
    sorted[to] = element
    sorted[from] = first
    places[element] = to
    places[first] = from
    firsts[count] = to &+ 1
    counts[element] = count &- 1
  }
}
