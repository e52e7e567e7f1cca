#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A lock together with the wait for something to change under it.
///
/// - Invariant: both stand at addresses of their own as long as the monitor lives.
///
/// Sendable by rule: the system's functions on them may be called from any thread.
@safe final class Monitor: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe condition = .allocate(capacity: 1)
    unsafe pthread_mutex_init(mutex, nil)
    #if canImport(Glibc)
      // The clock that nobody sets.
      unsafe withUnsafeTemporaryAllocation(of: pthread_condattr_t.self, capacity: 1) { room in
        guard let attributes = room.baseAddress else { return }
        unsafe pthread_condattr_init(attributes)
        unsafe pthread_condattr_setclock(attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, attributes)
        unsafe pthread_condattr_destroy(attributes)
      }
    #else
      unsafe pthread_cond_init(condition, nil)
    #endif
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  func lock() { unsafe pthread_mutex_lock(mutex) }
  func unlock() { unsafe pthread_mutex_unlock(mutex) }

  /// Gives up the lock until somebody tells of a change, or for no reason.
  func wait() { unsafe pthread_cond_wait(condition, mutex) }

  /// As `wait`, at most for so long.
  func wait(milliseconds: Int) {
    #if canImport(Glibc)
      var time = timespec()
      unsafe clock_gettime(CLOCK_MONOTONIC, &time)
      time.tv_sec += milliseconds / 1000
      time.tv_nsec += milliseconds % 1000 * 1_000_000
      if time.tv_nsec >= 1_000_000_000 {
        time.tv_sec += 1
        time.tv_nsec -= 1_000_000_000
      }
      unsafe _ = pthread_cond_timedwait(condition, mutex, &time)
    #else
      var time = timespec()
      time.tv_sec = milliseconds / 1000
      time.tv_nsec = milliseconds % 1000 * 1_000_000
      unsafe _ = pthread_cond_timedwait_relative_np(condition, mutex, &time)
    #endif
  }

  /// Tells all who wait that something has changed.
  func broadcast() { unsafe pthread_cond_broadcast(condition) }
}

/// A time that only grows, in milliseconds.
func monotonicMilliseconds() -> Int {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return Int(time.tv_sec) * 1000 + Int(time.tv_nsec) / 1_000_000
}
