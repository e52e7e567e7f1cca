import Columnar
import Diagnostics

/// The edges of a graph as they are written, with their weights; 1 where they have none.
///
/// - Complexity: O(vertices + edges); 8 bytes a vertex and 16 an edge.
struct EdgeList: GraphAlgorithm {
  init(_ arguments: GraphArgumentValues) {}

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let count = graph.vertexCount
    let starts = try work.buffer(0, count: count + 1)
    for vertex in 0..<count {
      starts[vertex + 1] =
        starts[vertex] + graph.out.degree(of: UInt32(truncatingIfNeeded: vertex))
    }
    let total = starts[count]
    let ones = try work.buffer(UInt32(0), count: total)
    let others = try work.buffer(UInt32(0), count: total)
    let weights = try work.buffer(1.0, count: total)
    try work.forEachBlock(count) { range in
      for vertex in range {
        var next = starts[vertex]
        graph.out.forEachEdge(of: UInt32(truncatingIfNeeded: vertex)) { target, weight in
          ones[next] = UInt32(truncatingIfNeeded: vertex)
          others[next] = target
          weights[next] = weight
          next &+= 1
        }
      }
    }
    return GraphResult(rows: .listed([ones, others], count: total), columns: [.double(weights)])
  }
}
