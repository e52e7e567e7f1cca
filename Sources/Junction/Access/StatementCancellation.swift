import Columnar
import Diagnostics
import Synchronization

/// Ends the statement that an asynchronous call runs, when its task is cancelled.
final class StatementCancellation: Sendable {
  private struct Running {
    var session: Session?
    var isCancelled = false
  }
  private let running = Mutex(Running())

  /// Whether the task was cancelled.
  var isCancelled: Bool { running.withLock { $0.isCancelled } }

  /// Ends the statement that is running, and all that come; from any thread.
  func cancel() {
    running.withLock { running in
      running.isCancelled = true
      running.session?.cancel()
    }
  }

  /// Runs `body`, which `cancel()` ends through the session.
  ///
  /// - Throws: 57014 if the task is cancelled already, and what `body` throws.
  func reaching<Result>(
    _ session: Session, _ body: () throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    let (outer, isCancelled) = running.withLock { running in
      defer { running.session = session }
      return (running.session, running.isCancelled)
    }
    defer { running.withLock { $0.session = outer } }
    if isCancelled { throw .cancelled }
    session.cancellation = self
    defer { session.cancellation = nil }
    return try body()
  }
}

extension SQLError {
  /// The error of a statement whose task is cancelled before it starts.
  static var cancelled: SQLError {
    SQLError(.queryCanceled, "canceling statement due to user request")
  }
}
