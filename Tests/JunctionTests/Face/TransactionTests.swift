import Diagnostics
import Junction
import Testing

private struct Stop: Error {}

@Suite("Transactions by closure")
struct TransactionTests {
  private static func makeDatabase() throws -> Database {
    let database = Database()
    try database.execute(
      """
      CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL CHECK (balance >= 0));
      CREATE TABLE note (id serial PRIMARY KEY,
        account int REFERENCES account DEFERRABLE INITIALLY DEFERRED, text text);
      INSERT INTO account VALUES (1, 100), (2, 0);
      """)
    return database
  }

  private static func balances(_ db: borrowing some Reader & ~Copyable) throws -> [Int64?] {
    try db.query("SELECT balance FROM account ORDER BY id").map { $0[0].integer }
  }

  @Test("commit what they did, and give what the closure gives")
  func commits() throws {
    let database = try Self.makeDatabase()
    let count = try database.write { db in
      try db.execute("UPDATE account SET balance = balance - \(30) WHERE id = \(1)")
      let changed = try db.execute("UPDATE account SET balance = balance + \(30) WHERE id > \(1)")
      #expect(try Self.balances(db) == [70, 30])
      #expect(try Self.balances(database) == [100, 0], "nobody else sees it yet")
      return changed
    }
    #expect(count == 1)
    #expect(try Self.balances(database) == [70, 30])
  }

  @Test("leave nothing when the closure throws, and throw what it threw")
  func throwsAndNothingStays() throws {
    let database = try Self.makeDatabase()
    #expect(throws: Stop.self) {
      try database.write { db in
        try db.execute("UPDATE account SET balance = 1; CREATE TABLE other (i int)")
        throw Stop()
      }
    }
    #expect(try Self.balances(database) == [100, 0])
    #expect(throws: SQLError.self) { try database.query("SELECT * FROM other") }
    try database.execute("UPDATE account SET balance = 5 WHERE id = 2")
    #expect(try Self.balances(database) == [100, 5], "others may write again")
  }

  @Test("go on after a statement that failed, of which nothing stays")
  func goesOn() throws {
    let database = try Self.makeDatabase()
    try database.write { db in
      try db.execute("UPDATE account SET balance = 7 WHERE id = 2")
      let error = #expect(throws: SQLError.self) {
        try db.execute("UPDATE account SET balance = balance - 50")
      }
      #expect(error?.state == .checkViolation)
      try db.execute("INSERT INTO account VALUES (3, 1)")
    }
    #expect(try Self.balances(database) == [100, 7, 1])
  }

  @Test("take back a savepoint alone, at any depth")
  func savepoints() throws {
    let database = try Self.makeDatabase()
    let log = Log()
    try database.write { db in
      try db.execute("UPDATE account SET balance = 1 WHERE id = 2")
      db.afterCommit { log.add("outer") }
      let kept = try db.savepoint { db in
        try db.execute("UPDATE account SET balance = 2 WHERE id = 2")
        #expect(throws: Stop.self) {
          try db.savepoint { db in
            try db.execute("UPDATE account SET balance = 3 WHERE id = 2")
            db.afterCommit { log.add("undone") }
            #expect(try Self.balances(db) == [100, 3])
            throw Stop()
          }
        }
        db.afterCommit { log.add("inner") }
        return try Self.balances(db)
      }
      #expect(kept == [100, 2])
      #expect(throws: SQLError.self) {
        try db.savepoint { db in
          try db.execute("DELETE FROM account WHERE id = 1")
          try db.execute("SELECT 1 / 0")
        }
      }
      #expect(log.entries.isEmpty)
    }
    #expect(try Self.balances(database) == [100, 2])
    #expect(log.entries == ["outer", "inner"])
  }

  @Test("say so when they would wait for themselves")
  func nested() throws {
    let database = try Self.makeDatabase()
    let connection = database.connect()
    try database.write { db in
      try db.execute("UPDATE account SET balance = 9 WHERE id = 2")
      let nested = #expect(throws: SQLError.self) { try database.write { _ in } }
      #expect(nested?.state == .activeTransaction)
      let statement = #expect(throws: SQLError.self) {
        try database.execute("UPDATE account SET balance = 10")
      }
      #expect(statement?.state == .activeTransaction)
      #expect(throws: SQLError.self) { try connection.execute("DELETE FROM note") }
      // To read is no harm, and another database is another matter.
      #expect(try Self.balances(connection) == [100, 0])
      try Self.makeDatabase().write { _ = try $0.execute("DELETE FROM note") }
    }
    #expect(try Self.balances(database) == [100, 9])
  }

  @Test("throw what is found at the commit")
  func deferred() throws {
    let database = try Self.makeDatabase()
    let log = Log()
    let error = #expect(throws: SQLError.self) {
      try database.write { db in
        db.afterCommit { log.add("committed") }
        try db.execute("INSERT INTO note (account) VALUES (77)")
      }
    }
    #expect(error?.state == .foreignKeyViolation)
    #expect(error?.rule == .reference)
    #expect(log.entries.isEmpty)
    #expect(try database.query("SELECT 1 FROM note").count == 0)
    try database.write { db in
      try db.execute("INSERT INTO note (account) VALUES (77)")
      try db.execute("INSERT INTO account VALUES (77, 0)")
    }
  }

  @Test(
    "are begun and ended by closures alone",
    arguments: ["BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT a"])
  func statements(text: String) throws {
    let database = try Self.makeDatabase()
    #expect(throws: SQLError.self) { try database.execute(SQL(raw: text)) }
    try database.write { db in
      try db.execute("UPDATE account SET balance = 3")
      let error = #expect(throws: SQLError.self) { try db.execute(SQL(raw: text)) }
      #expect(error?.state == SQLState("2D000"))
    }
    #expect(try Self.balances(database) == [3, 3])
  }

  @Test("leave no setting behind in the next one")
  func settings() throws {
    let database = try Self.makeDatabase()
    try database.execute("SET timezone = 'Asia/Tokyo'")
    try database.write { _ = try $0.execute("SET datestyle = 'German'") }
    for name in ["timezone", "datestyle"] {
      let shown = try database.query(SQL(raw: "SHOW \(name)"))
      #expect(shown.first?[0] == (try Database().query(SQL(raw: "SHOW \(name)"))).first?[0])
    }
  }

  /// The form that blocks, which an asynchronous function would not choose by itself.
  private static func writeAtOnce(
    _ database: Database, _ body: (borrowing Transaction) throws -> Void
  ) throws { try database.write(body) }

  @Test("write one after another from many threads")
  func manyThreads() async throws {
    let database = try Self.makeDatabase()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<50 {
        group.addTask {
          @Sendable func raise(_ db: borrowing Transaction) throws {
            let now = try Self.balances(db)[1] ?? 0
            try db.execute("UPDATE account SET balance = \(now + 1) WHERE id = 2")
          }
          if number % 2 == 0 {
            try await database.write { try raise($0) }
          } else {
            try Self.writeAtOnce(database) { try raise($0) }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try Self.balances(database) == [100, 50])
  }
}
