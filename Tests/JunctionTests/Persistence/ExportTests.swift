import Diagnostics
import Foundation
import Testing

@testable import Junction

@Suite("An export")
struct ExportTests {
  private static let isLong =
    ProcessInfo.processInfo.environment["JUNCTION_DURABILITY_CASES"] != nil

  static let files: [SpecificationFile] = SpecificationFile.all.enumerated().compactMap {
    isLong || $0 % 9 == 2 ? $1 : nil
  }

  private static func pieces(_ connection: Connection) throws -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    try connection.export { pieces.append($0) }
    return pieces
  }

  /// Runs an export as the shell does.
  private static func load(_ pieces: [[UInt8]]) throws -> Connection {
    let connection = Database().connect()
    var index = 0
    while index < pieces.count {
      let text = String(decoding: pieces[index], as: UTF8.self)
      index += 1
      if text.hasPrefix("\\") || text.hasPrefix("--") { continue }
      guard text.hasPrefix("COPY "), text.hasSuffix("FROM stdin;\n") else {
        try connection.execute(text)
        continue
      }
      let end = try #require(pieces[index...].firstIndex(of: Array("\\.\n".utf8)))
      var rows = pieces[index..<end]
      _ = try connection.copyIn(text) { rows.popFirst() }
      index = end + 1
    }
    return connection
  }

  @Test("makes the same database, of which the export is the same", arguments: files)
  func specification(_ file: SpecificationFile) throws {
    let connection = Database().connect()
    for record in file.records { _ = try? connection.query(record.sql) }
    if connection.session.transaction != nil { try connection.execute("ROLLBACK") }
    try connection.execute("RESET ALL")
    let first = try Self.pieces(connection)
    let other = try Self.load(first)
    let second = try Self.pieces(other)
    #expect(first.count == second.count)
    for (a, b) in zip(first, second) where a != b {
      Issue.record(
        "\(String(decoding: a, as: UTF8.self)) became \(String(decoding: b, as: UTF8.self))")
    }
    #expect(try other.query("VERIFY").allSatisfy { $0["sqlstate"] == .text("00000") })
  }

  @Test("writes what tells PostgreSQL and Junction the same")
  func statements() throws {
    let connection = Database().connect()
    for statement in [
      "CREATE TYPE mood AS ENUM ('sad', 'it''s ok')",
      "CREATE TABLE \"A b\" (id serial PRIMARY KEY, m mood DEFAULT 'sad', t text, twice int GENERATED ALWAYS AS (id * 2) STORED, CHECK (id > 0))",
      "INSERT INTO \"A b\" (m, t) VALUES ('it''s ok', E'tab\\t line\\n back\\\\'), (NULL, NULL)",
      "CREATE TABLE c (a_id int REFERENCES \"A b\" ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED)",
      "CREATE VIEW v AS SELECT t FROM \"A b\" WHERE NOT EXISTS (SELECT 1 FROM c)",
      "CREATE VIEW w AS SELECT id FROM \"A b\" x ANTI JOIN c ON a_id = id",
    ] { try connection.execute(statement) }
    let text = try Self.pieces(connection).map { String(decoding: $0, as: UTF8.self) }.joined()
    for line in [
      "CREATE TYPE public.mood AS ENUM ('sad', 'it''s ok');",
      "    id integer DEFAULT nextval('public.\"A b_id_seq\"'::regclass) NOT NULL,",
      "    twice integer GENERATED ALWAYS AS (id * 2) STORED,",
      "ALTER SEQUENCE public.\"A b_id_seq\" OWNED BY public.\"A b\".id;",
      "COPY public.\"A b\" (id, m, t) FROM stdin;", "1\tit's ok\ttab\\t line\\n back\\\\",
      "2\t\\N\t\\N", "SELECT pg_catalog.setval('public.\"A b_id_seq\"', 2, true);",
      "ALTER TABLE ONLY public.c ADD CONSTRAINT c_a_id_fkey FOREIGN KEY (a_id) REFERENCES public.\"A b\"(id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED;",
    ] { #expect(text.contains(line + "\n"), "\(line)") }
    let own = try #require(text.range(of: "\\if :{?JUNCTION}"))
    #expect(text[own.upperBound...].contains("CREATE VIEW public.w"))
    #expect(text[..<own.lowerBound].contains("CREATE VIEW public.v"))
    // A sequence stays a column's own, whatever it is called later.
    let other = try Self.load(try Self.pieces(connection))
    try other.execute("ALTER SEQUENCE \"A b_id_seq\" RENAME TO s")
    try other.execute("INSERT INTO \"A b\" (t) VALUES ('third')")
    #expect(
      try other.query("SELECT max(id) FROM \"A b\"").value(row: 0, column: 0) == .integer(3))
  }

  @Test("keeps the order of columns also where a parent got one later")
  func inheritance() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE parent (a int, CONSTRAINT a_check CHECK (a > 0)); CREATE TABLE other (o int);
      CREATE TABLE plain (b int) INHERITS (parent, other);
      CREATE TABLE child (b int) INHERITS (parent, other);
      ALTER TABLE plain NO INHERIT other; ALTER TABLE plain DROP COLUMN o;
      ALTER TABLE other ADD COLUMN late text COLLATE "C" DEFAULT 'x' NOT NULL;
      INSERT INTO child VALUES (1, 2, 3, 'y');
      """)
    let pieces = try Self.pieces(connection)
    let text = pieces.map { String(decoding: $0, as: UTF8.self) }.joined()
    for part in [
      "CREATE TABLE public.plain (\n    a integer,\n    b integer\n) INHERITS (public.parent);\n",
      """
      CREATE TABLE public.child (
          a integer,
          o integer,
          b integer,
          late text COLLATE "C" DEFAULT 'x' NOT NULL,
          CONSTRAINT a_check CHECK (a > 0)
      );
      ALTER TABLE public.child INHERIT public.parent;
      ALTER TABLE public.child INHERIT public.other;

      """,
    ] { #expect(text.contains(part), "\(part) in \(text)") }
    let again = try Self.load(pieces)
    #expect(
      try again.query("SELECT * FROM child").map(\.values)
        == [[.integer(1), .integer(2), .integer(3), .text("y")]])
    #expect(try again.query("SELECT * FROM parent").count == 1)
    #expect(try Self.pieces(again) == pieces)
  }
}
