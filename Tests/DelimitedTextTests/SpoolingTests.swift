import Columnar
import DelimitedText
import Testing

@Suite("A source that can be read only once")
struct SpoolingTests {
  /// Gives pieces of odd sizes, once.
  private func source(_ bytes: [UInt8], pieceSize: Int) -> PieceSource {
    var rest = bytes[...]
    return PieceSource {
      if rest.isEmpty { return nil }
      defer { rest = rest.dropFirst(pieceSize) }
      return Array(rest.prefix(pieceSize))
    }
  }

  /// Reads up to `limit` bytes in steps of `step`.
  private func read(_ source: any ByteSource, upTo limit: Int = .max, step: Int) throws -> [UInt8] {
    let buffer = Buffer<UInt8>(uninitialized: step)
    var read: [UInt8] = []
    while read.count < limit {
      let count = try source.read(into: buffer, at: 0, count: min(step, limit - read.count))
      if count == 0 { break }
      read += buffer.array(count)
    }
    return read
  }

  @Test(
    "is read again from memory, from a file, and from both",
    arguments: [0, 1, 99, 100, 1_000, 5_000], [7, 1_000])
  func rereading(_ memoryLimit: Int, _ step: Int) throws {
    let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let spooled = SpooledSource(source(bytes, pieceSize: 33), memoryLimit: memoryLimit)
    for part in [0, 10, 500, 700, 1_000] {
      // A reading that ends early goes on where the source stands.
      #expect(try read(spooled, upTo: part, step: step) == Array(bytes.prefix(part)))
      spooled.rewind()
    }
    #expect(try read(spooled, step: step) == bytes)
    spooled.rewind()
    #expect(try read(spooled, step: step) == bytes)
  }

  @Test("is only kept where it has to be")
  func repeatable() throws {
    let memory = MemorySource([1, 2, 3])
    #expect(memory.repeatable === memory)
    #expect(try read(memory, step: 2) == [1, 2, 3])
    memory.rewind()
    #expect(try read(memory, step: 2) == [1, 2, 3])
    #expect(source([1], pieceSize: 1).repeatable is SpooledSource)
  }
}
