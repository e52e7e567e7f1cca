import Diagnostics
import Foundation
import Junction
import Testing

@Suite("Files as people bring them")
struct RealShapesTests {
  /// The types and rows of a file, and what is said of it.
  private static func opened(
    _ text: String, as name: String = "t.csv"
  ) throws -> (types: [String], rows: [String], notices: [String]) {
    try withFiles([name: text]) { (folder) throws in
      let database = try Database(folder: folder.path)
      let connection = database.connect()
      let types = try connection.query("DESCRIBE t")
      let rows = try connection.query("TABLE t")
      return (
        (0..<types.count).map {
          "\(types.text(row: $0, column: 0) ?? "") \(types.text(row: $0, column: 1) ?? "")"
        },
        (0..<rows.count).map { row in
          rows.columns.indices.map { rows.text(row: row, column: $0) ?? "NULL" }.joined(
            separator: "|")
        }, database.notices.map(\.message)
      )
    }
  }

  @Test(
    "have the types that a person sees",
    arguments: [
      // Names of months, in English and German; days cannot be months then.
      ("d\nJan 1 2000\n\"Mar 12, 2001\"\n", "d date", "2000-01-01"),
      ("d\n1-Dec-1999\n12-Feb-2000\n", "d date", "1999-12-01"),
      ("d\n1. März 2000\n2. Okt. 2001\n", "d date", "2000-03-01"),
      ("d\nMay 2000\nJune 2001\n", "d text", "May 2000"),
      ("d\nFeb 30 2000\n", "d text", "Feb 30 2000"),
      // Eight digits, if the name says that they are a date and all are one.
      ("start_date\n20141225\n20150101\n", "start_date date", "2014-12-25"),
      ("code\n20141225\n20150101\n", "code integer", "20141225"),
      ("start_date\n20141225\n20151301\n", "start_date integer", "20141225"),
      // Blanks and words for NULL with spaces around them.
      ("n,m\n 1,x\n ,y\n NA,z\n", "n integer", "1|x"),
      // Powers of ten among numbers with points, and written out where a double would lose digits.
      ("n\n1012.3\n1e3\n", "n numeric", "1012.3"),
      ("n\n12E5\n3E4\n", "n text", "12E5"),
      ("n\n0.12345678901234567\n-1.5e-05\n", "n numeric", "0.12345678901234567"),
      ("n\n0.005354164103922754\n-1.5e-05\n", "n double precision", "0.005354164103922754"),
    ])
  func types(text: String, type: String, first: String) throws {
    let file = try Self.opened(text)
    #expect(file.types.first == type)
    #expect(file.rows.first == first)
  }

  @Test("have values that come late, behind many words for NULL")
  func lateValues() throws {
    let empty = String(repeating: "NA,1\n", count: 3_000)
    let file = try Self.opened("d,n\n\(empty)2024-02-01,2.5\n2024-02-02,3\n")
    #expect(file.types == ["d date", "n numeric"])
    #expect(file.rows.suffix(2) == ["2024-02-01|2.5", "2024-02-02|3"])
    #expect(try Self.opened("d,n\n\(empty)x,1\n").types == ["d text", "n integer"])
    #expect(try Self.opened("d,n\n\(empty)").types == ["d text", "n integer"])
  }

  @Test("have records that end early, if that is a habit")
  func shortRecords() throws {
    let full = (1...20).map { "\($0),a,b\n" }.joined()
    let short = (21...26).map { "\($0),a\n" }.joined()
    let file = try Self.opened("id,x,y\n\(short)\(full)\"27\",\"q\nr\",\r\n28,a\n")
    #expect(file.rows.count == 28)
    #expect(file.rows.first == "21|a|NULL")
    #expect(file.rows.suffix(2) == ["27|q\nr|NULL", "28|a|NULL"])
    #expect(file.notices.contains { $0.contains("records that end early have NULL") })
    // One such record is a fault, and one that is too long, or has a quote that swallows a line, always.
    for odd in ["21,a\n", short + "30,a,b,c\n", short + "31,\"a\n32,a,b\n33,a\"\n"] {
      let error = #expect(throws: SQLError.self) { try Self.opened("id,x,y\n\(full)\(odd)") }
      #expect(error?.state == .badCopyFileFormat)
    }
  }

  @Test("have titles before the table, and headers without a name for the rows")
  func titles() throws {
    let rows = (1...12).map { "\($0),a,b,c\n" }.joined()
    let file = try Self.opened("A table\nSource:,\"some,\nbook\"\n\nid,x,y,z\n\(rows)")
    #expect(file.types.first == "id integer")
    #expect(file.rows.count == 12)
    #expect(
      file.notices.contains { $0.hasSuffix("\"A table\" and 1 more before the table passed over") })
    let data = try Self.opened("12,4\n\(rows)")
    #expect(data.types.first == "column1 integer")
    #expect(data.rows.first == "1|a|b|c")
    let named = try Self.opened("\"w\",\"f\"\n\"1\",26.5,NA\n\"2\",3,1\n")
    #expect(named.types == ["column_1 integer", "w numeric", "f integer"])
    #expect(named.rows == ["1|26.5|NULL", "2|3|1"])
  }

  @Test("have comments before the header, and between records then")
  func comments() throws {
    let file = try Self.opened("# What this is\n# and \"whose\"\nid,x\n1,a\n# so far\n2,b\n#,c\n")
    #expect(file.types == ["id integer", "x text"])
    #expect(file.rows == ["1|a", "2|b"])
    #expect(
      file.notices.contains { $0.hasSuffix("2 lines of comments at the beginning passed over") })
    #expect(try Self.opened("#id,x\n1,a\n#2,b\n").rows == ["1|a", "#2|b"])
  }

  @Test("may be wrapped in an object of JSON")
  func wrapped() throws {
    let list = try Self.opened(
      #"{"count": 2, "data": [{"id": 1, "name": "A"}, {"id": 2, "name": "B"}]}"#, as: "t.json")
    #expect(list.rows == ["1|A", "2|B"])
    #expect(
      list.notices.contains {
        $0.hasSuffix("the records are those in \"data\"; left out beside them: \"count\"")
      })
    let keyed = try Self.opened(
      #"{"de": {"n": 1, "m": 2}, "fr": {"n": 2}, "it": {"m": 1, "n": 3}}"#, as: "t.json")
    #expect(keyed.rows == ["de|1|2", "fr|2|NULL", "it|3|1"])
    // These are records themselves.
    #expect(
      try Self.opened(#"{"a": [1, 2], "b": {"c": 1}}"#, as: "t.json").rows == [#"[1, 2]|{"c": 1}"#])
    #expect(try Self.opened(#"{"a": [{"b": 1}, 2]}"#, as: "t.json").rows == [#"[{"b": 1}, 2]"#])
    #expect(try Self.opened(#"{"a": 1} {"a": 2}"#, as: "t.json").rows == ["1", "2"])
  }

  @Test("go into given types however they are spelled, and are refused where they do not fit them")
  func givenTypes() throws {
    try withFiles([
      "schema.sql": "CREATE TABLE t (n integer, d date, b boolean, c text);",
      "t.csv": "n,d,b,c\n\"1,234\",31.12.2024,ja,NA\nNA,1.1.2025,nein,x\n",
    ]) { (folder) throws in
      let database = try Database(folder: folder.path)
      let rows = try database.connect().query("SELECT n, d, b, c FROM t ORDER BY c")
      #expect(rows.text(row: 0, column: 0) == "1234")
      #expect(rows.text(row: 0, column: 1) == "2024-12-31")
      #expect(rows.text(row: 0, column: 2) == "t")
      #expect(rows.text(row: 0, column: 3) == "NA")
      #expect(rows.text(row: 1, column: 0) == nil)
    }
    try withFiles(["schema.sql": "CREATE TABLE t (n integer);", "t.csv": "n\n1\nx\n"]) {
      (folder) throws in
      let error = #expect(throws: SQLError.self) { try Database(folder: folder.path) }
      #expect(error?.state == .invalidTextRepresentation)
    }
  }

  @Test(
    "have names that are asked for in quotes, as a hint says",
    arguments: [
      (
        "SELECT * FROM t WHERE Name = 1",
        #"the column "t.Name". Such a name stands in double quotes: t."Name"."#
      ),
      ("SELECT id FROM t", #"the column "t.ID". Such a name stands in double quotes: t."ID"."#),
      ("SELECT groupsize FROM t", #"t."Group Size"."#),
      (
        "UPDATE t SET Name = 2", #"the column "Name". Such a name stands in double quotes: "Name"."#
      ),
      (
        "SELECT * FROM People",
        #"the relation "People". Such a name stands in double quotes: "People"."#
      ),
      ("SELECT pric FROM t", #"Perhaps you meant to reference the column "t.price"."#),
    ])
  func names(query: String, hint: String) throws {
    try withFiles(["t.csv": "ID,Name,Group Size,price\n1,2,3,4\n", "People.csv": "a\n1\n"]) {
      (folder) throws in
      let connection = try Database(folder: folder.path).connect()
      let error = #expect(throws: SQLError.self) { try connection.execute(query) }
      #expect(error?.hint?.hasSuffix(hint) == true)
    }
  }

  @Test("of several kinds are loaded behind those that they refer to")
  func order() throws {
    try withFiles([
      "schema.sql": """
      CREATE TABLE zoo (id int PRIMARY KEY);
      CREATE TABLE animal (id int PRIMARY KEY, zoo_id int REFERENCES zoo);
      CREATE TABLE feeding (animal_id int REFERENCES animal, food text);
      """,
      "zoo.ndjson": "{\"id\": 1}\n", "animal.csv": "id,zoo_id\n5,1\n",
      "feeding.json": #"[{"animal_id": 5, "food": "hay"}]"#,
    ]) { (folder) throws in
      let connection = try Database(folder: folder.path).connect()
      #expect(try connection.query("SELECT food FROM feeding").text(row: 0, column: 0) == "hay")
    }
  }

  @Test("are Windows-1252 also where that shows late")
  func lateEncoding() throws {
    var data = Data("id;name\n".utf8)
    for number in 1...120_000 { data += Data("\(number);plain text\n".utf8) }
    data += Data([0x30, 0x3B, 0x4D, 0xFC, 0x6C, 0x80, 0x0A])
    try withFiles(["t.csv": data]) { (folder) throws in
      let database = try Database(folder: folder.path)
      #expect(
        database.notices.contains { $0.message.hasSuffix("converted from Windows-1252 to UTF-8") })
      let path = folder.appending(path: "t.csv").path
      for source in ["t", "'\(path)'"] {
        let rows = try database.connect().query("SELECT name FROM \(source) WHERE id = 0")
        #expect(rows.text(row: 0, column: 0) == "Mül€")
      }
    }
    // Good UTF-8 elsewhere makes it a fault.
    data += Data("1;Mül\n".utf8)
    try withFiles(["t.csv": data]) { (folder) throws in
      let error = #expect(throws: SQLError.self) { try Database(folder: folder.path) }
      #expect(error?.state == .characterNotInRepertoire)
    }
  }

  @Test(
    "are written and read by COPY in the encoding that is named",
    arguments: [
      ("LATIN1", [0x4D, 0xFC, 0x0A]), ("win1252", [0x4D, 0xFC, 0x0A]),
      ("UTF16", [0xFF, 0xFE, 0x4D, 0, 0xFC, 0, 0x0A, 0]),
      ("utf-16be", [0, 0x4D, 0, 0xFC, 0, 0x0A]),
      ("UTF-8", [0x4D, 0xC3, 0xBC, 0x0A]),
    ] as [(String, [UInt8])])
  func copyEncodings(name: String, bytes: [UInt8]) throws {
    let connection = Database().connect()
    var written: [UInt8] = []
    _ = try connection.copyOut("COPY (SELECT 'Mü') TO STDOUT (ENCODING '\(name)')") {
      written += $0
    }
    #expect(written == bytes)
    try connection.execute("CREATE TABLE t (s text)")
    var pieces = [written][...]
    _ = try connection.copyIn("COPY t FROM STDIN (ENCODING '\(name)')") { pieces.popFirst() }
    #expect(try connection.query("TABLE t").text(row: 0, column: 0) == "Mü")
  }

  @Test(
    "are refused where an encoding lacks a character, or is none",
    arguments: [("LATIN1", "22P05"), ("KOI8R", "0A000"), ("klingon", "22023")])
  func refusedEncodings(name: String, state: String) throws {
    let connection = Database().connect()
    let error = #expect(throws: SQLError.self) {
      _ = try connection.copyOut("COPY (SELECT '€') TO STDOUT (ENCODING '\(name)')") { _ in }
    }
    #expect(error?.state.code == state)
  }
}
