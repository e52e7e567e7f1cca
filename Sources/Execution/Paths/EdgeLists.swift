import Columnar
import Diagnostics
import Planning
import Storage

/// The edges of one table in one direction, in one version of the database.
enum EdgeLists: Sendable {
  /// An index from vertices to their neighbours, with the edges' rows.
  case neighbours(AdjacencyIndex)
  /// An index from vertices to edges, each of which refers to a neighbour.
  case references(AdjacencyIndex, TableStore, Int)
  /// The edges are the children of a vertex.
  case children(AdjacencyIndex)
  /// The edge is the vertex, and refers to the neighbour.
  case parent(TableStore, Int)
  /// Edges that were gathered for the run.
  case gathered(GatheredEdges)
  /// One edge for each vertex: what it leads to, and its row.
  case single(targets: Buffer<UInt32>, rows: Buffer<UInt32>)

  /// Hands over all edges of a vertex: the neighbours, the edges' rows and how many they are.
  ///
  /// A neighbour may be `TableStore.noRow`.
  @inline(__always)
  func forEachRun(
    of vertex: UInt32,
    _ body: (Buffer<UInt32>, Buffer<UInt32>, Int) throws(SQLError) -> Void
  ) throws(SQLError) {
    switch self {
    case .neighbours(let index):
      let list = index.neighbours(of: vertex)
      for number in 0..<list.runCount {
        let run = list.run(number)
        try body(run.targets, run.rows, run.count)
      }
    case .children(let index):
      let list = index.neighbours(of: vertex)
      for number in 0..<list.runCount {
        let run = list.run(number)
        try body(run.rows, run.rows, run.count)
      }
    case .references(let index, let table, let reference):
      let list = index.neighbours(of: vertex)
      for number in 0..<list.runCount {
        let run = list.run(number)
        try body(
          table.parents(of: run.rows, count: run.count, reference: reference), run.rows, run.count)
      }
    case .parent(let table, let reference):
      let rows = Buffer<UInt32>(repeating: vertex, count: 1)
      try body(table.parents(of: rows, count: 1, reference: reference), rows, 1)
    case .gathered(let edges):
      let range = edges.range(of: vertex)
      if range.isEmpty { return }
      try body(edges.targets.slice(range), edges.rows.slice(range), range.count)
    case .single(let targets, let rows):
      let range = Int(vertex)..<(Int(vertex) &+ 1)
      try body(targets.slice(range), rows.slice(range), 1)
    }
  }
}

/// Edges that no index leads along, by their first vertex: a compressed list made for one run.
struct GatheredEdges: Sendable {
  /// Where the edges of each vertex start; one entry more than there are vertices.
  private let offsets: Buffer<UInt32>
  let targets: Buffer<UInt32>
  let rows: Buffer<UInt32>
  private let vertexCount: Int

  /// Edges by their rows, `count` of them; their first vertices, all below `vertexCount`; and what they lead to.
  ///
  /// - Complexity: O(edges + vertices): a counting sort.
  init(
    _ edges: Buffer<UInt32>, from: Buffer<UInt32>, to: Buffer<UInt32>, count: Int, vertexCount: Int
  ) {
    self.vertexCount = vertexCount
    offsets = Buffer(zeroed: vertexCount + 2)
    targets = Buffer(uninitialized: max(count, 1))
    rows = Buffer(uninitialized: max(count, 1))
    // Counted two places further on, so that filling moves each start to where its vertex begins.
    for row in 0..<count { offsets[Int(from[row]) &+ 2] &+= 1 }
    for vertex in 0..<vertexCount { offsets[vertex &+ 2] &+= offsets[vertex &+ 1] }
    for row in 0..<count {
      let place = offsets[Int(from[row]) &+ 1]
      offsets[Int(from[row]) &+ 1] = place &+ 1
      targets[place] = to[row]
      rows[place] = edges[row]
    }
  }

  func range(of vertex: UInt32) -> Range<Int> {
    Int(vertex) < vertexCount ? Int(offsets[vertex])..<Int(offsets[vertex &+ 1]) : 0..<0
  }
}
