import Columnar
import Diagnostics
import Storage

/// What a worker notes of the neighbours it comes past: something for each position of their table.
protocol NeighbourMap: Sendable {
  init(limit: Int)
  /// Notes the positions at one end of the edges of sources; those whose lists stand apart are put into `aside`.
  func add(
    _ end: EdgeEnd, of sources: Buffer<UInt32>, count: Int, _ lists: ListReader,
    aside: inout [UInt32])
  /// Notes those of the edges in some runs of a list.
  func add(_ end: EdgeEnd, of list: NeighbourList, _ runs: Range<Int>)
  /// Takes in what another worker has noted.
  func merge(_ other: Self, limit: Int)
  /// The bytes for each 64 positions.
  static var byteCount: Int { get }
}

/// Which rows are neighbours: a bit for each position.
struct MarkedNeighbours: NeighbourMap {
  let bits: Buffer<UInt64>

  init(limit: Int) { bits = Buffer(zeroed: max(1, ReachedSet.wordCount(limit))) }

  func add(
    _ end: EdgeEnd, of sources: Buffer<UInt32>, count: Int, _ lists: ListReader,
    aside: inout [UInt32]
  ) { lists.mark(end, of: sources, count: count, in: bits, aside: &aside) }

  func add(_ end: EdgeEnd, of list: NeighbourList, _ runs: Range<Int>) {
    list.mark(end, runs, in: bits)
  }

  func merge(_ other: MarkedNeighbours, limit: Int) {
    for word in 0..<ReachedSet.wordCount(limit) { bits[word] |= other.bits[word] }
  }

  static var byteCount: Int { 8 }
}

/// How many edges lead to each row: a counter for each position.
struct CountedNeighbours: NeighbourMap {
  let counters: Buffer<UInt32>

  /// A map over counters that are there.
  init(_ counters: Buffer<UInt32>) { self.counters = counters }

  init(limit: Int) { counters = Buffer(zeroed: max(1, limit)) }

  func add(
    _ end: EdgeEnd, of sources: Buffer<UInt32>, count: Int, _ lists: ListReader,
    aside: inout [UInt32]
  ) { lists.count(end, of: sources, count: count, in: counters, aside: &aside) }

  func add(_ end: EdgeEnd, of list: NeighbourList, _ runs: Range<Int>) {
    list.count(end, runs, in: counters)
  }

  func merge(_ other: CountedNeighbours, limit: Int) {
    for position in 0..<limit { counters[position] &+= other.counters[position] }
  }

  static var byteCount: Int { 256 }
}

extension AdjacencyAccess.Opened {
  /// Fewer edges are left to one worker.
  private static var parallelEdgeCount: Int { 65_536 }
  /// Edges of one long list that a worker takes at a time, about.
  private static var portionEdgeCount: Int { 32_768 }

  /// Goes along all edges of a set of rows, on as many cores as pay; each worker has a map of its own, and
  /// in the end they are merged.
  ///
  /// `edgeCount` is about the number of edges.
  ///
  /// - Complexity: O(edges + sources + positions of the table arrived at).
  func scatter<Map: NeighbourMap>(
    _ sources: ReachedSet, edgeCount: Int, as map: Map.Type, _ context: ExecutionContext
  ) throws(SQLError) -> Map {
    let arrivals = try arrivals()
    let limit = arrivals.limit
    let workerCount =
      edgeCount < Self.parallelEdgeCount ? 1 : min(Workers.parallelism, context.workerLimit)
    let held = workerCount * ((limit / 64 + 1) * Map.byteCount)
    try context.memory.charge(held)
    defer { context.memory.release(held) }
    let workers = (0..<max(1, workerCount)).map { _ in ScatterWorker<Map>() }
    try Workers.share(sources.pieceCount, among: workers, context) { worker, piece in
      let map = worker.map(limit)
      let (positions, count) = sources.piece(piece, worker.scratch)
      arrivals.add(positions, count: count, to: map, aside: &worker.aside)
    }
    // Long lists are cut, so that one of them does not keep the others waiting.
    var portions: [(list: NeighbourList, runs: Range<Int>)] = []
    for worker in workers {
      for source in worker.aside {
        let list = adjacency.neighbours(of: source)
        let width = max(1, list.runCount * Self.portionEdgeCount / max(1, list.count))
        for start in stride(from: 0, to: list.runCount, by: width) {
          portions.append((list, start..<min(list.runCount, start + width)))
        }
      }
    }
    let cut = portions
    try Workers.share(cut.count, among: workers, context) { worker, index in
      worker.map(limit).add(arrivals.end, of: cut[index].list, cut[index].runs)
    }
    let result = workers[0].map(limit)
    for worker in workers.dropFirst() {
      if let other = worker.made { result.merge(other, limit: limit) }
    }
    return result
  }
}

/// What one worker has of its own.
///
/// One thread at a time has it.
private final class ScatterWorker<Map: NeighbourMap> {
  private(set) var made: Map?
  var aside: [UInt32] = []
  private(set) lazy var scratch = Buffer<UInt32>(uninitialized: ReachedSet.pieceCapacity)

  func map(_ limit: Int) -> Map {
    if let made { return made }
    let map = Map(limit: limit)
    made = map
    return map
  }
}
