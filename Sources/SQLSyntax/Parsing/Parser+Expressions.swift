import Diagnostics

/// How tightly operators bind, from the loosest to the tightest.
///
/// Source: PostgreSQL 15, chapter 4.1.6, "Operator Precedence".
enum Precedence {
  static let or = 1
  static let and = 2
  static let not = 3
  static let isTest = 4
  static let comparison = 5
  static let membership = 6
  static let otherOperator = 7
  static let additive = 8
  static let multiplicative = 9
  static let power = 10
  static let atTimeZone = 11
  static let collate = 12
  static let sign = 13
  static let cast = 14
}

/// Expressions with operators.
extension Parser {
  /// One or more expressions between commas.
  mutating func parseExpressionList() throws(ParseFailure) -> [Expression] {
    var list = [try parseExpression()]
    while take(.comma) { list.append(try parseExpression()) }
    return list
  }

  /// Any expression.
  mutating func parseExpression() throws(ParseFailure) -> Expression {
    try parseOperators(Precedence.or, isRestricted: false)
  }

  /// An expression without AND, OR, NOT, IS NULL, BETWEEN, IN and LIKE outside parentheses, which
  /// is what may stand where one of these words follows.
  mutating func parseRestrictedExpression() throws(ParseFailure) -> Expression {
    try parseOperators(Precedence.or, isRestricted: true)
  }

  /// An expression whose operators bind at least as tightly as `minimum`.
  mutating func parseOperators(
    _ minimum: Int, isRestricted: Bool
  ) throws(ParseFailure) -> Expression {
    try enter()
    let outer = height
    height = 0
    var left = try parsePrefix(isRestricted: isRestricted)
    // After an operator that does not associate, only looser ones may follow.
    var limit = Int.max
    while let level = infixLevel(isRestricted: isRestricted), level >= minimum {
      if level == limit { throw syntaxError() }
      limit = try parseInfix(&left, level, isRestricted: isRestricted) ? level : .max
      try grow()
    }
    height = max(outer, height)
    leave()
    return left
  }

  /// The precedence of the token in hand as an infix or postfix operator, or nil if it is none.
  private func infixLevel(isRestricted: Bool) -> Int? {
    switch token.kind {
    case .typecast: Precedence.cast
    case .plus, .minus: Precedence.additive
    case .star, .slash, .percent: Precedence.multiplicative
    case .caret: Precedence.power
    case .less, .greater, .equal, .lessEqual, .greaterEqual, .notEqual: Precedence.comparison
    case .symbol: Precedence.otherOperator
    case .keyword: keywordLevel(isRestricted: isRestricted)
    case .endOfText, .failure, .stray, .identifier, .quotedIdentifier, .unicodeIdentifier,
      .wholeNumber, .fraction, .dollarNumber, .string, .escapeString, .unicodeString,
      .nationalString, .dollarString, .bitString, .hexString, .leftParen, .rightParen, .leftBracket,
      .rightBracket, .comma, .semicolon, .dot, .dotDot, .colon, .colonEquals, .arrow:
      nil
    }
  }

  private func keywordLevel(isRestricted: Bool) -> Int? {
    if isRestricted {
      if token.keyword == .is { return isRestrictedTest ? Precedence.isTest : nil }
      if token.keyword == .operator {
        return peek().kind == .leftParen ? Precedence.otherOperator : nil
      }
      return nil
    }
    switch token.keyword {
    case .or: return Precedence.or
    case .and: return Precedence.and
    case .is, .isnull, .notnull: return Precedence.isTest
    case .between, .in, .like, .ilike: return Precedence.membership
    case .similar: return isKeyword(peek(), .to) ? Precedence.membership : nil
    case .not:
      switch peek().kind == .keyword ? peek().keyword : .abort {
      case .between, .in, .like, .ilike, .similar: return Precedence.membership
      default: return nil
      }
    case .operator: return peek().kind == .leftParen ? Precedence.otherOperator : nil
    case .at: return isKeyword(peek(), .time) ? Precedence.atTimeZone : nil
    case .collate: return Precedence.collate
    case .overlaps: return Precedence.isTest
    default: return nil
    }
  }

  /// Whether `IS [NOT] DISTINCT FROM` or `IS [NOT] DOCUMENT` comes next.
  private var isRestrictedTest: Bool {
    let next = isKeyword(peek(), .not) ? peek(2) : peek()
    return isKeyword(next, .distinct) || isKeyword(next, .document)
  }

  /// Takes the operator in hand with its right side; true if it does not associate.
  private mutating func parseInfix(
    _ left: inout Expression, _ level: Int, isRestricted: Bool
  ) throws(ParseFailure) -> Bool {
    switch level {
    case Precedence.cast:
      advance()
      let type = try parseTypeName()
      left = Expression(.cast(left, type), at: range(from: Int(left.range.lower)))
      return false
    case Precedence.or, Precedence.and: try parseChain(&left, level)
    case Precedence.isTest: return try parseIs(&left, isRestricted: isRestricted)
    case Precedence.membership: return try parseMembership(&left)
    case Precedence.collate:
      advance()
      let name = try parseQualifiedName()
      left = Expression(.collate(left, name), at: range(from: Int(left.range.lower)))
    case Precedence.atTimeZone: try parseAtTimeZone(&left)
    default: return try parseBinary(&left, level, isRestricted: isRestricted)
    }
    return false
  }

  /// All operands of one AND or OR chain, as one node.
  private mutating func parseChain(
    _ left: inout Expression, _ level: Int
  ) throws(ParseFailure) {
    let keyword = token.keyword
    var operands = [left]
    if case .and(let list) = left.kind, keyword == .and { operands = list }
    if case .or(let list) = left.kind, keyword == .or { operands = list }
    let start = Int(left.range.lower)
    while take(keyword) {
      operands.append(try parseOperators(level + 1, isRestricted: false))
    }
    left = Expression(keyword == .and ? .and(operands) : .or(operands), at: range(from: start))
  }

  private mutating func parseAtTimeZone(_ left: inout Expression) throws(ParseFailure) {
    let place = range(of: token)
    advance()
    try expect(.time, .zone)
    let zone = try parseOperators(Precedence.atTimeZone + 1, isRestricted: false)
    let name = QualifiedName(Identifier("timezone", at: place))
    let call = FunctionCall(name, [.init(zone), .init(left)], notation: .atTimeZone)
    left = Expression(.function(call), at: range(from: Int(left.range.lower)))
  }

  /// An operator with two operands, or with ANY or ALL of many.
  private mutating func parseBinary(
    _ left: inout Expression, _ level: Int, isRestricted: Bool
  ) throws(ParseFailure) -> Bool {
    let symbol = try takeOperator()
    let start = Int(left.range.lower)
    if !isRestricted, at(.any) || at(.some) || at(.all) {
      left = try parseQuantified(left, symbol)
      return false
    }
    let right = try parseOperators(level + 1, isRestricted: isRestricted)
    left = Expression(.binary(symbol, left, right), at: range(from: start))
    return level == Precedence.comparison
  }

  /// The operator in hand, also in the form `OPERATOR(schema.op)`.
  mutating func takeOperator() throws(ParseFailure) -> Operator {
    let first = token
    if take(.operator) {
      try expect(.leftParen)
      var schema: String?
      while isColumnName(token) {
        schema = try takeName().name
        try expect(.dot)
      }
      let name = text.raw(token)
      guard isOperatorToken(token) else { throw syntaxError() }
      advance()
      try expect(.rightParen)
      return Operator(name, schema: schema, at: range(from: Int(first.start)))
    }
    advance()
    return Operator(operatorName(first), at: range(of: first))
  }

  func isOperatorToken(_ token: Token) -> Bool {
    switch token.kind {
    case .plus, .minus, .star, .slash, .percent, .caret, .less, .greater, .equal, .lessEqual,
      .greaterEqual, .notEqual, .symbol:
      true
    case .endOfText, .failure, .stray, .identifier, .quotedIdentifier, .unicodeIdentifier, .keyword,
      .wholeNumber, .fraction, .dollarNumber, .string, .escapeString, .unicodeString,
      .nationalString, .dollarString, .bitString, .hexString, .leftParen, .rightParen, .leftBracket,
      .rightBracket, .comma, .semicolon, .dot, .dotDot, .colon, .colonEquals, .typecast, .arrow:
      false
    }
  }

  /// The operator's text, without an allocation for the common ones.
  private func operatorName(_ token: Token) -> String {
    switch token.kind {
    case .plus: "+"
    case .minus: "-"
    case .star: "*"
    case .slash: "/"
    case .percent: "%"
    case .caret: "^"
    case .less: "<"
    case .greater: ">"
    case .equal: "="
    case .lessEqual: "<="
    case .greaterEqual: ">="
    case .notEqual: "<>"
    case .endOfText, .failure, .stray, .identifier, .quotedIdentifier, .unicodeIdentifier, .keyword,
      .wholeNumber, .fraction, .dollarNumber, .string, .escapeString, .unicodeString,
      .nationalString, .dollarString, .bitString, .hexString, .leftParen, .rightParen, .leftBracket,
      .rightBracket, .comma, .semicolon, .dot, .dotDot, .colon, .colonEquals, .typecast, .arrow,
      .symbol:
      text.raw(token)
    }
  }

  /// `ANY (…)`, `SOME (…)` or `ALL (…)` after an operator.
  mutating func parseQuantified(
    _ operand: Expression, _ comparison: Operator
  ) throws(ParseFailure) -> Expression {
    let isAll = at(.all)
    advance()
    let source: QuantifiedComparison.Source
    if isQueryParen(index) {
      source = .subquery(try parseParenthesisedQuery())
    } else {
      try expect(.leftParen)
      source = .array(try parseExpression())
      try expect(.rightParen)
    }
    let node = QuantifiedComparison(
      operand: operand, comparison: comparison, isAll: isAll, source: source)
    return Expression(.quantified(node), at: range(from: Int(operand.range.lower)))
  }

  // MARK: Prefixes

  /// An operand with the prefix operators before it.
  private mutating func parsePrefix(isRestricted: Bool) throws(ParseFailure) -> Expression {
    if token.kind == .plus || token.kind == .minus {
      return try parseSign(isRestricted: isRestricted)
    }
    if token.kind == .symbol { return try parsePrefixOperator(isRestricted: isRestricted) }
    if token.kind == .keyword {
      if token.keyword == .not, !isRestricted { return try parseNot() }
      if token.keyword == .operator, peek().kind == .leftParen {
        return try parsePrefixOperator(isRestricted: isRestricted)
      }
      return try parsePrimary()
    }
    return try parsePrimary()
  }

  private mutating func parseNot() throws(ParseFailure) -> Expression {
    let start = self.start
    advance()
    let operand = try parseOperators(Precedence.not, isRestricted: false)
    try grow()
    return Expression(.not(operand), at: range(from: start))
  }

  private mutating func parsePrefixOperator(isRestricted: Bool) throws(ParseFailure) -> Expression {
    let start = self.start
    let symbol = try takeOperator()
    let operand = try parseOperators(Precedence.otherOperator + 1, isRestricted: isRestricted)
    try grow()
    return Expression(.unary(symbol, operand), at: range(from: start))
  }

  /// `+x` or `-x`; the minus of a number becomes part of it, so that the least integer is one.
  private mutating func parseSign(isRestricted: Bool) throws(ParseFailure) -> Expression {
    let start = self.start
    let symbol = try takeOperator()
    let operand = try parseOperators(Precedence.sign, isRestricted: isRestricted)
    if symbol.name == "-", case .literal(let literal) = operand.kind,
      let negative = literal.negated
    {
      return Expression(.literal(negative), at: range(from: start))
    }
    try grow()
    return Expression(.unary(symbol, operand), at: range(from: start))
  }
}

extension Literal {
  /// The number with the other sign; nil if this is no number.
  var negated: Literal? {
    switch self {
    case .integer(let value):
      let (negative, overflow) = Int64(0).subtractingReportingOverflow(value)
      return overflow ? .decimal("9223372036854775808") : .integer(negative)
    case .decimal(let digits):
      let text = digits.hasPrefix("-") ? String(digits.dropFirst()) : "-" + digits
      if let value = Int64(text) { return .integer(value) }
      return .decimal(text)
    case .string, .bitString, .boolean, .null: return nil
    }
  }
}
