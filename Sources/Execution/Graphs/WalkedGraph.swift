import Columnar
import Diagnostics

/// The edges that an algorithm walks, copied so that those of a vertex stand one behind another: no loops, and each
/// target once.
///
/// For algorithms that go along each edge many times. Of several edges between the same vertices the one of least
/// weight is kept, or their weights are added up.
struct WalkedGraph: Sendable {
  enum Joining { case least, sum }

  let vertexCount: Int
  /// Where the edges of each vertex begin, and one entry more.
  let starts: Buffer<UInt32>
  /// Those of one vertex rise.
  let targets: Buffer<UInt32>
  /// nil where every edge weighs 1, if weights are not added up.
  let weights: Buffer<Double>?

  /// - Complexity: O(vertices + edges log degree); 4 bytes a vertex, and 12 an edge walked; without weights as `NeighbourLists`.
  /// - Throws: 54000 for more than 4,294,967,295 edges walked; 57014, 53200.
  init(
    _ lists: GraphLists, _ vertexCount: Int, joining: Joining = .least, _ work: GraphWork
  ) throws(SQLError) {
    self.vertexCount = vertexCount
    if !lists.hasWeights, joining == .least {
      let ends = try NeighbourLists(lists, nil, vertexCount, work)
      (starts, targets, weights) = (ends.starts, ends.targets, nil)
      return
    }
    let starts = try work.buffer(UInt32(0), count: vertexCount + 1)
    let gatherers = (0..<work.workerCount).map { _ in EdgeGatherer(joining) }
    try work.forEachBlock(vertexCount, among: gatherers) { gatherer, range in
      for vertex in range {
        gatherer.gather(of: UInt32(truncatingIfNeeded: vertex), lists)
        starts[vertex + 1] = UInt32(truncatingIfNeeded: gatherer.edges.count)
      }
    }
    let total = try work.addUp(starts, vertexCount)
    let targets = try work.buffer(UInt32(0), count: total)
    let weights = try work.buffer(0.0, count: total)
    try work.forEachBlock(vertexCount, among: gatherers) { gatherer, range in
      for vertex in range {
        gatherer.gather(of: UInt32(truncatingIfNeeded: vertex), lists)
        var place = Int(starts[vertex])
        for edge in gatherer.edges {
          targets[place] = edge.target
          weights[place] = edge.weight
          place += 1
        }
      }
    }
    (self.starts, self.targets, self.weights) = (starts, targets, weights)
  }

  @inline(__always)
  func places(of vertex: UInt32) -> Range<Int> {
    let vertex = Int(truncatingIfNeeded: vertex)
    return Int(truncatingIfNeeded: starts[vertex])..<Int(truncatingIfNeeded: starts[vertex &+ 1])
  }

  var edgeCount: Int { Int(starts[vertexCount]) }
}

/// The edges of one vertex, each target once; each worker has its own.
private final class EdgeGatherer {
  private(set) var edges: [(target: UInt32, weight: Double)] = []
  private let joining: WalkedGraph.Joining

  init(_ joining: WalkedGraph.Joining) { self.joining = joining }

  func gather(of vertex: UInt32, _ lists: GraphLists) {
    // In a variable of its own, as every access to one of an object is checked.
    var edges: [(target: UInt32, weight: Double)] = []
    swap(&edges, &self.edges)
    defer { swap(&edges, &self.edges) }
    edges.removeAll(keepingCapacity: true)
    var rises = true
    lists.forEachEdge(of: vertex) { target, weight in
      if target == vertex { return }
      if let last = edges.last, last.target >= target { rises = false }
      edges.append((target, weight))
    }
    if rises { return }
    edges.sort { ($0.target, $0.weight) < ($1.target, $1.weight) }
    var kept = 0
    for index in edges.indices {
      if index > 0, edges[index].target == edges[kept - 1].target {
        if joining == .sum { edges[kept - 1].weight += edges[index].weight }
      } else {
        edges[kept] = edges[index]
        kept += 1
      }
    }
    edges.removeLast(edges.count - kept)
  }
}
