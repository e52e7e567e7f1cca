import Diagnostics

/// A node of a parsed regular expression.
indirect enum RegexNode {
  case empty
  case literal(UInt32)
  case set(RegexClass)
  case assertion(RegexAssertion)
  case sequence([RegexNode])
  case alternatives([RegexNode])
  case group(Int, RegexNode)
  case lookAhead(RegexNode, negated: Bool)
  /// `most` is nil for no upper bound.
  /// `isFixed` for `{m}`, which is as greedy as what it repeats; `{m,m}` is greedy.
  case repetition(RegexNode, least: Int, most: Int?, isLazy: Bool, isFixed: Bool)
}

/// How a regular expression is read.
struct RegexOptions: Hashable {
  var ignoresCase = false
  /// Whether `^` and `$` match at line ends, and `.` and inverted classes leave line ends out.
  var isMultiline = false
  var isLiteral = false
  var isExpanded = false
  var isGlobal = false

  /// The options of the letters that regexp functions take.
  ///
  /// - Throws: 22023.
  init(_ flags: TextBytes? = nil) throws(SQLError) {
    guard let flags else { return }
    for index in 0..<flags.count {
      switch flags[index] {
      case 0x67: isGlobal = true
      case 0x69: ignoresCase = true
      case 0x63: ignoresCase = false
      case 0x6E, 0x6D, 0x77, 0x70: isMultiline = true
      case 0x73: isMultiline = false
      case 0x71: isLiteral = true
      case 0x78: isExpanded = true
      case 0x74: isExpanded = false
      case 0x62, 0x65: break
      default:
        let letter = flags.slice(index..<flags.offset(of: 1, from: index)).string
        throw SQLError(
          .invalidParameterValue, "invalid regular expression option: \"\(letter)\"")
      }
    }
  }
}

/// Reads PostgreSQL's advanced regular expressions, but for back references.
struct RegexParser {
  private let pattern: [UInt32]
  private var index = 0
  private var options: RegexOptions
  private var depth = 0
  private(set) var groupCount = 0

  init(_ text: TextBytes, _ options: RegexOptions) {
    var points: [UInt32] = []
    var place = 0
    while place < text.count {
      let (value, length) = text.codePoint(at: place)
      points.append(value)
      place += length
    }
    pattern = points
    self.options = options
  }

  private static func invalid(_ what: String) -> SQLError {
    SQLError(.invalidRegularExpression, "invalid regular expression: \(what)")
  }

  /// - Throws: 2201B, 54001 for parentheses nested too deeply.
  mutating func parse() throws(SQLError) -> RegexNode {
    if starts(with: "***=") {
      index = 4
      options.isLiteral = true
    } else if starts(with: "***:") {
      index = 4
    }
    if options.isLiteral { return .sequence(pattern[index...].map { literal($0) }) }
    try parseEmbeddedOptions()
    let node = try parseAlternatives()
    if index < pattern.count { throw Self.invalid("parentheses () not balanced") }
    return node
  }

  private func starts(with text: StaticString) -> Bool {
    let wanted = Array("\(text)".unicodeScalars.map(\.value))
    return pattern.count >= index + wanted.count
      && Array(pattern[index..<(index + wanted.count)]) == wanted
  }

  /// `(?i)` and its like at the very start.
  private mutating func parseEmbeddedOptions() throws(SQLError) {
    guard starts(with: "(?"), let close = pattern[index...].firstIndex(of: 0x29),
      close > index + 2,
      pattern[(index + 2)..<close].allSatisfy({ $0 &- 0x61 < 26 })
    else { return }
    for letter in pattern[(index + 2)..<close] {
      switch letter {
      case 0x69: options.ignoresCase = true
      case 0x63: options.ignoresCase = false
      case 0x6E, 0x6D, 0x77, 0x70: options.isMultiline = true
      case 0x73: options.isMultiline = false
      case 0x78: options.isExpanded = true
      default: break
      }
    }
    index = close + 1
  }

  private func peek(_ ahead: Int = 0) -> UInt32? {
    index + ahead < pattern.count ? pattern[index + ahead] : nil
  }

  private mutating func parseAlternatives() throws(SQLError) -> RegexNode {
    depth += 1
    defer { depth -= 1 }
    if depth > 200 {
      throw SQLError(.statementTooComplex, "regular expression is nested too deeply")
    }
    var branches = [try parseSequence()]
    while peek() == 0x7C {
      index += 1
      branches.append(try parseSequence())
    }
    return branches.count == 1 ? branches[0] : .alternatives(branches)
  }

  private mutating func parseSequence() throws(SQLError) -> RegexNode {
    var parts: [RegexNode] = []
    while let character = peek(), character != 0x7C, character != 0x29 {
      if options.isExpanded && skipsExpanded(character) { continue }
      let atom = try parseAtom()
      parts.append(try parseRepetition(of: atom))
    }
    return parts.count == 1 ? parts[0] : .sequence(parts)
  }

  private mutating func skipsExpanded(_ character: UInt32) -> Bool {
    if character == 0x23 {
      while let next = peek(), next != 0x0A { index += 1 }
      return true
    }
    if character == 0x20 || (0x09...0x0D).contains(character) {
      index += 1
      return true
    }
    return false
  }

  private mutating func parseRepetition(of atom: RegexNode) throws(SQLError) -> RegexNode {
    guard let character = peek() else { return atom }
    var least = 0
    var most: Int?
    var isFixed = false
    switch character {
    case 0x2A: index += 1
    case 0x2B:
      index += 1
      least = 1
    case 0x3F:
      index += 1
      most = 1
    case 0x7B where peek(1).map { $0 &- 0x30 < 10 } ?? false:
      (least, most, isFixed) = try parseBounds()
    default: return atom
    }
    if case .assertion = atom { throw Self.invalid("quantifier operand invalid") }
    if case .lookAhead = atom { throw Self.invalid("quantifier operand invalid") }
    var isLazy = false
    if peek() == 0x3F {
      index += 1
      isLazy = true
    }
    if let next = peek(), next == 0x2A || next == 0x2B || next == 0x3F {
      throw Self.invalid("quantifier operand invalid")
    }
    return .repetition(atom, least: least, most: most, isLazy: isLazy, isFixed: isFixed)
  }

  private mutating func parseNumber() -> Int? {
    var value: Int?
    while let digit = peek(), digit &- 0x30 < 10 {
      value = min((value ?? 0) * 10 + Int(digit - 0x30), 100_000)
      index += 1
    }
    return value
  }

  private mutating func parseBounds() throws(SQLError) -> (Int, Int?, isFixed: Bool) {
    index += 1
    let least = parseNumber() ?? 0
    var most: Int? = least
    let isFixed = peek() != 0x2C
    if !isFixed {
      index += 1
      most = parseNumber()
    }
    guard peek() == 0x7D else { throw Self.invalid("braces {} not balanced") }
    index += 1
    if least > 255 || (most ?? 0) > 255 || least > (most ?? least) {
      throw Self.invalid("invalid repetition count(s)")
    }
    return (least, most, isFixed)
  }

  private func literal(_ value: UInt32) -> RegexNode {
    if options.ignoresCase {
      let lower = CharacterCase.lower(value)
      let upper = CharacterCase.upper(value)
      if lower != upper { return set([lower...lower, upper...upper]) }
    }
    return .literal(value)
  }

  private func set(_ ranges: [ClosedRange<UInt32>], isInverted: Bool = false) -> RegexNode {
    var result = RegexClass(ranges, isInverted: isInverted)
    result.complete()
    return .set(result)
  }

  private mutating func parseAtom() throws(SQLError) -> RegexNode {
    let character = pattern[index]
    index += 1
    switch character {
    case 0x28: return try parseGroup()
    case 0x5B: return try parseBracket()
    case 0x2E: return set(options.isMultiline ? [0x0A...0x0A] : [], isInverted: true)
    case 0x5E: return .assertion(options.isMultiline ? .lineStart : .textStart)
    case 0x24: return .assertion(options.isMultiline ? .lineEnd : .textEnd)
    case 0x5C: return try parseEscape()
    case 0x2A, 0x2B, 0x3F: throw Self.invalid("quantifier operand invalid")
    default: return literal(character)
    }
  }

  private mutating func parseGroup() throws(SQLError) -> RegexNode {
    var number: Int?
    var lookAhead: Bool?
    if peek() == 0x3F {
      switch peek(1) {
      case 0x3A: index += 2
      case 0x3D:
        index += 2
        lookAhead = false
      case 0x21:
        index += 2
        lookAhead = true
      case 0x3C: throw SQLError.unsupported("looking behind in a regular expression")
      default: throw Self.invalid("quantifier operand invalid")
      }
    } else {
      groupCount += 1
      number = groupCount
    }
    let inner = try parseAlternatives()
    guard peek() == 0x29 else { throw Self.invalid("parentheses () not balanced") }
    index += 1
    if let lookAhead { return .lookAhead(inner, negated: lookAhead) }
    return number.map { .group($0, inner) } ?? inner
  }

  private mutating func parseEscape() throws(SQLError) -> RegexNode {
    guard let character = peek() else { throw Self.invalid("invalid escape \\ sequence") }
    index += 1
    let newline: [ClosedRange<UInt32>] = options.isMultiline ? [0x0A...0x0A] : []
    switch character {
    case 0x64: return set(RegexClass.digits)
    case 0x44: return set(RegexClass.digits + newline, isInverted: true)
    case 0x73: return set(RegexClass.spaces)
    case 0x53: return set(RegexClass.spaces + newline, isInverted: true)
    case 0x77: return set(RegexClass.words)
    case 0x57: return set(RegexClass.words + newline, isInverted: true)
    case 0x41: return .assertion(.textStart)
    case 0x5A: return .assertion(.textEnd)
    case 0x79: return .assertion(.wordBoundary)
    case 0x59: return .assertion(.notWordBoundary)
    case 0x6D: return .assertion(.wordStart)
    case 0x4D: return .assertion(.wordEnd)
    case 0x31...0x39:
      throw SQLError.unsupported("a back reference in a regular expression")
    default: return literal(try characterEscape(character))
    }
  }

  /// The character that an escape stands for.
  private mutating func characterEscape(_ character: UInt32) throws(SQLError) -> UInt32 {
    switch character {
    case 0x61: return 0x07
    case 0x62: return 0x08
    case 0x42: return 0x5C
    case 0x65: return 0x1B
    case 0x66: return 0x0C
    case 0x6E: return 0x0A
    case 0x72: return 0x0D
    case 0x74: return 0x09
    case 0x76: return 0x0B
    case 0x30: return 0
    case 0x75: return try hexEscape(4)
    case 0x55: return try hexEscape(8)
    case 0x78: return try hexEscape(nil)
    default:
      if CharacterCase.isAlphanumeric(character) && character < 0x80 {
        throw Self.invalid("invalid escape \\ sequence")
      }
      return character
    }
  }

  private mutating func hexEscape(_ length: Int?) throws(SQLError) -> UInt32 {
    var value: UInt32 = 0
    var count = 0
    while count < length ?? 8, let digit = peek(),
      let number = CodeFunctions.hexValue(UInt8(truncatingIfNeeded: min(digit, 127)))
    {
      value = value << 4 | UInt32(number)
      index += 1
      count += 1
    }
    guard count == length ?? max(count, 1), value <= 0x10FFFF else {
      throw Self.invalid("invalid escape \\ sequence")
    }
    return value
  }

  private mutating func parseBracket() throws(SQLError) -> RegexNode {
    // [[:<:]] and [[:>:]] are the ends of a word.
    if starts(with: "[:<:]]") || starts(with: "[:>:]]") {
      let isStart = pattern[index + 2] == 0x3C
      index += 6
      return .assertion(isStart ? .wordStart : .wordEnd)
    }
    var result = RegexClass()
    if peek() == 0x5E {
      index += 1
      result.isInverted = true
    }
    var isFirst = true
    while true {
      guard let character = peek() else { throw Self.invalid("brackets [] not balanced") }
      if character == 0x5D && !isFirst {
        index += 1
        break
      }
      isFirst = false
      guard let lower = try parseBracketItem(&result) else { continue }
      var upper = lower
      if peek() == 0x2D, let after = peek(1), after != 0x5D {
        index += 1
        guard let end = try parseBracketItem(&result) else {
          throw Self.invalid("invalid character range")
        }
        upper = end
      }
      if upper < lower { throw Self.invalid("invalid character range") }
      result.ranges.append(lower...upper)
    }
    if options.ignoresCase { result.foldCase() }
    if result.isInverted && options.isMultiline { result.add(0x0A) }
    result.complete()
    return .set(result)
  }

  /// One character, or nil after adding a class to `result`.
  private mutating func parseBracketItem(_ result: inout RegexClass) throws(SQLError) -> UInt32? {
    let character = pattern[index]
    index += 1
    if character == 0x5B, let kind = peek(), kind == 0x3A || kind == 0x2E || kind == 0x3D {
      return try parseNamedClass(kind, &result)
    }
    guard character == 0x5C, let escaped = peek() else { return character }
    index += 1
    switch escaped {
    case 0x64: result.ranges += RegexClass.digits
    case 0x73: result.ranges += RegexClass.spaces
    case 0x77: result.ranges += RegexClass.words
    default: return try characterEscape(escaped)
    }
    return nil
  }

  private mutating func parseNamedClass(
    _ kind: UInt32, _ result: inout RegexClass
  ) throws(SQLError) -> UInt32? {
    let start = index + 1
    var end = start
    while end + 1 < pattern.count && !(pattern[end] == kind && pattern[end + 1] == 0x5D) {
      end += 1
    }
    guard end + 1 < pattern.count else { throw Self.invalid("brackets [] not balanced") }
    let inner = pattern[start..<end]
    index = end + 2
    if kind != 0x3A {
      guard inner.count == 1, let only = inner.first else {
        throw Self.invalid("invalid collating element")
      }
      return only
    }
    let name = String(String.UnicodeScalarView(inner.compactMap { Unicode.Scalar($0) }))
    guard let ranges = Self.named[name] else { throw Self.invalid("invalid character class") }
    result.ranges += ranges
    return nil
  }

  private static let named: [String: [ClosedRange<UInt32>]] = {
    let letters = RegexClass.words.filter { $0.lowerBound > 0x39 && $0.lowerBound != 0x5F }
    return [
      "alpha": letters, "digit": RegexClass.digits, "alnum": letters + RegexClass.digits,
      "space": RegexClass.spaces, "blank": [0x20...0x20, 0x09...0x09],
      "upper": [0x41...0x5A, 0xC0...0xD6, 0xD8...0xDE],
      "lower": [0x61...0x7A, 0xDF...0xF6, 0xF8...0xFF],
      "punct": [0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E],
      "xdigit": [0x30...0x39, 0x41...0x46, 0x61...0x66], "cntrl": [0x00...0x1F, 0x7F...0x7F],
      "print": [0x20...0x7E, 0xA0...0x10FFFF], "graph": [0x21...0x7E, 0xA1...0x10FFFF],
      "word": RegexClass.words,
    ]
  }()
}
