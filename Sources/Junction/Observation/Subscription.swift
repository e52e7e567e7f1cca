import Catalog
import Diagnostics
import Execution

/// One who is told when to ask a database again, as long as it is held.
final class Subscription: Sendable {
  let database: Database
  let watcher: Watcher

  init(_ database: Database, _ watcher: Watcher) {
    self.database = database
    self.watcher = watcher
  }

  convenience init(_ database: Database, _ wake: @escaping @Sendable () -> Void = {}) {
    self.init(database, Watcher(wake))
  }

  deinit { database.registry.forget(watcher) }

  /// Asks the newest state, and notes what is read, so that the watcher is told of changes.
  ///
  /// - Throws: what `read` throws; it is told of changes all the same.
  func ask<Value>(
    _ cancellation: StatementCancellation? = nil,
    _ read: (Snapshot) throws(SQLError) -> Value
  ) throws(SQLError) -> Value {
    database.registry.begin()
    return try answer(
      Snapshot(database.state.current, database.sessions, cancellation), read)
  }

  /// Asks a state that was taken after `registry.begin()`.
  func answer<Value>(
    _ snapshot: Snapshot, _ read: (Snapshot) throws(SQLError) -> Value
  ) throws(SQLError) -> Value {
    let observed = ObservedAnswer()
    defer { database.registry.finish(watcher, observed.reads.take(), asOf: snapshot.version) }
    return try read(snapshot.observed(by: observed))
  }
}

extension Snapshot {
  fileprivate func observed(by answer: ObservedAnswer) -> Snapshot {
    Snapshot(content, sessions, cancellation, observed: answer)
  }
}
