import Diagnostics

/// Calls of functions.
extension Parser {
  /// The arguments of an ordinary call and what may follow them.
  mutating func parseCall(_ name: QualifiedName, _ start: Int) throws(ParseFailure) -> Expression {
    var call = FunctionCall(name)
    try parseArguments(into: &call)
    if token.isString, !call.isStar, !call.isDistinct, call.orderBy.isEmpty {
      let type = TypeName(
        name, modifiers: call.arguments.map(\.value), at: range(from: start))
      return try finishTypedLiteral(type, start)
    }
    return try finishCall(&call, start)
  }

  /// `(…)` after a function's name.
  private mutating func parseArguments(into call: inout FunctionCall) throws(ParseFailure) {
    try expect(.leftParen)
    if take(.rightParen) { return }
    if at(.star), peek().kind == .rightParen {
      index += 2
      call.isStar = true
      return
    }
    if take(.distinct) { call.isDistinct = true } else { _ = take(.all) }
    try parseArgumentList(into: &call)
    try parseArgumentsEnd(into: &call)
  }

  /// One or more arguments between commas.
  mutating func parseArgumentList(into call: inout FunctionCall) throws(ParseFailure) {
    repeat {
      let isVariadic = take(.variadic)
      let name = try parseArgumentName()
      let value = try parseListElement()
      if call.arguments.count == Self.argumentsMax { throw tooManyArguments(call.name) }
      call.arguments.append(.init(value, name: name, isVariadic: isVariadic))
      if isVariadic { break }
    } while take(.comma)
  }

  /// ORDER BY after the arguments, and the closing parenthesis.
  mutating func parseArgumentsEnd(into call: inout FunctionCall) throws(ParseFailure) {
    if at(.order) { call.orderBy = try parseOrderBy() }
    try expect(.rightParen)
  }

  private mutating func tooManyArguments(_ name: QualifiedName) -> ParseFailure {
    fail(
      SQLError(
        .tooManyArguments, "cannot pass more than \(Self.argumentsMax) arguments to a function",
        at: name.range))
  }

  /// `name =>` or `name :=`, if one comes next.
  private mutating func parseArgumentName() throws(ParseFailure) -> Identifier? {
    let next = peek().kind
    guard next == .arrow || next == .colonEquals, isTypeOrFunctionName(token) else { return nil }
    let name = try takeName()
    advance()
    return name
  }

  /// WITHIN GROUP, FILTER and OVER after the arguments.
  mutating func finishCall(
    _ call: inout FunctionCall, _ start: Int
  ) throws(ParseFailure) -> Expression {
    if at(.within, .group) { try parseWithinGroup(into: &call) }
    if at(.filter), peek().kind == .leftParen {
      advance()
      try expect(.leftParen)
      try expect(.where)
      call.filter = try parseExpression()
      try expect(.rightParen)
    }
    if take(.over) { call.over = try parseOver() }
    try grow()
    return Expression(.function(call), at: range(from: start))
  }

  private mutating func parseWithinGroup(into call: inout FunctionCall) throws(ParseFailure) {
    let place = range(of: token)
    advance()
    advance()
    if !call.orderBy.isEmpty {
      throw fail(
        SQLError(
          .syntaxError, "cannot use multiple ORDER BY clauses with WITHIN GROUP", at: place))
    }
    if call.isDistinct {
      throw fail(SQLError(.syntaxError, "cannot use DISTINCT with WITHIN GROUP", at: place))
    }
    if call.arguments.last?.isVariadic == true {
      throw fail(SQLError(.syntaxError, "cannot use VARIADIC with WITHIN GROUP", at: place))
    }
    try expect(.leftParen)
    call.orderBy = try parseOrderBy()
    call.isWithinGroup = true
    try expect(.rightParen)
  }

  // MARK: Windows

  private mutating func parseOver() throws(ParseFailure) -> WindowReference {
    if at(.leftParen) { return .inline(try parseWindowSpecification()) }
    return .named(try parseName())
  }

  /// `([name] [PARTITION BY …] [ORDER BY …] [frame])`.
  mutating func parseWindowSpecification() throws(ParseFailure) -> WindowSpecification {
    let start = self.start
    try expect(.leftParen)
    var specification = WindowSpecification(
      base: nil, partitionBy: [], orderBy: [], frame: nil, range: .none)
    if isColumnName(token), !isWindowClause { specification.base = try takeName() }
    if take(.partition) {
      try expect(.by)
      specification.partitionBy = try parseExpressionList()
    }
    if at(.order) { specification.orderBy = try parseOrderBy() }
    if at(.rows) || at(.range) || at(.groups) { specification.frame = try parseFrame() }
    try expect(.rightParen)
    specification.range = range(from: start)
    return specification
  }

  /// Whether the word in hand begins a clause of a window rather than names one.
  private var isWindowClause: Bool {
    at(.partition) || at(.range) || at(.rows) || at(.groups)
  }

  private mutating func parseFrame() throws(ParseFailure) -> WindowFrame {
    let start = self.start
    let unit: WindowFrame.Unit = at(.rows) ? .rows : at(.range) ? .range : .groups
    advance()
    let isBetween = take(.between)
    let place = range(of: token)
    let first = try parseFrameBound()
    var second = WindowFrame.Bound.currentRow
    if isBetween {
      try expect(.and)
      second = try parseFrameBound()
    }
    var exclusion = WindowFrame.Exclusion.noOthers
    if take(.exclude) {
      switch keyword {
      case .no:
        advance()
        try expect(.others)
      case .current:
        advance()
        try expect(.row)
        exclusion = .currentRow
      case .group:
        advance()
        exclusion = .group
      case .ties:
        advance()
        exclusion = .ties
      default: throw syntaxError()
      }
    }
    if let message = frameProblem(first, second, isBetween) {
      throw fail(SQLError(.windowingError, message, at: place))
    }
    return WindowFrame(
      unit: unit, start: first, end: second, isBetween: isBetween, exclusion: exclusion,
      range: range(from: start))
  }

  /// What PostgreSQL says of a frame whose ends are in no order, or nil.
  private func frameProblem(
    _ first: WindowFrame.Bound, _ second: WindowFrame.Bound, _ isBetween: Bool
  ) -> String? {
    switch (first, second) {
    case (.unboundedFollowing, _): "frame start cannot be UNBOUNDED FOLLOWING"
    case (_, .unboundedPreceding): "frame end cannot be UNBOUNDED PRECEDING"
    case (.following, _) where !isBetween:
      "frame starting from following row cannot end with current row"
    case (.currentRow, .preceding):
      "frame starting from current row cannot have preceding rows"
    case (.following, .preceding), (.following, .currentRow):
      "frame starting from following row cannot have preceding rows"
    case (.unboundedPreceding, _), (.preceding, _), (.currentRow, _), (.following, _): nil
    }
  }

  private mutating func parseFrameBound() throws(ParseFailure) -> WindowFrame.Bound {
    if at(.unbounded), isKeyword(peek(), .preceding) || isKeyword(peek(), .following) {
      advance()
      if take(.preceding) { return .unboundedPreceding }
      try expect(.following)
      return .unboundedFollowing
    }
    if take(.current, .row) { return .currentRow }
    let offset = try parseExpression()
    if take(.preceding) { return .preceding(offset) }
    try expect(.following)
    return .following(offset)
  }
}
