import Columnar
import Diagnostics

/// As many pairs of neighbours as there can be such that no vertex of the one side is in two, and none of the other
/// in more than `capacity`, or than its own column `capacities` says.
///
/// The one side are the vertices that edges lead from and the other those that they lead to, as in a junction of two
/// tables. Where some are both, sides are told from each other by going along edges, from the least vertex of each
/// component, which is of the first side; direction, loops and repeated edges do not matter then.
///
/// Source: J. E. Hopcroft and R. M. Karp, "An n^5/2 Algorithm for Maximum Matchings in Bipartite Graphs" (SIAM
/// Journal on Computing 2, 1973).
///
/// - Complexity: O(√vertices · edges); 29 bytes a vertex, and 12 an edge.
struct BipartiteMatching: GraphAlgorithm {
  private let capacity: Int
  /// Those of vertices by themselves; not a number where a vertex has none.
  private let capacities: Buffer<Double>?

  init(_ arguments: GraphArgumentValues) throws(SQLError) {
    capacity = arguments.isGiven(0) ? arguments.integer(0) : 1
    capacities = arguments.columns.first
    try arguments.require(
      !arguments.isGiven(0) || capacities == nil, "only one of capacity and capacities is taken")
    try arguments.require(capacity >= 0, "capacity must not be negative")
  }

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let simple = try SimpleGraph(graph, work)
    let sides = try sides(of: graph, simple, work)
    try checkCapacities(of: simple, besides: sides, work)
    let matcher = try Matcher(simple, isFirst: sides, work) { vertex in
      guard let capacities else { return capacity }
      // Not a number for vertices without edges alone.
      let own = capacities[vertex]
      return own >= 0 ? Int(min(own, Double(UInt32.max))) : 0
    }
    while try matcher.improve(work) {}
    let count = graph.vertexCount
    let rows = EdgeRows(try work.buffer(0, count: count), try work.buffer(0, count: count))
    for vertex in 0..<count where matcher.partners[vertex] != .max {
      rows.append(UInt32(truncatingIfNeeded: vertex), matcher.partners[vertex])
    }
    return rows.result([])
  }

  /// - Throws: 22004 for a vertex of the second side whose capacity is not known, 22023 for a negative one; 57014.
  private func checkCapacities(
    of graph: SimpleGraph, besides first: VertexSet, _ work: GraphWork
  ) throws(SQLError) {
    guard let capacities else { return }
    for place in 0..<graph.vertexCount {
      if place & 0xFFF == 0 { try work.check() }
      let vertex = UInt32(truncatingIfNeeded: place)
      if capacities[place] >= 0 || first.contains(vertex) || graph.degree(of: vertex) == 0 {
        continue
      }
      let detail = "It is that of \(try work.names.listed([vertex]))."
      if capacities[place] < 0 {
        throw SQLError(
          .invalidParameterValue, "a capacity in matching must not be negative", detail: detail)
      }
      throw SQLError(
        .nullNotAllowed, "a capacity in matching is not known", detail: detail,
        hint: "Give the row a number of pairs in which it may be.")
    }
  }

  /// The vertices of the first side.
  private func sides(
    of graph: GraphTopology, _ simple: SimpleGraph, _ work: GraphWork
  ) throws(SQLError) -> VertexSet {
    let first = try VertexSet(graph.vertexCount, work)
    var isMixed = false
    for place in 0..<graph.vertexCount {
      let vertex = UInt32(truncatingIfNeeded: place)
      if graph.out.degree(of: vertex) == 0 { continue }
      first.insert(vertex)
      isMixed = isMixed || graph.into.degree(of: vertex) > 0
    }
    if !isMixed { return first }
    if capacity > 1 || capacities != nil {
      throw SQLError(
        .invalidParameterValue,
        "capacities need edges that lead from vertices of one side to those of the other",
        hint: "Give the pairs by a query whose columns have no value in common.")
    }
    return try colours(of: simple, work)
  }

  /// Sides such that no neighbours are of the same one.
  ///
  /// - Throws: 22023 where there are none.
  private func colours(of graph: SimpleGraph, _ work: GraphWork) throws(SQLError) -> VertexSet {
    let first = try VertexSet(graph.vertexCount, work)
    let seen = try VertexSet(graph.vertexCount, work)
    let queue = try work.buffer(UInt32(0), count: graph.vertexCount)
    for start in 0..<graph.vertexCount {
      let start = UInt32(truncatingIfNeeded: start)
      if seen.contains(start) { continue }
      seen.insert(start)
      first.insert(start)
      queue[0] = start
      var (place, count) = (0, 1)
      while place < count {
        if place & 0xFFF == 0xFFF { try work.check() }
        let vertex = queue[place]
        place += 1
        let side = first.contains(vertex)
        for place in graph.places(of: vertex) {
          let other = graph.neighbours[place]
          if !seen.contains(other) {
            seen.insert(other)
            if !side { first.insert(other) }
            queue[count] = other
            count += 1
          } else if first.contains(other) == side {
            throw SQLError(
              .invalidParameterValue,
              "the graph has no two sides: a way round of odd length leads along"
                + " \(try work.names.listed([vertex, other]))")
          }
        }
      }
    }
    return first
  }
}

/// A matching that grows along the shortest ways on which pairs that are in it and pairs that are not take turns.
private final class Matcher {
  private let graph: SimpleGraph
  private let isFirst: VertexSet
  /// The partner of each vertex of the first side.
  let partners: Buffer<UInt32>
  /// The seats of each vertex of the other side: where they begin, how many are taken, and by whom.
  private let starts: Buffer<UInt32>
  private let taken: Buffer<UInt32>
  private let seats: Buffer<UInt32>
  /// How many pairs away from a vertex without partner each vertex is; -1 where it is not reached.
  private let levels: Buffer<Int32>
  /// The edge, or the seat, to be looked at next.
  private let next: Buffer<UInt32>
  private let queue: Buffer<UInt32>
  private var path: [UInt32] = []
  private var pathSeats: [UInt32] = []

  init(
    _ graph: SimpleGraph, isFirst: VertexSet, _ work: GraphWork,
    capacity: (_ vertex: UInt32) -> Int
  ) throws(SQLError) {
    let count = graph.vertexCount
    (self.graph, self.isFirst) = (graph, isFirst)
    partners = try work.buffer(.max, count: count)
    starts = try work.buffer(0, count: count + 1)
    taken = try work.buffer(0, count: count)
    levels = try work.buffer(-1, count: count)
    next = try work.buffer(0, count: count)
    queue = try work.buffer(0, count: count)
    for place in 0..<count {
      let vertex = UInt32(truncatingIfNeeded: place)
      let room = isFirst.contains(vertex) ? 0 : min(capacity(vertex), graph.degree(of: vertex))
      starts[place + 1] = starts[place] + UInt32(truncatingIfNeeded: room)
    }
    seats = try work.buffer(.max, count: Int(starts[count]))
  }

  @inline(__always)
  private func isFull(_ vertex: UInt32) -> Bool {
    starts[vertex] &+ taken[vertex] == starts[Int(vertex) + 1]
  }

  /// Makes more pairs, if there can be more.
  func improve(_ work: GraphWork) throws(SQLError) -> Bool {
    if try !measure(work) { return false }
    for place in 0..<graph.vertexCount {
      let vertex = UInt32(truncatingIfNeeded: place)
      next[place] = isFirst.contains(vertex) ? graph.starts[place] : starts[place]
    }
    var grows = false
    for place in 0..<graph.vertexCount where levels[place] == 0 {
      if place & 0xFFF == 0xFFF { try work.check() }
      grows = try grow(from: UInt32(truncatingIfNeeded: place), work) || grows
    }
    return grows
  }

  /// Finds the levels; false if no seat that is free can be reached.
  private func measure(_ work: GraphWork) throws(SQLError) -> Bool {
    levels.fill(0..<graph.vertexCount, with: -1)
    var (first, count) = (0, 0)
    for place in 0..<graph.vertexCount {
      let vertex = UInt32(truncatingIfNeeded: place)
      if isFirst.contains(vertex), partners[place] == .max {
        levels[place] = 0
        queue[count] = vertex
        count += 1
      }
    }
    var isFree = false
    while first < count {
      if first & 0xFFF == 0xFFF { try work.check() }
      let vertex = queue[first]
      first += 1
      let level = levels[vertex] + 1
      for place in graph.places(of: vertex) {
        let other = graph.neighbours[place]
        if levels[other] >= 0 { continue }
        levels[other] = level
        if !isFull(other) { isFree = true }
        for seat in starts[other]..<starts[other] + taken[other] where levels[seats[seat]] < 0 {
          levels[seats[seat]] = level
          queue[count] = seats[seat]
          count += 1
        }
      }
    }
    return isFree
  }

  /// Gives a vertex a partner, those who have to move for it going to others; false if that cannot be.
  private func grow(from start: UInt32, _ work: GraphWork) throws(SQLError) -> Bool {
    path = [start]
    pathSeats = []
    var steps = 0
    while let vertex = path.last {
      steps &+= 1
      if steps & 0xFFF == 0 { try work.check() }
      switch step(from: vertex) {
      case .free(let other):
        seat(at: other)
        return true
      case .seat(let seat):
        path.append(seats[seat])
        pathSeats.append(seat)
      case nil:
        path.removeLast()
        _ = pathSeats.popLast()
      }
    }
    return false
  }

  private enum Step {
    /// A vertex that has a free seat.
    case free(UInt32)
    /// A seat whose holder may find another.
    case seat(UInt32)
  }

  private func step(from vertex: UInt32) -> Step? {
    let end = graph.starts[Int(vertex) + 1]
    while next[vertex] < end {
      let other = graph.neighbours[next[vertex]]
      if levels[other] == levels[vertex] + 1 {
        if !isFull(other) { return .free(other) }
        while next[other] < starts[Int(other) + 1] {
          let seat = next[other]
          next[other] = seat &+ 1
          if levels[seats[seat]] == levels[other] { return .seat(seat) }
        }
      }
      next[vertex] &+= 1
    }
    return nil
  }

  /// Takes a free seat for the last of the path, and the seats left for those before.
  private func seat(at vertex: UInt32) {
    var (seat, holder) = (starts[vertex] &+ taken[vertex], vertex)
    taken[vertex] &+= 1
    while let last = path.popLast() {
      let left = partners[last]
      partners[last] = holder
      seats[seat] = last
      if let before = pathSeats.popLast() { (seat, holder) = (before, left) }
    }
  }
}
