package import Diagnostics

/// Parses all statements of a text; empty ones between semicolons leave none.
///
/// - Throws: 42601 for what is no SQL, 54001 for what is nested too deeply, 22021 for what is no
///   UTF-8, 0A000 for what PostgreSQL has and the tree does not.
/// - Complexity: O(*n*) in the bytes of the text.
package func parseStatements(_ text: [UInt8]) throws(SQLError) -> [ParsedStatement] {
  try checkText(text)
  var parser = Parser(text)
  do { return try parser.parseAll() } catch { throw parser.failure }
}

/// Parses all statements of a text, unless it nests so deeply that it needs a large stack; then nil.
///
/// - Throws: as `parseStatements`.
package func parseShallowStatements(_ text: String) throws(SQLError) -> [ParsedStatement]? {
  let bytes = Array(text.utf8)
  try checkText(bytes)
  var parser = Parser(bytes, nestingLimit: Parser.shallowNesting)
  do { return try parser.parseAll() } catch {
    if parser.isTooDeep { return nil }
    throw parser.failure
  }
}

/// Parses all statements of a text.
///
/// - Throws: as for bytes.
package func parseStatements(_ text: String) throws(SQLError) -> [ParsedStatement] {
  try parseStatements(Array(text.utf8))
}

/// Parses exactly one statement, after which a semicolon may stand.
///
/// - Throws: as `parseStatements`; 42601 also if there is none or more than one.
package func parseStatement(_ text: String) throws(SQLError) -> ParsedStatement {
  let statements = try parseStatements(text)
  guard let first = statements.first else {
    throw SQLError(.syntaxError, "syntax error at end of input")
  }
  if statements.count > 1 {
    throw SQLError(
      .syntaxError, "cannot insert multiple commands into a prepared statement",
      at: statements[1].range)
  }
  return first
}

/// Parses a text that is one expression and nothing else.
///
/// - Throws: as `parseStatements`.
package func parseExpression(_ text: String) throws(SQLError) -> Expression {
  let bytes = Array(text.utf8)
  try checkText(bytes)
  var parser = Parser(bytes)
  do {
    let expression = try parser.parseExpression()
    if !parser.at(.endOfText) { throw parser.syntaxError() }
    return expression
  } catch {
    throw parser.failure
  }
}

/// Parses a text that is the body of a function from BEGIN ATOMIC to END, and nothing else.
///
/// - Throws: as `parseStatements`.
package func parseAtomicBody(_ text: String) throws(SQLError) -> [Statement] {
  let bytes = Array(text.utf8)
  try checkText(bytes)
  var parser = Parser(bytes)
  do {
    let statements = try parser.parseAtomicStatements()
    if !parser.at(.endOfText) { throw parser.syntaxError() }
    return statements
  } catch {
    throw parser.failure
  }
}

/// Parses a text that is the name of a type and nothing else.
///
/// - Throws: as `parseStatements`.
package func parseTypeName(_ text: String) throws(SQLError) -> TypeName {
  let bytes = Array(text.utf8)
  try checkText(bytes)
  var parser = Parser(bytes)
  do {
    var type = try parser.parseTypeName()
    if type.isStandard, type.name.name == "interval", type.intervalFields == nil {
      try parser.parseIntervalFields(into: &type)
    }
    if !parser.at(.endOfText) { throw parser.syntaxError() }
    return type
  } catch {
    throw parser.failure
  }
}

/// The most bytes that a text may have: PostgreSQL's limit on a message.
private let textBytesMax = 1 << 30

private func checkText(_ text: [UInt8]) throws(SQLError) {
  if text.count >= textBytesMax {
    throw SQLError(
      .programLimitExceeded, "statement of \(text.count) bytes is too long",
      detail: "The limit is \(textBytesMax - 1) bytes.")
  }
  var union: UInt8 = 0
  var hasZero = false
  for byte in text {
    union |= byte
    if byte == 0 { hasZero = true }
  }
  if hasZero || (union >= 0x80 && String(validating: text, as: UTF8.self) == nil) {
    throw UTF8Check.error(in: text)
  }
}

extension Parser {
  /// The error that a `ParseFailure` stands for.
  var failure: SQLError { error ?? .internal("the parser failed without a reason") }
}
