import Diagnostics

/// Constants, columns, parentheses and what else stands between operators.
extension Parser {
  /// An expression without operators.
  func isListEnd(_ token: Token) -> Bool { token.kind == .comma || token.kind == .rightParen }

  /// One element of a list in parentheses; a plain constant takes no detour through operators.
  mutating func parseListElement() throws(ParseFailure) -> Expression {
    if isListEnd(peek()), let literal = try takeConstant() { return literal }
    return try parseExpression()
  }

  /// The token in hand as a constant, if it is one.
  mutating func takeConstant() throws(ParseFailure) -> Expression? {
    let token = self.token
    let literal: Literal
    if token.kind == .wholeNumber || token.kind == .fraction {
      literal = number(token)
    } else if token.kind == .string {
      literal = .string(text.simpleString(token))
    } else if token.kind == .keyword {
      if token.keyword == .null {
        literal = .null
      } else if token.keyword == .true {
        literal = .boolean(true)
      } else if token.keyword == .false {
        literal = .boolean(false)
      } else {
        return nil
      }
    } else {
      return nil
    }
    advance()
    return Expression(.literal(literal), at: range(of: token))
  }

  /// An operand: what stands between operators.
  mutating func parsePrimary() throws(ParseFailure) -> Expression {
    let token = self.token
    switch token.kind {
    case .wholeNumber, .fraction:
      advance()
      return Expression(.literal(number(token)), at: range(of: token))
    case .string, .escapeString, .unicodeString, .dollarString, .nationalString:
      advance()
      return try finishString(token)
    case .bitString, .hexString:
      advance()
      let literal = Literal.bitString(
        text.simpleString(token), isHexadecimal: token.kind == .hexString)
      return Expression(.literal(literal), at: range(of: token))
    case .dollarNumber: return try parseParameter()
    case .leftParen: return try parseParenthesised()
    case .identifier, .quotedIdentifier, .unicodeIdentifier: return try parseNamed()
    case .keyword: return try parseKeyword(token.keyword)
    case .endOfText, .failure, .stray, .rightParen, .leftBracket, .rightBracket, .comma, .semicolon,
      .dot, .dotDot, .colon, .colonEquals, .typecast, .arrow, .plus, .minus, .star, .slash,
      .percent, .caret, .less, .greater, .equal, .lessEqual, .greaterEqual, .notEqual, .symbol:
      throw syntaxError()
    }
  }

  private mutating func finishString(_ token: Token) throws(ParseFailure) -> Expression {
    let value = try stringValue(token)
    let place = range(from: Int(token.start))
    if token.kind == .nationalString {
      let type = TypeName(QualifiedName(Identifier("bpchar", at: place)), isStandard: true)
      return Expression(.typedLiteral(type, value), at: place)
    }
    return Expression(.literal(.string(value)), at: place)
  }

  private mutating func parseParameter() throws(ParseFailure) -> Expression {
    let token = self.token
    advance()
    guard let number = Int(text.raw(token).dropFirst()), number > 0, number <= 65_535 else {
      throw fail(
        SQLError(
          .undefinedParameter, "there is no parameter \(text.raw(token))", at: range(of: token)))
    }
    parameterCount = max(parameterCount, number)
    let parameter = Expression(.parameter(number), at: range(of: token))
    return try parseIndirection(parameter)
  }

  // MARK: Parentheses

  /// Whether the parenthesis at `position` holds a query rather than an expression or a join.
  ///
  /// A query may itself be in parentheses, as in `((SELECT 1) UNION SELECT 2)`; whether the inner
  /// one is all of it shows in what follows it.
  func isQueryParen(_ position: Int) -> Bool {
    var innermost = position
    guard tokens[position].kind == .leftParen else { return false }
    while tokens[innermost + 1].kind == .leftParen {
      innermost += 1
      if innermost - position > Self.nestingMax { return false }
    }
    guard tokens[innermost + 1].kind == .keyword else { return false }
    switch tokens[innermost + 1].keyword {
    case .select, .values, .with, .table, .from: break
    default: return false
    }
    // VALUES may be a column's name, but in parentheses PostgreSQL reads it as the query.
    var current = innermost
    while current > position {
      let partner = Int(tokens[current].partner)
      if partner >= 0, !continuesQuery(tokens[partner + 1]) { return false }
      current -= 1
    }
    return true
  }

  /// Whether a token may follow a query in parentheses within a larger query.
  private func continuesQuery(_ token: Token) -> Bool {
    if token.kind == .rightParen || token.kind == .endOfText { return true }
    guard token.kind == .keyword else { return false }
    switch token.keyword {
    case .union, .intersect, .except, .order, .limit, .offset, .fetch, .for: return true
    default: return false
    }
  }

  /// A subquery, a row, or an expression in parentheses, with the fields or elements taken of it.
  private mutating func parseParenthesised() throws(ParseFailure) -> Expression {
    let start = self.start
    if isQueryParen(index) {
      let query = try parseParenthesisedQuery()
      try grow()
      return try parseIndirection(Expression(.subquery(query), at: range(from: start)))
    }
    advance()
    let first = try parseExpression()
    if at(.comma) { return try finishRow(first, start) }
    try expect(.rightParen)
    return try parseIndirection(first)
  }

  private mutating func finishRow(
    _ first: Expression, _ start: Int
  ) throws(ParseFailure) -> Expression {
    var fields = [first]
    while take(.comma) { fields.append(try parseExpression()) }
    try expect(.rightParen)
    try grow()
    return Expression(.row(fields, isExplicit: false), at: range(from: start))
  }

  /// `.field`, `.*` and `[…]` after an operand.
  mutating func parseIndirection(_ base: Expression) throws(ParseFailure) -> Expression {
    if !at(.dot), !at(.leftBracket) { return base }
    return try parseIndirectionSteps(base)
  }

  private mutating func parseIndirectionSteps(
    _ base: Expression
  ) throws(ParseFailure) -> Expression {
    var result = base
    let start = Int(base.range.lower)
    while true {
      if at(.dot) {
        advance()
        if at(.star) {
          advance()
          if at(.dot) || at(.leftBracket) { throw starError() }
          try grow()
          return Expression(.allFields(result), at: range(from: start))
        }
        let field = try parseLabel()
        result = Expression(.field(result, field), at: range(from: start))
      } else if at(.leftBracket) {
        var subscripts: [Subscript] = []
        while at(.leftBracket) {
          // A value of jsonb is reached one step above another.
          try grow()
          subscripts.append(try parseSubscript())
        }
        result = Expression(.subscripted(result, subscripts), at: range(from: start))
        continue
      } else {
        return result
      }
      try grow()
    }
  }

  private mutating func starError() -> ParseFailure {
    fail(SQLError(.syntaxError, "improper use of \"*\"", at: range(of: token)))
  }

  /// `[index]` or `[lower:upper]`.
  mutating func parseSubscript() throws(ParseFailure) -> Subscript {
    try expect(.leftBracket)
    var lower: Expression?
    if !at(.colon) {
      lower = try parseExpression()
      if let index = lower, take(.rightBracket) { return .index(index) }
    }
    try expect(.colon)
    let upper: Expression? = at(.rightBracket) ? nil : try parseExpression()
    try expect(.rightBracket)
    return .slice(lower: lower, upper: upper)
  }

  // MARK: Names

  /// A column, a call, or a constant of a named type.
  mutating func parseNamed() throws(ParseFailure) -> Expression {
    let start = self.start
    let first = try takeName()
    switch token.kind {
    case .leftParen: return try parseCall(QualifiedName(first), start)
    case .string, .escapeString, .unicodeString, .dollarString:
      return try finishTypedLiteral(TypeName(QualifiedName(first), at: first.range), start)
    case .dot: return try parseQualified(first, start)
    case .leftBracket:
      return try parseIndirection(Expression(.column(QualifiedName(first)), at: first.range))
    case .endOfText, .failure, .stray, .identifier, .quotedIdentifier, .unicodeIdentifier, .keyword,
      .wholeNumber, .fraction, .dollarNumber, .nationalString, .bitString, .hexString, .rightParen,
      .rightBracket, .comma, .semicolon, .dotDot, .colon, .colonEquals, .typecast, .arrow, .plus,
      .minus, .star, .slash, .percent, .caret, .less, .greater, .equal, .lessEqual, .greaterEqual,
      .notEqual, .symbol:
      return Expression(.column(QualifiedName(first)), at: first.range)
    }
  }

  mutating func finishTypedLiteral(
    _ type: TypeName, _ start: Int
  ) throws(ParseFailure) -> Expression {
    let value = try parseString()
    return Expression(.typedLiteral(type, value), at: range(from: start))
  }

  /// What follows a name and a dot.
  private mutating func parseQualified(
    _ first: Identifier, _ start: Int
  ) throws(ParseFailure) -> Expression {
    var parts = [first]
    while at(.dot) {
      advance()
      if take(.star) {
        if at(.dot) || at(.leftBracket) { throw starError() }
        let last = parts.last?.range ?? first.range
        let name = QualifiedName(parts, at: SourceRange(start, Int(last.upper)))
        return Expression(.allColumns(name), at: range(from: start))
      }
      parts.append(try parseLabel())
    }
    let name = QualifiedName(parts, at: range(from: start))
    if at(.leftParen) { return try parseCall(name, start) }
    if token.isString { return try finishTypedLiteral(TypeName(name, at: name.range), start) }
    return try parseIndirection(Expression(.column(name), at: name.range))
  }

  // MARK: Key words

  /// An operand that begins with a key word.
  private mutating func parseKeyword(_ keyword: Keyword) throws(ParseFailure) -> Expression {
    switch keyword.category {
    case .unreserved:
      if keyword == .double, isKeyword(peek(), .precision) { return try parseTypeConstant() }
      return try parseNamed()
    case .typeOrFunctionName: return try parseFunctionKeyword(keyword)
    case .columnName: return try parseColumnKeyword(keyword)
    case .reserved: return try parseReserved(keyword)
    }
  }

  /// A word that may be a function's name but not a column's.
  private mutating func parseFunctionKeyword(
    _ keyword: Keyword
  ) throws(ParseFailure) -> Expression {
    if keyword == .currentSchema, peek().kind != .leftParen {
      return try parseSessionValue(.currentSchema)
    }
    if keyword == .collation, isKeyword(peek(), .for) { return try parseCollationFor() }
    if peek().kind == .leftParen || peek().isString { return try parseNamed() }
    advance()
    throw syntaxError()
  }

  /// A word that may be a column's name but not a function's, or begins a construct of its own.
  private mutating func parseColumnKeyword(_ keyword: Keyword) throws(ParseFailure) -> Expression {
    let next = peek()
    switch keyword {
    case .int, .integer, .smallint, .bigint, .real, .float, .decimal, .dec, .numeric, .boolean,
      .bit, .char, .character, .varchar, .national, .nchar, .time, .timestamp, .interval:
      if isTypeConstant(next) { return try parseTypeConstant() }
    case .exists, .row, .coalesce, .nullif, .greatest, .least, .extract, .substring, .position,
      .overlay, .trim, .grouping, .normalize, .treat, .xmlconcat, .xmlelement, .xmlexists,
      .xmlforest, .xmlparse, .xmlpi, .xmlroot, .xmlserialize:
      if next.kind == .leftParen { return try parseSpecialCall(keyword) }
    default: break
    }
    if next.kind == .dot { return try parseNamed() }
    if next.kind == .leftParen {
      advance()
      throw syntaxError()
    }
    let name = try takeName()
    return try parseIndirection(Expression(.column(QualifiedName(name)), at: name.range))
  }

  /// Whether the token after a type's word makes it the type of a constant.
  private func isTypeConstant(_ next: Token) -> Bool {
    if next.isString || next.kind == .leftParen { return true }
    guard next.kind == .keyword else { return false }
    switch next.keyword {
    case .varying, .char, .character: return true
    case .with, .without: return isKeyword(peek(2), .time)
    default: return false
    }
  }

  /// `type 'text'` for a type that the grammar spells out.
  private mutating func parseTypeConstant() throws(ParseFailure) -> Expression {
    let start = self.start
    var type = try parseSimpleType()
    let value = try parseString()
    if type.name.name == "interval", type.isStandard, type.modifiers.isEmpty {
      try parseIntervalFields(into: &type)
    }
    return Expression(.typedLiteral(type, value), at: range(from: start))
  }

  private mutating func parseReserved(_ keyword: Keyword) throws(ParseFailure) -> Expression {
    let start = self.start
    switch keyword {
    case .null, .true, .false:
      if let constant = try takeConstant() { return constant }
      throw syntaxError()
    case .case: return try parseCase()
    case .cast: return try parseCast()
    case .array: return try parseArray()
    case .currentDate: return try parseSessionValue(.currentDate)
    case .currentTime: return try parseSessionValue(.currentTime)
    case .currentTimestamp: return try parseSessionValue(.currentTimestamp)
    case .localtime: return try parseSessionValue(.localTime)
    case .localtimestamp: return try parseSessionValue(.localTimestamp)
    case .currentUser: return try parseSessionValue(.currentUser)
    case .sessionUser: return try parseSessionValue(.sessionUser)
    case .user: return try parseSessionValue(.user)
    case .currentRole: return try parseSessionValue(.currentRole)
    case .currentCatalog: return try parseSessionValue(.currentCatalog)
    case .default:
      advance()
      throw fail(
        SQLError(
          .syntaxError, "DEFAULT is not allowed in this context", at: range(from: start)))
    default: throw syntaxError()
    }
  }

  /// CURRENT_DATE and the like; those of time may have a precision.
  private mutating func parseSessionValue(
    _ value: SessionValue
  ) throws(ParseFailure) -> Expression {
    let start = self.start
    advance()
    var precision: Int?
    switch value {
    case .currentTime, .currentTimestamp, .localTime, .localTimestamp:
      if take(.leftParen) {
        precision = try parseUnsigned()
        try expect(.rightParen)
      }
    case .currentDate, .currentUser, .sessionUser, .user, .currentRole, .currentCatalog,
      .currentSchema:
      break
    }
    return Expression(.sessionValue(value, precision: precision), at: range(from: start))
  }

  private mutating func parseCase() throws(ParseFailure) -> Expression {
    let start = self.start
    advance()
    let operand: Expression? = at(.when) ? nil : try parseExpression()
    var branches: [CaseExpression.Branch] = []
    guard at(.when) else { throw syntaxError() }
    while take(.when) {
      let condition = try parseExpression()
      try expect(.then)
      branches.append(.init(condition: condition, result: try parseExpression()))
    }
    let otherwise: Expression? = take(.else) ? try parseExpression() : nil
    try expect(Keyword.end)
    try grow()
    let node = CaseExpression(operand: operand, branches: branches, otherwise: otherwise)
    return Expression(.caseWhen(node), at: range(from: start))
  }

  private mutating func parseCast() throws(ParseFailure) -> Expression {
    let start = self.start
    advance()
    try expect(.leftParen)
    let value = try parseExpression()
    try expect(.as)
    let type = try parseTypeName()
    try expect(.rightParen)
    try grow()
    return Expression(.cast(value, type), at: range(from: start))
  }

  /// `ARRAY[…]` or `ARRAY(SELECT …)`.
  private mutating func parseArray() throws(ParseFailure) -> Expression {
    let start = self.start
    advance()
    if isQueryParen(index) {
      let query = try parseParenthesisedQuery()
      try grow()
      return Expression(.arraySubquery(query), at: range(from: start))
    }
    return try parseArrayElements(start)
  }

  /// `[…]`, in which further lists may stand for the inner dimensions.
  private mutating func parseArrayElements(_ start: Int) throws(ParseFailure) -> Expression {
    try enter()
    try expect(.leftBracket)
    var elements: [Expression] = []
    if !at(.rightBracket) {
      repeat {
        elements.append(
          at(.leftBracket) ? try parseArrayElements(self.start) : try parseExpression())
      } while take(.comma)
    }
    try expect(.rightBracket)
    try grow()
    leave()
    return Expression(.array(elements), at: range(from: start))
  }
}
