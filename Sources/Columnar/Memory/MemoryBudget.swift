package import Diagnostics
import Synchronization

/// How much memory the operators of one statement may hold.
///
/// An operator that keeps rows charges what it is about to keep, so that a statement past its limit
/// ends with an error before the process does. What other statements under the same limit hold at the same time, and
/// results of theirs that somebody keeps, count as well: the limit is one of memory that is there once.
package final class MemoryBudget: Sendable {
  private let limit: MemoryLimit
  private let used = Atomic<Int>(0)
  private let peak = Atomic<Int>(0)

  package init(_ limit: MemoryLimit = MemoryLimit()) { self.limit = limit }

  /// The most bytes that may be held.
  package var byteLimit: Int { limit.byteCount }
  /// Whether nobody has set the limit: then it is one of the whole process, its tables included.
  var isDefault: Bool { limit.isDefault }
  private var pool: MemoryPool { limit.pool }

  deinit {
    let left = used.load(ordering: .relaxed)
    if left != 0 { pool.add(-left) }
  }

  /// The bytes held now.
  package var usedByteCount: Int { used.load(ordering: .relaxed) }

  /// The bytes that all statements under this limit hold now, with results of theirs that somebody keeps.
  var pooledByteCount: Int { pool.byteCount }

  /// The most bytes that were held at once, to the nearest charge of a megabyte.
  var peakByteCount: Int { max(peak.load(ordering: .relaxed), usedByteCount) }

  /// Notes `byteCount` more bytes.
  ///
  /// - Throws: 53200 past the limit.
  package func charge(_ byteCount: Int) throws(SQLError) {
    let own = used.wrappingAdd(byteCount, ordering: .relaxed).newValue
    let all = pool.add(byteCount)
    if own >> 20 > peak.load(ordering: .relaxed) >> 20 { peak.store(own, ordering: .relaxed) }
    // Little is never refused for what others hold: they are the ones to end.
    if own > byteLimit || (all > byteLimit && own > Self.smallByteCount) { throw error }
  }

  /// A statement that holds no more ends for its own limit only.
  private static let smallByteCount = 1 << 20

  /// Looks whether `byteCount` more bytes may be held.
  ///
  /// - Throws: 53200.
  package func checkRoom(for byteCount: Int) throws(SQLError) {
    if byteCount > byteLimit || usedByteCount > byteLimit - byteCount { throw error }
  }

  /// Counts `byteCount` bytes of values that no operator holds yet among what statements under this limit hold, until
  /// the last reference to what is returned goes.
  ///
  /// - Throws: 53200 where all of them together would hold more than the limit.
  func hold(_ byteCount: Int) throws(SQLError) -> HeldMemory {
    try checkRoom(for: byteCount)
    let held = HeldMemory(byteCount: byteCount, of: pool)
    if pool.add(byteCount) > byteLimit { throw error }
    return held
  }

  /// Notes that `byteCount` bytes were given back.
  package func release(_ byteCount: Int) {
    _ = used.wrappingSubtract(byteCount, ordering: .relaxed)
    pool.add(-byteCount)
  }

  /// Hands `byteCount` bytes over to a result, which holds them until the last copy of it goes.
  package func hand(over byteCount: Int) -> HeldMemory {
    _ = used.wrappingSubtract(byteCount, ordering: .relaxed)
    return HeldMemory(byteCount: byteCount, of: pool)
  }

  /// What a statement past the limit ends with.
  package var error: SQLError {
    SQLError(
      .outOfMemory, "out of memory",
      detail: "The statement would hold more than its limit of \(byteLimit) bytes (memory_limit"
        + (isDefault ? ", by default four fifths of the machine's memory)." : ")."),
      hint:
        "Let the query return, sort or group fewer rows, let others end first, or raise the limit: "
        + "SET memory_limit = '\(Self.suggestion(byteLimit))'.")
  }

  /// Twice the limit, as it would be written.
  private static func suggestion(_ limit: Int) -> String {
    let (doubled, overflow) = limit.multipliedReportingOverflow(by: 2)
    if overflow { return "0" }
    if doubled >= 1 << 30 { return "\((doubled + (1 << 30) - 1) >> 30)GB" }
    return doubled >= 1 << 20
      ? "\((doubled + (1 << 20) - 1) >> 20)MB" : "\((doubled + 1023) >> 10)kB"
  }
}

/// How much memory statements may hold, and what those under the same limit hold together.
package struct MemoryLimit: Sendable {
  package let byteCount: Int
  /// Whether nobody has set the limit.
  package let isDefault: Bool
  fileprivate let pool: MemoryPool

  /// A limit of so many bytes; without one, as many as the machine gives.
  package init(byteCount: Int = .max, isDefault: Bool = false) {
    self.byteCount = byteCount
    self.isDefault = isDefault
    pool = MemoryPool.of(byteCount)
  }
}

/// What statements under one limit hold together, and results that are kept of them.
private final class MemoryPool: Sendable {
  private struct Reference {
    weak var pool: MemoryPool?
  }
  private static let pools = Mutex<[Int: Reference]>([:])
  /// The limits that nobody is under any more are forgotten when there are more.
  private static let countMax = 64
  private static let shared = MemoryPool()

  private let held = Atomic<Int>(0)

  /// The pool of a limit.
  static func of(_ byteLimit: Int) -> MemoryPool {
    if byteLimit == .max { return shared }
    return pools.withLock { pools in
      if let known = pools[byteLimit]?.pool { return known }
      if pools.count >= countMax { pools = pools.filter { $0.value.pool != nil } }
      let made = MemoryPool()
      pools[byteLimit] = Reference(pool: made)
      return made
    }
  }

  var byteCount: Int { held.load(ordering: .relaxed) }

  /// Adds to what is held, and gives what that comes to.
  @discardableResult
  func add(_ byteCount: Int) -> Int { held.wrappingAdd(byteCount, ordering: .relaxed).newValue }
}

/// The memory of a result that its statement has handed over.
package final class HeldMemory: Sendable {
  package let byteCount: Int
  private let pool: MemoryPool

  fileprivate init(byteCount: Int, of pool: MemoryPool) {
    self.byteCount = byteCount
    self.pool = pool
  }

  deinit {
    pool.add(-byteCount)
    if byteCount >= StatementWatch.largeByteCount { StatementWatch.shared.noteLargeRelease() }
  }
}
