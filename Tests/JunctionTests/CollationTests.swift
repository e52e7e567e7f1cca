import Columnar
import Diagnostics
import SimulatedDisk
import Testing

@testable import Junction

/// Orders and errors as PostgreSQL 15 gives them.
@Suite("Collations of languages", .enabled(if: Collation.named("de-x-icu") != nil))
struct CollationTests {
  private func people() throws -> Connection {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE p (id int, name text);
      INSERT INTO p VALUES (1, 'Zoe'), (2, 'Ärger'), (3, 'Apfel'), (4, 'zebra'), (5, 'Öl'), (6, 'Ofen'),
        (7, 'straße'), (8, 'Strasse'), (9, 'apfel'), (10, NULL), (11, 'éclair'), (12, 'eclair'), (13, '😀'),
        (14, 'a very long name of many bytes');
      """)
    return connection
  }

  private func answer(_ query: String) throws -> String {
    let result = try people().query(query)
    return (0..<result.count).map { row in
      result.columns.indices.map { result.text(row: row, column: $0) ?? "NULL" }
        .joined(separator: "|")
    }.joined(separator: " ")
  }

  private static let order =
    "13 14 9 3 2 12 11 6 5 8 7 4 1 10"

  @Test(
    "order what a query asks for",
    arguments: [
      (#"SELECT id FROM p ORDER BY name COLLATE "de-x-icu""#, order),
      (#"SELECT id FROM p ORDER BY name COLLATE "sv-x-icu""#, "13 14 9 3 12 11 6 8 7 4 1 2 5 10"),
      (
        #"SELECT id FROM p ORDER BY name COLLATE "und-x-icu" DESC NULLS LAST, id LIMIT 3"#, "1 4 7"
      ),
      (#"SELECT id FROM p ORDER BY name COLLATE "C" LIMIT 3"#, "3 6 8"),
      (
        #"SELECT string_agg(id::text, ' ' ORDER BY name COLLATE "de-x-icu") FROM p"#, order
      ),
      (
        #"SELECT min(name COLLATE "de-x-icu"), max(name COLLATE "de-x-icu"), max(name) FROM p WHERE id < 13"#,
        "apfel|Zoe|éclair"
      ),
      (
        #"SELECT greatest('Ärger' COLLATE "de-x-icu", 'B'), least('Ärger' COLLATE "sv-x-icu", 'B')"#,
        "B|B"
      ),
      (
        #"SELECT id, rank() OVER (ORDER BY name COLLATE "de-x-icu") FROM p ORDER BY 2 LIMIT 2"#,
        "13|1 14|2"
      ),
      (#"SELECT count(*) FROM p WHERE name < 'B' COLLATE "de-x-icu""#, "5"),
      (#"SELECT count(*) FROM p WHERE name COLLATE "de-x-icu" BETWEEN 'b' AND 'p'"#, "4"),
      (
        #"SELECT count(*) FROM p WHERE name COLLATE "de-x-icu" BETWEEN SYMMETRIC 'p' AND 'b'"#, "4"
      ),
      (#"SELECT count(*) FROM p WHERE (name COLLATE "de-x-icu", id) > ('P', 0)"#, "4"),
      (#"SELECT id FROM p WHERE name COLLATE "de-x-icu" = 'Ärger'"#, "2"),
      (#"SELECT id FROM p WHERE name COLLATE "de-x-icu" IN ('Ärger', 'apfel') ORDER BY 1"#, "2 9"),
      (#"SELECT DISTINCT name COLLATE "de-x-icu" FROM p ORDER BY 1 DESC LIMIT 2"#, "NULL Zoe"),
      (
        #"SELECT DISTINCT ON (upper(name) COLLATE "de-x-icu") id FROM p ORDER BY upper(name) COLLATE "de-x-icu", id LIMIT 3"#,
        "13 14 3"
      ),
      (
        #"SELECT name COLLATE "de-x-icu" AS n, count(*) FROM p GROUP BY n ORDER BY n OFFSET 4 LIMIT 1"#,
        "Ärger|1"
      ),
      (#"SELECT id FROM (SELECT id, name COLLATE "de-x-icu" AS n FROM p) x ORDER BY n"#, order),
      (
        #"WITH x AS MATERIALIZED (SELECT id, name COLLATE "de-x-icu" AS n FROM p) SELECT id FROM x ORDER BY n"#,
        order
      ),
      (#"SELECT 'ä' COLLATE "de-x-icu" < 'ad', 'ä' COLLATE "de-u-co-phonebk-x-icu" < 'ad'"#, "t|f"),
    ])
  func orders(query: String, expected: String) throws {
    #expect(try answer(query) == expected)
  }

  @Test(
    "are refused where they are unknown, in doubt or of no use",
    arguments: [
      (#"SELECT name COLLATE "de_DE" FROM p"#, "42704"),
      (#"SELECT name COLLATE "xx-x-icu" FROM p"#, "42704"),
      (#"SELECT name COLLATE "de--x-icu" FROM p"#, "42704"),
      (#"SELECT name COLLATE "-x-icu" FROM p"#, "42704"),
      (#"SELECT 'a' COLLATE "de-x-icu" < 'b' COLLATE "sv-x-icu""#, "42P21"),
      (
        #"SELECT a < b FROM (SELECT 'a' COLLATE "de-x-icu" AS a, 'b' COLLATE "sv-x-icu" AS b) x"#,
        "42P22"
      ),
      (#"SELECT id COLLATE "de-x-icu" FROM p"#, "42804"),
      (#"CREATE TABLE q (name text COLLATE "xx-x-icu")"#, "42704"),
    ])
  func refusals(query: String, state: String) throws {
    let error = #expect(throws: SQLError.self) { try answer(query) }
    #expect(error?.state.code == state)
  }

  @Test("name what may have been meant")
  func hints() throws {
    let error = #expect(throws: SQLError.self) {
      try answer(#"SELECT name COLLATE "de-y-icu" FROM p"#)
    }
    #expect(error?.hint == #"Perhaps you meant the collation "de-x-icu"."#)
  }

  @Test("have keys of texts of any length")
  func lengths() throws {
    let connection = Database().connect()
    let result = try connection.query(
      """
      SELECT count(*), count(DISTINCT n), bool_and(t = n) FROM (
        SELECT repeat('aä😀', i) AS t, max(repeat('aä😀', i) COLLATE "sv-x-icu") AS n
        FROM generate_series(0, 400, 7) i GROUP BY i) x
      """)
    #expect((0..<3).map { result.text(row: 0, column: $0) } == ["58", "58", "t"])
  }

  /// Four names, sorted by what the database says.
  private static let names = """
    SELECT string_agg(n, ' ' ORDER BY n), min(n), max(n), bool_or(n < 'B') FROM
      (VALUES ('Zoe'), ('Ärger'), ('apfel'), ('öl')) v(n)
    """

  private func values(_ connection: Connection, _ query: String) throws -> [String] {
    let result = try connection.query(query)
    return result.columns.indices.map { result.text(row: 0, column: $0) ?? "NULL" }
  }

  @Test("are kept with a database, whose texts they order wherever nothing else is said")
  func databases() throws {
    let disk = SimulatedDisk()
    let made = try Database(path: "/d.junction", on: disk, DatabaseOptions())
    #expect(try values(made.connect(), "SHOW lc_collate") == ["C"])
    try made.setCollation("sv-x-icu")
    try made.setCollation("de-x-icu")
    let connection = made.connect()
    #expect(try values(connection, Self.names) == ["apfel Ärger öl Zoe", "apfel", "Zoe", "t"])
    try connection.execute(
      """
      CREATE TABLE t (n text, c text COLLATE "C", s text COLLATE "sv-x-icu", k name);
      INSERT INTO t SELECT n, n, n, n FROM (VALUES ('Zoe'), ('Ärger'), ('apfel'), ('öl')) v(n)
      """)
    for verifies in [false, true] {
      if verifies { try made.checkpoint() }
      var options = DatabaseOptions()
      options.isReadOnly = true
      options.verifiesAtOpening = verifies
      let opened = try Database(path: "/d.junction", on: disk, options).connect()
      #expect(
        try values(opened, "SHOW lc_collate")
          + values(opened, "SELECT current_setting('lc_collate')")
          == ["de-x-icu", "de-x-icu"])
      #expect(
        try values(
          opened,
          """
          SELECT string_agg(n, ' ' ORDER BY n), string_agg(n, ' ' ORDER BY c), string_agg(n, ' ' ORDER BY s),
            string_agg(n, ' ' ORDER BY k), string_agg(n, ' ' ORDER BY n COLLATE "C"),
            string_agg(n, ' ' ORDER BY c COLLATE "default") FROM t
          """) == [
            "apfel Ärger öl Zoe", "Zoe apfel Ärger öl", "apfel Zoe Ärger öl", "Zoe apfel Ärger öl",
            "Zoe apfel Ärger öl", "apfel Ärger öl Zoe",
          ])
    }
    let error = #expect(throws: SQLError.self) { try made.setCollation("C") }
    #expect(error?.state == .objectNotInPrerequisiteState)
    try made.setCollation("de-x-icu")
    let unknown = #expect(throws: SQLError.self) { try Database().setCollation("de") }
    #expect(unknown?.state == .undefinedObject)
  }

  @Test("are exported with columns, domains and indices, and are the same when they come back")
  func exports() throws {
    func export(_ database: Database) throws -> String {
      var text: [UInt8] = []
      try database.connect().export { text += $0 }
      return String(decoding: text, as: UTF8.self)
    }
    let database = Database()
    try database.connect().execute(
      """
      CREATE DOMAIN d AS text COLLATE "sv-x-icu";
      CREATE TABLE t (a text COLLATE "de-x-icu" DEFAULT 'x' NOT NULL, b varchar(5), c d, e d COLLATE "C");
      CREATE INDEX i ON t (b COLLATE "de-x-icu" DESC, lower(a) COLLATE "C");
      """)
    let script = try export(database)
    for line in [
      #"AS text COLLATE "sv-x-icu";"#, #"a text COLLATE "de-x-icu" DEFAULT 'x' NOT NULL,"#,
      "b character varying(5),", "c public.d,", #"e public.d COLLATE "C""#,
      #"(b COLLATE "de-x-icu" DESC, (lower(a)) COLLATE "C")"#,
    ] { #expect(script.contains(line), "\(line)") }
    let again = Database()
    try again.connect().execute(script)
    #expect(try export(again) == script)
    // Elsewhere the database may order texts otherwise.
    try database.setCollation("fr-x-icu")
    #expect(try export(database).contains(#"b character varying(5) COLLATE "fr-x-icu","#))
  }
}
