package import Diagnostics
import Synchronization

/// Why a statement has to end before it is done.
package enum Interruption: UInt8, Sendable {
  case cancelled = 1
  case timedOut, outOfMemory

  /// What the statement ends with.
  func error(_ memory: MemoryBudget) -> SQLError {
    switch self {
    case .cancelled: SQLError(.queryCanceled, "canceling statement due to user request")
    case .timedOut: SQLError(.queryCanceled, "canceling statement due to statement timeout")
    case .outOfMemory: memory.error
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
  /// What the statement may hold.
  package let memory: MemoryBudget
  /// When the statement has to end, which `StatementWatch` sees to.
  let deadline: ContinuousClock.Instant?
  /// Why the statement has to end, 0 as long as it need not; the first reason stands.
  private let interruption = Atomic<UInt8>(0)

  package init(
    transactionTime: Int64, statementTime: Int64, style: ValueStyle = ValueStyle(),
    memory: MemoryBudget = MemoryBudget(), timeout: Duration? = nil
  ) {
    self.transactionTime = transactionTime
    self.statementTime = statementTime
    self.style = style
    self.memory = memory
    deadline = timeout.map { ContinuousClock.now + $0 }
  }

  /// Asks the statement to end; from any thread.
  package func cancel() { interrupt(.cancelled) }

  /// Lets the statement end at the next place where it looks.
  func interrupt(_ reason: Interruption) {
    _ = interruption.compareExchange(
      expected: 0, desired: reason.rawValue, ordering: .relaxed)
  }

  /// Whether the statement has to end.
  package var isInterrupted: Bool { interruption.load(ordering: .relaxed) != 0 }

  /// Ends the statement if it was asked to end, has taken too long or holds too much memory.
  ///
  /// It is one load from memory: loops call it for each chunk, long ones for each slice (see `inSlices`).
  ///
  /// - Throws: 57014, 53200.
  package func checkCancellation() throws(SQLError) {
    let reason = interruption.load(ordering: .relaxed)
    if reason != 0 { throw Interruption(rawValue: reason)?.error(memory) ?? .internal("no reason") }
  }
}
