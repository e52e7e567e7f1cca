import Columnar
import Diagnostics

/// How many edges each vertex has: in all, to it and from it.
///
/// A loop counts as one of each, and so twice in all.
///
/// - Complexity: O(vertices), read from the index; 12 bytes a vertex.
struct Degrees: GraphAlgorithm {
  init(_ arguments: GraphArgumentValues) {}

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let count = graph.vertexCount
    let all = try work.buffer(UInt32(0), count: count)
    let into = try work.buffer(UInt32(0), count: count)
    let out = try work.buffer(UInt32(0), count: count)
    try work.forEachBlock(count) { range in
      for number in range {
        let vertex = UInt32(truncatingIfNeeded: number)
        into[number] = UInt32(truncatingIfNeeded: graph.into.degree(of: vertex))
        out[number] = UInt32(truncatingIfNeeded: graph.out.degree(of: vertex))
        all[number] = into[number] &+ out[number]
      }
    }
    return GraphResult(rows: .vertices, columns: [.number(all), .number(into), .number(out)])
  }
}
