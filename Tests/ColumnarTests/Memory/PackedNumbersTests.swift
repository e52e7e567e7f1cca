import Testing

@testable import Columnar

@Suite("Numbers that are packed along a line")
struct PackedNumbersTests {
  /// How numbers stand to each other.
  enum Shape: CaseIterable {
    case same, serial, shuffledInGroups, rising, steep, random, falling, wrapping
  }

  private static func numbers(_ shape: Shape, _ count: Int) -> [UInt32] {
    let start = UInt32.random(in: 0..<1 << 20)
    switch shape {
    case .same: return Array(repeating: start, count: count)
    case .serial: return (0..<count).map { start + UInt32($0) }
    case .shuffledInGroups:
      var all = (0..<count).map { start + UInt32($0) }
      for first in stride(from: 0, to: count, by: 8) {
        all[first..<min(first + 8, count)].shuffle()
      }
      return all
    case .rising: return (0..<count).map { _ in UInt32.random(in: 0..<1 << 22) }.sorted()
    case .steep: return (0..<count).map { UInt32($0) &* 70_000 }
    case .random: return (0..<count).map { _ in UInt32.random(in: 0 ... .max) }
    case .falling: return (0..<count).map { .max - UInt32($0) * 3 }
    case .wrapping: return (0..<count).map { UInt32.max - 5 &+ UInt32($0) }
    }
  }

  @Test("are read as they were", arguments: Shape.allCases)
  func reading(_ shape: Shape) {
    for count in [1, 2, 3, 8, 255, 256, 700] {
      let all = Self.numbers(shape, count)
      var cuts = Set([0, count])
      for _ in 0..<3 { cuts.insert(Int.random(in: 0...count)) }
      let ends = cuts.sorted()
      let stretches = zip(ends, ends.dropFirst()).map { $0..<$1 } + [0..<0]
      let packed = NumberStretch.packing(Buffer(all), stretches)
      for (range, stretch) in zip(stretches, packed) {
        let wanted = Array(all[range])
        #expect(stretch.array(range.count) == wanted)
        #expect(stretch.buffer(range.count).array(range.count) == wanted)
        let part = Int.random(in: 0...range.count)..<range.count
        #expect(stretch.slice(part).array(part.count) == Array(wanted[part]))
        let moved = stretch.numbers.advanced(by: part.lowerBound)
        #expect((0..<part.count).map { moved[$0] } == Array(wanted[part]))
        let copied = Buffer<UInt32>(zeroed: part.count + 3)
        stretch.copy(from: part.lowerBound, count: part.count, to: copied, at: 2)
        #expect(copied.array(part.count + 3) == [0, 0] + wanted[part] + [0])
      }
    }
  }

  @Test("take no more bytes than their distance from the line")
  func widths() {
    func width(_ shape: Shape) -> Double {
      let all = Self.numbers(shape, 4096)
      return NumberStretch.likelyWidth(Buffer(all), packedBy: 256)
    }
    #expect(width(.same) == 0)
    #expect(width(.serial) == 0)
    #expect(width(.shuffledInGroups) == 1)
    #expect(width(.rising) < 2.5)
    #expect(width(.random) > 3.5)
  }

  @Test("stand in one stretch of memory, each part where a plain number may")
  func memory() {
    let all =
      Self.numbers(.shuffledInGroups, 999) + Self.numbers(.random, 500)
    let packed = NumberStretch.packing(Buffer(all), [0..<333, 333..<999, 999..<1499])
    #expect(packed[2].buffer(500).array(500) == Array(all[999...]))
    var census = MemoryCensus()
    for stretch in packed { census.add(stretch.memory) }
    #expect((999 + 2000..<999 + 2200).contains(census.byteCount))
  }

  @Test("are plain where they stand in a buffer")
  func plain() {
    let buffer = Buffer<UInt32>([5, 1, 9])
    let stretch = NumberStretch(buffer)
    #expect(stretch.numbers.isPlain && stretch.array(3) == [5, 1, 9])
    #expect(stretch.numbers == PackedNumbers(PagePointer(buffer)))
    #expect(stretch.numbers.advanced(by: 1) != stretch.numbers)
    buffer[1] = 2
    #expect(stretch.slice(1..<3).buffer(2).array(2) == [2, 9])
  }
}
