import Diagnostics
import Junction
import Testing

@Suite("COPY of a table with generated columns")
struct CopyColumnsTests {
  private func table() throws -> Connection {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE t (a int, b int GENERATED ALWAYS AS (a * 2) STORED, c int);
      INSERT INTO t (a, c) VALUES (1, 3);
      CREATE TABLE child (d int) INHERITS (t);
      INSERT INTO child (a, c) VALUES (9, 9);
      """)
    return connection
  }

  private func copy(_ statement: String, from connection: Connection) throws -> String {
    var bytes: [UInt8] = []
    _ = try connection.copyOut(statement) { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("writes the others, of its own rows, and reads them again")
  func roundTrip() throws {
    let connection = try table()
    let written = try copy("COPY t TO STDOUT (FORMAT csv, HEADER)", from: connection)
    #expect(written == "a,c\n1,3\n")
    #expect(try copy("COPY t (c) TO STDOUT", from: connection) == "3\n")
    var pieces = [Array(written.utf8)][...]
    _ = try connection.copyIn("COPY t FROM STDIN (FORMAT csv, HEADER MATCH)") { pieces.popFirst() }
    let rows = try connection.query("SELECT string_agg(concat_ws('|', a, b, c), ' ') FROM ONLY t")
    #expect(rows.text(row: 0, column: 0) == "1|2|3 1|2|3")
  }

  @Test("quotes what reads like the end of data only where it stands alone")
  func endOfData() throws {
    let connection = try table()
    let query = "SELECT E'\\\\.' AS x"
    #expect(try copy("COPY (\(query)) TO STDOUT (FORMAT csv)", from: connection) == "\"\\.\"\n")
    #expect(
      try copy("COPY (\(query), 1 AS y) TO STDOUT (FORMAT csv)", from: connection) == "\\.,1\n")
  }

  @Test(
    "refuses what PostgreSQL refuses",
    arguments: [
      ("COPY t (b) TO STDOUT", "42P10"), ("COPY t (b) FROM STDIN", "42P10"),
      ("COPY t (a, a) TO STDOUT", "42701"), ("COPY t (a, a) FROM STDIN", "42701"),
      ("COPY t (zz) TO STDOUT", "42703"), ("COPY v TO STDOUT", "42809"),
      ("COPY m TO STDOUT", "42809"), ("COPY s TO STDOUT", "42809"),
      ("COPY nowhere TO STDOUT", "42P01"),
      ("COPY t TO STDOUT (HEADER MATCH)", "0A000"),
      ("COPY t TO STDOUT (FORCE_QUOTE *)", "0A000"),
      ("COPY t FROM STDIN (FORMAT csv, FORCE_QUOTE *)", "0A000"),
      ("COPY t TO STDOUT (FORMAT csv, NULL '\"')", "0A000"),
      ("COPY t TO STDOUT (FORMAT csv, FORCE_QUOTE (zz))", "42703"),
      ("COPY t (a) TO STDOUT (FORMAT csv, FORCE_QUOTE (c))", "42P10"),
      ("COPY (SELECT 1 AS a) TO STDOUT (FORMAT csv, FORCE_QUOTE (c))", "42703"),
    ])
  func refused(_ statement: String, _ state: String) throws {
    let connection = try table()
    try connection.execute(
      "CREATE VIEW v AS SELECT 1 AS x; CREATE MATERIALIZED VIEW m AS SELECT 1 AS x; CREATE SEQUENCE s"
    )
    let error = #expect(throws: SQLError.self) {
      if statement.contains("FROM") {
        _ = try connection.copyIn(statement) { nil }
      } else {
        _ = try copy(statement, from: connection)
      }
    }
    #expect(error?.state.code == state)
  }
}
