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
  /// Lists are written with room for all edges and then moved together.
  ///
  /// - Complexity: O(vertices + edges); 8 bytes a vertex and 8 an edge.
  /// - Throws: 54000 for more than 2,147,483,647 edges; 57014, 53200.
  init(
    _ graph: GraphTopology, _ work: GraphWork, within vertices: VertexSet? = nil
  ) throws(SQLError) {
    let count = graph.vertexCount
    vertexCount = count
    let starts = try work.buffer(UInt32(0), count: count + 1)
    let rooms = try work.buffer(UInt32(0), count: count + 1)
    try work.forEachBlock(count) { range in
      for place in range {
        let vertex = UInt32(truncatingIfNeeded: place)
        if vertices?.contains(vertex) == false { continue }
        rooms[place + 1] = UInt32(
          truncatingIfNeeded: graph.out.degree(of: vertex) &+ graph.into.degree(of: vertex))
      }
    }
    var total = 0
    for vertex in 0..<count {
      total += Int(rooms[vertex + 1])
      if total > Int(UInt32.max) { throw Self.tooLarge }
      rooms[vertex + 1] = UInt32(truncatingIfNeeded: total)
    }
    let neighbours = try work.buffer(UInt32(0), count: total)
    let scratch = (0..<work.workerCount).map { _ in NeighbourScratch() }
    try work.forEachBlock(count, among: scratch) { scratch, range in
      for vertex in range {
        // One that is left out has no room.
        if rooms[vertex] == rooms[vertex + 1] { continue }
        scratch.gather(of: UInt32(truncatingIfNeeded: vertex), graph.out, graph.into)
        starts[vertex + 1] = UInt32(truncatingIfNeeded: scratch.count)
        var place = Int(rooms[vertex])
        for neighbour in scratch.neighbours {
          neighbours[place] = neighbour
          place &+= 1
        }
      }
    }
    var end = 0
    for vertex in 0..<count {
      if vertex & 0xFFFF == 0 { try work.check() }
      let (from, length) = (Int(rooms[vertex]), Int(starts[vertex + 1]))
      if from != end {
        for place in 0..<length { neighbours[end &+ place] = neighbours[from &+ place] }
      }
      end += length
      starts[vertex + 1] = UInt32(truncatingIfNeeded: end)
    }
    (self.starts, self.neighbours) = (starts, neighbours)
  }

  static var tooLarge: SQLError {
    SQLError(.programLimitExceeded, "a graph can have at most 2,147,483,647 edges here")
  }

  @inline(__always)
  func places(of vertex: UInt32) -> Range<Int> {
    let vertex = Int(truncatingIfNeeded: vertex)
    return Int(truncatingIfNeeded: starts[vertex])..<Int(truncatingIfNeeded: starts[vertex &+ 1])
  }

  @inline(__always)
  func degree(of vertex: UInt32) -> Int { places(of: vertex).count }
}
