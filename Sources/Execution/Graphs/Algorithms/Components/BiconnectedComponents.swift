import Columnar
import Diagnostics

/// For each pair of neighbours the number of its component: the largest parts that hang together still when any one
/// vertex is taken away.
///
/// Direction, loops and repeated edges do not matter; each pair comes once, its lesser vertex first. Components are
/// numbered from 1 on in the order in which pairs come.
///
/// - Complexity: as of `LowLinks`; 12 bytes a pair for the result.
struct BiconnectedComponents: GraphAlgorithm {
  init(_ arguments: GraphArgumentValues) {}

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let links = try LowLinks(try SimpleGraph(graph, work), work)
    let count = Int(links.graph.starts[graph.vertexCount]) / 2
    let result = EdgeRows(try work.buffer(0, count: count), try work.buffer(0, count: count))
    let numbers = try work.buffer(UInt32(0), count: count)
    let order = try work.buffer(UInt32(0), count: Int(links.componentCount) + 1)
    var last: UInt32 = 0
    try links.forEachPair(work) { one, other in
      let component = links.component(one, other)
      if order[component] == 0 {
        last += 1
        order[component] = last
      }
      numbers[result.count] = order[component]
      result.append(one, other)
    }
    return result.result([.number(numbers)])
  }
}

/// The pairs of neighbours without whose edge the graph falls apart further.
///
/// Direction, loops and repeated edges do not matter; each pair comes once, its lesser vertex first.
///
/// - Complexity: as of `LowLinks`; 8 bytes a vertex for the result.
struct Bridges: GraphAlgorithm {
  init(_ arguments: GraphArgumentValues) {}

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let links = try LowLinks(try SimpleGraph(graph, work), work)
    // An edge that is alone in its component.
    let sizes = try work.buffer(UInt32(0), count: Int(links.componentCount) + 1)
    try links.forEachPair(work) { one, other in sizes[links.component(one, other)] &+= 1 }
    let count = graph.vertexCount
    let result = EdgeRows(try work.buffer(0, count: count), try work.buffer(0, count: count))
    try links.forEachPair(work) { one, other in
      if sizes[links.component(one, other)] == 1 { result.append(one, other) }
    }
    return result.result([])
  }
}

/// The vertices without which the graph falls apart further.
///
/// Direction, loops and repeated edges do not matter.
///
/// - Complexity: as of `LowLinks`; 4 bytes a vertex for the result.
struct ArticulationPoints: GraphAlgorithm {
  init(_ arguments: GraphArgumentValues) {}

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let links = try LowLinks(try SimpleGraph(graph, work), work)
    let joints = try work.buffer(UInt32(0), count: graph.vertexCount)
    var count = 0
    for place in 0..<graph.vertexCount {
      let vertex = UInt32(truncatingIfNeeded: place)
      if links.joints.contains(vertex) {
        joints[count] = vertex
        count += 1
      }
    }
    return GraphResult(rows: .listed([joints], count: count), columns: [])
  }
}

extension LowLinks {
  /// Hands over each pair of neighbours once, the lesser first.
  fileprivate func forEachPair(
    _ work: GraphWork, _ body: (UInt32, UInt32) -> Void
  ) throws(SQLError) {
    for place in 0..<graph.vertexCount {
      if place & 0xFFF == 0xFFF { try work.check() }
      let vertex = UInt32(truncatingIfNeeded: place)
      for place in graph.places(of: vertex) where graph.neighbours[place] > vertex {
        body(vertex, graph.neighbours[place])
      }
    }
  }
}
