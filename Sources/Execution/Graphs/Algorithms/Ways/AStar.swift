import Columnar
import Diagnostics

/// The cheapest way from one vertex to another, looked for in the direction in which the other lies by the
/// coordinates `x` and `y`.
///
/// What is left of a way costs no less than the distance in a straight line, times the least that any edge costs for
/// its distance. That holds for coordinates and weights of any units, so that no cheaper way is missed.
///
/// Source: P. E. Hart, N. J. Nilsson and B. Raphael, "A Formal Basis for the Heuristic Determination of Minimum Cost
/// Paths" (IEEE Transactions on Systems Science and Cybernetics 4, 1968).
///
/// - Complexity: O((vertices + edges) log vertices), mostly of a small part of them, and a look at all weights; 12
///   bytes a vertex.
struct AStar: GraphAlgorithm {
  private let source: UInt32?
  private let target: UInt32?
  private let places: Coordinates?
  private let function: String

  init(_ arguments: GraphArgumentValues) throws(SQLError) {
    source = try arguments.vertices(0).first
    target = try arguments.vertices(1).first
    function = arguments.function
    places =
      arguments.columns.count == 2
      ? Coordinates(x: arguments.columns[0], y: arguments.columns[1]) : nil
  }

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    guard let places else { throw SQLError.internal("a_star has no coordinates") }
    try work.require(.notNegative, of: graph, in: function)
    try places.check(graph)
    let scale = try places.least(graph, work)
    let costs = try work.buffer(Double.infinity, count: graph.vertexCount)
    let back = try work.buffer(UInt32.max, count: graph.vertexCount)
    guard let source, let target,
      try search(from: source, to: target, graph, work, costs, back, places, scale)
    else { return .none([.double(costs), .ways(ends: back, back: back)]) }
    let found = Buffer([target])
    return GraphResult(
      rows: .listed([found], count: 1),
      columns: [.double(Buffer([costs[target]])), .ways(ends: found, back: back)])
  }

  private func search(
    from source: UInt32, to target: UInt32, _ graph: GraphTopology, _ work: GraphWork,
    _ costs: Buffer<Double>, _ back: Buffer<UInt32>, _ places: Coordinates, _ scale: Double
  ) throws(SQLError) -> Bool {
    var heap = CostHeap()
    let walked = graph.walked
    costs[source] = 0
    heap.push(source, scale * places.distance(source, target))
    var steps = 0
    while let (vertex, estimate) = heap.pop() {
      if vertex == target { return true }
      let cost = costs[vertex]
      // Left behind by a cheaper way.
      if estimate > cost + scale * places.distance(vertex, target) { continue }
      steps &+= 1
      if steps & 0xFFF == 0 {
        try work.check()
        try heap.charge(work)
      }
      walked.forEachEdge(of: vertex) { next, weight in
        let sum = cost + weight
        if sum < costs[next] {
          costs[next] = sum
          back[next] = vertex
          heap.push(next, sum + scale * places.distance(next, target))
        }
      }
    }
    return false
  }
}

/// Where vertices lie in a plane.
private struct Coordinates: Sendable {
  let x: Buffer<Double>
  let y: Buffer<Double>

  @inline(__always)
  func distance(_ one: UInt32, _ other: UInt32) -> Double {
    let (dx, dy) = (x[one] - x[other], y[one] - y[other])
    return (dx * dx + dy * dy).squareRoot()
  }

  /// - Throws: 22004 for a vertex without coordinates.
  func check(_ graph: GraphTopology) throws(SQLError) {
    for place in 0..<graph.vertexCount where (x[place] + y[place]).isNaN {
      if !graph.isVertex(UInt32(truncatingIfNeeded: place)) { continue }
      throw SQLError(.nullNotAllowed, "a vertex has no coordinates, or they are no numbers")
    }
  }

  /// The least that an edge costs for its distance, and a little less, as sums are rounded.
  func least(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> Double {
    let size = GraphWork.blockSize
    let ratios = Buffer<Double>(repeating: .infinity, count: graph.vertexCount / size + 1)
    try work.forEachBlock(graph.vertexCount, size: size) { range in
      var least = Double.infinity
      let out = graph.out
      for place in range {
        let vertex = UInt32(truncatingIfNeeded: place)
        out.forEachEdge(of: vertex) { target, weight in
          let distance = distance(vertex, target)
          if distance > 0 { least = min(least, weight / distance) }
        }
      }
      ratios[range.lowerBound / size] = least
    }
    let least = (0..<ratios.count).reduce(.infinity) { min($0, ratios[$1]) }
    return least < .infinity ? least * (1 - 1e-9) : 0
  }
}
