import Diagnostics
import Foundation
import Junction
import Testing

@Suite("Of files without a schema")
struct InferredTypesTests {
  private func types(_ connection: Connection, _ table: String) throws -> [String] {
    try connection.prepare("SELECT * FROM \"\(table)\"").columns.map(\.typeName)
  }

  private func notices(_ database: Database) -> String {
    database.notices.map(\.message).joined(separator: "\n")
  }

  @Test("times with an offset keep it, as timestamps with time zone")
  func offsets() throws {
    let text = """
      at,plain,mixed
      2024-01-01T10:00:00+02:00,2024-01-01T10:00:00,2024-01-01 10:00:00
      2024-01-01T10:00:00Z,2024-01-01 11:00:00.5,2024-01-01 10:00:00Z
      """
    try withFiles(["t.csv": text]) { folder in
      let database = try Database(folder: folder.path)
      let connection = database.connect()
      #expect(
        try types(connection, "t")
          == ["timestamp with time zone", "timestamp without time zone", "text"])
      let rows = try connection.query("SELECT at FROM t ORDER BY at")
      #expect(rows.text(row: 0, column: 0) == "2024-01-01 08:00:00+00")
      #expect(rows.text(row: 1, column: 0) == "2024-01-01 10:00:00+00")
      #expect(
        notices(database).contains(
          "t: times in mixed have an offset in some rows only, so it is text"))
    }
  }

  /// The type of a column whose values behind the sampled ones are others.
  @Test(
    "values behind the sampled ones widen a type no more than they must",
    arguments: [
      ("1", "3000000000", "bigint"), ("1", "2.5", "numeric"), ("1", "007", "text"),
      ("1", "+5", "text"), ("true", "yes", "text"), ("2024-01-01", "today", "text"),
      ("2024-01-01 10:00", "2024-01-01 10:00+02", "text"),
      ("2024-01-01 10:00+01", "2024-01-01 10:00", "text"), ("10:00", "10:00+02", "text"),
      ("1.5", "1e-300", "double precision"), ("1", "6.02e23", "double precision"),
      ("1", "\"\"", "integer"), ("1", "x", "text"),
    ])
  func laterValues(_ first: String, _ later: String, _ type: String) throws {
    for lead in ["", "7,"] {
      let header = lead.isEmpty ? "a\n" : "n,a\n"
      let text = header + String(repeating: lead + first + "\n", count: 300) + "\(lead)\(later)\n"
      try withFiles(["t.csv": text]) { folder in
        let connection = try Database(folder: folder.path).connect()
        #expect(try types(connection, "t").last == type)
        let rows = try connection.query("SELECT a::text FROM t")
        #expect(rows.count == 301)
        let last = rows.text(row: 300, column: lead.isEmpty ? 0 : 0)
        if type == "text" { #expect(last == later) }
      }
    }
  }

  @Test("a row with too few or too many fields changes no type")
  func raggedRows() throws {
    let text = "a,b\n" + String(repeating: "1,2\n", count: 200) + "1\n1,2,3\n"
    try withFiles(["t.csv": text]) { folder in
      let database = try Database(folder: folder.path, rejects: folder.path + "/bad")
      #expect(try types(database.connect(), "t") == ["integer", "integer"])
      #expect(notices(database).contains("202 rows read = 200 loaded + 2 rejected"))
    }
  }

  @Test("a long field at the beginning hides no other column's type")
  func longField() throws {
    let long = String(repeating: "lorem ", count: 3_000_000)
    let text = "id,body,at\n1,\(long),2024-01-01\n2,short,2024-01-02\n"
    try withFiles(["t.csv": text]) { folder in
      let connection = try Database(folder: folder.path).connect()
      #expect(try types(connection, "t") == ["integer", "text", "date"])
      let lengths = try connection.query("SELECT length(body) FROM t ORDER BY id")
      #expect(lengths.text(row: 0, column: 0) == "18000000")
    }
  }

  @Test("names that a header lacks or repeats are made up, and said")
  func headerNames() throws {
    let text = "id, name ,,name,name_1,\n1,a,b,c,d,e\n"
    try withFiles(["t.csv": text]) { folder in
      let database = try Database(folder: folder.path)
      let columns = try database.connect().prepare("SELECT * FROM t").columns.map(\.name)
      #expect(columns == ["id", "name", "column_3", "name_2", "name_1", "column_6"])
      let said = notices(database)
      #expect(said.contains("column 3 has no name and is called \"column_3\""), "\(said)")
      #expect(said.contains("column 4, another \"name\", is called \"name_2\""), "\(said)")
      #expect(said.contains("1 rows read = 1 loaded"), "\(said)")
    }
  }

  @Test("long names stay apart when they are cut to what a name may have")
  func longNames() throws {
    let stem = String(repeating: "n", count: 70)
    try withFiles([stem + ".csv": "\(stem)a,\(stem)b\n1,2\n"]) { folder in
      let connection = try Database(folder: folder.path).connect()
      let columns = try connection.prepare("SELECT * FROM \"\(stem.prefix(63))\"").columns
      #expect(columns.map(\.name) == [String(stem.prefix(63)), String(stem.prefix(61)) + "_1"])
    }
  }

  @Test(
    "a file without records is a table without rows",
    arguments: ["", "\n\r\n", "\u{FEFF}", "a,b\n"])
  func noRecords(_ text: String) throws {
    try withFiles(["t.csv": text]) { folder in
      let connection = try Database(folder: folder.path).connect()
      let columns = try connection.prepare("SELECT * FROM t").columns.map(\.name)
      #expect(columns == (text.hasPrefix("a") ? ["a", "b"] : []))
      #expect(try connection.query("SELECT * FROM t").count == 0)
    }
  }

  @Test("one that makes no table is named")
  func tooWide() throws {
    let text = (0..<2_000).map { "c\($0)" }.joined(separator: ",") + "\n"
    try withFiles(["t.csv": text]) { folder in
      let error = #expect(throws: SQLError.self) { try Database(folder: folder.path) }
      #expect(error?.state.code == "54011")
      #expect(error?.context?.contains("t.csv") == true)
    }
  }

  @Test("the line in which Excel names the delimiter is neither header nor data")
  func separatorLine() throws {
    try withFiles(["t.csv": "sep=;\r\na;b\r\n1;2,5\r\n"]) { folder in
      let connection = try Database(folder: folder.path).connect()
      let rows = try connection.query("SELECT concat_ws('|', a, b) FROM t")
      #expect(rows.count == 1)
      #expect(rows.text(row: 0, column: 0) == "1|2.5")
    }
  }

  @Test("a text of two encodings, or with a byte of zero, is refused with file, line and byte")
  func encodings() throws {
    for (start, odd, place) in [
      ("Gr\u{F6}\u{DF}e,b\n1,", 0xE9, "Line 2, byte 12"), ("a,b\n1,", 0, "Line 2, byte 6"),
    ] as [(String, UInt8, String)] {
      let data = Data(start.utf8) + [odd] + Data("t\n".utf8)
      try withFiles(["t.csv": data]) { folder in
        let error = #expect(throws: SQLError.self) { try Database(folder: folder.path) }
        #expect(error?.state.code == "22021")
        #expect(error?.detail?.hasPrefix(place) == true, "\(error?.detail ?? "")")
        #expect(error?.context?.contains("t.csv") == true, "\(error?.context ?? "")")
      }
    }
  }

  @Test("what is no regular file is passed over, and said")
  func otherFiles() throws {
    try withFiles(["t.csv": "a\n1\n", ".t.csv": "b\n", "~$t.csv": "c\n"]) { folder in
      try FileManager.default.createDirectory(
        at: folder.appending(path: "u.csv"), withIntermediateDirectories: false)
      let database = try Database(folder: folder.path)
      #expect(notices(database).contains("u.csv: passed over"))
      #expect(throws: SQLError.self) { try database.connect().query("SELECT * FROM u") }
      #expect(!notices(database).contains("~$t"))
    }
  }

  @Test("one of them is a database as well as a folder of them")
  func oneFile() throws {
    try withFiles(["t.csv": "a\n1\n", "u.csv": "b\n"]) { folder in
      let connection = try Database(folder: folder.path + "/t.csv").connect()
      #expect(try connection.query("SELECT a FROM t").count == 1)
      #expect(throws: SQLError.self) { try connection.query("SELECT * FROM u") }
    }
  }

  @Test("the values of a generated column are computed, not read")
  func generatedColumn() throws {
    let schema = "CREATE TABLE t (a int, b int GENERATED ALWAYS AS (a * 2) STORED, c int);"
    for text in ["a,b,c\n1,99,3\n", "c,a\n3,1\n", "1,3\n"] {
      try withFiles(["schema.sql": schema, "t.csv": text]) { folder in
        let database = try Database(folder: folder.path)
        let rows = try database.connect().query("SELECT concat_ws('|', a, b, c) FROM t")
        #expect(rows.text(row: 0, column: 0) == "1|2|3")
        #expect(notices(database).contains("column \"b\" is generated") == text.contains("99"))
      }
    }
  }
}
