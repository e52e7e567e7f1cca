import Columnar
import Diagnostics

/// Vertices that wait by what it costs to come to them, and the costs known so far.
///
/// Vertices are cut into parts, each of which one worker at a time writes: those who go along edges only note what
/// they would come to for less, by part, and costs change when all have done so. What comes out is the least over all
/// ways, whoever was when.
final class CostBuckets {
  /// A way to a vertex that is cheaper than the one known.
  struct Offer: BitwiseCopyable {
    var vertex: UInt32
    var cost: Double
  }

  /// The vertices that wait in one part.
  private final class Part {
    /// By bucket, those of the window.
    var waiting: [[UInt32]] = Array(repeating: [], count: bucketCount)
    /// Those of buckets behind the window.
    var later: [UInt32] = []
    /// Those that go on now.
    var front: [UInt32] = []
  }

  /// What one worker has found for one part.
  private final class Offers {
    var list: [Offer] = []
    /// For so many there has been room before.
    var room = 0
  }

  /// One worker: what it has found for each part, and all that there is.
  private struct Worker {
    let buckets: CostBuckets
    let offers: [Offers]
    let room = EdgeOffers.Room()
  }

  private static let partCount = 16
  private static let bucketCount = 128
  /// With fewer vertices one worker goes on alone.
  private static let fewest = 2048

  let costs: Buffer<Double>
  /// The costs with which each vertex went on last.
  private let settled: Buffer<Double>
  private let graph: GraphTopology
  private let limit: Double
  private let width: Double
  private let shift: UInt32
  private let parts: [Part]
  private let offers: [[Offers]]
  /// The first bucket of the window, and the one that goes on now.
  private var base = 0
  private var first = 0

  init(
    _ graph: GraphTopology, limit: Double, width: Double, _ work: GraphWork
  ) throws(SQLError) {
    (self.graph, self.limit, self.width) = (graph, limit, width)
    costs = try work.buffer(.infinity, count: graph.vertexCount)
    settled = try work.buffer(.infinity, count: graph.vertexCount)
    var shift: UInt32 = 0
    while graph.vertexCount >> Int(shift) >= Self.partCount { shift += 1 }
    self.shift = shift
    let parts = (0..<Self.partCount).map { _ in Part() }
    self.parts = parts
    offers = (0..<work.workerCount).map { _ in parts.indices.map { _ in Offers() } }
  }

  /// Lets ways begin at a vertex.
  func begin(_ vertex: UInt32) { accept(vertex, 0, parts[part(of: vertex)]) }

  @inline(__always)
  private func part(of vertex: UInt32) -> Int { Int(truncatingIfNeeded: vertex &>> shift) }

  private func bucket(of cost: Double) -> Int { Int(min(cost / width, 1e15)) }

  /// Takes a way, if it is cheaper than the one known.
  private func accept(_ vertex: UInt32, _ cost: Double, _ part: Part) {
    if cost >= costs[vertex] { return }
    costs[vertex] = cost
    wait(vertex, part)
  }

  private func wait(_ vertex: UInt32, _ part: Part) {
    let place = bucket(of: costs[vertex]) - base
    if place < Self.bucketCount {
      part.waiting[place].append(vertex)
    } else {
      part.later.append(vertex)
    }
  }

  /// Goes on to the next bucket in which vertices wait; false at the end.
  func advance() -> Bool {
    while true {
      for place in first - base..<Self.bucketCount
      where parts.contains(where: { !$0.waiting[place].isEmpty }) {
        first = base + place
        return true
      }
      let least = parts.map { part in part.later.reduce(.infinity) { min($0, costs[$1]) } }.min()
      guard let least, least < .infinity else { return false }
      // Those that have become cheaper since have gone on before, and are passed over when their turn comes.
      base = max(base + Self.bucketCount, bucket(of: least))
      first = base
      for part in parts {
        let waiting = part.later
        part.later = []
        for vertex in waiting where costs[vertex] < settled[vertex] { wait(vertex, part) }
      }
    }
  }

  /// Lets all of the first bucket go on until it stays empty.
  func settle(_ work: GraphWork) throws(SQLError) {
    while true {
      try work.check()
      var count = 0
      for part in parts {
        takeFront(part)
        count += part.front.count
      }
      if count == 0 { return }
      if count < Self.fewest || work.workerCount == 1 {
        try goOnAlone(work)
      } else {
        try goOnTogether(work)
      }
    }
  }

  /// Takes out those of the first bucket that have become cheaper since they went on last.
  private func takeFront(_ part: Part) {
    part.front.removeAll(keepingCapacity: true)
    let place = first - base
    for vertex in part.waiting[place] where costs[vertex] < settled[vertex] {
      settled[vertex] = costs[vertex]
      part.front.append(vertex)
    }
    part.waiting[place].removeAll(keepingCapacity: true)
  }

  private func goOnAlone(_ work: GraphWork) throws(SQLError) {
    let (walked, room) = (graph.walked, EdgeOffers.Room())
    let (found, known) = (room.offers, PagePointer(costs))
    defer { withExtendedLifetime(room) {} }
    for part in parts {
      for (number, vertex) in part.front.enumerated() {
        if number & 0xFFF == 0xFFF { try work.check() }
        let cost = settled[vertex]
        _ = walked.forEachCheaper(of: vertex, from: cost, than: known, by: found) { target, sum in
          if sum <= limit { accept(target, sum, parts[self.part(of: target)]) }
        }
      }
    }
  }

  /// The same by all workers: first they find cheaper ways, then the ways to the vertices of each part are taken.
  private func goOnTogether(_ work: GraphWork) throws(SQLError) {
    let size = 256
    var pieces: [(part: Int, start: Int)] = []
    for (number, part) in parts.enumerated() {
      for start in stride(from: 0, to: part.front.count, by: size) {
        pieces.append((number, start))
      }
    }
    let all = pieces
    let workers = offers.map { Worker(buckets: self, offers: $0) }
    try work.forEachBlock(all.count, size: 1, among: workers) { worker, range in
      for piece in range {
        let front = worker.buckets.parts[all[piece].part].front
        let start = all[piece].start
        worker.buckets.find(from: front[start..<min(start + size, front.count)], worker)
      }
    }
    for list in offers.joined() where list.list.count > list.room {
      try work.account.charge(MemoryLayout<Offer>.stride * (list.list.count - list.room))
      list.room = list.list.count
    }
    try work.forEachBlock(parts.count, size: 1, among: workers) { worker, range in
      for part in range { worker.buckets.takeOffers(part) }
    }
  }

  /// Notes the cheaper ways along the edges of some vertices.
  private func find(from front: ArraySlice<UInt32>, _ worker: Worker) {
    let (walked, settled, limit, shift) = (graph.walked, settled, limit, shift)
    let (offers, found) = (worker.offers, worker.room.offers)
    let known = PagePointer(costs)
    defer { withExtendedLifetime(worker) {} }
    for vertex in front {
      let cost = settled[vertex]
      _ = walked.forEachCheaper(of: vertex, from: cost, than: known, by: found) { target, sum in
        if sum <= limit {
          let part = Int(truncatingIfNeeded: target &>> shift)
          offers[part].list.append(Offer(vertex: target, cost: sum))
        }
      }
    }
  }

  /// Takes the ways that all workers have found to the vertices of one part.
  private func takeOffers(_ number: Int) {
    let part = parts[number]
    for worker in offers {
      for offer in worker[number].list { accept(offer.vertex, offer.cost, part) }
      worker[number].list.removeAll(keepingCapacity: true)
    }
  }
}
