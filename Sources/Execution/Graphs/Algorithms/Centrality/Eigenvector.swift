import Columnar
import Diagnostics

/// The centrality of each vertex as a multiple of the sum of those that lead to it: the eigenvector of the greatest
/// eigenvalue, of length 1.
///
/// It is found by multiplying again and again, from the same number for all, by the matrix of edges with 1 added to
/// its diagonal, which is so that it also comes to rest in graphs of two sides. It ends when numbers change by less
/// than `tolerance` a vertex on average.
///
/// Source: P. Bonacich, "Power and Centrality: A Family of Measures" (American Journal of Sociology 92, 1987).
///
/// - Complexity: O(edges) an iteration; 16 bytes a vertex.
struct Eigenvector: GraphAlgorithm {
  private let limits: IterationLimits

  init(_ arguments: GraphArgumentValues) throws(SQLError) {
    limits = try IterationLimits(arguments, at: 0)
  }

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    try work.require(.finite, of: graph, in: "eigenvector")
    let count = graph.vertexCount
    var values = try work.buffer(0.0, count: count)
    var next = try work.buffer(0.0, count: count)
    for vertex in 0..<count where graph.isVertex(UInt32(truncatingIfNeeded: vertex)) {
      values[vertex] = 1 / Double(graph.liveCount)
    }
    for _ in 0..<limits.count {
      let (old, new) = (values, next)
      let squares = try work.sum(count) { range in
        var sum = 0.0
        let lists = graph.reversed
        for vertex in range {
          new[vertex] = old[vertex] + graph.weightedSum(of: old, vertex, lists)
          sum += new[vertex] * new[vertex]
        }
        return sum
      }
      let length = squares > 0 ? squares.squareRoot() : 1
      let change = try work.sum(count) { range in
        var sum = 0.0
        for vertex in range {
          new[vertex] /= length
          sum += abs(new[vertex] - old[vertex])
        }
        return sum
      }
      (values, next) = (new, old)
      if change < limits.tolerance * Double(graph.liveCount) { break }
    }
    return GraphResult(rows: .vertices, columns: [.double(values)])
  }
}

extension GraphTopology {
  /// The sum of the values of those that a vertex has edges with, multiplied by their weights; a loop counts once.
  @inline(__always)
  func weightedSum(of values: Buffer<Double>, _ vertex: Int, _ lists: GraphLists) -> Double {
    var sum = 0.0
    let own = UInt32(truncatingIfNeeded: vertex)
    // Lists of both directions have each loop twice.
    let loop = isDirected ? 1 : 0.5
    if lists.hasWeights {
      lists.forEachEdge(of: own) { sum += values[$0] * $1 * ($0 == own ? loop : 1) }
    } else {
      lists.forEach(of: own) { sum += values[$0] * ($0 == own ? loop : 1) }
    }
    return sum
  }
}
