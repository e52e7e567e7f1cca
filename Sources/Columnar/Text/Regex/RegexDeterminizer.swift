/// Makes the automaton of a regular expression, if it is not too large.
struct RegexDeterminizer {
  private let program: RegexProgram
  private let kinds: CharacterKinds
  private let asksForWords: Bool
  private let asksForLines: Bool
  private var numbers: [State: UInt16] = [:]
  private var states: [State] = []
  /// How many steps may still be looked at.
  private var effort = 200_000

  private static let stateMax = 500

  /// Where threads stand, and what stood before.
  private struct State: Hashable {
    /// Steps in order that take a character or assert something.
    var steps: [UInt32]
    var before: Before
  }

  /// What assertions ask of the character before; as little as the program needs to know.
  private enum Before: UInt8 {
    case nothing, lineEnd, word, other
  }

  /// What comes next: a character, or the end of the text.
  private enum Next {
    case character(UInt32)
    case end
  }

  /// The automaton of a program; nil where it would be too large, or the program looks ahead.
  static func automaton(of program: RegexProgram) -> RegexAutomaton? {
    guard program.lookAheads.isEmpty, let kinds = CharacterKinds(of: program) else { return nil }
    var maker = RegexDeterminizer(program, kinds)
    return maker.make()
  }

  private init(_ program: RegexProgram, _ kinds: CharacterKinds) {
    self.program = program
    self.kinds = kinds
    asksForWords = program.assertions.contains { $0.isOfWords }
    asksForLines = program.assertions.contains { $0.isOfLines }
  }

  private mutating func make() -> RegexAutomaton? {
    let width = kinds.count + 1
    var table = [UInt16](repeating: RegexAutomaton.rejecting, count: width)
    table += [UInt16](repeating: RegexAutomaton.accepting, count: width)
    let first = reached([0], .nothing)
    guard number(of: first) == RegexAutomaton.start else {
      // The empty text matches at once.
      return RegexAutomaton(
        kinds, table + [UInt16](repeating: RegexAutomaton.accepting, count: width), firstByte: nil)
    }
    var done = 0
    while done < states.count {
      let state = states[done]
      done += 1
      for sample in kinds.samples { table.append(next(state, .character(sample))) }
      table.append(next(state, .end))
      if states.count > Self.stateMax || effort < 0 { return nil }
    }
    return RegexAutomaton(kinds, table, firstByte: program.firstByte)
  }

  /// The state that follows.
  private mutating func next(_ state: State, _ next: Next) -> UInt16 {
    let threads = settled(state, next)
    if threads.matches { return RegexAutomaton.accepting }
    guard case .character(let value) = next else { return RegexAutomaton.rejecting }
    var steps: [UInt32] = []
    for number in threads.steps where takes(program.steps[Int(number)], value) {
      steps.append(number + 1)
    }
    if !program.isAnchored { steps.append(0) }
    return number(of: reached(steps, before(value)))
  }

  private func takes(_ step: RegexStep, _ value: UInt32) -> Bool {
    switch step.operation {
    case .literal: step.a == value
    case .take: program.takes(Int(step.a), value)
    case .split, .jump, .save, .assertion, .lookAhead, .match: false
    }
  }

  private func before(_ value: UInt32) -> Before {
    if asksForLines && value == 0x0A { return .lineEnd }
    if asksForWords && RegexClass.isWord(value) { return .word }
    return .other
  }

  private mutating func number(of state: State?) -> UInt16 {
    guard let state else { return RegexAutomaton.accepting }
    if state.steps.isEmpty { return RegexAutomaton.rejecting }
    if let number = numbers[state] { return number }
    let number = RegexAutomaton.start + UInt16(truncatingIfNeeded: states.count)
    numbers[state] = number
    states.append(state)
    return number
  }

  /// The state of threads at `steps`, which have not asserted anything yet; nil if one of them is through.
  private mutating func reached(_ steps: [UInt32], _ before: Before) -> State? {
    let found = followed(steps) { _ in nil }
    return found.matches ? nil : State(steps: found.steps, before: before)
  }

  /// The threads of a state once it is known what comes next.
  private mutating func settled(
    _ state: State, _ next: Next
  ) -> (steps: [UInt32], matches: Bool) {
    if program.assertions.isEmpty { return (state.steps, false) }
    let (program, asked) = (program, state.before)
    return followed(state.steps) { (step) -> Bool? in
      RegexAssertion(rawValue: program.steps[Int(step)].a).map {
        Self.holds($0, between: asked, next)
      } ?? false
    }
  }

  /// The steps in order to which threads get without taking a character; those that assert something remain where `holds` does not
  /// know, and are gone where it says no.
  private mutating func followed(
    _ steps: [UInt32], _ holds: (UInt32) -> Bool?
  ) -> (steps: [UInt32], matches: Bool) {
    var seen: Set<UInt32> = []
    var found: [UInt32] = []
    var matches = false
    var pending = steps
    while let number = pending.popLast() {
      effort -= 1
      guard effort >= 0 else { return ([], false) }
      guard seen.insert(number).inserted else { continue }
      let step = program.steps[Int(number)]
      switch step.operation {
      case .jump: pending.append(step.a)
      case .split: pending += [step.a, step.b]
      case .save: pending.append(number + 1)
      case .match: matches = true
      case .take, .literal, .lookAhead: found.append(number)
      case .assertion:
        switch holds(number) {
        case nil: found.append(number)
        case true?: pending.append(number + 1)
        case false?: break
        }
      }
    }
    return (found.sorted(), matches)
  }

  private static func holds(
    _ assertion: RegexAssertion, between before: Before, _ next: Next
  ) -> Bool {
    var isEnd = false
    var value = UInt32.max
    switch next {
    case .end: isEnd = true
    case .character(let character): value = character
    }
    let isWord = !isEnd && RegexClass.isWord(value)
    switch assertion {
    case .textStart: return before == .nothing
    case .textEnd: return isEnd
    case .lineStart: return before == .nothing || before == .lineEnd
    case .lineEnd: return isEnd || value == 0x0A
    case .wordBoundary: return (before == .word) != isWord
    case .notWordBoundary: return (before == .word) == isWord
    case .wordStart: return before != .word && isWord
    case .wordEnd: return before == .word && !isWord
    }
  }
}

extension RegexAssertion {
  /// Whether it asks if characters are of words.
  var isOfWords: Bool {
    switch self {
    case .wordBoundary, .notWordBoundary, .wordStart, .wordEnd: true
    case .textStart, .textEnd, .lineStart, .lineEnd: false
    }
  }

  /// Whether it asks for line ends.
  var isOfLines: Bool {
    switch self {
    case .lineStart, .lineEnd: true
    case .textStart, .textEnd, .wordBoundary, .notWordBoundary, .wordStart, .wordEnd: false
    }
  }
}
