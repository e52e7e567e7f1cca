#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Buffer {
  /// Lends the elements in `range`.
  package func withElements<Failure: Error>(
    _ range: Range<Int>, _ body: (Span<Element>) throws(Failure) -> Void
  ) throws(Failure) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a range must lie inside")
    let elements = unsafe UnsafeBufferPointer(start: base + range.lowerBound, count: range.count)
    try unsafe body(elements.span)
    withExtendedLifetime(block) {}
  }

  /// Adds the first `length` elements to an array, all at once.
  package func append(first length: Int, to array: inout [Element]) {
    precondition(length >= 0 && length <= count, "a copy must lie inside")
    unsafe array.append(contentsOf: UnsafeBufferPointer(start: base, count: length))
  }

  /// Lends the bytes of the elements in `range`, as they stand in memory.
  package func withBytes<Result: ~Copyable, Failure: Error>(
    _ range: Range<Int>, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a range must lie inside")
    let stride = MemoryLayout<Element>.stride
    let start = unsafe UnsafeRawPointer(base + range.lowerBound)
      .assumingMemoryBound(to: UInt8.self)
    let bytes = unsafe UnsafeBufferPointer(start: start, count: range.count * stride)
    return try unsafe body(bytes.span)
  }

  /// Lends the bytes of the elements in `range` to be written.
  ///
  /// - Precondition: nobody else reads or writes them meanwhile.
  package func withMutableBytes<Result: ~Copyable, Failure: Error>(
    _ range: Range<Int>, _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a range must lie inside")
    let stride = MemoryLayout<Element>.stride
    let start = unsafe UnsafeMutableRawPointer(base + range.lowerBound)
      .assumingMemoryBound(to: UInt8.self)
    let bytes = unsafe UnsafeMutableBufferPointer(start: start, count: range.count * stride)
    var span = unsafe bytes.mutableSpan
    return try body(&span)
  }
}

extension Span<UInt8> {
  /// Whether one of the bytes is zero, as none of a text may be.
  package var hasZero: Bool {
    unsafe withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return false }
      return unsafe memchr(base, 0, bytes.count) != nil
    }
  }
}

extension [UInt8] {
  /// Appends the bytes of a text, all at once.
  package mutating func append(bytes: TextBytes) {
    unsafe append(contentsOf: UnsafeBufferPointer(start: bytes.base, count: bytes.count))
  }

  /// Appends the bytes of a span, all at once.
  package mutating func append(bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// Appends the bytes of a number as they stand in memory, all at once: one by one, room is looked for as often.
  @inlinable
  package mutating func append<Number: FixedWidthInteger & BitwiseCopyable>(bytesOf number: Number)
  {
    unsafe Swift.withUnsafeBytes(of: number) { unsafe append(contentsOf: $0) }
  }
}
