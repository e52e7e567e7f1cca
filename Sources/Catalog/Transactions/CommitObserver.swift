package import Storage

/// What is told of every commit, so that whoever watches for changes is woken.
///
/// It is told before anybody can see the commit, in the order of commits, by whoever has the right to write; and once more when
/// the commit can be seen. A commit that fails in between is never announced.
package protocol CommitObserver: AnyObject, Sendable {
  /// Whether anybody watches; where nobody does, commits tell nothing.
  var isWatching: Bool { get }

  /// Whether rows of a table are watched by their values, so that both versions have to be there.
  func needsVersions(of table: ObjectID) -> Bool

  /// Takes a commit; nil where nobody is to be woken.
  func note(from old: DatabaseVersion, to new: DatabaseVersion) -> (any CommitNotice)?

  /// Takes a commit of which nobody watched what it changes when it was made, but somebody does now.
  func noteUnknown(number: UInt64) -> (any CommitNotice)?

  /// Takes a commit that changes one row of a table, before the row is changed.
  ///
  /// - Parameters:
  ///   - event: the change.
  ///   - table: the table.
  ///   - store: its version before the change.
  ///   - number: the number of the version that the commit makes.
  /// - Returns: what to announce; nil where nobody is to be woken.
  func note(
    _ event: RowEvent, of table: ObjectID, in store: TableStore, number: UInt64
  ) -> (any CommitNotice)?
}

/// What a commit has to tell once it can be seen.
struct CommitNews {
  /// Whom it wakes.
  var notice: (any CommitNotice)?
  /// Whether anybody watched when it was made.
  var isNoted: Bool
  var number: UInt64
}

extension DatabaseState {
  /// Wakes those whom a commit concerns that can be seen now.
  ///
  /// Whoever began to watch while it was made, and has asked the version before it, is taken to be concerned. It looks
  /// whether anybody watches after the commit can be seen, and they begin to watch before they look which version there is:
  /// so one of the two sees the other.
  func announce(_ news: CommitNews) {
    if news.isNoted {
      news.notice?.announce()
    } else {
      observer?.noteUnknown(number: news.number)?.announce()
    }
  }
}

/// A commit that somebody is to be told of.
package protocol CommitNotice: AnyObject, Sendable {
  /// Wakes them: the commit can be seen.
  func announce()

  /// Forgets it: the commit will never be seen.
  func withdraw()
}
