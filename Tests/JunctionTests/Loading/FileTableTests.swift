import Diagnostics
import Foundation
import Junction
import Testing

@Suite("Files in FROM")
struct FileTableTests {
  private static let people = "id,name,Grade\n1,Ann,1.5\n2,Bob,\n3,\"Carl, jr.\",3.25\n"

  /// Runs a query in which `@` stands for the folder of the files, and gives its rows as text.
  private static func rows(
    _ connection: Connection, _ folder: URL, _ query: String
  ) throws -> [String] {
    let result = try connection.query(query.replacing("@", with: folder.path))
    return (0..<result.count).map { row in
      result.columns.indices.map { result.text(row: row, column: $0) ?? "NULL" }
        .joined(separator: "|")
    }
  }

  @Test(
    "are tables, of which only the columns in question are read",
    arguments: [
      ("SELECT * FROM '@/people.csv'", ["1|Ann|1.5", "2|Bob|NULL", "3|Carl, jr.|3.25"]),
      ("FROM '@/people.csv' WHERE id = 2", ["2|Bob|NULL"]),
      ("FROM '@/people.csv' p SELECT p.name ORDER BY p.id DESC LIMIT 1", ["Carl, jr."]),
      ("SELECT count(*) FROM '@/people.csv'", ["3"]),
      ("SELECT 2 * count(*) FROM '@/people.csv'", ["6"]),
      ("SELECT sum(\"Grade\") FROM '@/people.csv'", ["4.75"]),
      ("SELECT people.name FROM '@/people.csv' ORDER BY 1 LIMIT 1", ["Ann"]),
      ("SELECT people FROM '@/people.csv' WHERE id = 1", ["(1,Ann,1.5)"]),
      (
        "SELECT row_to_json(p) FROM '@/people.csv' AS p WHERE id = 2",
        [#"{"id":2,"name":"Bob","Grade":null}"#]
      ),
      (
        "SELECT a.name FROM '@/people.csv' a JOIN '@/people.csv' b ON a.id = b.id + 2",
        ["Carl, jr."]
      ),
      ("SELECT count(*) FROM '@/people.csv' a NATURAL JOIN '@/people.csv' b", ["2"]),
      ("SELECT x FROM '@/people.csv' p (x, y) WHERE y = 'Bob'", ["2"]),
      ("TABLE '@/people.csv'", ["1|Ann|1.5", "2|Bob|NULL", "3|Carl, jr.|3.25"]),
      ("SELECT 1 WHERE EXISTS (SELECT name FROM '@/people.csv')", ["1"]),
      ("WITH p AS (FROM '@/people.csv') SELECT max(id) FROM p", ["3"]),
      (
        "SELECT (SELECT count(name) FROM '@/people.csv' i WHERE i.id <= o.id) FROM '@/people.csv' o",
        ["1", "2", "3"]
      ),
    ])
  func queries(query: String, expected: [String]) throws {
    try withFiles(["people.csv": Data(Self.people.utf8)]) { (folder) throws in
      let connection = Database().connect()
      #expect(try Self.rows(connection, folder, query) == expected)
      // Once more, from what was kept.
      #expect(try Self.rows(connection, folder, query) == expected)
    }
  }

  @Test("give later statements the columns that earlier ones did not ask for")
  func further() throws {
    try withFiles(["people.csv": Data(Self.people.utf8)]) { (folder) throws in
      let connection = Database().connect()
      #expect(try Self.rows(connection, folder, "SELECT id FROM '@/people.csv'").count == 3)
      #expect(
        try Self.rows(connection, folder, "SELECT name FROM '@/people.csv'").first == "Ann")
      #expect(
        try Self.rows(connection, folder, "SELECT id, name FROM '@/people.csv'").first == "1|Ann")
    }
  }

  @Test("are read again once they have changed, by prepared statements too")
  func changes() throws {
    try withFiles(["people.csv": Data(Self.people.utf8)]) { (folder) throws in
      let connection = Database().connect()
      let path = folder.appending(path: "people.csv")
      let statement = try connection.prepare("SELECT count(*) FROM '\(path.path)' WHERE id > $1")
      #expect(try statement.query(1).text(row: 0, column: 0) == "2")
      try Data("id,name\n7,Zoe\n".utf8).write(to: path)
      #expect(try statement.query(1).text(row: 0, column: 0) == "1")
      #expect(try Self.rows(connection, folder, "FROM '@/people.csv'") == ["7|Zoe"])
      try connection.execute("DISCARD ALL")
      #expect(try Self.rows(connection, folder, "FROM '@/people.csv'") == ["7|Zoe"])
      try FileManager.default.removeItem(at: path)
      #expect(throws: SQLError.self) { try statement.query(1) }
    }
  }

  @Test("serve statements of every kind that reads, also in a transaction that only reads")
  func statements() throws {
    try withFiles(["people.csv": Data(Self.people.utf8)]) { (folder) throws in
      let connection = Database().connect()
      try connection.execute(
        """
        CREATE TABLE kept AS FROM '@/people.csv';
        CREATE VIEW seen AS SELECT id, name FROM '@/people.csv' WHERE "Grade" > 2;
        INSERT INTO kept SELECT id + 10, name FROM '@/people.csv';
        UPDATE kept SET name = p.name || '!' FROM '@/people.csv' p WHERE p.id = kept.id;
        BEGIN READ ONLY;
        """.replacing("@", with: folder.path))
      #expect(try Self.rows(connection, folder, "SELECT count(*) FROM '@/people.csv'") == ["3"])
      try connection.execute("COMMIT")
      #expect(try Self.rows(connection, folder, "SELECT name FROM seen") == ["Carl, jr."])
      #expect(
        try Self.rows(connection, folder, "SELECT name FROM kept WHERE id IN (1, 11) ORDER BY id")
          == ["Ann!", "Ann"])
    }
  }

  @Test("may be named twice in a statement, once with more columns, and many at a time")
  func repeated() throws {
    var files = ["people.csv": Data(Self.people.utf8)]
    for number in 1...20 { files["n\(number).csv"] = Data("id\n\(number)\n".utf8) }
    try withFiles(files) { (folder) throws in
      let connection = Database().connect()
      #expect(
        try Self.rows(
          connection, folder,
          "SELECT a.id, b.y FROM '@/people.csv' a JOIN '@/people.csv' b (x, y) ON a.id = b.x WHERE a.id = 2"
        )
          == ["2|Bob"])
      let all = (1...20).map { "SELECT id FROM '@/n\($0).csv'" }.joined(separator: " UNION ALL ")
      #expect(try Self.rows(connection, folder, "SELECT sum(id) FROM (\(all)) n") == ["210"])
    }
  }

  @Test("may be pipes, which give what they have only once")
  func pipes() throws {
    try withFiles { (folder) throws in
      let path = folder.appending(path: "pipe.csv").path
      #expect(unsafe mkfifo(path, 0o600) == 0)
      let text = Self.people
      let writer = Thread {
        try? Data(text.utf8).write(to: URL(filePath: path), options: [])
      }
      writer.start()
      let connection = Database().connect()
      #expect(try Self.rows(connection, folder, "SELECT count(*) FROM '@/pipe.csv'") == ["3"])
      #expect(
        try Self.rows(connection, folder, "SELECT name FROM '@/pipe.csv' WHERE id = 2") == ["Bob"])
    }
  }

  @Test("that claim to be larger than memory are refused")
  func sparse() throws {
    try withFiles(["vast.json": Data("[1]".utf8)]) { (folder) throws in
      let handle = try FileHandle(forWritingTo: folder.appending(path: "vast.json"))
      try handle.truncate(atOffset: 1 << 42)
      try handle.close()
      let error = #expect(throws: SQLError.self) {
        try Self.rows(Database().connect(), folder, "FROM '@/vast.json'")
      }
      #expect(error?.state == .outOfMemory)
    }
  }

  @Test("may be several: a pattern, or a folder of parts")
  func parts() throws {
    let files = [
      "part-1.csv": Data("id,v\n1,10\n2,20\n".utf8), "part-2.csv": Data("v,id\nx,3\n".utf8),
      "_SUCCESS": Data(), "odd.tsv": Data("a\tb\n1\t2\n".utf8),
    ]
    try withFiles(files) { (folder) throws in
      let connection = Database().connect()
      // A value of the second file makes the column a text.
      #expect(
        try Self.rows(connection, folder, "FROM '@/part-*.csv' ORDER BY id")
          == ["1|10", "2|20", "3|x"])
      #expect(
        try Self.rows(connection, folder, "SELECT sum(id) FROM '@/part-?.csv'") == ["6"])
      let error = #expect(throws: SQLError.self) {
        try Self.rows(connection, folder, "FROM '@'")
      }
      #expect(error?.message.contains("has no column") == true)
    }
  }

  @Test("that hold other values further on than where they were looked at get wider types")
  func widening() throws {
    var text = "id,code\n"
    for number in 1...60_000 { text += "\(number),\(number == 59_999 ? "n/a?" : "\(number)")\n" }
    try withFiles(["codes.csv": Data(text.utf8)]) { (folder) throws in
      let connection = Database().connect()
      #expect(
        try Self.rows(connection, folder, "SELECT max(id), max(code) FROM '@/codes.csv'")
          == ["60000|n/a?"])
    }
  }

  @Test(
    "that cannot be read say what is wrong and where, and leave nothing",
    arguments: [
      ("FROM '@/peple.csv'", "could not open file", "Perhaps \"people.csv\" is meant."),
      ("FROM '@/*.none'", "could not open file", nil),
      ("FROM ''", "a path is not empty", nil),
      (
        "SELECT nam FROM '@/people.csv'", "column \"nam\" does not exist",
        "Perhaps you meant to reference the column \"people.name\"."
      ),
      ("FROM '@/bad.csv'", "extra data after last expected column", nil),
    ])
  func faults(query: String, message: String, hint: String?) throws {
    let bad = "a,b\n1,2\n3,4,5\n"
    try withFiles(["people.csv": Data(Self.people.utf8), "bad.csv": Data(bad.utf8)]) {
      (folder) throws in
      let connection = Database().connect()
      let error = #expect(throws: SQLError.self) {
        try Self.rows(connection, folder, query)
      }
      #expect(error?.message.contains(message) == true, "\(error?.message ?? "none")")
      if let hint { #expect(error?.hint == hint) }
      #expect(error?.range.isKnown == true)
      let tables = try connection.query("SHOW TABLES")
      #expect(tables.count == 0)
    }
  }

  @Test(
    "of JSON are tables with a column for each key",
    arguments: [
      (
        "lines.ndjson",
        #"{"a": 1, "b": "x\ny"}"# + "\n" + #"{"b": null, "a": 2.50, "c": [1, 2]}"# + "\n",
        ["a|numeric|b|text|c|jsonb", "1|x\ny|NULL", "2.50|NULL|[1, 2]"]
      ),
      (
        "array.json", #" [ {"d":"2024-02-29","t":true} , {"t":false,"d":null,"n":{"k":1}} ] "#,
        ["d|date|t|boolean|n|jsonb", "2024-02-29|t|NULL", #"NULL|f|{"k": 1}"#]
      ),
      (
        "pretty.json", "{\n  \"id\": 10000000000,\n  \"id\": 7\n}\n{\"id\": 8}",
        ["id|integer", "7", "8"]
      ),
      (
        "mixed.jsonl", #"{"v":1}"# + "\n" + #"{"v":"1"}"# + "\n" + #"{"v":true}"#,
        ["v|text", "1", "1", "true"]
      ),
      ("deep.jsonl", #"{"v":"a"}"# + "\n" + #"{"v":["a"]}"#, ["v|jsonb", #""a""#, #"["a"]"#]),
      ("values.json", "[1, 2, null]", ["value|integer", "1", "2", "NULL"]),
      ("names.json", #"{"":1,"A b":2,"\u0041 b":3}"#, ["column_1|integer|A b|integer", "1|3"]),
      ("bytes.json", "\u{FEFF}[{\"é\":\"ü\"}]", ["é|text", "ü"]),
    ])
  func json(name: String, text: String, expected: [String]) throws {
    try withFiles([name: Data(text.utf8)]) { (folder) throws in
      let connection = Database().connect()
      let columns = try connection.query("DESCRIBE '\(folder.path)/\(name)'")
      let described = (0..<columns.count).flatMap { row in
        [0, 1].map { columns.text(row: row, column: $0) ?? "" }
      }
      let rows = try Self.rows(connection, folder, "FROM '@/\(name)'")
      #expect([described.joined(separator: "|")] + rows == expected)
      let count = try Self.rows(connection, folder, "SELECT count(*) FROM '@/\(name)'")
      #expect(count == ["\(rows.count)"])
    }
  }

  @Test("of JSON whose later values differ get types that hold all of them")
  func wideJSON() throws {
    var text = ""
    for number in 1...5000 {
      let value = number == 4000 ? "3000000000" : number == 4900 ? "0.5" : "\(number)"
      let day = number == 4500 ? "soon" : "2024-01-01"
      text += "{\"v\":\(value),\"d\":\"\(day)\"}\n"
    }
    try withFiles(["wide.ndjson": Data(text.utf8)]) { (folder) throws in
      let connection = Database().connect()
      #expect(
        try Self.rows(connection, folder, "DESCRIBE '@/wide.ndjson'")
          == ["v|numeric|YES||NULL", "d|text|YES||NULL"])
      #expect(
        try Self.rows(connection, folder, "SELECT max(v), min(v), max(d) FROM '@/wide.ndjson'")
          == ["3000000000|0.5|soon"])
    }
  }

  @Test(
    "of JSON that are broken say where",
    arguments: [
      ("[{\"a\":1},\n{\"a\":}]", "record 2, which begins on line 2"),
      ("{\"a\":1}\n{\"a\":1", "record 2, which begins on line 2"),
      ("[{\"a\":1}", "record 2, which begins on line 1"), ("[{\"a\":1} {\"a\":2}]", "record 2"),
      ("[{\"a\":1}] x", "record 2"), ("{\"a\":1},{\"a\":2}", "record 2"), ("x", "record 1"),
      ("{\"a\":\"\\ud800\"}", ""),
    ])
  func brokenJSON(text: String, place: String) throws {
    try withFiles(["x.json": Data(text.utf8), "empty.json": Data()]) { (folder) throws in
      let connection = Database().connect()
      let error = #expect(throws: SQLError.self) {
        try Self.rows(connection, folder, "FROM '@/x.json'")
      }
      #expect(error?.context?.contains(place) ?? place.isEmpty, "\(String(describing: error))")
      #expect(throws: SQLError.self) { try Self.rows(connection, folder, "FROM '@/empty.json'") }
    }
  }

  @Test(
    "of JSON are written by COPY TO and read by COPY FROM",
    arguments: ["json", "ndjson", "jsonl.gz"])
  func copies(ending: String) throws {
    try withFiles { (folder) throws in
      let connection = Database().connect()
      let path = folder.appending(path: "t.\(ending)").path
      try connection.execute(
        """
        CREATE TABLE t (id int PRIMARY KEY, name varchar(9), v numeric(9, 2), d date, l int[], j jsonb);
        CREATE TABLE u (LIKE t);
        INSERT INTO t SELECT i, CASE WHEN i % 7 > 0 THEN 'n" \n' || i % 100 END, i / 4.0,
          date '2024-01-01' + i % 900, NULL, '{"k": [1]}' FROM generate_series(1, 5000) i;
        COPY t TO '\(path)';
        COPY u FROM '\(path)';
        """)
      #expect(
        try Self.rows(
          connection, folder,
          "SELECT count(*) FROM ((TABLE t EXCEPT ALL TABLE u) UNION ALL (TABLE u EXCEPT ALL TABLE t)) x"
        ) == ["0"])
      #expect(try Self.rows(connection, folder, "SELECT count(*) FROM u") == ["5000"])
    }
  }

  @Test("of JSON are tables of a folder, with keys and foreign keys")
  func folders() throws {
    let files = [
      "student.json": Data(#"[{"id":1,"name":"Ann"},{"id":2,"name":"Bob"}]"#.utf8),
      "course.csv": Data("id,name\n1,Art\n".utf8),
      "takes.ndjson": Data("{\"student_id\":1,\"course_id\":1}\n".utf8),
    ]
    try withFiles(files) { (folder) throws in
      let database = try Database(folder: folder.path)
      let connection = database.connect()
      #expect(
        database.notices.map(\.message).contains(
          "takes: primary key (student_id, course_id), inferred; a junction table"))
      #expect(
        try Self.rows(
          connection, folder,
          "SELECT s.name FROM student s WHERE NOT EXISTS (SELECT FROM takes t WHERE t.student_id = s.id)"
        )
          == ["Bob"])
    }
  }

  @Test("are described and summed up")
  func descriptions() throws {
    try withFiles(["people.csv": Data(Self.people.utf8)]) { (folder) throws in
      let connection = Database().connect()
      #expect(
        try Self.rows(connection, folder, "DESCRIBE '@/people.csv'") == [
          "id|integer|YES||NULL", "name|text|YES||NULL", "Grade|numeric|YES||NULL",
        ])
      #expect(
        try Self.rows(connection, folder, "SUMMARIZE '@/people.csv'") == [
          "id|integer|1|3|3|2|1|1|2|3|3|0.00 %|█    █   █",
          "name|text|Ann|Carl, jr.|3|NULL|NULL|NULL|NULL|NULL|3|0.00 %|NULL",
          "Grade|numeric|1.5|3.25|2|2.375|1.2374368670764582|1.5|1.5|3.25|3|33.33 %|█        █",
        ])
    }
  }
}
