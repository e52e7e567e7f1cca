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
}
