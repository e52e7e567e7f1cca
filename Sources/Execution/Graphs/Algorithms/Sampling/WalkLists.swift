import Columnar
import Diagnostics

/// Where walks lead: the edges from each vertex one behind another, rising by target, and the weight up to each.
struct WalkLists: Sendable {
  private let starts: Buffer<UInt32>
  let targets: Buffer<UInt32>
  /// The sums of the weights of a vertex' edges up to each place; none where all weigh 1.
  private let sums: Buffer<Double>
  private let hasWeights: Bool

  /// The edges of one vertex.
  private final class Scratch {
    var edges: [(target: UInt32, weight: Double)] = []
  }

  /// - Throws: 22023 for a weight that is negative or infinite; 54000, 57014, 53200.
  init(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) {
    let count = graph.vertexCount
    let starts = try work.buffer(UInt32(0), count: count + 1)
    try work.forEachBlock(count) { range in
      for vertex in range {
        starts[vertex + 1] = UInt32(
          truncatingIfNeeded: graph.walked.degree(of: UInt32(truncatingIfNeeded: vertex)))
      }
    }
    let total = try work.addUp(starts, count)
    let hasWeights = graph.walked.hasWeights
    let targets = try work.buffer(UInt32(0), count: total)
    let sums = try work.buffer(0.0, count: hasWeights ? total : 0)
    let scratch = (0..<work.workerCount).map { _ in Scratch() }
    try work.forEachBlock(count, among: scratch) { (scratch, range) throws(SQLError) in
      for vertex in range {
        scratch.edges.removeAll(keepingCapacity: true)
        var (least, greatest) = (0.0, 0.0)
        graph.walked.forEachEdge(of: UInt32(truncatingIfNeeded: vertex)) { target, weight in
          (least, greatest) = (min(least, weight), max(greatest, weight))
          scratch.edges.append((target, weight))
        }
        if least < 0 || greatest == .infinity {
          throw SQLError(
            .invalidParameterValue,
            "a weight is \(least < 0 ? "negative" : "infinite"), which walks do not take",
            hint: "Leave such edges out with a query.")
        }
        scratch.edges.sort { ($0.target, $0.weight) < ($1.target, $1.weight) }
        var sum = 0.0
        for (place, edge) in zip(Int(starts[vertex])..., scratch.edges) {
          targets[place] = edge.target
          sum += edge.weight
          if hasWeights { sums[place] = sum }
        }
      }
    }
    (self.starts, self.targets) = (starts, targets)
    (self.sums, self.hasWeights) = (sums, hasWeights)
  }

  @inline(__always)
  func places(of vertex: UInt32) -> Range<Int> {
    let vertex = Int(truncatingIfNeeded: vertex)
    return Int(truncatingIfNeeded: starts[vertex])..<Int(truncatingIfNeeded: starts[vertex &+ 1])
  }

  /// The weight of the edge in one of a vertex' places.
  @inline(__always)
  func weight(at place: Int, in places: Range<Int>) -> Double {
    if !hasWeights { return 1 }
    return place == places.lowerBound ? sums[place] : sums[place] - sums[place - 1]
  }

  /// Whether an edge leads from one vertex to another.
  func leads(from vertex: UInt32, to other: UInt32) -> Bool {
    let places = self.places(of: vertex)
    let found = targets.lowerBound(of: other, in: places)
    return found < places.upperBound && targets[found] == other
  }

  /// Where a random edge of a vertex leads, as likely as its weight says; nil where none has a weight.
  @inline(__always)
  func next(of vertex: UInt32, _ random: inout GraphRandom) -> UInt32? {
    let places = self.places(of: vertex)
    if places.isEmpty { return nil }
    if !hasWeights { return targets[places.lowerBound + random.below(places.count)] }
    let total = sums[places.upperBound - 1]
    if total <= 0 { return nil }
    // The first whose sum is above the number: one without weight is never it.
    let number = random.unit() * total
    var (first, count) = (places.lowerBound, places.count)
    while count > 0 {
      let half = count / 2
      if sums[first + half] <= number {
        first += half + 1
        count -= half + 1
      } else {
        count = half
      }
    }
    return targets[min(first, places.upperBound - 1)]
  }
}
