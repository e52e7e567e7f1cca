import Columnar
import Diagnostics

/// Sets of vertices that are united again and again, each known by its least vertex.
///
/// Source: R. E. Tarjan, "Efficiency of a Good But Not Linear Set Union Algorithm" (Journal of the ACM 22, 1975), with path halving.
struct DisjointSets: Sendable {
  /// A vertex that is no greater, of the same set; itself for the least.
  let parents: Buffer<UInt32>

  /// Each vertex by itself.
  init(_ count: Int, _ work: GraphWork) throws(SQLError) {
    parents = try work.buffer(UInt32(0), count: count)
    for vertex in 0..<count { parents[vertex] = UInt32(truncatingIfNeeded: vertex) }
  }

  /// The least vertex of a set.
  @inline(__always)
  func find(_ vertex: UInt32) -> UInt32 {
    var vertex = vertex
    while true {
      let parent = parents[vertex]
      if parent == vertex { return vertex }
      let next = parents[parent]
      parents[vertex] = next
      vertex = next
    }
  }

  /// Unites the sets of two vertices, and says whether they were two.
  @inline(__always)
  @discardableResult
  func unite(_ one: UInt32, _ other: UInt32) -> Bool {
    let (one, other) = (find(one), find(other))
    if one == other { return false }
    parents[max(one, other)] = min(one, other)
    return true
  }
}

extension GraphResult {
  /// Numbers for groups of vertices, from 1 on in the order of their first vertices.
  ///
  /// `group` gives any number below the count of vertices that tells groups apart.
  static func groups(
    _ graph: GraphTopology, _ work: GraphWork, _ group: (UInt32) -> UInt32
  ) throws(SQLError) -> GraphResult {
    let numbers = try work.buffer(UInt32(0), count: graph.vertexCount)
    let result = try work.buffer(UInt32(0), count: graph.vertexCount)
    var last: UInt32 = 0
    for place in 0..<graph.vertexCount {
      let vertex = UInt32(truncatingIfNeeded: place)
      guard graph.isVertex(vertex) else { continue }
      let own = group(vertex)
      if numbers[own] == 0 {
        last += 1
        numbers[own] = last
      }
      result[place] = numbers[own]
    }
    return GraphResult(rows: .vertices, columns: [.number(result)])
  }
}
