import Columnar
import Diagnostics

/// What the cheapest ways from one vertex after another cost, as Dijkstra finds them, or without weights in the
/// breadth; each worker has its own.
final class CostSearch {
  private let edges: WalkedGraph
  private let costs: Buffer<Double>
  private let order: Buffer<UInt32>
  private var queue = CostQueue()
  /// The worker's own, for the queue.
  private let account = MemoryAccount()

  init(_ edges: WalkedGraph, _ work: GraphWork) throws(SQLError) {
    account.reset(work.context)
    self.edges = edges
    costs = try work.buffer(.infinity, count: edges.vertexCount)
    order = try work.buffer(0, count: edges.vertexCount)
  }

  /// Hands over the vertices that can be reached, by rising cost.
  @inline(__always)
  func run(
    from source: UInt32, _ context: ExecutionContext, _ body: (UInt32, Double) -> Void
  ) throws(SQLError) {
    guard let weights = edges.weights else {
      return try runInBreadth(from: source, context, body)
    }
    let (edges, costs) = (edges, costs)
    costs[source] = 0
    queue.begin(with: source)
    var reached = 0
    while let (vertex, cost) = queue.pop() {
      // Left behind by a cheaper way.
      if cost > costs[vertex] { continue }
      if reached & 0xFFF == 0xFFF {
        try context.check()
        try account.set(queue.byteCount)
      }
      order[reached] = vertex
      reached += 1
      body(vertex, cost)
      for place in edges.places(of: vertex) {
        let target = edges.targets[place]
        let sum = cost + weights[place]
        if sum < costs[target] {
          costs[target] = sum
          queue.push(target, sum)
        }
      }
    }
    for place in 0..<reached { costs[order[place]] = .infinity }
  }

  @inline(__always)
  private func runInBreadth(
    from source: UInt32, _ context: ExecutionContext, _ body: (UInt32, Double) -> Void
  ) throws(SQLError) {
    let (edges, costs, order) = (edges, costs, order)
    costs[source] = 0
    order[0] = source
    var (first, reached) = (0, 1)
    while first < reached {
      if first & 0xFFF == 0xFFF { try context.check() }
      let vertex = order[first]
      first &+= 1
      let cost = costs[vertex]
      body(vertex, cost)
      for place in edges.places(of: vertex) {
        let target = edges.targets[place]
        if costs[target] < .infinity { continue }
        costs[target] = cost + 1
        order[reached] = target
        reached &+= 1
      }
    }
    for place in 0..<reached { costs[order[place]] = .infinity }
  }
}
