import Columnar
import Diagnostics
import Planning
import Storage

/// A graph as algorithms see it, in one version of the database: vertices are numbered through, table after table.
///
/// The edges of a junction table are walked along the index that keeps them, so that nothing is copied; those of other
/// tables and of queries are put into lists first.
final class GraphTopology: Sendable {
  /// Where the vertices of a table are.
  struct Table: Sendable {
    /// nil for the values of a query.
    let store: TableStore?
    let base: UInt32
    let count: Int
    var vertices: Range<UInt32> { base..<(base &+ UInt32(truncatingIfNeeded: count)) }
  }

  let tables: [Table]
  /// Numbers of vertices are below this; those of deleted rows mean none.
  let vertexCount: Int
  /// How many vertices there are.
  let liveCount: Int
  /// Which numbers mean a vertex; nil for all.
  private let live: VertexSet?
  /// Edges as they are written, and against that.
  let out: GraphLists
  let into: GraphLists
  /// Edges in the directions in which the algorithm walks, and against them; both are the same where it walks both ways.
  let walked: GraphLists
  let reversed: GraphLists
  let isDirected: Bool

  init(
    _ tables: [Table], live: Buffer<UInt64>?, out: [GraphPartOwner], into: [GraphPartOwner],
    isDirected: Bool
  ) {
    self.tables = tables
    self.live = live.map { VertexSet($0) }
    self.isDirected = isDirected
    let count = tables.reduce(0) { $0 + $1.count }
    vertexCount = count
    liveCount =
      live.map { bits in (0..<bits.count).reduce(0) { $0 + bits[$1].nonzeroBitCount } } ?? count
    self.out = GraphLists(out, vertexCount: count)
    self.into = GraphLists(into, vertexCount: count)
    walked = isDirected ? self.out : GraphLists(self.out, self.into, vertexCount: count)
    reversed = isDirected ? self.into : walked
  }

  /// Whether a number is that of a vertex.
  @inline(__always)
  func isVertex(_ number: UInt32) -> Bool { live?.contains(number) ?? true }

  /// The table of a vertex.
  func table(of vertex: UInt32) -> Int {
    var table = 0
    while table + 1 < tables.count, vertex >= tables[table].vertices.upperBound { table += 1 }
    return table
  }
}

/// Room for the neighbours of one vertex, each once; each worker has its own.
final class NeighbourScratch {
  /// Of which `gather` says how many there are.
  private(set) var neighbours = Buffer<UInt32>(uninitialized: 256, pages: .small)
  private var merged = Buffer<UInt32>(uninitialized: 256, pages: .small)

  /// Finds the vertices at the other ends of a vertex' edges in one or both of two lists, rising, each once and without itself; gives
  /// their number.
  ///
  /// - Complexity: O(edges of the vertex) where each direction has one list, as most graphs do.
  func gather(of vertex: UInt32, _ out: GraphLists, _ into: GraphLists?) -> Int {
    var list = Gathering(neighbours)
    out.forEachStretch(of: vertex) { targets, base, count in
      list.add(targets, base, count, without: vertex)
    }
    into?.forEachStretch(of: vertex) { targets, base, count in
      list.add(targets, base, count, without: vertex)
    }
    neighbours = list.found
    if list.second == 0 { return list.count }
    return list.second < .max ? merge(list.count, at: list.second) : sort(list.count)
  }

  /// A list as it is put together.
  private struct Gathering {
    var found: Buffer<UInt32>
    var count = 0
    /// Where the second of two lists that rise begins; 0 for one list, and past all for more than two.
    var second = 0

    init(_ room: Buffer<UInt32>) { found = room }

    @inline(__always)
    mutating func add(
      _ targets: PagePointer<UInt32>, _ base: UInt32, _ length: Int, without vertex: UInt32
    ) {
      if count &+ length > found.count { grow(count &+ length) }
      let found = found
      var count = count
      for index in 0..<length {
        let target = targets[index] &+ base
        if target == vertex { continue }
        if count > 0, found[count &- 1] >= target {
          if found[count &- 1] == target { continue }
          second = second == 0 ? count : .max
        }
        found[count] = target
        count &+= 1
      }
      self.count = count
    }

    @inline(never)
    private mutating func grow(_ room: Int) {
      let more = Buffer<UInt32>(uninitialized: 2 * room)
      more.copy(found, count: count, to: 0)
      found = more
    }
  }

  /// Makes one list of two that rise.
  private func merge(_ count: Int, at second: Int) -> Int {
    if merged.count < count { merged = Buffer(uninitialized: neighbours.count) }
    let (found, merged) = (neighbours, merged)
    var (left, right, place) = (0, second, 0)
    while left < second, right < count {
      let (one, other) = (found[left], found[right])
      merged[place] = min(one, other)
      place &+= 1
      left &+= one <= other ? 1 : 0
      right &+= other <= one ? 1 : 0
    }
    let rest = left < second ? left..<second : right..<count
    merged.copy(found, from: rest.lowerBound, count: rest.count, to: place)
    (self.neighbours, self.merged) = (merged, found)
    return place &+ rest.count
  }

  private func sort(_ count: Int) -> Int {
    let sorted = neighbours.array(count).sorted()
    var kept = 0
    for neighbour in sorted where kept == 0 || neighbour != neighbours[kept - 1] {
      neighbours[kept] = neighbour
      kept += 1
    }
    return kept
  }
}
