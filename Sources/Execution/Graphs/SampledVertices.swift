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
    var numbers = SeededNumbers(seed)
    for place in 0..<count {
      all.swapAt(place, Int.random(in: place..<all.count, using: &numbers))
    }
    return all.prefix(count).sorted()
  }
}

/// Random numbers that are the same for the same seed: SplitMix64 (Steele, Lea and Flood 2014).
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: Int) { state = UInt64(bitPattern: Int64(seed)) }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed &>> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed &>> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed &>> 31
  }
}
