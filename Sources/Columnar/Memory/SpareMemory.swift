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
  /// - Precondition: nobody uses the block any more; it came from `posix_memalign` with the alignment of `unit`.
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
    if !isKept { unsafe free(memory) }
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
  private struct Postponed {
    var blocks: [(address: UInt, byteCount: Int)] = []
  }

  private static let postponed = Mutex(Postponed())
  /// How many blocks wait, so that most who take memory need no lock to see that there are none.
  private static let postponedCount = Atomic<Int>(0)

  /// Leaves a large block to be freed by the thread that looks after statements, if the calling one is about to end
  /// one; false otherwise.
  ///
  /// - Precondition: nobody uses the block any more; it came from the functions of `malloc`.
  static func postpone(_ memory: UnsafeMutableRawPointer, byteCount: Int) -> Bool {
    guard byteCount >= unit, RunningStatement.isInterrupted else { return false }
    let address = UInt(bitPattern: memory)
    postponed.withLock { $0.blocks.append((address, byteCount)) }
    postponedCount.wrappingAdd(1, ordering: .relaxed)
    return true
  }

  /// Whether blocks wait to be freed.
  static var hasPostponed: Bool { postponedCount.load(ordering: .relaxed) > 0 }

  /// Frees what was postponed, until that comes to `byteCount` bytes.
  ///
  /// Who takes memory frees as much first: it would grow otherwise by what ended statements have left, for as long as
  /// one thread takes to free that. A statement that has to end does not stop for it.
  static func freePostponed(_ byteCount: Int = .max) {
    var left = byteCount
    while left > 0, hasPostponed, byteCount == .max || !RunningStatement.isInterrupted {
      guard let block = postponed.withLock({ $0.blocks.popLast() }) else { return }
      postponedCount.wrappingSubtract(1, ordering: .relaxed)
      unsafe free(UnsafeMutableRawPointer(bitPattern: block.address))
      left -= block.byteCount
    }
  }

  /// Gives all that is kept back to the system.
  static func releaseAll() {
    let blocks = kept.withLock { kept in
      defer { kept = Kept() }
      return kept.blocks
    }
    for addresses in blocks.values {
      for address in addresses { unsafe free(UnsafeMutableRawPointer(bitPattern: address)) }
    }
  }
}
