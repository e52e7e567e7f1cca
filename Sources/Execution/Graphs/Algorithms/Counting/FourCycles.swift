import Columnar
import Diagnostics

/// How many cycles of four edges each vertex is on; direction, loops and repeated edges do not matter.
///
/// Every cycle is found from the vertex that has most neighbours, of several the greatest: that vertex' wedges are counted by the
/// vertex where they end, and any two of them are a cycle.
///
/// Source: K. Wang, X. Lin, L. Qin, W. Zhang and Y. Zhang, "Vertex Priority Based Butterfly Counting for Large-Scale Bipartite Networks"
/// (PVLDB 12, 2019), which works for other graphs as well.
///
/// - Complexity: O(the sum over edges of the lesser degree); 8 bytes an edge, 4 a vertex and 12 a vertex and worker.
struct FourCycles: GraphAlgorithm {
  init(_ arguments: GraphArgumentValues) {}

  /// What one worker has for itself.
  private final class Counter {
    let cycles: Buffer<Int64>
    /// How many wedges end at each vertex; 0 between two vertices.
    let wedges: Buffer<UInt32>

    init(_ count: Int, _ work: GraphWork) throws(SQLError) {
      cycles = try work.buffer(0, count: count)
      wedges = try work.buffer(0, count: count)
    }
  }

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let simple = try SimpleGraph(graph, work)
    let count = simple.vertexCount
    let ranks = try simple.ranks(work)
    var counters: [Counter] = []
    for _ in 0..<work.workerCount { counters.append(try Counter(count, work)) }
    let context = work.context
    try work.forEachBlock(count, size: 64, among: counters) { (counter, range) throws(SQLError) in
      var steps = 0
      for vertex in range {
        steps += Self.count(
          from: UInt32(truncatingIfNeeded: vertex), simple, ranks, counter.wedges, counter.cycles)
        if steps > 1 << 18 {
          steps = 0
          try context.check()
        }
      }
    }
    let all = counters[0].cycles
    for counter in counters.dropFirst() {
      for vertex in 0..<count { all[vertex] &+= counter.cycles[vertex] }
    }
    return GraphResult(rows: .vertices, columns: [.bigint(all)])
  }

  /// Counts the cycles that a vertex is the first of, and gives how many steps that took.
  private static func count(
    from first: UInt32, _ graph: SimpleGraph, _ ranks: Buffer<UInt32>, _ wedges: Buffer<UInt32>,
    _ cycles: Buffer<Int64>
  ) -> Int {
    let rank = ranks[first]
    var steps = 0
    for place in graph.places(of: first) {
      let middle = graph.neighbours[place]
      if ranks[middle] > rank { continue }
      let places = graph.places(of: middle)
      steps &+= places.count
      for place in places where ranks[graph.neighbours[place]] < rank {
        wedges[graph.neighbours[place]] &+= 1
      }
    }
    // Each cycle through a middle is found with the other wedges that end where one over it does.
    for place in graph.places(of: first) {
      let middle = graph.neighbours[place]
      if ranks[middle] > rank { continue }
      var own: Int64 = 0
      for place in graph.places(of: middle) where ranks[graph.neighbours[place]] < rank {
        own &+= Int64(wedges[graph.neighbours[place]]) &- 1
      }
      cycles[middle] &+= own
    }
    var found: Int64 = 0
    for place in graph.places(of: first) {
      let middle = graph.neighbours[place]
      if ranks[middle] > rank { continue }
      for place in graph.places(of: middle) where ranks[graph.neighbours[place]] < rank {
        let last = graph.neighbours[place]
        let count = Int64(wedges[last])
        if count == 0 { continue }
        wedges[last] = 0
        cycles[last] &+= count &* (count &- 1) / 2
        found &+= count &* (count &- 1) / 2
      }
    }
    cycles[first] &+= found
    return steps
  }
}

extension SimpleGraph {
  /// The place of each vertex by rising degree, of equal degrees by number.
  ///
  /// - Complexity: O(vertices); 4 bytes a vertex, and as many for each degree there is.
  func ranks(_ work: GraphWork) throws(SQLError) -> Buffer<UInt32> {
    var greatest = 0
    for vertex in 0..<vertexCount {
      greatest = max(greatest, degree(of: UInt32(truncatingIfNeeded: vertex)))
    }
    let next = try work.buffer(UInt32(0), count: greatest + 2)
    for vertex in 0..<vertexCount {
      next[degree(of: UInt32(truncatingIfNeeded: vertex)) + 1] &+= 1
    }
    for degree in 0...greatest { next[degree + 1] &+= next[degree] }
    let ranks = try work.buffer(UInt32(0), count: vertexCount)
    for vertex in 0..<vertexCount {
      let degree = self.degree(of: UInt32(truncatingIfNeeded: vertex))
      ranks[vertex] = next[degree]
      next[degree] &+= 1
    }
    return ranks
  }
}
