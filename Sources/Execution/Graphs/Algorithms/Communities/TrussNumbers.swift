import Columnar
import Diagnostics

/// The greatest *k* for each pair of neighbours such that it belongs to a part of the graph in which every edge is of *k* − 2 triangles;
/// 2 for an edge of none.
///
/// Edges are taken away by rising number of triangles; those left are kept sorted by how many they have left. Direction, loops and
/// repeated edges do not matter; each pair comes once.
///
/// Source: J. Wang and J. Cheng, "Truss Decomposition in Massive Networks" (PVLDB 5, 2012).
///
/// - Complexity: O(edges^1.5 log degree); 16 bytes a vertex and 36 an edge.
struct TrussNumbers: GraphAlgorithm {
  init(_ arguments: GraphArgumentValues) {}

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let edges = try NumberedEdges(try SimpleGraph(graph, work), work)
    let supports = try Self.supports(edges, work)
    try Self.peel(edges, supports, work)
    let trusses = supports
    for edge in 0..<edges.count { trusses[edge] &+= 2 }
    return GraphResult(
      rows: .listed([edges.ones, edges.others], count: edges.count), columns: [.number(trusses)])
  }

  /// How many triangles each edge is of.
  private static func supports(
    _ edges: NumberedEdges, _ work: GraphWork
  ) throws(SQLError) -> Buffer<UInt32> {
    let supports = try work.buffer(UInt32(0), count: edges.count)
    try work.forEachBlock(edges.count) { range in
      for edge in range {
        var count: UInt32 = 0
        edges.forEachTriangle(of: edge) { _, _ in count &+= 1 }
        supports[edge] = count
      }
    }
    return supports
  }

  /// Takes edges away, the ones of fewest triangles first, and leaves the number that each had then, or an earlier one if more.
  private static func peel(
    _ edges: NumberedEdges, _ supports: Buffer<UInt32>, _ work: GraphWork
  ) throws(SQLError) {
    let order = try CountedOrder(supports, size: edges.count, work)
    for index in 0..<edges.count {
      if index & 0x3FF == 0 { try work.check() }
      let edge = order.sorted[index]
      let own = supports[edge]
      edges.forEachTriangle(of: Int(truncatingIfNeeded: edge)) { one, other in
        // Only triangles that are still whole.
        if order.place(of: one) > index, order.place(of: other) > index {
          order.lower(one, least: own)
          order.lower(other, least: own)
        }
      }
    }
  }
}

/// The pairs of neighbours of a simple graph, numbered through.
private struct NumberedEdges: Sendable {
  private let graph: SimpleGraph
  /// The lesser and the greater vertex of each pair.
  let ones: Buffer<UInt32>
  let others: Buffer<UInt32>
  /// The number of the pair that an entry of the graph's lists is of.
  private let numbers: Buffer<UInt32>
  let count: Int

  init(_ graph: SimpleGraph, _ work: GraphWork) throws(SQLError) {
    self.graph = graph
    let entryCount = Int(graph.starts[graph.vertexCount])
    count = entryCount / 2
    ones = try work.buffer(0, count: count)
    others = try work.buffer(0, count: count)
    numbers = try work.buffer(0, count: entryCount)
    // The entries of a vertex' lesser neighbours are filled from the front as those neighbours come.
    let next = try work.buffer(UInt32(0), count: graph.vertexCount)
    next.copy(graph.starts, count: graph.vertexCount, to: 0)
    var edge = 0
    for vertex in 0..<graph.vertexCount {
      if vertex & 0xFFF == 0 { try work.check() }
      let own = UInt32(truncatingIfNeeded: vertex)
      for place in graph.places(of: own) where graph.neighbours[place] > own {
        let other = graph.neighbours[place]
        let number = UInt32(truncatingIfNeeded: edge)
        (ones[edge], others[edge]) = (own, other)
        numbers[place] = number
        numbers[next[other]] = number
        next[other] &+= 1
        edge += 1
      }
    }
  }

  /// Hands over the other two edges of each triangle.
  ///
  /// Each neighbour of the vertex that has fewer is looked for among those of the other.
  @inline(__always)
  func forEachTriangle(of edge: Int, _ body: (UInt32, UInt32) -> Void) {
    var few = graph.places(of: ones[edge])
    var many = graph.places(of: others[edge])
    if few.count > many.count { swap(&few, &many) }
    if many.count < 8 * few.count {
      merge(few, many, body)
      return
    }
    var rest = many
    for place in few {
      let neighbour = graph.neighbours[place]
      let found = graph.neighbours.lowerBound(of: neighbour, in: rest)
      if found == many.upperBound { return }
      if graph.neighbours[found] == neighbour { body(numbers[place], numbers[found]) }
      rest = found..<many.upperBound
    }
  }

  /// The same where both have about as many: both lists are gone through together.
  @inline(__always)
  private func merge(_ ones: Range<Int>, _ others: Range<Int>, _ body: (UInt32, UInt32) -> Void) {
    var (one, other) = (ones.lowerBound, others.lowerBound)
    while one < ones.upperBound, other < others.upperBound {
      let (left, right) = (graph.neighbours[one], graph.neighbours[other])
      if left == right { body(numbers[one], numbers[other]) }
      one &+= bit(left <= right)
      other &+= bit(right <= left)
    }
  }
}
