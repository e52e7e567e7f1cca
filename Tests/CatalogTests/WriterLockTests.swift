import Dispatch
import Synchronization
import Testing

@testable import Catalog

@Suite("The right to write")
struct WriterLockTests {
  @Test("stays with whoever it was handed to, however many look for it")
  func handedOverOnce() {
    let lock = WriterLock()
    #expect(lock.tryAcquire())
    let wait = WriterWait(for: lock)
    let (entered, mayLeave, left) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    wait.begin { hasLock in
      entered.signal()
      mayLeave.wait()
      if hasLock { lock.release() }
      left.signal()
    }
    // Long enough for the lock to be handed over rather than left free.
    let start = DispatchTime.now().uptimeNanoseconds
    while DispatchTime.now().uptimeNanoseconds - start < 20_000_000 {}
    lock.release()
    entered.wait()
    // A thread that was woken before that looks only now.
    wait.look()
    #expect(!lock.tryAcquire())
    mayLeave.signal()
    left.wait()
    #expect(lock.tryAcquire())
  }

  @Test("wakes the next though the last who was woken was handed it before it looked")
  func wokenAndHandedOver() {
    // Whether a waiter is woken or handed the lock depends on how long it has waited.
    for _ in 0..<1000 {
      let lock = WriterLock()
      let wakes = Atomic(0)
      let first = WriterLock.Waiter {}
      #expect(lock.tryAcquire())
      lock.enter(first)
      lock.release()
      if first.isOwner.load(ordering: .relaxed) { continue }
      #expect(lock.tryAcquire())
      let start = DispatchTime.now().uptimeNanoseconds
      while DispatchTime.now().uptimeNanoseconds - start < 10_000_000 {}
      lock.release()
      let isOwner = first.isOwner.load(ordering: .relaxed)
      #expect(isOwner)
      // Young enough to be woken and not handed the lock.
      let second = WriterLock.Waiter { wakes.add(1, ordering: .relaxed) }
      lock.enter(second)
      lock.release()
      let count = wakes.load(ordering: .relaxed)
      #expect(count == 1)
      return
    }
    Issue.record("the lock was handed over each time")
  }
}
