import Columnar
import Diagnostics

/// How often each kind of three vertices that hang together occurs, a row for each kind.
///
/// Edges with direction have thirteen kinds, called as in the census of triads: the numbers of pairs with edges both ways, with an edge
/// one way and with none, then `D` for down, `U` for up, `C` for a cycle or chain, `T` for transitive. With `directed => false`
/// there are two, `path` and `triangle`. Loops and repeated edges do not matter.
///
/// Triangles are looked for; what is open follows from the numbers of each vertex' neighbours, less what is part of a triangle.
///
/// Sources: P. W. Holland and S. Leinhardt, "A Method for Detecting Structure in Sociometric Data" (American Journal of Sociology 76, 1970); R. Milo et
/// al., "Network Motifs: Simple Building Blocks of Complex Networks" (Science 298, 2002).
///
/// - Complexity: as of `Triangles`; 1 byte an edge more.
struct Motifs: GraphAlgorithm {
  init(_ arguments: GraphArgumentValues) {}

  /// Three vertices that hang together.
  enum Kind: String, CaseIterable {
    case down = "021D"
    case up = "021U"
    case chain = "021C"
    case bothDown = "111D"
    case bothUp = "111U"
    case transitive = "030T"
    case cycle = "030C"
    case open = "201"
    case closedDown = "120D"
    case closedUp = "120U"
    case closedChain = "120C"
    case twoBoth = "210"
    case whole = "300"
  }

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let triangles = try DirectedTriangles(graph, work)
    var tallies: [Buffer<Int64>] = []
    for _ in 0..<work.workerCount { tallies.append(try work.buffer(0, count: 64)) }
    try triangles.forEach(among: tallies, work) { tally, found in
      let place = found.ways.0 | found.ways.1 << 2 | found.ways.2 << 4
      tally[Int(place)] &+= 1
    }
    var counts = try wedges(triangles.simple, graph, work)
    for place in 0..<64 {
      let count = tallies.reduce(0) { $0 + $1[place] }
      if count == 0 { continue }
      let ways = (EdgeWay(place & 3), EdgeWay(place >> 2 & 3), EdgeWay(place >> 4 & 3))
      counts[Self.triangle(ways), default: 0] += count
      // Its corners were counted as open ones.
      let (first, second, third) = ways
      for (one, other) in [
        (first, third), (Self.turned(first), second), (Self.turned(second), Self.turned(third)),
      ] {
        counts[Self.wedge(one, other), default: 0] -= count
      }
    }
    if graph.isDirected {
      return try Self.result(Kind.allCases.map { ($0.rawValue, counts[$0, default: 0]) }, work)
    }
    return try Self.result(
      [("path", counts[.open, default: 0]), ("triangle", counts[.whole, default: 0])], work)
  }

  private static func result(
    _ rows: [(kind: String, count: Int64)], _ work: GraphWork
  ) throws(SQLError) -> GraphResult {
    let counts = try work.buffer(Int64(0), count: rows.count)
    for (place, row) in rows.enumerated() { counts[place] = row.count }
    return GraphResult(
      rows: .listed([], count: rows.count), columns: [.text(rows.map(\.kind)), .bigint(counts)])
  }

  /// An edge seen from its other end.
  private static func turned(_ way: EdgeWay) -> EdgeWay { way == 3 ? 3 : 3 - way }

  /// Two edges from one vertex, whose ends no edge joins.
  private static func wedge(_ one: EdgeWay, _ other: EdgeWay) -> Kind {
    switch (min(one, other), max(one, other)) {
    case (1, 1): .down
    case (2, 2): .up
    case (1, 2): .chain
    case (1, 3): .bothUp
    case (2, 3): .bothDown
    case (_, _): .open
    }
  }

  /// Three edges: from the first to the second, from the second to the third, from the first to the third.
  private static func triangle(_ ways: (EdgeWay, EdgeWay, EdgeWay)) -> Kind {
    // As seen from each corner, with the edge opposite to it.
    let corners = [
      (ways.0, ways.2, ways.1), (turned(ways.0), ways.1, ways.2),
      (turned(ways.1), turned(ways.2), ways.0),
    ]
    switch corners.filter({ $0.2 == 3 }).count {
    case 3: return .whole
    case 2: return .twoBoth
    case 1:
      guard let corner = corners.first(where: { $0.2 == 3 }) else { return .closedChain }
      if corner.0 != corner.1 { return .closedChain }
      return corner.0 == 1 ? .closedDown : .closedUp
    case _: return corners.contains { $0.0 == 1 && $0.1 == 1 } ? .transitive : .cycle
    }
  }

  /// How many pairs of edges from one vertex there are of each kind, joined at the other ends or not.
  private func wedges(
    _ simple: SimpleGraph, _ graph: GraphTopology, _ work: GraphWork
  ) throws(SQLError) -> [Kind: Int64] {
    let size = GraphWork.blockSize
    let kinds: [Kind] = [.down, .up, .chain, .bothUp, .bothDown, .open]
    let sums = try work.buffer(Int64(0), count: kinds.count * (simple.vertexCount / size + 1))
    let scratch = (0..<work.workerCount).map { _ in NeighbourScratch() }
    try work.forEachBlock(simple.vertexCount, size: size, among: scratch) { scratch, range in
      let first = kinds.count * (range.lowerBound / size)
      for number in range {
        let vertex = UInt32(truncatingIfNeeded: number)
        let all = Int64(simple.degree(of: vertex))
        var (out, into) = (all, all)
        if graph.isDirected {
          out = Int64(scratch.gather(of: vertex, graph.out, nil))
          into = Int64(scratch.gather(of: vertex, graph.into, nil))
        }
        let both = out + into - all
        (out, into) = (out - both, into - both)
        sums[first] &+= out * (out - 1) / 2
        sums[first + 1] &+= into * (into - 1) / 2
        sums[first + 2] &+= out * into
        sums[first + 3] &+= out * both
        sums[first + 4] &+= into * both
        sums[first + 5] &+= both * (both - 1) / 2
      }
    }
    var counts: [Kind: Int64] = [:]
    for place in 0..<sums.count where place / kinds.count <= simple.vertexCount / size {
      counts[kinds[place % kinds.count], default: 0] += sums[place]
    }
    return counts
  }
}
