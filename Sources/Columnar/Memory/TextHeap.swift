package import Diagnostics

/// Where the texts that do not fit a view stand: blocks that only grow.
///
/// - Invariant: bytes once appended never move or change, so views of them stay good as long as the
///   heap lives.
///
/// Sendable by rule: one thread appends; others only follow views that were published to them after
/// the bytes were written.
package final class TextHeap: @unchecked Sendable {
  private var blocks: [Buffer<UInt8>] = []
  private var current: Buffer<UInt8>
  private var used = 0

  /// What the texts of a long heap count for.
  private var memory = GrowingMemory()

  /// The bytes taken from the system.
  package private(set) var byteCount: Int

  /// An empty heap whose first block has `capacity` bytes.
  package init(capacity: Int = 0) {
    current = Buffer(uninitialized: capacity)
    byteCount = capacity
  }

  /// A heap of texts that were written elsewhere, into `bytes`; it takes no others.
  package init(adopting bytes: Buffer<UInt8>) {
    current = bytes
    used = bytes.count
    byteCount = bytes.count
  }

  /// Counts what the heap has taken by now as held, as long as it lives.
  ///
  /// - Throws: 53200, 57014.
  func count() throws(SQLError) { try memory.grow(to: byteCount) }

  /// Room for `length` bytes that stay where they are.
  ///
  /// - Complexity: amortised O(1).
  private func reserve(_ length: Int) -> Int {
    if used + length > current.count {
      blocks.append(current)
      let size = max(length, min(max(4096, current.count &* 2), 1 << 20))
      current = Buffer(uninitialized: size)
      byteCount += size
      used = 0
    }
    let offset = used
    used += length
    return offset
  }

  /// A view of a copy of `bytes` that lives as long as the heap.
  package func append(_ bytes: TextBytes) -> TextView {
    if bytes.count <= TextView.inlineCapacity { return TextView(referring: bytes) }
    let offset = reserve(bytes.count)
    current.copy(bytes, to: offset)
    return TextView(referring: current.bytes(offset..<(offset + bytes.count)))
  }

  /// A view of `count` bytes that `body` writes to where they stay.
  package func append(
    count: Int, _ body: (Buffer<UInt8>) throws(SQLError) -> Void
  ) throws(SQLError) -> TextView {
    let offset = reserve(count)
    // What a view holds itself needs no room for longer than it takes to write it.
    defer { if count <= TextView.inlineCapacity { used = offset } }
    try body(current.slice(offset..<(offset + count)))
    return TextView(referring: current.bytes(offset..<(offset + count)))
  }

  /// A view of a copy of the first `count` bytes of `source`.
  package func append(_ source: Buffer<UInt8>, count: Int) -> TextView {
    append(source.bytes(0..<count))
  }

  /// A view of a copy of `bytes` that lives as long as the heap.
  package func append(_ bytes: [UInt8]) -> TextView { append(bytes.span) }

  /// A view of a copy of `bytes` that lives as long as the heap.
  package func append(_ bytes: Span<UInt8>) -> TextView {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return TextView() }
      return unsafe append(TextBytes(base: base, count: bytes.count))
    }
  }

  /// Forgets all texts, and keeps some of the room.
  ///
  /// - Precondition: nobody has a view of them any more.
  package func removeAll() {
    if !blocks.isEmpty {
      blocks = []
      byteCount = current.count
    }
    used = 0
  }

  /// A view of a copy of the text of `view`, which may stand elsewhere.
  package func adopt(_ view: TextView) -> TextView {
    if view.isInline { return view }
    guard let address = unsafe view.address else { return view }
    return unsafe append(TextBytes(base: address, count: view.count))
  }
}

/// Bytes being put together for one text after another: a kernel's scratch.
///
/// Use: `removeAll()`, `append(…)`…, then `heap.append(builder.bytes)`.
package struct ByteBuilder {
  package private(set) var buffer: Buffer<UInt8>
  package private(set) var count = 0

  /// A builder with room for `capacity` bytes.
  package init(capacity: Int = 256) { buffer = Buffer(uninitialized: max(capacity, 16)) }

  /// What has been put together; valid until the next change.
  package var bytes: TextBytes { buffer.bytes(0..<count) }

  /// Forgets the bytes and keeps the room.
  package mutating func removeAll() { count = 0 }

  /// Forgets all but the first `length` bytes.
  package mutating func truncate(to length: Int) { count = min(count, max(0, length)) }

  /// Makes room for `extra` more bytes.
  package mutating func reserve(_ extra: Int) {
    guard count + extra > buffer.count else { return }
    let grown = Buffer<UInt8>(uninitialized: max(buffer.count &* 2, count + extra))
    grown.copy(buffer, count: count, to: 0)
    buffer = grown
  }

  /// Counts `length` bytes past the end as written, after `reserve` made room for them.
  package mutating func advance(by length: Int) {
    precondition(
      length >= 0 && count + length <= buffer.count, "only reserved bytes can be counted")
    count &+= length
  }

  /// Adds one byte.
  package mutating func append(_ byte: UInt8) {
    if count == buffer.count { reserve(1) }
    buffer[count] = byte
    count &+= 1
  }

  /// Adds bytes.
  package mutating func append(_ bytes: TextBytes) {
    reserve(bytes.count)
    buffer.copy(bytes, to: count)
    count &+= bytes.count
  }

  /// Adds the bytes of a literal.
  package mutating func append(_ text: StaticString) {
    reserve(text.utf8CodeUnitCount)
    unsafe append(TextBytes(base: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Adds the bytes of a string; for edges.
  ///
  /// A literal goes to the function above, which copies it in one piece.
  @_disfavoredOverload
  package mutating func append(_ text: String) {
    for byte in text.utf8 { append(byte) }
  }
}
