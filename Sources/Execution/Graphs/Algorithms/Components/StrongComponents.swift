import Columnar
import Diagnostics

/// Which vertices can reach each other.
///
/// Source: D. J. Pearce, "A Space-Efficient Algorithm for Finding Strongly Connected Components" (Information Processing Letters 116,
/// 2016), after R. E. Tarjan; with a stack of its own in place of recursion.
///
/// - Complexity: O(vertices + edges); 4 bytes a vertex, and 12 for each on the longest way that is gone down.
struct StrongComponents: GraphAlgorithm {
  init(_ arguments: GraphArgumentValues) {}

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let count = graph.vertexCount
    var search = Search(
      lists: graph.walked, roots: try work.buffer(UInt32(0), count: count),
      last: UInt32(truncatingIfNeeded: count))
    for place in 0..<count {
      let vertex = UInt32(truncatingIfNeeded: place)
      if search.roots[place] == 0, graph.isVertex(vertex) { try search.visit(vertex, work) }
    }
    let roots = search.roots
    // Components were numbered downwards from the count of vertices.
    return try .groups(graph, work) { roots[$0] &- 1 }
  }

  private struct Search {
    let lists: GraphLists
    /// 0 for a vertex not seen, the order of the first vertex that is known to be of its component, or at last the component's number.
    let roots: Buffer<UInt32>
    /// The number of the next component.
    var last: UInt32
    private var next: UInt32 = 1
    /// Vertices that have been left whose component is not complete.
    private var pending: [UInt32] = []
    /// The way down: vertices, the edge to be looked at next, and whether they are the first of a component as far as known.
    private var path: [(vertex: UInt32, edge: Int, isRoot: Bool)] = []

    init(lists: GraphLists, roots: Buffer<UInt32>, last: UInt32) {
      (self.lists, self.roots, self.last) = (lists, roots, last)
    }

    mutating func visit(_ start: UInt32, _ work: GraphWork) throws(SQLError) {
      begin(start)
      var steps = 0
      while let (vertex, edge, _) = path.last {
        steps &+= 1
        if steps & 0xFFF == 0 { try work.check() }
        guard let target = lists.target(of: vertex, at: edge) else {
          finish()
          continue
        }
        path[path.count - 1].edge += 1
        if roots[target] == 0 {
          begin(target)
        } else {
          lower(to: roots[target])
        }
      }
    }

    private mutating func begin(_ vertex: UInt32) {
      roots[vertex] = next
      next += 1
      path.append((vertex, 0, true))
    }

    private mutating func lower(to root: UInt32) {
      let top = path.count - 1
      if root < roots[path[top].vertex] {
        roots[path[top].vertex] = root
        path[top].isRoot = false
      }
    }

    private mutating func finish() {
      let (vertex, _, isRoot) = path.removeLast()
      if isRoot {
        let own = roots[vertex]
        next -= 1
        while let other = pending.last, roots[other] >= own {
          pending.removeLast()
          roots[other] = last
          next -= 1
        }
        roots[vertex] = last
        last -= 1
      } else {
        pending.append(vertex)
      }
      if !path.isEmpty { lower(to: roots[vertex]) }
    }
  }
}
