import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Looks after the statements that run: ends those that take too long or too much memory, and gives back what they leave.
///
/// One thread of its own looks every few milliseconds, as long as there are statements, and ends some seconds after the
/// last one. So a statement that is done within microseconds pays for an entry in a list, and one that goes on for long
/// need not read a clock to know that its time is over.
package final class StatementWatch: Sendable {
  package static let shared = StatementWatch()

  /// From so many bytes on it counts whether memory goes back to the system at once.
  static let largeByteCount = 32 << 20
  /// How often the thread looks.
  private static let interval = Duration.milliseconds(4)
  /// So long after the last statement memory is given back that the next might have used again.
  private static let quietTime = Duration.milliseconds(250)
  /// So long after the last statement the thread ends.
  private static let idleTime = Duration.seconds(2)
  /// Statements under a lesser limit end for what they have accounted for only: the size of the process says nothing of
  /// so little.
  private static let watchedByteCount = 64 << 20
  /// How far past a limit the process may be before a statement is ended for what nobody has accounted for.
  private static let slackByteCount = 24 << 20

  private struct State: Sendable {
    var running: [EvaluationContext] = []
    var isWatched = false
    /// What is let go of in the thread, as that takes long.
    var unwanted: [any AnyObject & Sendable] = []
    /// Whether memory is to be given back at the next look, and whether it is once nothing runs.
    var trimsSoon = false
    var trimsWhenQuiet = false
  }

  private let state = Mutex(State())
  /// Whether a thread is giving memory back.
  private let isSweeping = Atomic<Bool>(false)

  /// Runs `body` as a statement that is looked after.
  package func watching<Result, Failure: Error>(
    _ context: EvaluationContext, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    begin(context)
    do throws(Failure) {
      let result = try RunningStatement.within(context, body)
      end(context, hasFailed: false)
      return result
    } catch {
      end(context, hasFailed: true)
      if let failure = context.failure as? Failure { throw failure }
      throw error
    }
  }

  private func begin(_ context: EvaluationContext) {
    let starts = state.withLock { state in
      state.running.append(context)
      defer { state.isWatched = true }
      return !state.isWatched
    }
    if starts { startWatching() }
  }

  /// Whether a statement has left so much that it matters when and where that is freed.
  package static func isLarge(_ context: EvaluationContext) -> Bool {
    context.memory.peakByteCount >= largeByteCount || context.isInterrupted
  }

  private func end(_ context: EvaluationContext, hasFailed: Bool) {
    let isLarge = Self.isLarge(context)
    state.withLock { state in
      if let place = state.running.lastIndex(where: { $0 === context }) {
        state.running.remove(at: place)
      }
      if isLarge && hasFailed { state.trimsSoon = true }
      if isLarge { state.trimsWhenQuiet = true }
    }
  }

  /// Lets go of an object in another thread: what a large statement leaves takes long to be freed.
  package func discard(_ object: any AnyObject & Sendable) {
    let starts = state.withLock { state in
      state.unwanted.append(object)
      defer { state.isWatched = true }
      return !state.isWatched
    }
    if starts { startWatching() }
  }

  /// Notes that much memory was let go of.
  func noteLargeRelease() {
    let starts = state.withLock { state in
      state.trimsWhenQuiet = true
      defer { state.isWatched = true }
      return !state.isWatched
    }
    if starts { startWatching() }
  }

  // MARK: The thread

  private func startWatching() {
    let starts = SystemThread.start {
      StatementWatch.shared.run()
    }
    if !starts { state.withLock { $0.isWatched = false } }
  }

  private func run() {
    var lastStatement = ContinuousClock.now
    // What the process has when no statement runs: its tables and what its client holds.
    var atRest = MachineMemory.residentByteCount ?? 0
    while true {
      usleep(UInt32(Self.interval / .microseconds(1)))
      let now = ContinuousClock.now
      let (running, needsSweep) = state.withLock { state in
        (state.running, !state.unwanted.isEmpty || state.trimsSoon)
      }
      if needsSweep || SpareMemory.postponedByteCount > 0 { startSweep() }
      if running.isEmpty {
        if isOver(now - lastStatement) { return }
        atRest = MachineMemory.residentByteCount ?? 0
      } else {
        lastStatement = now
        look(at: running, now, atRest: atRest)
      }
    }
  }

  /// Frees what is not wanted any more and gives it back to the system, in another thread: that takes up to a second a
  /// gigabyte, in which those that run may take as much again.
  private func startSweep() {
    if isSweeping.exchange(true, ordering: .acquiringAndReleasing) { return }
    let starts = SystemThread.start {
      StatementWatch.shared.sweep()
    }
    if !starts { sweep() }
  }

  private func sweep() {
    var unwanted = state.withLock { state in
      defer {
        state.unwanted = []
        state.trimsSoon = false
      }
      return state.unwanted
    }
    unwanted.removeAll()
    SpareMemory.freePostponed()
    MachineMemory.trim()
    isSweeping.store(false, ordering: .releasing)
  }

  /// Gives memory back once it has been quiet for a while; whether the thread may end.
  private func isOver(_ quiet: Duration) -> Bool {
    if quiet < Self.quietTime { return false }
    let trims = state.withLock { state in
      defer { state.trimsWhenQuiet = false }
      return state.trimsWhenQuiet
    }
    if trims { MachineMemory.trim() }
    if quiet < Self.idleTime { return false }
    return state.withLock { state in
      guard state.running.isEmpty, state.unwanted.isEmpty, !state.trimsSoon,
        !state.trimsWhenQuiet
      else { return false }
      state.isWatched = false
      return true
    }
  }

  private func look(
    at running: [EvaluationContext], _ now: ContinuousClock.Instant, atRest: Int
  ) {
    var resident: Int?
    var tooMuch = 0
    var excessive: [EvaluationContext] = []
    for context in running {
      if let deadline = context.deadline, now >= deadline { context.interrupt(.timedOut) }
      let memory = context.memory
      if memory.byteLimit == .max || memory.byteLimit < Self.watchedByteCount { continue }
      if resident == nil { resident = MachineMemory.residentByteCount ?? 0 }
      var bound = memory.byteLimit
      if !memory.isDefault {
        // What statements under other limits hold is theirs.
        bound += atRest
        let others = running.filter { $0.memory.byteLimit != memory.byteLimit }
        // Nobody knows which of them has taken what is not accounted for.
        if !others.isEmpty && memory.pooledByteCount < memory.byteLimit / 2 { continue }
        for other in others { bound += other.memory.usedByteCount }
      }
      let excess = (resident ?? 0) - bound - Self.slackByteCount
      if excess <= 0 {
        context.resume()
      } else {
        tooMuch = max(tooMuch, excess)
        excessive.append(context)
      }
    }
    if tooMuch > 0 { endLargest(excessive, tooMuch) }
  }

  /// Ends statements that hold much, the largest first, until what they hold makes up for `byteCount` bytes; the others
  /// wait, as they would take what those give back before it is given.
  ///
  /// Those that have been ended before count, as they are giving it back.
  private func endLargest(_ running: [EvaluationContext], _ byteCount: Int) {
    state.withLock { $0.trimsSoon = true }
    var left = byteCount - SpareMemory.postponedByteCount
    for context in running.sorted(by: { $0.memory.usedByteCount > $1.memory.usedByteCount }) {
      if left > 0 {
        context.interrupt(.outOfMemory)
        left -= max(context.memory.usedByteCount, 1 << 20)
      } else {
        context.pause()
      }
    }
  }
}
