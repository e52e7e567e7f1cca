import Diagnostics

/// CREATE FUNCTION and CREATE PROCEDURE.
extension Parser {
  mutating func parseCreateFunction(
    _ orReplace: Bool, _ start: Int
  ) throws(ParseFailure) -> Statement {
    let isProcedure = at(.procedure)
    advance()
    var statement = CreateFunctionStatement(
      name: try parseFunctionName(), isProcedure: isProcedure, orReplace: orReplace,
      parameters: [], returns: nil, returnsTable: false, language: nil, body: nil,
      volatility: nil, isStrict: false, isWindow: false, attributes: [], range: .none)
    statement.parameters = try parseParameters(allowsDefaults: true)
    if !isProcedure, take(.returns) { try parseReturns(&statement) }
    while try parseFunctionOption(&statement) {}
    statement.range = range(from: start)
    return .createFunction(statement)
  }

  private mutating func parseReturns(
    _ statement: inout CreateFunctionStatement
  ) throws(ParseFailure) {
    guard at(.table), peek().kind == .leftParen else {
      statement.returns = try parseTypeName()
      return
    }
    index += 2
    statement.returnsTable = true
    repeat {
      let start = self.start
      let name = try parseNonReservedWord()
      let type = try parseTypeName()
      statement.parameters.append(
        FunctionParameter(
          mode: .table, name: name, type: type, defaultValue: nil, range: range(from: start)))
    } while take(.comma)
    try expect(.rightParen)
  }

  /// `([mode] [name] type [DEFAULT value], …)`.
  mutating func parseParameters(
    allowsDefaults: Bool
  ) throws(ParseFailure) -> [FunctionParameter] {
    try expect(.leftParen)
    var parameters: [FunctionParameter] = []
    if take(.rightParen) { return parameters }
    repeat { parameters.append(try parseParameter(allowsDefaults)) } while take(.comma)
    try expect(.rightParen)
    return parameters
  }

  private mutating func parseParameter(
    _ allowsDefaults: Bool
  ) throws(ParseFailure) -> FunctionParameter {
    let start = self.start
    var mode = try parseParameterMode()
    var name: Identifier?
    if isParameterName {
      name = try takeName()
      if mode == nil { mode = try parseParameterMode() }
    }
    let type = try parseTypeName()
    var value: Expression?
    if allowsDefaults, take(.default) || take(.equal) { value = try parseExpression() }
    return FunctionParameter(
      mode: mode ?? .in, name: name, type: type, defaultValue: value, range: range(from: start))
  }

  private mutating func parseParameterMode() throws(ParseFailure) -> FunctionParameter.Mode? {
    if take(.in) { return take(.out) ? .inOut : .in }
    // The words OUT and INOUT may also be names, but not before a type.
    if take(.out) { return .out }
    if take(.inout) { return .inOut }
    return take(.variadic) ? .variadic : nil
  }

  /// Whether the word in hand names the parameter, which shows in a type that follows it.
  private var isParameterName: Bool {
    guard isTypeOrFunctionName(token) else { return false }
    let next = peek()
    switch next.kind {
    case .comma, .rightParen, .leftParen, .leftBracket, .dot, .percent, .equal, .endOfText:
      return false
    case .keyword:
      if next.keyword == .default || next.keyword == .array { return false }
      if next.keyword == .precision { return !at(.double) }
      return true
    case .failure, .stray, .identifier, .quotedIdentifier, .unicodeIdentifier, .wholeNumber,
      .fraction, .dollarNumber, .string, .escapeString, .unicodeString, .nationalString,
      .dollarString, .bitString, .hexString, .rightBracket, .semicolon, .dotDot, .colon,
      .colonEquals, .typecast, .arrow, .plus, .minus, .star, .slash, .caret, .less, .greater,
      .lessEqual, .greaterEqual, .notEqual, .symbol:
      return true
    }
  }

  // MARK: Options

  /// Takes one attribute of the function; false if none comes next.
  private mutating func parseFunctionOption(
    _ statement: inout CreateFunctionStatement
  ) throws(ParseFailure) -> Bool {
    guard let keyword else { return false }
    switch keyword {
    case .as: try parseFunctionText(&statement)
    case .language:
      advance()
      statement.language =
        token.isString ? try parseString().lowercased() : try parseNonReservedWord().name
    case .immutable, .stable, .volatile:
      advance()
      statement.volatility =
        keyword == .immutable ? .immutable : keyword == .stable ? .stable : .volatile
    case .strict:
      advance()
      statement.isStrict = true
    case .window:
      advance()
      statement.isWindow = true
    case .returns:
      advance()
      try expect(.null, .on)
      try expect(.null, .input)
      statement.isStrict = true
    case .called:
      advance()
      try expect(.on, .null)
      try expect(.input)
    case .return:
      advance()
      statement.body = .returnExpression(try parseExpression())
    case .begin: try parseAtomicBody(&statement)
    default: return try parseOtherAttribute(keyword, &statement)
    }
    return true
  }

  private mutating func parseFunctionText(
    _ statement: inout CreateFunctionStatement
  ) throws(ParseFailure) {
    advance()
    let place = token
    let body = try parseString()
    if take(.comma) {
      statement.body = .object(body, try parseString())
      return
    }
    var inner = SourceRange.none
    if place.kind == .dollarString {
      let tagEnd = dollarTagEnd(in: text.bytes, from: Int(place.start)) ?? Int(place.start)
      inner = SourceRange(tagEnd, Int(place.end) - (tagEnd - Int(place.start)))
    } else if place.kind == .string, place.isPlain {
      inner = SourceRange(Int(place.start) + 1, Int(place.end) - 1)
    }
    statement.body = .text(body, textRange: inner)
  }

  /// `BEGIN ATOMIC statement; … END`.
  private mutating func parseAtomicBody(
    _ statement: inout CreateFunctionStatement
  ) throws(ParseFailure) {
    let start = self.start
    let statements = try parseAtomicStatements()
    let range = range(from: start)
    statement.body = .atomic(
      statements,
      text: String(decoding: text.bytes[start..<Int(range.upper)], as: UTF8.self))
  }

  /// The statements of `BEGIN ATOMIC statement; … END`.
  mutating func parseAtomicStatements() throws(ParseFailure) -> [Statement] {
    try expect(.begin)
    try expect(.atomic)
    var statements: [Statement] = []
    try enter()
    while !at(Keyword.end) {
      if take(.semicolon) { continue }
      if take(.return) {
        let start = self.start
        let value = try parseExpression()
        let core = SelectCore(items: [SelectItem(.expression(value), at: value.range)])
        statements.append(
          .select(SelectStatement(body: .select(core), at: range(from: start))))
      } else {
        statements.append(try parseStatement())
      }
      try expect(.semicolon)
    }
    leave()
    try expect(Keyword.end)
    return statements
  }

  /// Attributes that mean nothing here and are kept as words.
  private mutating func parseOtherAttribute(
    _ keyword: Keyword, _ statement: inout CreateFunctionStatement
  ) throws(ParseFailure) -> Bool {
    switch keyword {
    case .leakproof: advance()
    case .not:
      advance()
      try expect(.leakproof)
      statement.attributes.append("not leakproof")
      return true
    case .external, .security:
      _ = take(.external)
      try expect(.security)
      let isDefiner = take(.definer)
      if !isDefiner { try expect(.invoker) }
      statement.attributes.append("security " + (isDefiner ? "definer" : "invoker"))
      return true
    case .cost, .rows:
      advance()
      guard at(.wholeNumber) || at(.fraction) else { throw syntaxError() }
      statement.attributes.append("\(keyword.name) \(text.raw(token))")
      advance()
      return true
    case .parallel:
      advance()
      statement.attributes.append("parallel " + (try parseName().name))
      return true
    case .support:
      advance()
      statement.attributes.append("support " + (try parseQualifiedName().joined))
      return true
    case .set:
      _ = try parseSet()
      return true
    case .transform:
      throw unsupported("TRANSFORM", at: range(of: token))
    default: return false
    }
    statement.attributes.append(keyword.name)
    return true
  }
}
