import Diagnostics
import Foundation
import Junction
import Testing

/// Good and bad rows in a random order, and which of them a table must take.
private struct MixedRows {
  static let tables = """
    CREATE TABLE parent (id int PRIMARY KEY);
    CREATE TABLE item (
      id int PRIMARY KEY, parent int REFERENCES parent, amount int CHECK (amount >= 0), note text);
    """
  static let parents = "id\n" + (0..<10).map { "\($0)\n" }.joined()
  private(set) var text = "id,parent,amount,note\n"
  private(set) var rowCount = 0
  private(set) var goodRows: [String] = []
  /// The records of the bad rows, as they stand in the text.
  private(set) var badRecords: [String] = []

  init(seed: UInt64, count: Int) {
    var numbers = SplitMix(state: seed)
    var taken: Set<Int> = []
    for row in 1...count {
      var id = String(row)
      var parent = String(numbers.next() % 10)
      var amount = String(numbers.next() % 1_000)
      let note = "\"note, \(row)\""
      var isBad = true
      switch numbers.next() % 12 {
      case 0: id = String(taken.min() ?? row)
      case 1: parent = String(10 + numbers.next() % 10)
      case 2: amount = "-\(1 + numbers.next() % 5)"
      case 3: amount = "many"
      case 4: id = ""
      case 5: amount += ",,"
      default: isBad = false
      }
      if id == String(row) && taken.isEmpty && !isBad { taken.insert(row) }
      // The first key is repeated only once it is there.
      isBad = isBad && !(id == String(row) && parent.count == 1 && Int(amount) ?? -1 >= 0)
      let record = "\(id),\(parent),\(amount),\(note)"
      text += record + "\n"
      rowCount += 1
      if isBad {
        badRecords.append(record)
      } else {
        goodRows.append("\(id)|\(parent)|\(amount)|note, \(row)")
      }
    }
  }
}

/// A generator of random numbers that a seed repeats.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}

@Suite("Of good and bad rows, rejects wanted,")
struct RejectedRowsTests {
  enum Way: CaseIterable { case file, pieces, namedPipe, folder }

  private func load(
    _ rows: MixedRows, by way: Way, in folder: URL
  ) throws -> (connection: Connection, account: String) {
    let rejects = folder.appending(path: "rejects.txt").path
    if way == .folder {
      let database = try Database(folder: folder.path, rejects: rejects)
      let account = database.notices.map(\.message).first { $0.contains("item.csv: ") }
      return (database.connect(), account ?? "")
    }
    let connection = Database().connect()
    try connection.execute(MixedRows.tables + "INSERT INTO parent SELECT generate_series(0, 9)")
    let options = "(FORMAT csv, HEADER, REJECTS '\(rejects)')"
    var path = folder.appending(path: "item.csv").path
    let result: StatementResult?
    switch way {
    case .pieces:
      var rest = Array(rows.text.utf8)[...]
      result = try connection.copyIn("COPY item FROM STDIN \(options)") {
        defer { rest = rest.dropFirst(100) }
        return rest.isEmpty ? nil : Array(rest.prefix(100))
      }
    case .namedPipe:
      path = folder.appending(path: "pipe").path
      try #require(unsafe mkfifo(path, 0o600) == 0)
      let writer = Thread { [path] in try? Data(rows.text.utf8).write(to: URL(filePath: path)) }
      writer.start()
      result = try connection.execute("COPY item FROM '\(path)' \(options)").first
    case .file, .folder:
      result = try connection.execute("COPY item FROM '\(path)' \(options)").first
    }
    return (connection, result?.notices.first?.message ?? "")
  }

  @Test(
    "each row is loaded or rejected, by every way in", arguments: Way.allCases,
    [(1, 1), (2, 40), (3, 400), (4, 3_000)])
  func account(_ way: Way, _ size: (seed: Int, count: Int)) throws {
    let rows = MixedRows(seed: UInt64(size.seed), count: size.count)
    let files = [
      "item.csv": rows.text, "parent.csv": MixedRows.parents, "schema.sql": MixedRows.tables,
    ]
    try withFiles(files) { folder in
      let (connection, account) = try load(rows, by: way, in: folder)
      let numbers =
        "\(rows.rowCount) rows read = \(rows.goodRows.count) loaded + "
        + "\(rows.badRecords.count) rejected"
      #expect(account.contains(numbers), "\(account)")
      let stored = try connection.query("SELECT concat_ws('|', id, parent, amount, note) FROM item")
      #expect((0..<stored.count).compactMap { stored.text(row: $0, column: 0) } == rows.goodRows)
      // What was rejected can be mended and loaded: the records stand in the file, in their order.
      let rejects = try String(contentsOf: folder.appending(path: "rejects.txt"), encoding: .utf8)
      let lines = rejects.split(separator: "\n").dropFirst().filter {
        $0.contains("item.csv") || way != .folder
      }
      #expect(lines.count == rows.badRecords.count)
      for (line, record) in zip(lines, rows.badRecords) {
        #expect(line.hasSuffix(",\"" + record.replacing("\"", with: "\"\"") + "\""))
      }
    }
  }

  @Test(
    "each file of a folder learns of its own, and loses what refers to rows of another that are rejected"
  )
  func severalFiles() throws {
    let files = [
      "a.csv": "id,b\n1,1\n1,2\n2,9\n3,2\n4,7\n", "b.csv": "id,c\n1,1\n1,2\n2,2\n7,5\n",
      "c.csv": "id\n1\n2\n2\n3\n",
      "schema.sql": """
      CREATE TABLE c (id int PRIMARY KEY);
      CREATE TABLE b (id int PRIMARY KEY, c int REFERENCES c);
      CREATE TABLE a (id int PRIMARY KEY, b int REFERENCES b);
      """,
    ]
    try withFiles(files) { folder in
      let connection = try Database(folder: folder.path, rejects: folder.path + "/bad").connect()
      for (table, expected) in [("a", "1 3"), ("b", "1 2"), ("c", "1 2 3")] {
        let rows = try connection.query(
          "SELECT string_agg(id::text, ' ' ORDER BY id) FROM \(table)")
        #expect(rows.text(row: 0, column: 0) == expected, "\(table)")
      }
    }
  }

  @Test("the good ones take consecutive numbers of a sequence")
  func sequences() throws {
    let connection = Database().connect()
    try connection.execute(
      "CREATE TABLE t (id int GENERATED ALWAYS AS IDENTITY, a int UNIQUE, b text)")
    try withFiles { folder in
      var pieces = ["5,x\n6,y\n", "5,z\n7,u\n", "6,v\n8,w\n"].map { Array($0.utf8) }[...]
      let result = try connection.copyIn(
        "COPY t (a, b) FROM STDIN (FORMAT csv, REJECTS '\(folder.path)/bad')"
      ) { pieces.popFirst() }
      #expect(result.commandTag == "COPY 4")
    }
    let rows = try connection.query("SELECT string_agg(id || b, ' ' ORDER BY id) FROM t")
    #expect(rows.text(row: 0, column: 0) == "1x 2y 3u 4w")
  }

  @Test("those that WHERE leaves out are neither loaded nor rejected")
  func filtered() throws {
    let connection = Database().connect()
    try connection.execute("CREATE TABLE t (a int PRIMARY KEY)")
    try withFiles { folder in
      var pieces = ["1\n2\n3\n", "3\nx\n4\n"].map { Array($0.utf8) }[...]
      let result = try connection.copyIn(
        "COPY t FROM STDIN (FORMAT csv, REJECTS '\(folder.path)/bad') WHERE a > 1"
      ) { pieces.popFirst() }
      #expect(result.commandTag == "COPY 3")
      #expect(
        result.notices.first?.message
          == "STDIN: 6 rows read = 3 loaded + 2 rejected + 1 left out by WHERE")
    }
  }

  @Test("nothing is loaded if the file for rejects cannot be written")
  func unwritable() throws {
    let connection = Database().connect()
    try connection.execute("CREATE TABLE t (a int)")
    for path in ["/nonexistent/bad", "/dev/full"] where path != "/dev/full" || isLinux {
      var pieces = [Array("1\nx\n".utf8)][...]
      #expect(throws: SQLError.self) {
        _ = try connection.copyIn("COPY t FROM STDIN (FORMAT csv, REJECTS '\(path)')") {
          pieces.popFirst()
        }
      }
    }
    #expect(try connection.query("SELECT a FROM t").count == 0)
  }

  @Test("what is read is never written over")
  func sameFile() throws {
    try withFiles(["t.csv": "a\n1\nx\n", "schema.sql": "CREATE TABLE t (a int);"]) { folder in
      let path = folder.path + "/t.csv"
      let connection = Database().connect()
      try connection.execute("CREATE TABLE t (a int)")
      let link = folder.path + "/link"
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
      for rejects in [path, link] {
        let error = #expect(throws: SQLError.self) {
          try connection.execute("COPY t FROM '\(path)' (FORMAT csv, HEADER, REJECTS '\(rejects)')")
        }
        #expect(error?.state.code == "22023")
        #expect(throws: SQLError.self) { try Database(folder: folder.path, rejects: rejects) }
      }
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "a\n1\nx\n")
    }
  }

  private var isLinux: Bool {
    #if os(Linux)
      true
    #else
      false
    #endif
  }
}
