import Junction
import SQLSyntax
import Testing

@testable import JunctionShell

@Suite("Line editing")
struct EditingTests {
  private func keys(_ bytes: [UInt8]) -> [Key] {
    var decoder = KeyDecoder()
    return bytes.compactMap { decoder.feed($0) }
  }

  @Test("Bytes of a terminal become keys")
  func keysAreDecoded() {
    #expect(keys(Array("a".utf8)) == [.text("a")])
    #expect(keys(Array("é".utf8)) == [.text("é")])
    #expect(keys([0x1B, 0x5B, 0x41]) == [.up])
    #expect(keys([0x03]) == [.control("c")])
    #expect(keys([0x09, 0x0D, 0x7F]) == [.tab, .enter, .backspace])
    #expect(keys(Array("\u{1B}[200~a\nb\u{1B}[201~".utf8)) == [.paste("a\nb")])
  }

  @Test("Words are cut and put back")
  func cutting() {
    var buffer = LineBuffer("select one")
    buffer.moveToEnd()
    buffer.cutWordBackward()
    #expect(buffer.text == "select ")
    buffer.yank()
    #expect(buffer.text == "select one")
    buffer.moveToLineStart()
    buffer.cutToLineEnd()
    #expect(buffer.isEmpty)
  }

  @Test("A line wraps where the screen ends")
  func wrapping() {
    let drawing = Self.drawing("abcdefgh", cursor: 8, columns: 5)
    #expect(drawing.rows.map(\.text) == ["> abc", "defgh", ""])
    #expect(drawing.rows.map(\.isWrapped) == [true, true, false])
    #expect(drawing.cursorRow == 2 && drawing.cursorColumn == 0)
    #expect(drawing.text(of: 0..<3) == "> abcdefgh \r")
  }

  private static func drawing(
    _ text: String, cursor: Int, columns: Int, coloured: String? = nil
  ) -> LineDrawing {
    LineDrawing(
      Array(text), coloured: coloured ?? text, cursor: cursor, prompts: ["> ", "- "],
      columns: columns)
  }

  @Test("A wide character goes to the next row whole, and the cursor with it")
  func wideCharacters() {
    let drawing = Self.drawing("日本語", cursor: 2, columns: 7)
    #expect(drawing.rows.map(\.text) == ["> 日本", "語"])
    #expect(drawing.cursorRow == 1 && drawing.cursorColumn == 0)
  }

  @Test("A tab is drawn as blanks up to the next eighth column")
  func tabs() {
    let drawing = Self.drawing("\ta", cursor: 1, columns: 40)
    #expect(drawing.rows.map(\.text) == [">       a"])
    #expect(drawing.cursorColumn == 8)
  }

  @Test("Each line has its prompt, and an empty line after the last line end is there")
  func linesHavePrompts() {
    let drawing = Self.drawing("a\n", cursor: 2, columns: 10)
    #expect(drawing.text(of: 0..<2) == "> a\r\n- ")
    #expect(drawing.cursorRow == 1 && drawing.cursorColumn == 2)
  }

  @Test("A row that begins within a coloured piece is coloured, and colours take no room")
  func coloursGoOn() {
    let blue = "\u{1B}[1;34m"
    let drawing = Self.drawing(
      "select", cursor: 6, columns: 5, coloured: blue + "select" + SyntaxColouring.plain)
    #expect(
      drawing.rows.map(\.text) == ["> \(blue)sel", "\(blue)ect\(SyntaxColouring.plain)"])
    #expect(drawing.cursorRow == 1 && drawing.cursorColumn == 3)
  }

  @Test("A narrower window has the cursor where the terminal has wrapped it to")
  func resizing() {
    let drawing = Self.drawing("abcdefgh\nxy", cursor: 11, columns: 20)
    #expect(drawing.cursorOffset(from: 0, columns: 20) == 1)
    #expect(drawing.cursorOffset(from: 0, columns: 5) == 2)
    #expect(drawing.cursorOffset(from: 1, columns: 5) == 0)
  }

  @Test("Control characters are drawn as pictures")
  func controlsHavePictures() {
    #expect(String(LineDrawing.shown(["a", "\u{1B}", "\t", "\u{9B}"])) == "a\u{241B}\t\u{2426}")
  }

  @Test("Possible words stand in columns that are read downwards, as many as there is room for")
  func wordTable() {
    #expect(
      LineEditor.table(of: ["a", "bb", "c", "d", "e"], in: (12, 24)) == "a   c   e\r\nbb  d\r\n")
    #expect(LineEditor.table(of: ["a", "b", "c"], in: (3, 5)) == "a\r\nb\r\n… and 1 more\r\n")
  }

  @Test("A statement is complete with its semicolon, a command at once")
  func completeness() {
    func isComplete(_ text: String, after start: String = "") -> Bool {
      var splitter = StatementSplitter()
      _ = splitter.scan(Array(start.utf8))
      return InteractiveLoop.isComplete(text, after: splitter)
    }
    #expect(!isComplete("select 1"))
    #expect(isComplete("select 1;"))
    #expect(!isComplete("select ';"))
    #expect(isComplete("\\d"))
    #expect(isComplete("select 1 \\g"))
    #expect(isComplete("quit"))
    #expect(!isComplete("quit", after: "select 1\n"))
    #expect(isComplete(")", after: "/* a */ ") == false)
    #expect(isComplete("b';", after: "select 'a\n"))
  }

  @Test(
    "Prompts show the database, what is open, and the transaction",
    arguments: [
      (Prompt.State(databaseName: "d"), "d=> "),
      (Prompt.State(databaseName: "d", transaction: .active), "d=*> "),
      (Prompt.State(databaseName: "d", transaction: .failed, open: .singleQuote), "d'!> "),
      (Prompt.State(databaseName: "d", isSkipping: true), "d@> "),
    ])
  func prompts(state: Prompt.State, text: String) {
    #expect(Prompt.expanded("%/%R%x%# ", state, VariableTable()) == text)
  }

  @Test("A prompt may show variables and the line")
  func promptParts() {
    let state = Prompt.State(databaseName: "d", line: 3)
    #expect(Prompt.expanded("%l %:a:%% %[x%]", state, VariableTable(["a": "b"])) == "3 b% x")
  }

  @Test("A search goes back from an entry, or forward")
  func searching() {
    var history = History(path: nil)
    for entry in ["select 1;", "\\d", "select 2;"] { history.add(entry) }
    #expect(history.search("select", from: 2, isForward: false) == 2)
    #expect(history.search("select", from: 1, isForward: false) == 0)
    #expect(history.search("select", from: 1, isForward: true) == 2)
    #expect(history.search("select", from: -1, isForward: false) == nil)
    #expect(history.search("table", from: 2, isForward: false) == nil)
  }

  @Test(
    "Keys with Alt, Shift and Ctrl are known",
    arguments: [
      ("\u{1B}[1;5C", Key.wordRight), ("\u{1B}b", .alt("b")), ("\u{1B}OH", .home),
      ("\u{1B}[13;2u", .newline), ("\u{1F}", .control("_")), ("\u{1B}\u{1B}[A", .up),
    ])
  func modifiedKeys(bytes: String, key: Key) { #expect(keys(Array(bytes.utf8)) == [key]) }

  @Test("The case of a word is changed")
  func wordCase() {
    var buffer = LineBuffer("select one")
    buffer.move(to: 6)
    buffer.changeWord { $0.uppercased() }
    #expect(buffer.text == "select ONE" && buffer.cursor == 10)
  }

  @Test("An entry of many lines survives the history file")
  func history() {
    let entry = "select 1,\n  '\\n' as x;"
    #expect(History.decoded(History.encoded(entry)) == entry)
  }
}
