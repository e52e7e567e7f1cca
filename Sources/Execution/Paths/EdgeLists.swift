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

  /// Hands over all edges of a vertex: the neighbours, the edges' rows, perhaps packed, and how many they are.
  ///
  /// A neighbour may be `TableStore.noRow`.
  @inline(__always)
  func forEachRun(
    of vertex: UInt32,
    _ body: (Buffer<UInt32>, NumberStretch, Int) throws(SQLError) -> Void
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
        let rows = run.positions(at: .row)
        try body(rows, NumberStretch(rows), run.count)
      }
    case .references(let index, let table, let reference):
      let list = index.neighbours(of: vertex)
      for number in 0..<list.runCount {
        let run = list.run(number)
        let rows = run.positions(at: .row)
        try body(
          table.parents(of: rows, count: run.count, reference: reference), run.rows, run.count)
      }
    case .parent(let table, let reference):
      let rows = Buffer<UInt32>(repeating: vertex, count: 1)
      try body(
        table.parents(of: rows, count: 1, reference: reference), NumberStretch(rows), 1)
    case .gathered(let edges):
      let range = edges.range(of: vertex)
      if range.isEmpty { return }
      try body(
        edges.targets.slice(range), NumberStretch(edges.rows.slice(range)), range.count)
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

  /// - Parameters:
  ///   - chunks: The columns are the edge's row, its source's and its destination's.
  ///   - isReversed: Whether edges are walked from their destination.
  ///   - vertexCount: Positions of first vertices are below this.
  /// - Complexity: O(edges + vertices): a counting sort.
  init(_ chunks: [DataChunk], isReversed: Bool, vertexCount: Int) {
    let count = chunks.reduce(0) { $0 + $1.count }
    self.vertexCount = vertexCount
    offsets = Buffer(zeroed: vertexCount + 2)
    targets = Buffer(uninitialized: max(count, 1))
    rows = Buffer(uninitialized: max(count, 1))
    let (first, second) = isReversed ? (2, 1) : (1, 2)
    // Counted two places further on, so that filling moves each start to where its vertex begins.
    for chunk in chunks {
      let from = chunk.columns[first].flattened().values(UInt32.self)
      for row in 0..<chunk.count { offsets[Int(from[row]) &+ 2] &+= 1 }
    }
    for vertex in 0..<vertexCount { offsets[vertex &+ 2] &+= offsets[vertex &+ 1] }
    for chunk in chunks {
      let edge = chunk.columns[0].flattened().values(UInt32.self)
      let from = chunk.columns[first].flattened().values(UInt32.self)
      let to = chunk.columns[second].flattened().values(UInt32.self)
      for row in 0..<chunk.count {
        let place = offsets[Int(from[row]) &+ 1]
        offsets[Int(from[row]) &+ 1] = place &+ 1
        targets[place] = to[row]
        rows[place] = edge[row]
      }
    }
  }

  func range(of vertex: UInt32) -> Range<Int> {
    Int(vertex) < vertexCount ? Int(offsets[vertex])..<Int(offsets[vertex &+ 1]) : 0..<0
  }
}
