import Testing

@testable import Columnar

@Suite("Parts of a block that are let go of one by one")
struct MemoryPartTests {
  /// Small memory, memory of the allocator, and large pages.
  @Test("leave the others as they are", arguments: [100, 20_000, 1_500_000])
  func others(count: Int) {
    let whole = Buffer((0..<count).map { UInt32($0) })
    // None of them begins at a page.
    let cuts = (0...7).map { count * $0 / 7 }
    var parts = (0..<7).map { Optional(whole.part(cuts[$0]..<cuts[$0 + 1])) }
    let slice = parts[3]?.slice(1..<5)
    for part in [2, 3, 6] { parts[part] = nil }
    for (index, part) in parts.enumerated() {
      guard let part else { continue }
      #expect(part.array(part.count) == (cuts[index]..<cuts[index + 1]).map { UInt32($0) })
    }
    // A slice keeps the part that it was made of.
    let first = UInt32(cuts[3] + 1)
    #expect(slice?.array(4) == [first, first + 1, first + 2, first + 3])
    #expect(whole[cuts[2] - 1] == UInt32(cuts[2] - 1))
  }

  @Test("count by themselves, and slices with the whole that they hold")
  func census() {
    let whole = Buffer<UInt32>(uninitialized: 1_000_000)
    func byteCount(_ buffers: [Buffer<UInt32>]) -> Int {
      var census = MemoryCensus()
      for buffer in buffers { census.add(buffer) }
      return census.byteCount
    }
    let part = whole.part(0..<100_000)
    let others = [part.slice(0..<10), part.slice(20..<30), part]
    #expect((400_000..<400_200).contains(byteCount(others)))
    #expect(byteCount([whole.slice(0..<10), whole.slice(5..<20)]) >= 4_000_000)
    #expect(byteCount([whole.slice(0..<10), whole.slice(5..<20)]) < 8_000_000)
  }
}
