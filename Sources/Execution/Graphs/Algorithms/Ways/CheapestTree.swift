import Columnar
import Diagnostics

/// The last vertex but one on a cheapest way to each vertex, from what the ways cost.
///
/// Of several the one that costs least itself, then the least vertex: no way round can come of it. Where only edges
/// without weight lead on, it is looked for from those that have one.
///
/// - Complexity: O(vertices + edges); 4 bytes a vertex.
struct CheapestTree {
  private let graph: GraphTopology
  private let costs: Buffer<Double>

  init(_ graph: GraphTopology, _ costs: Buffer<Double>) {
    (self.graph, self.costs) = (graph, costs)
  }

  func back(from sources: [UInt32], _ work: GraphWork) throws(SQLError) -> Buffer<UInt32> {
    let (graph, costs) = (graph, costs)
    let back = try work.buffer(UInt32.max, count: graph.vertexCount)
    try work.forEachBlock(graph.vertexCount) { range in
      let lists = graph.reversed
      for vertex in range where costs[vertex] < .infinity && costs[vertex] > 0 {
        let cost = costs[vertex]
        var (best, least) = (UInt32.max, cost)
        lists.forEachEdge(of: UInt32(truncatingIfNeeded: vertex)) { source, weight in
          let own = costs[source]
          if own + weight == cost, own < least || (own == least && own < cost && source < best) {
            (best, least) = (source, own)
          }
        }
        back[vertex] = best
      }
    }
    try followZeros(back, sources, work)
    return back
  }

  /// Goes along edges without weight to those that nothing cheaper leads to.
  private func followZeros(
    _ back: Buffer<UInt32>, _ sources: [UInt32], _ work: GraphWork
  ) throws(SQLError) {
    let open = try VertexSet(graph.vertexCount, work)
    var left = 0
    for place in 0..<graph.vertexCount where back[place] == .max && costs[place] < .infinity {
      open.insert(UInt32(truncatingIfNeeded: place))
      left += 1
    }
    for source in sources where open.contains(source) {
      open.remove(source)
      left -= 1
    }
    if left == 0 { return }
    let queue = try work.buffer(UInt32(0), count: graph.vertexCount)
    var count = 0
    for place in 0..<graph.vertexCount where costs[place] < .infinity {
      let vertex = UInt32(truncatingIfNeeded: place)
      if open.contains(vertex) { continue }
      queue[count] = vertex
      count += 1
    }
    var first = 0
    let walked = graph.walked
    while first < count {
      if first & 0xFFF == 0xFFF { try work.check() }
      let vertex = queue[first]
      first += 1
      walked.forEachEdge(of: vertex) { target, weight in
        if open.contains(target), costs[vertex] + weight == costs[target] {
          open.remove(target)
          back[target] = vertex
          queue[count] = target
          count += 1
        }
      }
    }
  }
}
