/// Finds where statements end in text that comes line by line.
///
/// Give it each piece of text, with its line end, through `scan`; what was scanned gathers in
/// `buffer` until `takeStatement`. A piece must not end within a line, unless it is the last one.
///
/// - Complexity: O(1) work a byte, however many lines a statement has.
package struct StatementSplitter: Sendable {
  /// Why `scan` stopped.
  package enum Stop: Sendable, Hashable {
    /// The text is used up, and the statement is not at its end.
    case endOfText
    /// A semicolon ended the statement; the offset is that past it.
    case semicolon(Int)
    /// A backslash outside quotes begins a command of the shell; the offset is its own.
    case backslash(Int)
  }

  /// What the text so far leaves open.
  package enum Continuation: Character, Sendable, Hashable {
    /// Nothing: a statement may begin.
    case nothing = "="
    case statement = "-"
    case singleQuote = "'"
    case doubleQuote = "\""
    case comment = "*"
    case dollarQuote = "$"
    case parenthesis = "("
  }

  private enum Mode: Sendable { case plain, string, escapeString, name, comment, dollar }

  /// The statement so far, comments included and without its semicolon.
  package private(set) var buffer: [UInt8] = []
  /// Whether anything but white space and comments was read since the last statement.
  package private(set) var hasContent = false
  private var mode = Mode.plain
  private var commentDepth = 0
  private var parenDepth = 0
  private var tag: [UInt8] = []
  /// The first key words of the statement, to know the bodies of functions.
  private var words: [Keyword?] = []
  private var bodyDepth = 0

  /// A splitter at the start of a script.
  package init() {}

  /// What is open, for the prompt.
  package var continuation: Continuation {
    switch mode {
    case .string, .escapeString: .singleQuote
    case .name: .doubleQuote
    case .comment: .comment
    case .dollar: .dollarQuote
    case .plain: parenDepth > 0 ? .parenthesis : hasContent ? .statement : .nothing
    }
  }

  /// The statement so far, which is given up; the next one begins.
  package mutating func takeStatement() -> [UInt8] {
    let statement = buffer
    reset()
    return statement
  }

  /// Forgets the statement so far, as `\r` does.
  package mutating func reset() { self = StatementSplitter() }

  /// Reads `text` from `start` up to the end of a statement, a backslash or the end of the text.
  package mutating func scan(_ text: [UInt8], from start: Int = 0) -> Stop {
    var index = start
    while index < text.count {
      switch mode {
      case .plain:
        let byte = text[index]
        if byte == UInt8(ascii: ";"), parenDepth == 0, bodyDepth == 0 {
          buffer += text[start..<index]
          return .semicolon(index + 1)
        }
        if byte == ASCII.backslash {
          buffer += text[start..<index]
          return .backslash(index)
        }
        index = scanPlain(text, index)
      case .string: index = scanQuoted(text, index, ASCII.quote, hasEscapes: false)
      case .escapeString: index = scanQuoted(text, index, ASCII.quote, hasEscapes: true)
      case .name: index = scanQuoted(text, index, ASCII.doubleQuote, hasEscapes: false)
      case .comment: index = scanComment(text, index)
      case .dollar: index = scanDollar(text, index)
      }
    }
    buffer += text[min(start, text.count)...]
    return .endOfText
  }

  private func byte(_ text: [UInt8], _ index: Int) -> UInt8 { index < text.count ? text[index] : 0 }

  /// Moves past one token outside quotes.
  private mutating func scanPlain(_ text: [UInt8], _ index: Int) -> Int {
    let first = text[index]
    if isSpace(first) { return index + 1 }
    if first == ASCII.minus, byte(text, index + 1) == ASCII.minus {
      var end = index
      while end < text.count, text[end] != ASCII.newline { end += 1 }
      return end
    }
    if first == ASCII.slash, byte(text, index + 1) == ASCII.star {
      mode = .comment
      commentDepth = 1
      return index + 2
    }
    hasContent = true
    if isIdentifierStart(first) { return scanWord(text, index) }
    switch first {
    case ASCII.quote: mode = .string
    case ASCII.doubleQuote: mode = .name
    case ASCII.dollar:
      if !isDigit(byte(text, index + 1)), let end = dollarTagEnd(in: text, from: index) {
        tag = Array(text[index..<end])
        mode = .dollar
        return end
      }
    case UInt8(ascii: "("): parenDepth += 1
    case UInt8(ascii: ")"): parenDepth = max(0, parenDepth - 1)
    default:
      if isDigit(first) {
        var end = index + 1
        while end < text.count, isIdentifierPart(text[end]) { end += 1 }
        return end
      }
    }
    return index + 1
  }

  private mutating func scanWord(_ text: [UInt8], _ index: Int) -> Int {
    if text[index] | 0x20 == UInt8(ascii: "e"), byte(text, index + 1) == ASCII.quote {
      mode = .escapeString
      return index + 2
    }
    var end = index + 1
    while end < text.count, isIdentifierPart(text[end]) { end += 1 }
    noteWord(KeywordTable.shared.keyword(in: text, index, end))
    return end
  }

  /// Counts BEGIN, CASE and END in a statement that makes a function.
  private mutating func noteWord(_ word: Keyword?) {
    if words.count < 4 { words.append(word) }
    guard parenDepth == 0 else { return }
    if word == .begin, isFunction {
      bodyDepth += 1
    } else if word == .case, bodyDepth > 0 {
      bodyDepth += 1
    } else if word == .end, bodyDepth > 0 {
      bodyDepth -= 1
    }
  }

  private var isFunction: Bool {
    guard words.first == .create, words.count > 1 else { return false }
    let isReplaced = words.count > 3 && words[1] == .or && words[2] == .replace
    let kind = isReplaced ? words[3] : words[1]
    return kind == .function || kind == .procedure
  }

  /// Moves to the end of a quoted string or name, or of the text.
  private mutating func scanQuoted(
    _ text: [UInt8], _ start: Int, _ quote: UInt8, hasEscapes: Bool
  ) -> Int {
    var index = start
    while index < text.count {
      if hasEscapes, text[index] == ASCII.backslash {
        index += 2
      } else if text[index] == quote {
        if byte(text, index + 1) != quote {
          mode = .plain
          return index + 1
        }
        index += 2
      } else {
        index += 1
      }
    }
    return min(index, text.count)
  }

  private mutating func scanComment(_ text: [UInt8], _ start: Int) -> Int {
    var index = start
    while index < text.count {
      let next = byte(text, index + 1)
      if text[index] == ASCII.star, next == ASCII.slash {
        commentDepth -= 1
        index += 2
        if commentDepth == 0 {
          mode = .plain
          return index
        }
      } else if text[index] == ASCII.slash, next == ASCII.star {
        commentDepth += 1
        index += 2
      } else {
        index += 1
      }
    }
    return index
  }

  private mutating func scanDollar(_ text: [UInt8], _ start: Int) -> Int {
    var index = start
    while index < text.count {
      if text[index] == ASCII.dollar, index + tag.count <= text.count,
        text[index..<(index + tag.count)].elementsEqual(tag)
      {
        mode = .plain
        return index + tag.count
      }
      index += 1
    }
    return index
  }
}
