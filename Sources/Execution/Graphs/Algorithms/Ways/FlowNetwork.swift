import Columnar
import Diagnostics

/// How much flows along each edge when as much as can be flows from some vertices to others.
///
/// Capacities of several edges between the same vertices add up; without direction an edge can be used either way.
/// Each round finds how many edges each vertex is away from the targets, and then fills up all ways that come nearer
/// with each edge.
///
/// Source: E. A. Dinic, "Algorithm for Solution of a Problem of Maximum Flow in Networks with Power Estimation"
/// (Soviet Mathematics Doklady 11, 1970).
///
/// - Complexity: O(vertices² · edges) at worst, O(√vertices · edges) where all capacities are 1; 12 bytes a vertex,
///   and 48 a pair of neighbours.
final class FlowNetwork {
  private let graph: SimpleGraph
  /// By the places of neighbours: what can flow there at most, and what can flow there still.
  private let capacities: Buffer<Double>
  private let residuals: Buffer<Double>
  /// The place of the same pair seen from the other vertex.
  private let twins: Buffer<UInt32>
  /// How many edges away from a target each vertex is; -1 where nothing can flow to one.
  private let levels: Buffer<Int32>
  /// The place of each vertex' edge to be looked at next.
  private let next: Buffer<UInt32>
  private let order: Buffer<UInt32>
  /// Infinite capacities are taken for this: more than all others together.
  private let bound: Double

  /// - Throws: 22023 for a capacity that is negative; 54000, 57014, 53200.
  init(_ topology: GraphTopology, _ function: String, _ work: GraphWork) throws(SQLError) {
    try work.require(.notNegative, of: topology, in: function)
    let count = topology.vertexCount
    graph = try SimpleGraph(topology, work)
    let places = Int(graph.starts[count])
    let edges = try WalkedGraph(topology.walked, count, joining: .sum, work)
    capacities = try work.buffer(0, count: places)
    residuals = try work.buffer(0, count: places)
    twins = try work.buffer(0, count: places)
    levels = try work.buffer(-1, count: count)
    next = try work.buffer(0, count: count)
    order = try work.buffer(0, count: count)
    var sum = 1.0
    for place in 0..<edges.edgeCount {
      let weight = edges.weights?[place] ?? 1
      if weight < .infinity { sum += weight }
    }
    bound = sum
    next.copy(graph.starts, count: count, to: 0)
    for number in 0..<count {
      if number & 0xFFF == 0xFFF { try work.check() }
      let vertex = UInt32(truncatingIfNeeded: number)
      var walked = edges.places(of: vertex)
      for place in graph.places(of: vertex) {
        // Both rise, so that each vertex is met in its neighbours' lists in their order.
        let target = graph.neighbours[place]
        twins[place] = next[target]
        next[target] &+= 1
        guard let edge = walked.first, edges.targets[edge] == target else { continue }
        walked = walked.dropFirst()
        capacities[place] = min(edges.weights?[edge] ?? 1, bound)
        residuals[place] = capacities[place]
      }
    }
  }

  /// Lets as much flow as can.
  ///
  /// - Throws: 22023 where there is no limit; 57014.
  func fill(
    from sources: [UInt32], to targets: [UInt32], _ work: GraphWork
  ) throws(SQLError) {
    var total = 0.0
    while try measure(to: targets, work) {
      next.copy(graph.starts, count: graph.vertexCount, to: 0)
      var round = 0.0
      for source in sources { round += try push(from: source, work) }
      if round == 0 { break }
      total += round
      if total >= bound {
        throw SQLError(
          .invalidParameterValue, "the flow has no limit, as all on a way to a target is infinite")
      }
    }
  }

  /// Finds the levels; false if nothing flows to any target.
  private func measure(to targets: [UInt32], _ work: GraphWork) throws(SQLError) -> Bool {
    levels.fill(0..<graph.vertexCount, with: -1)
    var count = 0
    for target in targets where levels[target] < 0 {
      levels[target] = 0
      order[count] = target
      count += 1
    }
    var first = 0
    while first < count {
      if first & 0xFFF == 0xFFF { try work.check() }
      let vertex = order[first]
      first += 1
      for place in graph.places(of: vertex) {
        let source = graph.neighbours[place]
        if levels[source] < 0, residuals[twins[place]] > 0 {
          levels[source] = levels[vertex] + 1
          order[count] = source
          count += 1
        }
      }
    }
    return count > 0
  }

  /// Fills up the ways from a vertex that come nearer to a target with each edge; gives what flows.
  private func push(from source: UInt32, _ work: GraphWork) throws(SQLError) -> Double {
    if levels[source] < 0 { return 0 }
    var (path, vertex, flow) = ([UInt32](), source, 0.0)
    var steps = 0
    while true {
      steps &+= 1
      if steps & 0xFFF == 0 { try work.check() }
      if levels[vertex] == 0 {
        let (amount, kept) = send(along: path)
        flow += amount
        vertex = graph.neighbours[twins[path[kept]]]
        path.removeLast(path.count - kept)
      } else if let place = step(from: vertex) {
        path.append(place)
        vertex = graph.neighbours[place]
      } else {
        levels[vertex] = -1
        guard let place = path.popLast() else { return flow }
        vertex = graph.neighbours[twins[place]]
      }
    }
  }

  /// The next edge of a vertex along which something can come nearer to a target.
  private func step(from vertex: UInt32) -> UInt32? {
    let nearer = levels[vertex] &- 1
    let end = graph.starts[Int(vertex) + 1]
    var place = next[vertex]
    while place < end {
      if residuals[place] > 0, levels[graph.neighbours[place]] == nearer {
        next[vertex] = place
        return place
      }
      place &+= 1
    }
    next[vertex] = end
    return nil
  }

  /// Lets as much flow along a way as can; gives how many of its edges come before the first that is full.
  private func send(along path: [UInt32]) -> (amount: Double, kept: Int) {
    var (least, kept) = (Double.infinity, 0)
    for (index, place) in path.enumerated() where residuals[place] < least {
      (least, kept) = (residuals[place], index)
    }
    for place in path {
      residuals[place] -= least
      residuals[twins[place]] += least
    }
    return (least, kept)
  }

  // MARK: Results

  /// The edges along which something flows.
  func flows(_ work: GraphWork) throws(SQLError) -> GraphResult {
    try result(work, withFlow: true) { capacities[$1] > residuals[$1] }
  }

  /// The edges from those that nothing can flow from any more to those from which it can flow on to a target.
  func cut(_ work: GraphWork) throws(SQLError) -> GraphResult {
    try result(work, withFlow: false) { vertex, place in
      capacities[place] > 0 && levels[vertex] < 0 && levels[graph.neighbours[place]] >= 0
    }
  }

  private func result(
    _ work: GraphWork, withFlow: Bool, _ isWanted: (UInt32, Int) -> Bool
  ) throws(SQLError) -> GraphResult {
    var count = 0
    try forEachEdge(work) { if isWanted($0, $1) { count += 1 } }
    let rows = EdgeRows(try work.buffer(0, count: count), try work.buffer(0, count: count))
    let flows = try work.buffer(0.0, count: count)
    let limits = try work.buffer(0.0, count: count)
    try forEachEdge(work) { vertex, place in
      if !isWanted(vertex, place) { return }
      flows[rows.count] = capacities[place] - residuals[place]
      limits[rows.count] = capacities[place] < bound ? capacities[place] : .infinity
      rows.append(vertex, graph.neighbours[place])
    }
    return rows.result(withFlow ? [.double(flows), .double(limits)] : [.double(limits)])
  }

  private func forEachEdge(
    _ work: GraphWork, _ body: (UInt32, Int) -> Void
  ) throws(SQLError) {
    for number in 0..<graph.vertexCount {
      if number & 0xFFF == 0xFFF { try work.check() }
      let vertex = UInt32(truncatingIfNeeded: number)
      for place in graph.places(of: vertex) { body(vertex, place) }
    }
  }
}
