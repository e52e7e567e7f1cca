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
  /// - Complexity: O(vertices + edges log degree); 4 bytes a vertex and 8 an edge.
  /// - Throws: 54000 for more than 2,147,483,647 edges; 57014, 53200.
  init(
    _ graph: GraphTopology, _ work: GraphWork, within vertices: VertexSet? = nil
  ) throws(SQLError) {
    let count = graph.vertexCount
    vertexCount = count
    let starts = try work.buffer(UInt32(0), count: count + 1)
    let scratch = (0..<work.workerCount).map { _ in HandedScratch() }
    try work.forEachBlock(count, among: scratch) { scratch, range in
      for vertex in range {
        let own = UInt32(truncatingIfNeeded: vertex)
        if vertices?.contains(own) == false { continue }
        scratch.scratch.gather(of: own, graph.out, graph.into)
        starts[vertex + 1] = UInt32(truncatingIfNeeded: scratch.scratch.count)
      }
    }
    var total = 0
    for vertex in 0..<count {
      total += Int(starts[vertex + 1])
      if total > Int(UInt32.max) { throw Self.tooLarge }
      starts[vertex + 1] = UInt32(truncatingIfNeeded: total)
    }
    let neighbours = try work.buffer(UInt32(0), count: total)
    try work.forEachBlock(count, among: scratch) { scratch, range in
      for vertex in range {
        if starts[vertex] == starts[vertex + 1] { continue }
        scratch.scratch.gather(of: UInt32(truncatingIfNeeded: vertex), graph.out, graph.into)
        var place = Int(starts[vertex])
        for neighbour in scratch.scratch.neighbours {
          neighbours[place] = neighbour
          place += 1
        }
      }
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

/// Scratch that one worker has for itself.
struct HandedScratch {
  let scratch = NeighbourScratch()
}
