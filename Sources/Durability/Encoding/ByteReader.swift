package import Columnar
package import Diagnostics

/// Takes values out of bytes that `ByteWriter` has put together, and believes nothing: each read is looked at against
/// what is left, and no count makes memory be taken for more elements than there are bytes.
///
/// All functions throw XX001 where the bytes do not say what was asked for.
package struct ByteReader: Sendable {
  private let bytes: Buffer<UInt8>
  private let end: Int
  /// Where the next value stands.
  package private(set) var offset = 0

  /// Reads the first `count` bytes of a buffer that nobody changes.
  package init(_ bytes: Buffer<UInt8>, count: Int) {
    precondition(count <= bytes.count, "what is read lies inside the buffer")
    self.bytes = bytes
    end = count
  }

  package init(_ bytes: [UInt8]) { self.init(Buffer(bytes), count: bytes.count) }

  /// The bytes not read yet.
  package var rest: Int { end - offset }

  package var isAtEnd: Bool { rest == 0 }

  /// The error of bytes that say something impossible.
  package func damage(_ reason: String) -> SQLError {
    SQLError(
      .dataCorrupted, "the database's file is damaged",
      detail: "Byte \(offset) of a record: \(reason).",
      hint: "Nothing was changed. Restore the database from a backup.")
  }

  /// Steps over the next bytes, which are there.
  private mutating func take(_ count: Int) throws(SQLError) -> Int {
    guard count >= 0, count <= rest else {
      throw damage("\(count) bytes are announced and \(rest) are there")
    }
    defer { offset += count }
    return offset
  }

  package mutating func byte() throws(SQLError) -> UInt8 { bytes[try take(1)] }

  package mutating func flag() throws(SQLError) -> Bool {
    switch try byte() {
    case 0: false
    case 1: true
    default: throw damage("a flag is neither 0 nor 1")
    }
  }

  package mutating func half() throws(SQLError) -> UInt32 {
    let start = try take(4)
    return bytes.withBytes(start..<(start + 4)) { $0.half(at: 0) }
  }

  package mutating func word() throws(SQLError) -> UInt64 {
    let start = try take(8)
    return bytes.withBytes(start..<(start + 8)) { $0.word(at: 0) }
  }

  package mutating func number() throws(SQLError) -> Int64 { Int64(bitPattern: try word()) }

  /// A number that is not negative.
  package mutating func count() throws(SQLError) -> Int {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try byte()
      value |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 { break }
      shift += 7
      if shift > 56 { throw damage("a count is too great") }
    }
    return Int(truncatingIfNeeded: value)
  }

  /// The number of elements to come, each of at least `byteCount` bytes.
  package mutating func count(ofElements byteCount: Int) throws(SQLError) -> Int {
    let count = try count()
    guard count <= rest / max(1, byteCount) else {
      throw damage("\(count) elements are announced in \(rest) bytes")
    }
    return count
  }

  package mutating func text() throws(SQLError) -> String {
    let count = try count()
    let start = try take(count)
    let text = (start..<(start + count)).map { bytes[$0] }
    guard let text = String(validating: text, as: UTF8.self) else {
      throw damage("a text is no UTF-8")
    }
    return text
  }

  package mutating func optional<Value>(
    _ body: (inout ByteReader) throws(SQLError) -> Value
  ) throws(SQLError) -> Value? {
    try flag() ? try body(&self) : nil
  }

  /// Elements behind their number; each has a byte at least.
  package mutating func list<Element>(
    _ body: (inout ByteReader) throws(SQLError) -> Element
  ) throws(SQLError) -> [Element] {
    let count = try count(ofElements: 1)
    var elements: [Element] = []
    elements.reserveCapacity(min(count, 1024))
    for _ in 0..<count { elements.append(try body(&self)) }
    return elements
  }

  /// The next elements as they stand in memory, in memory of their own.
  package mutating func buffer<Element: BitwiseCopyable>(
    of element: Element.Type, count: Int
  ) throws(SQLError) -> Buffer<Element> {
    let stride = MemoryLayout<Element>.stride
    guard count >= 0, count <= rest / stride else {
      throw damage("\(count) values are announced in \(rest) bytes")
    }
    let start = try take(count * stride)
    let buffer = Buffer<Element>(uninitialized: max(1, count))
    buffer.block.buffer(of: UInt8.self).copy(bytes, from: start, count: count * stride, to: 0)
    return buffer
  }

  /// The next bytes as they are, in the memory that is read.
  package mutating func raw(_ count: Int) throws(SQLError) -> Buffer<UInt8> {
    let start = try take(count)
    return bytes.slice(start..<(start + count))
  }

  /// Says that everything was to be read.
  package func finish() throws(SQLError) {
    if rest > 0 { throw damage("\(rest) bytes follow the end") }
  }
}
