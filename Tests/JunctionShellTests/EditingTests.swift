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
    let drawing = LineDrawing(
      text: "abcdefgh", cursor: 8, prompt: "> ", continuationPrompt: { _ in "- " }, columns: 5)
    #expect(drawing.cursorRow == 2 && drawing.cursorColumn == 0 && drawing.endsAtEdge)
  }

  @Test("A statement is complete with its semicolon, a command at once")
  func completeness() {
    #expect(!InteractiveLoop.isComplete("select 1"))
    #expect(InteractiveLoop.isComplete("select 1;"))
    #expect(!InteractiveLoop.isComplete("select ';"))
    #expect(InteractiveLoop.isComplete("\\d"))
    #expect(InteractiveLoop.isComplete("select 1 \\g"))
  }

  @Test("An entry of many lines survives the history file")
  func history() {
    let entry = "select 1,\n  '\\n' as x;"
    #expect(History.decoded(History.encoded(entry)) == entry)
  }
}
