import Catalog
public import Diagnostics

/// A state of a database, as a value: unchanging, to be shared by any tasks, of no cost to take.
///
/// ```swift
/// let snapshot = database.snapshot
/// let courses = try snapshot.query("SELECT count(*) FROM course")
/// let students = try snapshot.query("SELECT count(*) FROM student")  // of the same moment
/// ```
///
/// It keeps what has changed since, and as long as it is there single rows are not changed in place: take one, use it, let go.
public struct Snapshot: Reader, Sendable {
  let content: DatabaseVersion
  let sessions: SessionPool
  /// What ends the statements of an asynchronous read whose task is cancelled.
  let cancellation: StatementCancellation?
  /// What notes the answers and what they are made from, where that is watched.
  let observed: ObservedAnswer?

  init(
    _ content: DatabaseVersion, _ sessions: SessionPool,
    _ cancellation: StatementCancellation? = nil, observed: ObservedAnswer? = nil
  ) {
    self.content = content
    self.sessions = sessions
    self.cancellation = cancellation
    self.observed = observed
  }

  /// Grows with each commit; equal numbers of one database are equal states.
  public var version: UInt64 { content.number }

  /// Runs a query and gives its rows.
  ///
  /// - Throws: the query's error, 25006 for a statement that would change something, 57014 if the task is cancelled.
  public func run(_ request: Request) throws(SQLError) -> ResultSet {
    try sessions.lend { session throws(SQLError) in
      session.open(
        OpenTransaction(
          sessions.state, isolation: .repeatableRead, isReadOnly: true, reading: content))
      session.reads = observed?.reads
      defer {
        session.reads = nil
        session.endTransaction(rollingBack: true)
      }
      let rows =
        if let cancellation {
          try cancellation.reaching(session) { () throws(SQLError) in
            try sessions.run(request, in: session)
          }
        } else {
          try sessions.run(request, in: session)
        }
      observed?.note(rows)
      return rows
    }
  }
}
