import Columnar
import Diagnostics

/// The greatest *k* for each vertex such that it belongs to a part of the graph in which every vertex has *k* neighbours.
///
/// For one *k* after another, vertices with no more than *k* neighbours left are taken away, and those that come down to it by that.
/// Only vertices still there are looked at for the next *k*: each at most once for every neighbour that it has.
///
/// Source: H. Kabir and K. Madduri, "Parallel k-Core Decomposition on Multicore Platforms" (IPDPSW 2017), by one worker; after
/// V. Batagelj and M. Zaveršnik, "An O(m) Algorithm for Cores Decomposition of Networks" (2003).
///
/// - Complexity: O(vertices + edges); 20 bytes a vertex and 8 an edge.
struct CoreNumbers: GraphAlgorithm {
  init(_ arguments: GraphArgumentValues) {}

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let simple = try SimpleGraph(graph, work)
    return GraphResult(rows: .vertices, columns: [.number(try Self.cores(simple, work))])
  }

  static func cores(_ graph: SimpleGraph, _ work: GraphWork) throws(SQLError) -> Buffer<UInt32> {
    let count = graph.vertexCount
    // The neighbours that each vertex has left, which in the end is its number.
    let degrees = try work.buffer(UInt32(0), count: count)
    let (left, taken) = (try work.vertices(count), try work.buffer(UInt32(0), count: count))
    for vertex in 0..<count {
      degrees[vertex] = UInt32(
        truncatingIfNeeded: graph.degree(of: UInt32(truncatingIfNeeded: vertex)))
    }
    var (leftCount, core) = (count, UInt32(0))
    while leftCount > 0 {
      try work.check()
      var (kept, end, next) = (0, 0, UInt32.max)
      for place in 0..<leftCount {
        let vertex = left[place]
        let degree = degrees[vertex]
        // Those below were taken away for the last number.
        if degree < core { continue }
        if degree == core {
          taken[end] = vertex
          end &+= 1
        } else {
          left[kept] = vertex
          kept &+= 1
          next = min(next, degree)
        }
      }
      leftCount = kept
      // Where none has so few neighbours, the next number is the least that one has.
      if end == 0 {
        core = next
        continue
      }
      try take(taken, count: end, core, graph, degrees, work)
      core += 1
    }
    return degrees
  }

  /// Takes vertices away that have `core` neighbours left, and all that come down to as many.
  private static func take(
    _ taken: Buffer<UInt32>, count: Int, _ core: UInt32, _ graph: SimpleGraph,
    _ degrees: Buffer<UInt32>, _ work: GraphWork
  ) throws(SQLError) {
    var (first, end) = (0, count)
    while first < end {
      if first & 0xFFF == 0xFFF { try work.check() }
      for place in graph.places(of: taken[first]) {
        let neighbour = graph.neighbours[place]
        let degree = degrees[neighbour]
        if degree <= core { continue }
        degrees[neighbour] = degree &- 1
        if degree &- 1 == core {
          taken[end] = neighbour
          end &+= 1
        }
      }
      first &+= 1
    }
  }
}
