import Columnar
import Diagnostics

/// A graph without direction whose edges have weights, in which communities are sought.
///
/// A vertex may stand for many of the graph that it was made of.
struct WeightedGraph: Sendable {
  let vertexCount: Int
  /// Where the list of each vertex begins, and one entry more.
  let starts: Buffer<UInt32>
  let targets: Buffer<UInt32>
  /// By place in the lists, none of them 0; none where all edges weigh 1.
  private let weights: Buffer<Double>
  private let hasWeights: Bool
  /// The weight of the edges from each vertex to itself.
  let loops: Buffer<Double>
  /// The weight of all edges of each vertex, loops twice.
  let strengths: Buffer<Double>
  /// The weight of all edges.
  let total: Double

  @inline(__always)
  func places(of vertex: UInt32) -> Range<Int> {
    let vertex = Int(truncatingIfNeeded: vertex)
    return Int(truncatingIfNeeded: starts[vertex])..<Int(truncatingIfNeeded: starts[vertex &+ 1])
  }

  /// The weight of the edge in a place of the lists.
  @inline(__always)
  func weight(at place: Int) -> Double { hasWeights ? weights[place] : 1 }

  private init(
    _ count: Int, _ starts: Buffer<UInt32>, _ targets: Buffer<UInt32>, _ weights: Buffer<Double>?,
    _ loops: Buffer<Double>, _ work: GraphWork
  ) throws(SQLError) {
    let strengths = try work.buffer(0.0, count: count)
    let total = try work.sum(count) { range in
      var sum = 0.0
      for vertex in range {
        let first = Int(truncatingIfNeeded: starts[vertex])
        let end = Int(truncatingIfNeeded: starts[vertex &+ 1])
        var own = 2 * loops[vertex]
        if let weights {
          for place in first..<end { own += weights[place] }
        } else {
          own += Double(end - first)
        }
        strengths[vertex] = own
        sum += own
      }
      return sum
    }
    vertexCount = count
    hasWeights = weights != nil
    self.weights = weights ?? Buffer(uninitialized: 1)
    (self.starts, self.targets) = (starts, targets)
    (self.loops, self.strengths, self.total) = (loops, strengths, total / 2)
  }

  /// The edges of a graph, whichever way they lead.
  ///
  /// Edges with weights add up where they lead between the same vertices, and one of weight 0 is none; of edges without, one counts.
  ///
  /// - Throws: 22023 for a weight that is negative or infinite; 54000, 57014, 53200.
  init(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) {
    let count = graph.vertexCount
    let loops = try work.buffer(0.0, count: count)
    if graph.out.hasWeights {
      let lists = try WeightedLists(graph, loops, work)
      try self.init(count, lists.starts, lists.targets, lists.weights, loops, work)
      return
    }
    let simple = try SimpleGraph(graph, work)
    try work.forEachBlock(count) { range in
      for vertex in range {
        let own = UInt32(truncatingIfNeeded: vertex)
        graph.out.forEach(of: own) { if $0 == own { loops[vertex] = 1 } }
      }
    }
    try self.init(count, simple.starts, simple.neighbours, nil, loops, work)
  }

  /// The groups of another graph's vertices as vertices.
  ///
  /// - Complexity: O(vertices + edges).
  init(
    _ graph: WeightedGraph, groups: Buffer<UInt32>, count: Int, _ work: GraphWork
  ) throws(SQLError) {
    let members = try GroupMembers(groups, of: graph.vertexCount, count: count, work)
    // Each group's list has room for all edges of its members first.
    let rooms = try work.buffer(0, count: count + 1)
    for group in 0..<count {
      var room = 0
      for place in members.places(of: group) { room += graph.places(of: members.all[place]).count }
      rooms[group + 1] = rooms[group] + room
    }
    let room = rooms[count]
    let (ends, sums) = (
      try work.buffer(UInt32(0), count: room), try work.buffer(0.0, count: room)
    )
    let counts = try work.buffer(UInt32(0), count: count + 1)
    let loops = try work.buffer(0.0, count: count)
    var states: [Buffer<Double>] = []
    for _ in 0..<work.workerCount { states.append(try work.buffer(0, count: count)) }
    try work.forEachBlock(count, size: 256, among: states) { sum, range in
      for group in range {
        let own = UInt32(truncatingIfNeeded: group)
        let first = rooms[group]
        var next = first
        var inside = 0.0
        for place in members.places(of: group) {
          let member = members.all[place]
          inside += 2 * graph.loops[member]
          for place in graph.places(of: member) {
            let target = groups[graph.targets[place]]
            let weight = graph.weight(at: place)
            if target == own {
              inside += weight
              continue
            }
            if sum[target] == 0 {
              ends[next] = target
              next &+= 1
            }
            sum[target] += weight
          }
        }
        for place in first..<next {
          sums[place] = sum[ends[place]]
          sum[ends[place]] = 0
        }
        loops[group] = inside / 2
        counts[group + 1] = UInt32(truncatingIfNeeded: next - first)
      }
    }
    for group in 0..<count { counts[group + 1] &+= counts[group] }
    for group in 0..<count {
      let to = Int(counts[group])
      let length = Int(counts[group + 1]) - to
      ends.copy(ends, from: rooms[group], count: length, to: to)
      sums.copy(sums, from: rooms[group], count: length, to: to)
    }
    try self.init(count, counts, ends, sums, loops, work)
  }
}

/// The vertices of each group, one group behind another.
struct GroupMembers: Sendable {
  private let starts: Buffer<UInt32>
  let all: Buffer<UInt32>

  init(
    _ groups: Buffer<UInt32>, of vertexCount: Int, count: Int, _ work: GraphWork
  ) throws(SQLError) {
    starts = try work.buffer(0, count: count + 2)
    all = try work.buffer(0, count: vertexCount)
    // Counted two places further on, so that filling moves each start to where its group begins.
    for vertex in 0..<vertexCount { starts[Int(groups[vertex]) &+ 2] &+= 1 }
    for group in 0..<count { starts[group &+ 2] &+= starts[group &+ 1] }
    for vertex in 0..<vertexCount {
      let group = Int(groups[vertex]) &+ 1
      all[starts[group]] = UInt32(truncatingIfNeeded: vertex)
      starts[group] &+= 1
    }
  }

  @inline(__always)
  func places(of group: Int) -> Range<Int> {
    Int(truncatingIfNeeded: starts[group])..<Int(truncatingIfNeeded: starts[group &+ 1])
  }
}

/// Lists of the neighbours of vertices whichever way edges lead, each once, with the weights of all edges to each.
private struct WeightedLists {
  let starts: Buffer<UInt32>
  let targets: Buffer<UInt32>
  let weights: Buffer<Double>

  /// The edges of one vertex.
  private final class Scratch {
    private(set) var edges: [(target: UInt32, weight: Double)] = []
    private(set) var loop = 0.0

    /// - Throws: 22023 for a weight that is negative or infinite.
    func gather(_ vertex: UInt32, _ graph: GraphTopology) throws(SQLError) {
      // In variables of its own, as every access to those of an object is checked.
      var (edges, loop) = ([(target: UInt32, weight: Double)](), 0.0)
      swap(&edges, &self.edges)
      defer {
        swap(&edges, &self.edges)
        self.loop = loop
      }
      edges.removeAll(keepingCapacity: true)
      var (least, greatest) = (0.0, 0.0)
      graph.out.forEachEdge(of: vertex) { target, weight in
        (least, greatest) = (min(least, weight), max(greatest, weight))
        if target == vertex {
          loop += weight
        } else if weight > 0 {
          edges.append((target, weight))
        }
      }
      graph.into.forEachEdge(of: vertex) { target, weight in
        if target != vertex, weight > 0 { edges.append((target, weight)) }
      }
      if least < 0 || greatest == .infinity {
        throw SQLError(
          .invalidParameterValue,
          "a weight is \(least < 0 ? "negative" : "infinite"), which communities do not take",
          hint: "Leave such edges out with a query.")
      }
      edges.sort { $0.target < $1.target }
      var kept = 0
      for edge in edges {
        if kept > 0, edges[kept - 1].target == edge.target {
          edges[kept - 1].weight += edge.weight
        } else {
          edges[kept] = edge
          kept += 1
        }
      }
      edges.removeLast(edges.count - kept)
    }
  }

  init(_ graph: GraphTopology, _ loops: Buffer<Double>, _ work: GraphWork) throws(SQLError) {
    let count = graph.vertexCount
    let starts = try work.buffer(UInt32(0), count: count + 1)
    let states = (0..<work.workerCount).map { _ in Scratch() }
    try work.forEachBlock(count, among: states) { (scratch, range) throws(SQLError) in
      for vertex in range {
        try scratch.gather(UInt32(truncatingIfNeeded: vertex), graph)
        starts[vertex + 1] = UInt32(truncatingIfNeeded: scratch.edges.count)
        loops[vertex] = scratch.loop
      }
    }
    let total = try work.addUp(starts, count)
    let targets = try work.buffer(UInt32(0), count: total)
    let weights = try work.buffer(0.0, count: total)
    try work.forEachBlock(count, among: states) { (scratch, range) throws(SQLError) in
      for vertex in range {
        try scratch.gather(UInt32(truncatingIfNeeded: vertex), graph)
        var place = Int(starts[vertex])
        for edge in scratch.edges {
          targets[place] = edge.target
          weights[place] = edge.weight
          place += 1
        }
      }
    }
    (self.starts, self.targets, self.weights) = (starts, targets, weights)
  }
}
