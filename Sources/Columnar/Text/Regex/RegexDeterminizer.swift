/// Makes the automata of a regular expression, if they are not too large.
struct RegexDeterminizer {
  private let program: RegexProgram
  private let kinds: CharacterKinds
  /// Whether a match may begin later than where the automaton does.
  private let mayBeginLater: Bool
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
    var before: RegexBefore
    /// Whether a thread is through here.
    var matches = false
  }

  /// What comes next: a character, or the end of the text.
  private enum Next {
    case character(UInt32)
    case end
  }

  /// The automaton that says whether a program matches; nil where it would be too large, or the program looks ahead.
  static func automaton(of program: RegexProgram) -> RegexAutomaton? {
    guard program.lookAheads.isEmpty, let kinds = CharacterKinds(of: program) else { return nil }
    var maker = RegexDeterminizer(program, kinds, mayBeginLater: !program.isAnchored)
    return maker.make()
  }

  /// The automaton that says where the matches of a program are; nil as for `automaton(of:)`.
  static func spanAutomaton(of program: RegexProgram) -> RegexSpanAutomaton? {
    guard program.lookAheads.isEmpty, let kinds = CharacterKinds(of: program) else { return nil }
    var maker = RegexDeterminizer(program, kinds, mayBeginLater: false)
    return maker.makeSpans()
  }

  private init(_ program: RegexProgram, _ kinds: CharacterKinds, mayBeginLater: Bool) {
    self.program = program
    self.kinds = kinds
    self.mayBeginLater = mayBeginLater
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

  private mutating func makeSpans() -> RegexSpanAutomaton? {
    var starts: [UInt16] = []
    for before in RegexBefore.allCases {
      let found = followed([0]) { _ in nil }
      starts.append(number(of: State(steps: found.steps, before: before, matches: found.matches)))
    }
    let width = kinds.count + 1
    // The two states that no state has a number of: the first rejects, the second is not used.
    var table = [UInt16](repeating: RegexAutomaton.rejecting, count: width * 2)
    var done = 0
    while done < states.count {
      let state = states[done]
      done += 1
      for sample in kinds.samples {
        let threads = settled(state, .character(sample))
        let found = followed(taking(sample, threads.steps)) { _ in nil }
        let next = number(
          of: State(steps: found.steps, before: before(sample), matches: found.matches))
        table.append(threads.matches ? next | RegexSpanAutomaton.matchesHere : next)
      }
      table.append(settled(state, .end).matches ? RegexSpanAutomaton.matchesHere : 0)
      if states.count > Self.stateMax || effort < 0 { return nil }
    }
    return RegexSpanAutomaton(
      kinds, table, starts: starts, prefersLongest: program.prefersLongest,
      firstByte: program.firstByte, isAnchored: program.isAnchored, asksForWords: asksForWords,
      asksForLines: asksForLines)
  }

  /// The state that follows.
  private mutating func next(_ state: State, _ next: Next) -> UInt16 {
    let threads = settled(state, next)
    if threads.matches { return RegexAutomaton.accepting }
    guard case .character(let value) = next else { return RegexAutomaton.rejecting }
    var steps = taking(value, threads.steps)
    if mayBeginLater { steps.append(0) }
    return number(of: reached(steps, before(value)))
  }

  /// The steps behind those of `steps` that take a character.
  private func taking(_ value: UInt32, _ steps: [UInt32]) -> [UInt32] {
    steps.filter { takes(program.steps[Int($0)], value) }.map { $0 + 1 }
  }

  private func takes(_ step: RegexStep, _ value: UInt32) -> Bool {
    switch step.operation {
    case .literal: step.a == value
    case .take: program.takes(Int(step.a), value)
    case .split, .jump, .save, .assertion, .lookAhead, .match: false
    }
  }

  private func before(_ value: UInt32) -> RegexBefore {
    RegexBefore(value, asksForWords: asksForWords, asksForLines: asksForLines)
  }

  private mutating func number(of state: State?) -> UInt16 {
    guard let state else { return RegexAutomaton.accepting }
    if state.steps.isEmpty && !state.matches { return RegexAutomaton.rejecting }
    if let number = numbers[state] { return number }
    let number = RegexAutomaton.start + UInt16(truncatingIfNeeded: states.count)
    numbers[state] = number
    states.append(state)
    return number
  }

  /// The state of threads at `steps`, which have not asserted anything yet; nil if one of them is through.
  private mutating func reached(_ steps: [UInt32], _ before: RegexBefore) -> State? {
    let found = followed(steps) { _ in nil }
    return found.matches ? nil : State(steps: found.steps, before: before)
  }

  /// The threads of a state once it is known what comes next.
  private mutating func settled(
    _ state: State, _ next: Next
  ) -> (steps: [UInt32], matches: Bool) {
    if program.assertions.isEmpty { return (state.steps, state.matches) }
    let (program, asked) = (program, state.before)
    let found = followed(state.steps) { (step) -> Bool? in
      RegexAssertion(rawValue: program.steps[Int(step)].a).map {
        Self.holds($0, between: asked, next)
      } ?? false
    }
    return (found.steps, found.matches || state.matches)
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
    _ assertion: RegexAssertion, between before: RegexBefore, _ next: Next
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

/// What assertions ask of the character before a place; as little as the program needs to know.
enum RegexBefore: UInt8, CaseIterable {
  case nothing, lineEnd, word, other

  init(_ value: UInt32, asksForWords: Bool, asksForLines: Bool) {
    if asksForLines && value == 0x0A {
      self = .lineEnd
    } else if asksForWords && RegexClass.isWord(value) {
      self = .word
    } else {
      self = .other
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
