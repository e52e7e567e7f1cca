import Diagnostics
import Junction
import Testing

/// The text of a CSV file that must be refused.
struct BrokenFile: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let bytes: [UInt8]
  let state: String
  /// Something that the error must name: a line, a column.
  let naming: String

  init(_ name: String, _ state: String, naming: String = "", _ text: String) {
    testDescription = name
    bytes = Array(text.utf8)
    self.state = state
    self.naming = naming
  }

  init(_ name: String, _ state: String, naming: String = "", bytes: [UInt8]) {
    testDescription = name
    self.bytes = bytes
    self.state = state
    self.naming = naming
  }
}

@Suite("A broken CSV file")
struct BrokenFileTests {
  private static let setup = """
    CREATE TABLE genre (id int PRIMARY KEY);
    INSERT INTO genre VALUES (1), (2);
    CREATE TABLE book (
      id int PRIMARY KEY, title varchar(10) NOT NULL, pages smallint CHECK (pages > 0),
      printed date, price numeric(5, 2), genre_id int REFERENCES genre, isbn text UNIQUE);
    INSERT INTO book VALUES (1, 'One', 100, '2020-01-01', 9.99, 1, 'x');
    """
  private static let good = "2,Two,200,2021-02-03,19.50,2,y\n"

  @Test(
    "gets an error that names the place, and nothing of it is loaded",
    arguments: [
      BrokenFile("too few fields", "22P04", naming: "line 2", good + "3,Three\n"),
      BrokenFile("too many fields", "22P04", naming: "line 2", good + "3,T,1,,,1,z,extra\n"),
      BrokenFile("a quote never closed", "22P04", naming: "line 2", good + "3,\"Three,1,,,1,z\n"),
      BrokenFile("a blank line", "22P04", naming: "line 2", good + "\n" + good),
      BrokenFile("letters for a number", "22P02", naming: "line 2", good + "x,T,1,,,1,z\n"),
      BrokenFile("a fraction for a whole number", "22P02", naming: "column", "3.5,T,1,,,1,z\n"),
      BrokenFile(
        "a number too large for integer", "22003", naming: "line 1", "3000000000,T,1,,,1,z\n"),
      BrokenFile("a number too large for smallint", "22003", naming: "pages", "3,T,40000,,,1,z\n"),
      BrokenFile("a text too long", "22001", naming: "title", "3,TitleTooLong,1,,,1,z\n"),
      BrokenFile("a missing title", "23502", naming: "title", "3,,1,,,1,z\n"),
      BrokenFile("a check not met", "23514", naming: "line 1", "3,T,-1,,,1,z\n"),
      BrokenFile(
        "a day that does not exist", "22008", naming: "printed", "3,T,1,2021-02-30,,1,z\n"),
      BrokenFile("a date that is none", "22007", naming: "printed", "3,T,1,soonish,,1,z\n"),
      BrokenFile("a price too large", "22003", naming: "price", "3,T,1,,12345.67,1,z\n"),
      BrokenFile("a price that is none", "22P02", naming: "price", "3,T,1,,cheap,1,z\n"),
      BrokenFile("a genre that is not there", "23503", naming: "line 2", good + "3,T,1,,,9,z\n"),
      BrokenFile("a key that stands already", "23505", naming: "line 1", "1,T,1,,,1,z\n"),
      BrokenFile(
        "a key twice in the file", "23505", naming: "line 3", good + "3,T,1,,,1,z\n2,U,1,,,1,w\n"),
      BrokenFile("a unique value twice", "23505", naming: "isbn", good + "3,T,1,,,1,y\n"),
      BrokenFile("no key at all", "23502", naming: "id", ",T,1,,,1,z\n"),
      BrokenFile("CR within LF lines", "22P04", good + "3,T\r,1,,,1,z\n"),
      BrokenFile("LF within CRLF lines", "22P04", "2,T,1,,,1,z\r\n3,U,1,,,1,w\n"),
      BrokenFile(
        "bytes that are no UTF-8", "22021", naming: "Line 2",
        bytes: Array(good.utf8) + [0x33, 0x2C, 0xFF, 0xFE, 0x0A]),
      BrokenFile("an overlong form", "22021", bytes: Array("3,".utf8) + [0xC0, 0xAF, 0x0A]),
      BrokenFile("a NUL byte", "22021", bytes: Array("3,a".utf8) + [0, 0x0A]),
      BrokenFile("half of a character", "22021", bytes: Array("3,".utf8) + [0xE2, 0x82]),
      BrokenFile("only delimiters", "23502", naming: "line 1", ",,,,,,\n"),
      BrokenFile("another delimiter", "22P04", naming: "line 1", "3;T;1;;;1;z\n"),
    ])
  func refusal(_ file: BrokenFile) throws {
    let connection = Database().connect()
    try connection.execute(Self.setup)
    var data: [UInt8]? = file.bytes
    let error = #expect(throws: SQLError.self) {
      try connection.copyIn("COPY book FROM STDIN (FORMAT csv)") {
        defer { data = nil }
        return data
      }
    }
    #expect(error?.state.code == file.state)
    let text = error?.rendered(statement: "") ?? ""
    #expect(text.contains(file.naming), "\(text) does not name \(file.naming)")
    #expect(try connection.query("SELECT count(*) FROM book").value(row: 0, column: 0) == 1)
    #expect(try connection.query("SELECT 1").count == 1)
  }

  /// Bytes that are written as escapes are looked at once the escapes are resolved.
  @Test(
    "in COPY's text format gets an error for escapes that give no UTF-8",
    arguments: ["\\xff", "\\377", "\\xc3", "a\\000b", "\\xc3\\x28"])
  func escapes(_ field: String) throws {
    let connection = Database().connect()
    try connection.execute("CREATE TABLE t (id int, name text)")
    var data: [UInt8]? = Array("1\tgood\n2\t\(field)\n".utf8)
    let error = #expect(throws: SQLError.self) {
      try connection.copyIn("COPY t FROM STDIN") {
        defer { data = nil }
        return data
      }
    }
    #expect(error?.state == .characterNotInRepertoire)
    #expect(try connection.query("SELECT count(*) FROM t").value(row: 0, column: 0) == 0)
    data = Array("1\t\\xc3\\xa9\n".utf8)
    _ = try connection.copyIn("COPY t FROM STDIN") {
      defer { data = nil }
      return data
    }
    #expect(try connection.query("SELECT name FROM t").value(row: 0, column: 0) == .text("é"))
  }
}
