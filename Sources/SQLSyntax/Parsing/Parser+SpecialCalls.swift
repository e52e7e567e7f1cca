import Diagnostics

/// The functions to which SQL gives a notation of their own.
extension Parser {
  /// A construct that begins with the key word in hand and a parenthesis.
  mutating func parseSpecialCall(_ keyword: Keyword) throws(ParseFailure) -> Expression {
    let start = self.start
    switch keyword {
    case .exists:
      advance()
      guard isQueryParen(index) else {
        try expect(.leftParen)
        throw syntaxError()
      }
      let query = try parseParenthesisedQuery()
      try grow()
      return Expression(.exists(query), at: range(from: start))
    case .row: return try parseRow()
    case .grouping:
      advance()
      try expect(.leftParen)
      let list = try parseExpressionList()
      try expect(.rightParen)
      try grow()
      return Expression(.grouping(list), at: range(from: start))
    case .coalesce: return try parseConditional(.coalesce)
    case .greatest: return try parseConditional(.greatest)
    case .least: return try parseConditional(.least)
    case .nullif: return try parseNullIf()
    case .extract: return try parseExtract()
    case .substring: return try parseSubstring()
    case .position: return try parsePosition()
    case .overlay: return try parseOverlay()
    case .trim: return try parseTrim()
    case .normalize: return try parseNormalize()
    case .treat: throw unsupported("TREAT", at: range(of: token))
    default: throw unsupported("XML", at: range(of: token))
    }
  }

  private mutating func parseRow() throws(ParseFailure) -> Expression {
    let start = self.start
    advance()
    try expect(.leftParen)
    var fields: [Expression] = []
    if !at(.rightParen) { fields = try parseExpressionList() }
    try expect(.rightParen)
    try grow()
    return Expression(.row(fields, isExplicit: true), at: range(from: start))
  }

  private mutating func parseConditional(
    _ function: ConditionalFunction
  ) throws(ParseFailure) -> Expression {
    let start = self.start
    advance()
    try expect(.leftParen)
    let list = try parseExpressionList()
    try expect(.rightParen)
    try grow()
    return Expression(.conditional(function, list), at: range(from: start))
  }

  private mutating func parseNullIf() throws(ParseFailure) -> Expression {
    let start = self.start
    advance()
    try expect(.leftParen)
    let first = try parseExpression()
    try expect(.comma)
    let second = try parseExpression()
    try expect(.rightParen)
    try grow()
    return Expression(.conditional(.nullIf, [first, second]), at: range(from: start))
  }

  /// A call in SQL's notation, once its arguments are known.
  private mutating func finish(
    _ function: String, _ arguments: [Expression], _ notation: FunctionCall.Notation,
    _ word: SourceRange
  ) throws(ParseFailure) -> Expression {
    try expect(.rightParen)
    var call = FunctionCall(
      QualifiedName(Identifier(function, at: word)), arguments.map { FunctionCall.Argument($0) },
      notation: notation)
    return try finishSpecialCall(&call, Int(word.lower))
  }

  private mutating func finishSpecialCall(
    _ call: inout FunctionCall, _ start: Int
  ) throws(ParseFailure) -> Expression {
    try grow()
    return Expression(.function(call), at: range(from: start))
  }

  private mutating func parseExtract() throws(ParseFailure) -> Expression {
    let word = range(of: token)
    advance()
    try expect(.leftParen)
    let field: Expression
    if token.isString {
      let place = token
      field = Expression(.literal(.string(try parseString())), at: range(of: place))
    } else {
      switch keyword {
      case nil where isColumnName(token), .year, .month, .day, .hour, .minute, .second:
        let name = try takeName()
        field = Expression(.literal(.string(name.name)), at: name.range)
      default: throw syntaxError()
      }
    }
    try expect(.from)
    let source = try parseExpression()
    return try finish("extract", [field, source], .extract, word)
  }

  /// `SUBSTRING(x FROM a [FOR b])`, `(x FOR b [FROM a])`, `(x SIMILAR p ESCAPE e)` or a plain call.
  private mutating func parseSubstring() throws(ParseFailure) -> Expression {
    let word = range(of: token)
    guard !isPlainCall else { return try plain(word) }
    advance()
    try expect(.leftParen)
    let text = try parseExpression()
    if keyword == .from {
      advance()
      let from = try parseExpression()
      guard take(.for) else {
        return try finish("substring", [text, from], .substring, word)
      }
      let length = try parseExpression()
      return try finish("substring", [text, from, length], .substring, word)
    }
    if keyword == .for {
      advance()
      let length = try parseExpression()
      var from = Expression(.literal(.integer(1)))
      if take(.from) { from = try parseExpression() }
      return try finish("substring", [text, from, length], .substring, word)
    }
    if keyword == .similar {
      advance()
      let pattern = try parseExpression()
      try expect(.escape)
      let escape = try parseExpression()
      return try finish("substring", [text, pattern, escape], .substringSimilar, word)
    }
    return try plain("substring", text, word)
  }

  /// Whether what follows the parenthesis can only be the list of a plain call.
  private var isPlainCall: Bool {
    if peek(3).kind == .arrow || peek(3).kind == .colonEquals { return true }
    let first = peek(2)
    guard first.kind == .keyword else { return first.kind == .rightParen }
    return first.keyword == .variadic || first.keyword == .distinct || first.keyword == .all
  }

  /// The rest of a plain call whose first argument was read already.
  private mutating func plain(
    _ name: String, _ first: Expression, _ word: SourceRange
  ) throws(ParseFailure) -> Expression {
    var call = FunctionCall(QualifiedName(Identifier(name, at: word)), [.init(first)])
    if take(.comma) { try parseArgumentList(into: &call) }
    try parseArgumentsEnd(into: &call)
    return try finishCall(&call, Int(word.lower))
  }

  /// The same word as a plain function.
  private mutating func plain(_ word: SourceRange) throws(ParseFailure) -> Expression {
    let name = try takeName()
    return try parseCall(QualifiedName(name), Int(word.lower))
  }

  private mutating func parsePosition() throws(ParseFailure) -> Expression {
    let word = range(of: token)
    advance()
    try expect(.leftParen)
    let part = try parseRestrictedExpression()
    try expect(.in)
    let whole = try parseRestrictedExpression()
    return try finish("position", [whole, part], .position, word)
  }

  private mutating func parseOverlay() throws(ParseFailure) -> Expression {
    let word = range(of: token)
    guard !isPlainCall else { return try plain(word) }
    advance()
    try expect(.leftParen)
    let text = try parseExpression()
    guard take(.placing) else { return try plain("overlay", text, word) }
    let replacement = try parseExpression()
    try expect(.from)
    let from = try parseExpression()
    guard take(.for) else {
      return try finish("overlay", [text, replacement, from], .overlay, word)
    }
    let length = try parseExpression()
    return try finish("overlay", [text, replacement, from, length], .overlay, word)
  }

  /// `TRIM([LEADING | TRAILING | BOTH] [characters] FROM text, …)`.
  private mutating func parseTrim() throws(ParseFailure) -> Expression {
    let word = range(of: token)
    advance()
    try expect(.leftParen)
    var function = "btrim"
    if take(.leading) {
      function = "ltrim"
    } else if take(.trailing) {
      function = "rtrim"
    } else {
      _ = take(.both)
    }
    if take(.from) {
      return try finish(function, try parseExpressionList(), .trim, word)
    }
    let first = try parseExpression()
    if take(.from) {
      let text = try parseExpressionList()
      return try finish(function, text + [first], .trim, word)
    }
    var list = [first]
    while take(.comma) { list.append(try parseExpression()) }
    return try finish(function, list, .trim, word)
  }

  private mutating func parseNormalize() throws(ParseFailure) -> Expression {
    let word = range(of: token)
    advance()
    try expect(.leftParen)
    var arguments = [try parseExpression()]
    if take(.comma) {
      if keyword == .nfc || keyword == .nfd || keyword == .nfkc || keyword == .nfkd {
        let form = try takeName()
        arguments.append(Expression(.literal(.string(form.name.uppercased())), at: form.range))
      } else {
        throw syntaxError()
      }
    }
    return try finish("normalize", arguments, .normalize, word)
  }

  mutating func parseCollationFor() throws(ParseFailure) -> Expression {
    let word = range(of: token)
    advance()
    try expect(.for)
    try expect(.leftParen)
    let value = try parseExpression()
    return try finish("pg_collation_for", [value], .collationFor, word)
  }
}
