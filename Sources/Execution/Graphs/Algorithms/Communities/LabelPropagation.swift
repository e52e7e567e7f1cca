import Columnar
import Diagnostics

/// Communities, found by each vertex taking the label that most of its neighbours have, the least of several, all at once in each of
/// `iterations` rounds; `label` is the vertex whose label at the start it was.
///
/// A neighbour counts for each edge, and for both where edges lead both ways. It ends early when nothing changes.
///
/// Source: the LDBC Graphalytics benchmark specification (arXiv 2011.15028), CDLP; after U. N. Raghavan, R. Albert and S. Kumara,
/// "Near Linear Time Algorithm to Detect Community Structures in Large-Scale Networks" (Physical Review E 76, 2007).
///
/// - Complexity: O(edges) an iteration; 8 bytes a vertex and 4 a worker.
struct LabelPropagation: GraphAlgorithm {
  private let iterations: Int

  init(_ arguments: GraphArgumentValues) throws(SQLError) {
    iterations = arguments.integer(0)
    try arguments.require(iterations >= 0, "iterations must not be negative")
  }

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let labels = try labels(graph, work)
    var result = try GraphResult.groups(graph, work) { labels[$0] }
    result.columns.append(.vertex(labels))
    return result
  }

  /// The label that each vertex has in the end.
  private func labels(
    _ graph: GraphTopology, _ work: GraphWork
  ) throws(SQLError) -> Buffer<UInt32> {
    let count = graph.vertexCount
    var labels = try work.buffer(UInt32(0), count: count)
    var next = try work.buffer(UInt32(0), count: count)
    for vertex in 0..<count { labels[vertex] = UInt32(truncatingIfNeeded: vertex) }
    var votes: [Votes] = []
    for _ in 0..<work.workerCount { votes.append(try Votes(count, work)) }
    let own = votes
    for _ in 0..<iterations {
      let (old, new) = (labels, next)
      try work.forEachBlock(count, among: own) { votes, range in
        for vertex in range {
          new[vertex] = votes.winner(of: UInt32(truncatingIfNeeded: vertex), graph, old)
        }
      }
      (labels, next) = (new, old)
      if (0..<count).allSatisfy({ old[$0] == new[$0] }) { break }
    }
    return labels
  }

  /// The labels of one vertex' neighbours, of one worker.
  private final class Votes {
    private var labels: [UInt32] = []
    /// How many neighbours have each label; 0 between two vertices.
    private let counts: Buffer<UInt32>
    /// Labels of fewer edges are sorted, which touches less memory than counting.
    private static let sortedLimit = 24

    init(_ count: Int, _ work: GraphWork) throws(SQLError) {
      counts = try work.buffer(0, count: count)
    }

    func winner(of vertex: UInt32, _ graph: GraphTopology, _ known: Buffer<UInt32>) -> UInt32 {
      // In a variable of its own, as every access to one of an object is checked.
      var own: [UInt32] = []
      swap(&own, &labels)
      own.removeAll(keepingCapacity: true)
      graph.out.forEach(of: vertex) { own.append(known[$0]) }
      graph.into.forEach(of: vertex) { own.append(known[$0]) }
      let winner = own.count < Self.sortedLimit ? Self.first(&own) : counted(own)
      swap(&own, &labels)
      return winner ?? known[vertex]
    }

    /// The most frequent label of a few; nil where there is none.
    private static func first(_ labels: inout [UInt32]) -> UInt32? {
      if labels.isEmpty { return nil }
      labels.sort()
      var (best, most) = (labels[0], 0)
      var start = 0
      while start < labels.count {
        var end = start
        while end < labels.count, labels[end] == labels[start] { end += 1 }
        if end - start > most { (best, most) = (labels[start], end - start) }
        start = end
      }
      return best
    }

    private func counted(_ labels: [UInt32]) -> UInt32 {
      var most: UInt32 = 0
      for label in labels {
        counts[label] &+= 1
        most = max(most, counts[label])
      }
      var best = UInt32.max
      for label in labels where counts[label] == most { best = min(best, label) }
      for label in labels { counts[label] = 0 }
      return best
    }
  }
}
