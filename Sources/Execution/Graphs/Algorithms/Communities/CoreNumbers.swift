import Columnar
import Diagnostics

/// The greatest *k* for each vertex such that it belongs to a part of the graph in which every vertex has *k* neighbours.
///
/// For one *k* after another, vertices with no more than *k* neighbours left are taken away, and those that come down to it by that.
/// Only vertices still there are looked at for the next *k*: each at most once for every neighbour that it has. Edges are walked where
/// they stand: when neighbours are counted, and by each worker when the vertex is taken away.
///
/// Source: H. Kabir and K. Madduri, "Parallel k-Core Decomposition on Multicore Platforms" (IPDPSW 2017), with vertices shared out
/// among workers in the place of atomic counters; after V. Batagelj and M. Zaveršnik, "An O(m) Algorithm for Cores Decomposition of
/// Networks" (2003).
///
/// - Complexity: O(vertices + edges); 12 bytes a vertex and an eighth of one.
struct CoreNumbers: GraphAlgorithm {
  init(_ arguments: GraphArgumentValues) {}

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let states = try work.buffer(CoreState(), count: graph.vertexCount)
    try countNeighbours(graph, states, work)
    var peeling = try CorePeeling(graph, states, work)
    return GraphResult(rows: .vertices, columns: [.number(try peeling.run())])
  }

  private func countNeighbours(
    _ graph: GraphTopology, _ states: Buffer<CoreState>, _ work: GraphWork
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
}

/// What is known of a vertex, in one place as both are read together.
private struct CoreState: BitwiseCopyable {
  /// The neighbours that are left, which in the end is the vertex' number.
  var degree: UInt32 = 0
  /// The last neighbour that was taken away, as of several edges between two vertices the first counts; the vertex itself once it waits
  /// for being taken away.
  var taken = UInt32.max
}

/// Vertices that wait for being taken away, as many as there is room for.
private struct Waiting {
  let vertices: Buffer<UInt32>
  /// Where they stand.
  let first: Int
  let room: Int
  var count = 0
  /// Whether one found no room: then all that are left are looked at again.
  var isIncomplete = false

  /// Adds a vertex if there is room.
  mutating func add(_ vertex: UInt32) -> Bool {
    guard count < room else { return false }
    vertices[first &+ count] = vertex
    count &+= 1
    return true
  }
}

/// The vertices whose states one worker alone reads and writes while several are at work.
private struct CoreShare: BitwiseCopyable {
  let first: UInt32
  let end: UInt32
  /// How many are left, which stand from the place of `first` on.
  var leftCount: Int
  /// The fewest neighbours that one of them has that does not wait.
  var least = UInt32.max
  /// How many came to wait, and whether there was no room for more.
  var foundCount = 0
  var isIncomplete = false
}

/// Takes vertices away, one number after the other.
private struct CorePeeling {
  private let work: GraphWork
  private let graph: CoreGraph
  private let vertexCount: Int
  private let left: Buffer<UInt32>
  private let shares: Buffer<CoreShare>
  /// What the shares find, each in a stretch of its own.
  private let found: Buffer<UInt32>
  private let near: [Buffer<UInt32>]
  private var waiting: Waiting
  private var core: UInt32 = 0

  /// Room for one vertex in so many: no more often, for each share, are all that are left looked at because there was no room.
  private static var portion: Int { 16 }

  /// How many edges must be to be walked, as far as can be told, for workers to share them.
  private static var worthSharing: Int { 1 << 14 }

  init(
    _ graph: GraphTopology, _ states: Buffer<CoreState>, _ work: GraphWork
  ) throws(SQLError) {
    self.work = work
    self.graph = CoreGraph(graph: graph, states: states)
    let count = graph.vertexCount
    vertexCount = count
    left = try work.vertices(count)
    let workers = count < Self.worthSharing ? 1 : work.workerCount
    let room = max(1024, count / Self.portion / workers)
    shares = Buffer(
      (0..<workers).map { worker in
        let (first, end) = (count * worker / workers, count * (worker + 1) / workers)
        return CoreShare(
          first: UInt32(truncatingIfNeeded: first), end: UInt32(truncatingIfNeeded: end),
          leftCount: end - first)
      })
    found = try work.buffer(0, count: room * workers)
    near = (0..<workers).map { _ in Buffer(uninitialized: CoreGraph.stretch) }
    waiting = Waiting(
      vertices: try work.buffer(0, count: room * workers), first: 0, room: room * workers)
  }

  /// The numbers of all vertices.
  mutating func run() throws(SQLError) -> Buffer<UInt32> {
    while true {
      try work.check()
      let (leftCount, least) = try look()
      if waiting.count == 0 {
        if leftCount == 0 { break }
        // Where none has so few neighbours, the next number is the least that one has.
        core = least
        continue
      }
      try take()
      if least > core && !waiting.isIncomplete { core += 1 }
    }
    // Nobody is left, so the room is.
    for vertex in 0..<vertexCount { left[vertex] = graph.states[vertex].degree }
    return left
  }

  /// Finds those of the vertices left that have `core` neighbours; gives how many others are left, and the fewest neighbours that one has.
  private mutating func look() throws(SQLError) -> (leftCount: Int, least: UInt32) {
    waiting.isIncomplete = false
    let leftCount = (0..<shares.count).reduce(0) { $0 + shares[$1].leftCount }
    let (left, states, core) = (left, graph.states, core)
    try forEachShare(leftCount) { share, _, found in
      let first = Int(truncatingIfNeeded: share.first)
      var kept = first
      share.least = .max
      for place in first..<first &+ share.leftCount {
        let vertex = left[place]
        let state = states[vertex]
        // Those below were taken away for the last number.
        if state.degree < core || state.taken == vertex { continue }
        if state.degree == core, found.add(vertex) {
          states[vertex].taken = vertex
        } else {
          left[kept] = vertex
          kept &+= 1
          share.least = min(share.least, state.degree)
        }
      }
      share.leftCount = kept &- first
    }
    return (0..<shares.count).reduce((0, .max)) {
      ($0.0 + shares[$1].leftCount, min($0.1, shares[$1].least))
    }
  }

  /// Takes vertices away that have `core` neighbours left, and all that come down to as many.
  private mutating func take() throws(SQLError) {
    let edges = Int(core) + 8
    let many = shares.count > 1 ? Self.worthSharing / edges : .max
    while waiting.count > 0 {
      if waiting.count <= many {
        try takeAlone(upTo: many)
      } else {
        try takeTogether(waiting.count * edges)
      }
    }
  }

  /// One vertex after the other, as long as so few wait.
  private mutating func takeAlone(upTo many: Int) throws(SQLError) {
    let all = CoreShare(
      first: 0, end: UInt32(truncatingIfNeeded: vertexCount), leftCount: 0)
    var (steps, seen) = (0, UInt32(0))
    while waiting.count > 0, waiting.count <= many {
      steps &+= 1
      if steps & 0xFF == 0 { try work.check() }
      seen ^= graph.look(at: waiting.vertices[max(0, waiting.count &- CoreGraph.foresight)])
      waiting.count &-= 1
      graph.leave(waiting.vertices[waiting.count], core, all, near[0], &waiting)
    }
    near[0][0] = seen
  }

  /// All that wait at once, each worker for the neighbours that are its own.
  private mutating func takeTogether(_ edges: Int) throws(SQLError) {
    let (graph, core, vertices, count) = (graph, core, waiting.vertices, waiting.count)
    let context = work.context
    try forEachShare(edges) { share, near, found throws(SQLError) in
      var seen: UInt32 = 0
      for place in 0..<count {
        if place & 0xFF == 0xFF { try context.check() }
        seen ^= graph.look(at: vertices[min(place &+ CoreGraph.foresight, count &- 1)])
        graph.leave(vertices[place], core, share, near, &found)
      }
      near[0] = seen
    }
  }

  private typealias ShareBody =
    @Sendable (inout CoreShare, Buffer<UInt32>, inout Waiting)
    throws(SQLError) -> Void

  /// Lets workers find vertices that wait, which become those that do.
  private mutating func forEachShare(
    _ size: Int, _ body: @escaping ShareBody
  ) throws(SQLError) {
    let (shares, found, near) = (shares, found, near)
    let room = waiting.room / shares.count
    let run: @Sendable (Range<Int>) throws(SQLError) -> Void = { range throws(SQLError) in
      for index in range {
        var share = shares[index]
        var own = Waiting(vertices: found, first: index * room, room: room)
        try body(&share, near[index], &own)
        share.foundCount = own.count
        share.isIncomplete = own.isIncomplete
        shares[index] = share
      }
    }
    if size < Self.worthSharing {
      try run(0..<shares.count)
    } else {
      try work.forEachBlock(shares.count, size: 1, run)
    }
    waiting.count = 0
    for index in 0..<shares.count {
      let share = shares[index]
      for place in 0..<share.foundCount { _ = waiting.add(found[index * room + place]) }
      if share.isIncomplete { waiting.isIncomplete = true }
    }
  }
}

/// The graph, and what is known of its vertices.
private struct CoreGraph: Sendable {
  let graph: GraphTopology
  let states: Buffer<CoreState>

  /// How many neighbours are looked at before the first is left.
  static var stretch: Int { 256 }

  /// How many vertices before its turn it is looked at where the edges of one stand.
  static var foresight: Int { 6 }

  @inline(__always)
  func look(at vertex: UInt32) -> UInt32 {
    graph.out.look(at: vertex) ^ graph.into.look(at: vertex)
  }

  /// Takes a vertex away from those of its neighbours that belong to a share.
  @inline(__always)
  func leave(
    _ vertex: UInt32, _ core: UInt32, _ share: CoreShare, _ near: Buffer<UInt32>,
    _ waiting: inout Waiting
  ) {
    graph.out.forEachStretch(of: vertex) { targets, base, count in
      leave(vertex, core, share, targets, base, count, near, &waiting)
    }
    graph.into.forEachStretch(of: vertex) { targets, base, count in
      leave(vertex, core, share, targets, base, count, near, &waiting)
    }
  }

  /// Neighbours that are still there are found without a branch, so that many states are on their way from memory at the same time.
  @inline(__always)
  private func leave(
    _ vertex: UInt32, _ core: UInt32, _ share: CoreShare, _ targets: PagePointer<UInt32>,
    _ base: UInt32, _ count: Int, _ near: Buffer<UInt32>, _ waiting: inout Waiting
  ) {
    let all = graph.vertexCount
    var start = share.first == 0 ? 0 : Self.place(of: share.first, targets, base, count)
    let end = share.end == all ? count : Self.place(of: share.end, targets, base, count)
    while start < end {
      let stop = min(start &+ Self.stretch, end)
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
          states[neighbour] = CoreState(degree: degree, taken: vertex)
        } else if waiting.add(neighbour) {
          states[neighbour] = CoreState(degree: degree, taken: neighbour)
        } else {
          states[neighbour] = CoreState(degree: degree, taken: vertex)
          waiting.isIncomplete = true
        }
      }
      start = stop
    }
  }

  /// The place of the first target that is not before a vertex.
  ///
  /// - Precondition: targets rise.
  @inline(__always)
  private static func place(
    of vertex: UInt32, _ targets: PagePointer<UInt32>, _ base: UInt32, _ count: Int
  ) -> Int {
    var (place, rest) = (0, count)
    while rest > 0 {
      let half = rest &>> 1
      let isBefore = targets[place &+ half] &+ base < vertex
      place = isBefore ? place &+ half &+ 1 : place
      rest = isBefore ? rest &- half &- 1 : half
    }
    return place
  }
}
