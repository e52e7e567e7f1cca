package import Diagnostics
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Why a statement has to end before it is done.
package enum Interruption: UInt8, Sendable {
  case cancelled = 1
  case timedOut, outOfMemory
  /// Something was found wrong where no error could be thrown.
  case failed

  /// What the statement ends with.
  func error(_ context: EvaluationContext) -> SQLError {
    switch self {
    case .cancelled: SQLError(.queryCanceled, "canceling statement due to user request")
    case .timedOut: SQLError(.queryCanceled, "canceling statement due to statement timeout")
    case .outOfMemory: context.memory.error
    case .failed: context.failure ?? .internal("a statement failed for no reason")
    }
  }
}

/// What functions may look at besides their arguments; one for each statement that runs.
///
/// Sendable by rule: all but the interruption is set before the statement starts.
package final class EvaluationContext: Sendable {
  /// Microseconds since 2000-01-01 UTC at which the transaction started: `now()`.
  package let transactionTime: Int64
  /// The same for the statement.
  package let statementTime: Int64
  /// How values are written and read, and the session's time zone.
  package let style: ValueStyle
  /// The time of day and random numbers, where the database has its own.
  package let surroundings: Surroundings
  /// What the statement may hold.
  package let memory: MemoryBudget
  /// When the statement has to end, which `StatementWatch` sees to.
  let deadline: ContinuousClock.Instant?
  /// Why the statement has to end, 0 as long as it need not; the first reason stands.
  ///
  /// It is `waiting` while others have to give memory back first.
  private let interruption = Atomic<UInt8>(0)
  private let noted = Mutex<SQLError?>(nil)

  package init(
    transactionTime: Int64, statementTime: Int64, style: ValueStyle = ValueStyle(),
    surroundings: Surroundings = .usual, memory: MemoryBudget = MemoryBudget(),
    timeout: Duration? = nil
  ) {
    self.transactionTime = transactionTime
    self.statementTime = statementTime
    self.style = style
    self.surroundings = surroundings
    self.memory = memory
    deadline = timeout.map { ContinuousClock.now + $0 }
  }

  /// Asks the statement to end; from any thread.
  package func cancel() { interrupt(.cancelled) }

  /// What the statement ends with since `fail(_:)`.
  var failure: SQLError? { noted.withLock { $0 } }

  /// Lets the statement end with an error that was found where none can be thrown.
  ///
  /// What it goes on with until it looks is made up, so that whatever else it comes to is not what it ends with.
  package func fail(_ error: SQLError) {
    noted.withLock { if $0 == nil { $0 = error } }
    interrupt(.failed)
  }

  /// Lets the statement end at the next place where it looks.
  func interrupt(_ reason: Interruption) {
    for state in [0, Self.waiting] {
      let result = interruption.compareExchange(
        expected: state, desired: reason.rawValue, ordering: .relaxed)
      if result.exchanged { return }
    }
  }

  /// Whether the statement has to end.
  package var isInterrupted: Bool {
    let state = interruption.load(ordering: .relaxed)
    return state != 0 && state != Self.waiting
  }

  /// Ends the statement if it was asked to end, has taken too long or holds too much memory.
  ///
  /// It is one load from memory: loops call it for each chunk, long ones for each slice (see `inSlices`).
  ///
  /// - Throws: 57014, 53200.
  package func checkCancellation() throws(SQLError) {
    if interruption.load(ordering: .relaxed) != 0 { try stop() }
  }

  /// Stands for no reason to end, but one to wait.
  private static let waiting: UInt8 = .max
  /// A statement waits no longer at one place: it may hold what the others need to end.
  private static let waitMax = Duration.milliseconds(100)

  @inline(never)
  private func stop() throws(SQLError) {
    let start = ContinuousClock.now
    while true {
      let state = interruption.load(ordering: .relaxed)
      if state == 0 { return }
      if state != Self.waiting {
        throw Interruption(rawValue: state)?.error(self) ?? .internal("no reason")
      }
      if ContinuousClock.now - start > Self.waitMax { resume() }
      usleep(500)
    }
  }

  /// Lets the statement wait at the next place where it looks, unless it has to end.
  func pause() {
    _ = interruption.compareExchange(expected: 0, desired: Self.waiting, ordering: .relaxed)
  }

  /// Lets the statement go on if it waits.
  func resume() {
    _ = interruption.compareExchange(expected: Self.waiting, desired: 0, ordering: .relaxed)
  }
}
