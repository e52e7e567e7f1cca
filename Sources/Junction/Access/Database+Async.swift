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
    try await state.writerLock.acquire()
    return try await Self.away { cancellation in
      try sessions.lend { session in
        try TransactionScope(adoptingLock: session, sessions, cancellation).carryOut(body)
      }
    }
  }

  /// Runs `body` on a thread of the engine, and ends it with the task.
  private static func away<T: Sendable>(
    _ body: @escaping @Sendable (StatementCancellation) throws -> T
  ) async throws -> T {
    let cancellation = StatementCancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        BlockingThreads.run {
          let result = Result { try body(cancellation) }
          switch result {
          case .failure(let error as SQLError)
          where error.state == .queryCanceled && cancellation.isCancelled:
            continuation.resume(throwing: CancellationError())
          case .success, .failure: continuation.resume(with: result)
          }
        }
      }
    } onCancel: {
      cancellation.cancel()
    }
  }
}
