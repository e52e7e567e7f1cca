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
  let origin: Origin

  /// Where the memory was taken from, and goes back to.
  ///
  /// One word, since the size of the header aligns the memory behind it.
  struct Origin {
    private let code: Int

    /// The storage itself, or the whole that the memory is a part of.
    static let storage = Origin(code: 0)
    /// `malloc`.
    static let system = Origin(code: 1)
    /// A whole, of which nobody else uses this part.
    static let part = Origin(code: 2)
    /// `SpareMemory`: so many bytes.
    static func spare(_ byteCount: Int) -> Origin { Origin(code: byteCount) }
    /// A file's mapping of so many bytes.
    static func mapping(_ byteCount: Int) -> Origin { Origin(code: -byteCount) }

    /// The bytes that came from `SpareMemory`; nil for other memory.
    var spareByteCount: Int? { code >= SpareMemory.unit ? code : nil }

    var isPart: Bool { code == 2 }

    func release(_ memory: UnsafeMutableRawPointer, _ byteCount: Int) {
      if isPart {
        unsafe SpareMemory.forget(memory, byteCount: byteCount)
      } else if code >= SpareMemory.unit {
        unsafe SpareMemory.give(memory, byteCount: code)
      } else if code == 1 {
        unsafe free(memory)
      } else if code < 0 {
        unsafe munmap(memory, -code)
      }
    }
  }

  /// The bytes that the memory takes, with what is behind those that were asked for.
  var footprint: Int { origin.spareByteCount ?? (max(byteCount, 1) + 15) & ~15 }

  init(
    base: UnsafeMutableRawPointer, byteCount: Int, whole: MemoryStorage?, origin: Origin
  ) {
    unsafe self.base = base
    self.byteCount = byteCount
    self.whole = whole
    self.origin = origin
  }
}

/// The object behind a block: small memory stands behind the header, so that both are taken from the
/// system and given back in one piece.
@usableFromInline @safe
final class MemoryStorage: ManagedBuffer<MemoryHeader, UInt64> {
  deinit {
    // The header is read in place: it is touched too often to be guarded, and never written again.
    unsafe withUnsafeMutablePointerToHeader { header in
      unsafe header.pointee.origin.release(header.pointee.base, header.pointee.byteCount)
    }
  }

  /// A storage over `memory` or, if that is nil, with room for `wordCount` words of its own.
  static func make(
    wordCount: Int, _ byteCount: Int, _ memory: UnsafeMutableRawPointer?,
    whole: MemoryStorage? = nil, origin: MemoryHeader.Origin = .storage
  ) -> MemoryStorage {
    let buffer = create(minimumCapacity: wordCount) { buffer in
      let behind = unsafe buffer.withUnsafeMutablePointerToElements {
        UnsafeMutableRawPointer($0)
      }
      return unsafe MemoryHeader(
        base: memory ?? behind, byteCount: byteCount, whole: whole, origin: origin)
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

  /// Which pages a large block is made of.
  @usableFromInline package enum PageSize: Sendable {
    /// Of 2 MB where the system has them: for hash tables and whatever else is touched at random places at once, with
    /// fewer entries for the address translation.
    case huge
    /// As the system has them at hand: for what is filled from front to back, as a load fills columns. Huge ones may
    /// take far longer to be had than the data to be written: a virtual machine may have given those that lie free
    /// back to its host, which then brings each of them in small pieces.
    case small
  }

  /// Memory of up to this many bytes stands behind its header.
  private static let smallLimit = 1024
  /// Blocks of this many bytes and more may be made of huge pages.
  private static let largeLimit = SpareMemory.unit

  /// New memory, not initialised unless `zeroed`; `pages` counts for blocks that are large enough.
  @usableFromInline package init(byteCount: Int, zeroed: Bool = false, pages: PageSize = .huge) {
    precondition(byteCount >= 0, "a block cannot have \(byteCount) bytes")
    // Whole words, so that a kernel may read the last ones of a mask without looking at the count.
    let rounded = (max(byteCount, 1) + 15) & ~15
    if rounded >= Self.largeLimit {
      SpareMemory.freePostponed(rounded)
      self =
        zeroed ? Self.largeZeroed(rounded, byteCount, pages) : Self.large(byteCount, pages)
      return
    }
    if rounded <= Self.smallLimit {
      storage = unsafe MemoryStorage.make(wordCount: rounded / 8, byteCount, nil)
    } else {
      storage = unsafe MemoryStorage.make(
        wordCount: 0, byteCount, Self.checked(malloc(rounded), rounded), origin: .system)
    }
    if zeroed { unsafe memset(base, 0, rounded) }
  }

  private init(_ storage: MemoryStorage) { self.storage = storage }

  private static func checked(
    _ memory: UnsafeMutableRawPointer?, _ byteCount: Int
  ) -> UnsafeMutableRawPointer {
    guard let memory = unsafe memory else {
      preconditionFailure("the system refused \(byteCount) bytes of memory")
    }
    return unsafe memory
  }

  /// What an earlier block has left, or new memory, on pages of 2 MB where the system has them and they are wanted.
  ///
  /// Smaller blocks come from plain `malloc`, which would keep large ones: memory that lies at the end of what a thread
  /// has goes back to the system only when it comes to tens of megabytes.
  private static func large(_ byteCount: Int, _ pages: PageSize) -> MemoryBlock {
    if let spare = unsafe SpareMemory.take(byteCount) {
      return unsafe MemoryBlock(
        .make(wordCount: 0, byteCount, spare.memory, origin: .spare(spare.byteCount)))
    }
    return fresh(byteCount, pages)
  }

  /// As `large`, of zeros: what an earlier block has left is overwritten unless it is so large that nobody could end a
  /// statement meanwhile.
  private static func largeZeroed(
    _ rounded: Int, _ byteCount: Int, _ pages: PageSize
  ) -> MemoryBlock {
    if rounded <= overwrittenLimit, let spare = unsafe SpareMemory.take(rounded) {
      unsafe memset(spare.memory, 0, rounded)
      return unsafe MemoryBlock(
        .make(wordCount: 0, byteCount, spare.memory, origin: .spare(spare.byteCount)))
    }
    return fresh(byteCount, pages)
  }

  /// Blocks of more bytes are not overwritten with zeros.
  private static let overwrittenLimit = 64 << 20

  /// Memory that comes from the system, of zeros.
  private static func fresh(_ byteCount: Int, _ pages: PageSize) -> MemoryBlock {
    let rounded = SpareMemory.rounded(byteCount)
    let memory = unsafe checked(SpareMemory.map(rounded), rounded)
    // Not on the rest of the last page, of which memory would be taken for nothing.
    if pages == .huge { unsafe adviseHugePages(memory, byteCount) }
    return unsafe MemoryBlock(
      .make(wordCount: 0, byteCount, memory, origin: .spare(rounded)))
  }

  /// Asks the system for huge pages in what is touched from now on, and to bring together what was touched before when
  /// it has nothing else to do.
  private static func adviseHugePages(_ memory: UnsafeMutableRawPointer, _ byteCount: Int) {
    #if os(Linux)
      // Only whole pages can be advised; those at the ends stay small.
      let start = (UInt(bitPattern: memory) + 4095) & ~4095
      let end = (UInt(bitPattern: memory) + UInt(byteCount)) & ~4095
      if let first = unsafe UnsafeMutableRawPointer(bitPattern: start), end > start {
        unsafe _ = madvise(first, Int(end - start), MADV_HUGEPAGE)
      }
    #endif
  }

  /// Tells the system that small pages were filled, and will be read at random places for long: it may make huge ones
  /// of them.
  package func settle() {
    if byteCount >= Self.largeLimit { unsafe Self.adviseHugePages(base, byteCount) }
  }

  /// Has the system bring the pages of a stretch that is zero or of no value yet, by a write to each.
  ///
  /// - Precondition: the stretch lies within the block.
  @inline(never)
  func touch(from offset: Int, count: Int) {
    precondition(
      offset >= 0 && count >= 0 && offset + count <= byteCount, "a stretch must lie inside")
    for page in stride(from: offset, to: offset + count, by: 4096) {
      unsafe base.storeBytes(of: 0, toByteOffset: page, as: UInt8.self)
    }
  }

  /// A file's mapping as a block, which unmaps it at its end.
  ///
  /// The memory may be read only: nobody writes to a block of which others know.
  ///
  /// - Precondition: `mapping` is what `mmap` gave for `byteCount` bytes, and nobody else unmaps it.
  @unsafe package init(mapping: UnsafeMutableRawPointer, byteCount: Int) {
    precondition(byteCount > 0, "a mapping cannot have \(byteCount) bytes")
    storage = unsafe MemoryStorage.make(
      wordCount: 0, byteCount, mapping, origin: .mapping(byteCount))
  }

  /// Gives memory that was kept for large blocks to come back to the system: at the end of work that used much of it
  /// and is not soon followed by more.
  package static func releaseSpare() { SpareMemory.releaseAll() }

  /// Gives all memory back to the system that the process holds without use, that of the allocator as well.
  ///
  /// - Complexity: about a millisecond for tens of megabytes of small blocks.
  package static func releaseUnused() { MachineMemory.trim() }

  /// A part of another block, which stays alive as long as the part does.
  package init(slicing whole: MemoryBlock, from offset: Int, byteCount: Int) {
    precondition(
      offset >= 0 && byteCount >= 0 && offset + byteCount <= whole.byteCount,
      "a slice of \(byteCount) bytes at \(offset) does not fit \(whole.byteCount) bytes")
    // What keeps a part keeps its memory from being given back.
    let isOfPart = whole.storage.header.origin.isPart
    storage = unsafe MemoryStorage.make(
      wordCount: 0, byteCount, whole.base + offset,
      whole: isOfPart ? whole.storage : whole.storage.header.whole ?? whole.storage)
  }

  /// Whether another block is part of the same block as this one, and stands so many bytes behind the beginning of this one.
  package func isFollowed(by next: MemoryBlock, after byteCount: Int) -> Bool {
    let (own, other) = (storage.header, next.storage.header)
    // A part gives its memory back when nobody holds it, whoever holds the whole.
    guard let whole = own.whole, other.whole === whole, !own.origin.isPart, !other.origin.isPart
    else { return false }
    return unsafe own.base + byteCount == other.base
  }

  /// This block and those behind it up to the end of `last` as a whole.
  ///
  /// - Precondition: `last` is part of the same block, and does not begin before this one.
  package func through(_ last: MemoryBlock) -> MemoryBlock {
    let (own, other) = (storage.header, last.storage.header)
    let byteCount = unsafe other.base + other.byteCount - own.base
    precondition(
      own.whole != nil && own.whole === other.whole && byteCount >= own.byteCount,
      "blocks must be parts of one block, one behind the other")
    let joined = unsafe MemoryStorage.make(wordCount: 0, byteCount, own.base, whole: own.whole)
    return MemoryBlock(joined)
  }

  /// Whether the block is a small part of a large one.
  package var isInStretch: Bool {
    storage.header.whole.map { $0.header.byteCount >= Self.largeLimit } ?? false
  }

  /// A part of another block that gives its memory back to the system when nobody holds the part any more, although
  /// other parts of the block are still held.
  ///
  /// - Precondition: from now on nobody uses these bytes but through the part.
  package init(parting whole: MemoryBlock, from offset: Int, byteCount: Int) {
    precondition(
      offset >= 0 && byteCount >= 0 && offset + byteCount <= whole.byteCount,
      "a part of \(byteCount) bytes at \(offset) does not fit \(whole.byteCount) bytes")
    precondition(whole.storage.header.whole == nil, "only a whole block is parted")
    storage = unsafe MemoryStorage.make(
      wordCount: 0, byteCount, whole.base + offset, whole: whole.storage, origin: .part)
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
