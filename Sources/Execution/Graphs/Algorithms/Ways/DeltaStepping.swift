import Columnar
import Diagnostics

/// What the cheapest way from the nearest of `source` to each vertex costs, and the vertices on it, found by all
/// workers.
///
/// Costs are those of `dijkstra`; vertices come in the order of their numbers. Vertices wait in buckets of costs
/// `delta` wide. All of the first bucket go on along their edges at the same time, again and again until it stays
/// empty. Of ways that cost the same, the one whose last vertex but one costs least is given.
///
/// Source: U. Meyer and P. Sanders, "Δ-Stepping: A Parallelizable Shortest Path Algorithm" (Journal of Algorithms 49,
/// 2003).
///
/// - Complexity: O(vertices + edges) for weights that look random, more where many ways are found again cheaper; 24
///   bytes a vertex, and 16 for each edge that makes a way cheaper at the same time.
struct DeltaStepping: GraphAlgorithm {
  private let sources: [UInt32]
  private let limit: Double
  private let delta: Double?
  private let function: String

  init(_ arguments: GraphArgumentValues) throws(SQLError) {
    sources = try arguments.vertices(0)
    limit = arguments.isGiven(1) ? arguments.double(1) : .infinity
    delta = arguments.isGiven(2) ? arguments.double(2) : nil
    function = arguments.function
    try arguments.require(limit >= 0, "max_cost must not be negative")
    try arguments.require((delta ?? 1) > 0, "delta must be above 0")
  }

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    try work.require(.notNegative, of: graph, in: function)
    let width: Double
    if let delta { width = delta } else { width = try Self.width(graph, work) }
    let buckets = try CostBuckets(graph, limit: limit, width: width, work)
    for vertex in sources { buckets.begin(vertex) }
    while buckets.advance() { try buckets.settle(work) }
    let costs = buckets.costs
    let back = try CheapestTree(graph, costs).back(from: sources, work)
    let order = try work.buffer(UInt32(0), count: graph.vertexCount)
    var reached = 0
    for vertex in 0..<graph.vertexCount where costs[vertex] < .infinity {
      order[reached] = UInt32(truncatingIfNeeded: vertex)
      reached += 1
    }
    let found = Buffer<Double>(uninitialized: max(1, reached))
    for row in 0..<reached { found[row] = costs[order[row]] }
    return GraphResult(
      rows: .listed([order], count: reached),
      columns: [.double(found), .ways(ends: order, back: back)])
  }

  /// A width that lets enough vertices go on at the same time and few of them again.
  ///
  /// Of the mean weight it is less where vertices have many edges, some of which are light and lead on within a bucket: a sixteenth for
  /// sixteen edges a vertex.
  private static func width(
    _ graph: GraphTopology, _ work: GraphWork
  ) throws(SQLError) -> Double {
    let count = graph.vertexCount
    let edges = try work.sum(count) { range in
      let walked = graph.walked
      return Double(range.reduce(0) { $0 + walked.degree(of: UInt32(truncatingIfNeeded: $1)) })
    }
    let weights = try work.sum(count) { range in
      var sum = 0.0
      let walked = graph.walked
      for vertex in range {
        walked.forEachEdge(of: UInt32(truncatingIfNeeded: vertex)) { _, weight in
          sum += weight
        }
      }
      return sum
    }
    if edges == 0 || !(weights > 0 && weights < .infinity) { return 1 }
    let degree = edges / Double(count)
    return weights / edges * min(4, 16 / (degree * degree))
  }
}
