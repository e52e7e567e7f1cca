import Catalog

/// A database in memory, shared by any number of connections.
///
/// A reader works on an unchanging version and never waits; one writer at a time makes the next.
///
/// ```swift
/// let database = Database()
/// let connection = database.connect()
/// try connection.execute("create table student (id serial primary key, name text)")
/// let rows = try connection.query("select name from student where id = $1", [1])
/// ```
public final class Database: Sendable {
  let state: DatabaseState

  /// An empty database.
  public init() { state = DatabaseState() }

  /// A session of its own: settings, prepared statements and at most one transaction.
  public func connect() -> Connection { Connection(to: self) }
}
