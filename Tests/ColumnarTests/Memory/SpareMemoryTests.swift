import Testing

@testable import Columnar

@Suite("Memory of large blocks that is used again")
struct SpareMemoryTests {
  /// Sizes around whole large pages.
  static let sizes: [Int] = [0, 1, 2, 3, 7].flatMap { units in
    [-16, 0, 16, 1 << 20].map { SpareMemory.unit * (units + 1) + $0 }
  }

  @Test(
    "holds what is written, and zeros where they are asked for", arguments: sizes,
    [MemoryBlock.PageSize.huge, .small])
  func contents(_ byteCount: Int, _ pages: MemoryBlock.PageSize) {
    let count = byteCount / 8
    // Some of each cache line, as the debug build takes its time for each.
    let places = Array(stride(from: 0, to: count, by: 5)) + [count - 1]
    for round in 0..<3 {
      // Each is given back before the next is asked for.
      let numbers = Buffer<UInt64>(uninitialized: count, pages: pages)
      #expect(numbers.count == count)
      for index in places { numbers[index] = UInt64(index + round) }
      numbers.block.settle()
      let zeros = Buffer<UInt64>(zeroed: count)
      var sum: UInt64 = 0
      for index in places { sum |= zeros[index] }
      #expect(sum == 0)
      var isKept = true
      for index in places where numbers[index] != UInt64(index + round) { isKept = false }
      #expect(isKept)
    }
  }

  @Test("belongs to one block at a time")
  func blocksAreApart() {
    var held: [Buffer<UInt64>] = []
    for number in 0..<40 {
      if number % 3 == 2 { held.remove(at: number % held.count) }
      let count = SpareMemory.unit / 8 * (1 + number % 5) + number
      let block = Buffer<UInt64>(uninitialized: count)
      for index in stride(from: 0, to: count, by: 512) { block[index] = UInt64(number) }
      held.append(block)
    }
    for block in held {
      let number = block[0]
      var isWhole = true
      for index in stride(from: 0, to: block.count, by: 512) where block[index] != number {
        isWhole = false
      }
      #expect(isWhole)
    }
    MemoryBlock.releaseSpare()
    #expect(Set(held.map { $0[0] }).count == held.count)
  }

  @Test("is at most a quarter larger than was asked for")
  func sizesFit() {
    for units in [1, 4, 9, 37] {
      _ = MemoryBlock(byteCount: units * SpareMemory.unit)
      // Whether it is still there depends on what else is going on.
      guard let found = unsafe SpareMemory.take(units * SpareMemory.unit - 100) else { continue }
      let byteCount = unsafe found.byteCount
      #expect(byteCount >= units * SpareMemory.unit)
      #expect(byteCount <= units * SpareMemory.unit * 5 / 4)
      unsafe SpareMemory.give(found.memory, byteCount: byteCount)
    }
  }
}
