import Columnar
import Diagnostics

/// How likely a surfer is at each vertex who follows an edge with probability `damping` and else begins anew: anywhere, or
/// at one of `source`.
///
/// Who is at a vertex without edges begins anew. Ranks add up to 1. Each vertex pulls from those that lead to it, so that its sum
/// is made by one worker in one order. It ends when ranks change by less than `tolerance` a vertex on average.
///
/// What is kept of a vertex is what it hands to each edge, and by how much that changes while others still pull the old number. Without
/// weights the change has half as many digits: it is wrong by less than a ten-millionth of itself, which is nothing beside what later
/// rounds would change, and comes to nothing as ranks settle.
///
/// Source: L. Page, S. Brin, R. Motwani and T. Winograd, "The PageRank Citation Ranking: Bringing Order to the Web" (1999).
///
/// - Complexity: O(edges) an iteration; 12 bytes a vertex, 24 with weights.
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
    let surfers = Surfers(
      graph: graph, damping: damping, shares: try work.buffer(0.0, count: count),
      strengths: try strengths(graph, work), start: try starts(graph, work))
    // Weights can be so small that shares are larger than those numbers go.
    if surfers.strengths == nil {
      try walk(surfers, Float.self, work)
    } else {
      try walk(surfers, Double.self, work)
    }
    try work.forEachBlock(count) { range in surfers.makeRanks(range) }
    return GraphResult(rows: .vertices, columns: [.double(surfers.shares)])
  }

  private func walk<Change: BinaryFloatingPoint & BitwiseCopyable & Sendable>(
    _ surfers: Surfers, _ type: Change.Type, _ work: GraphWork
  ) throws(SQLError) {
    let count = surfers.graph.vertexCount
    let changes = try work.buffer(Change.zero, count: count)
    let rooms = (0..<work.workerCount).map { _ in
      Buffer<Double>(uninitialized: GraphWork.blockSize)
    }
    var lost = try work.sum(count) { range in surfers.begin(range) }
    for _ in 0..<limits.count {
      let base = 1 - damping + damping * lost
      let sums = try work.sums(count, among: rooms) { room, range in
        surfers.pull(range, into: room)
        return surfers.change(range, base, room, changes)
      }
      try work.forEachBlock(count) { range in
        for vertex in range {
          surfers.shares[vertex] = Surfers.sum(surfers.shares[vertex], changes[vertex])
        }
      }
      lost = sums[1]
      if sums[0] < limits.tolerance * Double(surfers.graph.liveCount) { break }
    }
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
}

/// The graph, and what is known of who is where.
private struct Surfers: Sendable {
  let graph: GraphTopology
  let damping: Double
  /// What each vertex hands to an edge of weight 1; the rank of one without edges.
  let shares: Buffer<Double>
  /// The sum of the weights of each vertex' edges; nil where edges have none.
  let strengths: Buffer<Double>?
  /// The probability to begin at each vertex; nil where all are alike.
  let start: Buffer<Double>?

  /// Among how many edges of weight 1 a rank is divided; 0 for none.
  @inline(__always)
  private func strength(_ vertex: Int) -> Double {
    strengths?[vertex] ?? Double(graph.walked.degree(of: UInt32(truncatingIfNeeded: vertex)))
  }

  @inline(__always)
  private func beginning(_ vertex: Int) -> Double {
    if let start { return start[vertex] }
    return graph.isVertex(UInt32(truncatingIfNeeded: vertex)) ? 1 / Double(graph.liveCount) : 0
  }

  /// Lets surfers begin in a block; gives the sum of the ranks of those without edges.
  @inline(__always)
  func begin(_ range: Range<Int>) -> Double {
    var lost = 0.0
    for vertex in range {
      let (rank, strength) = (beginning(vertex), strength(vertex))
      shares[vertex] = strength > 0 ? rank / strength : rank
      if !(strength > 0) { lost += rank }
    }
    return lost
  }

  /// Adds up what the vertices of a block are handed.
  ///
  /// Nothing else is in the loop, so that many shares are on their way from memory at the same time.
  @inline(__always)
  func pull(_ range: Range<Int>, into sums: Buffer<Double>) {
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
      sums[vertex &- range.lowerBound] = sum
    }
  }

  /// By how much the shares of a block change; gives by how much its ranks do, and the sum of the new ranks of those without edges.
  @inline(__always)
  func change<Change: BinaryFloatingPoint & BitwiseCopyable>(
    _ range: Range<Int>, _ base: Double, _ sums: Buffer<Double>, _ changes: Buffer<Change>
  ) -> SIMD2<Double> {
    var (change, lost) = (0.0, 0.0)
    for vertex in range {
      let rank = base * beginning(vertex) + damping * sums[vertex &- range.lowerBound]
      let strength = strength(vertex)
      let old = shares[vertex]
      if strength > 0 {
        changes[vertex] = Change(rank / strength - old)
        change += abs(rank - old * strength)
      } else {
        changes[vertex] = Change(rank - old)
        change += abs(rank - old)
        lost += Self.sum(old, changes[vertex])
      }
    }
    return SIMD2(change, lost)
  }

  /// A share after a change; one that comes down to nothing is not less for the digits that the change lacks.
  @inline(__always)
  static func sum<Change: BinaryFloatingPoint>(_ share: Double, _ change: Change) -> Double {
    max(0, share + Double(change))
  }

  /// Puts ranks in the place of shares.
  @inline(__always)
  func makeRanks(_ range: Range<Int>) {
    for vertex in range {
      let strength = strength(vertex)
      if strength > 0 { shares[vertex] *= strength }
    }
  }
}
