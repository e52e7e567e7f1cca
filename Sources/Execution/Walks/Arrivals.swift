import Columnar
import Diagnostics
import Storage

/// Where the edges of an index lead: positions, and the table whose rows they are.
///
/// An index over a junction has two positions for each edge, that of the neighbour and that of the edge's own row, and a
/// step arrives at one of them. Whoever walks reads lists by this, and columns from `table`; so a position is never
/// looked up in another table.
///
/// A class, as short walks hand it about: to copy its parts would take longer than to read a list.
final class Arrivals: Sendable {
  let table: TableStore
  /// Which positions of the edges are those of the table's rows.
  let end: EdgeEnd
  private let adjacency: AdjacencyIndex
  private let lists: ListReader

  init(_ table: TableStore, at end: EdgeEnd, _ adjacency: AdjacencyIndex) {
    self.table = table
    self.end = end
    self.adjacency = adjacency
    lists = adjacency.listReader
  }

  /// The positions are below this.
  var limit: Int { table.rowCount }

  /// The positions that edges of a source lead to, in memory of the index or in `scratch`; nil where they are more than
  /// a chunk.
  ///
  /// - Precondition: `scratch` has room for `TableAccess.shortListLimit`.
  func few(
    of source: UInt32, _ scratch: Buffer<UInt32>
  ) -> (positions: Buffer<UInt32>, count: Int)? {
    let copied = lists.copyList(at: end, of: source, to: scratch, limit: TableAccess.shortListLimit)
    if let copied { return (scratch, copied) }
    let list = adjacency.neighbours(of: source)
    let count = list.count
    if count > Vector.chunkCapacity { return nil }
    if list.runCount == 1 { return (list.run(0).positions(at: end), count) }
    let joined = Buffer<UInt32>(uninitialized: max(1, count))
    _ = copy(list, to: joined, from: 0)
    return (joined, count)
  }

  /// The rows that the edges of a few sources lead to.
  ///
  /// - Precondition: the sources have `edgeCount` edges.
  func set(of sources: Buffer<UInt32>, count: Int, _ edgeCount: Int) -> ReachedSet {
    let (found, count) = ends(of: sources, count: count, edgeCount)
    return ReachedSet(found, count: count, in: table)
  }

  /// The rows that the edges of a few sources lead to, in rising order, and how many do to each.
  ///
  /// - Precondition: the sources have `edgeCount` edges.
  /// - Complexity: O(*n* log *n*) in the edges.
  func counts(
    of sources: Buffer<UInt32>, count: Int, _ edgeCount: Int
  ) -> (positions: Buffer<UInt32>, counts: Buffer<UInt32>, count: Int) {
    let (found, edges) = ends(of: sources, count: count, edgeCount)
    var sorted = found.array(edges)
    sorted.sort()
    let counts = Buffer<UInt32>(uninitialized: max(1, edges))
    var last = -1
    for position in sorted {
      if last >= 0 && found[last] == position {
        counts[last] &+= 1
      } else {
        last += 1
        found[last] = position
        counts[last] = 1
      }
    }
    return (found, counts, last + 1)
  }

  /// Where all edges of some sources lead, one behind another.
  private func ends(
    of sources: Buffer<UInt32>, count: Int, _ edgeCount: Int
  ) -> (positions: Buffer<UInt32>, count: Int) {
    let found = Buffer<UInt32>(uninitialized: max(1, edgeCount))
    var next = 0
    for index in 0..<count {
      next = copy(adjacency.neighbours(of: sources[index]), to: found, from: next)
    }
    return (found, next)
  }

  /// Writes where the edges of one source lead.
  ///
  /// - Precondition: the buffer has room for all of them.
  func copy(_ source: UInt32, to positions: Buffer<UInt32>) {
    _ = copy(adjacency.neighbours(of: source), to: positions, from: 0)
  }

  /// Writes all positions of a list from `start` on, and says where they end.
  private func copy(_ list: NeighbourList, to found: Buffer<UInt32>, from start: Int) -> Int {
    var next = start
    for run in 0..<list.runCount {
      let positions = list.run(run).positions(at: end)
      found.copy(positions, count: positions.count, to: next)
      next += positions.count
    }
    return next
  }

  /// Has a map note where the edges of sources lead; those whose lists stand apart are put into `aside`.
  func add<Map: NeighbourMap>(
    _ sources: Buffer<UInt32>, count: Int, to map: Map, aside: inout [UInt32]
  ) {
    map.add(end, of: sources, count: count, lists, aside: &aside)
  }

  /// Has a map note where the edges of one source lead whose list stands apart.
  func add<Map: NeighbourMap>(_ source: UInt32, to map: Map) {
    let list = adjacency.neighbours(of: source)
    map.add(end, of: list, 0..<list.runCount)
  }

  /// Writes where the edges of sources `next ..< end` lead one behind another from `start` on, and beside each the index of its
  /// source, until `limit` is reached or a source's list stands apart; `next` is then the first source not done.
  ///
  /// - Returns: Where what was written ends.
  /// - Precondition: the buffers have room for `limit`.
  func expand(
    _ sources: Buffer<UInt32>, from next: inout Int, to end: Int, origins: Buffer<UInt32>,
    positions: Buffer<UInt32>, scratch: Buffer<UInt32>, filled start: Int = 0, limit: Int
  ) -> Int {
    var filled = start
    let isRow = self.end == .row
    lists.expand(
      sources, from: &next, to: end, sourceRows: origins, targets: isRow ? scratch : positions,
      rows: isRow ? positions : nil, filled: &filled, limit: limit)
    return filled
  }

  /// Counts where the edges of sources lead, for those of one origin at a time, as `ListReader.countByOrigin`.
  func countByOrigin(
    _ sources: Buffer<UInt32>, origins: Buffer<UInt32>, count: Int, in counters: Buffer<UInt32>,
    touched: Buffer<UInt32>, _ body: (UInt32, Int) throws(SQLError) -> Bool
  ) throws(SQLError) -> Bool {
    try lists.countByOrigin(
      end, of: sources, origins: origins, count: count, in: counters, touched: touched, body)
  }

  /// The number of edges of a source.
  func degree(of source: UInt32) -> UInt32 { lists.degree(of: source) }
}
