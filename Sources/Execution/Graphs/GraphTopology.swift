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

/// Room for the neighbours of one vertex, each once.
final class NeighbourScratch {
  private(set) var neighbours: [UInt32] = []
  private var merged: [UInt32] = []
  var count: Int { neighbours.count }

  /// The vertices at the other ends of a vertex' edges in one or both of two lists, rising, each once and without itself.
  ///
  /// - Complexity: O(edges of the vertex) where each direction has one list, as most graphs do.
  func gather(of vertex: UInt32, _ out: GraphLists, _ into: GraphLists?) {
    // In variables of its own, as every access to those of an object is checked.
    var (found, other) = ([UInt32](), [UInt32]())
    swap(&found, &neighbours)
    swap(&other, &merged)
    Self.gather(&found, of: vertex, out, into, &other)
    swap(&found, &neighbours)
    swap(&other, &merged)
  }

  private static func gather(
    _ found: inout [UInt32], of vertex: UInt32, _ out: GraphLists, _ into: GraphLists?,
    _ merged: inout [UInt32]
  ) {
    found.removeAll(keepingCapacity: true)
    // Where the second of two lists that rise begins; 0 for one list, and past all for more than two.
    var second = 0
    @inline(__always)
    func add(_ target: UInt32) {
      if target == vertex { return }
      if let last = found.last {
        if last == target { return }
        if last > target { second = second == 0 ? found.count : .max }
      }
      found.append(target)
    }
    out.forEach(of: vertex) { add($0) }
    into?.forEach(of: vertex) { add($0) }
    if second == 0 { return }
    if second < .max { return merge(&found, at: second, &merged) }
    found.sort()
    var kept = 0
    for index in found.indices where index == 0 || found[index] != found[kept - 1] {
      found[kept] = found[index]
      kept += 1
    }
    found.removeLast(found.count - kept)
  }

  /// Makes one list of two that rise.
  private static func merge(
    _ found: inout [UInt32], at second: Int, _ merged: inout [UInt32]
  ) {
    merged.removeAll(keepingCapacity: true)
    merged.reserveCapacity(found.count)
    var (left, right) = (0, second)
    while left < second, right < found.count {
      let (one, other) = (found[left], found[right])
      merged.append(min(one, other))
      left &+= one <= other ? 1 : 0
      right &+= other <= one ? 1 : 0
    }
    merged += found[left..<second]
    merged += found[right...]
    swap(&found, &merged)
  }
}
