import Columnar
import Diagnostics

/// How good each vertex is as a hub, which leads to good authorities, and as an authority, which good hubs lead to;
/// each adds up to 1.
///
/// It ends when hubs change by less than `tolerance` in all, the greatest taken as 1.
///
/// Source: J. M. Kleinberg, "Authoritative Sources in a Hyperlinked Environment" (Journal of the ACM 46, 1999).
///
/// - Complexity: O(edges) an iteration; 24 bytes a vertex.
struct HubsAndAuthorities: GraphAlgorithm {
  private let limits: IterationLimits

  init(_ arguments: GraphArgumentValues) throws(SQLError) {
    limits = try IterationLimits(arguments, at: 0)
  }

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    try work.require(.finite, of: graph, in: "hits")
    let count = graph.vertexCount
    var hubs = try work.buffer(0.0, count: count)
    var next = try work.buffer(0.0, count: count)
    let authorities = try work.buffer(0.0, count: count)
    for vertex in 0..<count where graph.isVertex(UInt32(truncatingIfNeeded: vertex)) {
      hubs[vertex] = 1
    }
    for _ in 0..<max(1, limits.count) {
      let (old, new) = (hubs, next)
      try multiply(old, into: authorities, graph.reversed, graph, work)
      try multiply(authorities, into: new, graph.walked, graph, work)
      let greatest = (0..<count).reduce(0.0) { max($0, abs(new[$1])) }
      let change = try work.sum(count) { range in
        var sum = 0.0
        for vertex in range {
          if greatest > 0 { new[vertex] /= greatest }
          sum += abs(new[vertex] - old[vertex])
        }
        return sum
      }
      (hubs, next) = (new, old)
      if change < limits.tolerance { break }
    }
    try multiply(hubs, into: authorities, graph.reversed, graph, work)
    for values in [hubs, authorities] {
      let sum = try work.sum(count) { range in range.reduce(0) { $0 + values[$1] } }
      if sum != 0 { for vertex in 0..<count { values[vertex] /= sum } }
    }
    return GraphResult(rows: .vertices, columns: [.double(hubs), .double(authorities)])
  }

  private func multiply(
    _ values: Buffer<Double>, into result: Buffer<Double>, _ lists: GraphLists,
    _ graph: GraphTopology, _ work: GraphWork
  ) throws(SQLError) {
    try work.forEachBlock(graph.vertexCount) { range in
      for vertex in range { result[vertex] = graph.weightedSum(of: values, vertex, lists) }
    }
  }
}
