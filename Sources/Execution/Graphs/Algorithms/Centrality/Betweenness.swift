import Columnar
import Diagnostics

/// On how many of the shortest ways between other vertices each vertex is: for each pair, as a share of their
/// shortest ways.
///
/// Normalised, it is the share of the pairs that there are; else a pair without direction counts once. With
/// `samples`, ways from that many vertices count, with `source` those from some vertices, and what they give is scaled
/// up. Of several edges between two vertices the lightest counts, loops do not.
///
/// Source: U. Brandes, "A Faster Algorithm for Betweenness Centrality" (Journal of Mathematical Sociology 25, 2001);
/// samples as in U. Brandes and C. Pich, "Centrality Estimation in Large Networks" (2007).
///
/// - Complexity: O(vertices · edges), for samples O(samples · edges), with weights O(log vertices) times that; 8
///   bytes a vertex for each of the `BatchSums`, 20 to 28 for each worker, and those of the `WalkedGraph`.
struct Betweenness: GraphAlgorithm {
  private let isNormalized: Bool
  private let samples: Int?
  private let seed: Int
  private let sources: [UInt32]?
  private let function: String

  init(_ arguments: GraphArgumentValues) throws(SQLError) {
    isNormalized = arguments.boolean(0)
    samples = arguments.isGiven(1) ? arguments.integer(1) : nil
    seed = arguments.integer(2)
    sources = arguments.isGiven(3) ? Set(try arguments.vertices(3)).sorted() : nil
    function = arguments.function
    try arguments.require((samples ?? 1) > 0, "samples must be above 0")
    try arguments.require(
      samples == nil || sources == nil, "samples and source cannot both be given")
  }

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    try work.require(.positive, of: graph, in: function)
    let count = graph.vertexCount
    let edges = try WalkedGraph(graph.walked, count, work)
    let sources = sources ?? graph.sampledVertices(samples, seed: seed)
    let sums = try BatchSums<Double>(count, sources: sources.count, work)
    var searches: [PathCounter] = []
    for _ in 0..<work.workerCount { searches.append(try PathCounter(edges, work)) }
    let context = work.context
    let isWeighted = edges.weights != nil
    try work.forEachBlock(sources.count, size: sums.stretchSize, among: searches) {
      (search, range) throws(SQLError) in
      let own = sums.of(range.lowerBound)
      for index in range {
        try isWeighted
          ? search.addByWeight(from: sources[index], to: own, context)
          : search.add(from: sources[index], to: own, context)
      }
    }
    let total = try sums.total(work)
    scale(total, graph, sources)
    return GraphResult(rows: .vertices, columns: [.double(total)])
  }

  /// Makes shares of sums, or what they would be for all sources; a vertex is on no way that begins at itself.
  private func scale(_ sums: Buffer<Double>, _ graph: GraphTopology, _ sources: [UInt32]) {
    let others = Double(graph.liveCount - 1)
    if others < 2 { return }
    let whole = isNormalized ? 1 / (others - 1) : others / (graph.isDirected ? 1 : 2)
    let isSource = Set(sources)
    for vertex in 0..<graph.vertexCount {
      let own = isSource.contains(UInt32(truncatingIfNeeded: vertex)) ? 1 : 0
      sums[vertex] *= sources.count > own ? whole / Double(sources.count - own) : 0
    }
  }
}
