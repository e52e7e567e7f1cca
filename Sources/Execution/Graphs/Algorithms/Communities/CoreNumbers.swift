import Columnar
import Diagnostics

/// The greatest *k* for each vertex such that it belongs to a part of the graph in which every vertex has *k* neighbours.
///
/// For one *k* after another, vertices with no more than *k* neighbours left are taken away, and those that come down to it by that.
/// Only vertices still there are looked at for the next *k*: each at most once for every neighbour that it has. Edges are walked where
/// they stand, once when neighbours are counted and once when the vertex is taken away.
///
/// Source: H. Kabir and K. Madduri, "Parallel k-Core Decomposition on Multicore Platforms" (IPDPSW 2017), by one worker; after
/// V. Batagelj and M. Zaveršnik, "An O(m) Algorithm for Cores Decomposition of Networks" (2003).
///
/// - Complexity: O(vertices + edges); 12 bytes a vertex and a quarter of one.
struct CoreNumbers: GraphAlgorithm {
  init(_ arguments: GraphArgumentValues) {}

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    GraphResult(rows: .vertices, columns: [.number(try cores(graph, work))])
  }

  /// What is known of a vertex, in one place as both are read together.
  private struct State: BitwiseCopyable {
    /// The neighbours that are left, which in the end is the vertex' number.
    var degree: UInt32 = 0
    /// The last neighbour that was taken away, as of several edges between two vertices the first counts; the vertex itself once it waits
    /// for being taken away.
    var taken = UInt32.max
  }

  /// Vertices that wait for being taken away, as many as there is room for.
  private struct Waiting {
    let vertices: Buffer<UInt32>
    var count = 0
    /// Whether one found no room: then all that are left are looked at again.
    var isIncomplete = false
  }

  /// Room for one vertex in so many: at most as often are all that are left looked at because there was no room.
  private static var share: Int { 16 }

  private func cores(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> Buffer<UInt32> {
    let count = graph.vertexCount
    let states = try work.buffer(State(), count: count)
    try countNeighbours(graph, states, work)
    let left = try work.vertices(count)
    var waiting = Waiting(
      vertices: try work.buffer(UInt32(0), count: max(1024, count / Self.share)))
    var (leftCount, core) = (count, UInt32(0))
    while leftCount > 0 {
      try work.check()
      var (kept, next) = (0, UInt32.max)
      waiting.isIncomplete = false
      for place in 0..<leftCount {
        let vertex = left[place]
        let state = states[vertex]
        // Those below were taken away for the last number.
        if state.degree < core || state.taken == vertex { continue }
        if state.degree == core, waiting.count < waiting.vertices.count {
          states[vertex].taken = vertex
          waiting.vertices[waiting.count] = vertex
          waiting.count &+= 1
        } else {
          left[kept] = vertex
          kept &+= 1
          next = min(next, state.degree)
        }
      }
      leftCount = kept
      // Where none has so few neighbours, the next number is the least that one has.
      if waiting.count == 0 {
        core = next
        continue
      }
      try take(&waiting, core, graph, states, work)
      if next > core && !waiting.isIncomplete { core += 1 }
    }
    // Nobody is left, so the room is.
    for vertex in 0..<count { left[vertex] = states[vertex].degree }
    return left
  }

  private func countNeighbours(
    _ graph: GraphTopology, _ states: Buffer<State>, _ work: GraphWork
  ) throws(SQLError) {
    let scratch = (0..<work.workerCount).map { _ in NeighbourScratch() }
    try work.forEachBlock(graph.vertexCount, among: scratch) { scratch, range in
      for vertex in range {
        states[vertex].degree = UInt32(
          truncatingIfNeeded: scratch.gather(
            of: UInt32(truncatingIfNeeded: vertex), graph.out, graph.into))
      }
    }
  }

  /// How many neighbours are looked at before the first is left.
  private static var stretch: Int { 256 }

  /// Takes vertices away that have `core` neighbours left, and all that come down to as many.
  ///
  /// Neighbours that are still there are found without a branch, so that many states are on their way from memory at the same time.
  private func take(
    _ waiting: inout Waiting, _ core: UInt32, _ graph: GraphTopology, _ states: Buffer<State>,
    _ work: GraphWork
  ) throws(SQLError) {
    let near = Buffer<UInt32>(uninitialized: Self.stretch)
    var steps = 0
    while waiting.count > 0 {
      steps &+= 1
      if steps & 0xFFF == 0 { try work.check() }
      waiting.count &-= 1
      let vertex = waiting.vertices[waiting.count]
      graph.out.forEachStretch(of: vertex) { targets, base, count in
        Self.leave(vertex, core, targets, base, count, near, states, &waiting)
      }
      graph.into.forEachStretch(of: vertex) { targets, base, count in
        Self.leave(vertex, core, targets, base, count, near, states, &waiting)
      }
    }
  }

  @inline(__always)
  private static func leave(
    _ vertex: UInt32, _ core: UInt32, _ targets: PagePointer<UInt32>, _ base: UInt32, _ count: Int,
    _ near: Buffer<UInt32>, _ states: Buffer<State>, _ waiting: inout Waiting
  ) {
    var start = 0
    while start < count {
      let stop = min(start &+ stretch, count)
      var found = 0
      for index in start..<stop {
        let neighbour = targets[index] &+ base
        near[found] = neighbour
        found &+= states[neighbour].degree > core ? 1 : 0
      }
      for place in 0..<found {
        let neighbour = near[place]
        let state = states[neighbour]
        if state.degree <= core || state.taken == vertex { continue }
        let degree = state.degree &- 1
        if degree > core {
          states[neighbour] = State(degree: degree, taken: vertex)
        } else if waiting.count < waiting.vertices.count {
          states[neighbour] = State(degree: degree, taken: neighbour)
          waiting.vertices[waiting.count] = neighbour
          waiting.count &+= 1
        } else {
          states[neighbour] = State(degree: degree, taken: vertex)
          waiting.isIncomplete = true
        }
      }
      start = stop
    }
  }
}
