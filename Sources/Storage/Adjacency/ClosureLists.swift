import Columnar

/// For every row the rows that can be reached from it along an adjacency index, by one edge or more: a list for each,
/// put together from the lists of the rows that it has edges to, so that no way is walked twice.
///
/// Only where no edges lead in a circle is there an order in which those lists are ready, and in a dense graph they
/// are long: whoever asks must have another way at hand.
///
/// - Invariant: the lists stand in `entries` one behind another, that of a row after those of all it has edges to.
package struct ClosureLists {
  private let edges: Edges
  /// Where the list of each row begins in `entries`, and how long it is; no list is `unmade`.
  private let starts: Buffer<UInt32>
  private let counts: Buffer<UInt32>
  private var entries: Buffer<UInt32>
  /// The last row, plus one, whose list has a row.
  private let stamps: Buffer<UInt32>
  /// The entries of all lists.
  package private(set) var entryCount = 0
  /// How many entries may still be looked at.
  private var work: Int

  private static let unmade = UInt32.max
  /// Entries that are copied at once, perhaps past the end of a list.
  private static let slack = 4

  /// The bytes held at most for so many rows and entries.
  package static func byteCount(rowCount: Int, limit: Int) -> Int { rowCount * 24 + limit * 8 }

  /// The lists of all rows; nil where edges lead in a circle, or more than `limit` entries would be looked at.
  ///
  /// - Precondition: sources and targets are positions of one table, below `rowCount`.
  /// - Complexity: O(rows + edges + `limit`).
  package init?(_ adjacency: AdjacencyIndex, rowCount: Int, limit: Int) {
    guard rowCount < UInt32.max, limit < Int32.max else { return nil }
    edges = Edges(adjacency: adjacency, lists: adjacency.wholeListReader)
    starts = Buffer(uninitialized: rowCount)
    counts = Buffer(repeating: Self.unmade, count: rowCount)
    stamps = Buffer(zeroed: rowCount)
    entries = Buffer(uninitialized: max(1024, min(limit, 8 * rowCount)))
    work = limit
    // Rows mostly come in an order that goes with their edges; whether they do is seen on the way.
    if makeLists(rowCount, rises: edges.firstFalls(rowCount), order: nil) { return }
    guard work >= 0, let order = edges.order(rowCount) else { return nil }
    counts.fill(0..<rowCount, with: Self.unmade)
    stamps.fill(0..<rowCount, with: 0)
    entryCount = 0
    work = limit
    if !makeLists(rowCount, rises: false, order: order) { return nil }
  }

  /// Makes the lists of all rows in rising or falling order, or in a given one from its end; false if some list would
  /// be needed before it is made, or too much is looked at.
  ///
  /// All that changes from row to row is in variables of the function, which need no memory.
  private mutating func makeLists(
    _ rowCount: Int, rises: Bool, order: Buffer<UInt32>?
  ) -> Bool {
    let (starts, counts, stamps) = (PagePointer(starts), PagePointer(counts), PagePointer(stamps))
    let (reader, order) = (edges.lists, order.map { PagePointer($0) })
    var all = PagePointer(entries)
    var room = entries.count &- Self.slack &- 1
    var (end, work) = (0, work)
    for index in 0..<rowCount {
      let place = rises ? index : rowCount &- 1 &- index
      let row = order.map { $0[place] } ?? UInt32(truncatingIfNeeded: place)
      let (first, stamp) = (end, row &+ 1)
      var (targets, degree) = (PagePointer<UInt32>.none, 0)
      var apart: Buffer<UInt32>?
      if let list = reader.list(of: row) {
        (targets, degree) = (list.targets, list.count)
      } else {
        let gathered = edges.targets(of: row)
        (targets, degree) = (PagePointer(gathered), gathered.count)
        apart = gathered
      }
      // The last first: of two rows it is the one that may reach the other.
      var edge = degree
      while edge > 0 {
        edge &-= 1
        let neighbour = targets[edge]
        let known = Int(truncatingIfNeeded: neighbour)
        // Who has a row has all that it reaches.
        if stamps[known] == stamp { continue }
        if counts[known] == Self.unmade { return false }
        let length = Int(truncatingIfNeeded: counts[known])
        work &-= length &+ 1
        if work < 0 {
          self.work = work
          return false
        }
        if end &+ length > room {
          entryCount = end
          grow(end &+ length &+ Self.slack &+ 1)
          all = PagePointer(entries)
          room = entries.count &- Self.slack &- 1
        }
        let own = all.advanced(by: Int(truncatingIfNeeded: starts[known]))
        let target = all.advanced(by: end)
        if degree == 1 {
          Self.copy(own, length, to: target)
          target.store(neighbour, at: length)
          end &+= length &+ 1
          break
        }
        stamps.store(stamp, at: known)
        target.store(neighbour, at: 0)
        end &+= 1 &+ Self.add(own, length, to: target.advanced(by: 1), stamps, stamp)
      }
      withExtendedLifetime(apart) {}
      starts.store(UInt32(truncatingIfNeeded: first), at: Int(truncatingIfNeeded: row))
      counts.store(UInt32(truncatingIfNeeded: end &- first), at: Int(truncatingIfNeeded: row))
    }
    entryCount = end
    return true
  }

  /// Copies a list, and perhaps some entries behind it.
  @inline(__always)
  private static func copy(
    _ own: PagePointer<UInt32>, _ length: Int, to target: PagePointer<UInt32>
  ) {
    var index = 0
    while index < length {
      let (one, two, three, four) = (own[index], own[index &+ 1], own[index &+ 2], own[index &+ 3])
      target.store(one, at: index)
      target.store(two, at: index &+ 1)
      target.store(three, at: index &+ 2)
      target.store(four, at: index &+ 3)
      index &+= slack
    }
  }

  /// Copies those entries of a list that do not bear the stamp yet, and says how many they are.
  @inline(__always)
  private static func add(
    _ own: PagePointer<UInt32>, _ length: Int, to target: PagePointer<UInt32>,
    _ stamps: PagePointer<UInt32>, _ stamp: UInt32
  ) -> Int {
    var count = 0
    for index in 0..<length {
      let entry = own[index]
      let place = Int(truncatingIfNeeded: entry)
      let isNew = stamps[place] != stamp
      stamps.store(stamp, at: place)
      target.store(entry, at: count)
      count &+= bit(isNew)
    }
    return count
  }

  private mutating func grow(_ count: Int) {
    let more = Buffer<UInt32>(uninitialized: count + count / 2)
    more.copy(entries, count: entryCount, to: 0)
    entries = more
  }
}

/// The edges of an index as they are walked.
private struct Edges {
  let adjacency: AdjacencyIndex
  let lists: ListReader

  /// Hands over where the edges of a row lead.
  @inline(__always)
  private func forEachNeighbour(of row: UInt32, _ body: (UInt32) -> Void) {
    if let list = lists.list(of: row) {
      for edge in 0..<list.count { body(list.targets[edge]) }
      return
    }
    let list = adjacency.neighbours(of: row)
    for index in 0..<list.runCount {
      let run = list.run(index)
      for edge in 0..<run.count { body(run.targets[edge]) }
    }
  }

  /// Where the edges of a row lead, in memory of their own.
  func targets(of row: UInt32) -> Buffer<UInt32> {
    let list = adjacency.neighbours(of: row)
    let targets = Buffer<UInt32>(uninitialized: list.count)
    var next = 0
    for index in 0..<list.runCount {
      let run = list.run(index)
      targets.copy(run.targets, count: run.count, to: next)
      next += run.count
    }
    return targets
  }

  /// Whether the first edge that there is leads to an earlier row.
  func firstFalls(_ rowCount: Int) -> Bool {
    for row in 0..<UInt32(truncatingIfNeeded: rowCount) where adjacency.degree(of: row) > 0 {
      var falls = false
      forEachNeighbour(of: row) { falls = $0 < row }
      return falls
    }
    return true
  }

  /// The rows in an order in which edges lead only to later ones, by Kahn's method; nil where some lead in a circle.
  func order(_ rowCount: Int) -> Buffer<UInt32>? {
    let waiting = Buffer<UInt32>(zeroed: rowCount)
    for row in 0..<rowCount {
      forEachNeighbour(of: UInt32(truncatingIfNeeded: row)) { waiting[$0] &+= 1 }
    }
    // One more, as a row is written before it is known to be next.
    let order = Buffer<UInt32>(uninitialized: rowCount + 1)
    var count = 0
    for row in 0..<rowCount {
      order[count] = UInt32(truncatingIfNeeded: row)
      count &+= bit(waiting[row] == 0)
    }
    var next = 0
    while next < count {
      forEachNeighbour(of: order[next]) { neighbour in
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
