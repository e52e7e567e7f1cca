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

  private func pick(
    _ list: [String], atMost count: Int, _ random: inout SplitMix
  ) -> String {
    (0..<Int(random.next() % UInt64(count + 1))).map { _ in
      list[Int(random.next() % UInt64(list.count))]
    }.joined()
  }

  private func pattern(_ random: inout SplitMix, _ pieces: [String]) -> String {
    (random.next() % 4 == 0 ? "^" : "") + pick(pieces, atMost: 5, &random)
      + (random.next() % 4 == 0 ? "$" : "")
  }

  @Test("says of any text what the simulation says", arguments: 1...4)
  func agreement(_ seed: UInt64) throws {
    var random = SplitMix(state: seed * 7_919)
    var agreed = 0
    for _ in 0..<400 {
      let pattern = pattern(&random, Self.pieces)
      let flags = ["", "n", "i"][Int(random.next() % 3)]
      guard let program = try? program(pattern, flags),
        let automaton = RegexDeterminizer.automaton(of: program)
      else { continue }
      for _ in 0..<25 {
        let text = pick(Self.letters, atMost: 7, &random)
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

  @Test("says of any text where the simulation finds its matches", arguments: 1...4)
  func agreementOnSpans(_ seed: UInt64) throws {
    var random = SplitMix(state: seed * 104_729)
    var found = 0
    for _ in 0..<400 {
      let pattern = pattern(&random, Self.pieces + ["a*?", "(b|é)+?", "x??"])
      let flags = ["", "n", "i"][Int(random.next() % 3)]
      guard let program = try? program(pattern, flags),
        let automaton = RegexDeterminizer.spanAutomaton(of: program)
      else { continue }
      for _ in 0..<25 {
        let text = pick(Self.letters, atMost: 9, &random)
        with(text) { (bytes) in
          for start in 0...bytes.count where start == bytes.count || bytes[start] & 0xC0 != 0x80 {
            // A matcher that has seen few characters has no automaton yet.
            let matcher = RegexMatcher(program, notesGroups: false)
            let simulated =
              matcher.find(bytes, from: start)
              ? RegexSpanAutomaton.Search.found(Int(matcher.match[0])..<Int(matcher.match[1]))
              : .none
            let span = automaton.find(bytes, from: start)
            if case .givenUp = span { continue }
            #expect(
              span == simulated,
              "\(text.debugDescription) ~ \(pattern.debugDescription) \(flags) from \(start)")
            found += 1
          }
        }
      }
    }
    #expect(found > 20_000)
  }

  @Test("gives up where each place of a long text would have to be followed to its end")
  func givingUp() throws {
    let program = try program("a*b")
    let text = String(repeating: "a" as String, count: 100_000)
    let automaton = try #require(RegexDeterminizer.spanAutomaton(of: program))
    let search = with(text) { automaton.find($0, from: 0) }
    guard case .givenUp(let place) = search else {
      Issue.record("\(search)")
      return
    }
    #expect(place < 10)
    let matcher = RegexMatcher(program, notesGroups: false)
    for _ in 0..<3 { #expect(with(text + "b") { matcher.find($0, from: 0) }) }
    #expect(matcher.match[0] == 0 && matcher.match[1] == 100_001)
    #expect(!with(text) { matcher.find($0, from: 0) })
  }

  @Test("wastes no more on all matches of a text than in proportion to it")
  func manyMatches() throws {
    let program = try program("a+b|c")
    let text = String(
      repeating: "c" + String(repeating: "a" as String, count: 300) as String, count: 200)
    let automaton = try #require(RegexDeterminizer.spanAutomaton(of: program))
    // How much may be wasted hangs on how far a search has got, not on how long the text is.
    let search = with(text) { automaton.find($0, from: 1) }
    guard case .givenUp = search else {
      Issue.record("\(search)")
      return
    }
    let matcher = RegexMatcher(program, notesGroups: false)
    let found = with(text) { (bytes) in
      var (found, place) = (0, 0)
      while place < bytes.count, matcher.find(bytes, from: place) {
        found += 1
        place = Int(matcher.match[1])
      }
      return found
    }
    #expect(found == 200)
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
