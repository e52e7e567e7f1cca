import Columnar
import Diagnostics

/// Walks of at most `length` edges from each of `source`, or from every vertex, `walks` from each; a walk ends early where no edge leads on.
///
/// Each edge of the vertex where a walk is is as likely as its weight says. The numbers that decide follow from `seed`, the vertex where a walk
/// begins and its number: other walks do not change it.
///
/// - Complexity: O(edges + the length of all walks log degree); 4 bytes an edge, 8 more with weights, 4 a vertex on a walk.
struct RandomWalks: GraphAlgorithm {
  private let request: WalkRequest

  init(_ arguments: GraphArgumentValues) throws(SQLError) {
    request = try WalkRequest(arguments, seed: 3)
  }

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let lists = try WalkLists(graph, work)
    return try request.run(graph, work) { last, _, random in lists.next(of: last, &random) }
  }
}

/// Random walks that go back to the vertex before with a likeliness of 1/`p`, and to vertices that the one before does not lead to
/// with one of 1/`q`, compared with vertices that it leads to.
///
/// A small `q` leads away, as a search in depth; a great one stays near, as a search in breadth.
///
/// Sources: A. Grover and J. Leskovec, "node2vec: Scalable Feature Learning for Networks" (KDD 2016); drawn and refused as in
/// K. Yang, M. Zhang, K. Chen, X. Ma, Y. Bai and Y. Jiang, "KnightKing: A Fast Distributed Graph Random Walk Engine" (SOSP 2019).
///
/// - Complexity: as of `RandomWalks`, times a few tries a step, or the degree where `p` and `q` are far from 1.
struct Node2VecWalks: GraphAlgorithm {
  private let request: WalkRequest
  private let back: Double
  private let away: Double

  init(_ arguments: GraphArgumentValues) throws(SQLError) {
    let (p, q) = (arguments.double(3), arguments.double(4))
    for (name, value) in [("p", p), ("q", q)] {
      try arguments.require(
        value > 0 && value < .infinity, "\(name) must be positive and not infinite")
    }
    (back, away) = (1 / p, 1 / q)
    request = try WalkRequest(arguments, seed: 5)
  }

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let lists = try WalkLists(graph, work)
    return try request.run(graph, work) { last, before, random in
      guard let before else { return lists.next(of: last, &random) }
      return next(of: last, from: before, lists, &random)
    }
  }

  /// Draws as if there were no vertex before, and refuses what is drawn as often as that one says; after many refusals draws once from
  /// all edges by what they are then worth, which is as likely to give each.
  private func next(
    of last: UInt32, from before: UInt32, _ lists: WalkLists, _ random: inout GraphRandom
  ) -> UInt32? {
    let (most, least) = (max(1, back, away), min(1, back, away))
    func likeliness(_ next: UInt32) -> Double {
      next == before ? back : lists.leads(from: before, to: next) ? 1 : away
    }
    for _ in 0..<32 {
      guard let next = lists.next(of: last, &random) else { return nil }
      let number = random.unit() * most
      if number < least || number < likeliness(next) { return next }
    }
    let places = lists.places(of: last)
    func worth(_ place: Int) -> Double {
      lists.weight(at: place, in: places) * likeliness(lists.targets[place])
    }
    var rest = random.unit() * places.reduce(0) { $0 + worth($1) }
    var chosen: UInt32?
    for place in places {
      let own = worth(place)
      if own <= 0 { continue }
      chosen = lists.targets[place]
      if rest < own { break }
      rest -= own
    }
    return chosen
  }
}

/// How many walks there are to be, and from where.
struct WalkRequest: Sendable {
  private let sources: [UInt32]?
  private let length: Int
  private let walks: Int
  private let seed: Int

  /// `place` is that of the seed among the arguments.
  init(_ arguments: GraphArgumentValues, seed place: Int) throws(SQLError) {
    sources = arguments.isGiven(0) ? try arguments.vertices(0) : nil
    length = arguments.integer(1)
    walks = arguments.integer(2)
    seed = arguments.integer(place)
    try arguments.require(length >= 0, "length must not be negative")
    try arguments.require(walks > 0, "walks must be positive")
  }

  /// A vertex that a walk comes to, and whether it begins there.
  private struct Step: BitwiseCopyable {
    let vertex: UInt32
    let isFirst: Bool
  }

  /// Walks, each step of which `next` decides by the vertices reached last and before.
  func run(
    _ graph: GraphTopology, _ work: GraphWork,
    _ next: @escaping @Sendable (UInt32, UInt32?, inout GraphRandom) -> UInt32?
  ) throws(SQLError) -> GraphResult {
    let found = (0..<work.workerCount).map { _ in BlockRows<Step>(work) }
    let sources = sources ?? (0..<UInt32(graph.vertexCount)).filter { graph.isVertex($0) }
    try work.account.charge(4 * sources.count)
    let (length, walks, seed, context) = (length, walks, seed, work.context)
    // Each walk has its first vertex at least; said before the work is begun that there is no room for.
    let (bytes, isOver) = sources.count.multipliedReportingOverflow(by: 24 * walks)
    try RunningStatement.reserve(isOver ? .max / 2 : bytes)
    let count = sources.count * walks
    try work.forEachBlock(count, size: 256, among: found) { (rows, range) throws(SQLError) in
      var steps = 0
      for walk in range {
        let start = sources[walk / walks]
        var random = GraphRandom(
          seed: seed, stream: UInt64(start) << 32 | UInt64(truncatingIfNeeded: walk % walks))
        rows.append(Step(vertex: start, isFirst: true))
        var (last, before) = (start, UInt32?.none)
        for _ in 0..<length {
          steps += 1
          if steps & 0xFFF == 0 { try context.check() }
          guard let target = next(last, before, &random) else { break }
          rows.append(Step(vertex: target, isFirst: false))
          (last, before) = (target, last)
        }
      }
      try rows.endBlock(range.lowerBound)
    }
    return try Self.result(found, walkCount: count, walks, work)
  }

  private static func result(
    _ found: [BlockRows<Step>], walkCount: Int, _ walks: Int, _ work: GraphWork
  ) throws(SQLError) -> GraphResult {
    let count = found.reduce(0) { $0 + $1.count }
    try work.account.charge(4 * count + 8 * walkCount)
    var vertices: [UInt32] = []
    vertices.reserveCapacity(count)
    var starts: [Int] = []
    starts.reserveCapacity(walkCount + 1)
    let firsts = try work.buffer(UInt32(0), count: walkCount)
    let numbers = try work.buffer(UInt32(0), count: walkCount)
    try BlockRows.forEach(found, work) { place, step in
      if step.isFirst {
        firsts[starts.count] = step.vertex
        numbers[starts.count] = UInt32(truncatingIfNeeded: starts.count % walks + 1)
        starts.append(place)
      }
      vertices.append(step.vertex)
    }
    starts.append(count)
    return GraphResult(
      rows: .listed([firsts], count: walkCount),
      columns: [.number(numbers), .paths(starts: starts, vertices)])
  }
}
