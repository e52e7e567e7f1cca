import Columnar
import SimulatedDisk
import Testing

@testable import Durability

@Suite("Packed numbers:")
struct BitPackingTests {
  @Test("numbers of each width are read as they were written", arguments: 0...32)
  func width(_ width: Int) {
    var random = SimulationRandom(seed: UInt64(width) + 1)
    for count in Array(0...26) + [255, 256, 2048] {
      let greatest = width == 32 ? UInt32.max : UInt32(1) << UInt32(width) - 1
      let numbers = Buffer<UInt32>(uninitialized: max(1, count))
      for index in 0..<count {
        numbers[index] = index % 5 == 0 ? greatest : UInt32(random.below(1 << 32)) & greatest
      }
      var writer = SectionWriter(capacity: 64)
      writer.append(byte: 0xA5)
      writer.pack(numbers, count: count, width: width)
      #expect(writer.count == 1 + (count * width + 7) / 8)
      writer.append(byte: 0x5A)
      let end = writer.count
      writer.zeros(SectionReader.slack)
      let reader = SectionReader(bytes: writer.bytes)
      #expect(reader.byte(0) == 0xA5 && reader.byte(end - 1) == 0x5A)
      #expect(reader.packedEnd(1, count: count, width: width) == end - 1)
      var wrong = 0
      reader.unpack(1, count: count, width: width) { index, number in
        if number != UInt64(numbers[index]) { wrong += 1 }
      }
      #expect(wrong == 0, "\(count) numbers")
    }
  }
}
