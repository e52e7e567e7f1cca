import Columnar

/// For every row the rows that can be reached from it along an adjacency index, by one edge or more: a list for each,
/// put together from the lists of the rows that it has edges to, so that no way is walked twice.
///
/// Only where no edges lead in a circle is there an order in which those lists are ready, and in a dense graph they
/// are long: whoever asks must have another way at hand.
package struct ClosureLists {
  /// Where the list of each row begins in `entries`, and how long it is.
  private let starts: Buffer<UInt32>
  private let counts: Buffer<UInt32>
  /// The lists, in the order in which they were made.
  private var entries: Buffer<UInt32>
  /// The last row, plus one, whose list has a row.
  private let stamps: Buffer<UInt32>
  /// The entries of all lists.
  package private(set) var entryCount = 0
  /// How many entries may still be looked at.
  private var work: Int

  /// The bytes held at most for so many rows and entries.
  package static func byteCount(rowCount: Int, limit: Int) -> Int { rowCount * 24 + limit * 8 }

  /// The lists of all rows; nil where edges lead in a circle, or more than `limit` entries would be looked at.
  ///
  /// - Precondition: sources and targets are positions of one table, below `rowCount`.
  /// - Complexity: O(rows + edges + `limit`).
  package init?(_ adjacency: AdjacencyIndex, rowCount: Int, limit: Int) {
    guard rowCount < UInt32.max, limit < Int32.max else { return nil }
    let edges = Edges(adjacency: adjacency, lists: adjacency.listReader)
    guard let order = edges.order(rowCount) else { return nil }
    starts = Buffer(zeroed: rowCount)
    counts = Buffer(zeroed: rowCount)
    stamps = Buffer(zeroed: rowCount)
    entries = Buffer(uninitialized: max(1024, min(limit, 8 * rowCount)))
    work = limit
    for index in stride(from: rowCount - 1, through: 0, by: -1) {
      let (row, first) = (order[index], entryCount)
      edges.forEachNeighbour(of: row) { neighbour in add(neighbour, stamp: row &+ 1) }
      if work < 0 { return nil }
      starts[row] = UInt32(truncatingIfNeeded: first)
      counts[row] = UInt32(truncatingIfNeeded: entryCount &- first)
    }
  }

  /// Adds a neighbour, and what it reaches, to the list in the making, as far as the list does not have them.
  @inline(__always)
  private mutating func add(_ neighbour: UInt32, stamp: UInt32) {
    // Who has a row has all that it reaches.
    if stamps[neighbour] == stamp || work < 0 { return }
    let length = Int(truncatingIfNeeded: counts[neighbour])
    work &-= length &+ 1
    if work < 0 { return }
    // One more, as an entry is written before it is known to be new.
    if entryCount &+ length &+ 2 > entries.count { grow(entryCount &+ length &+ 2) }
    let (entries, stamps) = (PagePointer(entries), PagePointer(stamps))
    let own = entries.advanced(by: Int(truncatingIfNeeded: starts[neighbour]))
    stamps.store(stamp, at: Int(truncatingIfNeeded: neighbour))
    entries.store(neighbour, at: entryCount)
    var count = entryCount &+ 1
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
  func forEachNeighbour(of row: UInt32, _ body: (UInt32) -> Void) {
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

  /// The rows in an order in which edges lead only to later ones; nil if there is none.
  func order(_ rowCount: Int) -> Buffer<UInt32>? {
    // One more, as a row is written before it is known to be next.
    let order = Buffer<UInt32>(uninitialized: rowCount + 1)
    let (mayRise, mayFall) = directions(rowCount)
    if mayRise {
      for row in 0..<rowCount { order[row] = UInt32(truncatingIfNeeded: row) }
    } else if mayFall {
      for row in 0..<rowCount { order[row] = UInt32(truncatingIfNeeded: rowCount &- 1 &- row) }
    } else if !sort(rowCount, into: order) {
      return nil
    }
    return order
  }

  /// Whether all edges lead to later rows, and whether all lead to earlier ones, as they do where rows came in an
  /// order that goes with them.
  private func directions(_ rowCount: Int) -> (rising: Bool, falling: Bool) {
    var (rises, falls) = (true, true)
    var row: UInt32 = 0
    let end = UInt32(truncatingIfNeeded: rowCount)
    while row < end && (rises || falls) {
      forEachNeighbour(of: row) { neighbour in
        rises = rises && neighbour > row
        falls = falls && neighbour < row
      }
      row &+= 1
    }
    return (rises, falls)
  }

  /// Puts the rows in order by Kahn's method; false where edges lead in a circle.
  private func sort(_ rowCount: Int, into order: Buffer<UInt32>) -> Bool {
    let waiting = Buffer<UInt32>(zeroed: rowCount)
    for row in 0..<rowCount {
      forEachNeighbour(of: UInt32(truncatingIfNeeded: row)) { waiting[$0] &+= 1 }
    }
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
    return count == rowCount
  }
}
