import Columnar
import Diagnostics

/// Communities of high modularity.
///
/// Vertices are moved one by one, then whole communities as if they were vertices, and so on. Then, the other way, what each community
/// was made of is moved again, down to the vertices; and they are built up from there once more.
///
/// Edges have no direction; `weight` says how strong they are, and a greater `resolution` gives more and smaller communities. The order in which vertices
/// are looked at follows from `seed`. `modularity` is that of all communities together, the same in every row.
///
/// Source: V. D. Blondel, J.-L. Guillaume, R. Lambiotte and E. Lefebvre, "Fast Unfolding of Communities in Large Networks"
/// (Journal of Statistical Mechanics, 2008); the way back from R. Rotta and A. Noack, "Multilevel Local Search Algorithms for Modularity
/// Clustering" (Journal of Experimental Algorithmics 16, 2011).
///
/// - Complexity: O(vertices + edges) a round, of which there are some thirty; 60 bytes a vertex, 8 an edge and 24 more an edge with
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
      (random, start) throws(SQLError) in try search(whole, from: start, &random, work)
    }
    return try .communities(best, graph, work)
  }

  /// How often communities are built up; in between they are taken apart again.
  private static let climbs = 2

  private func search(
    _ whole: WeightedGraph, from start: Buffer<UInt32>, _ random: inout GraphRandom,
    _ work: GraphWork
  ) throws(SQLError) -> Buffer<UInt32> {
    var result = start
    for _ in 1..<Self.climbs {
      let levels = try climb(whole, from: result, &random, work)
      result = try descend(levels) { (level, communities) throws(SQLError) in
        try moveVertices(of: level, communities, &random, work)
      }
    }
    return try descend(try climb(whole, from: result, &random, work)) { _, _ in }
  }

  /// A graph, and the community of each of its vertices: a vertex of the next level.
  private typealias Level = (graph: WeightedGraph, communities: Buffer<UInt32>)

  private func moveVertices(
    of level: WeightedGraph, _ communities: Buffer<UInt32>, _ random: inout GraphRandom,
    _ work: GraphWork
  ) throws(SQLError) {
    var search = try CommunitySearch(level, communities, resolution: resolution, work)
    try search.moveVertices(&random)
  }

  /// Moves vertices, then their communities, until none of these is moved any more.
  private func climb(
    _ whole: WeightedGraph, from start: Buffer<UInt32>, _ random: inout GraphRandom,
    _ work: GraphWork
  ) throws(SQLError) -> [Level] {
    var levels: [Level] = []
    var (level, communities) = (whole, start)
    while true {
      try moveVertices(of: level, communities, &random, work)
      let count = try CommunitySearch.number(communities, level.vertexCount, work)
      levels.append((level, communities))
      if count == level.vertexCount { return levels }
      level = try WeightedGraph(level, groups: communities, count: count, work)
      communities = try work.vertices(count)
    }
  }

  /// The communities of the first level's vertices by those of the last; each level's are handed over on the way.
  private func descend(
    _ levels: [Level], _ body: (WeightedGraph, Buffer<UInt32>) throws(SQLError) -> Void
  ) throws(SQLError) -> Buffer<UInt32> {
    var result = levels[levels.count - 1].communities
    for (graph, communities) in levels.dropLast().reversed() {
      for vertex in 0..<graph.vertexCount { communities[vertex] = result[communities[vertex]] }
      try body(graph, communities)
      result = communities
    }
    return result
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
