import Columnar
import Diagnostics

/// The share of the pairs of each vertex' neighbours that are neighbours themselves; 0 where there are fewer than two.
///
/// Source: D. J. Watts and S. H. Strogatz, "Collective Dynamics of 'Small-World' Networks" (Nature 393, 1998).
///
/// - Complexity: as of `Triangles`, and 8 bytes a vertex more.
struct Clustering: GraphAlgorithm {
  init(_ arguments: GraphArgumentValues) {}

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let simple = try SimpleGraph(graph, work)
    let triangles = try Triangles.counts(simple, work)
    let shares = try work.buffer(0.0, count: graph.vertexCount)
    for vertex in 0..<graph.vertexCount {
      let degree = Double(simple.degree(of: UInt32(truncatingIfNeeded: vertex)))
      if degree > 1 { shares[vertex] = 2 * Double(triangles[vertex]) / (degree * (degree - 1)) }
    }
    return GraphResult(rows: .vertices, columns: [.double(shares)])
  }
}
