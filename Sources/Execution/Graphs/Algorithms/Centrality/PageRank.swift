import Columnar
import Diagnostics

/// How likely a surfer is at each vertex who follows an edge with probability `damping` and else begins anew: anywhere, or
/// at one of `source`.
///
/// Who is at a vertex without edges begins anew. Ranks add up to 1. Each vertex pulls from those that lead to it, so that its sum
/// is made by one worker in one order. It ends when ranks change by less than `tolerance` a vertex on average.
///
/// Source: L. Page, S. Brin, R. Motwani and T. Winograd, "The PageRank Citation Ranking: Bringing Order to the Web" (1999).
///
/// - Complexity: O(edges) an iteration; 16 bytes a vertex, 24 with weights.
struct PageRank: GraphAlgorithm {
  private let damping: Double
  private let limits: IterationLimits
  private let sources: [UInt32]?

  init(_ arguments: GraphArgumentValues) throws(SQLError) {
    damping = arguments.double(0)
    limits = try IterationLimits(arguments, at: 1)
    try arguments.require(damping >= 0 && damping <= 1, "damping must be from 0 to 1")
    sources = arguments.isGiven(3) ? try arguments.vertices(3) : nil
  }

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let count = graph.vertexCount
    // Nobody begins at a vertex that is not there.
    if let sources, sources.isEmpty { return .none([.double(Buffer(uninitialized: 1))]) }
    let ranks = try work.buffer(0.0, count: count)
    let shares = try work.buffer(0.0, count: count)
    let strengths = try strengths(graph, work)
    let start = try starts(graph, work)
    for vertex in 0..<count { ranks[vertex] = start?[vertex] ?? uniform(graph, vertex) }
    for _ in 0..<limits.count {
      let lost = try work.sum(count) { range in
        share(ranks, into: shares, graph, strengths, range)
      }
      let base = 1 - damping + damping * lost
      let change = try work.sum(count) { range in
        pull(shares, into: ranks, graph, range) { base * (start?[$0] ?? uniform(graph, $0)) }
      }
      if change < limits.tolerance * Double(graph.liveCount) { break }
    }
    return GraphResult(rows: .vertices, columns: [.double(ranks)])
  }

  /// The share of a vertex where all are alike.
  private func uniform(_ graph: GraphTopology, _ vertex: Int) -> Double {
    graph.isVertex(UInt32(truncatingIfNeeded: vertex)) ? 1 / Double(graph.liveCount) : 0
  }

  /// The probability to begin at each vertex; nil where all are alike.
  private func starts(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> Buffer<Double>?
  {
    guard let sources else { return nil }
    let start = try work.buffer(0.0, count: graph.vertexCount)
    for vertex in sources { start[vertex] += 1 / Double(sources.count) }
    return start
  }

  /// The sum of the weights of each vertex' edges; nil where edges have none.
  private func strengths(
    _ graph: GraphTopology, _ work: GraphWork
  ) throws(SQLError) -> Buffer<Double>? {
    guard graph.walked.hasWeights else { return nil }
    let strengths = try work.buffer(0.0, count: graph.vertexCount)
    try work.require(.strength, of: graph, in: "pagerank")
    try work.forEachBlock(graph.vertexCount) { range in
      let walked = graph.walked
      for vertex in range {
        var sum = 0.0
        walked.forEachEdge(of: UInt32(truncatingIfNeeded: vertex)) { _, weight in sum += weight }
        strengths[vertex] = sum
      }
    }
    return strengths
  }

  /// What each vertex hands to each of its edges, for a weight of 1; gives the rank of those without edges.
  @inline(__always)
  private func share(
    _ ranks: Buffer<Double>, into shares: Buffer<Double>, _ graph: GraphTopology,
    _ strengths: Buffer<Double>?, _ range: Range<Int>
  ) -> Double {
    let walked = graph.walked
    var lost = 0.0
    for vertex in range {
      let strength =
        strengths?[vertex]
        ?? Double(walked.degree(of: UInt32(truncatingIfNeeded: vertex)))
      if strength > 0 {
        shares[vertex] = ranks[vertex] / strength
      } else {
        shares[vertex] = 0
        lost += ranks[vertex]
      }
    }
    return lost
  }

  /// The new ranks of a block; gives by how much they have changed.
  @inline(__always)
  private func pull(
    _ shares: Buffer<Double>, into ranks: Buffer<Double>, _ graph: GraphTopology,
    _ range: Range<Int>, _ base: (Int) -> Double
  ) -> Double {
    var change = 0.0
    let lists = graph.reversed
    let isWeighted = lists.hasWeights
    for vertex in range {
      var sum = 0.0
      let number = UInt32(truncatingIfNeeded: vertex)
      if isWeighted {
        lists.forEachEdge(of: number) { sum += shares[$0] * $1 }
      } else {
        lists.forEach(of: number) { sum += shares[$0] }
      }
      let rank = base(vertex) + damping * sum
      change += abs(rank - ranks[vertex])
      ranks[vertex] = rank
    }
    return change
  }
}
