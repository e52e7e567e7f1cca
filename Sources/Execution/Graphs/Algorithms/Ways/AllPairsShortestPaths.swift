import Columnar
import Diagnostics

/// What the cheapest way from each vertex to each that it can reach costs, itself included.
///
/// Vertices are searched from by all workers, without weights in the breadth, else as Dijkstra does.
///
/// - Complexity: O(vertices · edges), with weights O(log vertices) times that; 16 bytes a pair, 12 for each vertex
///   and worker, and those of the `WalkedGraph`.
struct AllPairsShortestPaths: GraphAlgorithm {
  /// The answer is the square of it.
  private static let most = 5_000
  private let function: String

  init(_ arguments: GraphArgumentValues) { function = arguments.function }

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    if graph.liveCount > Self.most {
      throw SQLError(
        .programLimitExceeded,
        "\(function) takes at most \(Self.most) vertices, and the graph has \(graph.liveCount)",
        hint: "Ask for the ways from some of them with bfs or dijkstra.")
    }
    try work.require(.notNegative, of: graph, in: function)
    let vertices = graph.sampledVertices(nil, seed: 0)
    let side = vertices.count
    let places = try work.buffer(UInt32(0), count: graph.vertexCount)
    for (place, vertex) in vertices.enumerated() {
      places[vertex] = UInt32(truncatingIfNeeded: place)
    }
    let costs = try work.buffer(Double.infinity, count: side * side)
    let edges = try WalkedGraph(graph.walked, graph.vertexCount, work)
    var searches: [CostSearch] = []
    for _ in 0..<work.workerCount { searches.append(try CostSearch(edges, work)) }
    let context = work.context
    try work.forEachBlock(side, size: 8, among: searches) { (search, range) throws(SQLError) in
      for place in range {
        try search.run(from: vertices[place], context) { target, cost in
          costs[place * side + Int(places[target])] = cost
        }
      }
    }
    return try result(vertices, costs, work)
  }

  /// Closes up the costs of pairs that there is a way for.
  private func result(
    _ vertices: [UInt32], _ costs: Buffer<Double>, _ work: GraphWork
  ) throws(SQLError) -> GraphResult {
    let side = vertices.count
    let count = (0..<side * side).reduce(0) { $0 + (costs[$1] < .infinity ? 1 : 0) }
    let rows = EdgeRows(try work.buffer(0, count: count), try work.buffer(0, count: count))
    for place in 0..<side {
      try work.check()
      for other in 0..<side where costs[place * side + other] < .infinity {
        costs[rows.count] = costs[place * side + other]
        rows.append(vertices[place], vertices[other])
      }
    }
    return rows.result([.double(costs)])
  }
}
