import Diagnostics
import Foundation
import Junction
import Testing

@Suite("An export into a folder")
struct FolderExportTests {
  @Test("has each table as a parquet file that reads as the table does")
  func parquet() throws {
    let connection = try LeavingFixture.connection()
    try LeavingFixture.withPath { path in
      let account = try connection.export(toParquet: path)
      #expect(account.lines.contains("table enrols_in: 7 rows"))
      for table in ["student", "course", "enrols_in", "prerequisite", "t", "u", "empty"] {
        let same = try connection.query(
          "SELECT count(*) FROM (TABLE \(table) EXCEPT ALL SELECT * FROM '\(path)/\(table).parquet') q"
        )
        #expect(same.value(row: 0, column: 0) == .integer(0), "\(table)")
        let count = try connection.query(
          "SELECT (SELECT count(*) FROM \(table)) - (SELECT count(*) FROM '\(path)/\(table).parquet')"
        )
        #expect(count.value(row: 0, column: 0) == .integer(0), "\(table)")
      }
      let schema = try LeavingFixture.read(path + "/schema.sql")
      #expect(schema.contains("CREATE VIEW public.busy") && !schema.contains("COPY "))
      try Database().connect().execute(
        schema.split(separator: "\n").filter { !$0.hasPrefix("\\") }.joined(separator: "\n"))
    }
  }

  @Test("is opened as a database, with what only Junction has")
  func reopened() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE room (id int PRIMARY KEY);
      CREATE TABLE desk (id int PRIMARY KEY, room int REFERENCES room,
        old int REFERENCES room NOT ENFORCED, CARDINALITY (room) BETWEEN 1 AND 2);
      CREATE PROPERTY GRAPH g VERTEX TABLES (room);
      BEGIN; INSERT INTO room VALUES (1), (2); INSERT INTO desk VALUES (1, 1, 1), (2, 2, 1); COMMIT;
      """)
    try LeavingFixture.withPath { path in
      _ = try connection.export(toParquet: path)
      let opened = try Database(folder: path).connect()
      #expect(throws: SQLError.self) { try opened.execute("DELETE FROM desk WHERE id = 1") }
      try opened.execute("UPDATE desk SET old = 9")
      #expect(throws: SQLError.self) { try opened.execute("CREATE PROPERTY GRAPH g") }
      try connection.execute("UPDATE desk SET old = 9")
      var (wanted, found) = ("", "")
      try connection.export { wanted += String(decoding: $0, as: UTF8.self) }
      try opened.export { found += String(decoding: $0, as: UTF8.self) }
      #expect(found == wanted)
    }
  }

  @Test("names table, column and row of a value that parquet has not, and leaves nothing")
  func infinite() throws {
    let connection = try LeavingFixture.connection()
    try connection.execute("INSERT INTO student VALUES (6, 'Eve', 'infinity')")
    try LeavingFixture.withPath { path in
      let error = #expect(throws: SQLError.self) { try connection.export(toParquet: path) }
      #expect(
        error?.message
          == "table \"student\": the date of column \"born\" in row 6 has no place in a parquet file"
      )
      let parent = URL(filePath: path).deletingLastPathComponent().path
      let left = try FileManager.default.contentsOfDirectory(atPath: parent)
        .filter { $0.hasPrefix(URL(filePath: path).lastPathComponent) }
      #expect(left.isEmpty)
    }
  }

  @Test("takes no folder that is there")
  func existing() throws {
    let connection = try LeavingFixture.connection()
    try LeavingFixture.withPath { path in
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      let error = #expect(throws: SQLError.self) { try connection.export(toSpark: path) }
      #expect(error?.message.contains("already exists") == true)
      #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
    }
  }

  @Test("goes on from the rows of an open transaction")
  func transaction() throws {
    let connection = try LeavingFixture.connection()
    try connection.execute("BEGIN")
    try connection.execute("INSERT INTO t VALUES (7, 7)")
    try LeavingFixture.withPath { path in
      let account = try connection.export(toSpark: path, queries: "SELECT max(a) FROM t")
      #expect(account.lines.contains("table t: 6 rows"))
      #expect(try LeavingFixture.read(path + "/answers/1.csv") == "max\n7\n")
    }
    try connection.execute("ROLLBACK")
  }

  @Test("tells NULL from an empty text in answers")
  func answers() throws {
    let connection = try LeavingFixture.connection()
    try LeavingFixture.withPath { path in
      _ = try connection.export(
        toSpark: path, queries: "SELECT '' AS a, NULL::text AS b, 'x,\"y\"' AS c")
      let answer = try LeavingFixture.read(path + "/answers/1.csv")
      #expect(answer == "a,b,c\n\"\",,\"x,\"\"y\"\"\"\n")
    }
  }
}
