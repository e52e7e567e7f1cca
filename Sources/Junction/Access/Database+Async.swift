import Catalog
import Columnar
import Diagnostics

extension Database {
  /// Gives `body` the state as of the last commit, on a thread of the engine.
  ///
  /// A short query is best asked at once, of `snapshot`, on whatever actor.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, which ends the statement that is running; and what `body` throws.
  public func read<T: Sendable>(
    _ body: @escaping @Sendable (Snapshot) throws -> T
  ) async throws -> T {
    let (state, sessions) = (state, sessions)
    return try await Self.away { cancellation in
      try body(Snapshot(state.current, sessions, cancellation))
    }
  }

  /// Runs `body` as a transaction, on a thread of the engine; it waits for its turn without one.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, which ends the wait or the statement that is running, and leaves
  ///   nothing; and what `write` throws.
  @discardableResult
  public func write<T: Sendable>(
    _ body: @escaping @Sendable (borrowing Transaction) throws -> T
  ) async throws -> T {
    let sessions = sessions
    return try await Self.away(WriterWait(for: state.writerLock)) { cancellation in
      try sessions.lend { session in
        try TransactionScope(adoptingLock: session, sessions, cancellation).carryOut(body)
      }
    }
  }

  /// Runs `body` on a thread of the engine, after a wait for the right to write where there is one, and ends both with the task.
  static func away<T: Sendable>(
    _ wait: WriterWait? = nil, _ body: @escaping @Sendable (StatementCancellation) throws -> T
  ) async throws -> T {
    let cancellation = StatementCancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let start: @Sendable (Bool) -> Void = { mayRun in
          guard mayRun else { return continuation.resume(throwing: CancellationError()) }
          BlockingThreads.run { Self.run(body, cancellation, continuation) }
        }
        if let wait { wait.begin(start) } else { start(true) }
      }
    } onCancel: {
      wait?.cancel()
      cancellation.cancel()
    }
  }

  private static func run<T: Sendable>(
    _ body: (StatementCancellation) throws -> T, _ cancellation: StatementCancellation,
    _ continuation: CheckedContinuation<T, any Error>
  ) {
    let result = Result { try body(cancellation) }
    if case .failure(let error as SQLError) = result, error.state == .queryCanceled,
      cancellation.isCancelled
    {
      continuation.resume(throwing: CancellationError())
    } else {
      continuation.resume(with: result)
    }
  }
}
