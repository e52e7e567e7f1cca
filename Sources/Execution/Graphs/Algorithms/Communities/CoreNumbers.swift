import Columnar
import Diagnostics

/// The greatest *k* for each vertex such that it belongs to a part of the graph in which every vertex has *k* neighbours.
///
/// Vertices are taken away by rising degree; those left are kept sorted by how many neighbours they have left.
///
/// Source: V. Batagelj and M. Zaveršnik, "An O(m) Algorithm for Cores Decomposition of Networks" (2003).
///
/// - Complexity: O(vertices + edges); 16 bytes a vertex and 8 an edge.
struct CoreNumbers: GraphAlgorithm {
  init(_ arguments: GraphArgumentValues) {}

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let simple = try SimpleGraph(graph, work)
    return GraphResult(rows: .vertices, columns: [.number(try Self.cores(simple, work))])
  }

  static func cores(_ graph: SimpleGraph, _ work: GraphWork) throws(SQLError) -> Buffer<UInt32> {
    let count = graph.vertexCount
    let degrees = try work.buffer(UInt32(0), count: count)
    for vertex in 0..<count {
      degrees[vertex] = UInt32(
        truncatingIfNeeded: graph.degree(of: UInt32(truncatingIfNeeded: vertex)))
    }
    let order = try CountedOrder(degrees, size: count, work)
    for index in 0..<count {
      if index & 0xFFF == 0 { try work.check() }
      let vertex = order.sorted[index]
      let core = degrees[vertex]
      for place in graph.places(of: vertex) { order.lower(graph.neighbours[place], least: core) }
    }
    return degrees
  }
}
