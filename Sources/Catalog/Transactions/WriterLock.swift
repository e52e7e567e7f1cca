package import Columnar
package import Diagnostics
import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The right to make the next version: one transaction at a time has it; readers never come here.
///
/// Who finds it free takes it, also past those who sleep: to wake a thread takes longer than most commits. Who has
/// slept for long is handed it, so that nobody waits for ever. A wait can be cancelled and can time out.
package final class WriterLock: Sendable {
  /// One transaction that waits, and what wakes it.
  final class Waiter: Sendable {
    /// Wakes it; called under the queue's lock.
    let wake: @Sendable () -> Void
    let since = DispatchTime.now().uptimeNanoseconds
    /// Whether the lock was handed to it; written under the queue's lock, by who had it.
    let isOwner = Atomic<Bool>(false)

    init(_ wake: @escaping @Sendable () -> Void) { self.wake = wake }
  }

  private struct Queue {
    /// In order of arrival.
    var waiters: [Waiter] = []
    /// The waiter that was woken and has not looked yet: there is no use in waking another.
    var woken: Waiter?
  }

  private let isHeld = Atomic<Bool>(false)
  /// As many as there are in the queue, for those who release the lock.
  private let waiterCount = Atomic<Int>(0)
  private let queue = Mutex(Queue())

  /// The thread that runs a closure as a transaction, and would wait for itself if it asked again; 0 for none.
  private let owner = Atomic<UInt>(0)

  package init() {}

  /// Notes that the calling thread holds the lock for as long as a closure runs.
  package func noteOwner() { owner.store(Self.thread, ordering: .relaxed) }

  /// Notes that the closure has ended.
  package func forgetOwner() { owner.store(0, ordering: .relaxed) }

  private static var thread: UInt {
    #if canImport(Darwin)
      unsafe UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }

  /// How often a free lock is looked for before falling asleep: some microseconds, the time of a short commit.
  private static let spinCount = 200
  /// How long a waiter sleeps before it looks whether it was cancelled.
  private static let pollMilliseconds = 10
  /// How long others may get ahead of a waiter.
  private static let patienceNanoseconds: UInt64 = 5_000_000

  /// Takes the lock, waiting at most so many milliseconds, or for ever.
  ///
  /// - Throws: 55P03 after the timeout, 57014 when cancelled, 25001 where the thread would wait for itself.
  package func acquire(
    timeoutMilliseconds: Int?, context: EvaluationContext?
  ) throws(SQLError) {
    for _ in 0..<Self.spinCount {
      if tryAcquire() { return }
    }
    if owner.load(ordering: .relaxed) == Self.thread {
      throw SQLError(
        .activeTransaction, "a transaction is open on this thread, which would wait for itself",
        hint: "Use what the closure of write was given, and savepoint { } for a part of it.")
    }
    let semaphore = DispatchSemaphore(value: 0)
    let waiter = Waiter { semaphore.signal() }
    enter(waiter)
    var waited = 0
    while true {
      if waiter.isOwner.load(ordering: .acquiring) { return }
      if tryAcquire() {
        _ = leave(waiter)
        return
      }
      let result = semaphore.wait(timeout: .now() + .milliseconds(Self.pollMilliseconds))
      noteLook(waiter)
      if result == .success { continue }
      waited += Self.pollMilliseconds
      do throws(SQLError) {
        try context?.checkCancellation()
        if let limit = timeoutMilliseconds, waited >= limit {
          throw SQLError(.lockNotAvailable, "canceling statement due to lock timeout")
        }
      } catch {
        // The lock may have been handed over just now: then it must be handed on.
        if !giveUp(waiter) { release() }
        throw error
      }
    }
  }

  /// Takes the lock if nobody has it.
  package func tryAcquire() -> Bool {
    if isHeld.load(ordering: .relaxed) { return false }
    return isHeld.compareExchange(
      expected: false, desired: true, ordering: .sequentiallyConsistent
    ).exchanged
  }

  /// Leaves the lock free and wakes the first waiter, or hands it the lock.
  package func release() {
    if waiterCount.load(ordering: .relaxed) > 0, handOver() { return }
    isHeld.store(false, ordering: .sequentiallyConsistent)
    if waiterCount.load(ordering: .sequentiallyConsistent) > 0 { wakeNext() }
  }

  /// Gives the lock to the first waiter if it has waited for long.
  private func handOver() -> Bool {
    queue.withLock { queue in
      guard let first = queue.waiters.first,
        DispatchTime.now().uptimeNanoseconds &- first.since > Self.patienceNanoseconds
      else { return false }
      queue.waiters.removeFirst()
      // It was woken as well, perhaps, and looks no more once it finds that it has the lock.
      if queue.woken === first { queue.woken = nil }
      waiterCount.wrappingSubtract(1, ordering: .relaxed)
      first.isOwner.store(true, ordering: .releasing)
      first.wake()
      return true
    }
  }

  private func wakeNext() {
    queue.withLock { queue in
      guard queue.woken == nil, let first = queue.waiters.first else { return }
      queue.woken = first
      first.wake()
    }
  }

  /// Puts a waiter at the end of the queue, which then looks at the lock once more.
  func enter(_ waiter: Waiter) {
    queue.withLock { $0.waiters.append(waiter) }
    // Before the next look at the lock: who frees it afterwards sees that somebody waits.
    waiterCount.wrappingAdd(1, ordering: .sequentiallyConsistent)
  }

  /// Notes that a waiter that was woken has looked, so that another may be woken.
  func noteLook(_ waiter: Waiter) {
    queue.withLock { if $0.woken === waiter { $0.woken = nil } }
  }

  /// Takes a waiter out of the queue that waits no longer; false if it has the lock by now.
  func giveUp(_ waiter: Waiter) -> Bool {
    if !leave(waiter) { return false }
    if !isHeld.load(ordering: .relaxed) { wakeNext() }
    return true
  }

  /// Takes a waiter out of the queue; false if it was no longer in it, since it has the lock.
  func leave(_ waiter: Waiter) -> Bool {
    queue.withLock { queue in
      if queue.woken === waiter { queue.woken = nil }
      guard let place = queue.waiters.firstIndex(where: { $0 === waiter }) else { return false }
      queue.waiters.remove(at: place)
      waiterCount.wrappingSubtract(1, ordering: .relaxed)
      return true
    }
  }
}
