#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A stretch of memory that is freed when the last reference to it goes.
///
/// A block may be a slice of another block, which it then keeps alive: a bulk load allocates once
/// and hands out pages.
///
/// - Invariant: `base` is aligned to 64 bytes unless the block is a slice at another offset, and
///   `byteCount` bytes from it are readable and writable as long as the block lives.
///
/// Sendable by rule: whoever shares a block across threads either no longer writes to it, or writes
/// only bytes that no other thread has been told of (rows past a published row count).
@usableFromInline @safe package final class MemoryBlock: @unchecked Sendable {
  @usableFromInline let base: UnsafeMutableRawPointer
  /// The size in bytes.
  @usableFromInline package let byteCount: Int
  private let parent: MemoryBlock?

  /// Blocks of this many bytes and more ask the kernel for huge pages.
  private static let hugePageThreshold = 1 << 22

  /// New memory, not initialised unless `zeroed`.
  @usableFromInline package init(byteCount: Int, zeroed: Bool = false) {
    precondition(byteCount >= 0, "a block cannot have \(byteCount) bytes")
    let rounded = (max(byteCount, 1) + 63) & ~63
    var pointer: UnsafeMutableRawPointer?
    let huge = rounded >= Self.hugePageThreshold
    let status = unsafe posix_memalign(&pointer, huge ? 1 << 21 : 64, rounded)
    guard status == 0, let pointer = unsafe pointer else {
      preconditionFailure("the system refused \(rounded) bytes of memory")
    }
    #if os(Linux)
      if huge { unsafe _ = madvise(pointer, rounded, MADV_HUGEPAGE) }
    #endif
    if zeroed { unsafe memset(pointer, 0, rounded) }
    unsafe base = pointer
    self.byteCount = byteCount
    parent = nil
  }

  /// A part of another block, which stays alive as long as the part does.
  package init(slicing whole: MemoryBlock, from offset: Int, byteCount: Int) {
    precondition(
      offset >= 0 && byteCount >= 0 && offset + byteCount <= whole.byteCount,
      "a slice of \(byteCount) bytes at \(offset) does not fit \(whole.byteCount) bytes")
    unsafe base = whole.base + offset
    self.byteCount = byteCount
    parent = whole.parent ?? whole
  }

  deinit {
    if parent == nil { unsafe free(base) }
  }

  /// The same memory as elements of one type.
  @inlinable
  package func buffer<Element: BitwiseCopyable>(of type: Element.Type) -> Buffer<Element> {
    unsafe Buffer(
      block: self, base: base.assumingMemoryBound(to: Element.self),
      count: byteCount / MemoryLayout<Element>.stride)
  }
}
