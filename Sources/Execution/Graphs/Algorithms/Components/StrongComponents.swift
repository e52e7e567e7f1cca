import Columnar
import Diagnostics

/// Which vertices can reach each other.
///
/// Where there are many edges most vertices often are of one component: those that one of them can reach and that can reach it, which
/// two searches in breadth by all workers tell. One worker goes through the others in depth.
///
/// Sources: D. J. Pearce, "A Space-Efficient Algorithm for Finding Strongly Connected Components" (Information Processing Letters 116,
/// 2016), after R. E. Tarjan, with a stack of its own in place of recursion; L. Fleischer, B. Hendrickson and A. Pınar, "On Identifying
/// Strongly Connected Components in Parallel" (IPDPS 2000) for the first component.
///
/// - Complexity: O(vertices + edges); 12 bytes and two bits a vertex, and 56 for each on the longest way that is gone down.
struct StrongComponents: GraphAlgorithm {
  init(_ arguments: GraphArgumentValues) {}

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let count = graph.vertexCount
    var search = Search(
      lists: graph.walked, roots: try work.buffer(UInt32(0), count: count),
      last: UInt32(truncatingIfNeeded: count))
    if count >= Self.manyVertices, graph.walked.edgeCount >= count {
      try search.takeFirst(graph, work)
    }
    for place in 0..<count {
      let vertex = UInt32(truncatingIfNeeded: place)
      if search.roots[place] == 0, graph.isVertex(vertex) { try search.visit(vertex, work) }
    }
    let roots = search.roots
    // Components were numbered downwards from the count of vertices.
    return try .groups(graph, work) { roots[$0] &- 1 }
  }

  /// With fewer, or with fewer edges than vertices, one search in depth is all.
  private static var manyVertices: Int { 1 << 14 }

  private struct Search {
    let lists: GraphLists
    /// 0 for a vertex not seen, the order of the first vertex that is known to be of its component, or at last the component's number.
    let roots: Buffer<UInt32>
    /// The number of the next component.
    var last: UInt32
    private var next: UInt32 = 1
    /// Vertices that have been left whose component is not complete.
    private var pending: [UInt32] = []
    /// The way down.
    private var path: [Step] = []

    init(lists: GraphLists, roots: Buffer<UInt32>, last: UInt32) {
      (self.lists, self.roots, self.last) = (lists, roots, last)
    }

    /// Finds the component of a vertex that many edges lead to and from, before all others.
    mutating func takeFirst(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) {
      guard let start = try busiest(graph, work) else { return }
      let reached = try VertexSet(graph.vertexCount, work)
      var search = try LevelSearch(graph, lists, graph.reversed, work)
      try search.run(from: [start])
      for place in 0..<search.reached { reached.insert(search.order[place]) }
      search.restart(along: graph.reversed, against: lists)
      try search.run(from: [start])
      for place in 0..<search.reached where reached.contains(search.order[place]) {
        roots[search.order[place]] = last
      }
      last -= 1
    }

    /// The first of those with most edges in the direction in which they have fewer; nil where none has edges in both.
    private func busiest(
      _ graph: GraphTopology, _ work: GraphWork
    ) throws(SQLError) -> UInt32? {
      let size = GraphWork.blockSize
      let best = Buffer<(vertex: UInt32, degree: Int)>(
        repeating: (0, 0), count: graph.vertexCount / size + 1)
      let (lists, reversed) = (lists, graph.reversed)
      try work.forEachBlock(graph.vertexCount) { range in
        var own: (vertex: UInt32, degree: Int) = (0, 0)
        for place in range {
          let vertex = UInt32(truncatingIfNeeded: place)
          let degree = min(lists.degree(of: vertex), reversed.degree(of: vertex))
          if degree > own.degree { own = (vertex, degree) }
        }
        best[range.lowerBound / size] = own
      }
      var found: (vertex: UInt32, degree: Int) = (0, 0)
      for block in 0..<best.count where best[block].degree > found.degree { found = best[block] }
      return found.degree > 0 ? found.vertex : nil
    }

    mutating func visit(_ start: UInt32, _ work: GraphWork) throws(SQLError) {
      var step = begin(start)
      var count = 0
      while true {
        count &+= 1
        if count & 0xFFF == 0 { try work.check() }
        if let target = step.next(lists) {
          let root = roots[target]
          if root == 0 {
            if path.count == path.capacity {
              try work.account.charge(max(64, path.capacity) * MemoryLayout<Step>.stride)
            }
            path.append(step)
            step = begin(target)
          } else {
            lower(&step, to: root)
          }
          continue
        }
        finish(step)
        guard var before = path.popLast() else { return }
        lower(&before, to: roots[step.vertex])
        step = before
      }
    }

    private mutating func begin(_ vertex: UInt32) -> Step {
      roots[vertex] = next
      next += 1
      return Step(vertex, lists)
    }

    private func lower(_ step: inout Step, to root: UInt32) {
      if root < roots[step.vertex] {
        roots[step.vertex] = root
        step.isRoot = false
      }
    }

    private mutating func finish(_ step: Step) {
      if !step.isRoot { return pending.append(step.vertex) }
      let own = roots[step.vertex]
      next -= 1
      while let other = pending.last, roots[other] >= own {
        pending.removeLast()
        roots[other] = last
        next -= 1
      }
      roots[step.vertex] = last
      last -= 1
    }
  }

  /// A vertex on the way down, and where its edges are gone through.
  private struct Step {
    let vertex: UInt32
    /// Whether it is the first of its component as far as is known.
    var isRoot = true
    private var number = 0
    private var place = 0
    private var run: GraphRun?

    init(_ vertex: UInt32, _ lists: GraphLists) {
      self.vertex = vertex
      run = lists.run(0, of: vertex)
    }

    /// Where the next edge leads; nil behind the last.
    @inline(__always)
    mutating func next(_ lists: GraphLists) -> UInt32? {
      while let run {
        if place < run.count {
          place &+= 1
          return run.targets[place &- 1] &+ run.base
        }
        number += 1
        place = 0
        self.run = lists.run(number, of: vertex)
      }
      return nil
    }
  }
}
