import Columnar
import Diagnostics

/// A graph without direction, loops and repeated edges, copied so that the lists of neighbours stand one behind another.
///
/// For algorithms that read each list many times or compare lists.
struct SimpleGraph: Sendable {
  let vertexCount: Int
  /// Where the list of each vertex begins, and one entry more.
  let starts: Buffer<UInt32>
  /// Lists that rise.
  let neighbours: Buffer<UInt32>

  /// Every pair of neighbours is there twice; where some vertices are given, lists are those of these alone.
  ///
  /// - Complexity: O(vertices + edges); 8 bytes a vertex and 8 an edge.
  /// - Throws: 54000 for more than 2,147,483,647 edges; 57014, 53200.
  init(
    _ graph: GraphTopology, _ work: GraphWork, within vertices: VertexSet? = nil
  ) throws(SQLError) {
    vertexCount = graph.vertexCount
    let lists = try NeighbourLists(
      graph.out, graph.into, graph.vertexCount, within: vertices, work)
    (starts, neighbours) = (lists.starts, lists.targets)
  }

  @inline(__always)
  func places(of vertex: UInt32) -> Range<Int> {
    let vertex = Int(truncatingIfNeeded: vertex)
    return Int(truncatingIfNeeded: starts[vertex])..<Int(truncatingIfNeeded: starts[vertex &+ 1])
  }

  @inline(__always)
  func degree(of vertex: UInt32) -> Int { places(of: vertex).count }
}

/// The ends of each vertex' edges in one or both of two lists, rising, each once and without itself, one list behind another.
struct NeighbourLists {
  /// Where the list of each vertex begins, and one entry more.
  let starts: Buffer<UInt32>
  let targets: Buffer<UInt32>

  /// Lists are written with room for all edges and then moved together.
  ///
  /// - Complexity: O(vertices + edges) where each direction has one list; 8 bytes a vertex and 4 an entry.
  /// - Throws: 54000 for more than 4,294,967,295 entries; 57014, 53200.
  init(
    _ one: GraphLists, _ other: GraphLists?, _ count: Int, within vertices: VertexSet? = nil,
    _ work: GraphWork
  ) throws(SQLError) {
    let starts = try work.buffer(UInt32(0), count: count + 1)
    let rooms = try work.buffer(UInt32(0), count: count + 1)
    try work.forEachBlock(count) { range in
      for place in range {
        let vertex = UInt32(truncatingIfNeeded: place)
        if vertices?.contains(vertex) == false { continue }
        rooms[place + 1] = UInt32(
          truncatingIfNeeded: one.degree(of: vertex) &+ (other?.degree(of: vertex) ?? 0))
      }
    }
    let targets = try work.buffer(UInt32(0), count: work.addUp(rooms, count))
    let scratch = (0..<work.workerCount).map { _ in NeighbourScratch() }
    try work.forEachBlock(count, among: scratch) { scratch, range in
      for vertex in range {
        // One that is left out has no room.
        if rooms[vertex] == rooms[vertex + 1] { continue }
        let count = scratch.gather(of: UInt32(truncatingIfNeeded: vertex), one, other)
        starts[vertex + 1] = UInt32(truncatingIfNeeded: count)
        targets.copy(scratch.neighbours, count: count, to: Int(rooms[vertex]))
      }
    }
    var end = 0
    for vertex in 0..<count {
      if vertex & 0xFFFF == 0 { try work.check() }
      let (from, length) = (Int(rooms[vertex]), Int(starts[vertex + 1]))
      if from != end { targets.copy(targets, from: from, count: length, to: end) }
      end += length
      starts[vertex + 1] = UInt32(truncatingIfNeeded: end)
    }
    (self.starts, self.targets) = (starts, targets)
  }
}
