import Columnar
import Diagnostics

/// Communities of high modularity: vertices are moved one by one, then whole communities as if they were vertices, and so on.
///
/// Edges have no direction; `weight` says how strong they are, and a greater `resolution` gives more and smaller communities. The order in which vertices
/// are looked at follows from `seed`. `modularity` is that of all communities together, the same in every row.
///
/// Source: V. D. Blondel, J.-L. Guillaume, R. Lambiotte and E. Lefebvre, "Fast Unfolding of Communities in Large Networks"
/// (Journal of Statistical Mechanics, 2008).
///
/// - Complexity: O(vertices + edges) a round, of which there are some ten; 60 bytes a vertex, 8 an edge and 24 more an edge with
///   a weight or between communities.
struct Louvain: GraphAlgorithm {
  private let resolution: Double
  private let seed: Int

  init(_ arguments: GraphArgumentValues) throws(SQLError) {
    resolution = arguments.double(0)
    try arguments.require(
      resolution >= 0 && resolution < .infinity, "resolution must not be negative or infinite")
    seed = arguments.integer(1)
  }

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let whole = try WeightedGraph(graph, work)
    let best = try CommunitySearch.best(whole, seed: seed, resolution: resolution, work) {
      (random) throws(SQLError) in try search(whole, &random, work)
    }
    return try .communities(best, graph, work)
  }

  private func search(
    _ whole: WeightedGraph, _ random: inout GraphRandom, _ work: GraphWork
  ) throws(SQLError) -> Buffer<UInt32> {
    let result = try work.vertices(whole.vertexCount)
    var level = whole
    while true {
      let communities = try work.vertices(level.vertexCount)
      var search = try CommunitySearch(level, communities, resolution: resolution, work)
      try search.moveVertices(&random)
      let count = try CommunitySearch.number(communities, level.vertexCount, work)
      for vertex in 0..<whole.vertexCount { result[vertex] = communities[result[vertex]] }
      if count == level.vertexCount { return result }
      level = try WeightedGraph(level, groups: communities, count: count, work)
    }
  }
}

extension GraphWork {
  /// Every vertex' own number.
  func vertices(_ count: Int) throws(SQLError) -> Buffer<UInt32> {
    let numbers = try buffer(UInt32(0), count: count)
    for vertex in 0..<count { numbers[vertex] = UInt32(truncatingIfNeeded: vertex) }
    return numbers
  }
}

extension GraphResult {
  /// Communities and their modularity.
  static func communities(
    _ found: (communities: Buffer<UInt32>, modularity: Double), _ graph: GraphTopology,
    _ work: GraphWork
  ) throws(SQLError) -> GraphResult {
    var result = try GraphResult.groups(graph, work) { found.communities[$0] }
    result.columns.append(.double(try work.buffer(found.modularity, count: graph.vertexCount)))
    return result
  }
}
