import Testing

@testable import Execution

@Suite("A queue by cost")
struct CostQueueTests {
  /// Costs of few and of many different values, some far above the others, so that buckets hold less and more than a block.
  @Test("gives every vertex once, the cheapest first", arguments: 0..<12)
  func order(seed: Int) {
    var random = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
    func next(_ limit: UInt64) -> UInt64 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (random >> 33) % limit
    }
    let step = [1.0, 0.125, 1e9][seed % 3]
    let spread: UInt64 = [3, 100, 1 << 30][seed / 3 % 3]
    var queue = CostQueue()
    queue.begin(with: 0)
    var waiting: [UInt32: Double] = [0: 0]
    var (added, last) = (UInt32(1), 0.0)
    while let (vertex, cost) = queue.pop() {
      #expect(waiting.removeValue(forKey: vertex) == cost)
      #expect(cost >= last && !waiting.values.contains { $0 < cost })
      last = cost
      // More come than are taken at first.
      for _ in 0..<next(6) where added < 500 {
        let far = next(50) == 0 ? 1e12 : 1
        let sum = cost + Double(next(spread)) * far * step
        queue.push(added, sum)
        waiting[added] = sum
        added += 1
      }
    }
    #expect(waiting.isEmpty)
  }
}
