import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// One run of migrations on a database.
struct MigrationRun {
  let migrations: [Migration]
  let database: Database
  private var replay: MigrationReplay

  init(_ migrations: [Migration], _ database: Database) {
    self.migrations = migrations
    self.database = database
    replay = MigrationReplay(migrations)
  }

  /// Runs those that have not run, the first `count` of all at most.
  ///
  /// - Returns: The names of those that ran.
  /// - Throws: what a migration throws; nothing of it stays.
  mutating func run(first count: Int, erases: Bool) throws -> [String] {
    var done = try MigrationLog.entries(database.snapshot).count
    if let change = try change() {
      guard erases else { throw change }
      try erase()
      done = 0
    }
    var names: [String] = []
    while done < count {
      if try runOne(at: done) { names.append(migrations[done].name) }
      done += 1
    }
    return names
  }

  /// Runs a migration as a transaction of its own, unless somebody else has meanwhile.
  private mutating func runOne(at place: Int) throws -> Bool {
    let migration = migrations[place]
    let schemaHash = migration.isBody ? replay.schemaHash(behind: place) : nil
    return try database.write { db in
      try MigrationLog.create(db)
      if try MigrationLog.entries(db).contains(where: { $0.name == migration.name }) {
        return false
      }
      try migration.run(db)
      try MigrationLog.add(
        MigrationLog.Entry(
          name: migration.name, textHash: migration.textHash, schemaHash: schemaHash),
        at: place + 1, db)
      return true
    }
  }

  // MARK: Changes behind what has run

  /// Why what has run is no beginning of the migrations that there are; nil if it is one.
  private mutating func change() throws(SQLError) -> SQLError? {
    for (place, entry) in try MigrationLog.entries(database.snapshot).enumerated() {
      guard place < migrations.count else {
        return Self.gone(entry, place, last: migrations.last?.name)
      }
      let migration = migrations[place]
      guard migration.name == entry.name else {
        return migrations.contains { $0.name == entry.name }
          ? Self.moved(entry, place, migration) : Self.gone(entry, place, last: migration.name)
      }
      guard migration.textHash == entry.textHash else { return Self.changed(entry, place) }
      if migration.isBody, let hash = entry.schemaHash, let now = replay.schemaHash(behind: place),
        hash != now
      {
        return Self.changed(entry, place)
      }
    }
    return nil
  }

  private static let hint =
    "Leave migrations that have run as they are, and add another behind them; or let eraseOnSchemaChange make the database anew while it is being developed."

  private static func changed(_ entry: MigrationLog.Entry, _ place: Int) -> SQLError {
    SQLError(
      .objectNotInPrerequisiteState,
      "migration \"\(entry.name)\" has changed since it ran",
      detail: "It ran as number \(place + 1), and is another one now.", hint: hint)
  }

  private static func moved(
    _ entry: MigrationLog.Entry, _ place: Int, _ migration: Migration
  ) -> SQLError {
    SQLError(
      .objectNotInPrerequisiteState,
      "migration \"\(migration.name)\" stands before \"\(entry.name)\", which has run before it",
      detail: "Number \(place + 1) was \"\(entry.name)\" and is \"\(migration.name)\" now.",
      hint: hint)
  }

  private static func gone(_ entry: MigrationLog.Entry, _ place: Int, last: String?) -> SQLError {
    SQLError(
      .objectNotInPrerequisiteState, "migration \"\(entry.name)\" has run, but is gone",
      detail: "It ran as number \(place + 1)"
        + (last.map { "; the one nearest to it now is \"\($0)\"." } ?? "; there are none now."),
      hint: hint)
  }

  /// Drops everything.
  private func erase() throws {
    try database.write { db in
      let schemas = try CatalogView.of(db).catalog.schemas.filter {
        $0 != "information_schema" && !$0.hasPrefix("pg_")
      }
      for schema in schemas.sorted() {
        try db.execute("DROP SCHEMA \(identifier: schema) CASCADE")
      }
      try db.execute("CREATE SCHEMA public")
    }
  }
}

/// Migrations run on an empty database, to see what schema each of them leaves.
struct MigrationReplay {
  private let migrations: [Migration]
  private let database = Database()
  /// What tells the schema behind each migration that was replayed from another one.
  private var hashes: [String?] = []

  init(_ migrations: [Migration]) { self.migrations = migrations }

  /// What tells the schema behind a migration from another one; nil where one up to it needs rows that are not there, or more than
  /// migrations have made.
  mutating func schemaHash(behind place: Int) -> String? {
    while hashes.count <= place {
      var hash: String?
      // That one fails on an empty database says nothing of it, nor of those behind it.
      if hashes.last.map({ $0 != nil }) ?? true,
        (try? database.write { db in try migrations[hashes.count].run(db) }) != nil
      {
        hash = Digests.sha256(of: CatalogPieces(database.state.current.catalog).description)
      }
      hashes.append(hash)
    }
    return hashes[place]
  }
}
