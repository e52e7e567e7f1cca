import Columnar

extension GraphTopology {
  /// Vertices as they rise: all of them, or `count` that are chosen by `seed`.
  ///
  /// - Complexity: O(vertices).
  func sampledVertices(_ count: Int?, seed: Int) -> [UInt32] {
    var all: [UInt32] = []
    all.reserveCapacity(liveCount)
    for place in 0..<vertexCount {
      let vertex = UInt32(truncatingIfNeeded: place)
      if isVertex(vertex) { all.append(vertex) }
    }
    guard let count, count < all.count else { return all }
    var random = GraphRandom(seed: seed)
    for place in 0..<count {
      all.swapAt(place, place + random.below(all.count - place))
    }
    return all.prefix(count).sorted()
  }
}
