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
/// in common, there is no late row that both reach. Where they have some, only rows with such bits are walked to.
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
  /// The number of the last walk that came to a late row.
  ///
  /// That of a first row is more than any, so that no walk goes there.
  private let stamps: Buffer<UInt32>
  /// How many walks there were.
  private var walkCount: UInt32 = 0
  /// The rows that one walk came to.
  private let reached: Buffer<UInt32>
  /// The rows that have edges.
  private let sources: Buffer<UInt32>
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
    (rowCount + 1) * (4 * MemoryLayout<UInt32>.size + 2 * MemoryLayout<UInt64>.size)
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
    sources = Buffer(uninitialized: rowCount + 1)
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
    let sourceCount = begin()
    stamps.fill(0..<rowCount, with: 0)
    walkCount = 0
    let firstCount = min(Self.firstRowCount, rowCount)
    stamps.fill(rises ? 0..<firstCount : rowCount &- firstCount..<rowCount, with: .max)
    lateCounts.fill(
      rises ? 0..<firstCount : rowCount &- firstCount..<rowCount, with: Self.unmade)
    for index in 0..<firstCount {
      if !markFirst(rises ? index : rowCount &- 1 &- index, 1 &<< UInt64(index)) { return false }
    }
    // The two ways each have code of their own.
    if let weights { return countLate(sourceCount, rises: true, PagePointer(weights)) }
    return rises
      ? countLate(sourceCount, rises: true, .none) : countLate(sourceCount, rises: false, .none)
  }

  /// Makes rows without edges, and lists those with some; says how many these are.
  private func begin() -> Int {
    let rowCount = edges.rowCount
    firstBits.fill(0..<rowCount + 1, with: 0)
    // Ends take the bits in turn, as mostly do rows that are none.
    var made = min(UInt64.bitWidth, rowCount)
    for row in 0..<made { lateBits[row] = Self.endBit(row) }
    while made < rowCount {
      let count = min(made, rowCount &- made)
      lateBits.copy(lateBits, count: count, to: made)
      made &+= count
    }
    lateBits[rowCount] = 0
    let (starts, counts, sources) = (edges.starts, PagePointer(lateCounts), PagePointer(sources))
    var count = 0
    var start = starts[0]
    for row in 0..<rowCount {
      let end = starts[row &+ 1]
      let isSource = bit(start != end)
      start = end
      sources.store(UInt32(truncatingIfNeeded: row), at: count)
      count &+= isSource
      counts.store(1 &+ UInt32(truncatingIfNeeded: isSource) &* (Self.unmade &- 1), at: row)
    }
    counts.store(0, at: rowCount)
    if let weights {
      for row in 0..<rowCount where counts[row] == 1 { counts.store(weights[row], at: row) }
    }
    return count
  }

  @inline(__always)
  private static func endBit(_ row: Int) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: row) }

  /// Notes what a first row reaches; false if some of it is not known yet.
  private func markFirst(_ row: Int, _ bit: UInt64) -> Bool {
    var bits = bit
    for edge in edges.range(row) {
      let neighbour = edges.targets[edge]
      if stamps[neighbour] != .max || lateCounts[neighbour] == Self.unmade { return false }
      bits |= firstBits[neighbour]
    }
    firstBits[row] = bits
    lateBits[row] = 0
    lateCounts[row] = 0
    return true
  }

  /// Counts all late rows that have edges; false where `count` is to give up.
  ///
  /// Rows of two edges or fewer whose neighbours reach no late row in common take no branch that depends on the data: a
  /// missing edge leads to the row that there is not.
  @inline(__always)
  private mutating func countLate(
    _ sourceCount: Int, rises: Bool, _ weights: PagePointer<UInt32>
  ) -> Bool {
    let counts = PagePointer(lateCounts)
    let (firstBits, lateBits) = (PagePointer(firstBits), PagePointer(lateBits))
    let (starts, targets, rowCount) = (edges.starts, edges.targets, edges.rowCount)
    let sources = PagePointer(sources)
    var total = 0
    var begin = 0
    while begin < sourceCount {
      let row = Int(truncatingIfNeeded: sources[rises ? begin : sourceCount &- 1 &- begin])
      if (rises ? row : rowCount &- 1 &- row) >= Self.firstRowCount { break }
      begin &+= 1
    }
    for index in begin..<sourceCount {
      let row = Int(truncatingIfNeeded: sources[rises ? index : sourceCount &- 1 &- index])
      let first = Int(truncatingIfNeeded: starts[row])
      let degree = Int(truncatingIfNeeded: starts[row &+ 1]) &- first
      // The second is read in any case, so that what is chosen is no branch.
      let (near, far) = (targets[first], targets[first &+ 1])
      let one = Int(truncatingIfNeeded: near)
      let other = degree > 1 ? Int(truncatingIfNeeded: far) : rowCount
      let count = counts[one] &+ counts[other]
      let (mine, others) = (lateBits[one], lateBits[other])
      if mine & others != 0 || degree > 2 || count >= Self.unmade {
        guard let count = countAny(row) else { return false }
        total &+= count
        continue
      }
      let bits = mine | others
      lateBits.store(bits == 0 ? Self.endBit(row) : bits, at: row)
      firstBits.store(firstBits[one] | firstBits[other], at: row)
      counts.store(count &+ (weights.isNone ? 1 : weights[row]), at: row)
      total &+= Int(truncatingIfNeeded: count)
    }
    self.total = total
    return true
  }

  /// Counts a late row and says how many it reaches; nil where `count` is to give up.
  @inline(never)
  private mutating func countAny(_ row: Int) -> Int? {
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
      // What many neighbours reach is found at once; of two it is enough to walk to what may be common.
      if edges.range(row).count == 2 {
        count &-= repeated(from: row, common)
      } else {
        count = walk(row)
      }
      if work < 0 { return nil }
    }
    lateBits[row] = late == 0 ? Self.endBit(row) : late
    firstBits[row] = first
    lateCounts[row] = count &+ (weights?[row] ?? 1)
    return Int(truncatingIfNeeded: count)
  }

  /// The number of late rows that a row reaches, found by going to each of them.
  private mutating func walk(_ row: Int) -> UInt32 {
    let (stamps, reached) = (PagePointer(stamps), PagePointer(reached))
    let (starts, targets) = (edges.starts, edges.targets)
    walkCount &+= 1
    let stamp = walkCount
    var (next, end, looked) = (0, 0, 0)
    var (source, size) = (row, UInt32(0))
    while true {
      let first = Int(truncatingIfNeeded: starts[source])
      let last = Int(truncatingIfNeeded: starts[source &+ 1])
      for edge in first..<last {
        let neighbour = targets[edge]
        let place = Int(truncatingIfNeeded: neighbour)
        let isNew = stamps[place] < stamp
        stamps.store(max(stamps[place], stamp), at: place)
        reached.store(neighbour, at: end)
        end &+= bit(isNew)
      }
      looked &+= last &- first &+ 1
      if next == end { break }
      source = Int(truncatingIfNeeded: reached[next])
      size &+= weights?[source] ?? 1
      next &+= 1
    }
    work &-= looked
    return size
  }

  /// How many late rows both neighbours of a row reach.
  ///
  /// What two neighbours reach has bits that both have, and so has all that leads there from them.
  private mutating func repeated(from row: Int, _ common: UInt64) -> UInt32 {
    let (stamps, reached) = (PagePointer(stamps), PagePointer(reached))
    let (bits, starts, targets) = (PagePointer(lateBits), edges.starts, edges.targets)
    let before = walkCount
    var (repeated, looked): (UInt32, Int) = (0, 0)
    for edge in edges.range(row) {
      walkCount &+= 1
      let stamp = walkCount
      var (next, end) = (0, 0)
      // One more row is written than is new.
      func visit(_ neighbour: UInt32) {
        let place = Int(truncatingIfNeeded: neighbour)
        let last = stamps[place]
        let isNew = last < stamp && bits[place] & common != 0
        stamps.store(isNew ? stamp : last, at: place)
        reached.store(neighbour, at: end)
        end &+= bit(isNew)
        if isNew, last > before { repeated &+= weights?[place] ?? 1 }
      }
      visit(targets[edge])
      while next < end {
        let place = Int(truncatingIfNeeded: reached[next])
        next &+= 1
        let first = Int(truncatingIfNeeded: starts[place])
        let last = Int(truncatingIfNeeded: starts[place &+ 1])
        looked &+= last &- first &+ 1
        for edge in first..<last { visit(targets[edge]) }
      }
    }
    work &-= looked
    return repeated
  }
}
