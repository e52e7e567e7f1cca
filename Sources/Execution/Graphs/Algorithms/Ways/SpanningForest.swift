import Columnar
import Diagnostics

/// The edges of least weight in all that hold together what hangs together: a tree for each component.
///
/// Direction does not matter. Every tree that has been made so far looks for its lightest edge to another, by all
/// workers, and is joined along it, until there is none. Of edges that weigh the same, the one between the lesser
/// vertices is the lighter one. Each edge comes with its lesser vertex first.
///
/// Source: O. Borůvka, "O jistém problému minimálním" (1926); J. Nešetřil, E. Milková and H. Nešetřilová, "Otakar
/// Borůvka on Minimum Spanning Tree Problem" (Discrete Mathematics 233, 2001).
///
/// - Complexity: O(edges log vertices), mostly far less; 37 bytes a vertex.
struct SpanningForest: GraphAlgorithm {
  /// An edge, from the vertex that looked for it; lighter ones come first.
  private struct Edge: BitwiseCopyable {
    var weight = Double.infinity
    var source = UInt32.max
    var target = UInt32.max

    @inline(__always)
    func isBefore(_ other: Edge) -> Bool {
      if weight != other.weight { return weight < other.weight }
      let (low, its) = (min(source, target), min(other.source, other.target))
      return low != its ? low < its : max(source, target) < max(other.source, other.target)
    }
  }

  init(_ arguments: GraphArgumentValues) {}

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let count = graph.vertexCount
    let sets = try DisjointSets(count, work)
    // The tree of each vertex, the lightest edge from it to another tree, and whether there is none.
    let trees = try work.buffer(UInt32(0), count: count)
    for vertex in 0..<count { trees[vertex] = UInt32(truncatingIfNeeded: vertex) }
    let lightest = try work.buffer(Edge(), count: count)
    let isInside = try work.buffer(false, count: count)
    let rows = EdgeRows(try work.buffer(0, count: count), try work.buffer(0, count: count))
    let weights = try work.buffer(0.0, count: count)
    while true {
      try work.forEachBlock(count) { range in
        let walked = graph.walked
        for vertex in range where !isInside[vertex] {
          lightest[vertex] = Self.lightest(UInt32(truncatingIfNeeded: vertex), walked, trees)
          isInside[vertex] = lightest[vertex].source == .max
        }
      }
      let before = rows.count
      // Each tree's lightest edge comes to its first vertex.
      for vertex in 0..<count where !isInside[vertex] {
        let tree = trees[vertex]
        if tree != vertex, lightest[vertex].isBefore(lightest[tree]) || isInside[tree] {
          lightest[tree] = lightest[vertex]
          isInside[tree] = false
        }
      }
      for vertex in 0..<count where trees[vertex] == vertex && !isInside[vertex] {
        let edge = lightest[vertex]
        if sets.unite(edge.source, edge.target) {
          weights[rows.count] = edge.weight
          rows.append(min(edge.source, edge.target), max(edge.source, edge.target))
        }
      }
      if rows.count == before { break }
      for vertex in 0..<count { trees[vertex] = sets.find(UInt32(truncatingIfNeeded: vertex)) }
    }
    return rows.result([.double(weights)])
  }

  private static func lightest(
    _ vertex: UInt32, _ walked: GraphLists, _ trees: Buffer<UInt32>
  ) -> Edge {
    let own = trees[vertex]
    var best = Edge()
    walked.forEachEdge(of: vertex) { target, weight in
      if trees[target] == own { return }
      let edge = Edge(weight: weight, source: vertex, target: target)
      if best.source == .max || edge.isBefore(best) { best = edge }
    }
    return best
  }
}
