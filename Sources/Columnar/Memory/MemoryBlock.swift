#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a block knows of its memory.
@usableFromInline @safe
struct MemoryHeader {
  @usableFromInline let base: UnsafeMutableRawPointer
  @usableFromInline let byteCount: Int
  /// What the memory is a part of.
  let whole: MemoryStorage?
  /// Whether the memory was taken from the system apart from the storage.
  let isApart: Bool

  init(
    base: UnsafeMutableRawPointer, byteCount: Int, whole: MemoryStorage?, isApart: Bool
  ) {
    unsafe self.base = base
    self.byteCount = byteCount
    self.whole = whole
    self.isApart = isApart
  }
}

/// The object behind a block: small memory stands behind the header, so that both are taken from the
/// system and given back in one piece.
@usableFromInline @safe
final class MemoryStorage: ManagedBuffer<MemoryHeader, UInt64> {
  deinit {
    // The header is read in place: it is touched too often to be guarded, and never written again.
    unsafe withUnsafeMutablePointerToHeader { header in
      if unsafe header.pointee.isApart { unsafe free(header.pointee.base) }
    }
  }

  /// A storage over `memory` or, if that is nil, with room for `wordCount` words of its own.
  static func make(
    wordCount: Int, _ byteCount: Int, _ memory: UnsafeMutableRawPointer?, whole: MemoryStorage?
  ) -> MemoryStorage {
    let buffer = create(minimumCapacity: wordCount) { buffer in
      let behind = unsafe buffer.withUnsafeMutablePointerToElements {
        UnsafeMutableRawPointer($0)
      }
      return unsafe MemoryHeader(
        base: memory ?? behind, byteCount: byteCount, whole: whole,
        isApart: memory != nil && whole == nil)
    }
    return unsafe unsafeDowncast(buffer, to: MemoryStorage.self)
  }
}

/// A stretch of memory that is freed when the last reference to it goes.
///
/// A block may be a slice of another block, which it then keeps alive: a bulk load allocates once
/// and hands out pages.
///
/// - Invariant: `base` is aligned to 16 bytes unless the block is a slice at another offset, and
///   `byteCount` bytes from it are readable and writable as long as the block lives.
///
/// Sendable by rule: whoever shares a block across threads either no longer writes to it, or writes
/// only bytes that no other thread has been told of (rows past a published row count).
@usableFromInline @safe
package struct MemoryBlock: @unchecked Sendable {
  @usableFromInline var storage: MemoryStorage

  @inlinable var base: UnsafeMutableRawPointer {
    unsafe storage.withUnsafeMutablePointerToHeader { unsafe $0.pointee.base }
  }

  /// The size in bytes.
  @inlinable package var byteCount: Int {
    unsafe storage.withUnsafeMutablePointerToHeader { unsafe $0.pointee.byteCount }
  }

  /// Memory of up to this many bytes stands behind its header.
  private static let smallLimit = 1024
  /// Blocks of this many bytes and more ask the kernel for huge pages.
  private static let hugePageThreshold = 1 << 21

  /// New memory, not initialised unless `zeroed`.
  @usableFromInline package init(byteCount: Int, zeroed: Bool = false) {
    precondition(byteCount >= 0, "a block cannot have \(byteCount) bytes")
    // Whole words, so that a kernel may read the last ones of a mask without looking at the count.
    let rounded = (max(byteCount, 1) + 15) & ~15
    var isZero = false
    if rounded <= Self.smallLimit {
      storage = unsafe MemoryStorage.make(wordCount: rounded / 8, byteCount, nil, whole: nil)
    } else {
      let pointer =
        rounded < Self.hugePageThreshold
        ? unsafe malloc(rounded) : unsafe Self.hugePages(rounded, zeroed: zeroed)
      isZero = rounded >= Self.hugePageThreshold
      guard let pointer = unsafe pointer else {
        preconditionFailure("the system refused \(rounded) bytes of memory")
      }
      storage = unsafe MemoryStorage.make(wordCount: 0, byteCount, pointer, whole: nil)
    }
    if zeroed && !isZero { unsafe memset(base, 0, rounded) }
  }

  /// Memory on pages of 2 MB where the system has them: fewer entries for the address translation.
  ///
  /// Smaller blocks come from plain `malloc`, whose caches an aligned request would pass by.
  ///
  /// Zeros are left to `calloc`, which knows when memory comes fresh from the system and has them already.
  private static func hugePages(
    _ byteCount: Int, zeroed: Bool
  ) -> UnsafeMutableRawPointer? {
    var pointer: UnsafeMutableRawPointer?
    if zeroed {
      guard let memory = unsafe calloc(byteCount, 1) else { return nil }
      #if os(Linux)
        // Only whole pages can be advised; those at the ends stay small.
        let start = (UInt(bitPattern: memory) + 4095) & ~4095
        let end = (UInt(bitPattern: memory) + UInt(byteCount)) & ~4095
        if let first = unsafe UnsafeMutableRawPointer(bitPattern: start), end > start {
          unsafe _ = madvise(first, Int(end - start), MADV_HUGEPAGE)
        }
      #endif
      return unsafe memory
    }
    guard unsafe posix_memalign(&pointer, 1 << 21, byteCount) == 0 else { return nil }
    #if os(Linux)
      if let pointer = unsafe pointer {
        unsafe _ = madvise(pointer, byteCount, MADV_HUGEPAGE)
      }
    #endif
    return unsafe pointer
  }

  /// A part of another block, which stays alive as long as the part does.
  package init(slicing whole: MemoryBlock, from offset: Int, byteCount: Int) {
    precondition(
      offset >= 0 && byteCount >= 0 && offset + byteCount <= whole.byteCount,
      "a slice of \(byteCount) bytes at \(offset) does not fit \(whole.byteCount) bytes")
    storage = unsafe MemoryStorage.make(
      wordCount: 0, byteCount, whole.base + offset,
      whole: whole.storage.header.whole ?? whole.storage)
  }

  /// Whether nobody else holds the block, so that its memory can be used again.
  package mutating func isUnique() -> Bool { isKnownUniquelyReferenced(&storage) }

  /// Whether two blocks are the same memory.
  package static func === (left: MemoryBlock, right: MemoryBlock) -> Bool {
    left.storage === right.storage
  }

  /// Whether two blocks are different memory, or different parts of one.
  package static func !== (left: MemoryBlock, right: MemoryBlock) -> Bool { !(left === right) }

  /// The same memory as elements of one type.
  @inlinable
  package func buffer<Element: BitwiseCopyable>(of type: Element.Type) -> Buffer<Element> {
    unsafe Buffer(
      block: self, base: base.assumingMemoryBound(to: Element.self),
      count: byteCount / MemoryLayout<Element>.stride)
  }
}
