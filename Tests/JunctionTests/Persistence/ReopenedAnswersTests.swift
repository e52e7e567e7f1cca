import Diagnostics
import Durability
import SimulatedDisk
import Testing

@testable import Junction

/// Some statements, and a query whose answer outlives them.
struct LastingAnswer: Sendable, CustomTestStringConvertible {
  let name: String
  let statements: [String]
  let query: String
  var testDescription: String { name }
}

@Suite("A query gives after a restart what it gave before")
struct ReopenedAnswersTests {
  private static let answers = [
    LastingAnswer(
      name: "over arrays of a table that was emptied and filled in one transaction",
      statements: [
        "CREATE TABLE t (id int, b int[], c text[])",
        "INSERT INTO t SELECT i, ARRAY[1, 2], ARRAY['a', NULL] FROM generate_series(1, 3) i",
        "BEGIN; TRUNCATE t; INSERT INTO t SELECT i, ARRAY[3, 4], ARRAY['b', NULL] FROM generate_series(1, 3) i; COMMIT",
      ], query: "SELECT * FROM t ORDER BY id"),
    LastingAnswer(
      name: "over arrays of a materialized view that was filled anew",
      statements: [
        "CREATE TABLE t (g int, id int)", "INSERT INTO t VALUES (1, 1), (1, 2), (2, 3)",
        "CREATE MATERIALIZED VIEW v AS SELECT g, array_agg(id ORDER BY id) AS ids FROM t GROUP BY g",
        "UPDATE t SET id = id + 10", "REFRESH MATERIALIZED VIEW v",
      ], query: "SELECT * FROM v ORDER BY g"),
    LastingAnswer(
      name: "over arrays that a change of their type has replaced",
      statements: [
        "CREATE TABLE t (b int[])", "INSERT INTO t VALUES (ARRAY[1, 2])",
        "ALTER TABLE t ALTER b TYPE int[] USING ARRAY[7, 8]",
      ], query: "SELECT b FROM t"),
    LastingAnswer(
      name: "over arrays within rows and rows within arrays",
      statements: [
        "CREATE TYPE part AS (a int, l int[])", "CREATE TABLE t (x part, y part[])",
        "INSERT INTO t VALUES (ROW(1, ARRAY[1]), ARRAY[ROW(1, ARRAY[1])::part])",
        "BEGIN; TRUNCATE t; INSERT INTO t VALUES (ROW(1, ARRAY[2]), ARRAY[ROW(1, ARRAY[2])::part]); COMMIT",
      ], query: "SELECT x::text, y::text FROM t"),
    LastingAnswer(
      name: "though an index names a column twice",
      statements: [
        "CREATE TABLE t (a int, b text)", "CREATE UNIQUE INDEX i ON t (a, b, a)",
        "INSERT INTO t VALUES (1, 'x')",
      ], query: "SELECT * FROM t"),
    LastingAnswer(
      name: "though a parent that is referred to twice lost a column",
      statements: [
        "CREATE TABLE v (x int, id int PRIMARY KEY)",
        "CREATE TABLE e (y int, s int REFERENCES v, d int REFERENCES v)",
        "INSERT INTO v VALUES (1, 2)", "ALTER TABLE v DROP COLUMN x",
        "INSERT INTO e VALUES (1, 2, 2)",
      ], query: "SELECT e.*, v.* FROM e JOIN v ON v.id = e.s AND v.id = e.d"),
    LastingAnswer(
      name: "about a sequence that was set back behind a checkpoint",
      statements: [
        "CREATE TABLE t (id serial PRIMARY KEY, a int)", "INSERT INTO t (a) VALUES (1), (2)",
        "SELECT nextval('t_id_seq') FROM generate_series(1, 5)", "CHECKPOINT",
        "SELECT setval('t_id_seq', 2)", "INSERT INTO t VALUES (100, 1)",
      ], query: "SELECT nextval('t_id_seq')"),
  ]

  @Test("by the log, and by a snapshot", arguments: answers, [false, true])
  func lasts(_ answer: LastingAnswer, hasSnapshot: Bool) throws {
    let disk = SimulatedDisk()
    func rows(_ connection: Connection) throws -> [[SQLValue]] {
      try connection.query(answer.query).map { $0.values }
    }
    let database = try Database(path: "d.junction", on: disk, DatabaseOptions())
    let connection = database.connect()
    for statement in answer.statements { try connection.execute(statement) }
    if hasSnapshot { try database.checkpoint() }
    let survivor = SimulatedDisk(disk.state.crash(seed: 1))
    let before = try rows(connection)
    let again = try Database(path: "d.junction", on: survivor, DatabaseOptions())
    #expect(!before.isEmpty)
    #expect(try rows(again.connect()) == before)
  }

  @Test("and is planned as before: values that come in the order of the rows still do")
  func plan() throws {
    let disk = SimulatedDisk()
    func plan(_ database: Database) throws -> [[SQLValue]] {
      try database.connect().query("EXPLAIN SELECT a, max(b) FROM t GROUP BY a").map(\.values)
    }
    let database = try Database(path: "d.junction", on: disk, DatabaseOptions())
    try database.connect().execute(
      "CREATE TABLE t AS SELECT i / 2 AS a, i % 10 AS b FROM generate_series(1, 640000) i; ANALYZE")
    let before = try plan(database)
    try database.checkpoint()
    let survivor = SimulatedDisk(disk.state.crash(seed: 1))
    #expect(try plan(Database(path: "d.junction", on: survivor, DatabaseOptions())) == before)
  }

  @Test("as an identity stays a whole number")
  func identity() throws {
    let connection = Database().connect()
    try connection.execute("CREATE TABLE t (id int GENERATED ALWAYS AS IDENTITY, a int)")
    let error = #expect(throws: SQLError.self) {
      try connection.execute("ALTER TABLE t ALTER id TYPE numeric")
    }
    #expect(error?.state.code == "22023")
  }
}
