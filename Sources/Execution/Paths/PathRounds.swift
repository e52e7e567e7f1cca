import Columnar
import Planning

/// What one time of a repeated part can be, where that was computed beforehand: its edges and the vertices between them.
struct PathRounds: Sendable {
  /// The entry of the plan's links that gave them.
  let link: Int
  let count: Int
  /// The rows of the edges of each, in the order in which they are walked.
  let edges: [Buffer<UInt32>]
  /// The positions of the first vertex and of what each edge leads to.
  private let vertices: [Buffer<UInt32>]
  /// The number of the first vertex of the table that each edge leads to.
  private let bases: [UInt32]
  /// The number that they have behind the tables of vertices.
  var table = 0

  /// Those of a segment, of what the plan's links gave: positions of the first vertex, an edge, a vertex and so on.
  ///
  /// `bases` has the number of the first vertex of each table.
  static func all(
    of segment: PathSegment, _ links: [[DataChunk]], bases: [UInt32]
  ) -> [PathRounds] {
    var found: [PathRounds] = []
    for hop in segment.hops.first ?? [] {
      guard case .round(let link, _, let isReversed) = hop.access else { continue }
      var own: [UInt32] = []
      for hops in segment.hops {
        for other in hops {
          if case .round(link, _, _) = other.access { own.append(bases[other.to]) }
        }
      }
      found.append(
        PathRounds(link, links[link], isReversed: isReversed, width: own.count, bases: own))
    }
    return found
  }

  private init(
    _ link: Int, _ chunks: [DataChunk], isReversed: Bool, width: Int, bases: [UInt32]
  ) {
    self.link = link
    self.bases = bases
    count = chunks.rowCount
    let columns = chunks.positions(2 * width + 1)
    let edges = (0..<width).map { columns[2 * $0 + 1] }
    let vertices = (0...width).map { columns[2 * $0] }
    self.edges = isReversed ? edges.reversed() : edges
    self.vertices = isReversed ? vertices.reversed() : vertices
  }

  /// The number of the vertex that a round leads to by some of its edges, one of them at least.
  func vertex(after edgeCount: Int, of round: UInt32) -> UInt32 {
    vertices[edgeCount][round] &+ bases[edgeCount - 1]
  }

  /// The edges at one place of the rounds: from vertices to rounds at the first, from rounds to vertices at the last,
  /// else from each round to itself.
  ///
  /// - Complexity: O(rounds + vertices) at the first place, else O(rounds).
  func lists(_ edge: Int, vertexCount: Int) -> EdgeLists {
    let isLast = edge + 1 == edges.count
    var targets = vertices[edge + 1]
    if !isLast {
      targets = Buffer(uninitialized: max(1, count))
      for round in 0..<count { targets[round] = UInt32(truncatingIfNeeded: round) }
    }
    guard edge == 0 else { return .single(targets: targets, rows: edges[edge]) }
    return .gathered(
      GatheredEdges(
        edges[0], from: vertices[0], to: targets, count: count, vertexCount: vertexCount))
  }
}

extension [DataChunk] {
  var rowCount: Int { reduce(0) { $0 + $1.count } }

  /// The first columns of all chunks, each in one piece, of positions.
  func positions(_ columnCount: Int) -> [Buffer<UInt32>] {
    (0..<columnCount).map { column in
      let parts = map { $0.columns[column].flattened() }
      return Vector.concatenate(parts, type: .integer).values(UInt32.self)
    }
  }
}
