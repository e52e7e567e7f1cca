import Catalog
public import Diagnostics

/// A transaction that is open: it can be borrowed but neither kept nor copied, so it cannot outlive its closure.
///
/// ```swift
/// try database.write { db in
///   try db.execute("UPDATE account SET balance = balance - \(amount) WHERE id = \(from)")
///   try db.execute("UPDATE account SET balance = balance + \(amount) WHERE id = \(to)")
/// }
/// ```
///
/// A statement that fails leaves nothing of itself. If the closure catches its error, the transaction goes on; if it throws,
/// nothing of the transaction stays.
public struct Transaction: ~Copyable, Writer {
  private let scope: TransactionScope

  init(_ scope: TransactionScope) { self.scope = scope }

  /// Runs a request and gives its rows.
  ///
  /// - Throws: the statement's error; nothing of it stays.
  public func run(_ request: Request) throws(SQLError) -> ResultSet { try scope.run(request) }

  /// Runs `body` as a part of the transaction that may be undone by itself; parts nest.
  ///
  /// If `body` throws, what it did is undone, and the transaction goes on.
  ///
  /// - Throws: what `body` throws.
  @discardableResult
  public func savepoint<T>(_ body: (borrowing Transaction) throws -> T) throws -> T {
    try scope.savepoint { try body(self) }
  }

  /// What the database would be if the transaction committed now; it stays whatever becomes of the transaction.
  public var snapshot: Snapshot { scope.snapshot }

  /// Runs `action` once the commit is done; never if it is not, or if the savepoint around is undone.
  public func afterCommit(_ action: @escaping @Sendable () -> Void) { scope.afterCommit(action) }
}

/// What an open transaction is made of; one thread uses it, for the time of a closure.
final class TransactionScope {
  private let session: Session
  private let sessions: SessionPool
  private let cancellation: StatementCancellation?
  private var actions: [@Sendable () -> Void] = []
  private static let savepointName = "savepoint"

  /// Opens a transaction that holds the right to write.
  ///
  /// - Throws: 25001 where the thread has one open.
  convenience init(_ session: Session, _ sessions: SessionPool) throws(SQLError) {
    let opened = OpenTransaction(sessions.state)
    let evaluation = session.makeEvaluation()
    try session.cancellable(evaluation) { () throws(SQLError) in
      try opened.beginWriting(evaluation)
    }
    self.init(session, sessions, nil, opened)
  }

  /// Opens a transaction with the right to write that the caller has taken.
  convenience init(
    adoptingLock session: Session, _ sessions: SessionPool, _ cancellation: StatementCancellation
  ) {
    let opened = OpenTransaction(sessions.state)
    opened.adoptWriterLock()
    self.init(session, sessions, cancellation, opened)
  }

  private init(
    _ session: Session, _ sessions: SessionPool, _ cancellation: StatementCancellation?,
    _ opened: OpenTransaction
  ) {
    self.session = session
    self.sessions = sessions
    self.cancellation = cancellation
    session.open(opened)
    sessions.state.writerLock.noteOwner()
  }

  /// Runs `body` in the transaction, and ends it.
  ///
  /// - Throws: what `body` throws, and what is found when it is committed; then nothing stays.
  func carryOut<T>(_ body: (borrowing Transaction) throws -> T) throws -> T {
    let result: T
    do {
      let transaction = Transaction(self)
      result = try body(transaction)
    } catch {
      rollBack()
      throw error
    }
    try commit()
    return result
  }

  func run(_ request: Request) throws(SQLError) -> ResultSet {
    // What a statement did before it failed is gone; the transaction is whole.
    defer { session.isFailed = false }
    guard let cancellation else { return try sessions.run(request, in: session) }
    return try cancellation.reaching(session) { () throws(SQLError) in
      try sessions.run(request, in: session)
    }
  }

  func savepoint<T>(_ body: () throws -> T) throws -> T {
    session.transaction?.addSavepoint(Self.savepointName)
    let actionCount = actions.count
    do {
      let result = try body()
      try session.transaction?.releaseSavepoint(Self.savepointName)
      return result
    } catch {
      try session.transaction?.rollBack(toSavepoint: Self.savepointName)
      try session.transaction?.releaseSavepoint(Self.savepointName)
      actions.removeSubrange(actionCount...)
      throw error
    }
  }

  var snapshot: Snapshot {
    Snapshot(session.transaction?.share() ?? sessions.state.current, sessions)
  }

  func afterCommit(_ action: @escaping @Sendable () -> Void) { actions.append(action) }

  /// Commits, and then runs what was to be run behind it.
  ///
  /// - Throws: what deferred constraints and the log say; then nothing stays.
  private func commit() throws(SQLError) {
    sessions.state.writerLock.forgetOwner()
    try session.commit()
    // Committed is committed: a failure of the disk is found by the next change.
    session.keepSequenceValuesOfFailure()
    for action in actions { action() }
  }

  private func rollBack() {
    sessions.state.writerLock.forgetOwner()
    session.endTransaction(rollingBack: true)
    session.keepSequenceValuesOfFailure()
  }
}
