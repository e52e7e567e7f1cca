import Columnar

/// How many rows can be reached from each row of a table along an adjacency index, by one edge or more.
///
/// Rows are taken in an order in which those that a row has edges to come before it; rows that reach each other are taken
/// as one. Neighbours that reach no row in common make the count of a row by addition: so it is along chains, in trees,
/// and mostly in sparse graphs. Only where they may reach one in common are the rows walked one by one.
///
/// That is told by marks. The rows counted first, to which most walks lead, have a bit each, so that what two rows reach
/// in common among them is known exactly. All others are late rows. Where no edges lead in a circle, a walk over late
/// rows ends at one with edges to first rows only, a late end; so two rows that reach a third late row also reach a
/// late end in common. Several late ends share a bit: where two rows have none of these bits in common, there is no late
/// row that both reach.
///
/// - Invariant: a row is counted after all rows that it has edges to.
package struct ClosureCounts {
  /// What a row reaches, with itself: a bit for each first row, and the bits of late ends.
  private typealias Marks = SIMD2<UInt64>

  private var edges: ClosureEdges
  /// How many rows each stands for; nil where each stands for itself.
  private var weights: Buffer<UInt32>?
  /// How many rows each row reaches, with itself; before it is counted, `unmade`.
  ///
  /// Behind the last row stands one that there is not: it reaches nothing, not even itself.
  private let sizes: Buffer<UInt32>
  private let marks: Buffer<Marks>
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

  /// More than any sum of two sizes, and added to itself still below 2³².
  private static let unmade: UInt32 = 1 << 30
  private static let rowLimit = 1 << 29
  private static let firstRowCount = 64

  /// The bytes held at most for so many rows and edges.
  package static func byteCount(rowCount: Int, edgeCount: Int) -> Int {
    (rowCount + 1) * (3 * MemoryLayout<UInt32>.size + MemoryLayout<Marks>.size)
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
    marks = Buffer(uninitialized: rowCount + 1)
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
  /// Rows of two edges or fewer whose neighbours reach no late row in common take no branch that depends on the data: a
  /// missing edge leads to the row that there is not.
  private mutating func count(rises: Bool) -> Bool {
    let rowCount = edges.rowCount
    sizes.fill(0..<rowCount, with: Self.unmade)
    sizes[rowCount] = 0
    marks[rowCount] = .zero
    stamps.fill(0..<rowCount, with: 0)
    let firstCount = min(Self.firstRowCount, rowCount)
    stamps.fill(rises ? 0..<firstCount : rowCount &- firstCount..<rowCount, with: .max)
    let (sizes, marks) = (PagePointer(sizes), PagePointer(marks))
    let (starts, targets) = (edges.starts, edges.targets)
    // Rows that stand for several are weighed where they are met more than once.
    let weighed: UInt64 = weights == nil ? 0 : .max
    let weights = weights.map { PagePointer($0) } ?? PagePointer.none
    var (endCount, total) = (0, 0)
    for index in 0..<firstCount {
      let own = Marks(1 &<< UInt64(truncatingIfNeeded: index), 0)
      let row = rises ? index : rowCount &- 1 &- index
      guard let size = countAny(row, number: index &+ 1, own: own) else { return false }
      total &+= size
    }
    for index in firstCount..<rowCount {
      let row = rises ? index : rowCount &- 1 &- index
      let first = Int(truncatingIfNeeded: starts[row])
      let degree = Int(truncatingIfNeeded: starts[row &+ 1]) &- first
      // Both are read in any case, so that what is chosen is no branch.
      let (near, far) = (targets[first], targets[first &+ 1])
      let one = degree > 0 ? Int(truncatingIfNeeded: near) : rowCount
      let other = degree > 1 ? Int(truncatingIfNeeded: far) : rowCount
      let sum = sizes[one] &+ sizes[other]
      let (mine, others) = (marks[one], marks[other])
      let (common, all) = (mine & others, mine | others)
      let isEnd = bit(all[1] == 0)
      let own = Marks(
        0, UInt64(truncatingIfNeeded: isEnd) &<< UInt64(truncatingIfNeeded: endCount & 63))
      endCount &+= isEnd
      if (common[1] | (common[0] & weighed)) != 0 || degree > 2 || sum >= Self.unmade {
        guard let size = countAny(row, number: index &+ 1, own: own) else { return false }
        total &+= size
        continue
      }
      let size = sum &- UInt32(truncatingIfNeeded: common[0].nonzeroBitCount)
      marks.store(all | own, at: row)
      sizes.store(size &+ (weights.isNone ? 1 : weights[row]), at: row)
      total &+= Int(truncatingIfNeeded: size)
    }
    self.total = total
    return true
  }

  /// Counts a row, the `number`-th from one on, and says how many it reaches; nil where `count` is to give up.
  ///
  /// Its `own` bit is that of a first row; or else the one that it gets if it is a late end.
  @inline(never)
  private mutating func countAny(_ row: Int, number: Int, own: Marks) -> Int? {
    let (sizes, marks) = (PagePointer(sizes), PagePointer(marks))
    var late = 0
    var (all, common) = (Marks.zero, Marks.zero)
    var isReady = true
    for edge in edges.range(row) {
      let neighbour = edges.targets[edge]
      let known = sizes[neighbour]
      let reached = marks[neighbour]
      isReady = isReady && known < Self.unmade
      late &+= Int(truncatingIfNeeded: known) &- weight(ofFirst: reached[0])
      common |= all & reached
      all |= reached
    }
    if !isReady { return nil }
    if common[1] != 0 {
      late = walk(row, stamp: UInt32(truncatingIfNeeded: number))
      if work < 0 { return nil }
    }
    let size = late &+ weight(ofFirst: all[0])
    let isMarked = own[0] != 0 || all[1] == 0
    marks.store(isMarked ? all | own : all, at: row)
    sizes.store(UInt32(truncatingIfNeeded: size) &+ (weights?[row] ?? 1), at: row)
    return size
  }

  /// How many rows the first rows with these bits stand for.
  ///
  /// Only condensed rows stand for several, and those are counted as they rise: their bits are their positions.
  private func weight(ofFirst bits: UInt64) -> Int {
    guard let weights else { return bits.nonzeroBitCount }
    var (rest, sum) = (bits, 0)
    while rest != 0 {
      sum &+= Int(truncatingIfNeeded: weights[rest.trailingZeroBitCount])
      rest &= rest &- 1
    }
    return sum
  }

  /// The number of late rows that a row reaches, found by going to each of them.
  private mutating func walk(_ row: Int, stamp: UInt32) -> Int {
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
    guard let weights else { return count }
    var size = 0
    for place in 0..<count { size &+= Int(truncatingIfNeeded: weights[reached[place]]) }
    return size
  }
}
