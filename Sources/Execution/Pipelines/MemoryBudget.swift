package import Diagnostics
import Synchronization

/// How much memory the operators of one statement may hold together.
///
/// An operator that keeps rows charges what it is about to keep, so that a statement past its limit
/// ends with an error before the process does.
package final class MemoryBudget: Sendable {
  /// The most bytes that may be held.
  package let byteLimit: Int
  private let used = Atomic<Int>(0)

  /// A budget of `byteLimit` bytes; without one, as many as the machine gives.
  package init(byteLimit: Int = .max) { self.byteLimit = byteLimit }

  /// The bytes held now.
  package var usedByteCount: Int { used.load(ordering: .relaxed) }

  /// Notes `byteCount` more bytes.
  ///
  /// - Throws: 53200 past the limit.
  package func charge(_ byteCount: Int) throws(SQLError) {
    let now = used.wrappingAdd(byteCount, ordering: .relaxed).newValue
    if now > byteLimit {
      throw SQLError(
        .outOfMemory, "out of memory",
        detail: "The statement would hold more than its limit of \(byteLimit) bytes.",
        hint: "Let the query return or group fewer rows, or raise the limit of memory.")
    }
  }

  /// Notes that `byteCount` bytes were given back.
  package func release(_ byteCount: Int) {
    _ = used.wrappingSubtract(byteCount, ordering: .relaxed)
  }
}

/// What one operator holds of a budget, given back when it starts anew or goes.
final class MemoryAccount {
  private var held = 0
  private var budget: MemoryBudget?

  deinit { budget?.release(held) }

  /// Gives everything back and goes on with the budget of another run.
  func reset(_ context: ExecutionContext) {
    budget?.release(held)
    held = 0
    budget = context.memory
  }

  /// Gives everything back: what was held is somebody else's now.
  func clear() {
    budget?.release(held)
    held = 0
  }

  /// Holds `byteCount` more bytes.
  func charge(_ byteCount: Int) throws(SQLError) {
    held += byteCount
    try budget?.charge(byteCount)
  }

  /// Holds `byteCount` bytes in all.
  func set(_ byteCount: Int) throws(SQLError) {
    let change = byteCount - held
    if change > 0 {
      try charge(change)
    } else {
      held = byteCount
      budget?.release(-change)
    }
  }
}
