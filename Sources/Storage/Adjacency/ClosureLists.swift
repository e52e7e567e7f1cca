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
    edges = Edges(adjacency: adjacency, lists: adjacency.listReader)
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
  private mutating func makeLists(
    _ rowCount: Int, rises: Bool, order: Buffer<UInt32>?
  ) -> Bool {
    for index in 0..<rowCount {
      let place = rises ? index : rowCount &- 1 &- index
      let row = order?[place] ?? UInt32(truncatingIfNeeded: place)
      let first = entryCount
      if !makeList(of: row) { return false }
      starts[row] = UInt32(truncatingIfNeeded: first)
      counts[row] = UInt32(truncatingIfNeeded: entryCount &- first)
    }
    return true
  }

  @inline(__always)
  private mutating func makeList(of row: UInt32) -> Bool {
    if let list = edges.lists.list(of: row) {
      switch list.count {
      case 0: return true
      case 1: return copy(list.targets[0])
      default: return add(list.targets, list.count, stamp: row &+ 1)
      }
    }
    let list = edges.adjacency.neighbours(of: row)
    for index in 0..<list.runCount {
      let run = list.run(index)
      if !add(PagePointer(run.targets), run.count, stamp: row &+ 1) { return false }
    }
    return true
  }

  /// Makes room for a list and what else is written behind its end; nil if it is not made, or there is no more work to
  /// be done.
  @inline(__always)
  private mutating func list(
    of neighbour: UInt32
  ) -> (own: PagePointer<UInt32>, length: Int, entries: PagePointer<UInt32>)? {
    let count = counts[neighbour]
    if count == Self.unmade { return nil }
    let length = Int(truncatingIfNeeded: count)
    work &-= length &+ 1
    if work < 0 { return nil }
    let room = entryCount &+ length &+ 1 &+ Self.slack
    if room > entries.count { grow(room) }
    let all = PagePointer(entries)
    return (all.advanced(by: Int(truncatingIfNeeded: starts[neighbour])), length, all)
  }

  /// Makes the list of a row whose only neighbour is this: the neighbour and its list.
  @inline(__always)
  private mutating func copy(_ neighbour: UInt32) -> Bool {
    guard let (own, length, entries) = list(of: neighbour) else { return false }
    let target = entries.advanced(by: entryCount)
    var index = 0
    while index < length {
      let (one, two, three, four) = (own[index], own[index &+ 1], own[index &+ 2], own[index &+ 3])
      target.store(one, at: index)
      target.store(two, at: index &+ 1)
      target.store(three, at: index &+ 2)
      target.store(four, at: index &+ 3)
      index &+= Self.slack
    }
    target.store(neighbour, at: length)
    entryCount &+= length &+ 1
    return true
  }

  /// Adds neighbours, and what they reach, to the list in the making, as far as the list does not have them.
  @inline(__always)
  private mutating func add(
    _ neighbours: PagePointer<UInt32>, _ neighbourCount: Int, stamp: UInt32
  ) -> Bool {
    let stamps = PagePointer(stamps)
    for edge in 0..<neighbourCount {
      let neighbour = neighbours[edge]
      // Who has a row has all that it reaches.
      if stamps[Int(truncatingIfNeeded: neighbour)] == stamp { continue }
      guard let (own, length, entries) = list(of: neighbour) else { return false }
      var count = entryCount
      stamps.store(stamp, at: Int(truncatingIfNeeded: neighbour))
      entries.store(neighbour, at: count)
      count &+= 1
      for index in 0..<length {
        let entry = own[index]
        let place = Int(truncatingIfNeeded: entry)
        let isNew = stamps[place] != stamp
        stamps.store(stamp, at: place)
        entries.store(entry, at: count)
        count &+= bit(isNew)
      }
      entryCount = count
    }
    return true
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
