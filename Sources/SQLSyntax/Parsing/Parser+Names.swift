import Diagnostics

/// Names and constants.
extension Parser {
  /// Whether a token may be a column's or table's name.
  func isColumnName(_ token: Token) -> Bool {
    if token.kind == .identifier || token.kind == .quotedIdentifier
      || token.kind == .unicodeIdentifier
    {
      true
    } else if token.kind == .keyword {
      token.keyword.category == .unreserved || token.keyword.category == .columnName
    } else {
      false
    }
  }

  /// Whether a token may be a type's or function's name.
  func isTypeOrFunctionName(_ token: Token) -> Bool {
    if token.kind == .identifier || token.kind == .quotedIdentifier
      || token.kind == .unicodeIdentifier
    {
      true
    } else if token.kind == .keyword {
      token.keyword.category == .unreserved || token.keyword.category == .typeOrFunctionName
    } else {
      false
    }
  }

  /// Whether a token may follow AS as the name of an output column: any word.
  func isLabel(_ token: Token) -> Bool {
    token.kind == .identifier || token.kind == .quotedIdentifier || token.kind == .unicodeIdentifier
      || token.kind == .keyword
  }

  /// Whether a token may name an output column without AS.
  func isBareLabel(_ token: Token) -> Bool {
    token.kind == .keyword ? token.keyword.isBareLabel : isLabel(token)
  }

  /// Takes the token in hand as a name, whatever it is.
  mutating func takeName() throws(ParseFailure) -> Identifier {
    let token = self.token
    advance()
    let name: String
    if token.kind == .quotedIdentifier {
      name = text.quotedName(token)
    } else if token.kind == .keyword {
      name = token.keyword.name
    } else if token.kind == .unicodeIdentifier {
      name = try unicodeValue(token)
    } else {
      name = text.foldedName(token)
    }
    return Identifier(name, at: range(of: token))
  }

  /// A column's, table's or alias's name.
  mutating func parseName() throws(ParseFailure) -> Identifier {
    guard isColumnName(token) else { throw syntaxError() }
    return try takeName()
  }

  /// Any word as a name.
  mutating func parseLabel() throws(ParseFailure) -> Identifier {
    guard isLabel(token) else { throw syntaxError() }
    return try takeName()
  }

  /// A name of a setting, option or language where any word that is no reserved one may stand.
  mutating func parseNonReservedWord() throws(ParseFailure) -> Identifier {
    guard isColumnName(token) || isTypeOrFunctionName(token) else { throw syntaxError() }
    return try takeName()
  }

  /// A name of a table or another object, with its qualifiers.
  mutating func parseQualifiedName() throws(ParseFailure) -> QualifiedName {
    let start = self.start
    var parts = [try parseName()]
    while at(.dot) {
      advance()
      parts.append(try parseLabel())
    }
    return QualifiedName(parts, at: range(from: start))
  }

  /// The name of a function, which may be a word that no table may have.
  mutating func parseFunctionName() throws(ParseFailure) -> QualifiedName {
    let start = self.start
    guard isTypeOrFunctionName(token) || (isColumnName(token) && peek().kind == .dot) else {
      throw syntaxError()
    }
    var parts = [try takeName()]
    while take(.dot) { parts.append(try parseLabel()) }
    return QualifiedName(parts, at: range(from: start))
  }

  /// One or more names between commas.
  mutating func parseNameList() throws(ParseFailure) -> [Identifier] {
    var names = [try parseName()]
    while take(.comma) { names.append(try parseName()) }
    return names
  }

  /// `(name, …)`, or nothing if no parenthesis comes next.
  mutating func parseOptionalNameList() throws(ParseFailure) -> [Identifier] {
    guard take(.leftParen) else { return [] }
    let names = try parseNameList()
    try expect(.rightParen)
    return names
  }

  /// One or more qualified names between commas.
  mutating func parseQualifiedNameList() throws(ParseFailure) -> [QualifiedName] {
    var names = [try parseQualifiedName()]
    while take(.comma) { names.append(try parseQualifiedName()) }
    return names
  }

  // MARK: Constants

  /// The value of a string token, with `UESCAPE` after it if there is one.
  mutating func stringValue(_ token: Token) throws(ParseFailure) -> String {
    if token.kind == .escapeString {
      do { return try text.escapedString(token) } catch { throw fail(error) }
    } else if token.kind == .unicodeString {
      return try unicodeValue(token)
    } else {
      return text.simpleString(token)
    }
  }

  /// The value of a Unicode string or name; the token was taken already.
  private mutating func unicodeValue(_ token: Token) throws(ParseFailure) -> String {
    var escape = ASCII.backslash
    if take(.uescape) {
      guard at(.string) else {
        throw fail(
          SQLError(
            .syntaxError,
            "UESCAPE must be followed by a simple string literal at or near "
              + "\"\(text.raw(self.token))\"", at: range(of: self.token)))
      }
      let word = Array(text.simpleString(self.token).utf8)
      guard word.count == 1, hexValue(word[0]) == nil, word[0] != UInt8(ascii: "+"),
        word[0] != ASCII.quote, word[0] != ASCII.doubleQuote, !isSpace(word[0])
      else {
        throw fail(
          SQLError(
            .syntaxError,
            "invalid Unicode escape character at or near "
              + "\"\(text.raw(self.token))\"", at: range(of: self.token)))
      }
      escape = word[0]
      advance()
    }
    do { return try text.unicodeText(token, escape: escape) } catch { throw fail(error) }
  }

  /// A string constant.
  mutating func parseString() throws(ParseFailure) -> String {
    let token = self.token
    guard token.isString else { throw syntaxError() }
    advance()
    return try stringValue(token)
  }

  /// The number that an integer or decimal token stands for.
  func number(_ token: Token) -> Literal {
    if token.kind == .wholeNumber {
      var value: Int64 = 0
      for index in Int(token.start)..<Int(token.end) {
        let (high, overflow) = value.multipliedReportingOverflow(by: 10)
        let (sum, carry) = high.addingReportingOverflow(Int64(text.bytes[index]) &- 0x30)
        if overflow || carry { return .decimal(text.raw(token)) }
        value = sum
      }
      return .integer(value)
    }
    return .decimal(text.raw(token))
  }

  /// An integer without a sign that fits 32 bits.
  mutating func parseUnsigned() throws(ParseFailure) -> Int {
    guard at(.wholeNumber), case .integer(let value) = number(token), value <= Int64(Int32.max)
    else {
      throw syntaxError()
    }
    advance()
    return Int(value)
  }

  /// An integer with an optional sign.
  mutating func parseSigned() throws(ParseFailure) -> Int64 {
    let isNegative = take(.minus)
    if !isNegative { _ = take(.plus) }
    let token = self.token
    guard token.kind == .wholeNumber || token.kind == .fraction else { throw syntaxError() }
    advance()
    if case .integer(let value) = number(token) { return isNegative ? -value : value }
    let digits = text.raw(token)
    if isNegative, let value = Int64("-" + digits) { return value }
    throw fail(
      SQLError(
        .invalidTextRepresentation,
        "value \"\(isNegative ? "-" : "")\(digits)\" is out of range for type bigint",
        at: range(of: token)))
  }
}
