import Columnar
import Diagnostics

/// The greatest *k* for each vertex such that it belongs to a part of the graph in which every vertex has *k* neighbours.
///
/// Vertices are taken away by rising degree; those left are kept sorted by how many neighbours they have left.
///
/// Source: V. Batagelj and M. Zaveršnik, "An O(m) Algorithm for Cores Decomposition of Networks" (2003).
///
/// - Complexity: O(vertices + edges); 16 bytes a vertex and 8 an edge.
struct CoreNumbers: GraphAlgorithm {
  init(_ arguments: GraphArgumentValues) {}

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let simple = try SimpleGraph(graph, work)
    return GraphResult(rows: .vertices, columns: [.number(try Self.cores(simple, work))])
  }

  static func cores(_ graph: SimpleGraph, _ work: GraphWork) throws(SQLError) -> Buffer<UInt32> {
    let count = graph.vertexCount
    let degrees = try work.buffer(UInt32(0), count: count)
    var greatest = 0
    for vertex in 0..<count {
      let degree = graph.degree(of: UInt32(truncatingIfNeeded: vertex))
      degrees[vertex] = UInt32(truncatingIfNeeded: degree)
      greatest = max(greatest, degree)
    }
    // The vertices by degree, where each stands, and where those of a degree begin.
    let sorted = try work.buffer(UInt32(0), count: count)
    let places = try work.buffer(UInt32(0), count: count)
    let firsts = try work.buffer(UInt32(0), count: greatest + 2)
    for vertex in 0..<count { firsts[Int(degrees[vertex]) + 1] &+= 1 }
    for degree in 0...greatest { firsts[degree + 1] &+= firsts[degree] }
    let next = Buffer<UInt32>(uninitialized: greatest + 2)
    next.copy(firsts, count: greatest + 2, to: 0)
    for vertex in 0..<count {
      let place = next[degrees[vertex]]
      next[degrees[vertex]] = place &+ 1
      sorted[place] = UInt32(truncatingIfNeeded: vertex)
      places[vertex] = place
    }
    for index in 0..<count {
      if index & 0xFFF == 0 { try work.check() }
      let vertex = sorted[index]
      let core = degrees[vertex]
      for place in graph.places(of: vertex) {
        let other = graph.neighbours[place]
        let degree = degrees[other]
        if degree <= core { continue }
        // It changes places with the first of its degree, which then begins one further on.
        let (from, to) = (places[other], firsts[degree])
        let first = sorted[to]
        sorted[to] = other
        sorted[from] = first
        places[other] = to
        places[first] = from
        firsts[degree] = to &+ 1
        degrees[other] = degree &- 1
      }
    }
    return degrees
  }
}
