import Diagnostics

/// IS, IN, BETWEEN, LIKE and their like.
extension Parser {
  /// IS and what follows it, ISNULL, NOTNULL or OVERLAPS; true if it does not associate.
  mutating func parseIs(
    _ left: inout Expression, isRestricted: Bool
  ) throws(ParseFailure) -> Bool {
    let start = Int(left.range.lower)
    if at(.overlaps) {
      try parseOverlaps(&left)
      return true
    }
    if at(.isnull) || at(.notnull) {
      let isNegated = at(.notnull)
      advance()
      left = Expression(.isTest(left, .null, negated: isNegated), at: range(from: start))
      return false
    }
    advance()
    let isNegated = take(.not)
    if at(.distinct) {
      advance()
      try expect(.from)
      let right = try parseOperators(Precedence.isTest + 1, isRestricted: isRestricted)
      left = Expression(.isDistinct(left, right, negated: isNegated), at: range(from: start))
      return true
    }
    let test = try parseIsTest()
    left = Expression(.isTest(left, test, negated: isNegated), at: range(from: start))
    return false
  }

  private mutating func parseIsTest() throws(ParseFailure) -> IsTest {
    let test: IsTest
    switch keyword {
    case .null: test = .null
    case .true: test = .isTrue
    case .false: test = .isFalse
    case .unknown: test = .unknown
    case .document: test = .document
    case .normalized: test = .normalized
    case .nfc where isKeyword(peek(), .normalized), .nfd where isKeyword(peek(), .normalized),
      .nfkc where isKeyword(peek(), .normalized), .nfkd where isKeyword(peek(), .normalized):
      throw unsupported("IS NORMALIZED with a form", at: range(of: token))
    default: throw syntaxError()
    }
    advance()
    return test
  }

  /// `(a, b) OVERLAPS (c, d)`, which is a function of four arguments.
  private mutating func parseOverlaps(_ left: inout Expression) throws(ParseFailure) {
    let place = range(of: token)
    advance()
    let right = try parseOperators(Precedence.isTest + 1, isRestricted: false)
    guard case .row(let first, _) = left.kind, case .row(let second, _) = right.kind else {
      throw syntaxError()
    }
    for (side, row) in [("left", first), ("right", second)] where row.count != 2 {
      throw fail(
        SQLError(
          .syntaxError, "wrong number of parameters on \(side) side of OVERLAPS expression",
          at: side == "left" ? left.range : right.range))
    }
    let call = FunctionCall(
      QualifiedName(Identifier("overlaps", at: place)),
      (first + second).map { FunctionCall.Argument($0) })
    left = Expression(.function(call), at: range(from: Int(left.range.lower)))
  }

  /// `[NOT] BETWEEN`, `IN`, `LIKE`, `ILIKE` or `SIMILAR TO`; true if it does not associate.
  mutating func parseMembership(_ left: inout Expression) throws(ParseFailure) -> Bool {
    let place = token
    let isNegated = take(.not)
    if keyword == .in {
      advance()
      try parseIn(&left, isNegated)
      return false
    }
    if keyword == .between {
      advance()
      try parseBetween(&left, isNegated, range(of: place))
      return true
    }
    return try parsePattern(&left, isNegated, range(of: place))
  }

  private mutating func parseIn(
    _ left: inout Expression, _ isNegated: Bool
  ) throws(ParseFailure) {
    let start = Int(left.range.lower)
    if isQueryParen(index) {
      let query = try parseParenthesisedQuery()
      left = Expression(.inSubquery(left, query, negated: isNegated), at: range(from: start))
      return
    }
    try expect(.leftParen)
    var list: [Expression] = []
    repeat { list.append(try parseListElement()) } while take(.comma)
    try expect(.rightParen)
    left = Expression(.inList(left, list, negated: isNegated), at: range(from: start))
  }

  private mutating func parseBetween(
    _ left: inout Expression, _ isNegated: Bool, _ place: SourceRange
  ) throws(ParseFailure) {
    let isSymmetric = take(.symmetric)
    if !isSymmetric { _ = take(.asymmetric) }
    let lower = try parseRestrictedExpression()
    try expect(.and)
    let upper = try parseOperators(Precedence.membership + 1, isRestricted: false)
    let node = Between(
      operand: left, lower: lower, upper: upper, isSymmetric: isSymmetric, isNegated: isNegated,
      operatorRange: place)
    left = Expression(.between(node), at: range(from: Int(left.range.lower)))
  }

  private mutating func parsePattern(
    _ left: inout Expression, _ isNegated: Bool, _ place: SourceRange
  ) throws(ParseFailure) -> Bool {
    let kind: PatternMatch.Kind
    if keyword == .like {
      kind = .like
    } else if keyword == .ilike {
      kind = .ilike
    } else if keyword == .similar {
      kind = .similarTo
    } else {
      throw syntaxError()
    }
    advance()
    if kind == .similarTo { try expect(.to) }
    let operatorRange = range(from: Int(place.lower))
    if kind != .similarTo, at(.any) || at(.some) || at(.all) {
      let name = (isNegated ? "!~~" : "~~") + (kind == .ilike ? "*" : "")
      left = try parseQuantified(left, Operator(name, at: operatorRange))
      return false
    }
    let pattern = try parseOperators(Precedence.membership + 1, isRestricted: false)
    var escape: Expression?
    if take(.escape) {
      escape = try parseOperators(Precedence.membership + 1, isRestricted: false)
    }
    let node = PatternMatch(
      kind: kind, operand: left, pattern: pattern, escape: escape, isNegated: isNegated,
      operatorRange: operatorRange)
    left = Expression(.pattern(node), at: range(from: Int(left.range.lower)))
    return true
  }
}
