import Columnar

/// How many rows can be reached from each row of a table along an adjacency index, by one edge or more.
///
/// Rows are taken in an order in which those that a row has edges to come before it; rows that reach each other are taken
/// as one. Neighbours that reach no row in common make the count of a row by addition: so it is along chains, in trees,
/// and mostly in sparse graphs. Only where they may reach one in common are the rows walked one by one.
///
/// That is told by marks. The rows counted first, to which most walks lead, have a bit each, so that what a row reaches of
/// them is known exactly and counted last of all. All others are late rows, whose numbers are added. Where no edges lead
/// in a circle, a walk over late rows ends at one with edges to first rows only, a late end; so two rows that reach a
/// third late row also reach a late end in common. Several late ends share a bit: where two rows have none of these bits
/// in common, there is no late row that both reach.
///
/// - Invariant: a row is counted after all rows that it has edges to.
package struct ClosureCounts {
  private var edges: ClosureEdges
  /// How many rows each stands for; nil where each stands for itself.
  private var weights: Buffer<UInt32>?
  /// How many late rows each row reaches, with itself; before it is counted, `unmade`.
  ///
  /// Behind the last row stands one that there is not: it reaches nothing, not even itself.
  private let lateCounts: Buffer<UInt32>
  /// The bits of the first rows that each row reaches, with itself.
  private let firstBits: Buffer<UInt64>
  /// The bits of the late ends that each row reaches, with itself.
  private let lateBits: Buffer<UInt64>
  /// The number, from one, of the last row in the order of counting from which a late row was walked to.
  ///
  /// That of a first row is more than any, so that no walk goes there.
  private let stamps: Buffer<UInt32>
  /// The rows walked to from one row.
  private let reached: Buffer<UInt32>
  /// The pairs of a row and one that it reaches.
  package private(set) var total = 0
  /// How many rows and edges may still be looked at in walks.
  private var work: Int

  /// More than any number of rows, and added to itself still below 2³².
  private static let unmade: UInt32 = 1 << 30
  private static let rowLimit = 1 << 29
  private static let firstRowCount = 64

  /// The bytes held at most for so many rows and edges.
  package static func byteCount(rowCount: Int, edgeCount: Int) -> Int {
    (rowCount + 1) * (3 * MemoryLayout<UInt32>.size + 2 * MemoryLayout<UInt64>.size)
      + ClosureEdges.byteCount(rowCount: rowCount, edgeCount: edgeCount)
      + CondensedEdges.byteCount(rowCount: rowCount, edgeCount: edgeCount)
  }

  /// The counts of all rows; nil where walks would look at more than `limit` rows and edges.
  ///
  /// - Precondition: sources and targets are positions of one table, below `rowCount`.
  /// - Complexity: O(rows + edges + `limit`).
  package init?(_ adjacency: AdjacencyIndex, rowCount: Int, limit: Int) {
    guard rowCount < Self.rowLimit, adjacency.edgeCount < UInt32.max else { return nil }
    edges = ClosureEdges(adjacency, rowCount: rowCount)
    lateCounts = Buffer(uninitialized: rowCount + 1)
    firstBits = Buffer(uninitialized: rowCount + 1)
    lateBits = Buffer(uninitialized: rowCount + 1)
    stamps = Buffer(zeroed: rowCount)
    // One more, as a row is written before it is known to be new.
    reached = Buffer(uninitialized: rowCount + 1)
    work = limit
    // Rows mostly come in an order that goes with their edges; whether they do is seen on the way.
    if count(rises: edges.firstFalls) {
      // No row reaches itself.
      total &-= min(Self.firstRowCount, rowCount)
      for row in 0..<rowCount { total &+= firstBits[row].nonzeroBitCount }
      return
    }
    guard work >= 0 else { return nil }
    let condensed = CondensedEdges(edges)
    edges = condensed.edges
    weights = condensed.weights
    work = limit
    if !count(rises: true) { return nil }
    for row in 0..<edges.rowCount { lateCounts[row] &+= weight(ofFirst: firstBits[row]) }
    total = condensed.pairCount(lateCounts)
  }

  /// How many rows the first rows with these bits stand for.
  ///
  /// Condensed rows are counted as they rise, so that the bits of the first are their positions.
  private func weight(ofFirst bits: UInt64) -> UInt32 {
    var (rest, sum): (UInt64, UInt32) = (bits, 0)
    while rest != 0 {
      sum &+= weights?[rest.trailingZeroBitCount] ?? 1
      rest &= rest &- 1
    }
    return sum
  }

  /// Counts all rows rising or falling, and in `total` the late rows that they reach; false if some row would be needed
  /// before it is counted, or too much is looked at.
  private mutating func count(rises: Bool) -> Bool {
    let rowCount = edges.rowCount
    lateCounts.fill(0..<rowCount, with: Self.unmade)
    lateCounts[rowCount] = 0
    firstBits[rowCount] = 0
    lateBits[rowCount] = 0
    let firstCount = min(Self.firstRowCount, rowCount)
    stamps.fill(0..<rowCount, with: 0)
    stamps.fill(rises ? 0..<firstCount : rowCount &- firstCount..<rowCount, with: .max)
    for index in 0..<firstCount {
      if !markFirst(rises ? index : rowCount &- 1 &- index, 1 &<< UInt64(index)) { return false }
    }
    if let weights { return countLate(rises: true, PagePointer(weights)) }
    // The two ways each have code of their own.
    return rises ? countLate(rises: true, .none) : countLate(rises: false, .none)
  }

  /// Notes what a first row reaches; false if some of it is not known yet.
  private func markFirst(_ row: Int, _ bit: UInt64) -> Bool {
    var bits = bit
    for edge in edges.range(row) {
      let neighbour = edges.targets[edge]
      if lateCounts[neighbour] == Self.unmade { return false }
      bits |= firstBits[neighbour]
    }
    firstBits[row] = bits
    lateBits[row] = 0
    lateCounts[row] = 0
    return true
  }

  /// Counts all late rows; false where `count` is to give up.
  ///
  /// Rows of two edges or fewer whose neighbours reach no late row in common take no branch that depends on the data: a
  /// missing edge leads to the row that there is not.
  @inline(__always)
  private mutating func countLate(rises: Bool, _ weights: PagePointer<UInt32>) -> Bool {
    let counts = PagePointer(lateCounts)
    let (firstBits, lateBits) = (PagePointer(firstBits), PagePointer(lateBits))
    let (starts, targets, rowCount) = (edges.starts, edges.targets, edges.rowCount)
    var total = 0
    var endBit: UInt64 = 1
    for index in min(Self.firstRowCount, rowCount)..<rowCount {
      let row = rises ? index : rowCount &- 1 &- index
      let first = Int(truncatingIfNeeded: starts[row])
      let degree = Int(truncatingIfNeeded: starts[row &+ 1]) &- first
      // Both are read in any case, so that what is chosen is no branch.
      let (near, far) = (targets[first], targets[first &+ 1])
      let one = degree > 0 ? Int(truncatingIfNeeded: near) : rowCount
      let other = degree > 1 ? Int(truncatingIfNeeded: far) : rowCount
      let count = counts[one] &+ counts[other]
      let (mine, others) = (lateBits[one], lateBits[other])
      // Ends take the bits in turn, as mostly do rows that are none.
      endBit = endBit &<< 1 | endBit &>> 63
      if mine & others != 0 || degree > 2 || count >= Self.unmade {
        guard let count = countAny(row, number: index &+ 1, endBit) else { return false }
        total &+= count
        continue
      }
      let bits = mine | others
      lateBits.store(bits == 0 ? endBit : bits, at: row)
      firstBits.store(firstBits[one] | firstBits[other], at: row)
      counts.store(count &+ (weights.isNone ? 1 : weights[row]), at: row)
      total &+= Int(truncatingIfNeeded: count)
    }
    self.total = total
    return true
  }

  /// Counts a late row, the `number`-th of all from one on, and says how many it reaches; nil where `count` is to give
  /// up.
  @inline(never)
  private mutating func countAny(_ row: Int, number: Int, _ endBit: UInt64) -> Int? {
    var count: UInt32 = 0
    var (first, late, common): (UInt64, UInt64, UInt64) = (0, 0, 0)
    for edge in edges.range(row) {
      let neighbour = edges.targets[edge]
      let known = lateCounts[neighbour]
      if known == Self.unmade { return nil }
      count &+= known
      common |= late & lateBits[neighbour]
      late |= lateBits[neighbour]
      first |= firstBits[neighbour]
    }
    if common != 0 {
      count = walk(row, stamp: UInt32(truncatingIfNeeded: number))
      if work < 0 { return nil }
    }
    lateBits[row] = late == 0 ? endBit : late
    firstBits[row] = first
    lateCounts[row] = count &+ (weights?[row] ?? 1)
    return Int(truncatingIfNeeded: count)
  }

  /// The number of late rows that a row reaches, found by going to each of them.
  private mutating func walk(_ row: Int, stamp: UInt32) -> UInt32 {
    let (stamps, reached) = (PagePointer(stamps), PagePointer(reached))
    let (starts, targets) = (edges.starts, edges.targets)
    var (count, walked, looked) = (0, 0, 0)
    var source = row
    while true {
      let first = Int(truncatingIfNeeded: starts[source])
      let end = Int(truncatingIfNeeded: starts[source &+ 1])
      for edge in first..<end {
        let neighbour = targets[edge]
        let place = Int(truncatingIfNeeded: neighbour)
        let last = stamps[place]
        let isNew = last < stamp
        stamps.store(max(last, stamp), at: place)
        reached.store(neighbour, at: count)
        count &+= bit(isNew)
      }
      looked &+= end &- first
      if walked == count { break }
      source = Int(truncatingIfNeeded: reached[walked])
      walked &+= 1
    }
    work &-= looked &+ count
    guard let weights else { return UInt32(truncatingIfNeeded: count) }
    var size: UInt32 = 0
    for place in 0..<count { size &+= weights[reached[place]] }
    return size
  }
}
