import Diagnostics
import Testing

@testable import Columnar

@Suite("The automaton of a regular expression")
struct RegexAutomatonTests {
  private static let pieces = [
    "a", "b", "ab", "é", "\n", ".", "[ab]", "[^a]", "\\w", "\\s", "\\d", "(a|b)", "(ab|é)?",
    "(b*|a)+", "a*", "b+", "x{0,2}",
    "(a|ab){1,2}", "\\m", "\\M", "\\y", "\\Y", "[[:upper:]]", "(^a|b$)", "日",
  ]
  private static let letters = ["a", "b", "ab", "é", "\n", " ", "x", "A", "1", "日", "_"]

  /// Lets `body` read a text.
  private func with<Result>(
    _ text: String, _ body: (TextBytes) throws -> Result
  ) rethrows -> Result {
    let vector = Vector(.text, [.string(text)])
    return try withExtendedLifetime(vector) { try body(Operand(vector).bytes(0)) }
  }

  private func program(_ pattern: String, _ flags: String = "") throws -> RegexProgram {
    let options = try with(flags) { try RegexOptions($0) }
    return try with(pattern) { try RegexCompiler.compile($0, options) }
  }

  @Test("says of any text what the simulation says", arguments: 1...4)
  func agreement(_ seed: UInt64) throws {
    var random = SplitMix(state: seed * 7_919)
    func pick(_ list: [String], atMost count: Int) -> String {
      (0..<Int(random.next() % UInt64(count + 1))).map { _ in
        list[Int(random.next() % UInt64(list.count))]
      }.joined()
    }
    var agreed = 0
    for _ in 0..<400 {
      let pattern =
        (random.next() % 4 == 0 ? "^" : "") + pick(Self.pieces, atMost: 5)
        + (random.next() % 4 == 0 ? "$" : "")
      let flags = ["", "n", "i"][Int(random.next() % 3)]
      guard let program = try? program(pattern, flags),
        let automaton = RegexDeterminizer.automaton(of: program)
      else { continue }
      for _ in 0..<25 {
        let text = pick(Self.letters, atMost: 7)
        // A matcher that has seen few characters has no automaton yet.
        let simulated = with(text) { RegexMatcher(program, notesGroups: false).matches($0) }
        let found = with(text) { automaton.matches($0) }
        #expect(
          found == simulated, "\(text.debugDescription) ~ \(pattern.debugDescription) \(flags)")
        agreed += 1
      }
    }
    #expect(agreed > 5_000)
  }

  @Test(
    "is not made of what would be too large, nor of what looks ahead",
    arguments: ["(a|b)*a(a|b){12}", "a(?=b)"])
  func limits(_ pattern: String) throws {
    let program = try program(pattern)
    #expect(RegexDeterminizer.automaton(of: program) == nil)
    let matcher = RegexMatcher(program, notesGroups: false)
    let text = String(repeating: "ab" as String, count: 2_000)
    for _ in 0..<3 { #expect(with(text) { matcher.matches($0) }) }
  }

  @Test("tells at the same place in long texts of other scripts")
  func longTexts() throws {
    let program = try program("日本.*[а-я]+z$")
    let body = String(repeating: "日本語 текст " as String, count: 30_000)
    let matcher = RegexMatcher(program, notesGroups: false)
    for _ in 0..<2 {
      let found = [body + "яz", body + "z", "z"].map { text in with(text) { matcher.matches($0) } }
      #expect(found == [true, false, false])
    }
    #expect(program.automaton != nil)
  }
}
