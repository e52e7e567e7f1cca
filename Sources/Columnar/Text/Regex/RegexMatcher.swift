/// Runs a program over texts: a simulation of all threads at once, linear in the text (Thompson 1968, Pike).
///
/// Threads stand in the order of preference; two threads at one step are one, so that there are never more
/// than steps. A matcher holds scratch memory and is used by one kernel at a time.
///
/// Whether there is a match at all, and where, is asked of the program's automata once they are worth making; what is
/// left to the threads then is where the groups are.
final class RegexMatcher {
  let program: RegexProgram
  private let slotCount: Int
  private var lists: (current: ThreadList, next: ThreadList)
  /// Characters gone over, by all searches together: in a long text there may be a match at each of them.
  private var steps = 0
  /// Positions noted on the way of the thread that is being added.
  private let path: Buffer<Int32>
  private let stack: Buffer<PathEntry>
  /// Where the groups of the last match start and end; -1 for a group without part in it.
  let match: Buffer<Int32>
  private let lookAheads: [RegexMatcher]
  private var automaton: RegexAutomaton?
  private var spans: RegexSpanAutomaton?
  /// Which automata were made or asked for in vain.
  private var (isAutomatonTried, isSpansTried) = (false, false)
  /// Bytes in which matches were found by automaton, until it was last asked whether the statement is to end.
  private var searched = 0
  private static let searchedMax = 0x1_0000
  /// Characters gone over until an automaton is made.
  private static let automatonTrial = 500

  private struct PathEntry: BitwiseCopyable {
    /// A step to add, or with `slot` ≥ 0 a position to put back.
    var step: Int32
    var slot: Int32
    var position: Int32
  }

  /// The threads at one position, and which steps have one.
  private struct ThreadList {
    let steps: Buffer<UInt32>
    let slots: Buffer<Int32>
    let marks: Buffer<UInt32>
    var count = 0
    var generation: UInt32 = 0

    init(stepCount: Int, slotCount: Int) {
      steps = Buffer(uninitialized: stepCount)
      slots = Buffer(uninitialized: stepCount * slotCount)
      marks = Buffer(zeroed: stepCount)
    }

    mutating func clear() {
      count = 0
      generation &+= 1
      if generation == 0 {
        marks.fill(0..<marks.count, with: 0)
        generation = 1
      }
    }
  }

  /// A matcher that notes groups, or else only whether there is a match.
  init(_ program: RegexProgram, notesGroups: Bool) {
    self.program = program
    slotCount = notesGroups ? (program.groupCount + 1) * 2 : 2
    lists = (
      ThreadList(stepCount: program.stepCount, slotCount: slotCount),
      ThreadList(stepCount: program.stepCount, slotCount: slotCount)
    )
    path = Buffer(repeating: -1, count: slotCount)
    stack = Buffer(uninitialized: program.stepCount * 2 + 2)
    match = Buffer(repeating: -1, count: slotCount)
    lookAheads = program.lookAheads.map { RegexMatcher($0, notesGroups: false) }
    automaton = program.automaton?.copy()
    isAutomatonTried = automaton != nil
    spans = program.spanAutomaton?.copy()
    isSpansTried = spans != nil
  }

  /// Whether the expression matches somewhere in the text.
  ///
  /// - Complexity: O(text) by the automaton, O(text · steps) without.
  func matches(_ text: TextBytes) -> Bool {
    if !isAutomatonTried && steps > Self.automatonTrial {
      isAutomatonTried = true
      automaton = program.makeAutomaton()?.copy()
    }
    return automaton?.matches(text) ?? find(text, from: 0, firstOnly: true)
  }

  /// The first match from byte `start` on, noted in `match`.
  ///
  /// - Complexity: O(text) by the automata where no groups are noted, or else O(text · steps).
  func find(_ text: TextBytes, from start: Int) -> Bool {
    if !isSpansTried && steps > Self.automatonTrial {
      isSpansTried = true
      spans = program.makeSpanAutomaton()?.copy()
    }
    guard let spans else { return find(text, from: start, firstOnly: false) }
    if searched >= Self.searchedMax {
      // There may be a match at each character of a long text.
      searched = 0
      if RunningStatement.isInterrupted { return false }
    }
    switch spans.find(text, from: start) {
    case .none: return false
    case .givenUp(let place): return find(text, from: place, firstOnly: false)
    case .found(let span):
      searched &+= span.upperBound &- start &+ 1
      if slotCount > 2 {
        return find(text, from: span.lowerBound, firstOnly: false, isAnchoredHere: true)
      }
      match[0] = Int32(truncatingIfNeeded: span.lowerBound)
      match[1] = Int32(truncatingIfNeeded: span.upperBound)
      return true
    }
  }

  private func find(
    _ text: TextBytes, from start: Int, firstOnly: Bool, isAnchoredHere: Bool = false
  ) -> Bool {
    // Held here while it runs, so that nobody has to ask at each step whether another one writes to them.
    var (current, next) = lists
    defer { lists = (current, next) }
    current.clear()
    next.clear()
    var place = start
    var found = false
    if program.isAnchored && start > 0 { return false }
    while true {
      steps &+= 1
      // A statement that has to end is told so by whoever asks next; nobody gets to see what was found.
      if steps & 0xFF == 0 && RunningStatement.isInterrupted { return false }
      if current.count == 0 {
        if found { return true }
        if isAnchoredHere || program.isAnchored, place > start { return false }
        if let byte = program.firstByte, !isAnchoredHere {
          guard let hit = text.firstIndex(of: byte, from: place) else { return false }
          place = hit
        }
      }
      let startsHere = place == start || !(isAnchoredHere || program.isAnchored)
      if !found && startsHere {
        path.fill(0..<slotCount, with: -1)
        add(0, at: place, in: text, to: &current)
      }
      let isEnd = place >= text.count
      let (value, length) = isEnd ? (UInt32.max, 1) : text.codePoint(at: place)
      next.clear()
      if step(
        text, place, value, length, isEnd, current, &next, &found, firstOnly)
      {
        return true
      }
      swap(&current, &next)
      if isEnd { return found }
      place &+= length
    }
  }

  /// Moves every thread over one character; true once the match is settled.
  @inline(__always)
  private func step(
    _ text: TextBytes, _ place: Int, _ value: UInt32, _ length: Int, _ isEnd: Bool,
    _ current: ThreadList, _ next: inout ThreadList, _ found: inout Bool, _ firstOnly: Bool
  ) -> Bool {
    let steps = program.steps
    for thread in 0..<current.count {
      let number = Int(current.steps[thread])
      let step = steps[number]
      if found {
        let begin = current.slots[thread &* slotCount]
        if begin > match[0] || (begin == match[0] && !program.prefersLongest) { break }
      }
      switch step.operation {
      case .literal where !isEnd && step.a == value,
        .take where !isEnd && program.takes(Int(step.a), value):
        path.copy(current.slots, from: thread &* slotCount, count: slotCount, to: 0)
        add(number &+ 1, at: place &+ length, in: text, to: &next)
      case .match:
        // A match further left, or as far left and longer, takes the place of the one before. Threads stand in the
        // order in which they began, so that those behind it are of no use.
        let begin = current.slots[thread &* slotCount]
        let isBetter =
          !found || begin < match[0] || (program.prefersLongest && Int32(place) > match[1])
        if isBetter {
          match.copy(current.slots, from: thread &* slotCount, count: slotCount, to: 0)
          found = true
        }
        if firstOnly { return true }
      case .take, .literal, .split, .jump, .save, .assertion, .lookAhead: break
      }
    }
    return false
  }

  /// Adds the thread at a step, following jumps and splits to the steps that take characters.
  private func add(_ step: Int, at place: Int, in text: TextBytes, to list: inout ThreadList) {
    var depth = 1
    stack[0] = PathEntry(step: Int32(step), slot: -1, position: 0)
    while depth > 0 {
      depth &-= 1
      let entry = stack[depth]
      if entry.slot >= 0 {
        path[Int(entry.slot)] = entry.position
        continue
      }
      var number = Int(entry.step)
      follow: while list.marks[number] != list.generation {
        list.marks[number] = list.generation
        let step = program.steps[number]
        switch step.operation {
        case .jump: number = Int(step.a)
        case .split:
          stack[depth] = PathEntry(step: Int32(step.b), slot: -1, position: 0)
          depth &+= 1
          number = Int(step.a)
        case .save:
          let slot = Int(step.a)
          if slot < slotCount {
            stack[depth] = PathEntry(step: 0, slot: Int32(slot), position: path[slot])
            depth &+= 1
            path[slot] = Int32(truncatingIfNeeded: place)
          }
          number &+= 1
        case .assertion:
          guard holds(step.a, at: place, in: text) else { break follow }
          number &+= 1
        case .lookAhead:
          let ahead = lookAheads[Int(step.a)]
          let matches = ahead.find(text, from: place, firstOnly: true, isAnchoredHere: true)
          guard matches == (step.b == 0) else { break follow }
          number &+= 1
        case .take, .literal, .match:
          list.steps[list.count] = UInt32(truncatingIfNeeded: number)
          list.slots.copy(path, count: slotCount, to: list.count &* slotCount)
          list.count &+= 1
          break follow
        }
      }
    }
  }

  private func holds(_ assertion: UInt32, at place: Int, in text: TextBytes) -> Bool {
    switch RegexAssertion(rawValue: assertion) {
    case .textStart: return place == 0
    case .textEnd: return place == text.count
    case .lineStart: return place == 0 || text[place &- 1] == 0x0A
    case .lineEnd: return place == text.count || text[place] == 0x0A
    case .wordBoundary: return isWord(before: place, text) != isWord(at: place, text)
    case .notWordBoundary: return isWord(before: place, text) == isWord(at: place, text)
    case .wordStart: return !isWord(before: place, text) && isWord(at: place, text)
    case .wordEnd: return isWord(before: place, text) && !isWord(at: place, text)
    case nil: return false
    }
  }

  private func isWord(at place: Int, _ text: TextBytes) -> Bool {
    place < text.count && RegexClass.isWord(text.codePoint(at: place).value)
  }

  private func isWord(before place: Int, _ text: TextBytes) -> Bool {
    if place == 0 { return false }
    var start = place &- 1
    while start > 0 && text[start] & 0xC0 == 0x80 { start &-= 1 }
    return RegexClass.isWord(text.codePoint(at: start).value)
  }
}
