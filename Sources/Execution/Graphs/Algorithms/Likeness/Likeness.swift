import Columnar
import Diagnostics

/// How alike two vertices are that have a neighbour in common, in the eyes of a measure.
///
/// Each vertex goes to the neighbours of its neighbours and counts how often it comes to each, so that pairs without
/// a common neighbour cost nothing. Direction, loops and repeated edges do not matter. A pair comes twice, once
/// from each of its vertices; `source` says which vertices pairs are wanted of, `top` how many of each at most (the most alike ones, of
/// equal ones those first in the order of vertices), `min` how alike both have to be. With `of` both are of one table.
///
/// - Complexity: O(the sum of the degrees of the neighbours of each source); 8 bytes a vertex and 8 an edge, 8 a vertex
///   and worker (16 for a measure that weighs), 24 a pair.
struct Likeness<Measure: LikenessMeasure>: GraphAlgorithm {
  private let sources: [UInt32]?
  private let most: Int
  private let least: Double
  private let table: Int?

  init(_ arguments: GraphArgumentValues) throws(SQLError) {
    sources = arguments.isGiven(0) ? Set(try arguments.vertices(0)).sorted() : nil
    most = arguments.isGiven(1) ? arguments.integer(1) : .max
    try arguments.require(most > 0, "top must be positive")
    least = arguments.double(2)
    try arguments.require(!least.isNaN, "min must be a number")
    table = arguments.table
  }

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let simple = try SimpleGraph(graph, work, within: try reached(graph, work))
    let range = table.map { graph.tables[$0].vertices } ?? 0..<UInt32(graph.vertexCount)
    let sources = sources?.filter { range.contains($0) }
    let count = sources?.count ?? range.count
    var counters: [LikenessCounter<Measure>] = []
    for _ in 0..<work.workerCount {
      counters.append(try LikenessCounter(simple, range, most: most, least: least, work))
    }
    let context = work.context
    try work.forEachBlock(count, size: 64, among: counters) { (counter, block) throws(SQLError) in
      for place in block {
        let source = sources?[place] ?? range.lowerBound &+ UInt32(truncatingIfNeeded: place)
        try counter.count(from: source, context)
      }
      try counter.rows.endBlock(block.lowerBound)
    }
    return try Self.result(counters.map(\.rows), work)
  }

  /// The vertices whose neighbours have to be known: the sources, their neighbours and the neighbours of those; nil for all.
  private func reached(
    _ graph: GraphTopology, _ work: GraphWork
  ) throws(SQLError) -> VertexSet? {
    guard let sources else { return nil }
    let seen = try VertexSet(graph.vertexCount, work)
    var edge = sources
    for source in sources { seen.insert(source) }
    for _ in 0..<2 {
      var next: [UInt32] = []
      func add(_ vertex: UInt32) {
        if seen.contains(vertex) { return }
        seen.insert(vertex)
        next.append(vertex)
      }
      for (number, vertex) in edge.enumerated() {
        if number & 0xFFF == 0 { try work.check() }
        graph.out.forEach(of: vertex, add)
        graph.into.forEach(of: vertex, add)
      }
      try work.account.charge(4 * next.count)
      edge = next
    }
    return seen
  }

  private static func result(
    _ found: [BlockRows<AlikePair>], _ work: GraphWork
  ) throws(SQLError) -> GraphResult {
    let count = found.reduce(0) { $0 + $1.count }
    let ones = try work.buffer(UInt32(0), count: count)
    let others = try work.buffer(UInt32(0), count: count)
    let values = try work.buffer(0.0, count: count)
    let common = try work.buffer(UInt32(0), count: count)
    try BlockRows.forEach(found, work) { place, pair in
      ones[place] = pair.one
      others[place] = pair.other
      values[place] = pair.likeness
      common[place] = pair.common
    }
    return GraphResult(
      rows: .listed([ones, others], count: count), columns: [.double(values), .number(common)])
  }
}

/// Two vertices and how alike they are.
private struct AlikePair: BitwiseCopyable {
  let one: UInt32
  let other: UInt32
  let likeness: Double
  let common: UInt32

  /// Whether a pair of the same vertex comes before another.
  static func isBefore(_ one: AlikePair, _ other: AlikePair) -> Bool {
    one.likeness > other.likeness || (one.likeness == other.likeness && one.other < other.other)
  }
}

/// What one worker counts common neighbours with.
private final class LikenessCounter<Measure: LikenessMeasure> {
  private let graph: SimpleGraph
  private let range: Range<UInt32>
  private let most: Int
  private let least: Double
  /// By vertex: how many common neighbours, and what they count; 0 between two sources.
  private let counts: Buffer<UInt32>
  private let weights: Buffer<Double>
  /// Vertices that were come to.
  private let found: Buffer<UInt32>
  let rows: BlockRows<AlikePair>
  private var best: [AlikePair] = []
  /// The last of as many pairs as are wanted, once there are so many.
  private var worst: AlikePair?
  private var steps = 0

  init(
    _ graph: SimpleGraph, _ range: Range<UInt32>, most: Int, least: Double, _ work: GraphWork
  ) throws(SQLError) {
    (self.graph, self.range, self.most, self.least) = (graph, range, most, least)
    counts = try work.buffer(0, count: graph.vertexCount)
    found = try work.buffer(0, count: graph.vertexCount)
    weights = try work.buffer(0, count: Measure.weighsNeighbours ? graph.vertexCount : 0)
    rows = BlockRows(work)
  }

  func count(from source: UInt32, _ context: ExecutionContext) throws(SQLError) {
    var foundCount = 0
    for place in graph.places(of: source) {
      let middle = graph.neighbours[place]
      let its = graph.places(of: middle)
      let weight = Measure.weight(ofDegree: its.count)
      steps &+= its.count
      for place in its {
        let other = graph.neighbours[place]
        if !range.contains(other) { continue }
        let common = counts[other]
        if common == 0 {
          found[foundCount] = other
          foundCount &+= 1
        }
        counts[other] = common &+ 1
        if Measure.weighsNeighbours { weights[other] += weight }
      }
      if steps > 1 << 16 {
        steps = 0
        try context.check()
      }
    }
    take(source, foundCount)
  }

  /// Keeps the pairs that are wanted, and sets all counts back.
  private func take(_ source: UInt32, _ foundCount: Int) {
    let degree = graph.degree(of: source)
    for place in 0..<foundCount {
      let other = found[place]
      let common = counts[other]
      counts[other] = 0
      let weight = Measure.weighsNeighbours ? weights[other] : 0
      if Measure.weighsNeighbours { weights[other] = 0 }
      if other == source { continue }
      let likeness = Measure.likeness(
        Int(truncatingIfNeeded: common), weight, degree, graph.degree(of: other))
      if likeness < least { continue }
      let pair = AlikePair(one: source, other: other, likeness: likeness, common: common)
      if most == .max {
        rows.append(pair)
      } else {
        keep(pair)
      }
    }
    if most == .max { return }
    cut()
    for pair in best { rows.append(pair) }
    best.removeAll(keepingCapacity: true)
    worst = nil
  }

  /// Adds to the best pairs, which are cut back whenever there are twice as many as wanted.
  private func keep(_ pair: AlikePair) {
    if let worst, !AlikePair.isBefore(pair, worst) { return }
    best.append(pair)
    if best.count >= 2 * min(most, .max / 4) { cut() }
  }

  private func cut() {
    best.sort(by: AlikePair.isBefore)
    if best.count > most { best.removeLast(best.count - most) }
    worst = best.count == most ? best.last : nil
  }
}
