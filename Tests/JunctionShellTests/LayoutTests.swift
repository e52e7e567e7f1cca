import Testing

@testable import JunctionShell

@Suite("Layouts of results")
struct LayoutTests {
  private let table = TextTable(
    names: ["id", "name"], isNumeric: [true, false], rows: [["1", "Änn"], ["20", "a\nb"]])

  @Test("An aligned table has a centred header, a rule and a count")
  func alignedTableIsAsInPsql() {
    let expected = """
       id | name 
      ----+------
        1 | Änn
       20 | a   +
          | b
      (2 rows)


      """
    #expect(Sample.printed(table) == expected)
  }

  @Test("A border of two draws a frame")
  func frame() {
    let expected = """
      +----+------+
      | id | name |
      +----+------+
      |  1 | Änn  |
      | 20 | a   +|
      |    | b    |
      +----+------+
      (2 rows)


      """
    #expect(Sample.printed(table) { $0.border = 2 } == expected)
  }

  @Test("A border of none leaves only blanks")
  func noBorder() {
    let expected = """
      id name 
      -- ----
       1 Änn
      20 a   +
         b
      (2 rows)


      """
    #expect(Sample.printed(table) { $0.border = 0 } == expected)
  }

  @Test("An expanded table gives each column a line")
  func expanded() {
    let expected = """
      -[ RECORD 1 ]
      id   | 1
      name | Änn
      -[ RECORD 2 ]
      id   | 20
      name | a  +
           | b


      """
    #expect(Sample.printed(table) { $0.expanded = .on } == expected)
  }

  @Test("A row without columns is a rule and a count")
  func zeroColumns() {
    let empty = TextTable(names: [], rows: [], footers: ["(1 row)"])
    #expect(Sample.printed(empty) == "--\n(1 row)\n\n")
  }

  @Test("Without header the columns keep its width")
  func tuplesOnly() {
    let narrow = TextTable(names: ["abcdef"], isNumeric: [true], rows: [["1"]])
    #expect(Sample.printed(narrow) { $0.tuplesOnly = true } == "      1\n\n")
  }

  @Test("CSV quotes what must be, the word for NULL as well, and nothing else")
  func csv() throws {
    let query = "values (1, 'a,b'), (2, 'say \"x\"'), (3, 'NULL'), (4, null), (5, '')"
    func printed(null: String) throws -> String {
      try Sample.printed(query) {
        $0.format = .csv
        $0.null = null
        $0.tuplesOnly = true
      }
    }
    let rows = "1,\"a,b\"\n2,\"say \"\"x\"\"\"\n3,NULL\n"
    #expect(try printed(null: "NULL") == rows + "4,NULL\n5,\n")
    #expect(try printed(null: "a,\"") == rows + "4,\"a,\"\"\"\n5,\n")
  }

  @Test("Numbers of CSV are quoted if they hold what parts fields")
  func csvSeparator() throws {
    let printed = try Sample.printed("select 1.5 as a, -2 as b") {
      $0.format = .csv
      $0.csvFieldSeparator = "."
    }
    #expect(printed == "a.b\n\"1.5\".-2\n")
  }

  @Test("CSV without columns is an empty header")
  func csvWithoutColumns() throws {
    #expect(try Sample.printed("select from (values (1), (2)) t") { $0.format = .csv } == "\n")
  }

  @Test("Unaligned output is values and separators")
  func unaligned() throws {
    let printed = try Sample.printed("select 1 as a, null as b") { $0.format = .unaligned }
    #expect(printed == "a|b\n1|\n(1 row)\n")
  }

  @Test("JSON keeps numbers and booleans bare")
  func json() throws {
    let printed = try Sample.printed("select 1 as a, true as b, 'x\"y' as c, null as d") {
      $0.format = .json
    }
    #expect(printed == "[{\"a\": 1, \"b\": true, \"c\": \"x\\\"y\", \"d\": null}]\n")
  }

  @Test("Control characters of data are shown, not sent to the terminal")
  func controlsAreVisible() {
    #expect(DisplayWidth.visible("a\u{1B}[2J") == "a\\x1B[2J")
    #expect(DisplayWidth.visible("a\tb") == "a       b")
    #expect(DisplayWidth.visible("a\rb") == "a\\rb")
  }

  @Test(
    "Widths count cells", arguments: [("abc", 3), ("日本", 4), ("e\u{301}", 1), ("", 0)])
  func widths(text: String, width: Int) {
    #expect(DisplayWidth.of(text) == width)
  }

  @Test(
    "Times are printed as psql prints them",
    arguments: [
      (0.5, "0.500 ms"), (61_000.0, "61000.000 ms (01:01.000)"),
      (3_661_000.0, "3661000.000 ms (01:01:01.000)"),
    ])
  func times(milliseconds: Double, text: String) {
    #expect(Shell.timeText(milliseconds: milliseconds) == text)
  }

  @Test("A bar shows the share, the rate and the time left, in as many cells as there are")
  func progress() {
    let line = ProgressBar.line("loading t.csv", 30, 60, 2_000_000, elapsed: .seconds(2))
    let bar = String(repeating: "█", count: 15) + String(repeating: "░", count: 15)
    #expect(line == "loading t.csv  \(bar) 50 %  2000000 rows, 1.0 M rows/s, 2 s left")
    #expect(DisplayWidth.prefix(of: "a日本", cells: 4) == "a日")
  }
}
