import Testing

@testable import JunctionShell

@Suite("Pieces of typed SQL")
struct TextPiecesTests {
  private func pieces(_ text: String) -> [String] {
    var pieces = TextPieces(text)
    var found: [String] = []
    while let piece = pieces.next() {
      let spelled = String(decoding: pieces.bytes[piece.range], as: UTF8.self)
      if piece.kind != .space { found.append(spelled + (piece.isClosed ? "" : "…")) }
    }
    return found
  }

  @Test(
    "Quotes and comments are one piece, closed or not",
    arguments: [
      ("select 'it''s'", ["select", "'it''s'"]), ("E'\\'x' y", ["E'\\'x'", "y"]),
      ("'a\\' b", ["'a\\'", "b"]), ("$$a'b$$ $1", ["$$a'b$$", "$", "1"]),
      ("$t$ $$ $t$", ["$t$ $$ $t$"]), ("/* a /* b */ c */ d", ["/* a /* b */ c */", "d"]),
      ("a -- b\nc", ["a", "-- b", "c"]), ("\"a\"\"b\" 'x", ["\"a\"\"b\"", "'x…"]),
      ("1.5e3+größe", ["1.5e3", "+", "größe"]), ("", []),
    ])
  func pieces(text: String, expected: [String]) { #expect(pieces(text) == expected) }

  @Test(
    "Variables are put in outside of quotes and comments only",
    arguments: [
      ("select :a, :'a', :\"a\"", "select it's, 'it''s', \"it's\""),
      ("select ':a', $$:a$$, E'\\':a' /* :a */ -- :a", nil), ("select 1::a, :b, b[1:2]", nil),
      ("select :{?a}, :{?b}", "select TRUE, FALSE"),
    ])
  func interpolation(text: String, expected: String?) {
    let variables = VariableTable(["a": "it's"])
    #expect(Interpolation.expand(text, variables) == expected ?? text)
  }

  @Test("Colours leave the text as it is and end with each line")
  func colours() {
    let colouring = SyntaxColouring(keywords: ["select"])
    let text = "SELECT 'a\nb', 1 -- c\n\\g x"
    let coloured = colouring.coloured(text)
    #expect(
      coloured == "\u{1B}[1;34mSELECT\u{1B}[0m \u{1B}[32m'a\u{1B}[0m\n\u{1B}[32mb'\u{1B}[0m, "
        + "\u{1B}[36m1\u{1B}[0m \u{1B}[90m-- c\u{1B}[0m\n\u{1B}[35m\\g x\u{1B}[0m")
  }

  @Test(
    "Truth is spelled in several ways",
    arguments: [
      ("on", true), ("1", true), ("TR", true), ("y", true), ("off", false), ("of", false),
      ("0", false), ("no", false), ("o", nil), ("", nil), ("maybe", nil),
    ])
  func truth(text: String, value: Bool?) { #expect(ShellBoolean.parse(text) == value) }

  @Test(
    "The pager is used for what is too tall or too wide",
    arguments: [
      (24, 10, PrintSettings.Pager.on, true), (23, 10, .on, false), (1, 81, .on, true),
      (1, 1, .always, true), (99, 99, .off, false),
    ])
  func pager(height: Int, width: Int, pager: PrintSettings.Pager, isUsed: Bool) {
    #expect(
      pager.isUsed(height: height, width: width, screen: (80, 24), heightMin: 0) == isUsed)
  }
}
