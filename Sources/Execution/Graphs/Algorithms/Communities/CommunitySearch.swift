import Columnar
import Diagnostics

/// Communities of the vertices of a graph, to which vertices are moved as long as modularity grows.
///
/// The modularity of communities is the share of the edges within them, less the share that would be expected of random edges
/// between vertices of the same strengths, times the resolution.
///
/// Source: V. A. Traag, L. Waltman and N. J. van Eck, "From Louvain to Leiden: Guaranteeing Well-Connected Communities"
/// (Scientific Reports 9, 2019): a vertex is looked at again only when a neighbour has gone to another community.
struct CommunitySearch {
  private let graph: WeightedGraph
  private let resolution: Double
  private let work: GraphWork
  /// The community of each vertex.
  private let communities: Buffer<UInt32>
  /// The strength of the vertices of each community, and how many there are.
  private let strengths: Buffer<Double>
  private let sizes: Buffer<UInt32>
  /// Numbers that no community has.
  private var empty: [UInt32] = []
  /// By community the weight of one vertex' edges to it; 0 between two vertices.
  private let sums: Buffer<Double>

  /// Begins with some communities, whose numbers are below the count of vertices.
  init(
    _ graph: WeightedGraph, _ communities: Buffer<UInt32>, resolution: Double, _ work: GraphWork
  ) throws(SQLError) {
    (self.graph, self.communities) = (graph, communities)
    (self.resolution, self.work) = (resolution, work)
    strengths = try work.buffer(0, count: graph.vertexCount)
    sizes = try work.buffer(0, count: graph.vertexCount)
    sums = try work.buffer(0, count: graph.vertexCount)
    for vertex in 0..<graph.vertexCount {
      strengths[communities[vertex]] += graph.strengths[vertex]
      sizes[communities[vertex]] &+= 1
    }
    for number in 0..<graph.vertexCount where sizes[number] == 0 {
      empty.append(UInt32(truncatingIfNeeded: number))
    }
  }

  /// Moves vertices to the communities where modularity grows most, until none is better off elsewhere.
  ///
  /// - Complexity: O(vertices + edges) for each time that all vertices are looked at, which is some five times.
  mutating func moveVertices(_ random: inout GraphRandom) throws(SQLError) {
    let count = graph.vertexCount
    if graph.total <= 0 { return }
    let order = try Self.shuffled(count, &random, work)
    let isWaiting = try work.buffer(true, count: count)
    let found = try work.buffer(UInt32(0), count: count)
    let share = resolution / (2 * graph.total)
    var (first, waiting, steps) = (0, count, 0)
    while waiting > 0 {
      let vertex = order[first]
      first = first + 1 == count ? 0 : first + 1
      waiting -= 1
      isWaiting[vertex] = false
      let places = graph.places(of: vertex)
      steps += places.count + 1
      if steps > 1 << 16 {
        steps = 0
        try work.check()
      }
      if !move(vertex, places, found, share) { continue }
      let own = communities[vertex]
      for place in places {
        let other = graph.targets[place]
        if isWaiting[other] || communities[other] == own { continue }
        isWaiting[other] = true
        let end = first + waiting
        order[end < count ? end : end - count] = other
        waiting += 1
      }
    }
  }

  /// Moves one vertex to its best community; says whether that is another one.
  @inline(__always)
  private mutating func move(
    _ vertex: UInt32, _ places: Range<Int>, _ found: Buffer<UInt32>, _ share: Double
  ) -> Bool {
    var foundCount = 0
    for place in places {
      let community = communities[graph.targets[place]]
      let sum = sums[community]
      if sum == 0 {
        found[foundCount] = community
        foundCount &+= 1
      }
      sums[community] = sum + graph.weight(at: place)
    }
    let own = communities[vertex]
    let strength = graph.strengths[vertex]
    strengths[own] -= strength
    sizes[own] &-= 1
    // Nothing is left of the sum of strengths but what rounding has.
    if sizes[own] == 0 { strengths[own] = 0 }
    let cost = strength * share
    var best = own
    // What is gained by less than rounding could be gained for ever.
    var gain = sums[own] - cost * strengths[own] + 1e-12 * strength
    for place in 0..<foundCount {
      let community = found[place]
      let its = sums[community] - cost * strengths[community]
      sums[community] = 0
      if its > gain { (best, gain) = (community, its) }
    }
    // Alone it gains nothing, which may be better.
    if gain < 0, let alone = empty.popLast() { best = alone }
    if best != own, sizes[own] == 0 { empty.append(own) }
    strengths[best] += strength
    sizes[best] &+= 1
    communities[vertex] = best
    return best != own
  }

  /// The vertices in random order.
  static func shuffled(
    _ count: Int, _ random: inout GraphRandom, _ work: GraphWork
  ) throws(SQLError) -> Buffer<UInt32> {
    let order = try work.buffer(UInt32(0), count: count)
    for place in 0..<count {
      let other = random.below(place + 1)
      order[place] = order[other]
      order[other] = UInt32(truncatingIfNeeded: place)
    }
    return order
  }

  /// Numbers groups through from 0 on in the order of their first vertices, and gives how many there are.
  static func number(
    _ groups: Buffer<UInt32>, _ count: Int, _ work: GraphWork
  ) throws(SQLError) -> Int {
    let numbers = try work.buffer(UInt32.max, count: count)
    var next: UInt32 = 0
    for vertex in 0..<count {
      let group = groups[vertex]
      if numbers[group] == .max {
        numbers[group] = next
        next += 1
      }
      groups[vertex] = numbers[group]
    }
    return Int(next)
  }

  /// The best communities of several searches, each with other random numbers; of one where the graph is not small.
  ///
  /// Every other search begins with communities at random: those that begin with single vertices may all end at the same place.
  static func best(
    _ graph: WeightedGraph, seed: Int, resolution: Double, _ work: GraphWork,
    _ search: (inout GraphRandom, Buffer<UInt32>) throws(SQLError) -> Buffer<UInt32>
  ) throws(SQLError) -> (communities: Buffer<UInt32>, modularity: Double) {
    let size = graph.vertexCount + Int(graph.starts[graph.vertexCount])
    var random = GraphRandom(seed: seed)
    var best = try search(&random, work.vertices(graph.vertexCount))
    var greatest = try modularity(graph, best, resolution: resolution, work)
    for number in 1..<max(2, min(20, stepsOfSmall / max(size, 1))) {
      if number * size > stepsOfSmall { break }
      try work.check()
      random = GraphRandom(seed: seed, stream: UInt64(number))
      let start = try work.vertices(graph.vertexCount)
      if number % 2 == 1, graph.vertexCount > 0 {
        let groups = 1 + random.below(graph.vertexCount)
        for vertex in 0..<graph.vertexCount {
          start[vertex] = UInt32(truncatingIfNeeded: random.below(groups))
        }
      }
      let found = try search(&random, start)
      let own = try modularity(graph, found, resolution: resolution, work)
      if own > greatest + 1e-12 { (best, greatest) = (found, own) }
    }
    return (best, greatest)
  }

  /// A graph is small as long as all searches look at so many vertices and edges at most, for each time that they look at all.
  private static let stepsOfSmall = 200_000

  /// The modularity of the communities of a graph.
  static func modularity(
    _ graph: WeightedGraph, _ communities: Buffer<UInt32>, resolution: Double, _ work: GraphWork
  ) throws(SQLError) -> Double {
    if graph.total <= 0 { return 0 }
    let strengths = try work.buffer(0.0, count: graph.vertexCount)
    for vertex in 0..<graph.vertexCount {
      strengths[communities[vertex]] += graph.strengths[vertex]
    }
    let inside = try work.sum(graph.vertexCount) { range in
      var sum = 0.0
      for vertex in range {
        let own = communities[vertex]
        sum += 2 * graph.loops[vertex]
        for place in graph.places(of: UInt32(truncatingIfNeeded: vertex))
        where communities[graph.targets[place]] == own {
          sum += graph.weight(at: place)
        }
      }
      return sum
    }
    let whole = 2 * graph.total
    let expected = try work.sum(graph.vertexCount) { range in
      range.reduce(0) { $0 + strengths[$1] / whole * (strengths[$1] / whole) }
    }
    return inside / whole - resolution * expected
  }
}
