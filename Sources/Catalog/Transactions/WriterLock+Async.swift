import Columnar
import Synchronization

extension WriterLock {
  /// Takes the lock without holding a thread meanwhile; in turn with those who wait on threads.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before it has the lock.
  package func acquire() async throws {
    if tryAcquire() { return }
    let wait = AsynchronousWait(self)
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { wait.begin($0) }
    } onCancel: {
      wait.cancel()
    }
  }
}

/// One task that waits for the lock.
private final class AsynchronousWait: Sendable {
  private enum State {
    case new, cancelled, done
    case waiting(CheckedContinuation<Void, any Error>)
  }

  private let lock: WriterLock
  private let state = Mutex(State.new)
  private let waiter: WriterLock.Waiter
  private let target: Target

  /// Whom the waiter wakes, who is made after it.
  private final class Target: Sendable {
    let wait = Mutex<AsynchronousWait?>(nil)
  }

  init(_ lock: WriterLock) {
    self.lock = lock
    let target = Target()
    self.target = target
    // Looked for on a thread of its own, as who wakes holds the lock of the queue.
    waiter = WriterLock.Waiter {
      BlockingThreads.run { target.wait.withLock { $0 }?.look() }
    }
    target.wait.withLock { $0 = self }
  }

  func begin(_ continuation: CheckedContinuation<Void, any Error>) {
    let isCancelled = state.withLock { state in
      if case .cancelled = state { return true }
      state = .waiting(continuation)
      return false
    }
    if isCancelled {
      target.wait.withLock { $0 = nil }
      continuation.resume(throwing: CancellationError())
      return
    }
    lock.enter(waiter)
    look()
  }

  /// Goes on if the lock was handed over, or is free.
  private func look() {
    if waiter.isOwner.load(ordering: .acquiring) { return goOn() }
    for _ in 0..<2 {
      if lock.tryAcquire() {
        _ = lock.leave(waiter)
        return goOn()
      }
      // Who frees the lock from now on wakes somebody; who has freed it before is seen by the second look.
      lock.noteLook(waiter)
    }
  }

  private func goOn() {
    guard let continuation = finish() else {
      // Cancelled meanwhile: somebody else may have the lock.
      lock.release()
      return
    }
    continuation.resume()
  }

  func cancel() {
    let mayWait = state.withLock { state in
      if case .new = state {
        state = .cancelled
        return false
      }
      return true
    }
    // A waiter that has the lock goes on, as if it had been cancelled later.
    if mayWait, lock.giveUp(waiter) { finish()?.resume(throwing: CancellationError()) }
  }

  /// The continuation, for the one who resumes it.
  private func finish() -> CheckedContinuation<Void, any Error>? {
    target.wait.withLock { $0 = nil }
    return state.withLock { state in
      guard case .waiting(let continuation) = state else { return nil }
      state = .done
      return continuation
    }
  }
}
