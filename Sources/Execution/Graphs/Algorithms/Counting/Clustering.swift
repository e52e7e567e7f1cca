import Columnar
import Diagnostics

/// The share of the pairs of each vertex' neighbours that are neighbours themselves; 0 where there are fewer than two.
///
/// With `directed => true` a pair counts for each way that an edge between them leads, out of both; the vertex' own neighbours are
/// those to either side all the same.
///
/// Sources: D. J. Watts and S. H. Strogatz, "Collective Dynamics of 'Small-World' Networks" (Nature 393, 1998); for edges with direction the
/// LDBC Graphalytics benchmark specification (arXiv 2011.15028), LCC.
///
/// - Complexity: as of `Triangles`, and 8 bytes a vertex more; with direction 1 byte an edge more.
struct Clustering: GraphAlgorithm {
  init(_ arguments: GraphArgumentValues) {}

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let simple: SimpleGraph
    // Edges between neighbours, counted both ways.
    let edges: Buffer<Int64>
    if graph.isDirected {
      let triangles = try DirectedTriangles(graph, work)
      simple = triangles.simple
      edges = try Self.directed(triangles, work)
    } else {
      simple = try SimpleGraph(graph, work)
      edges = try Triangles.counts(simple, work)
      for vertex in 0..<graph.vertexCount { edges[vertex] &*= 2 }
    }
    let shares = try work.buffer(0.0, count: graph.vertexCount)
    for vertex in 0..<graph.vertexCount {
      let degree = Double(simple.degree(of: UInt32(truncatingIfNeeded: vertex)))
      if degree > 1 { shares[vertex] = Double(edges[vertex]) / (degree * (degree - 1)) }
    }
    return GraphResult(rows: .vertices, columns: [.double(shares)])
  }

  private static func directed(
    _ triangles: DirectedTriangles, _ work: GraphWork
  ) throws(SQLError) -> Buffer<Int64> {
    let count = triangles.simple.vertexCount
    var counts: [Buffer<Int64>] = []
    for _ in 0..<work.workerCount { counts.append(try work.buffer(0, count: count)) }
    try triangles.forEach(among: counts, work) { counts, found in
      counts[found.corners.0] &+= Int64(found.ways.1.nonzeroBitCount)
      counts[found.corners.1] &+= Int64(found.ways.2.nonzeroBitCount)
      counts[found.corners.2] &+= Int64(found.ways.0.nonzeroBitCount)
    }
    for other in counts.dropFirst() {
      for vertex in 0..<count { counts[0][vertex] &+= other[vertex] }
    }
    return counts[0]
  }
}
