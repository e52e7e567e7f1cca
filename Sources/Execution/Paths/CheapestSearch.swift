import Columnar
import Diagnostics
import Planning
import SQLSyntax

/// A search that goes on with the cheapest path first: for the cheapest one or the `k` cheapest walks, and for all paths that a
/// mode allows.
///
/// Of paths that cost the same those of fewer edges come first, so that an edge that costs nothing leads on as well, and a
/// circle without cost comes to an end. A walk among the `k` cheapest to a vertex passes every vertex by one of the `k` cheapest
/// walks to that, so no more are gone on with; no path can be left out where a mode forbids some.
///
/// Source: E. W. Dijkstra, "A Note on Two Problems in Connexion with Graphs" (Numerische Mathematik 1, 1959), over pairs of a
/// vertex and a state of the pattern.
///
/// - Complexity: O(k · edges · log edges) for each start, with edges once for each state; for a mode the number of paths.
final class CheapestSearch<Cost: PathCost>: PathFinder {
  /// A path by its last edge and the path before it.
  private struct Node: BitwiseCopyable {
    /// -1 for the start.
    var parent: Int32
    var length: Int32
    var state: Int
    var step: PathStep
    var cost: Cost
  }
  private struct Waiting: HeapEntry {
    let cost: Cost
    let length: Int32
    let node: Int32

    @inline(__always)
    static func isBefore(_ one: Waiting, _ other: Waiting) -> Bool {
      if one.cost != other.cost { return one.cost < other.cost }
      return one.length != other.length ? one.length < other.length : one.node < other.node
    }
  }
  /// What has been given for one end.
  private struct Given {
    var paths = 0
    var least: Cost
  }

  private let costs: [Buffer<Cost>]
  private let pathLimit: Int
  /// Whether all paths of the least cost are wanted, however many.
  private let wantsTies: Bool
  /// Whether no mode forbids paths, so that some ways to a vertex stand for all.
  private let isWalk: Bool
  private let needsSteps: Bool
  private var nodes: [Node] = []
  private var heap = LeastHeap<Waiting>()
  /// By pair of a state and a vertex: the best node where one path is wanted, else how many have gone on.
  private var map: StateMap
  private var keys: [Int] = []
  private var given: [UInt32: Given] = [:]
  private var path = OpenPath()
  private var start: UInt32 = 0
  private var doneCount = 0
  private var edgeCount = 0
  /// The cost of the last end that was found first.
  private var lastCost = Cost.nothing

  init(
    _ graph: PathGraph, _ rules: RoundRules?, _ costs: [Buffer<Cost>], needsSteps: Bool
  ) {
    self.costs = costs
    self.needsSteps = needsSteps
    pathLimit = graph.pattern.selector.limits.paths
    wantsTies = graph.pattern.selector == .allCheapest
    isWalk = graph.pattern.mode == .walk && graph.pattern.parts.isEmpty
    map = StateMap(keyLimit: (graph.finalState + 1) * graph.vertexCount)
    super.init(graph, rules)
  }

  override func search(
    from start: UInt32, into found: PathCollector
  ) throws(SQLError) -> Bool {
    defer { forget() }
    forgetSeen()
    self.start = start
    let step = PathStep(state: 0, edge: 0, row: 0, vertex: start)
    try push(Node(parent: -1, length: 0, state: 0, step: step, cost: .nothing), found)
    while doneCount != found.endCount, let next = heap.pop() {
      if wantsTies, given.count == found.endCount, next.cost > lastCost { return true }
      if try !visit(Int(next.node), found) { return false }
    }
    return true
  }

  private func forget() {
    map.clear(keys)
    keys.removeAll(keepingCapacity: true)
    nodes.removeAll(keepingCapacity: true)
    heap.removeAll()
    given.removeAll(keepingCapacity: true)
    doneCount = 0
  }

  private func visit(_ number: Int, _ found: PathCollector) throws(SQLError) -> Bool {
    let vertex = nodes[number].step.vertex
    var state = nodes[number].state
    while try goesOn(number, state) {
      if state == graph.finalState {
        return found.wants(vertex) ? try give(number, found) : true
      }
      try walk(from: number, state, found)
      guard let skipped = graph.skip(from: state, at: vertex) else { return true }
      state = skipped
    }
    return true
  }

  /// Whether a path, which has come to a state, is one of those that stand for all.
  private func goesOn(_ number: Int, _ state: Int) throws(SQLError) -> Bool {
    guard isWalk, merges(state) else { return true }
    let key = state * graph.vertexCount + Int(nodes[number].step.vertex)
    let known = map[key]
    if pathLimit == 1 {
      if known == UInt32(truncatingIfNeeded: number) { return true }
      if known != StateMap.none, !isBetter(nodes[number], known) { return false }
      set(key, UInt32(truncatingIfNeeded: number), known)
      return true
    }
    let count = known == StateMap.none ? 0 : Int(known)
    if count >= pathLimit { return false }
    if isAmbiguous {
      read(number)
      if !isNew(path.steps, at: key) { return false }
    }
    set(key, UInt32(truncatingIfNeeded: count + 1), known)
    return true
  }

  @inline(__always)
  private func isBetter(_ node: Node, _ known: UInt32) -> Bool {
    let other = nodes[Int(known)]
    return node.cost < other.cost || node.cost == other.cost && node.length < other.length
  }

  @inline(__always)
  private func set(_ key: Int, _ value: UInt32, _ known: UInt32) {
    if known == StateMap.none { keys.append(key) }
    map.set(key, value)
  }

  /// Lets paths go on by the edges that lead on.
  private func walk(
    from number: Int, _ state: Int, _ found: PathCollector
  ) throws(SQLError) {
    let node = nodes[number]
    if isWalk, rules == nil {
      try graph.forEachMove(from: state, at: node.step.vertex) {
        (next, step, cost) throws(SQLError) in
        try goOn(from: number, node, next, step, cost, found)
      }
      return
    }
    read(number)
    try path.forEachStep(on: state, graph, rules, found) { (candidate) throws(SQLError) in
      let cost = graph.cost(of: candidate.step)
      try goOn(from: number, node, candidate.next, candidate.step, cost, found)
    }
  }

  @inline(__always)
  private func goOn(
    from number: Int, _ node: Node, _ next: Int, _ step: PathStep, _ cost: Int,
    _ found: PathCollector
  ) throws(SQLError) {
    guard let sum = try node.cost.adding(cost, of: step.row, costs) else { return }
    try push(
      Node(
        parent: Int32(truncatingIfNeeded: number), length: node.length + 1, state: next,
        step: step, cost: sum), found)
  }

  @inline(__always)
  private func push(_ node: Node, _ found: PathCollector) throws(SQLError) {
    edgeCount &+= 1
    if edgeCount & 0xFFF == 0 {
      try found.check()
      try account.set(byteCount)
    }
    let number = nodes.count
    if isWalk, merges(node.state) {
      let key = node.state * graph.vertexCount + Int(node.step.vertex)
      let known = map[key]
      if pathLimit == 1 {
        if known != StateMap.none, !isBetter(node, known) { return }
        set(key, UInt32(truncatingIfNeeded: number), known)
      } else if known != StateMap.none, Int(known) >= pathLimit {
        return
      }
    }
    guard number < Int(Int32.max) else { throw Self.tooMany }
    nodes.append(node)
    heap.push(
      Waiting(
        cost: node.cost, length: node.length, node: Int32(truncatingIfNeeded: number)))
  }

  private static var tooMany: SQLError {
    SQLError(
      .programLimitExceeded, "a search for paths has found too many of them",
      hint: "Bound the path by a quantifier such as {1,5}.")
  }

  private var byteCount: Int {
    map.byteCount + nodes.capacity * MemoryLayout<Node>.stride + heap.byteCount
      + keys.capacity * MemoryLayout<Int>.stride + seenByteCount
  }

  // MARK: Paths

  /// Makes `path` that of a node.
  private func read(_ number: Int) {
    path.start(at: start)
    var current = number
    while nodes[current].parent >= 0 {
      path.append(nodes[current].step)
      current = Int(nodes[current].parent)
    }
    path.reverse()
  }

  /// Gives a whole path, if it is wanted.
  private func give(_ number: Int, _ found: PathCollector) throws(SQLError) -> Bool {
    let node = nodes[number]
    let end = node.step.vertex
    if needsSteps || !isWalk { read(number) }
    if isWalk {
      let key = graph.finalState * graph.vertexCount + Int(end)
      if pathLimit == 1 || Int(map[key]) == pathLimit { doneCount += 1 }
    } else {
      var known = given[end] ?? Given(least: node.cost)
      guard known.paths < pathLimit, !(wantsTies && known.least < node.cost), isNew(path.steps)
      else { return true }
      if known.paths == 0 { lastCost = node.cost }
      known.paths += 1
      given[end] = known
      if known.paths == pathLimit { doneCount += 1 }
    }
    return try found.take(
      end: end, length: node.length, needsSteps ? path.steps : [], cost: node.cost.bits)
  }
}
