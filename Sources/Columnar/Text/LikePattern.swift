package import Diagnostics

/// A LIKE pattern made ready to match many texts.
///
/// Matching never recurses: when a literal part does not fit, it goes back to the last `%` only, which is enough,
/// because an earlier `%` could not reach further. Patterns of one literal part take a search of the
/// whole part instead.
struct LikePattern {
  /// The shapes that need no general matching.
  private enum Shape { case exact, prefix, suffix, contains, parts, general }

  private let shape: Shape
  private let literal: Buffer<UInt8>
  private let literalCount: Int
  /// Literal bytes, or one of the two below.
  private let codes: Buffer<UInt16>
  private let codeCount: Int
  /// The literals between one % and the next; the first or last may be empty.
  private let parts: [Range<Int>]
  private static let anyCharacter: UInt16 = 256
  private static let anyRun: UInt16 = 257
  /// An escape character with nothing behind it.
  private static let openEscape: UInt16 = 258
  /// Whether the pattern ends with an escape character: an error for texts that get as far as that.
  let endsInEscape: Bool

  init(_ pattern: TextBytes) {
    let codes = Buffer<UInt16>(uninitialized: pattern.count)
    var count = 0
    var index = 0
    while index < pattern.count {
      let byte = pattern[index]
      index &+= 1
      switch byte {
      case 0x25:
        // A run of % is one.
        if count == 0 || codes[count &- 1] != Self.anyRun {
          codes[count] = Self.anyRun
          count &+= 1
        }
      case 0x5F:
        codes[count] = Self.anyCharacter
        count &+= 1
      case 0x5C:
        codes[count] = index < pattern.count ? UInt16(pattern[index]) : Self.openEscape
        count &+= 1
        index &+= 1
      default:
        codes[count] = UInt16(byte)
        count &+= 1
      }
    }
    self.codes = codes
    codeCount = count
    endsInEscape = count > 0 && codes[count &- 1] == Self.openEscape
    var lower = 0
    var upper = count
    if lower < upper && codes[lower] == Self.anyRun { lower += 1 }
    if upper > lower && codes[upper - 1] == Self.anyRun { upper -= 1 }
    let literal = Buffer<UInt8>(uninitialized: max(0, upper - lower))
    var isLiteral = true
    var hasCharacters = false
    for place in lower..<upper {
      if codes[place] >= 256 { isLiteral = false }
      if codes[place] == Self.anyCharacter { hasCharacters = true }
      literal[place - lower] = UInt8(truncatingIfNeeded: codes[place])
    }
    parts =
      isLiteral || hasCharacters ? [] : Self.parts(codes, lower..<upper, lower > 0, upper < count)
    self.literal = literal
    literalCount = upper - lower
    if !isLiteral {
      shape = hasCharacters || endsInEscape ? .general : .parts
    } else {
      switch (lower > 0, upper < count) {
      case (false, false): shape = .exact
      case (false, true): shape = .prefix
      case (true, false): shape = count == 1 ? .contains : .suffix
      case (true, true): shape = .contains
      }
    }
  }

  /// The stretches of the literal bytes between runs, with an empty one where the pattern starts or ends with a run.
  private static func parts(
    _ codes: Buffer<UInt16>, _ range: Range<Int>, _ startsOpen: Bool, _ endsOpen: Bool
  ) -> [Range<Int>] {
    var parts: [Range<Int>] = startsOpen ? [0..<0] : []
    var start = 0
    for place in range where codes[place] == anyRun {
      parts.append(start..<(place - range.lowerBound))
      start = place - range.lowerBound + 1
    }
    parts.append(start..<range.count)
    if endsOpen { parts.append(0..<0) }
    return parts
  }

  /// Each part is looked for behind the one before: the earliest place leaves the most for those that follow.
  private func matchesParts(_ text: TextBytes) -> Bool {
    let first = literal.bytes(parts[0])
    let last = literal.bytes(parts[parts.count &- 1])
    guard text.count >= first.count &+ last.count, text.starts(with: first),
      text.ends(with: last)
    else { return false }
    var place = first.count
    let end = text.count &- last.count
    for index in 1..<(parts.count &- 1) {
      let part = literal.bytes(parts[index])
      guard let hit = text.firstRange(of: part, from: place), hit &+ part.count <= end else {
        return false
      }
      place = hit &+ part.count
    }
    return true
  }

  /// Up to four bytes with which a text has to begin, and no more than that, as part of the first word of a view.
  fileprivate var shortPrefix: (word: UInt64, mask: UInt64, count: Int)? {
    guard shape == .prefix, 1...4 ~= literalCount else { return nil }
    let mask = (1 &<< UInt64(8 * literalCount) &- 1) &<< 32
    return (
      TextView(referring: literal.bytes(0..<literalCount)).headWord & mask, mask, literalCount
    )
  }

  /// Whether the whole text matches.
  ///
  /// - Complexity: O(text · pattern) at worst, O(text) for patterns of one literal.
  @inline(__always)
  func matches(_ text: TextBytes) -> Bool {
    let part = literal.bytes(0..<literalCount)
    switch shape {
    case .exact: return text == part
    case .prefix: return text.starts(with: part)
    case .suffix: return text.ends(with: part)
    case .contains: return text.firstRange(of: part) != nil
    case .parts: return matchesParts(text)
    case .general: return matchesGenerally(text)
    }
  }

  /// Whether matching comes to the escape character at the end of the pattern, so that there is no answer.
  fileprivate func reachesEscape(_ text: TextBytes) -> Bool {
    var i = 0
    var p = 0
    var retryText = -1
    var retryPattern = 0
    while i < text.count {
      let code = codes[p]
      switch code {
      case Self.openEscape: return true
      case Self.anyRun:
        p &+= 1
        // Characters of no matter which are counted off before anything is looked for.
        var ahead = i
        var next = p
        while codes[next] == Self.anyCharacter || codes[next] == Self.anyRun {
          if codes[next] == Self.anyCharacter {
            if ahead >= text.count { return false }
            ahead &+= TextBytes.sequenceLength(text[ahead])
          }
          next &+= 1
        }
        if codes[next] == Self.openEscape { return true }
        retryText = i
        retryPattern = p
        continue
      case Self.anyCharacter:
        i &+= TextBytes.sequenceLength(text[i])
        p &+= 1
        continue
      default: break
      }
      if code == UInt16(text[i]) {
        i &+= 1
        p &+= 1
        continue
      }
      if retryText < 0 { return false }
      retryText &+= TextBytes.sequenceLength(text[retryText])
      i = retryText
      p = retryPattern
    }
    return false
  }

  private func matchesGenerally(_ text: TextBytes) -> Bool {
    var i = 0
    var p = 0
    var retryText = -1
    var retryPattern = 0
    while i < text.count {
      if p < codeCount {
        let code = codes[p]
        if code == Self.anyRun {
          p &+= 1
          retryText = i
          retryPattern = p
          continue
        }
        if code == Self.anyCharacter {
          i &+= TextBytes.sequenceLength(text[i])
          p &+= 1
          continue
        }
        if code == UInt16(text[i]) {
          i &+= 1
          p &+= 1
          continue
        }
      }
      if retryText < 0 { return false }
      retryText &+= TextBytes.sequenceLength(text[retryText])
      i = retryText
      p = retryPattern
    }
    while p < codeCount && codes[p] == Self.anyRun { p &+= 1 }
    return p == codeCount
  }
}

extension LikePattern {
  /// Whether the whole text matches a pattern that ends with an escape character.
  ///
  /// - Throws: 22025 where there is text left when that is reached, or looked for behind a `%`.
  func matchesToEscape(_ text: TextBytes) throws(SQLError) -> Bool {
    guard reachesEscape(text) else { return false }
    throw SQLError(.invalidEscapeSequence, "LIKE pattern must not end with escape character")
  }
}

/// LIKE and its relatives as kernels.
package enum LikeFunctions {
  /// The bytes with which every text begins that a pattern of LIKE matches.
  package static func literalPrefix(of pattern: [UInt8]) -> [UInt8] {
    var prefix: [UInt8] = []
    var isEscaped = false
    for byte in pattern {
      if !isEscaped {
        if byte == 0x25 || byte == 0x5F { break }
        if byte == 0x5C {
          isEscaped = true
          continue
        }
      }
      prefix.append(byte)
      isEscaped = false
    }
    return prefix
  }

  /// `text LIKE pattern` (`~~`), `ILIKE` (`~~*`), and their negations.
  ///
  /// - Throws: 22025 for a pattern that ends with the escape character.
  package static func like(ignoringCase: Bool = false, negated: Bool = false) -> ScalarKernel {
    { (arguments: [Vector], count: Int, context: EvaluationContext) throws(SQLError) -> Vector in
      if RowLoop.isNull(arguments) { return .null(.boolean, count: count) }
      let flip: UInt8 = negated ? 1 : 0
      if arguments[1].form == .constant {
        var (one, arguments) = (arguments[1], arguments)
        if ignoringCase {
          one = try TextFunctions.lower([one.resized(to: 1)], 1, context)
          arguments[0] = try TextFunctions.lower([arguments[0]], count, context)
        }
        let texts = Operand(arguments[0])
        let pattern = LikePattern(Operand(one).bytes(0))
        if let start = pattern.shortPrefix {
          return try TextLoop.compute(arguments, count, .boolean) { row -> UInt8 in
            let view = texts[row]
            let matches = view.headWord & start.mask == start.word && view.count >= start.count
            return UInt8(truncatingIfNeeded: bit(matches)) ^ flip
          }
        }
        if pattern.endsInEscape {
          return try TextLoop.compute(arguments, count, .boolean) {
            (row) throws(SQLError) -> UInt8 in
            UInt8(bit(try pattern.matchesToEscape(texts.bytes(row)))) ^ flip
          }
        }
        return try TextLoop.compute(arguments, count, .boolean) { row -> UInt8 in
          UInt8(truncatingIfNeeded: bit(pattern.matches(texts.bytes(row)))) ^ flip
        }
      }
      let texts = Operand(arguments[0])
      let patterns = Operand(arguments[1])
      var folded = ByteBuilder()
      var last: (view: TextView, pattern: LikePattern)?
      return try TextLoop.compute(arguments, count, .boolean) {
        (row) throws(SQLError) -> UInt8 in
        let view = patterns[row]
        let pattern: LikePattern
        if let last, last.view == view {
          pattern = last.pattern
        } else {
          folded.removeAll()
          if ignoringCase {
            CharacterCase.appendLower(patterns.bytes(row), to: &folded)
          } else {
            folded.append(patterns.bytes(row))
          }
          pattern = LikePattern(folded.bytes)
          last = (view, pattern)
        }
        var text = texts.bytes(row)
        if ignoringCase {
          folded.removeAll()
          CharacterCase.appendLower(text, to: &folded)
          text = folded.bytes
        }
        if pattern.endsInEscape { return UInt8(bit(try pattern.matchesToEscape(text))) ^ flip }
        return UInt8(truncatingIfNeeded: bit(pattern.matches(text))) ^ flip
      }
    }
  }

  /// `like_escape(pattern, escape)`: the pattern with backslash as its escape character.
  ///
  /// - Throws: 22025 for an escape of more than one character.
  package static func escape(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let patterns = Operand(arguments[0])
    let escapes = Operand(arguments[1])
    return try TextLoop.build(arguments, count) { (row, output) throws(SQLError) in
      let pattern = patterns.bytes(row)
      let escape = escapes.bytes(row)
      if escape.characterCount > 1 { throw invalidEscape }
      var index = 0
      var afterEscape = false
      while index < pattern.count {
        let length = TextBytes.sequenceLength(pattern[index])
        let character = pattern.slice(index..<min(pattern.count, index &+ length))
        index &+= character.count
        if escape.count > 0 && character == escape && !afterEscape {
          output.append(0x5C)
          afterEscape = true
        } else {
          if character[0] == 0x5C && !afterEscape { output.append(0x5C) }
          output.append(character)
          afterEscape = false
        }
      }
    }
  }

  static let invalidEscape = SQLError(
    .invalidEscapeSequence, "invalid escape string",
    hint: "Escape string must be empty or one character.")
}
