import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Large blocks that were given back, kept for those that are asked for next.
///
/// The system hands out memory that it has to clear first, page by page as it is touched, and a virtual machine may
/// have to fetch each page from its host before: a result of half a gigabyte can spend more time there than in being
/// written. What is kept here has its pages already.
///
/// The system is told that it may take the pages of what is kept back whenever it is short of memory, so that
/// keeping them costs nobody anything but a larger number beside the process.
///
/// - Invariant: sizes are whole numbers of `unit`, to which blocks are aligned as well.
enum SpareMemory {
  /// What large blocks are made of: a huge page.
  static let unit = 1 << 21

  /// The bytes that a block of `byteCount` bytes takes.
  static func rounded(_ byteCount: Int) -> Int { (byteCount + unit - 1) & ~(unit - 1) }

  private struct Kept {
    /// Addresses, by the number of units of the block that begins there.
    var blocks: [Int: [UInt]] = [:]
    var byteCount = 0
  }

  private static let kept = Mutex(Kept())

  /// At most a sixteenth of the machine's memory is kept.
  private static let byteLimit =
    max(0, sysconf(Int32(_SC_PHYS_PAGES))) / 16 * max(0, sysconf(Int32(_SC_PAGESIZE)))

  /// New memory of zeros from the system, aligned to `unit`; nil if it refuses.
  ///
  /// - Precondition: `byteCount` is a whole number of units.
  static func map(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    if let memory = unsafe anonymousMapping(byteCount) {
      if UInt(bitPattern: memory) % UInt(unit) == 0 { return unsafe memory }
      unsafe _ = munmap(memory, byteCount)
    }
    // With a unit more there is an aligned stretch in it, and what is around that goes back.
    guard let memory = unsafe anonymousMapping(byteCount + unit) else { return nil }
    let before = (unit - Int(UInt(bitPattern: memory) % UInt(unit))) % unit
    if before > 0 { unsafe _ = munmap(memory, before) }
    if before < unit { unsafe _ = munmap(memory + before + byteCount, unit - before) }
    return unsafe memory + before
  }

  private static func anonymousMapping(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    let memory = unsafe mmap(
      nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
    return unsafe memory == MAP_FAILED ? nil : memory
  }

  /// A block that was kept, of at least `byteCount` bytes and at most a quarter more; nil if there is none.
  ///
  /// Its bytes are any.
  static func take(
    _ byteCount: Int
  ) -> (memory: UnsafeMutableRawPointer, byteCount: Int)? {
    let wanted = rounded(byteCount) / unit
    let found: (address: UInt, units: Int)? = kept.withLock { kept in
      if kept.byteCount < byteCount { return nil }
      for units in wanted...(wanted + wanted / 4) {
        guard let address = kept.blocks[units]?.popLast() else { continue }
        kept.byteCount -= units * unit
        return (address, units)
      }
      return nil
    }
    guard let found,
      let memory = unsafe UnsafeMutableRawPointer(bitPattern: found.address)
    else { return nil }
    return unsafe (memory, found.units * unit)
  }

  /// Keeps a block, or gives it back to the system where enough is kept.
  ///
  /// - Precondition: nobody uses the block any more; it came from `map` or `take`.
  static func give(_ memory: UnsafeMutableRawPointer, byteCount: Int) {
    if unsafe postpone(memory, byteCount: byteCount) { return }
    // Told to the system before anybody can take the block again.
    unsafe _ = madvise(memory, byteCount, MADV_FREE)
    let address = UInt(bitPattern: memory)
    let isKept = kept.withLock { kept in
      guard kept.byteCount + byteCount <= byteLimit else { return false }
      kept.blocks[byteCount / unit, default: []].append(address)
      kept.byteCount += byteCount
      return true
    }
    if !isKept { unsafe _ = munmap(memory, byteCount) }
  }

  /// Tells the system that what some bytes hold is of no use any more: it takes the pages that lie wholly within them,
  /// and gives others, of zeros, should they be touched again.
  static func forget(_ memory: UnsafeMutableRawPointer, byteCount: Int) {
    let page = UInt(max(4096, sysconf(Int32(_SC_PAGESIZE))))
    let start = (UInt(bitPattern: memory) + page - 1) & ~(page - 1)
    let end = (UInt(bitPattern: memory) + UInt(byteCount)) & ~(page - 1)
    guard start < end, let first = unsafe UnsafeMutableRawPointer(bitPattern: start) else { return }
    #if canImport(Glibc)
      unsafe _ = madvise(first, Int(end - start), MADV_DONTNEED)
    #else
      unsafe _ = madvise(first, Int(end - start), MADV_FREE)
    #endif
  }

  /// Blocks of a statement that was ended, which wait to be freed: that takes the system up to a second a gigabyte.
  private static let postponed = Mutex<[(address: UInt, byteCount: Int)]>([])
  private static let postponedBytes = Atomic<Int>(0)

  /// Leaves a large block to be freed by the thread that looks after statements, if the calling one is about to end
  /// one; false otherwise.
  ///
  /// - Precondition: nobody uses the block any more; it came from `map` or `take`, with its whole size.
  static func postpone(_ memory: UnsafeMutableRawPointer, byteCount: Int) -> Bool {
    guard RunningStatement.isInterrupted else { return false }
    let address = UInt(bitPattern: memory)
    postponed.withLock { $0.append((address, byteCount)) }
    postponedBytes.wrappingAdd(byteCount, ordering: .relaxed)
    return true
  }

  /// The bytes of blocks that wait to be freed.
  static var postponedByteCount: Int { postponedBytes.load(ordering: .relaxed) }

  /// Frees all that was postponed.
  static func freePostponed() {
    while let block = takePostponed(upTo: .max) {
      release(block.address, block.byteCount)
    }
  }

  /// Frees what was postponed, until that comes to `byteCount` bytes.
  ///
  /// Who takes memory frees as much first: it would grow otherwise by what ended statements have left, for as long as
  /// one thread takes to free that. A statement that has to end does not stop for it, and none frees a block that is
  /// much larger than what it takes: it could not be ended meanwhile.
  static func freePostponed(_ byteCount: Int) {
    var left = byteCount
    while left > 0, postponedByteCount > 0, !RunningStatement.isInterrupted,
      let block = takePostponed(upTo: max(byteCount, 8 * unit))
    {
      release(block.address, block.byteCount)
      left -= block.byteCount
    }
  }

  /// Takes the last of the postponed blocks that have at most `byteCount` bytes out of the list.
  private static func takePostponed(upTo byteCount: Int) -> (address: UInt, byteCount: Int)? {
    let block: (address: UInt, byteCount: Int)? = postponed.withLock { blocks in
      guard let index = blocks.lastIndex(where: { $0.byteCount <= byteCount }) else { return nil }
      return blocks.remove(at: index)
    }
    if let block { postponedBytes.wrappingSubtract(block.byteCount, ordering: .relaxed) }
    return block
  }

  private static func release(_ address: UInt, _ byteCount: Int) {
    guard let memory = unsafe UnsafeMutableRawPointer(bitPattern: address) else { return }
    unsafe _ = munmap(memory, byteCount)
  }

  /// Gives all that is kept back to the system.
  static func releaseAll() {
    let blocks = kept.withLock { kept in
      defer { kept = Kept() }
      return kept.blocks
    }
    for (units, addresses) in blocks {
      for address in addresses { release(address, units * unit) }
    }
  }
}
