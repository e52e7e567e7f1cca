import Catalog
public import Diagnostics
import Synchronization

/// Sessions of a database that wait to be used again, with the plans that they have made.
final class SessionPool: Sendable {
  let state: DatabaseState
  private let idle = Mutex<[Session]>([])
  /// Told of each statement when it has ended.
  let sink = Mutex<(@Sendable (TraceEvent) -> Void)?>(nil)
  /// So many are kept; a session has its own plans, and more of them than run at once are of no use.
  private static let idleMax = 16

  init(_ state: DatabaseState) { self.state = state }

  deinit { idle.withLock { for session in $0 { session.forgetPlans() } } }

  /// Lends a session to `body`: one that is as new but for its plans.
  func lend<Result, E: Error>(_ body: (Session) throws(E) -> Result) throws(E) -> Result {
    let session = idle.withLock { $0.popLast() } ?? makeSession()
    defer { takeBack(session) }
    return try body(session)
  }

  private func makeSession() -> Session {
    let session = Session(state)
    session.endsTransactionsItself = false
    return session
  }

  /// Keeps a session for the next one, unless it is no longer as new.
  private func takeBack(_ session: Session) {
    let isKept =
      session.isAsNew
      && idle.withLock { idle in
        if idle.count >= Self.idleMax { return false }
        idle.append(session)
        return true
      }
    if !isKept { session.forgetPlans() }
  }

  /// Runs a request in a session, and tells about it who wants to know.
  func run(_ request: Request, in session: Session) throws(SQLError) -> ResultSet {
    if Task.isCancelled { throw .cancelled }
    guard let sink = sink.withLock({ $0 }) else { return try session.rows(of: request) }
    let request = request.hasParts ? try request.resolved(session.catalogView) : request
    guard let text = request.text else { return try session.rows(of: request) }
    let start = ContinuousClock.now
    do throws(SQLError) {
      let rows = try session.rows(of: request)
      sink(
        TraceEvent(
          sql: text, rowCount: rows.rowCount, duration: ContinuousClock.now - start,
          error: nil))
      return rows
    } catch {
      sink(
        TraceEvent(
          sql: text, rowCount: 0, duration: ContinuousClock.now - start, error: error))
      throw error
    }
  }
}

/// What is told of a statement that has ended.
public struct TraceEvent: Sendable {
  /// The statement's text, with `$1`, `$2`, … for its values.
  public let sql: String
  /// How many rows it gave, or changed.
  public let rowCount: Int
  /// How long it took.
  public let duration: Duration
  /// Why it failed, if it did.
  public let error: SQLError?
}
