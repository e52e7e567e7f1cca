import Columnar
import Diagnostics

/// The fewest edges by which every vertex reaches what it reaches in a graph without cycles: those that no longer way
/// replaces.
///
/// From each vertex, its targets are gone through in topological order, and what can be reached from each is marked;
/// a target that is marked already is reached the longer way. Nothing behind the last target of a vertex needs to be
/// looked at.
///
/// Source: A. V. Aho, M. R. Garey and J. D. Ullman, "The Transitive Reduction of a Directed Graph" (SIAM Journal on
/// Computing 1, 1972).
///
/// - Complexity: O(vertices · edges) at worst; 16 bytes a vertex, 8 for each worker, and 5 an edge and 8 for the
///   result.
struct TransitiveReduction: GraphAlgorithm {
  init(_ arguments: GraphArgumentValues) {}

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let count = graph.vertexCount
    let order = try TopologicalOrder.order(graph, work)
    let edges = try WalkedGraph(graph.out, count, work)
    let positions = try work.buffer(UInt32(0), count: count)
    for place in 0..<graph.liveCount {
      positions[order[place]] = UInt32(truncatingIfNeeded: place)
    }
    let isKept = try work.buffer(false, count: edges.edgeCount)
    var searches: [Search] = []
    for _ in 0..<work.workerCount {
      searches.append(try Search(edges, positions, work))
    }
    let context = work.context
    try work.forEachBlock(count, size: 64, among: searches) { (search, range) throws(SQLError) in
      for vertex in range {
        try search.reduce(UInt32(truncatingIfNeeded: vertex), isKept, context)
      }
    }
    let kept = (0..<edges.edgeCount).reduce(0) { $0 + (isKept[$1] ? 1 : 0) }
    let rows = EdgeRows(try work.buffer(0, count: kept), try work.buffer(0, count: kept))
    for place in 0..<count {
      let vertex = UInt32(truncatingIfNeeded: place)
      for place in edges.places(of: vertex) where isKept[place] {
        rows.append(vertex, edges.targets[place])
      }
    }
    return rows.result([])
  }

  /// What one worker has for itself.
  private final class Search {
    private let edges: WalkedGraph
    private let positions: Buffer<UInt32>
    /// The vertex, counted from 1, from which each vertex was reached last.
    private let marks: Buffer<UInt32>
    private var stack: [UInt32] = []
    private var places: [Int] = []

    init(
      _ edges: WalkedGraph, _ positions: Buffer<UInt32>, _ work: GraphWork
    ) throws(SQLError) {
      (self.edges, self.positions) = (edges, positions)
      marks = try work.buffer(0, count: edges.vertexCount)
    }

    /// Notes which edges of a vertex are kept.
    func reduce(
      _ vertex: UInt32, _ isKept: Buffer<Bool>, _ context: ExecutionContext
    ) throws(SQLError) {
      let (edges, positions, marks) = (edges, positions, marks)
      places.removeAll(keepingCapacity: true)
      places += edges.places(of: vertex)
      places.sort { positions[edges.targets[$0]] < positions[edges.targets[$1]] }
      guard let end = places.last.map({ positions[edges.targets[$0]] }) else { return }
      let mark = vertex &+ 1
      var steps = 0
      for place in places {
        let target = edges.targets[place]
        if marks[target] == mark { continue }
        isKept[place] = true
        marks[target] = mark
        stack.append(target)
        while let next = stack.popLast() {
          steps &+= 1
          if steps & 0xFFF == 0 { try context.check() }
          for place in edges.places(of: next) {
            let target = edges.targets[place]
            if positions[target] <= end, marks[target] != mark {
              marks[target] = mark
              stack.append(target)
            }
          }
        }
      }
    }
  }
}
