import Columnar
import Diagnostics

/// Which vertices hang together, whichever way edges lead.
///
/// Two edges of each vertex nearly always show the largest component; the other edges are then looked at from vertices outside of it only.
/// Each worker unites in sets of its own, and those of all are united in the end: what comes out does not depend on who was when.
///
/// Source: M. Sutton, T. Ben-Nun and A. Barak, "Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling" (IPDPS 2018).
///
/// - Complexity: O(vertices + edges), mostly far less; 4 bytes a vertex and worker, and 8 for the result.
struct WeakComponents: GraphAlgorithm {
  /// So many edges of each vertex are looked at first.
  private static let sampledCount = 2

  init(_ arguments: GraphArgumentValues) {}

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let sets = try Self.components(graph, work)
    return try .groups(graph, work) { sets.find($0) }
  }

  static func components(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> DisjointSets
  {
    let count = graph.vertexCount
    var states: [DisjointSets] = []
    for _ in 0..<work.workerCount { states.append(try DisjointSets(count, work)) }
    try work.forEachBlock(count, among: states) { sets, range in
      for place in range {
        let vertex = UInt32(truncatingIfNeeded: place)
        var left = sampledCount
        graph.out.forEachStretch(of: vertex) { targets, base, count in
          for index in 0..<min(count, left) { sets.unite(vertex, targets[index] &+ base) }
          left -= min(count, left)
        }
      }
    }
    let all = states[0]
    try join(states, count, work)
    let largest = largest(all, count)
    let own = states
    try work.forEachBlock(count, among: own) { sets, range in
      let (out, into) = (graph.out, graph.into)
      for place in range {
        let vertex = UInt32(truncatingIfNeeded: place)
        if largest != nil, sets.find(vertex) == largest { continue }
        out.forEach(of: vertex) { sets.unite(vertex, $0) }
        into.forEach(of: vertex) { sets.unite(vertex, $0) }
      }
    }
    try join(states, count, work)
    return all
  }

  /// Unites the sets of all workers in those of each.
  private static func join(_ states: [DisjointSets], _ count: Int, _ work: GraphWork)
    throws(SQLError)
  {
    for sets in states.dropFirst() {
      for start in stride(from: 0, to: count, by: 1 << 16) {
        try work.check()
        for place in start..<min(start + 1 << 16, count) {
          let vertex = UInt32(truncatingIfNeeded: place)
          states[0].unite(vertex, sets.parents[place])
        }
      }
    }
    for place in 0..<count {
      let least = states[0].find(UInt32(truncatingIfNeeded: place))
      for sets in states { sets.parents[place] = least }
    }
  }

  /// The least vertex of the component that most of some vertices are in; nil where there are few.
  private static func largest(_ sets: DisjointSets, _ count: Int) -> UInt32? {
    if count < 4096 { return nil }
    var counts: [UInt32: Int] = [:]
    for sample in 0..<1024 {
      counts[sets.parents[sample * (count / 1024)], default: 0] += 1
    }
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
  }
}
