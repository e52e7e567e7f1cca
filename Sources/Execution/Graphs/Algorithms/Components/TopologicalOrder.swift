import Columnar
import Diagnostics

/// The position of each vertex in an order in which every edge leads to a later one, from 1 on.
///
/// A vertex comes as soon as all that lead to it have come; of those free at the same time, as they became so.
///
/// Source: A. B. Kahn, "Topological Sorting of Large Networks" (Communications of the ACM 5, 1962).
///
/// - Complexity: O(vertices + edges); 12 bytes a vertex.
struct TopologicalOrder: GraphAlgorithm {
  init(_ arguments: GraphArgumentValues) {}

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let order = try Self.order(graph, work)
    let positions = try work.buffer(UInt32(0), count: graph.liveCount)
    for row in 0..<graph.liveCount { positions[row] = UInt32(truncatingIfNeeded: row + 1) }
    return GraphResult(
      rows: .listed([order], count: graph.liveCount), columns: [.number(positions)])
  }

  /// The vertices in their order.
  ///
  /// - Throws: 22023 for a cycle, which it names; 57014, 53200.
  static func order(
    _ graph: GraphTopology, _ work: GraphWork
  ) throws(SQLError) -> Buffer<UInt32> {
    let count = graph.vertexCount
    // How many edges lead to each vertex from those that have not come.
    let left = try work.buffer(UInt32(0), count: count)
    try work.forEachBlock(count) { range in
      let into = graph.into
      for vertex in range {
        left[vertex] = UInt32(
          truncatingIfNeeded: into.degree(of: UInt32(truncatingIfNeeded: vertex)))
      }
    }
    let order = try work.buffer(UInt32(0), count: count)
    var reached = 0
    for place in 0..<count where left[place] == 0 {
      let vertex = UInt32(truncatingIfNeeded: place)
      if graph.isVertex(vertex) {
        order[reached] = vertex
        reached += 1
      }
    }
    var first = 0
    let out = graph.out
    while first < reached {
      if first & 0xFFF == 0xFFF { try work.check() }
      let vertex = order[first]
      first += 1
      out.forEach(of: vertex) { target in
        left[target] &-= 1
        if left[target] == 0 {
          order[reached] = target
          reached += 1
        }
      }
    }
    if reached < graph.liveCount { throw try cycle(graph, left, work.names) }
    return order
  }

  /// The error for a graph where edges are left to some vertices.
  private static func cycle(
    _ graph: GraphTopology, _ left: Buffer<UInt32>, _ names: GraphNames
  ) throws(SQLError) -> SQLError {
    // Whoever goes back from one that is left to another that is left comes round at some time.
    var seen: [UInt32: Int] = [:]
    var back: [UInt32] = []
    var vertex = (0..<graph.vertexCount).first { left[$0] > 0 }.map { UInt32($0) }
    while let current = vertex {
      if let start = seen[current] {
        let cycle = Array(back[start...].reversed())
        return SQLError(
          .invalidParameterValue,
          "the graph has a cycle: \(try names.listed(cycle, closing: true))",
          hint: "Leave out one of its edges, or make one vertex of each of its strong_components.")
      }
      seen[current] = back.count
      back.append(current)
      vertex = nil
      graph.into.forEach(of: current) { if left[$0] > 0 && vertex == nil { vertex = $0 } }
    }
    return SQLError.internal("a graph without order has no cycle")
  }
}

extension GraphNames {
  /// The keys of some vertices as a message names them, only the first of many.
  ///
  /// `closing` repeats the first in the end, as a cycle does.
  func listed(_ vertices: [UInt32], closing: Bool = false) throws(SQLError) -> String {
    let most = 10
    var shown = Array(vertices.prefix(most))
    if closing, vertices.count <= most, let first = vertices.first { shown.append(first) }
    var texts: [String] = []
    for vertex in shown {
      var text = ByteBuilder()
      TextFormatter(ValueStyle()).append(0, of: try elements([vertex]), to: &text)
      texts.append(text.string)
    }
    if vertices.count > most { texts.append("… (\(vertices.count) vertices)") }
    return texts.joined(separator: " → ")
  }
}
