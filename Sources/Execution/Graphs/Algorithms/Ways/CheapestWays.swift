import Columnar
import Diagnostics

/// What the cheapest way from the nearest of `source` to each vertex costs, and the vertices on it.
///
/// Vertices come by rising cost; those that cannot be reached, or not for `max_cost`, do not come. With `target`,
/// only those of it come, and the search ends when all have been found. Of ways that cost the same, the one whose
/// last vertex but one was reached first is given.
///
/// Source: E. W. Dijkstra, "A Note on Two Problems in Connexion with Graphs" (Numerische Mathematik 1, 1959), with
/// a `CostQueue`.
///
/// - Complexity: O(vertices + edges), and at most 64 times the edges that make a way cheaper; 28 bytes a vertex, and 16 for each edge that makes a way cheaper.
struct CheapestWays: GraphAlgorithm {
  private let sources: [UInt32]
  private let limit: Double
  private let targets: Set<UInt32>?

  init(_ arguments: GraphArgumentValues) throws(SQLError) {
    sources = try arguments.vertices(0)
    targets = arguments.isGiven(2) ? Set(try arguments.vertices(2)) : nil
    limit = arguments.isGiven(1) ? arguments.double(1) : .infinity
    try arguments.require(limit >= 0, "max_cost must not be negative")
  }

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let costs = try work.buffer(Double.infinity, count: graph.vertexCount)
    let back = try work.buffer(UInt32.max, count: graph.vertexCount)
    let order = try work.buffer(UInt32(0), count: graph.vertexCount)
    let walked = graph.walked
    let room = EdgeOffers.Room()
    let (offers, known) = (room.offers, PagePointer(costs))
    var queue = CostQueue()
    for vertex in sources where costs[vertex] > 0 {
      costs[vertex] = 0
      queue.begin(with: vertex)
    }
    var steps = 0
    var reached = 0
    var seen: UInt32 = 0
    while reached < targets?.count ?? .max,
      let (vertex, cost) = queue.pop(foreseeing: {
        if $1 <= costs[$0] { seen ^= walked.look(at: $0) }
      })
    {
      // Left behind by a cheaper way.
      if cost > costs[vertex] { continue }
      steps &+= 1
      if steps & 0xFFF == 0 {
        try work.check()
        try queue.charge(work)
      }
      if targets?.contains(vertex) ?? true {
        order[reached] = vertex
        reached += 1
      }
      let least = walked.forEachCheaper(of: vertex, from: cost, than: known, by: offers) {
        target, sum in
        // Of several edges to one vertex the first may have made it cheaper.
        if sum < costs[target], sum <= limit {
          costs[target] = sum
          back[target] = vertex
          queue.push(target, sum)
        }
      }
      if least < 0 { try work.refuse(.notNegative, from: vertex, walked, in: "dijkstra") }
    }
    // Kept, so that looking is not left out.
    room.targets[0] = seen
    let found = Buffer<Double>(uninitialized: max(1, reached))
    for row in 0..<reached { found[row] = costs[order[row]] }
    return GraphResult(
      rows: .listed([order], count: reached),
      columns: [.double(found), .ways(ends: order, back: back)])
  }
}

/// Vertices by cost, the cheapest first; of one cost, the least vertex first.
struct CostHeap {
  private struct Entry: HeapEntry {
    let vertex: UInt32
    let cost: Double

    @inline(__always)
    static func isBefore(_ one: Entry, _ other: Entry) -> Bool {
      one.cost < other.cost || (one.cost == other.cost && one.vertex < other.vertex)
    }
  }
  private var heap = LeastHeap<Entry>()
  private var charged = 0

  var byteCount: Int { heap.byteCount }

  /// Forgets all vertices, and keeps its room.
  mutating func removeAll() { heap.removeAll() }

  /// Holds the memory that it has grown to since the last time.
  ///
  /// - Throws: 53200.
  mutating func charge(_ work: GraphWork) throws(SQLError) {
    let bytes = heap.byteCount
    if bytes > charged {
      try work.account.charge(bytes - charged)
      charged = bytes
    }
  }

  mutating func push(_ vertex: UInt32, _ cost: Double) {
    heap.push(Entry(vertex: vertex, cost: cost))
  }

  mutating func pop() -> (vertex: UInt32, cost: Double)? {
    heap.pop().map { ($0.vertex, $0.cost) }
  }
}
