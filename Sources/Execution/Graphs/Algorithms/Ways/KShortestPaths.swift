import Columnar
import Diagnostics

/// The `k` cheapest ways from one vertex to another that come to no vertex twice, by rising cost.
///
/// Of several edges between two vertices the lightest counts; ways differ in their vertices. Each way found splits
/// the others up: those that leave it at its first vertex, at its second and so on, of each of which the cheapest
/// waits for its turn. What it costs from each vertex to the target is known beforehand, so that a search hardly
/// leaves the cheapest way.
///
/// Source: J. Y. Yen, "Finding the K Shortest Loopless Paths in a Network" (Management Science 17, 1971), with the
/// change of E. L. Lawler (Management Science 18, 1972).
///
/// - Complexity: O(k · vertices on a way · (vertices + edges) log vertices) at worst, mostly far less; 36 bytes a
///   vertex, and the ways.
struct KShortestPaths: GraphAlgorithm {
  private let source: UInt32?
  private let target: UInt32?
  private let count: Int
  private let function: String

  init(_ arguments: GraphArgumentValues) throws(SQLError) {
    source = try arguments.vertices(0).first
    target = try arguments.vertices(1).first
    count = arguments.integer(2)
    function = arguments.function
    try arguments.require(count > 0, "k must be above 0")
  }

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    try work.require(.notNegative, of: graph, in: function)
    var found: [DeviatingPath] = []
    if let source, let target {
      let search = try DeviationSearch(graph, to: target, work)
      var waiting: [DeviatingPath] = []
      if let first = try search.cheapest([source], [0], without: [], work) {
        waiting.append(first)
      }
      while found.count < count, let least = waiting.indices.min(by: { waiting[$0] < waiting[$1] })
      {
        let path = waiting.remove(at: least)
        found.append(path)
        if found.count == count { break }
        let more = try search.deviations(from: path, work)
        try work.account.charge(more.reduce(0) { $0 + 64 + 12 * $1.vertices.count })
        waiting += more
      }
    }
    return result(found)
  }

  private func result(_ found: [DeviatingPath]) -> GraphResult {
    let numbers = Buffer((1...UInt32(max(1, found.count))).map { $0 })
    var (starts, vertices) = ([0], [UInt32]())
    for path in found {
      vertices += path.vertices
      starts.append(vertices.count)
    }
    return GraphResult(
      rows: .listed([], count: found.count),
      columns: [
        .number(numbers), .double(Buffer(found.map(\.cost) + [0])),
        .paths(starts: starts, vertices),
      ])
  }
}

/// The cheapest of the ways that begin with some vertices and do not go on to some others.
struct DeviatingPath: Comparable {
  var vertices: [UInt32]
  /// What it costs to come to each vertex.
  var costs: [Double]
  /// The place of the last of the vertices that it begins with.
  var deviation: Int
  /// Where it does not go from there.
  var banned: [UInt32]

  var cost: Double { costs[costs.count - 1] }

  static func < (left: DeviatingPath, right: DeviatingPath) -> Bool {
    if left.cost != right.cost { return left.cost < right.cost }
    if left.vertices.count != right.vertices.count {
      return left.vertices.count < right.vertices.count
    }
    return left.vertices.lexicographicallyPrecedes(right.vertices)
  }
}

/// Finds the cheapest ways to one target that begin in a given way.
final class DeviationSearch {
  private let lists: GraphLists
  private let target: UInt32
  /// What it costs from each vertex to the target, whatever the way begins with.
  private let rest: Buffer<Double>
  private let costs: Buffer<Double>
  private let back: Buffer<UInt32>
  private let isTaken: VertexSet
  private var heap = CostHeap()
  private var touched: [UInt32] = []

  init(_ graph: GraphTopology, to target: UInt32, _ work: GraphWork) throws(SQLError) {
    self.target = target
    lists = graph.walked
    rest = try work.buffer(.infinity, count: graph.vertexCount)
    costs = try work.buffer(.infinity, count: graph.vertexCount)
    back = try work.buffer(.max, count: graph.vertexCount)
    isTaken = try VertexSet(graph.vertexCount, work)
    var queue = CostQueue()
    rest[target] = 0
    queue.begin(with: target)
    var steps = 0
    while let (vertex, cost) = queue.pop() {
      if cost > rest[vertex] { continue }
      steps += 1
      if steps & 0xFFF == 0 {
        try work.check()
        try queue.charge(work)
      }
      graph.reversed.forEachEdge(of: vertex) { source, weight in
        let sum = cost + weight
        if sum < rest[source] {
          rest[source] = sum
          queue.push(source, sum)
        }
      }
    }
  }

  /// The cheapest of the ways that leave one at each of its vertices, from where it left another on.
  func deviations(
    from path: DeviatingPath, _ work: GraphWork
  ) throws(SQLError) -> [DeviatingPath] {
    var found: [DeviatingPath] = []
    for place in path.deviation..<path.vertices.count - 1 {
      try work.check()
      let before = place == path.deviation ? path.banned : []
      let next = try cheapest(
        Array(path.vertices[...place]), Array(path.costs[...place]),
        without: before + [path.vertices[place + 1]], work)
      if let next { found.append(next) }
    }
    return found
  }

  /// The cheapest way that begins with some vertices; nil if there is none.
  func cheapest(
    _ start: [UInt32], _ startCosts: [Double], without banned: [UInt32], _ work: GraphWork
  ) throws(SQLError) -> DeviatingPath? {
    let (last, startCost) = (start[start.count - 1], startCosts[start.count - 1])
    for vertex in start { isTaken.insert(vertex) }
    heap.removeAll()
    heap.push(last, startCost + rest[last])
    costs[last] = startCost
    touched.append(last)
    defer {
      for vertex in start { isTaken.remove(vertex) }
      for vertex in touched { (costs[vertex], back[vertex]) = (.infinity, .max) }
      touched.removeAll(keepingCapacity: true)
    }
    var steps = 0
    while let (vertex, cost) = heap.pop() {
      // Left behind by a cheaper way, or there is none.
      if cost > costs[vertex] + rest[vertex] || cost == .infinity { continue }
      if vertex == target { break }
      steps += 1
      if steps & 0xFFF == 0 {
        try work.check()
        try heap.charge(work)
      }
      goOn(from: vertex, without: vertex == last ? banned : [])
    }
    guard costs[target] < .infinity else { return nil }
    var vertices = [target]
    var wayCosts = [costs[target]]
    while let vertex = vertices.last, vertex != last {
      vertices.append(back[vertex])
      wayCosts.append(costs[back[vertex]])
    }
    return DeviatingPath(
      vertices: start.dropLast() + vertices.reversed(),
      costs: startCosts.dropLast() + wayCosts.reversed(), deviation: start.count - 1,
      banned: banned)
  }

  private func goOn(from vertex: UInt32, without banned: [UInt32]) {
    let (cost, costs, rest) = (costs[vertex], costs, rest)
    lists.forEachEdge(of: vertex) { next, weight in
      let sum = cost + weight
      if sum < costs[next], rest[next] < .infinity, !isTaken.contains(next),
        !banned.contains(next)
      {
        if costs[next] == .infinity { touched.append(next) }
        costs[next] = sum
        back[next] = vertex
        heap.push(next, sum + rest[next])
      }
    }
  }
}
