import Columnar
import Diagnostics

/// How near each vertex is to those that can reach it: their number, divided by the sum of the lengths of their
/// shortest ways to it.
///
/// With `wf_improved`, as it is unless said otherwise, it is also multiplied by the share of the vertices that can
/// reach it, so that those of small components do not come first. Without edges to it, a vertex has 0.
///
/// Source: L. C. Freeman, "Centrality in Social Networks: Conceptual Clarification" (Social Networks 1, 1979); S.
/// Wasserman and K. Faust, "Social Network Analysis" (1994), p. 201.
///
/// - Complexity: as of `DistanceSums`.
struct Closeness: GraphAlgorithm {
  private let isImproved: Bool
  private let function: String

  init(_ arguments: GraphArgumentValues) {
    isImproved = arguments.boolean(0)
    function = arguments.function
  }

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    try work.require(.notNegative, of: graph, in: function)
    let sums = try DistanceSums.make(graph, work) { $0 }
    let result = try work.buffer(0.0, count: graph.vertexCount)
    for vertex in 0..<graph.vertexCount where sums[vertex].sum > 0 {
      let reached = sums[vertex].count
      result[vertex] = reached / sums[vertex].sum
      if isImproved { result[vertex] *= reached / Double(graph.liveCount - 1) }
    }
    return GraphResult(rows: .vertices, columns: [.double(result)])
  }
}

/// The sum of what one divided by the length of the shortest way to each vertex is, over all that can reach it.
///
/// Source: P. Boldi and S. Vigna, "Axioms for Centrality" (Internet Mathematics 10, 2014).
///
/// - Complexity: as of `DistanceSums`.
struct HarmonicCentrality: GraphAlgorithm {
  private let function: String

  init(_ arguments: GraphArgumentValues) { function = arguments.function }

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    try work.require(.notNegative, of: graph, in: function)
    let sums = try DistanceSums.make(graph, work) { $0 > 0 ? 1 / $0 : 0 }
    let result = try work.buffer(0.0, count: graph.vertexCount)
    for vertex in 0..<graph.vertexCount { result[vertex] = sums[vertex].sum }
    return GraphResult(rows: .vertices, columns: [.double(result)])
  }
}
