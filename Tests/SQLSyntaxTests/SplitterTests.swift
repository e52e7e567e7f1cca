import SQLSyntax
import Testing

@Suite("The splitter")
struct SplitterTests {
  @Test(
    "ends statements at semicolons outside of quotes, comments and bodies",
    arguments: [
      ("SELECT 1; SELECT 2;", ["SELECT 1", " SELECT 2"]),
      ("SELECT ';' || E'\\';' || \";\";", ["SELECT ';' || E'\\';' || \";\""]),
      (
        "-- ;\n/* ; /* ; */ ; */ SELECT $a$ ; $$ $a$;",
        ["-- ;\n/* ; /* ; */ ; */ SELECT $a$ ; $$ $a$"]
      ),
      (
        "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN a THEN 1 END; SELECT 2; END;",
        [
          "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN a THEN 1 END; SELECT 2; END"
        ]
      ),
      ("BEGIN; SELECT 1; END;", ["BEGIN", " SELECT 1", " END"]),
      ("CREATE RULE r AS (SELECT 1; SELECT 2);", ["CREATE RULE r AS (SELECT 1; SELECT 2)"]),
    ])
  func splits(_ script: String, _ expected: [String]) {
    var splitter = StatementSplitter()
    var found: [String] = []
    for line in script.split(separator: "\n", omittingEmptySubsequences: false) {
      let bytes = Array((line + "\n").utf8)
      var start = 0
      while case .semicolon(let next) = splitter.scan(bytes, from: start) {
        found.append(String(decoding: splitter.takeStatement(), as: UTF8.self))
        start = next
      }
    }
    #expect(found.map { $0.replacing("\n\n", with: "\n") } == expected)
  }

  @Test(
    "knows what is open",
    arguments: [
      ("", StatementSplitter.Continuation.nothing), ("-- x\n", .nothing), ("SELECT\n", .statement),
      ("SELECT '\n", .singleQuote), ("SELECT \"\n", .doubleQuote), ("/* /* */\n", .comment),
      ("SELECT $x$ $\n", .dollarQuote), ("SELECT (\n", .parenthesis),
    ])
  func knows(_ text: String, _ open: StatementSplitter.Continuation) {
    var splitter = StatementSplitter()
    #expect(splitter.scan(Array(text.utf8)) == .endOfText)
    #expect(splitter.continuation == open)
  }

  @Test("stops at a backslash outside of quotes")
  func stopsAtBackslash() {
    var splitter = StatementSplitter()
    #expect(splitter.scan(Array("SELECT '\\' \\g".utf8)) == .backslash(11))
  }
}
