package import Columnar

/// Puts values into bytes that `ByteReader` takes apart again: numbers of fixed width with the least significant byte
/// first, counts as varints, texts and lists behind their counts.
package struct ByteWriter: Sendable {
  package private(set) var bytes: [UInt8] = []

  package init(capacity: Int = 256) { bytes.reserveCapacity(capacity) }

  package var count: Int { bytes.count }

  package mutating func append(byte: UInt8) { bytes.append(byte) }

  package mutating func append(flag: Bool) { bytes.append(flag ? 1 : 0) }

  package mutating func append(half: UInt32) { bytes.append(half: half) }

  package mutating func append(word: UInt64) { bytes.append(word: word) }

  /// A number that is mostly small and never negative: seven bits to a byte, the lowest first (LEB128).
  package mutating func append(count: Int) {
    precondition(count >= 0, "a count is not negative")
    var rest = UInt64(count)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  package mutating func append(number: Int64) { append(word: UInt64(bitPattern: number)) }

  /// UTF-8 behind its length.
  package mutating func append(text: String) {
    let text = Array(text.utf8)
    append(count: text.count)
    bytes.append(contentsOf: text)
  }

  /// A flag, and the value if there is one.
  package mutating func append<Value>(
    optional value: Value?, _ body: (inout ByteWriter, Value) -> Void
  ) {
    append(flag: value != nil)
    if let value { body(&self, value) }
  }

  /// The number of the elements, and each of them.
  package mutating func append<Elements: Collection>(
    list elements: Elements, _ body: (inout ByteWriter, Elements.Element) -> Void
  ) {
    append(count: elements.count)
    for element in elements { body(&self, element) }
  }

  /// Bytes as they are.
  package mutating func append(raw span: Span<UInt8>) {
    bytes.append(bytes: span)
  }

  /// The bytes of a text as they are.
  package mutating func append(raw text: TextBytes) { bytes.append(bytes: text) }

  /// The first elements of a buffer as they stand in memory.
  package mutating func append<Element: BitwiseCopyable>(
    _ buffer: Buffer<Element>, count elements: Int
  ) {
    if elements == 0 { return }
    buffer.withBytes(0..<elements) { append(raw: $0) }
  }

  package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }
}
