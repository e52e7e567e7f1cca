import Columnar
import Storage

/// Edges of a graph that lead from the vertices of one table: an index as it stands, or lists made for the run.
///
/// - Invariant: whoever has one holds the topology that it is of.
struct GraphPart: BitwiseCopyable {
  /// The vertices that have lists here.
  let first: UInt32
  let end: UInt32
  /// Added to a target it makes the number of a vertex.
  let base: UInt32
  /// The index, whose sources are counted from `first`.
  let reader: ListReader?
  /// Lists made for the run: where each begins, and one entry more.
  let offsets: PagePointer<UInt32>
  let targets: PagePointer<UInt32>
  let rows: PackedNumbers
  /// By the row of an edge; no page where every edge weighs 1.
  let weights: PagePointer<Double>
}

/// For each vertex the edges that lead from it, in one direction or both.
///
/// What algorithms walk along. Lists of one part rise by target; a vertex may have lists in several parts.
struct GraphLists: Sendable {
  private let parts: Buffer<GraphPart>
  /// The only part, if it is one over all vertices.
  private let only: GraphPart?
  /// Keeps what parts are over.
  private let owners: [GraphPartOwner]

  init(_ parts: [GraphPartOwner], vertexCount: Int) {
    owners = parts
    self.parts = Buffer(parts.map(\.part))
    only =
      parts.count == 1 && parts[0].part.first == 0 && Int(parts[0].part.end) == vertexCount
      ? parts[0].part : nil
  }

  /// The lists of both.
  init(_ one: GraphLists, _ other: GraphLists, vertexCount: Int) {
    self.init(one.owners + other.owners, vertexCount: vertexCount)
  }

  /// How many edges there are.
  var edgeCount: Int { owners.reduce(0) { $0 + $1.edgeCount } }

  /// Whether edges have weights.
  var hasWeights: Bool { owners.contains { !$0.part.weights.isNone } }

  /// Hands over the targets of a vertex, those that stand together at a time, and what is to be added to each.
  @inline(__always)
  func forEachStretch(
    of vertex: UInt32,
    _ body: (_ targets: PagePointer<UInt32>, _ base: UInt32, _ count: Int) -> Void
  ) {
    forEachRun(of: vertex) { targets, _, count, part in body(targets, part.base, count) }
  }

  /// Hands over the vertices that edges lead to, as often as edges do.
  @inline(__always)
  func forEach(of vertex: UInt32, _ body: (UInt32) -> Void) {
    forEachRun(of: vertex) { targets, _, count, part in
      for index in 0..<count { body(targets[index] &+ part.base) }
    }
  }

  /// Hands over the vertices that edges lead to, and the weights of the edges.
  @inline(__always)
  func forEachEdge(of vertex: UInt32, _ body: (_ target: UInt32, _ weight: Double) -> Void) {
    forEachRun(of: vertex) { targets, rows, count, part in
      if part.weights.isNone {
        for index in 0..<count { body(targets[index] &+ part.base, 1) }
      } else {
        for index in 0..<count {
          body(targets[index] &+ part.base, part.weights[rows[index]])
        }
      }
    }
  }

  /// Hands over, for a way to a vertex that costs `cost`, the edges along which their ends are reached for less than is known; gives the
  /// least weight of all.
  @inline(__always)
  func forEachCheaper(
    of vertex: UInt32, from cost: Double, than known: PagePointer<Double>, by offers: EdgeOffers,
    _ body: (_ target: UInt32, _ cost: Double) -> Void
  ) -> Double {
    var least = Double.infinity
    forEachRun(of: vertex) { targets, rows, count, part in
      var start = 0
      while start < count {
        let end = min(start &+ EdgeOffers.Room.size, count)
        let found = offers.find(start..<end, of: part, targets, rows, cost, known, &least)
        for place in 0..<found { body(offers.targets[place], offers.costs[place]) }
        start = end
      }
    }
    return least
  }

  /// One run of a vertex' edges, by number; nil behind the last.
  ///
  /// For algorithms that go on with a vertex later: what is handed over stays as it is as long as the lists do.
  @inline(__always)
  func run(_ number: Int, of vertex: UInt32) -> GraphRun? {
    if let only, let reader = only.reader, let list = reader.list(of: vertex) {
      return number == 0
        ? GraphRun(targets: list.targets, base: only.base, count: list.count) : nil
    }
    return runApart(number, of: vertex)
  }

  @inline(never)
  private func runApart(_ number: Int, of vertex: UInt32) -> GraphRun? {
    var rest = number
    var found: GraphRun?
    forEachRunApart(of: vertex) { targets, _, count, part in
      if rest == 0 { found = GraphRun(targets: targets, base: part.base, count: count) }
      rest -= 1
    }
    return found
  }

  /// The first of those that a vertex has edges with that meets a condition.
  @inline(__always)
  func first(of vertex: UInt32, where isWanted: (UInt32) -> Bool) -> UInt32? {
    if let only, let reader = only.reader, let list = reader.list(of: vertex) {
      for index in 0..<list.count {
        let target = list.targets[index] &+ only.base
        if isWanted(target) { return target }
      }
      return nil
    }
    var found: UInt32?
    forEachRunApart(of: vertex) { targets, _, count, part in
      for index in 0..<count where found == nil {
        let target = targets[index] &+ part.base
        if isWanted(target) { found = target }
      }
    }
    return found
  }

  /// Reads where the edges of a vertex stand, and the first of them: for who walks along them soon, after others.
  ///
  /// - Returns: What was read, which has to be kept somewhere if it is not to be left out.
  @inline(__always)
  func look(at vertex: UInt32) -> UInt32 {
    guard let only, let reader = only.reader, let list = reader.list(of: vertex), list.count > 0
    else { return 0 }
    return only.weights.isNone
      ? list.targets[0] : list.targets[0] ^ (only.weights[list.rows[0]] < 0 ? 1 : 0)
  }

  /// The number of edges of a vertex.
  @inline(__always)
  func degree(of vertex: UInt32) -> Int {
    if let only, let reader = only.reader {
      return Int(truncatingIfNeeded: reader.degree(of: vertex))
    }
    var degree = 0
    forEachRun(of: vertex) { _, _, count, _ in degree &+= count }
    return degree
  }

  @inline(__always)
  private func forEachRun(
    of vertex: UInt32,
    _ body: (PagePointer<UInt32>, PackedNumbers, Int, GraphPart) -> Void
  ) {
    if let only, let reader = only.reader, let list = reader.list(of: vertex) {
      return body(list.targets, list.rows, list.count, only)
    }
    forEachRunApart(of: vertex, body)
  }

  /// The same for lists in several parts or runs; not inlined, so that loops stay short.
  @inline(never)
  private func forEachRunApart(
    of vertex: UInt32,
    _ body: (PagePointer<UInt32>, PackedNumbers, Int, GraphPart) -> Void
  ) {
    for index in 0..<parts.count {
      let part = parts[index]
      guard vertex >= part.first, vertex < part.end else { continue }
      let source = vertex &- part.first
      guard let reader = part.reader else {
        let start = Int(truncatingIfNeeded: part.offsets[source])
        let count = Int(truncatingIfNeeded: part.offsets[source &+ 1]) &- start
        if count > 0 {
          body(part.targets.advanced(by: start), part.rows.advanced(by: start), count, part)
        }
        continue
      }
      if let list = reader.list(of: source) {
        if list.count > 0 { body(list.targets, list.rows, list.count, part) }
        continue
      }
      for number in 0..<reader.runCount(of: source) {
        let run = reader.run(number, of: source)
        body(run.targets, run.rows, run.count, part)
      }
    }
  }
}

/// Some edges of a vertex that make ways cheaper, in a room that each worker has.
///
/// What is known of all ends, each in a place of its own in memory, is read first, as nothing that would have to wait for it stands
/// between; only then is it compared. Costs are compared by their bits, as compilers make a branch of doubles.
///
/// - Invariant: whoever has one holds the room.
struct EdgeOffers: BitwiseCopyable, Sendable {
  /// Where edges stand; references are counted for it alone, and not for each vertex.
  struct Room: Sendable {
    static var size: Int { 256 }

    let targets = Buffer<UInt32>(uninitialized: size)
    private let costs = Buffer<Double>(uninitialized: size)
    private let known = Buffer<Double>(uninitialized: size)

    var offers: EdgeOffers {
      EdgeOffers(
        targets: PagePointer(targets), costs: PagePointer(costs), known: PagePointer(known))
    }
  }

  let targets: PagePointer<UInt32>
  let costs: PagePointer<Double>
  private let known: PagePointer<Double>

  private init(
    targets: PagePointer<UInt32>, costs: PagePointer<Double>, known: PagePointer<Double>
  ) {
    (self.targets, self.costs, self.known) = (targets, costs, known)
  }

  /// Keeps those of at most `Room.size` edges that lead somewhere for less than is known, and says how many they are.
  @inline(__always)
  func find(
    _ range: Range<Int>, of part: GraphPart, _ targets: PagePointer<UInt32>, _ rows: PackedNumbers,
    _ cost: Double, _ known: PagePointer<Double>, _ least: inout Double
  ) -> Int {
    let (first, count) = (range.lowerBound, range.count)
    for index in 0..<count {
      let target = targets[first &+ index] &+ part.base
      self.targets.store(target, at: index)
      self.known.store(known[target], at: index)
    }
    if part.weights.isNone {
      for index in 0..<count { costs.store(cost + 1, at: index) }
    } else {
      let weights = part.weights
      var own = least
      for index in 0..<count {
        let weight = weights[rows[first &+ index]]
        own = weight < own ? weight : own
        costs.store(cost + weight, at: index)
      }
      least = own
    }
    var found = 0
    for index in 0..<count {
      let sum = costs[index]
      self.targets.store(self.targets[index], at: found)
      costs.store(sum, at: found)
      // 1 where the sum is less; neither is below 0.
      found &+= Int(
        truncatingIfNeeded: (sum.bitPattern &- self.known[index].bitPattern) &>> 63)
    }
    return found
  }
}

/// Edges of one vertex that stand together.
struct GraphRun: BitwiseCopyable {
  let targets: PagePointer<UInt32>
  /// Added to a target it makes the number of a vertex.
  let base: UInt32
  let count: Int
}

/// A part, and what keeps its memory.
struct GraphPartOwner: Sendable {
  let part: GraphPart
  private let index: AdjacencyIndex?
  private let lists: CompressedLists?
  private let weights: Buffer<Double>?

  var edgeCount: Int { index?.edgeCount ?? lists?.count ?? 0 }

  /// The edges of an index.
  init(
    _ index: AdjacencyIndex, of vertices: Range<UInt32>, base: UInt32, weights: Buffer<Double>?
  ) {
    self.index = index
    self.weights = weights
    lists = nil
    part = GraphPart(
      first: vertices.lowerBound, end: vertices.upperBound, base: base, reader: index.listReader,
      offsets: .none, targets: .none, rows: PackedNumbers(.none),
      weights: weights.map { PagePointer($0) } ?? .none)
  }

  /// Edges gathered for the run.
  init(
    _ lists: CompressedLists, of vertices: Range<UInt32>, base: UInt32, weights: Buffer<Double>?
  ) {
    index = nil
    self.lists = lists
    self.weights = weights
    part = GraphPart(
      first: vertices.lowerBound, end: vertices.upperBound, base: base, reader: nil,
      offsets: PagePointer(lists.offsets), targets: PagePointer(lists.targets),
      rows: PackedNumbers(PagePointer(lists.rows)),
      weights: weights.map { PagePointer($0) } ?? .none)
  }
}

/// Lists of edges one behind another, made for a run where no index leads along them.
struct CompressedLists: Sendable {
  /// Where the list of each source begins, and one entry more.
  let offsets: Buffer<UInt32>
  /// Each list rises.
  let targets: Buffer<UInt32>
  /// The row of each edge.
  let rows: Buffer<UInt32>
  let count: Int

  /// Edges given by their ends; one with an end of `TableStore.noRow` is left out.
  ///
  /// Sorted by counting twice, by target and then by source: each list rises by target and row.
  ///
  /// - Precondition: sources are below `sourceCount`, targets below `targetCount`, and all are fewer than 2^32.
  /// - Complexity: O(edges + sources + targets).
  init(
    _ sources: Buffer<UInt32>, _ targets: Buffer<UInt32>, rows: Buffer<UInt32>?, count: Int,
    sourceCount: Int, targetCount: Int
  ) {
    let order = Buffer<UInt32>(uninitialized: max(count, 1))
    var kept = 0
    do {
      let starts = Buffer<UInt32>(zeroed: targetCount + 1)
      for edge in 0..<count where targets[edge] != .max && sources[edge] != .max {
        starts[Int(targets[edge]) &+ 1] &+= 1
        kept &+= 1
      }
      for target in 0..<targetCount { starts[target &+ 1] &+= starts[target] }
      for edge in 0..<count where targets[edge] != .max && sources[edge] != .max {
        let place = starts[targets[edge]]
        starts[targets[edge]] = place &+ 1
        order[place] = UInt32(truncatingIfNeeded: edge)
      }
    }
    // Counted two places further on, so that filling moves each start to where its list begins.
    let offsets = Buffer<UInt32>(zeroed: sourceCount + 2)
    let sorted = Buffer<UInt32>(uninitialized: max(kept, 1))
    let edges = Buffer<UInt32>(uninitialized: max(kept, 1))
    for place in 0..<kept { offsets[Int(sources[order[place]]) &+ 2] &+= 1 }
    for source in 0..<sourceCount { offsets[source &+ 2] &+= offsets[source &+ 1] }
    for place in 0..<kept {
      let edge = order[place]
      let source = Int(sources[edge]) &+ 1
      let next = offsets[source]
      offsets[source] = next &+ 1
      sorted[next] = targets[edge]
      edges[next] = rows.map { $0[edge] } ?? edge
    }
    self.offsets = offsets
    self.count = kept
    self.targets = sorted
    self.rows = edges
  }

  /// The bytes that lists of so many edges take, while they are made.
  static func byteCount(edges: Int, sources: Int, targets: Int) -> Int {
    4 * (3 * edges + sources + targets + 4)
  }
}
