import Columnar
import Diagnostics

/// How many edges away each vertex is from the nearest of `source`, and the vertex before it on a way of so many; vertices that
/// cannot be reached do not come.
///
/// While few edges lead on, each vertex on the way looks where its own lead; while many do, each vertex not reached looks whether
/// one of them leads to it, which is done by all workers and ends at the first. The vertex before is looked for in the end, where it is
/// wanted: so it is the same whichever way a vertex was reached.
///
/// Source: S. Beamer, K. Asanović and D. Patterson, "Direction-Optimizing Breadth-First Search" (SC 2012).
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
    let depths = try work.buffer(Int32(-1), count: graph.vertexCount)
    let order = try work.buffer(UInt32(0), count: graph.vertexCount)
    var reached = 0
    for vertex in sources where depths[vertex] < 0 {
      depths[vertex] = 0
      order[reached] = vertex
      reached += 1
    }
    var first = 0
    var depth: Int32 = 0
    var frontier: VertexSet?
    func bits() throws(SQLError) -> VertexSet {
      if let frontier { return frontier }
      let made = try VertexSet(graph.vertexCount, work)
      frontier = made
      return made
    }
    var left = graph.walked.edgeCount
    while first < reached, depth < limit {
      try work.check()
      let end = reached
      let edges = (first..<end).reduce(0) { $0 &+ graph.walked.degree(of: order[$1]) }
      left -= edges
      if edges > left / 14, edges > graph.vertexCount / 64 {
        reached = try pull(graph, work, depths, order, first..<end, into: bits(), depth + 1)
      } else {
        try push(graph, work, depths, order, depth, first..<end, &reached)
      }
      first = end
      depth += 1
    }
    let found = Buffer<Int32>(uninitialized: max(1, reached))
    for row in 0..<reached { found[row] = depths[order[row]] }
    let parents = try parents(graph, work, depths, order, count: reached)
    return GraphResult(
      rows: .listed([order], count: reached), columns: [.integer(found), .vertex(parents)])
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

  /// Follows the edges of the vertices reached last.
  private func push(
    _ graph: GraphTopology, _ work: GraphWork, _ depths: Buffer<Int32>, _ order: Buffer<UInt32>,
    _ depth: Int32, _ frontier: Range<Int>, _ reached: inout Int
  ) throws(SQLError) {
    let walked = graph.walked
    var count = reached
    for (number, place) in frontier.enumerated() {
      if number & 0xFFF == 0xFFF { try work.check() }
      walked.forEach(of: order[place]) { target in
        if depths[target] < 0 {
          depths[target] = depth + 1
          order[count] = target
          count += 1
        }
      }
    }
    reached = count
  }

  /// Looks from each vertex not reached whether one of the frontier leads to it.
  private func pull(
    _ graph: GraphTopology, _ work: GraphWork, _ depths: Buffer<Int32>, _ order: Buffer<UInt32>,
    _ frontier: Range<Int>, into bits: VertexSet, _ depth: Int32
  ) throws(SQLError) -> Int {
    for place in frontier { bits.insert(order[place]) }
    let lists = graph.reversed
    let size = GraphWork.blockSize
    let counts = Buffer<Int>(zeroed: graph.vertexCount / size + 1)
    try work.forEachBlock(graph.vertexCount, size: size) { range in
      var count = 0
      for place in range where depths[place] < 0 {
        let vertex = UInt32(truncatingIfNeeded: place)
        if lists.first(of: vertex, where: { bits.contains($0) }) != nil {
          depths[place] = depth
          count += 1
        }
      }
      counts[range.lowerBound / size] = count
    }
    for place in frontier { bits.remove(order[place]) }
    var next = frontier.upperBound
    for block in 0..<counts.count where counts[block] > 0 {
      for place in block * size..<min((block + 1) * size, graph.vertexCount)
      where depths[place] == depth {
        order[next] = UInt32(truncatingIfNeeded: place)
        next += 1
      }
    }
    return next
  }
}
