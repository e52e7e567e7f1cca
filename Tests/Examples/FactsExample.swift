import Foundation
import Junction
import JunctionFoundation
import Synchronization
import Testing

// Facts that are saved, archived and deleted: one table, records, SQL beside them, and a database for each test.

// MARK: - Model

struct Fact: Record, Equatable, Identifiable {
  var id: Int?
  var number: Int
  var savedAt: Date
  var value: String
  var isArchived = false
  static let table = "facts"
}

extension Fact {
  /// Queries are values: they have names like any other.
  static var favorites: Query<Fact> { Fact.where { !$0.isArchived } }
  static var archived: Query<Fact> { Fact.where { $0.isArchived } }

  enum Ordering { case number, savedAt }

  /// What is shown, in the order that the user chose.
  static func favorites(by ordering: Ordering) -> Query<Fact> {
    switch ordering {
    case .number: favorites.order(by: \.number)
    case .savedAt: favorites.order(by: \.savedAt, .descending)
    }
  }
}

// MARK: - Service

struct FactService: Sendable {
  let database: Database

  func archive(_ fact: Fact) throws {
    try database.write { db in
      var fact = fact
      fact.isArchived = true
      try fact.update(db)
    }
  }

  /// Writes what was edited, unless somebody else has edited it meanwhile.
  func edit(_ old: Fact, _ text: String) throws {
    try database.write { db in
      var fact = old
      fact.value = text
      try fact.update(db, from: old)
    }
  }

  func delete(_ fact: Fact) throws -> Bool { try database.write { db in try fact.delete(db) } }

  func unarchiveAll() throws -> Int {
    try Fact.archived.updateAll(database) { $0.isArchived = false }
  }
}

/// What a screen shows: it changes when the database does, whoever has changed it.
@MainActor
final class FactsModel {
  let favorites: Live<[Fact]>
  let archivedCount: Live<Int>
  private let database: Database

  var ordering = Fact.Ordering.number {
    didSet { favorites.follow(Fact.favorites(by: ordering).updates(in: database)) }
  }

  init(_ database: Database) {
    self.database = database
    favorites = Live([], Fact.favorites(by: .number).updates(in: database))
    archivedCount = Live(0, Fact.archived.countUpdates(in: database))
  }
}

// MARK: - What comes of it

@Suite("Example: facts")
struct FactsExample {
  /// The schema as it grew.
  private static var migrations: Migrations {
    var migrations = Migrations()
    migrations.register(
      "Create 'facts' table",
      #"""
      CREATE TABLE facts (
        id serial PRIMARY KEY, number int NOT NULL, "savedAt" timestamptz NOT NULL, value text NOT NULL)
      """#)
    migrations.register("Add 'isArchived' column to 'facts'") { db in
      // Rows that are there have the default as well.
      try db.execute(#"ALTER TABLE facts ADD COLUMN "isArchived" boolean NOT NULL DEFAULT false"#)
    }
    return migrations
  }

  /// Ten facts, of which the even ones are archived.
  private static let seeded = Result {
    let database = Database()
    try migrations.run(database)
    try database.write { db in
      for number in 1...10 {
        try Fact(
          number: number, savedAt: day(number), value: "\(number) is a number",
          isArchived: number.isMultiple(of: 2)
        ).inserted(db)
      }
    }
    return database
  }

  private static func day(_ number: Int) -> Date {
    Date(timeIntervalSince1970: 1_700_000_000 + 86_400 * Double(number))
  }

  private let database: Database
  private var service: FactService { FactService(database: database) }

  init() throws { database = try Self.seeded.get().fork() }

  @Test("inserts facts and gives them back with their ids")
  func inserting() throws {
    let fact = Fact(number: 11, savedAt: Self.day(11), value: "11 is prime")
    let saved = try database.write { db in try fact.inserted(db) }
    #expect(saved.id == 11)
    #expect(try Fact.find(11, in: database) == saved)
    #expect(saved.savedAt == Self.day(11) && !saved.isArchived)
  }

  @Test("shows favorites and the archive by one condition, so that a list and its count agree")
  func reading() throws {
    let snapshot = database.snapshot
    #expect(
      try Fact.favorites.order(by: \.number).fetch(snapshot).map(\.number) == [1, 3, 5, 7, 9])
    #expect(try Fact.archived.count(snapshot) == 5)
    #expect(try Fact.favorites.limit(1).fetch(snapshot).count == 1)
    #expect(try Fact.favorites.count(snapshot) == 5)
    // The same as SQL; a scalar is asked for as one.
    let rows = try snapshot.fetchAll(
      Fact.self, #"SELECT * FROM facts WHERE NOT "isArchived" ORDER BY number"#)
    #expect(try rows == Fact.favorites.order(by: \.number).fetch(snapshot))
    let count = try snapshot.fetchOne(Int.self, #"SELECT count(*) FROM facts WHERE "isArchived""#)
    #expect(count == 5)
    let error = #expect(throws: SQLError.self) {
      try snapshot.fetchOne(String.self, "SELECT value FROM facts WHERE false")
    }
    #expect(error?.state == .noDataFound)
  }

  @Test("archives, edits and deletes")
  func changing() throws {
    let first = try Fact.where { $0.number == 1 }.one(database)
    try service.archive(first)
    #expect(try Fact.archived.count(database) == 6)
    #expect(try service.unarchiveAll() == 6)
    #expect(try Fact.archived.isEmpty(database))
    let now = try #require(try first.refreshed(database))
    try service.edit(now, "1 is one")
    // Whoever edits what was there before is told.
    var error = #expect(throws: SQLError.self) { try service.edit(now, "1 is a unit") }
    #expect(error?.state == .serializationFailure)
    #expect(try first.refreshed(database)?.value == "1 is one")
    #expect(try service.delete(first))
    #expect(try !service.delete(first))
    error = #expect(throws: SQLError.self) { try service.archive(first) }
    #expect(error?.state == .noDataFound)
  }

  @Test("sorts as the user chooses, and pages that do not shift")
  func ordering() throws {
    #expect(try Fact.favorites(by: .savedAt).first(database)?.number == 9)
    let page = try Fact.favorites(by: .number).limit(2).fetch(database)
    let last = try #require(page.last)
    try Fact(number: 0, savedAt: Self.day(0), value: "nothing").inserted(database)
    #expect(
      try Fact.favorites(by: .number).after(last).limit(2).fetch(database).map(\.number) == [5, 7])
  }

  @Test("tells a misspelt column from a text, and names the right one")
  func misspelt() throws {
    var error = #expect(throws: SQLError.self) {
      try database.query(#"SELECT * FROM facts WHERE NOT "isArchive""#)
    }
    #expect(error?.message == #"column "isArchive" does not exist"#)
    #expect(error?.hint?.contains("isArchived") == true)
    // Names in quotes keep their case.
    error = #expect(throws: SQLError.self) {
      try database.query("SELECT * FROM facts WHERE isArchived")
    }
    #expect(error?.state == .undefinedColumn)
    error = #expect(throws: SQLError.self) {
      try database.query(#"SELECT * FROM "facts" WHERE NOT "isArchived"#)
    }
    #expect(error?.state == .syntaxError)
  }

  @Test("leaves nothing of a transaction that throws")
  func rollback() throws {
    struct Rejected: Error {}
    let version = database.snapshot.version
    #expect(throws: Rejected.self) {
      try database.write { db in
        _ = try Fact.all.deleteAll(db)
        throw Rejected()
      }
    }
    #expect(try Fact.all.count(database) == 10)
    #expect(database.snapshot.version == version)
  }

  @Test("is of a database that the task names, so that previews and tests have their own")
  func current() throws {
    let empty = try Self.seeded.get().fork()
    _ = try Fact.all.deleteAll(empty)
    try database.asCurrent {
      #expect(try Fact.all.count(Database.current) == 10)
      let inner = try empty.asCurrent { try Fact.all.count(Database.current) }
      #expect(inner == 0)
      #expect(Database.current === database)
    }
    // What a test changes is gone with its fork.
    #expect(try Fact.all.count(try Self.seeded.get()) == 10)
  }

  @Test("has migrations that run once each, in their order")
  func migrating() throws {
    #expect(try Self.migrations.run(database).isEmpty)
    let empty = Database()
    #expect(try Self.migrations.plan(empty).pending.count == 2)
    #expect(
      try Self.migrations.run(empty) == [
        "Create 'facts' table", "Add 'isArchived' column to 'facts'",
      ])
    #expect(try Fact.all.isEmpty(empty))
  }

  @Test("tells whoever watches of what has changed, and of nothing else")
  func watching() async throws {
    var archived = Fact.archived.order(by: \.number).updates(in: database).makeAsyncIterator()
    #expect(try await archived.next()?.map(\.number) == [2, 4, 6, 8, 10])
    // Nothing comes of what is rolled back, nor of a change that the question does not read.
    struct Rejected: Error {}
    #expect(throws: Rejected.self) {
      try database.write { db in
        _ = try Fact.all.deleteAll(db)
        throw Rejected()
      }
    }
    try service.archive(Fact.where { $0.number == 1 }.one(database))
    #expect(try await archived.next()?.map(\.number) == [1, 2, 4, 6, 8, 10])
    #expect(try service.unarchiveAll() == 6)
    #expect(try await archived.next()?.isEmpty == true)
  }

  @Test("keeps a screen current: a list and a number, of one state, in one turn of the main actor")
  @MainActor
  func screen() async throws {
    let model = FactsModel(database)
    await settle { model.archivedCount.value == 5 }
    #expect(model.favorites.value.map(\.number) == [1, 3, 5, 7, 9])
    // A write elsewhere is seen here.
    try service.archive(model.favorites.value[0])
    await settle { model.archivedCount.value == 6 }
    #expect(model.favorites.value.map(\.number) == [3, 5, 7, 9])
    model.ordering = .savedAt
    await settle { model.favorites.value.first?.number == 9 }
    #expect(model.favorites.value.map(\.number) == [9, 7, 5, 3])
    #expect(model.favorites.error == nil)
  }

  /// Lets the main actor take turns until something holds.
  @MainActor
  private func settle(_ condition: () -> Bool) async {
    for _ in 0..<200_000 where !condition() { try? await Task.sleep(for: .milliseconds(1)) }
  }

  @Test("logs its statements, so that a test may promise how many there are")
  func logging() throws {
    let log = Mutex<[String]>([])
    database.trace { event in log.withLock { $0.append(event.sql) } }
    _ = try Fact.favorites(by: .number).fetch(database)
    database.trace(nil)
    let statements = log.withLock { $0 }
    #expect(statements.count == 1)
    #expect(statements[0].contains(#"ORDER BY facts.number"#))
  }
}
