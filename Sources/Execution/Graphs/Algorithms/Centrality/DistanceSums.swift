import Columnar
import Diagnostics

/// How many vertices can reach each vertex, and a sum over the lengths of their shortest ways to it.
///
/// Without weights, 256 searches go at the same time, one for each bit of a set: each step along an edge is a step of
/// all of them, and at a vertex the sum grows by how many searches have come to it. So the ways are counted where
/// they end, and no search needs a count of its own.
///
/// Source: M. Then et al., "The More the Merrier: Efficient Multi-Source Graph Traversal" (VLDB 2014).
///
/// - Complexity: O(vertices · edges), with weights O(log vertices) times that; without weights up to 256 times less.
///   16 bytes a vertex for each of the `BatchSums`, and 104 for each worker; with weights 16, and 12 for each worker.
///   Also those of the `WalkedGraph`.
struct DistanceSums: AdditiveArithmetic, BitwiseCopyable, Sendable {
  /// Other vertices that can reach it.
  var count = 0.0
  var sum = 0.0

  static let zero = DistanceSums()

  static func + (left: DistanceSums, right: DistanceSums) -> DistanceSums {
    DistanceSums(count: left.count + right.count, sum: left.sum + right.sum)
  }

  static func - (left: DistanceSums, right: DistanceSums) -> DistanceSums {
    DistanceSums(count: left.count - right.count, sum: left.sum - right.sum)
  }

  /// The sums of what `value` gives for each length.
  static func make(
    _ graph: GraphTopology, _ work: GraphWork, _ value: @escaping @Sendable (Double) -> Double
  ) throws(SQLError) -> Buffer<DistanceSums> {
    graph.walked.hasWeights
      ? try byWeight(graph, work, value) : try byCount(graph, work, value)
  }

  private static func byCount(
    _ graph: GraphTopology, _ work: GraphWork, _ value: @escaping @Sendable (Double) -> Double
  ) throws(SQLError) -> Buffer<DistanceSums> {
    let edges = try WalkedGraph(graph.walked, graph.vertexCount, work)
    let sources = graph.sampledVertices(nil, seed: 0)
    let unit = JointSearch.width
    let sums = try BatchSums<DistanceSums>(
      graph.vertexCount, sources: sources.count, multipleOf: unit, work)
    var searches: [JointSearch] = []
    for _ in 0..<work.workerCount { searches.append(try JointSearch(edges, work)) }
    let context = work.context
    try work.forEachBlock(sources.count, size: sums.stretchSize, among: searches) {
      (search, range) throws(SQLError) in
      for start in stride(from: range.lowerBound, to: range.upperBound, by: unit) {
        try search.add(
          from: sources[start..<min(start + unit, range.upperBound)],
          to: sums.of(range.lowerBound), context, value)
      }
    }
    return try sums.total(work)
  }

  private static func byWeight(
    _ graph: GraphTopology, _ work: GraphWork, _ value: @escaping @Sendable (Double) -> Double
  ) throws(SQLError) -> Buffer<DistanceSums> {
    let edges = try WalkedGraph(graph.reversed, graph.vertexCount, work)
    let sums = try work.buffer(zero, count: graph.vertexCount)
    var searches: [CostSearch] = []
    for _ in 0..<work.workerCount { searches.append(try CostSearch(edges, work)) }
    let context = work.context
    try work.forEachBlock(graph.vertexCount, size: 16, among: searches) {
      (search, range) throws(SQLError) in
      for vertex in range where graph.isVertex(UInt32(truncatingIfNeeded: vertex)) {
        var own = zero
        try search.run(from: UInt32(truncatingIfNeeded: vertex), context) { target, cost in
          own.count += 1
          own.sum += value(cost)
        }
        // Itself, whose way is of length 0.
        own.count -= 1
        sums[vertex] = own
      }
    }
    return sums
  }
}

/// Searches from many vertices at the same time; each worker has its own.
final class JointSearch {
  private typealias Bits = SIMD4<UInt64>

  /// How many searches there can be.
  static let width = 256

  /// Which searches have been at a vertex, and which come to it in this step; both in one line of the cache.
  private struct Visits: BitwiseCopyable {
    var seen = Bits.zero
    var next = Bits.zero
  }

  private let edges: WalkedGraph
  private let visits: Buffer<Visits>
  /// The searches that came to a vertex in the step before.
  private let arrived: Buffer<SIMD4<UInt64>>
  /// The vertices that some search came to in the step before, and in this one.
  private var frontier: Buffer<UInt32>
  private var reached: Buffer<UInt32>

  init(_ edges: WalkedGraph, _ work: GraphWork) throws(SQLError) {
    self.edges = edges
    visits = try work.buffer(Visits(), count: edges.vertexCount)
    arrived = try work.buffer(.zero, count: edges.vertexCount)
    frontier = try work.buffer(0, count: edges.vertexCount)
    reached = try work.buffer(0, count: edges.vertexCount)
  }

  /// Adds to each vertex what `value` gives for the length of the way from each source.
  func add(
    from sources: ArraySlice<UInt32>, to sums: Buffer<DistanceSums>, _ context: ExecutionContext,
    _ value: (Double) -> Double
  ) throws(SQLError) {
    let (visits, arrived) = (visits, arrived)
    var found = 0
    visits.fill(0..<edges.vertexCount, with: Visits())
    for (number, source) in sources.enumerated() {
      visits[source].seen[number / 64] |= 1 &<< UInt64(truncatingIfNeeded: number % 64)
      arrived[source] = visits[source].seen
      frontier[found] = source
      found += 1
    }
    var length = 0.0
    while found > 0 {
      length += 1
      found = try step(found, context)
      swap(&frontier, &reached)
      let own = value(length)
      for place in 0..<found {
        let vertex = frontier[place]
        let new = visits[vertex].next
        visits[vertex].seen |= new
        visits[vertex].next = .zero
        arrived[vertex] = new
        let count = Double(
          new[0].nonzeroBitCount &+ new[1].nonzeroBitCount &+ new[2].nonzeroBitCount
            &+ new[3].nonzeroBitCount)
        sums[vertex].count += count
        sums[vertex].sum += count * own
      }
    }
  }

  /// Goes one edge on from each vertex of the frontier; gives how many vertices were reached.
  private func step(_ count: Int, _ context: ExecutionContext) throws(SQLError) -> Int {
    let (edges, visits, arrived) = (edges, visits, arrived)
    let (frontier, reached) = (frontier, reached)
    var found = 0
    for place in 0..<count {
      if place & 0xFFF == 0xFFF { try context.check() }
      let vertex = frontier[place]
      let own = arrived[vertex]
      for place in edges.places(of: vertex) {
        let target = edges.targets[place]
        let visit = visits[target]
        let new = own & ~visit.seen
        if Self.isEmpty(new) { continue }
        if Self.isEmpty(visit.next) {
          reached[found] = target
          found &+= 1
        }
        visits[target].next = visit.next | new
      }
    }
    return found
  }

  @inline(__always)
  private static func isEmpty(_ bits: SIMD4<UInt64>) -> Bool {
    let half = bits.lowHalf | bits.highHalf
    return half.x | half.y == 0
  }
}
