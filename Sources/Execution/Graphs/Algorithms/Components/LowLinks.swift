import Columnar
import Diagnostics

/// What a search into the depth finds about the ways round in a graph without direction: which edges lie on a common
/// cycle.
///
/// The edges of a component that does not fall apart when any one vertex is taken away hang under one edge of the
/// search's tree. So a number for each vertex, that of the edge which it was found by, says what component each edge
/// is of: that of its end found later.
///
/// Source: J. Hopcroft and R. Tarjan, "Algorithm 447: Efficient Algorithms for Graph Manipulation" (Communications of
/// the ACM 16, 1973); with a stack of its own in place of recursion.
///
/// - Complexity: O(vertices + edges); 20 bytes a vertex, and 4 for each on the way down.
struct LowLinks {
  let graph: SimpleGraph
  /// When each vertex was found, from 1 on.
  let found: Buffer<UInt32>
  /// The number of the component of the edge that a vertex was found by; 0 for one where a search began.
  let components: Buffer<UInt32>
  /// The vertices that belong to more than one component.
  let joints: VertexSet
  /// How many edges each component has, which are numbered from 1 on.
  private(set) var componentCount: UInt32 = 0

  private let lows: Buffer<UInt32>
  /// The place of the edge to be looked at next.
  private let next: Buffer<UInt32>
  private var clock: UInt32 = 0
  private var path: [UInt32] = []
  /// Vertices whose component is not complete.
  private var pending: [UInt32] = []

  init(_ graph: SimpleGraph, _ work: GraphWork) throws(SQLError) {
    self.graph = graph
    let count = graph.vertexCount
    found = try work.buffer(0, count: count)
    components = try work.buffer(0, count: count)
    lows = try work.buffer(0, count: count)
    next = try work.buffer(0, count: count)
    joints = try VertexSet(count, work)
    for vertex in 0..<count where found[vertex] == 0 {
      try search(UInt32(truncatingIfNeeded: vertex), work)
    }
    path = []
    pending = []
  }

  /// The number of the component of an edge.
  @inline(__always)
  func component(_ one: UInt32, _ other: UInt32) -> UInt32 {
    found[one] > found[other] ? components[one] : components[other]
  }

  private mutating func search(_ root: UInt32, _ work: GraphWork) throws(SQLError) {
    begin(root)
    var branches = 0
    var steps = 0
    while let vertex = path.last {
      steps &+= 1
      if steps & 0xFFF == 0 { try work.check() }
      if let child = advance(vertex) {
        begin(child)
        continue
      }
      path.removeLast()
      guard let parent = path.last else { break }
      lows[parent] = min(lows[parent], lows[vertex])
      if lows[vertex] < found[parent] { continue }
      // Nothing below leads past the parent.
      close(vertex)
      if path.count == 1 { branches += 1 } else { joints.insert(parent) }
    }
    if branches > 1 { joints.insert(root) }
    // The root itself, which no edge leads to.
    pending.removeAll(keepingCapacity: true)
  }

  private mutating func begin(_ vertex: UInt32) {
    clock += 1
    found[vertex] = clock
    lows[vertex] = clock
    next[vertex] = graph.starts[vertex]
    path.append(vertex)
    pending.append(vertex)
  }

  /// Looks at the edges of a vertex up to the first that leads to one not found.
  private func advance(_ vertex: UInt32) -> UInt32? {
    let parent = path.count > 1 ? path[path.count - 2] : vertex
    let end = Int(graph.starts[Int(vertex) + 1])
    var place = Int(next[vertex])
    var low = lows[vertex]
    while place < end {
      let target = graph.neighbours[place]
      place += 1
      let time = found[target]
      if time == 0 {
        next[vertex] = UInt32(truncatingIfNeeded: place)
        lows[vertex] = low
        return target
      }
      if target != parent { low = min(low, time) }
    }
    next[vertex] = UInt32(truncatingIfNeeded: place)
    lows[vertex] = low
    return nil
  }

  /// Numbers the component whose first edge is the one that a vertex was found by.
  private mutating func close(_ vertex: UInt32) {
    componentCount += 1
    while let last = pending.popLast() {
      components[last] = componentCount
      if last == vertex { return }
    }
  }
}
