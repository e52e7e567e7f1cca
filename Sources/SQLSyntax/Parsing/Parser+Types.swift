import Diagnostics

/// Names of types.
extension Parser {
  /// A type with array dimensions, possibly after SETOF.
  mutating func parseTypeName() throws(ParseFailure) -> TypeName {
    let start = self.start
    let isSetOf = take(.setof)
    var type = try parseSimpleType()
    type.isSetOf = isSetOf
    if take(.array) {
      if take(.leftBracket) {
        type.arrayBounds = [try parseUnsigned()]
        try expect(.rightBracket)
      } else {
        type.arrayBounds = [nil]
      }
    } else {
      while take(.leftBracket) {
        type.arrayBounds.append(at(.wholeNumber) ? try parseUnsigned() : nil)
        try expect(.rightBracket)
      }
    }
    type.range = range(from: start)
    return type
  }

  /// A type without array dimensions.
  mutating func parseSimpleType() throws(ParseFailure) -> TypeName {
    let start = self.start
    if let keyword, keyword.category == .columnName {
      return try parseStandardType(keyword, start)
    }
    if at(.double, .precision) {
      index &+= 2
      return standardType("float8", start)
    }
    let name = try parseFunctionNameOrWord()
    if at(.percent), isKeyword(peek(), .type), name.parts.count > 1 {
      // `column%TYPE`.
      index += 2
      return TypeName(name, isColumnType: true, at: range(from: start))
    }
    let modifiers = try parseTypeModifiers()
    return TypeName(name, modifiers: modifiers, at: range(from: start))
  }

  private mutating func parseFunctionNameOrWord() throws(ParseFailure) -> QualifiedName {
    guard isTypeOrFunctionName(token) || (isColumnName(token) && peek().kind == .dot) else {
      throw syntaxError()
    }
    return try parseFunctionName()
  }

  /// `(expression, …)` after a type, or nothing.
  private mutating func parseTypeModifiers() throws(ParseFailure) -> [Expression] {
    guard take(.leftParen) else { return [] }
    let modifiers = try parseExpressionList()
    try expect(.rightParen)
    return modifiers
  }

  private func standardType(
    _ name: String, _ start: Int, modifiers: [Expression] = []
  ) -> TypeName {
    let range = range(from: start)
    return TypeName(
      QualifiedName(Identifier(name, at: range)), modifiers: modifiers, isStandard: true, at: range)
  }

  /// A type that the grammar spells out.
  mutating func parseStandardType(
    _ keyword: Keyword, _ start: Int
  ) throws(ParseFailure) -> TypeName {
    switch keyword {
    case .int, .integer: return try simple("int4", start)
    case .smallint: return try simple("int2", start)
    case .bigint: return try simple("int8", start)
    case .real: return try simple("float4", start)
    case .boolean: return try simple("bool", start)
    case .float: return try parseFloatType(start)
    case .decimal, .dec, .numeric:
      advance()
      let modifiers = try parseTypeModifiers()
      return standardType("numeric", start, modifiers: modifiers)
    case .bit: return try parseBitType(start)
    case .char, .character, .nchar, .national, .varchar: return try parseCharacterType(start)
    case .time, .timestamp: return try parseTimeType(keyword, start)
    case .interval: return try parseIntervalType(start)
    default:
      if peek().kind == .dot {
        let name = try parseFunctionName()
        return TypeName(name, modifiers: try parseTypeModifiers(), at: range(from: start))
      }
      throw syntaxError()
    }
  }

  private mutating func simple(_ name: String, _ start: Int) throws(ParseFailure) -> TypeName {
    advance()
    return standardType(name, start)
  }

  private mutating func parseFloatType(_ start: Int) throws(ParseFailure) -> TypeName {
    advance()
    guard take(.leftParen) else { return standardType("float8", start) }
    let place = token
    let bits = try parseUnsigned()
    try expect(.rightParen)
    if bits < 1 {
      throw fail(
        SQLError(
          .invalidParameterValue, "precision for type float must be at least 1 bit",
          at: range(of: place)))
    }
    if bits > 53 {
      throw fail(
        SQLError(
          .invalidParameterValue, "precision for type float must be less than 54 bits",
          at: range(of: place)))
    }
    return standardType(bits <= 24 ? "float4" : "float8", start)
  }

  private mutating func parseBitType(_ start: Int) throws(ParseFailure) -> TypeName {
    advance()
    let isVarying = take(.varying)
    var modifiers = try parseTypeModifiers()
    if !isVarying, modifiers.isEmpty { modifiers = [Expression(.literal(.integer(1)))] }
    return standardType(isVarying ? "varbit" : "bit", start, modifiers: modifiers)
  }

  private mutating func parseCharacterType(_ start: Int) throws(ParseFailure) -> TypeName {
    var isVarying = at(.varchar)
    if take(.national) {
      guard at(.char) || at(.character) else { throw syntaxError() }
    }
    advance()
    if !isVarying { isVarying = take(.varying) }
    var modifiers: [Expression] = []
    if take(.leftParen) {
      let place = range(of: token)
      modifiers = [Expression(.literal(.integer(Int64(try parseUnsigned()))), at: place)]
      try expect(.rightParen)
    } else if !isVarying {
      modifiers = [Expression(.literal(.integer(1)))]
    }
    return standardType(isVarying ? "varchar" : "bpchar", start, modifiers: modifiers)
  }

  private mutating func parseTimeType(
    _ keyword: Keyword, _ start: Int
  ) throws(ParseFailure) -> TypeName {
    advance()
    let modifiers = try parsePrecision()
    var name = keyword == .time ? "time" : "timestamp"
    if at(.with) || at(.without), isKeyword(peek(), .time) {
      if take(.with) { name += "tz" } else { advance() }
      try expect(.time, .zone)
    }
    return standardType(name, start, modifiers: modifiers)
  }

  /// `(n)` as a list of one literal, or nothing.
  private mutating func parsePrecision() throws(ParseFailure) -> [Expression] {
    guard take(.leftParen) else { return [] }
    let place = range(of: token)
    let value = try parseUnsigned()
    try expect(.rightParen)
    return [Expression(.literal(.integer(Int64(value))), at: place)]
  }

  private mutating func parseIntervalType(_ start: Int) throws(ParseFailure) -> TypeName {
    advance()
    if at(.leftParen) {
      return standardType("interval", start, modifiers: try parsePrecision())
    }
    var type = standardType("interval", start)
    try parseIntervalFields(into: &type)
    type.range = range(from: start)
    return type
  }

  /// `YEAR TO MONTH` and the like after an interval, or nothing.
  mutating func parseIntervalFields(into type: inout TypeName) throws(ParseFailure) {
    guard let first = keyword else { return }
    switch keyword {
    case .year:
      advance()
      type.intervalFields = .year
      if take(.to) {
        try expect(.month)
        type.intervalFields = .yearToMonth
      }
    case .month:
      advance()
      type.intervalFields = .month
    case .day, .hour, .minute:
      advance()
      guard take(.to) else {
        type.intervalFields = first == .day ? .day : first == .hour ? .hour : .minute
        return
      }
      try parseIntervalEnd(first, into: &type)
    case .second:
      advance()
      type.intervalFields = .second
      type.modifiers = try parsePrecision()
    default: return
    }
  }

  private mutating func parseIntervalEnd(
    _ first: Keyword, into type: inout TypeName
  ) throws(ParseFailure) {
    if first == .day, keyword == .hour {
      type.intervalFields = .dayToHour
    } else if first != .minute, keyword == .minute {
      type.intervalFields = first == .day ? .dayToMinute : .hourToMinute
    } else if keyword == .second {
      type.intervalFields =
        first == .day ? .dayToSecond : first == .hour ? .hourToSecond : .minuteToSecond
    } else {
      throw syntaxError()
    }
    let hasSeconds = at(.second)
    advance()
    if hasSeconds { type.modifiers = try parsePrecision() }
  }
}
