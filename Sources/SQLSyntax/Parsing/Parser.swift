import Diagnostics

/// Thrown within the parser; the error itself waits in `Parser.error`, so that this is nothing to
/// carry through the frames of a deep recursion.
struct ParseFailure: Error {}

/// A recursive-descent parser over the tokens of one text, with precedence climbing for operators.
///
/// - Invariant: no more than `nestingMax` productions are open at once, and no tree is higher than
///   `heightMax`: `height` is the greatest height of the children read so far for the node in hand.
struct Parser {
  /// The deepest nesting of parentheses, subqueries and the like.
  static let nestingMax = 256
  /// What finds room on any stack, in debug builds on one of 512 KB.
  static let shallowNesting = 24
  /// The highest tree, to which chains such as `1 + 1 + …` count with each operator.
  static let heightMax = 1_000
  /// PostgreSQL's limit on the arguments of a function.
  static let argumentsMax = 100

  let text: TokenText
  let tokens: [Token]
  private let lexicalError: SQLError?
  /// The position of the token in hand.
  var index = 0
  private var depth = 0
  private let nestingLimit: Int
  /// Whether the text nests more deeply than it may in this parser, but not more than it may at all.
  private(set) var isTooDeep = false
  /// See the invariant of the type.
  var height = 0
  /// How high the statement is so far, or how deeply it nests.
  private(set) var highest = 0
  /// How many bytes of the token in hand a graph pattern has taken, whose signs do not fall into tokens; else 0.
  var patternOffset = 0
  /// The greatest `$n` so far in the statement.
  var parameterCount = 0
  /// What went wrong, once `ParseFailure` was thrown.
  private(set) var error: SQLError?

  /// A parser at the start of `bytes`, which must be UTF-8.
  init(_ bytes: [UInt8], nestingLimit: Int = nestingMax) {
    self.nestingLimit = nestingLimit
    var lexer = Lexer(bytes)
    lexer.run()
    text = TokenText(bytes: bytes)
    tokens = lexer.tokens
    lexicalError = lexer.failure
  }

  // MARK: Looking

  /// The token in hand.
  var token: Token { tokens[index] }

  /// The token `offset` places further on; the last one stands for all beyond it.
  func peek(_ offset: Int = 1) -> Token {
    tokens[min(index &+ offset, tokens.count &- 1)]
  }

  func at(_ kind: TokenKind) -> Bool { tokens[index].kind == kind }

  func at(_ keyword: Keyword) -> Bool { isKeyword(tokens[index], keyword) }

  /// Whether this key word and then that one come next.
  func at(_ first: Keyword, _ second: Keyword) -> Bool {
    at(first) && isKeyword(peek(), second)
  }

  func isKeyword(_ token: Token, _ keyword: Keyword) -> Bool {
    token.kind == .keyword && token.keyword == keyword
  }

  /// The key word in hand, if it is one.
  var keyword: Keyword? { token.kind == .keyword ? token.keyword : nil }

  /// Where the statement may end.
  var isAtEnd: Bool { at(.endOfText) || at(.semicolon) }

  // MARK: Moving

  mutating func advance() { if index &+ 1 < tokens.count { index &+= 1 } }

  mutating func take(_ kind: TokenKind) -> Bool {
    if !at(kind) { return false }
    advance()
    return true
  }

  mutating func take(_ keyword: Keyword) -> Bool {
    if !at(keyword) { return false }
    advance()
    return true
  }

  mutating func take(_ first: Keyword, _ second: Keyword) -> Bool {
    if !at(first, second) { return false }
    index &+= 2
    return true
  }

  mutating func expect(_ kind: TokenKind) throws(ParseFailure) {
    if !take(kind) { throw syntaxError() }
  }

  mutating func expect(_ keyword: Keyword) throws(ParseFailure) {
    if !take(keyword) { throw syntaxError() }
  }

  mutating func expect(_ first: Keyword, _ second: Keyword) throws(ParseFailure) {
    try expect(first)
    try expect(second)
  }

  // MARK: Places

  /// The offset at which the token in hand begins.
  var start: Int { Int(tokens[index].start) }

  /// From `start` to the end of the last token that was taken.
  func range(from start: Int) -> SourceRange {
    SourceRange(start, index > 0 ? max(start, Int(tokens[index &- 1].end)) : start)
  }

  /// Where a token stands.
  func range(of token: Token) -> SourceRange { SourceRange(Int(token.start), Int(token.end)) }

  // MARK: Failing

  /// Records `error`, to be thrown by the caller.
  mutating func fail(_ error: SQLError) -> ParseFailure {
    if self.error == nil { self.error = error }
    return ParseFailure()
  }

  /// The error of a token that no rule of the grammar expects here.
  mutating func syntaxError() -> ParseFailure { syntaxError(at: token) }

  mutating func syntaxError(at token: Token) -> ParseFailure {
    if token.kind == .failure {
      fail(lexicalError ?? .internal("a lexical error without words"))
    } else if token.kind == .endOfText {
      fail(SQLError(.syntaxError, "syntax error at end of input", at: range(of: token)))
    } else {
      fail(
        SQLError(
          .syntaxError, "syntax error at or near \"\(text.raw(token))\"", at: range(of: token)))
    }
  }

  /// The error for what PostgreSQL has and Junction does not.
  mutating func unsupported(_ what: String, at range: SourceRange) -> ParseFailure {
    fail(.unsupported(what, at: range))
  }

  // MARK: Limits

  /// Begins to measure a statement.
  mutating func startMeasuring() { (height, highest) = (0, 0) }

  /// Opens a nested production; the caller closes it by `leave`.
  ///
  /// - Throws: 54001 if too many are open.
  mutating func enter() throws(ParseFailure) {
    depth &+= 1
    highest = max(highest, depth)
    if depth > nestingLimit {
      isTooDeep = nestingLimit < Self.nestingMax
      throw tooComplex()
    }
  }

  /// Closes what `enter` opened.
  mutating func leave() { depth &-= 1 }

  /// Counts a node above those that `height` is about.
  ///
  /// - Throws: 54001 if the tree is too high.
  mutating func grow() throws(ParseFailure) {
    height &+= 1
    highest = max(highest, height)
    if height > Self.heightMax { throw tooComplex() }
  }

  private mutating func tooComplex() -> ParseFailure {
    fail(
      SQLError(
        .statementTooComplex, "stack depth limit exceeded", at: range(of: token),
        hint: "Nest expressions and queries at most \(Self.nestingMax) deep, and chain at most "
          + "\(Self.heightMax) operators; use lists such as IN (…) or VALUES instead."))
  }
}
