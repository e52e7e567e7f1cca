import Catalog
public import Diagnostics

/// The steps by which a database gets the schema that a program needs, each of which runs once.
///
/// ```swift
/// var migrations = Migrations()
/// migrations.register("Create facts", "CREATE TABLE facts (id serial PRIMARY KEY, value text NOT NULL)")
/// migrations.register("Archive facts") { db in
///   try db.execute("ALTER TABLE facts ADD COLUMN is_archived boolean NOT NULL DEFAULT false")
/// }
/// try migrations.run(database)
/// ```
///
/// Each is a transaction of its own, in which deferrable constraints wait for its end: one that fails leaves nothing of itself, and those before
/// it stay. The table `junction_migrations` records those that have run. What has run may not change, go or move: that is an error that
/// names it. A closure has no text to be compared, so the schema that it leaves of an empty database is: it is run on one as well, and nothing is said
/// of one that fails there.
public struct Migrations: Sendable {
  /// Whether everything in a database is dropped and made anew if a migration that ran is another one now; of use while a program is developed.
  public var eraseOnSchemaChange = false
  private var list: [Migration] = []

  /// None yet.
  public init() {}

  /// Those in the files `NAME.sql` of a folder, in the order of their names.
  ///
  /// - Throws: 58P01 if there is no such folder, 58030 and 22021 for a file that cannot be read.
  public init(folder: String) throws(SQLError) {
    let ending = ".sql"
    let names = try FolderListing.namesOrFail(
      in: folder, hint: "Name a folder with a file NAME.sql for each migration.")
    for name in names.sorted() where name.hasSuffix(ending) && !name.hasPrefix(".") {
      let text = try FolderListing.read("\(folder)/\(name)")
      register(String(name.dropLast(ending.count)), SQL(raw: text))
    }
  }

  /// The names of all, in their order.
  public var names: [String] { list.map(\.name) }

  /// Adds a migration that is one statement or several.
  public mutating func register(_ name: String, _ sql: SQL) {
    list.append(Migration(name: name, work: .text(sql)))
  }

  /// Adds a migration that a closure does.
  ///
  /// It may run more than once, on other databases: `plan` runs it on a fork, and changes are found on an empty database.
  public mutating func register(
    _ name: String, _ body: @escaping @Sendable (borrowing Transaction) throws -> Void
  ) {
    list.append(Migration(name: name, work: .body(body)))
  }

  /// Runs those that have not run yet, in their order.
  ///
  /// - Parameters:
  ///   - database: The database.
  ///   - name: The last one to be run; all if it is nil.
  /// - Returns: The names of those that ran.
  /// - Throws: what a migration throws, the context of a statement's error naming it; 55000 if one that ran has changed, is gone, or stands
  ///   elsewhere; 42704 if there is none of the name, 42710 if there are two.
  @discardableResult
  public func run(_ database: Database, upTo name: String? = nil) throws -> [String] {
    var run = MigrationRun(try checked(), database)
    return try run.run(first: try count(upTo: name), erases: eraseOnSchemaChange)
  }

  /// What a run would do, found by doing it to a fork: nothing is guessed, and nothing of the database changes.
  ///
  /// - Parameters:
  ///   - database: The database.
  ///   - name: The last one to be run; all if it is nil.
  /// - Returns: The migrations, and the difference of the schema before and behind them.
  /// - Throws: as ``run(_:upTo:)``.
  public func plan(_ database: Database, upTo name: String? = nil) throws -> MigrationPlan {
    let fork = database.fork()
    let before = fork.state.current.catalog
    let pending = try run(fork, upTo: name)
    let difference = CatalogDifference(from: before, to: fork.state.current.catalog)
    return MigrationPlan(pending: pending, differences: difference.differences)
  }

  private func checked() throws(SQLError) -> [Migration] {
    var seen: Set<String> = []
    for migration in list where !seen.insert(migration.name).inserted {
      throw SQLError(
        .duplicateObject, "there are two migrations \"\(migration.name)\"",
        hint: "Give each a name of its own.")
    }
    return list
  }

  private func count(upTo name: String?) throws(SQLError) -> Int {
    guard let name else { return list.count }
    if let place = list.firstIndex(where: { $0.name == name }) { return place + 1 }
    let near = nearestNames(to: name, among: names)
    throw SQLError(
      .undefinedObject, "there is no migration \"\(name)\"",
      hint: near.isEmpty
        ? nil : "Perhaps you meant " + near.map { "\"\($0)\"" }.joined(separator: " or ") + ".")
  }
}

/// What a run of migrations would do.
public struct MigrationPlan: Sendable {
  /// The names of those that would run.
  public let pending: [String]
  /// What they change of the schema, with statements that do the same.
  public let differences: [SchemaDifference]
}
