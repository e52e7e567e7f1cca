package import Columnar
package import Diagnostics
import Dispatch
import Synchronization

/// The right to make the next version: one transaction at a time has it, the others queue in order.
///
/// A wait can be cancelled and can time out; readers never come here.
package final class WriterLock: Sendable {
  /// One transaction that waits, and what wakes it.
  private final class Waiter: Sendable {
    let semaphore = DispatchSemaphore(value: 0)
  }

  private struct State {
    var isHeld = false
    /// In order of arrival.
    var waiters: [Waiter] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// How long a waiter sleeps before it looks whether it was cancelled.
  private static let pollMilliseconds = 10

  /// Takes the lock, waiting at most so many milliseconds, or for ever.
  ///
  /// - Throws: 55P03 after the timeout, 57014 when cancelled.
  package func acquire(
    timeoutMilliseconds: Int?, context: EvaluationContext?
  ) throws(SQLError) {
    let waiter = Waiter()
    let isFree = state.withLock { state in
      if !state.isHeld {
        state.isHeld = true
        return true
      }
      state.waiters.append(waiter)
      return false
    }
    if isFree { return }
    var waited = 0
    while true {
      let result = waiter.semaphore.wait(timeout: .now() + .milliseconds(Self.pollMilliseconds))
      if result == .success { return }
      waited += Self.pollMilliseconds
      do throws(SQLError) {
        try context?.checkCancellation()
        if let limit = timeoutMilliseconds, waited >= limit {
          throw SQLError(.lockNotAvailable, "canceling statement due to lock timeout")
        }
      } catch {
        // The lock may have been handed over just now: then it must be handed on.
        if !leave(waiter) { release() }
        throw error
      }
    }
  }

  /// Takes the lock if nobody has it.
  package func tryAcquire() -> Bool {
    state.withLock { state in
      if state.isHeld { return false }
      state.isHeld = true
      return true
    }
  }

  /// Gives the lock to the first waiter, or leaves it free.
  package func release() {
    state.withLock { state in
      if state.waiters.isEmpty {
        state.isHeld = false
      } else {
        state.waiters.removeFirst().semaphore.signal()
      }
    }
  }

  /// Takes a waiter out of the queue; false if it was no longer in it.
  private func leave(_ waiter: Waiter) -> Bool {
    state.withLock { state in
      guard let place = state.waiters.firstIndex(where: { $0 === waiter }) else { return false }
      state.waiters.remove(at: place)
      return true
    }
  }
}
