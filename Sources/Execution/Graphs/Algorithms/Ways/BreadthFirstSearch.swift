import Columnar
import Diagnostics

/// How many edges away each vertex is from the nearest of `source`, and the vertex before it on a way of so many; vertices that
/// cannot be reached do not come.
///
/// The vertex before is looked for in the end, where it is wanted: so it is the same whichever way a vertex was reached.
///
/// Source: as for `LevelSearch`.
///
/// - Complexity: O(vertices + edges); 8 bytes and a bit a vertex, and 4 more for `parent`.
struct BreadthFirstSearch: GraphAlgorithm {
  private let sources: [UInt32]
  private let limit: Int32
  private let givesParents: Bool

  init(_ arguments: GraphArgumentValues) throws(SQLError) {
    sources = try arguments.vertices(0)
    limit = arguments.isGiven(1) ? Int32(truncatingIfNeeded: arguments.integer(1)) : .max
    givesParents = !arguments.unused.contains("parent")
    try arguments.require(limit >= 0, "max_depth must not be negative")
  }

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    var search = try LevelSearch(graph, graph.walked, graph.reversed, work)
    try search.run(from: sources, limit: limit)
    let count = search.reached
    let found = Buffer<Int32>(uninitialized: max(1, count))
    for row in 0..<count { found[row] = search.depths[search.order[row]] }
    let parents = try parents(graph, work, search.depths, search.order, count: count)
    return GraphResult(
      rows: .listed([search.order], count: count), columns: [.integer(found), .vertex(parents)])
  }

  /// For each row the first vertex one edge nearer that leads to the row's.
  private func parents(
    _ graph: GraphTopology, _ work: GraphWork, _ depths: Buffer<Int32>, _ order: Buffer<UInt32>,
    count: Int
  ) throws(SQLError) -> Buffer<UInt32> {
    let parents = try work.buffer(UInt32.max, count: givesParents ? count : 0)
    let lists = graph.reversed
    try work.forEachBlock(givesParents ? count : 0) { range in
      for row in range {
        let nearer = depths[order[row]] &- 1
        if nearer < 0 { continue }
        parents[row] = lists.first(of: order[row]) { depths[$0] == nearer } ?? .max
      }
    }
    return parents
  }
}
