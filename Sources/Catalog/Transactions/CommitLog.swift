package import Columnar
package import Diagnostics

/// What is told of a commit before anybody can see it: the write-ahead log.
package protocol CommitLog: AnyObject, Sendable {
  /// Takes a commit behind all earlier ones, and gives a number to wait for; its versions differ in just what changed.
  ///
  /// - Throws: 53100, 58030 and the like; the commit then does not happen.
  func append(from old: DatabaseVersion, to new: DatabaseVersion) throws(SQLError) -> UInt64

  /// Takes a commit that changes one row of a table of `version`, and makes the next version out of it.
  ///
  /// - Throws: as for any other commit.
  func append(
    _ event: RowEvent, of table: ObjectID, to version: DatabaseVersion
  ) throws(SQLError) -> UInt64

  /// Takes where some sequences stand, if the commits so far do not tell, and gives the commit that does.
  ///
  /// Any thread may call it at any time, also while a transaction is open that writes.
  ///
  /// - Throws: as for a commit.
  func append(_ sequences: Set<ObjectID>) throws(SQLError) -> UInt64

  /// Whether a commit may be read as soon as it is in the log.
  var publishesAtOnce: Bool { get }

  /// Returns when a commit is as durable as was asked for.
  ///
  /// - Throws: 40003 if nobody knows whether it will be.
  func wait(for commit: UInt64) throws(SQLError)

  /// Writes a snapshot, after which the log begins anew.
  ///
  /// - Parameters:
  ///   - state: the database; a transaction that writes is waited for.
  ///   - timeoutMilliseconds: how long, nil for as long as it takes.
  ///   - context: what may end the wait.
  /// - Throws: the disk's errors, 55P03 and 57014 while waiting; the database stays as it was.
  func checkpoint(
    _ state: DatabaseState, timeoutMilliseconds: Int?, context: EvaluationContext?
  ) throws(SQLError)
}
