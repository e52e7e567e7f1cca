import Synchronization

/// One step of a compiled regular expression.
struct RegexStep: BitwiseCopyable, Sendable {
  /// What a step does; `a` and `b` are its operands.
  enum Operation: UInt8, BitwiseCopyable, Sendable {
    /// Takes one character of class `a`.
    case take
    /// Takes the character `a`.
    case literal
    /// Goes on at `a` and, less preferred, at `b`.
    case split
    case jump
    /// Notes the position: the start of group *n* at 2*n*, its end at 2*n* + 1.
    case save
    /// Holds if assertion `a` does.
    case assertion
    /// Holds if program `a` matches from here, or with `b` = 1 if it does not.
    case lookAhead
    case match
  }
  var operation: Operation
  var a: UInt32 = 0
  var b: UInt32 = 0
}

/// What must hold at a position without taking a character.
enum RegexAssertion: UInt32, Sendable {
  case textStart, textEnd, lineStart, lineEnd
  case wordBoundary, notWordBoundary, wordStart, wordEnd
}

/// A set of characters: ranges of code points, possibly inverted.
struct RegexClass: Sendable {
  var ranges: [ClosedRange<UInt32>] = []
  var isInverted = false
  /// Answers for ASCII, once the class is complete.
  private(set) var low: (UInt64, UInt64) = (0, 0)

  init(_ ranges: [ClosedRange<UInt32>] = [], isInverted: Bool = false) {
    self.ranges = ranges
    self.isInverted = isInverted
  }

  mutating func add(_ value: UInt32) { ranges.append(value...value) }

  /// Adds the other case of every letter.
  mutating func foldCase() {
    var more: [ClosedRange<UInt32>] = []
    for range in ranges {
      // Long ranges beyond Latin hardly mean single letters; they are left as they are.
      for value in range.lowerBound...min(range.upperBound, range.lowerBound &+ 0x500) {
        let upper = CharacterCase.upper(value)
        let lower = CharacterCase.lower(value)
        if upper != value { more.append(upper...upper) }
        if lower != value { more.append(lower...lower) }
      }
    }
    ranges += more
  }

  /// Sorts the ranges and works the answers for ASCII out.
  mutating func complete() {
    let sorted = ranges.sorted { $0.lowerBound < $1.lowerBound }
    var merged: [ClosedRange<UInt32>] = []
    for range in sorted {
      if let last = merged.last, range.lowerBound <= last.upperBound &+ 1 {
        merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    ranges = merged
    for value in UInt32(0)..<128 where search(value) != isInverted {
      if value < 64 {
        low.0 |= 1 << UInt64(value)
      } else {
        low.1 |= 1 << UInt64(value - 64)
      }
    }
  }

  private func search(_ value: UInt32) -> Bool {
    var lower = 0
    var upper = ranges.count
    while lower < upper {
      let middle = (lower + upper) / 2
      if ranges[middle].upperBound < value { lower = middle + 1 } else { upper = middle }
    }
    return lower < ranges.count && ranges[lower].contains(value)
  }

  func contains(_ value: UInt32) -> Bool {
    if value < 64 { return low.0 &>> UInt64(value) & 1 != 0 }
    if value < 128 { return low.1 &>> UInt64(value &- 64) & 1 != 0 }
    return search(value) != isInverted
  }

  static let digits = [UInt32(0x30)...0x39]
  static let spaces: [ClosedRange<UInt32>] = [0x09...0x0D, 0x20...0x20, 0x85...0x85, 0xA0...0xA0]
  /// Letters, digits and the underscore; every letter past ASCII is near enough one of a word.
  static let words: [ClosedRange<UInt32>] = [
    0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A, 0xAA...0xAA, 0xB5...0xB5, 0xBA...0xBA,
    0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2C1, 0x370...0x373, 0x376...0x377, 0x37B...0x37D,
    0x386...0x386, 0x388...0x481, 0x48A...0x556, 0x561...0x587, 0x5D0...0x5EA, 0x620...0x669,
    0x671...0x6D3, 0x900...0x1FFF, 0x3040...0xD7FF, 0xF900...0xFAFF, 0x10000...0x1FFFF,
    0x20000...0x3FFFF,
  ]

  static func isWord(_ value: UInt32) -> Bool {
    if value < 128 {
      return value &- 0x30 < 10 || (value | 0x20) &- 0x61 < 26 || value == 0x5F
    }
    return words.contains { $0.contains(value) }
  }
}

/// A compiled regular expression.
///
/// Sendable by rule: nothing is written once it is made.
final class RegexProgram: @unchecked Sendable {
  let steps: Buffer<RegexStep>
  let stepCount: Int
  let classes: [RegexClass]
  /// The answers of each class for ASCII, two words a class.
  let asciiBits: Buffer<UInt64>
  let lookAheads: [RegexProgram]
  /// The groups in parentheses, the whole match not counted.
  let groupCount: Int
  /// Whether the longest of the matches that start first is taken, or the shortest.
  let prefersLongest: Bool
  /// The byte every match begins with, if there is just one.
  let firstByte: UInt8?
  /// Whether a match can only begin where the text does.
  let isAnchored: Bool
  let assertions: Set<RegexAssertion>
  /// nil until it is asked for; nil inside where there is none.
  private let table = Mutex<RegexAutomaton??>(nil)
  private let spanTable = Mutex<RegexSpanAutomaton??>(nil)

  init(
    steps: [RegexStep], classes: [RegexClass], lookAheads: [RegexProgram], groupCount: Int,
    prefersLongest: Bool
  ) {
    self.steps = Buffer(steps)
    stepCount = steps.count
    self.classes = classes
    self.lookAheads = lookAheads
    self.groupCount = groupCount
    self.prefersLongest = prefersLongest
    asciiBits = Buffer(classes.flatMap { [$0.low.0, $0.low.1] })
    var place = 0
    while place < steps.count, steps[place].operation == .save { place += 1 }
    let first = steps[place]
    firstByte = first.operation == .literal && first.a < 0x80 ? UInt8(first.a) : nil
    isAnchored =
      first.operation == .assertion && first.a == RegexAssertion.textStart.rawValue
    assertions = Set(
      steps.lazy.filter { $0.operation == .assertion }.compactMap { RegexAssertion(rawValue: $0.a) }
    )
  }

  /// The automaton that says whether a text matches, if somebody had it made.
  var automaton: RegexAutomaton? { table.withLock { $0 ?? nil } }

  /// Makes the automaton, which is worth it once many characters have been looked at.
  ///
  /// - Returns: nil where it would be too large.
  func makeAutomaton() -> RegexAutomaton? {
    table.withLock { (table) in
      if let made = table { return made }
      let made = RegexDeterminizer.automaton(of: self)
      table = .some(made)
      return made
    }
  }

  /// The automaton that says where a text matches, if somebody had it made.
  var spanAutomaton: RegexSpanAutomaton? { spanTable.withLock { $0 ?? nil } }

  /// Makes the automaton of spans; nil where it would be too large.
  func makeSpanAutomaton() -> RegexSpanAutomaton? {
    spanTable.withLock { (table) in
      if let made = table { return made }
      let made = RegexDeterminizer.spanAutomaton(of: self)
      table = .some(made)
      return made
    }
  }

  /// Whether a class has a character.
  @inline(__always)
  func takes(_ set: Int, _ value: UInt32) -> Bool {
    if value < 128 {
      return asciiBits[set &* 2 &+ Int(value &>> 6)] &>> UInt64(value & 63) & 1 != 0
    }
    return classes[set].contains(value)
  }
}
