#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Ends the process if an access is out of bounds: in debug builds, and in builds with `-Xswiftc -DCHECKED`.
///
/// Other release builds trust the bounds, and do not evaluate the condition.
///
/// - Parameters:
///   - isInside: Whether the access is in bounds.
///   - what: What was accessed.
///   - index: Where.
///   - count: How many elements there are, if that is known.
@inlinable
@inline(__always)
func checkBounds(
  _ isInside: @autoclosure () -> Bool, _ what: StaticString, _ index: Int, _ count: Int = -1
) {
  #if CHECKED
    if !isInside() { endOutOfBounds(what, index, count) }
  #else
    assert(isInside(), "index \(index) is outside \(what) of \(count)")
  #endif
}

/// Says what was out of bounds, which an optimised `preconditionFailure` does not, and ends the process.
@usableFromInline
@inline(never)
func endOutOfBounds(_ what: StaticString, _ index: Int, _ count: Int) -> Never {
  let size = count < 0 ? "" : " of \(count)"
  let line = Array("Fatal error: index \(index) is outside \(what)\(size)\n".utf8)
  unsafe line.withUnsafeBytes { unsafe _ = write(2, $0.baseAddress, $0.count) }
  preconditionFailure("an index is out of bounds")
}

/// Between which addresses a page pointer may be followed; nothing at all unless bounds are checked.
@frozen
@usableFromInline
struct PageBounds: BitwiseCopyable, Sendable {
  #if CHECKED
    @usableFromInline let lower: UInt
    @usableFromInline let upper: UInt
  #endif

  /// The bounds of `byteCount` bytes at `start`; none for no page.
  @inlinable
  init(_ start: UnsafeMutableRawPointer?, byteCount: Int) {
    #if CHECKED
      lower = UInt(bitPattern: start)
      upper = UInt(bitPattern: start) &+ UInt(bitPattern: byteCount)
    #endif
  }

  /// Whether the bounds hold `byteCount` bytes at `start`.
  @inlinable
  @inline(__always)
  func hold(_ start: UnsafeMutableRawPointer?, byteCount: Int) -> Bool {
    #if CHECKED
      let address = UInt(bitPattern: start)
      return byteCount >= 0 && address >= lower && address <= upper
        && UInt(bitPattern: byteCount) <= upper &- address
    #else
      return true
    #endif
  }
}
