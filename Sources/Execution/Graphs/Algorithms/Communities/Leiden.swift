import Columnar
import Diagnostics

/// Communities of high modularity, each of which hangs together.
///
/// As `Louvain`, but what is moved as a whole are parts of communities that are well connected, so that a community can still come
/// apart later. Then it begins again with the communities found, `iterations` times in all or until nothing changes.
///
/// Source: V. A. Traag, L. Waltman and N. J. van Eck, "From Louvain to Leiden: Guaranteeing Well-Connected Communities"
/// (Scientific Reports 9, 2019); parts join the best part in place of a random one of the better ones.
///
/// - Complexity: O(vertices + edges) a round, of which there are some ten an iteration; 100 bytes a vertex, and an edge as of
///   `Louvain`.
struct Leiden: GraphAlgorithm {
  private let resolution: Double
  private let seed: Int
  private let iterations: Int

  init(_ arguments: GraphArgumentValues) throws(SQLError) {
    resolution = arguments.double(0)
    try arguments.require(
      resolution >= 0 && resolution < .infinity, "resolution must not be negative or infinite")
    seed = arguments.integer(1)
    iterations = arguments.integer(2)
    try arguments.require(iterations > 0, "iterations must be positive")
  }

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let whole = try WeightedGraph(graph, work)
    let best = try CommunitySearch.best(whole, seed: seed, resolution: resolution, work) {
      (random, result) throws(SQLError) in
      for _ in 0..<iterations {
        if try !improve(result, whole, &random, work) { break }
      }
      try Self.separate(result, whole, work)
      return result
    }
    return try .communities(best, graph, work)
  }

  /// Improves communities, and says whether any has changed.
  private func improve(
    _ result: Buffer<UInt32>, _ whole: WeightedGraph, _ random: inout GraphRandom,
    _ work: GraphWork
  ) throws(SQLError) -> Bool {
    // Which vertex of the level each vertex is in.
    let places = try work.vertices(whole.vertexCount)
    var level = whole
    var communities = try work.buffer(UInt32(0), count: whole.vertexCount)
    communities.copy(result, count: whole.vertexCount, to: 0)
    while true {
      var search = try CommunitySearch(level, communities, resolution: resolution, work)
      try search.moveVertices(&random)
      let count = try CommunitySearch.number(communities, level.vertexCount, work)
      if count == level.vertexCount { break }
      var groups = try CommunityParts(level, communities, count, resolution: resolution, work)
        .groups(&random)
      var groupCount = try CommunitySearch.number(groups, level.vertexCount, work)
      // Where no two parts join, communities are moved as wholes.
      if groupCount == level.vertexCount { (groups, groupCount) = (communities, count) }
      let next = try work.buffer(UInt32(0), count: groupCount)
      for vertex in 0..<level.vertexCount { next[groups[vertex]] = communities[vertex] }
      for vertex in 0..<whole.vertexCount { places[vertex] = groups[places[vertex]] }
      level = try WeightedGraph(level, groups: groups, count: groupCount, work)
      communities = next
    }
    for vertex in 0..<whole.vertexCount { places[vertex] = communities[places[vertex]] }
    _ = try CommunitySearch.number(places, whole.vertexCount, work)
    var hasChanged = false
    for vertex in 0..<whole.vertexCount where result[vertex] != places[vertex] {
      hasChanged = true
      result[vertex] = places[vertex]
    }
    return hasChanged
  }

  /// Makes communities of the parts of those that do not hang together.
  private static func separate(
    _ communities: Buffer<UInt32>, _ graph: WeightedGraph, _ work: GraphWork
  ) throws(SQLError) {
    let sets = try DisjointSets(graph.vertexCount, work)
    for vertex in 0..<graph.vertexCount {
      if vertex & 0xFFF == 0 { try work.check() }
      let own = UInt32(truncatingIfNeeded: vertex)
      for place in graph.places(of: own)
      where communities[graph.targets[place]] == communities[vertex] {
        sets.unite(own, graph.targets[place])
      }
    }
    for vertex in 0..<graph.vertexCount {
      communities[vertex] = sets.find(UInt32(truncatingIfNeeded: vertex))
    }
  }
}

/// Parts of communities that are well connected to the rest of theirs.
private struct CommunityParts {
  private let graph: WeightedGraph
  private let communities: Buffer<UInt32>
  private let share: Double
  private let work: GraphWork
  /// The strength of each community.
  private let strengths: Buffer<Double>
  /// By part: the strength of its vertices, how many there are, and the weight of the edges to the rest of the community.
  private let partStrengths: Buffer<Double>
  private let sizes: Buffer<UInt32>
  private let cuts: Buffer<Double>

  init(
    _ graph: WeightedGraph, _ communities: Buffer<UInt32>, _ count: Int, resolution: Double,
    _ work: GraphWork
  ) throws(SQLError) {
    (self.graph, self.communities, self.work) = (graph, communities, work)
    share = graph.total > 0 ? resolution / (2 * graph.total) : 0
    strengths = try work.buffer(0, count: count)
    for vertex in 0..<graph.vertexCount {
      strengths[communities[vertex]] += graph.strengths[vertex]
    }
    partStrengths = try work.buffer(0, count: graph.vertexCount)
    partStrengths.copy(graph.strengths, count: graph.vertexCount, to: 0)
    sizes = try work.buffer(1, count: graph.vertexCount)
    let cuts = try work.buffer(0.0, count: graph.vertexCount)
    try work.forEachBlock(graph.vertexCount) { range in
      for vertex in range {
        for place in graph.places(of: UInt32(truncatingIfNeeded: vertex))
        where communities[graph.targets[place]] == communities[vertex] {
          cuts[vertex] += graph.weight(at: place)
        }
      }
    }
    self.cuts = cuts
  }

  /// Lets each vertex that is alone join a part of its community; gives the part of each.
  func groups(_ random: inout GraphRandom) throws(SQLError) -> Buffer<UInt32> {
    let count = graph.vertexCount
    let groups = try work.vertices(count)
    let order = try CommunitySearch.shuffled(count, &random, work)
    let sums = try work.buffer(0.0, count: count)
    let found = try work.buffer(UInt32(0), count: count)
    var steps = 0
    for index in 0..<count {
      let vertex = order[index]
      let places = graph.places(of: vertex)
      steps += places.count + 1
      if steps > 1 << 16 {
        steps = 0
        try work.check()
      }
      if groups[vertex] == vertex, sizes[vertex] == 1, isConnected(vertex, communities[vertex]) {
        join(vertex, places, groups, sums, found)
      }
    }
    return groups
  }

  /// Whether a part has as many edges to the rest of its community as would be expected.
  @inline(__always)
  private func isConnected(_ part: UInt32, _ community: UInt32) -> Bool {
    let strength = partStrengths[part]
    return cuts[part] >= share * strength * (strengths[community] - strength)
  }

  private func join(
    _ vertex: UInt32, _ places: Range<Int>, _ groups: Buffer<UInt32>, _ sums: Buffer<Double>,
    _ found: Buffer<UInt32>
  ) {
    let community = communities[vertex]
    var foundCount = 0
    for place in places {
      let target = graph.targets[place]
      if communities[target] != community { continue }
      let group = groups[target]
      if sums[group] == 0 {
        found[foundCount] = group
        foundCount &+= 1
      }
      sums[group] += graph.weight(at: place)
    }
    let cost = graph.strengths[vertex] * share
    var (best, gain, inside) = (vertex, 0.0, 0.0)
    for place in 0..<foundCount {
      let group = found[place]
      let sum = sums[group]
      sums[group] = 0
      let its = sum - cost * partStrengths[group]
      if its > gain, isConnected(group, community) { (best, gain, inside) = (group, its, sum) }
    }
    if best == vertex { return }
    groups[vertex] = best
    sizes[best] &+= 1
    partStrengths[best] += graph.strengths[vertex]
    cuts[best] += cuts[vertex] - 2 * inside
  }
}
