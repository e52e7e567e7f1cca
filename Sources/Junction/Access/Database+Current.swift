import Catalog
import Diagnostics
import Synchronization

extension Database {
  private static let local = TaskLocal<Database?>(wrappedValue: nil)
  private static let shared = Mutex<Database?>(nil)

  /// The database that is meant where none is named: that of the task, then that of the process.
  ///
  /// Where neither was set it is an empty one in memory, with a notice that says so.
  public static var current: Database {
    if let database = local.get() { return database }
    return shared.withLock { shared in
      if let database = shared { return database }
      let empty = Database(
        DatabaseState(), nil,
        [
          Notice(
            "no database is current; an empty one in memory takes its place",
            severity: .warning,
            detail:
              "Say Database.setCurrent(_:) when the program starts, or asCurrent { } in a test.")
        ])
      shared = empty
      return empty
    }
  }

  /// Makes a database the one that is meant in all of the process where none is named.
  public static func setCurrent(_ database: Database) { shared.withLock { $0 = database } }

  /// Runs `body`, in which this database is meant where none is named.
  public func asCurrent<T>(_ body: () throws -> T) rethrows -> T {
    try Self.local.withValue(self, operation: body)
  }
}
