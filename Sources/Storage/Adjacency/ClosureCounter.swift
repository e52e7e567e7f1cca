import Columnar

/// The rows from which the walks of some groups start, put together by group.
package struct GroupedSeeds: Sendable {
  package let groupCount: Int
  /// Where the rows of each group begin; the last entry is the end.
  fileprivate let starts: Buffer<UInt32>
  fileprivate let rows: Buffer<UInt32>

  /// Takes the rows that a closure with groups has so far.
  ///
  /// - Complexity: O(rows + groups).
  package init(_ closure: AdjacencyClosure, groupCount: Int) {
    self.groupCount = groupCount
    let (positions, groups, count) = (closure.positions, closure.groups, closure.count)
    // One place more than there are groups and their end, so that places move up to the starts by themselves.
    let starts = Buffer<UInt32>(zeroed: groupCount + 2)
    for row in 0..<count { starts[Int(groups[row]) + 2] &+= 1 }
    for group in 0..<groupCount { starts[group + 2] &+= starts[group + 1] }
    let rows = Buffer<UInt32>(uninitialized: max(1, count))
    for row in 0..<count {
      let place = Int(groups[row]) + 1
      rows[Int(starts[place])] = positions[row]
      starts[place] &+= 1
    }
    self.starts = starts
    self.rows = rows
  }
}

/// Counts the rows that can be reached along an adjacency index, of one group after another.
///
/// Rows carry the number of the last group that reached them, so that nothing is cleared between groups.
///
/// One thread at a time uses a counter.
package final class ClosureCounter {
  /// The number of the last group that reached each row, from 1.
  private let stamps: Buffer<UInt32>
  /// The rows of the group in hand.
  private let reached: Buffer<UInt32>
  /// The number of rows reached by all groups.
  package private(set) var total = 0

  /// Positions will be below `rowCount`, and groups fewer than 2³² − 1.
  package init(rowCount: Int) {
    stamps = Buffer(zeroed: rowCount)
    // One more, as a row is written before it is known to be new.
    reached = Buffer(uninitialized: rowCount + 1)
  }

  /// Counts the rows that a group reaches, the rows where it starts included.
  ///
  /// `end` tells which positions of edges are those of rows arrived at.
  ///
  /// - Complexity: O(edges + rows) of the group.
  package func add(
    _ seeds: GroupedSeeds, _ group: Int, _ adjacency: AdjacencyIndex, at end: EdgeEnd
  ) {
    let stamp = UInt32(truncatingIfNeeded: group &+ 1)
    let lists = adjacency.wholeListReader
    let (stamps, reached) = (PagePointer(stamps), PagePointer(reached))
    let first = Int(seeds.starts[group])
    var count = Self.mark(
      PagePointer(seeds.rows).advanced(by: first), Int(seeds.starts[group + 1]) - first, stamp,
      stamps, reached, 0)
    var walked = 0
    var scratch = RowScratch()
    defer { withExtendedLifetime(scratch) {} }
    while walked < count {
      let source = reached[walked]
      walked &+= 1
      if let list = lists.list(of: source) {
        count = Self.mark(
          end == .row ? scratch.plain(list.rows, list.count) : list.targets, list.count, stamp,
          stamps, reached, count)
        continue
      }
      let list = adjacency.neighbours(of: source)
      for index in 0..<list.runCount {
        let run = list.run(index)
        let positions = run.positions(at: end)
        count = Self.mark(PagePointer(positions), run.count, stamp, stamps, reached, count)
        withExtendedLifetime(positions) {}
      }
    }
    total &+= count
  }

  /// Adds those of some rows that the group has not reached yet behind the others, and gives their new number.
  @inline(__always)
  private static func mark(
    _ rows: PagePointer<UInt32>, _ rowCount: Int, _ stamp: UInt32, _ stamps: PagePointer<UInt32>,
    _ reached: PagePointer<UInt32>, _ count: Int
  ) -> Int {
    var count = count
    for index in 0..<rowCount {
      let row = rows[index]
      let place = Int(truncatingIfNeeded: row)
      let isNew = stamps[place] != stamp
      stamps.store(stamp, at: place)
      reached.store(row, at: count)
      count &+= bit(isNew)
    }
    return count
  }
}
