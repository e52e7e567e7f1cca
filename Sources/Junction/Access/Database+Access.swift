import Catalog
public import Diagnostics
import Synchronization

extension Database {
  /// The state as of the last commit.
  ///
  /// - Complexity: O(1); it waits for nobody.
  public var snapshot: Snapshot { Snapshot(state.current, sessions) }

  /// A database in memory of its own that begins with this one's state; nothing is copied before it is changed.
  ///
  /// - Complexity: O(sequences).
  public func fork() -> Database { Database(state.fork(), nil, []) }

  /// Gives `body` the state as of the last commit: all that it asks is of one moment.
  ///
  /// ```swift
  /// let (courses, students) = try database.read { db throws(SQLError) in
  ///   (try db.query("SELECT * FROM course"), try db.query("SELECT * FROM student"))
  /// }
  /// ```
  ///
  /// - Throws: what `body` throws.
  public func read<T, E: Error>(_ body: (Snapshot) throws(E) -> T) throws(E) -> T {
    try body(snapshot)
  }

  /// Runs `body` as a transaction, which is committed when it returns and leaves nothing when it throws.
  ///
  /// One transaction writes at a time: this one waits for the one before it.
  ///
  /// - Throws: what `body` throws; what constraints say that are checked at the end; 25001 within another `write` of this
  ///   database on the same thread.
  @discardableResult
  public func write<T>(_ body: (borrowing Transaction) throws -> T) throws -> T {
    try sessions.lend { session in
      try TransactionScope(session, sessions).carryOut(body)
    }
  }

  /// Told of each statement of snapshots, transactions and the database itself when it has ended, on the thread that ran it; nil
  /// for nobody.
  public func trace(_ sink: (@Sendable (TraceEvent) -> Void)?) {
    sessions.sink.withLock { $0 = sink }
  }
}

extension Database: Writer {
  /// Runs a request and gives its rows; it sees the last commit, and is a transaction of its own.
  ///
  /// - Throws: the statement's error; nothing of it stays.
  public func run(_ request: Request) throws(SQLError) -> ResultSet {
    try sessions.lend { session throws(SQLError) in try sessions.run(request, in: session) }
  }
}

extension Connection: Writer {
  /// Runs a request and gives its rows.
  ///
  /// - Throws: the statement's error; nothing of it stays.
  public func run(_ request: Request) throws(SQLError) -> ResultSet {
    try session.exclusively { () throws(SQLError) in try session.rows(of: request) }
  }
}
