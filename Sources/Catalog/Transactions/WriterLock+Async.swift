import Columnar
import Synchronization

/// Somebody who waits for the right to write without holding a thread; in turn with those who wait on threads.
///
/// What follows runs where the lock is found free: to go on as a task first would take a thread of the tasks', all of which may
/// be waiting for the lock.
package final class WriterWait: Sendable {
  private enum State {
    case new, cancelled, done
    case waiting(@Sendable (_ hasLock: Bool) -> Void)
  }

  private let lock: WriterLock
  private let state = Mutex(State.new)
  private let wasCancelled = Atomic<Bool>(false)
  private let waiter: WriterLock.Waiter
  private let target: Target

  /// Whom the waiter wakes, who is made after it.
  private final class Target: Sendable {
    let wait = Mutex<WriterWait?>(nil)
  }

  package init(for lock: WriterLock) {
    self.lock = lock
    let target = Target()
    self.target = target
    // Looked for on a thread of its own, as who wakes holds the lock of the queue.
    waiter = WriterLock.Waiter {
      BlockingThreads.run { target.wait.withLock { $0 }?.look() }
    }
    target.wait.withLock { $0 = self }
  }

  /// Waits, and calls `body` once: with the lock, or without it where the wait was cancelled.
  package func begin(_ body: @escaping @Sendable (_ hasLock: Bool) -> Void) {
    let isCancelled = state.withLock { state in
      if case .cancelled = state { return true }
      state = .waiting(body)
      return false
    }
    if isCancelled {
      target.wait.withLock { $0 = nil }
      body(false)
      return
    }
    lock.enter(waiter)
    // Cancelled before there was anything in the queue to be taken out.
    if wasCancelled.load(ordering: .sequentiallyConsistent), lock.giveUp(waiter) {
      finish()?(false)
      return
    }
    look()
  }

  /// Goes on if the lock was handed over, or is free.
  ///
  /// Several threads may look at once, as each sign has its own; one of them takes what was handed over.
  func look() {
    if waiter.isOwner.exchange(false, ordering: .acquiringAndReleasing) { return goOn() }
    for _ in 0..<2 {
      if lock.tryAcquire() {
        _ = lock.leave(waiter)
        return goOn()
      }
      // Who frees the lock from now on wakes somebody; who has freed it before is seen by the second look.
      lock.noteLook(waiter)
    }
  }

  /// - Precondition: the caller has the lock.
  private func goOn() {
    guard let body = finish() else {
      // The wait has ended meanwhile: somebody else may have the lock.
      lock.release()
      return
    }
    body(true)
  }

  /// Ends the wait; without effect where it has ended.
  package func cancel() {
    wasCancelled.store(true, ordering: .sequentiallyConsistent)
    let mayWait = state.withLock { state in
      if case .new = state {
        state = .cancelled
        return false
      }
      return true
    }
    // A waiter that has the lock goes on, as if it had been cancelled later.
    if mayWait, lock.giveUp(waiter) { finish()?(false) }
  }

  /// What follows, for the one who calls it.
  private func finish() -> (@Sendable (_ hasLock: Bool) -> Void)? {
    target.wait.withLock { $0 = nil }
    return state.withLock { state in
      guard case .waiting(let body) = state else { return nil }
      state = .done
      return body
    }
  }
}
