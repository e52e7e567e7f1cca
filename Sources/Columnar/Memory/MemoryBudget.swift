package import Diagnostics
import Synchronization

/// How much memory the operators of one statement may hold.
///
/// An operator that keeps rows charges what it is about to keep, so that a statement past its limit
/// ends with an error before the process does. What other statements hold at the same time, and results that
/// somebody keeps, count as well: the limit is one of memory that is there once.
package final class MemoryBudget: Sendable {
  /// The most bytes that may be held.
  package let byteLimit: Int
  /// Whether nobody has set the limit: then it is one of the whole process, its tables included.
  let isDefault: Bool
  private let used = Atomic<Int>(0)
  private let peak = Atomic<Int>(0)

  /// What all statements hold, and results that are kept.
  private static let total = Atomic<Int>(0)

  /// A budget of `byteLimit` bytes; without one, as many as the machine gives.
  package init(byteLimit: Int = .max, isDefault: Bool = false) {
    self.byteLimit = byteLimit
    self.isDefault = isDefault
  }

  deinit {
    let left = used.load(ordering: .relaxed)
    if left != 0 { _ = Self.total.wrappingSubtract(left, ordering: .relaxed) }
  }

  /// The bytes held now.
  package var usedByteCount: Int { used.load(ordering: .relaxed) }

  /// The most bytes that were held at once, to the nearest charge of a megabyte.
  var peakByteCount: Int { max(peak.load(ordering: .relaxed), usedByteCount) }

  /// The bytes that all statements of the process hold.
  package static var totalByteCount: Int { total.load(ordering: .relaxed) }

  /// Notes `byteCount` more bytes.
  ///
  /// - Throws: 53200 past the limit.
  package func charge(_ byteCount: Int) throws(SQLError) {
    let own = used.wrappingAdd(byteCount, ordering: .relaxed).newValue
    let all = Self.total.wrappingAdd(byteCount, ordering: .relaxed).newValue
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

  /// Notes that `byteCount` bytes were given back.
  package func release(_ byteCount: Int) {
    _ = used.wrappingSubtract(byteCount, ordering: .relaxed)
    _ = Self.total.wrappingSubtract(byteCount, ordering: .relaxed)
  }

  /// Hands `byteCount` bytes over to a result, which holds them until the last copy of it goes.
  package func hand(over byteCount: Int) -> HeldMemory {
    _ = used.wrappingSubtract(byteCount, ordering: .relaxed)
    return HeldMemory(byteCount: byteCount) {
      _ = Self.total.wrappingSubtract($0, ordering: .relaxed)
    }
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

/// The memory of a result that its statement has handed over.
package final class HeldMemory: Sendable {
  package let byteCount: Int
  private let release: @Sendable (Int) -> Void

  init(byteCount: Int, release: @escaping @Sendable (Int) -> Void) {
    self.byteCount = byteCount
    self.release = release
  }

  deinit {
    release(byteCount)
    if byteCount >= StatementWatch.largeByteCount { StatementWatch.shared.noteLargeRelease() }
  }
}
