package import Diagnostics
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Work that several threads share: tasks 0 ..< `count`, each done once by whoever takes it.
private final class ParallelJob: Sendable {
  /// What is done, and the statement that it is for.
  private struct Work: Sendable {
    let body: @Sendable (Int) -> Void
    let statement = RunningStatement.current
  }
  let count: Int
  /// nil once all is done, so that a thread that still knows the job keeps nothing alive.
  private let held: Mutex<Work?>
  /// How many of the pool's threads are at it.
  let participants = Atomic<Int>(0)
  private let next = Atomic<Int>(0)
  private let finished = Atomic<Int>(0)

  init(count: Int, body: @escaping @Sendable (Int) -> Void) {
    self.count = count
    held = Mutex(Work(body: body))
  }

  /// Takes tasks until none is left.
  func work() {
    guard let work = held.withLock({ $0 }) else { return }
    RunningStatement.within(work.statement) {
      while true {
        let task = next.wrappingAdd(1, ordering: .relaxed).oldValue
        if task >= count { return }
        work.body(task)
        finished.wrappingAdd(1, ordering: .acquiringAndReleasing)
      }
    }
  }

  /// Lets go of the work, which is done.
  func forget() { held.withLock { $0 = nil } }

  var isFinished: Bool { finished.load(ordering: .acquiring) == count }
  var isTaken: Bool { next.load(ordering: .relaxed) >= count }
}

/// The process's own threads, one less than there are cores: whoever asks for work takes part in it.
///
/// Made on first use. The threads have stacks of 64 MB, as deep expressions and plans are evaluated on them too.
@safe private final class WorkerPool: @unchecked Sendable {
  static let shared = WorkerPool()

  let threadCount: Int
  // Sendable by rule: `jobs` is touched only under `mutex`.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let workArrived: UnsafeMutablePointer<pthread_cond_t>
  private let workFinished: UnsafeMutablePointer<pthread_cond_t>
  private var jobs: [ParallelJob] = []

  private init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe workArrived = .allocate(capacity: 1)
    unsafe workFinished = .allocate(capacity: 1)
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(workArrived, nil)
    unsafe pthread_cond_init(workFinished, nil)
    threadCount = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    // Should the system refuse a thread, the others do its work.
    for _ in 1..<max(threadCount, 2) where threadCount > 1 {
      _ = SystemThread.start { WorkerPool.run() }
    }
  }

  private static func run() {
    let pool = WorkerPool.shared
    while true {
      unsafe pthread_mutex_lock(pool.mutex)
      while pool.jobs.isEmpty { unsafe pthread_cond_wait(pool.workArrived, pool.mutex) }
      let job = pool.jobs[0]
      if job.isTaken {
        pool.jobs.removeFirst()
        unsafe pthread_mutex_unlock(pool.mutex)
        continue
      }
      job.participants.wrappingAdd(1, ordering: .relaxed)
      unsafe pthread_mutex_unlock(pool.mutex)
      job.work()
      pool.leave(job)
    }
  }

  private func leave(_ job: ParallelJob) {
    unsafe pthread_mutex_lock(mutex)
    job.participants.wrappingSubtract(1, ordering: .relaxed)
    unsafe pthread_cond_broadcast(workFinished)
    unsafe pthread_mutex_unlock(mutex)
  }

  func run(_ job: ParallelJob) {
    unsafe pthread_mutex_lock(mutex)
    jobs.append(job)
    unsafe pthread_cond_broadcast(workArrived)
    unsafe pthread_mutex_unlock(mutex)
    job.work()
    unsafe pthread_mutex_lock(mutex)
    while !job.isFinished || job.participants.load(ordering: .relaxed) > 0 {
      unsafe pthread_cond_wait(workFinished, mutex)
    }
    jobs.removeAll { $0 === job }
    unsafe pthread_mutex_unlock(mutex)
    job.forget()
  }
}

/// Runs tasks 0 ..< `tasks` on the calling thread and the process's own, and returns when all are done.
///
/// Tasks are taken in order; calls may nest. A job of one task costs a function call.
package func parallelFor(tasks: Int, _ body: @escaping @Sendable (Int) -> Void) {
  if tasks <= 1 || WorkerPool.shared.threadCount == 1 {
    for task in 0..<max(tasks, 0) { body(task) }
    return
  }
  WorkerPool.shared.run(ParallelJob(count: tasks, body: body))
}

/// As `parallelFor`, for tasks that look whether the statement has to end; what is left is not begun once it has to.
///
/// - Throws: what the first of the tasks that failed has thrown; 57014, 53200.
package func parallelForThrowing(
  tasks: Int, _ body: @escaping @Sendable (Int) throws(SQLError) -> Void
) throws(SQLError) {
  let outcome = ParallelOutcome()
  parallelFor(tasks: tasks) { task in
    if outcome.hasFailed { return }
    do throws(SQLError) {
      try RunningStatement.check()
      try body(task)
    } catch {
      outcome.fail(task, error)
    }
  }
  try outcome.check()
}

/// The error of the first task that failed.
private final class ParallelOutcome: Sendable {
  private let failure = Mutex<(task: Int, error: SQLError)?>(nil)
  private let failed = Atomic<Bool>(false)

  var hasFailed: Bool { failed.load(ordering: .relaxed) }

  func fail(_ task: Int, _ error: SQLError) {
    failure.withLock { known in
      if known.map({ task < $0.task }) ?? true { known = (task, error) }
    }
    failed.store(true, ordering: .relaxed)
  }

  func check() throws(SQLError) {
    if let known = failure.withLock({ $0 }) { throw known.error }
  }
}

/// How many threads take part in `parallelFor`.
package var parallelWidth: Int { WorkerPool.shared.threadCount }
