import Columnar
import Diagnostics

/// How many edges away each vertex is from the nearest of `source`; vertices that cannot be reached do not come.
///
/// While few vertices are on the way, each looks where its edges lead; while many are, each vertex not reached looks whether
/// one of them leads to it, which is done by all workers and ends at the first.
///
/// Source: S. Beamer, K. Asanović and D. Patterson, "Direction-Optimizing Breadth-First Search" (SC 2012).
///
/// - Complexity: O(vertices + edges); 8 bytes and a bit a vertex.
struct BreadthFirstSearch: GraphAlgorithm {
  private let sources: [UInt32]
  private let limit: Int32

  init(_ arguments: GraphArgumentValues) throws(SQLError) {
    sources = try arguments.vertices(0)
    limit = arguments.isGiven(1) ? Int32(truncatingIfNeeded: arguments.integer(1)) : .max
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
    while first < reached, depth < limit {
      try work.check()
      let end = reached
      if end - first > graph.liveCount / 16 {
        reached = try pull(graph, work, depths, order, first..<end, into: bits(), depth + 1)
      } else {
        try push(graph, work, depths, order, depth, first..<end, &reached)
      }
      first = end
      depth += 1
    }
    let found = Buffer<Int32>(uninitialized: max(1, reached))
    for row in 0..<reached { found[row] = depths[order[row]] }
    return GraphResult(rows: .listed([order], count: reached), columns: [.integer(found)])
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
        if lists.leads(to: UInt32(truncatingIfNeeded: place), from: { bits.contains($0) }) {
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
