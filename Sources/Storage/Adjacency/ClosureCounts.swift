import Columnar

/// How many rows can be reached from each row of a table along an adjacency index, by one edge or more.
///
/// Rows are taken in an order in which those that a row has edges to come before it; rows that reach each other are taken
/// as one. Neighbours that reach no row in common make the count of a row by addition: so it is along chains, in trees,
/// and mostly in sparse graphs. Only where they may reach one in common are the rows walked one by one.
///
/// That is told by signatures. Where no edges lead in a circle, every walk ends at rows without edges, so two rows that
/// reach a third also reach an end in common. The signature of a row has a bit for each end it reaches, several ends
/// sharing a bit: where two have no bit in common, there is nothing that both reach.
///
/// - Invariant: a row is counted after all rows that it has edges to.
package struct ClosureCounts {
  private typealias Signature = SIMD2<UInt64>

  private var edges: ClosureEdges
  /// How many rows each stands for; nil where each stands for itself.
  private var weights: Buffer<UInt32>?
  /// How many rows each row reaches, with itself; before it is counted, `unmade`.
  ///
  /// Behind the last row stands one that there is not: it reaches nothing, not even itself.
  private let sizes: Buffer<UInt32>
  private let signatures: Buffer<Signature>
  /// The last row, plus one, from which a row was walked to.
  private let stamps: Buffer<UInt32>
  /// The rows walked to from one row.
  private let reached: Buffer<UInt32>
  /// The pairs of a row and one that it reaches.
  package private(set) var total = 0
  /// How many rows and edges may still be looked at in walks.
  private var work: Int

  /// More than any sum of two sizes, and added to itself still below 2³².
  private static let unmade: UInt32 = 1 << 30
  private static let rowLimit = 1 << 29

  /// The bytes held at most for so many rows and edges.
  package static func byteCount(rowCount: Int, edgeCount: Int) -> Int {
    (rowCount + 1) * (3 * MemoryLayout<UInt32>.size + MemoryLayout<Signature>.size)
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
    sizes = Buffer(uninitialized: rowCount + 1)
    signatures = Buffer(uninitialized: rowCount + 1)
    stamps = Buffer(zeroed: rowCount)
    // One more, as a row is written before it is known to be new.
    reached = Buffer(uninitialized: rowCount + 1)
    work = limit
    // Rows mostly come in an order that goes with their edges; whether they do is seen on the way.
    if count(rises: edges.firstFalls) { return }
    guard work >= 0 else { return nil }
    let condensed = CondensedEdges(edges)
    edges = condensed.edges
    weights = condensed.weights
    work = limit
    if !count(rises: true) { return nil }
    total = condensed.pairCount(sizes)
  }

  /// Counts all rows rising or falling; false if some row would be needed before it is counted, or too much is looked
  /// at.
  ///
  /// Rows of two edges or fewer whose neighbours reach nothing in common take no branch that depends on the data: a
  /// missing edge leads to the row that there is not.
  private mutating func count(rises: Bool) -> Bool {
    let rowCount = edges.rowCount
    sizes.fill(0..<rowCount, with: Self.unmade)
    sizes[rowCount] = 0
    signatures[rowCount] = .zero
    stamps.fill(0..<rowCount, with: 0)
    let (sizes, signatures) = (PagePointer(sizes), PagePointer(signatures))
    let (starts, targets) = (edges.starts, edges.targets)
    let weights = weights.map { PagePointer($0) } ?? PagePointer.none
    var (endCount, total) = (0, 0)
    for index in 0..<rowCount {
      let row = rises ? index : rowCount &- 1 &- index
      let first = Int(truncatingIfNeeded: starts[row])
      let degree = Int(truncatingIfNeeded: starts[row &+ 1]) &- first
      // Both are read in any case, so that what is chosen is no branch.
      let (near, far) = (targets[first], targets[first &+ 1])
      let one = degree > 0 ? Int(truncatingIfNeeded: near) : rowCount
      let other = degree > 1 ? Int(truncatingIfNeeded: far) : rowCount
      let size = sizes[one] &+ sizes[other]
      let (mine, others) = (signatures[one], signatures[other])
      let common = mine & others
      if (common[0] | common[1]) != 0 || degree > 2 || size >= Self.unmade {
        guard let size = countAny(row) else { return false }
        total &+= size
        continue
      }
      let isEnd = bit(degree == 0)
      signatures.store(mine | others | Self.signature(ofEnd: endCount, isEnd), at: row)
      sizes.store(size &+ (weights.isNone ? 1 : weights[row]), at: row)
      endCount &+= isEnd
      total &+= Int(truncatingIfNeeded: size)
    }
    self.total = total
    return true
  }

  /// The bit of an end, or none.
  @inline(__always)
  private static func signature(ofEnd number: Int, _ isEnd: Int) -> Signature {
    let word = UInt64(truncatingIfNeeded: isEnd) &<< UInt64(truncatingIfNeeded: number & 63)
    let isHigh = UInt64(truncatingIfNeeded: number &>> 6 & 1)
    return Signature(word & (isHigh &- 1), word & (0 &- isHigh))
  }

  /// Counts a row with edges and says how many it reaches; nil where `count` is to give up.
  @inline(never)
  private mutating func countAny(_ row: Int) -> Int? {
    let (sizes, signatures) = (PagePointer(sizes), PagePointer(signatures))
    var size = 0
    var (signature, common) = (Signature.zero, Signature.zero)
    var isReady = true
    for edge in edges.range(row) {
      let neighbour = edges.targets[edge]
      let known = sizes[neighbour]
      let own = signatures[neighbour]
      isReady = isReady && known < Self.unmade
      size &+= Int(truncatingIfNeeded: known)
      common |= signature & own
      signature |= own
    }
    if !isReady { return nil }
    if common != .zero {
      size = walk(row)
      if work < 0 { return nil }
    }
    signatures.store(signature, at: row)
    sizes.store(UInt32(truncatingIfNeeded: size) &+ (weights?[row] ?? 1), at: row)
    return size
  }

  /// The number of rows that a row reaches, found by going to each of them.
  private mutating func walk(_ row: Int) -> Int {
    let stamp = UInt32(truncatingIfNeeded: row &+ 1)
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
        let isNew = stamps[place] != stamp
        stamps.store(stamp, at: place)
        reached.store(neighbour, at: count)
        count &+= bit(isNew)
      }
      looked &+= end &- first
      if walked == count { break }
      source = Int(truncatingIfNeeded: reached[walked])
      walked &+= 1
    }
    work &-= looked &+ count
    guard let weights else { return count }
    var size = 0
    for place in 0..<count { size &+= Int(truncatingIfNeeded: weights[reached[place]]) }
    return size
  }
}
