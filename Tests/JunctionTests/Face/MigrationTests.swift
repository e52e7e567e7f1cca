import Catalog
import Diagnostics
import Foundation
import Testing

@testable import Junction

@Suite("Migrations")
struct MigrationTests {
  private static func facts() -> Migrations {
    var migrations = Migrations()
    migrations.register(
      "Create facts", "CREATE TABLE facts (id serial PRIMARY KEY, value text NOT NULL)")
    migrations.register("Archive facts") { db in
      try db.execute("ALTER TABLE facts ADD COLUMN is_archived boolean NOT NULL DEFAULT false")
    }
    return migrations
  }

  private static func names(_ db: Database) throws -> [String] {
    try db.fetchAll(String.self, "SELECT name FROM junction_migrations ORDER BY position")
  }

  @Test("run once, in their order, and say which ran")
  func migrationRunsOnce() throws {
    let db = Database()
    var migrations = Self.facts()
    #expect(try migrations.run(db, upTo: "Create facts") == ["Create facts"])
    #expect(try migrations.run(db) == ["Archive facts"])
    try db.execute("INSERT INTO facts (value) VALUES ('a')")
    #expect(try migrations.run(db) == [])
    #expect(try migrations.run(db, upTo: "Create facts") == [])
    migrations.register("Backfill \(1)", "UPDATE facts SET is_archived = \(true)")
    #expect(try migrations.run(db) == ["Backfill 1"])
    #expect(try db.fetchOne(Bool.self, "SELECT is_archived FROM facts"))
    #expect(try Self.names(db) == ["Create facts", "Archive facts", "Backfill 1"])
    #expect(try migrations.run(db) == [])
  }

  @Test("refuse a text that changed after it ran")
  func changedTextIsRefused() throws {
    let db = Database()
    try Self.facts().run(db)
    var changed = Migrations()
    changed.register("Create facts", "CREATE TABLE facts (id serial PRIMARY KEY)")
    let error = #expect(throws: SQLError.self) { try changed.run(db) }
    #expect(error?.state == .objectNotInPrerequisiteState)
    #expect(error?.message == "migration \"Create facts\" has changed since it ran")
    #expect(error?.hint?.contains("eraseOnSchemaChange") == true)
  }

  @Test("refuse a closure that leaves another schema than it did")
  func changedClosureIsRefused() throws {
    let db = Database()
    try Self.facts().run(db)
    var changed = Migrations()
    changed.register(
      "Create facts", "CREATE TABLE facts (id serial PRIMARY KEY, value text NOT NULL)")
    changed.register("Archive facts") { db in
      try db.execute("ALTER TABLE facts ADD COLUMN archived boolean NOT NULL DEFAULT false")
    }
    let error = #expect(throws: SQLError.self) { try changed.run(db) }
    #expect(error?.message == "migration \"Archive facts\" has changed since it ran")
  }

  @Test("do not compare a closure that needs more than migrations have made")
  func closuresOverOtherTables() throws {
    let db = Database()
    try db.execute("CREATE TABLE older (id int)")
    var migrations = Migrations()
    migrations.register("Widen") { db in try db.execute("ALTER TABLE older ADD COLUMN name text") }
    #expect(try migrations.run(db) == ["Widen"])
    #expect(try migrations.run(db) == [])
  }

  @Test("refuse a name that is gone, and another order")
  func order() throws {
    let db = Database()
    try Self.facts().run(db)
    var gone = Migrations()
    gone.register("Other", "SELECT 1")
    let first = #expect(throws: SQLError.self) { try gone.run(db) }
    #expect(first?.message == "migration \"Create facts\" has run, but is gone")
    #expect(first?.detail?.contains("\"Other\"") == true)
    var moved = Migrations()
    moved.register("Before", "SELECT 1")
    moved.register(
      "Create facts", "CREATE TABLE facts (id serial PRIMARY KEY, value text NOT NULL)")
    let second = #expect(throws: SQLError.self) { try moved.run(db) }
    #expect(
      second?.message
        == "migration \"Before\" stands before \"Create facts\", which has run before it")
    #expect(throws: SQLError.self) { try Migrations().run(db) }
    moved.register("Before", "SELECT 2")
    #expect(throws: SQLError.self) { try moved.run(Database()) }
    let unknown = #expect(throws: SQLError.self) {
      try Self.facts().run(Database(), upTo: "Create fact")
    }
    #expect(unknown?.state == .undefinedObject)
    #expect(unknown?.hint == "Perhaps you meant \"Create facts\".")
  }

  @Test("leave nothing of one that fails, and keep those before it")
  func failedMigrationLeavesNothing() throws {
    let db = Database()
    var migrations = Self.facts()
    migrations.register(
      "Fail",
      "INSERT INTO facts (value) VALUES ('a');\nCREATE TABLE more (id int);\nSELECT x FROM nowhere")
    migrations.register("Never", "CREATE TABLE never (id int)")
    let error = #expect(throws: SQLError.self) { try migrations.run(db) }
    #expect(error?.state == .undefinedTable)
    #expect(error?.context == "migration \"Fail\", line 3")
    #expect(try Self.names(db) == ["Create facts", "Archive facts"])
    #expect(try db.fetchOne(Int.self, "SELECT count(*) FROM facts") == 0)
    #expect(throws: SQLError.self) { try db.query("SELECT 1 FROM more") }
  }

  @Test("check what is deferrable at the end of each")
  func deferred() throws {
    let db = Database()
    var migrations = Migrations()
    migrations.register(
      "Tables",
      "CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (a_id int REFERENCES a DEFERRABLE)")
    migrations.register("Rows", "INSERT INTO b VALUES (1); INSERT INTO a VALUES (1)")
    migrations.register("Orphan", "INSERT INTO b VALUES (2)")
    let error = #expect(throws: SQLError.self) { try migrations.run(db) }
    #expect(error?.rule == .reference)
    #expect(try Self.names(db) == ["Tables", "Rows"])
  }

  @Test("make everything anew while developing, if a migration is another one")
  func erase() throws {
    let db = Database()
    try db.execute(
      "CREATE SCHEMA s; CREATE TABLE s.t (id serial); CREATE VIEW v AS SELECT id FROM s.t")
    try Self.facts().run(db)
    try db.execute("INSERT INTO facts (value) VALUES ('a')")
    var changed = Migrations()
    changed.eraseOnSchemaChange = true
    changed.register("Create facts", "CREATE TABLE facts (id serial PRIMARY KEY, text text)")
    #expect(try changed.run(db) == ["Create facts"])
    #expect(try Self.names(db) == ["Create facts"])
    #expect(try db.fetchOne(Int.self, "SELECT count(text) FROM facts") == 0)
    #expect(throws: SQLError.self) { try db.query("SELECT 1 FROM s.t") }
    try db.execute("INSERT INTO facts (text) VALUES ('b')")
    #expect(try changed.run(db) == [])
    #expect(try db.fetchOne(Int.self, "SELECT count(text) FROM facts") == 1)
  }

  @Test("make everything anew where a closure behind others is another one")
  func eraseBehindClosures() throws {
    func migrations(_ last: SQL) -> Migrations {
      var migrations = Migrations()
      migrations.eraseOnSchemaChange = true
      for name in ["a", "b"] {
        migrations.register(name) { db in
          try db.execute("CREATE TABLE \(identifier: name) (id int)")
        }
      }
      migrations.register("c") { db in try db.execute(last) }
      return migrations
    }
    let db = Database()
    #expect(try migrations("CREATE TABLE c (id int)").run(db).count == 3)
    #expect(try migrations("CREATE TABLE d (id int)").run(db) == ["a", "b", "c"])
    #expect(try db.query("SELECT * FROM d").isEmpty)
    #expect(try migrations("CREATE TABLE d (id int)").run(db).isEmpty)
  }

  @Test("run each once, however many run them at a time")
  func concurrent() async throws {
    let db = Database()
    let ran = await withTaskGroup(of: [String].self) { group in
      for _ in 0..<8 { group.addTask { (try? Self.facts().run(db)) ?? ["failed"] } }
      return await group.reduce([], +)
    }
    #expect(ran.sorted() == ["Archive facts", "Create facts"])
  }

  @Test("are read from the files of a folder, by name")
  func folder() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("junction-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in [
      ("02 rows.sql", "INSERT INTO t VALUES (1)"), ("01 table.sql", "CREATE TABLE t (id int)"),
      ("notes.txt", "no migration"), (".03.sql", "no migration either"),
    ] {
      try text.write(
        to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
    }
    let migrations = try Migrations(folder: folder.path)
    #expect(migrations.names == ["01 table", "02 rows"])
    #expect(try migrations.run(Database()) == migrations.names)
    let error = #expect(throws: SQLError.self) { try Migrations(folder: folder.path + "/none") }
    #expect(error?.state == .undefinedFile)
  }
}

@Suite("A plan of migrations")
struct MigrationPlanTests {
  @Test("changes nothing, and says what a run would do")
  func planChangesNothing() throws {
    let db = Database()
    try db.execute(
      """
      CREATE TABLE facts (id serial PRIMARY KEY, value varchar(9), old int);
      INSERT INTO facts (value) VALUES ('a');
      """)
    var migrations = Migrations()
    migrations.register(
      "All",
      """
      CREATE TYPE mood AS ENUM ('good', 'bad');
      CREATE TABLE tag (id serial PRIMARY KEY, name text UNIQUE, mood mood DEFAULT 'bad');
      CREATE TABLE fact_tag (fact_id int REFERENCES facts ON DELETE CASCADE, tag_id int REFERENCES tag,
        PRIMARY KEY (fact_id, tag_id), CONSTRAINT few CARDINALITY (fact_id) BETWEEN 0 AND 4);
      ALTER TABLE facts ALTER COLUMN value TYPE text, ALTER COLUMN value SET NOT NULL, DROP COLUMN old;
      CREATE VIEW good AS SELECT value FROM facts;
      """)
    migrations.register("Rename", "ALTER TABLE tag RENAME TO label")
    let before = try String(decoding: bytes(db), as: UTF8.self)
    let plan = try migrations.plan(db)
    #expect(plan.pending == ["All", "Rename"])
    #expect(
      plan.differences.map(\.description) == [
        "type \"mood\" is added", "table \"label\" is added", "table \"fact_tag\" is added",
        "column \"value\" of table \"facts\" is changed: it was value character varying(9)",
        "column \"old\" of table \"facts\" is dropped",
        "foreign key \"fact_tag_fact_id_fkey\" of table \"fact_tag\" is added",
        "foreign key \"fact_tag_tag_id_fkey\" of table \"fact_tag\" is added",
        "cardinality constraint \"few\" of table \"fact_tag\" is added", "view \"good\" is added",
      ])
    #expect(try String(decoding: bytes(db), as: UTF8.self) == before)
    #expect(try migrations.plan(db, upTo: "All").pending == ["All"])
    try migrations.run(db)
    #expect(try migrations.plan(db).pending == [])
    #expect(try migrations.plan(db).differences == [])
  }

  private func bytes(_ db: Database) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try db.connect().export { bytes += $0 }
    return bytes
  }

  /// Steps from which histories are made; those that cannot be done are passed over.
  private static let steps = [
    "CREATE TABLE a (id serial PRIMARY KEY, name text UNIQUE, n int DEFAULT 3 CHECK (n > 0))",
    "CREATE TABLE b (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, a_id int REFERENCES a, twice int GENERATED ALWAYS AS (a_id * 2) STORED)",
    "CREATE TABLE a_b (a_id int REFERENCES a ON DELETE CASCADE, b_id int REFERENCES b NOT ENFORCED, PRIMARY KEY (a_id, b_id), CARDINALITY (a_id) BETWEEN 0 AND 8)",
    "ALTER TABLE a ADD COLUMN b_id int REFERENCES b ON DELETE SET NULL", "DROP TABLE b CASCADE",
    "DROP TABLE a_b", "DROP TABLE a CASCADE", "ALTER TABLE a RENAME TO renamed",
    "ALTER TABLE a ALTER COLUMN name TYPE varchar(20)", "ALTER TABLE a ALTER COLUMN n DROP DEFAULT",
    "ALTER TABLE a ALTER COLUMN n SET DEFAULT 7, ALTER COLUMN n SET NOT NULL",
    "ALTER TABLE a DROP CONSTRAINT a_n_check", "ALTER TABLE a DROP COLUMN name CASCADE",
    "ALTER TABLE a ADD COLUMN extra serial", "ALTER TABLE a DROP CONSTRAINT a_name_key",
    "ALTER TABLE b ALTER COLUMN id DROP IDENTITY",
    "ALTER TABLE b ALTER COLUMN id SET GENERATED BY DEFAULT",
    "ALTER TABLE b ALTER COLUMN twice DROP EXPRESSION", "CREATE INDEX a_n ON a (n DESC)",
    "CREATE UNIQUE INDEX a_n_name ON a (n, name)", "DROP INDEX a_n",
    "CREATE TYPE mood AS ENUM ('good', 'bad')", "ALTER TYPE mood ADD VALUE 'fair' BEFORE 'bad'",
    "ALTER TABLE a ADD COLUMN mood mood", "DROP TYPE mood CASCADE",
    "CREATE DOMAIN small AS int CHECK (value < 9)", "ALTER TABLE a ADD COLUMN small small",
    "CREATE SEQUENCE counter START 5", "DROP SEQUENCE counter",
    "CREATE VIEW v AS SELECT id FROM a",
    "CREATE OR REPLACE VIEW v AS SELECT id FROM a WHERE id > 1",
    "DROP VIEW v", "CREATE MATERIALIZED VIEW m AS SELECT id FROM b", "DROP MATERIALIZED VIEW m",
    "CREATE FUNCTION one() RETURNS int LANGUAGE sql RETURN 1", "DROP FUNCTION one()",
    "CREATE SCHEMA s", "CREATE TABLE s.a (id int)", "DROP SCHEMA s CASCADE",
    "ALTER TABLE a SET SCHEMA s", "COMMENT ON TABLE a IS 'it''s'",
    "COMMENT ON COLUMN b.a_id IS 'x'",
    "COMMENT ON TABLE a IS NULL",
    "CREATE PROPERTY GRAPH g VERTEX TABLES (a KEY (id) LABEL a PROPERTIES (id))",
    "DROP PROPERTY GRAPH g",
  ]

  @Test("has statements that do the same", arguments: 0..<120)
  func statements(_ seed: Int) throws {
    var numbers = RepeatableNumbers(seed)
    let db = Database()
    for _ in 0..<12 { _ = try? db.execute(SQL(raw: numbers.pick(Self.steps))) }
    var migrations = Migrations()
    let scratch = db.fork()
    for place in 0..<10 {
      let step = SQL(raw: numbers.pick(Self.steps))
      if (try? scratch.execute(step)) != nil { migrations.register("\(place)", step) }
    }
    let plan = try migrations.plan(db)
    let other = db.fork()
    for difference in plan.differences {
      for statement in difference.statements {
        do throws(SQLError) { try other.execute(SQL(raw: statement)) } catch {
          Issue.record("\(statement): \(error.message), of \(plan.differences.map(\.statements))")
        }
      }
    }
    let done = db.fork()
    try migrations.run(done)
    // Columns may stand in another order.
    let definitions = [other, done].map {
      CatalogPieces($0.state.current.catalog).description.split(separator: "\n")
        .map { $0.trimmingCharacters(in: [","]) }.sorted()
    }
    #expect(definitions[0] == definitions[1], "\(plan.differences.map(\.statements))")
  }
}
