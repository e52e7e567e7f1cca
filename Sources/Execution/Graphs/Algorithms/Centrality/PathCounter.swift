import Columnar
import Diagnostics

/// Counts the shortest ways from one vertex, and what share of those to others each vertex is on; each worker has its
/// own.
///
/// No predecessors are kept: on the way back, each vertex looks again at its edges for those that lead one step
/// further.
final class PathCounter {
  /// What is known of a vertex; all of it in one line of the cache.
  private struct Reach: BitwiseCopyable {
    /// The number of shortest ways to it; on the way back, what each of them brings to the vertex before it.
    var value = 0.0
    var cost = Double.infinity
    /// When it was reached for good, or how many edges away it is.
    var place = Int32.max
  }

  private let edges: WalkedGraph
  private let reaches: Buffer<Reach>
  private let order: Buffer<UInt32>
  private var queue = CostQueue()
  /// The worker's own, for the queue.
  private let account = MemoryAccount()

  init(_ edges: WalkedGraph, _ work: GraphWork) throws(SQLError) {
    account.reset(work.context)
    self.edges = edges
    reaches = try work.buffer(Reach(), count: edges.vertexCount)
    order = try work.buffer(UInt32(0), count: edges.vertexCount)
  }

  /// Adds to each vertex the share of ways from `source` that lead on from it, by the number of edges.
  func add(
    from source: UInt32, to sums: Buffer<Double>, _ context: ExecutionContext
  ) throws(SQLError) {
    let (edges, reaches, order) = (edges, reaches, order)
    order[0] = source
    reaches[source].value = 1
    reaches[source].place = 0
    var (first, reached) = (0, 1)
    while first < reached {
      if first & 0xFFF == 0xFFF { try context.check() }
      let vertex = order[first]
      first &+= 1
      let (next, count) = (reaches[vertex].place &+ 1, reaches[vertex].value)
      for place in edges.places(of: vertex) {
        let target = edges.targets[place]
        let depth = reaches[target].place
        if depth == .max {
          reaches[target].place = next
          reaches[target].value = count
          order[reached] = target
          reached &+= 1
        } else if depth == next {
          reaches[target].value += count
        }
      }
    }
    for index in (0..<reached).reversed() {
      if index & 0xFFF == 0xFFF { try context.check() }
      let vertex = order[index]
      let next = reaches[vertex].place &+ 1
      var sum = 0.0
      for place in edges.places(of: vertex) {
        let target = edges.targets[place]
        if reaches[target].place == next { sum += reaches[target].value }
      }
      if index > 0 { try leave(vertex, sum, sums) }
    }
    for index in 0..<reached { reaches[order[index]] = Reach() }
  }

  /// The same by the weights of edges, which are above 0.
  func addByWeight(
    from source: UInt32, to sums: Buffer<Double>, _ context: ExecutionContext
  ) throws(SQLError) {
    guard let weights = edges.weights else { return }
    let (edges, reaches, order) = (edges, reaches, order)
    reaches[source].value = 1
    reaches[source].cost = 0
    queue.begin(with: source)
    var reached = 0
    while let (vertex, cost) = queue.pop() {
      // Left behind by a cheaper way.
      if cost > reaches[vertex].cost { continue }
      if reached & 0xFFF == 0xFFF {
        try context.check()
        try account.set(queue.byteCount)
      }
      order[reached] = vertex
      reaches[vertex].place = Int32(truncatingIfNeeded: reached)
      reached += 1
      let count = reaches[vertex].value
      for place in edges.places(of: vertex) {
        let target = edges.targets[place]
        let (sum, known) = (cost + weights[place], reaches[target].cost)
        if sum < known {
          reaches[target].cost = sum
          reaches[target].value = count
          queue.push(target, sum)
        } else if sum == known, sum < .infinity, reaches[target].place == .max {
          reaches[target].value += count
        }
      }
    }
    for index in (0..<reached).reversed() {
      if index & 0xFFF == 0xFFF { try context.check() }
      let vertex = order[index]
      let (own, cost) = (reaches[vertex].place, reaches[vertex].cost)
      var sum = 0.0
      for place in edges.places(of: vertex) {
        let target = edges.targets[place]
        if reaches[target].place > own, reaches[target].cost == cost + weights[place],
          reaches[target].place < .max
        {
          sum += reaches[target].value
        }
      }
      if index > 0 { try leave(vertex, sum, sums) }
    }
    for index in 0..<reached { reaches[order[index]] = Reach() }
  }

  /// Notes what ways on from a vertex bring to it.
  ///
  /// - Throws: 22003 where there are more shortest ways than can be counted.
  @inline(__always)
  private func leave(
    _ vertex: UInt32, _ sum: Double, _ sums: Buffer<Double>
  ) throws(SQLError) {
    let count = reaches[vertex].value
    if count == .infinity {
      throw SQLError(
        .numericOutOfRange, "there are more than 1e308 shortest ways between two vertices")
    }
    let dependency = count * sum
    sums[vertex] += dependency
    reaches[vertex].value = (1 + dependency) / count
  }
}
