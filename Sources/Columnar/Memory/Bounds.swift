#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Ends the process if elements are accessed that are not there: in debug builds, and in builds with `-Xswiftc -DCHECKED`.
///
/// Other release builds trust the bounds. It takes no closure, since debug builds would make one for every access.
///
/// - Parameters:
///   - index: Where the access begins.
///   - what: What is accessed.
///   - count: How many elements there are.
///   - length: How many are accessed; at least one.
#if DEBUG
  @_transparent
#else
  @inline(__always)
#endif
@inlinable
func checkBounds(_ index: Int, _ what: StaticString, _ count: Int, length: Int = 1) {
  #if DEBUG || CHECKED
    if index < 0 || index > count &- length { endOutOfBounds(what, index, count) }
  #endif
}

/// Ends the process if an access is outside of a page; only in builds with `-Xswiftc -DCHECKED`, as others do not know how
/// large a page is.
#if DEBUG
  @_transparent
#else
  @inline(__always)
#endif
@inlinable
func checkPageBounds(_ isInside: @autoclosure () -> Bool, _ index: Int) {
  #if CHECKED
    if !isInside() { endOutOfBounds("its page", index, -1) }
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
