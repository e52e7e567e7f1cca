import Columnar
import Diagnostics

/// A search in breadth: how many edges away each vertex is from the nearest of some.
///
/// While few edges lead on, each vertex on the way looks where its own lead; while many do, each vertex not reached looks whether
/// one of them leads to it, which is done by all workers and ends at the first.
///
/// Source: S. Beamer, K. Asanović and D. Patterson, "Direction-Optimizing Breadth-First Search" (SC 2012).
///
/// - Complexity: O(vertices + edges); 8 bytes and a bit a vertex.
struct LevelSearch {
  private let work: GraphWork
  private let count: Int
  private var forward: GraphLists
  private var backward: GraphLists
  /// −1 for a vertex that was not reached.
  let depths: Buffer<Int32>
  /// The vertices reached, the nearest first.
  let order: Buffer<UInt32>
  private(set) var reached = 0
  /// Those reached last, where others look for them: none between two levels.
  private var frontier: VertexSet?

  /// Walks along `forward`; `backward` has the same edges against that.
  init(
    _ graph: GraphTopology, _ forward: GraphLists, _ backward: GraphLists, _ work: GraphWork
  ) throws(SQLError) {
    (self.forward, self.backward, self.work) = (forward, backward, work)
    count = graph.vertexCount
    depths = try work.buffer(Int32(-1), count: count)
    order = try work.buffer(UInt32(0), count: count)
  }

  /// Forgets what it has found, and walks along other lists.
  mutating func restart(along forward: GraphLists, against backward: GraphLists) {
    for place in 0..<reached { depths[order[place]] = -1 }
    reached = 0
    (self.forward, self.backward) = (forward, backward)
  }

  /// Looks for all vertices that can be reached by at most `limit` edges.
  ///
  /// - Throws: 57014, 53200.
  mutating func run(from sources: [UInt32], limit: Int32 = .max) throws(SQLError) {
    for vertex in sources where depths[vertex] < 0 {
      depths[vertex] = 0
      order[reached] = vertex
      reached += 1
    }
    var first = 0
    var depth: Int32 = 0
    var left = forward.edgeCount
    while first < reached, depth < limit {
      try work.check()
      let end = reached
      let edges = (first..<end).reduce(0) { $0 &+ forward.degree(of: order[$1]) }
      left -= edges
      if edges > left / 14, edges > count / 64 {
        try pull(first..<end, depth + 1)
      } else {
        try push(first..<end, depth)
      }
      first = end
      depth += 1
    }
  }

  /// Follows the edges of the vertices reached last.
  private mutating func push(_ frontier: Range<Int>, _ depth: Int32) throws(SQLError) {
    let (forward, depths, order) = (forward, depths, order)
    var count = reached
    for (number, place) in frontier.enumerated() {
      if number & 0xFFF == 0xFFF { try work.check() }
      forward.forEach(of: order[place]) { target in
        if depths[target] < 0 {
          depths[target] = depth + 1
          order[count] = target
          count += 1
        }
      }
    }
    reached = count
  }

  private mutating func room() throws(SQLError) -> VertexSet {
    if let frontier { return frontier }
    let made = try VertexSet(count, work)
    frontier = made
    return made
  }

  /// Looks from each vertex not reached whether one of the frontier leads to it.
  private mutating func pull(_ frontier: Range<Int>, _ depth: Int32) throws(SQLError) {
    let bits = try room()
    for place in frontier { bits.insert(order[place]) }
    let (lists, depths) = (backward, depths)
    let size = GraphWork.blockSize
    let counts = Buffer<Int>(zeroed: count / size + 1)
    try work.forEachBlock(count, size: size) { range in
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
    for block in 0..<counts.count where counts[block] > 0 {
      for place in block * size..<min((block + 1) * size, count) where depths[place] == depth {
        order[reached] = UInt32(truncatingIfNeeded: place)
        reached += 1
      }
    }
  }
}
