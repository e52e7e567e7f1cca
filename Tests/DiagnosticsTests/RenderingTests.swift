import Diagnostics
import Testing

@Suite("A rendered error")
struct RenderingTests {
  @Test("shows the line with a caret and the other parts")
  func showsAll() {
    let error = SQLError(
      .undefinedColumn, "column \"b\" does not exist", at: SourceRange(9, 10), detail: "D.",
      hint: "H.", context: "C")
    #expect(
      error.rendered(statement: "SELECT\n\ta b\nFROM t") == """
        ERROR:  column "b" does not exist
        LINE 2:  a b
                  ^
        DETAIL:  D.
        HINT:  H.
        CONTEXT:  C
        """)
  }

  @Test("cuts long lines around the caret")
  func cutsLines() {
    let statement = "SELECT " + String(repeating: "abcdefghi ", count: 20)
    let lines = SQLError(.syntaxError, "x", at: SourceRange(107, 108))
      .rendered(statement: statement).split(separator: "\n")
    #expect(lines[1].hasPrefix("LINE 1: ..."))
    #expect(lines[1].hasSuffix("..."))
    #expect(lines[1].count == 8 + 3 + 60 + 3)
    #expect(Array(lines[1])[lines[2].count - 1] == "a")
  }

  @Test("suggests the nearest names")
  func suggests() {
    #expect(nearestNames(to: "nmae", among: ["id", "name", "game", "names"], limit: 1) == ["name"])
    #expect(nearestNames(to: "x", among: ["abc"]).isEmpty)
  }
}
