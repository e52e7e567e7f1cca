import Columnar

/// How many rows can be reached from each row of a table along an adjacency index, by one edge or more.
///
/// Rows are taken in an order in which those that a row has edges to come before it. Neighbours that reach no row in
/// common make the count of a row by addition: so it is along chains, in trees, and mostly in sparse graphs. Only where
/// they may reach one in common are the rows walked one by one.
///
/// That is told by signatures. Where no edges lead in a circle, every walk ends at rows without edges, so two rows that
/// reach a third also reach an end in common. The signature of a row has a bit for each end it reaches, several ends
/// sharing a bit: where two have no bit in common, there is nothing that both reach.
///
/// - Invariant: a row is counted after all rows that it has edges to.
package struct ClosureCounts {
  private typealias Signature = SIMD2<UInt64>

  private let edges: ClosureEdges
  private let rowCount: Int
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
  }

  /// The counts of all rows; nil where edges lead in a circle, or walks would look at more than `limit` rows and edges.
  ///
  /// - Precondition: sources and targets are positions of one table, below `rowCount`.
  /// - Complexity: O(rows + edges + `limit`).
  package init?(_ adjacency: AdjacencyIndex, rowCount: Int, limit: Int) {
    guard rowCount < Self.rowLimit, adjacency.edgeCount < UInt32.max else { return nil }
    edges = ClosureEdges(adjacency, rowCount: rowCount)
    self.rowCount = rowCount
    sizes = Buffer(uninitialized: rowCount + 1)
    signatures = Buffer(uninitialized: rowCount + 1)
    stamps = Buffer(zeroed: rowCount)
    // One more, as a row is written before it is known to be new.
    reached = Buffer(uninitialized: rowCount + 1)
    work = limit
    // Rows mostly come in an order that goes with their edges; whether they do is seen on the way.
    if count(rises: edges.firstFalls, order: nil) { return }
    guard work >= 0, let order = edges.order() else { return nil }
    work = limit
    if !count(rises: false, order: order) { return nil }
  }

  /// Counts all rows rising or falling, or in a given order from its end; false if some row would be needed before it
  /// is counted, or too much is looked at.
  ///
  /// Rows of two edges or fewer whose neighbours reach nothing in common take no branch that depends on the data: a
  /// missing edge leads to the row that there is not.
  private mutating func count(rises: Bool, order: Buffer<UInt32>?) -> Bool {
    sizes.fill(0..<rowCount, with: Self.unmade)
    sizes[rowCount] = 0
    signatures[rowCount] = .zero
    stamps.fill(0..<rowCount, with: 0)
    let (sizes, signatures) = (PagePointer(sizes), PagePointer(signatures))
    let (starts, targets) = (edges.starts, edges.targets)
    let (rowCount, order) = (rowCount, order.map { PagePointer($0) })
    var (endCount, total) = (0, 0)
    for index in 0..<rowCount {
      let place = rises ? index : rowCount &- 1 &- index
      let row = order.map { Int(truncatingIfNeeded: $0[place]) } ?? place
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
      sizes.store(size &+ 1, at: row)
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
    sizes.store(UInt32(truncatingIfNeeded: size &+ 1), at: row)
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
    return count
  }
}

/// The edges of an index, copied to stand all behind each other.
private struct ClosureEdges {
  /// Where the edges of each row begin; one more than there are rows.
  let starts: PagePointer<UInt32>
  /// Where edges lead; two more may be read than there are.
  let targets: PagePointer<UInt32>
  private let rowCount: Int
  private let memory: (Buffer<UInt32>, Buffer<UInt32>)

  private static let slack = 2

  /// The bytes held at most, with what `order` takes.
  static func byteCount(rowCount: Int, edgeCount: Int) -> Int {
    (edgeCount + slack + 3 * rowCount + 2) * MemoryLayout<UInt32>.size
  }

  /// - Precondition: there are fewer than 2³² edges.
  /// - Complexity: O(rows + edges).
  init(_ adjacency: AdjacencyIndex, rowCount: Int) {
    let ownStarts = Buffer<UInt32>(uninitialized: rowCount + 1)
    let ownTargets = Buffer<UInt32>(uninitialized: adjacency.edgeCount + Self.slack)
    memory = (ownStarts, ownTargets)
    (starts, targets) = (PagePointer(ownStarts), PagePointer(ownTargets))
    self.rowCount = rowCount
    let lists = adjacency.wholeListReader
    var next = 0
    for first in stride(from: 0, to: rowCount, by: AdjacencyPage.sourceCount) {
      let rows = first..<min(first &+ AdjacencyPage.sourceCount, rowCount)
      if let slot = lists.slot(first &>> AdjacencyPage.shift), slot.longs == 0 {
        for row in rows {
          let start = UInt32(truncatingIfNeeded: next) &+ slot.offsets[row &- first]
          starts.store(start, at: row)
        }
        let count = Int(truncatingIfNeeded: slot.offsets[AdjacencyPage.sourceCount])
        for edge in 0..<count { targets.store(slot.targets[edge], at: next &+ edge) }
        next &+= count
        continue
      }
      for row in rows {
        starts.store(UInt32(truncatingIfNeeded: next), at: row)
        let list = adjacency.neighbours(of: UInt32(truncatingIfNeeded: row))
        for index in 0..<list.runCount {
          let run = list.run(index)
          ownTargets.copy(run.targets, count: run.count, to: next)
          next &+= run.count
        }
      }
    }
    starts.store(UInt32(truncatingIfNeeded: next), at: rowCount)
    for edge in 0..<Self.slack { targets.store(0, at: next &+ edge) }
  }

  /// The edges of a row.
  @inline(__always)
  func range(_ row: Int) -> Range<Int> {
    Int(truncatingIfNeeded: starts[row])..<Int(truncatingIfNeeded: starts[row &+ 1])
  }

  /// Whether the first edge that there is leads to an earlier row.
  var firstFalls: Bool {
    for row in 0..<rowCount {
      if let edge = range(row).first { return Int(truncatingIfNeeded: targets[edge]) < row }
    }
    return true
  }

  /// The rows in an order in which edges lead only to later ones, by Kahn's method; nil where some lead in a circle.
  func order() -> Buffer<UInt32>? {
    let waiting = Buffer<UInt32>(zeroed: rowCount)
    for edge in 0..<Int(truncatingIfNeeded: starts[rowCount]) { waiting[targets[edge]] &+= 1 }
    // One more, as a row is written before it is known to be next.
    let order = Buffer<UInt32>(uninitialized: rowCount + 1)
    var count = 0
    for row in 0..<rowCount {
      order[count] = UInt32(truncatingIfNeeded: row)
      count &+= bit(waiting[row] == 0)
    }
    var next = 0
    while next < count {
      for edge in range(Int(truncatingIfNeeded: order[next])) {
        let neighbour = targets[edge]
        let left = waiting[neighbour] &- 1
        waiting[neighbour] = left
        order[count] = neighbour
        count &+= bit(left == 0)
      }
      next &+= 1
    }
    return count == rowCount ? order : nil
  }
}
