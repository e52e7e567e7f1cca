import Columnar
import Diagnostics

/// Which way the edges between two neighbours lead: 1 for from the first to the second, 2 for back, 3 for both.
typealias EdgeWay = UInt8

/// Finds each triangle of a graph once, with the ways of its three edges.
///
/// As in `Triangles`, every edge is kept at its end of lesser degree only.
struct DirectedTriangles: Sendable {
  let simple: SimpleGraph
  private let forward: ForwardLists
  /// By entry of the forward lists.
  private let ways: Buffer<EdgeWay>

  init(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) {
    let simple = try SimpleGraph(graph, work)
    let forward = try ForwardLists(simple, work)
    let ways = try work.buffer(EdgeWay(3), count: forward.targets.count)
    (self.simple, self.forward, self.ways) = (simple, forward, ways)
    if !graph.isDirected { return }
    try Self.withMarks(graph.vertexCount, work) { marks, vertex in
      graph.out.forEach(of: vertex) { marks[$0] |= 1 }
      graph.into.forEach(of: vertex) { marks[$0] |= 2 }
      for place in forward.places(of: vertex) { ways[place] = marks[forward.targets[place]] }
      graph.out.forEach(of: vertex) { marks[$0] = 0 }
      graph.into.forEach(of: vertex) { marks[$0] = 0 }
    }
  }

  /// Calls `body` for each vertex with marks of all vertices, which it leaves as they were: 0.
  private static func withMarks(
    _ count: Int, _ work: GraphWork, _ body: @escaping @Sendable (Buffer<EdgeWay>, UInt32) -> Void
  ) throws(SQLError) {
    var marks: [Buffer<EdgeWay>] = []
    for _ in 0..<work.workerCount { marks.append(try work.buffer(0, count: count)) }
    try work.forEachBlock(count, size: 64, among: marks) { marks, range in
      for vertex in range { body(marks, UInt32(truncatingIfNeeded: vertex)) }
    }
  }

  /// A triangle: its corners, and the ways from the first to the second, from the second to the third, from the first to the third.
  struct Found {
    let corners: (UInt32, UInt32, UInt32)
    let ways: (EdgeWay, EdgeWay, EdgeWay)
  }

  /// Hands over each triangle to the state of the worker that finds it.
  @inline(__always)
  func forEach<State>(
    among states: [State], _ work: GraphWork, _ body: @escaping @Sendable (State, Found) -> Void
  ) throws(SQLError) {
    var both: [(state: State, marks: Buffer<EdgeWay>)] = []
    for state in states {
      both.append((state, try work.buffer(0, count: simple.vertexCount)))
    }
    try work.forEachBlock(simple.vertexCount, size: 64, among: both) { own, range in
      let marks = own.marks
      for number in range {
        let vertex = UInt32(truncatingIfNeeded: number)
        let neighbours = forward.places(of: vertex)
        if neighbours.count < 2 { continue }
        for place in neighbours { marks[forward.targets[place]] = ways[place] }
        for place in neighbours {
          let second = forward.targets[place]
          for other in forward.places(of: second) where marks[forward.targets[other]] != 0 {
            let third = forward.targets[other]
            body(
              own.state,
              Found(
                corners: (vertex, second, third), ways: (ways[place], ways[other], marks[third])))
          }
        }
        for place in neighbours { marks[forward.targets[place]] = 0 }
      }
    }
  }
}
