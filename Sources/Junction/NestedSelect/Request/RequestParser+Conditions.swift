/// Filters: `id=eq.1`, `tasks.name=not.like.*x`, `or=(a.gt.1,and(b.is.null,c.in.(1,2)))`.
extension RequestParser {
  /// The level and the field of a filter's key, such as `tasks.users.id` or `data->a`.
  static func fieldPath(
    _ key: String
  ) throws(NestedSelectError) -> (path: [String], field: RequestField) {
    var parser = RequestParser("tree path", key)
    var names = [try parser.parseName()]
    while parser.take(".") { names.append(try parser.parseName()) }
    let steps = try parser.parseJSONPath()
    if !parser.isAtEnd { throw parser.unexpected(expecting: "\".\", \"->\" or end of input") }
    return (Array(names.dropLast()), RequestField(name: names[names.count - 1], path: steps))
  }

  /// The names of a level that an order, a limit or a tree of conditions is about.
  static func levelPath(_ names: [Substring]) throws(NestedSelectError) -> [String] {
    var path: [String] = []
    for name in names {
      var parser = RequestParser("tree path", String(name))
      path.append(try parser.parseName())
    }
    return path
  }

  /// The value of a filter: an operator and what follows it.
  static func test(
    _ field: RequestField, _ value: String
  ) throws(NestedSelectError) -> RequestCondition {
    var parser = RequestParser("filter", value)
    let isNegated = parser.take("not.")
    let operation = try parser.parseOperation(inTree: false)
    if !parser.isAtEnd { throw parser.unexpected(expecting: "end of input") }
    return .test(RequestTest(field: field, operation: operation, isNegated: isNegated))
  }

  /// The value of `and` or `or`: conditions in parentheses.
  static func tree(
    _ value: String, isAny: Bool, isNegated: Bool
  ) throws(NestedSelectError) -> RequestCondition {
    var parser = RequestParser("logic tree", value)
    let tree = try parser.parseTree(isAny: isAny, isNegated: isNegated)
    if !parser.isAtEnd { throw parser.unexpected(expecting: "end of input") }
    return tree
  }

  private mutating func parseTree(
    isAny: Bool, isNegated: Bool
  ) throws(NestedSelectError) -> RequestCondition {
    skipBlanks()
    try expect("(", "\"(\"")
    try enter()
    var conditions: [RequestCondition] = []
    repeat {
      skipBlanks()
      conditions.append(try parseCondition())
      skipBlanks()
    } while take(",")
    try expect(")", "\",\" or \")\"")
    skipBlanks()
    depth -= 1
    return isAny
      ? .any(conditions, isNegated: isNegated) : .all(conditions, isNegated: isNegated)
  }

  private mutating func parseCondition() throws(NestedSelectError) -> RequestCondition {
    let start = index
    let isNegated = take("not.")
    for isAny in [false, true] {
      let mark = index
      if isAny ? take("or") : take("and") {
        skipBlanks()
        if at("(") { return try parseTree(isAny: isAny, isNegated: isNegated) }
        restore(to: mark)
      }
    }
    restore(to: start)
    let field = try parseField()
    try expect(".", "\".\"")
    let isDenied = take("not.")
    return .test(
      RequestTest(
        field: field, operation: try parseOperation(inTree: true), isNegated: isDenied))
  }

  // MARK: Operators

  private static let operatorsExpected = "\"not\" or operator (eq, gt, ...)"

  /// An operator and its value, which in a tree ends at a comma or parenthesis.
  private mutating func parseOperation(
    inTree: Bool
  ) throws(NestedSelectError) -> RequestOperation {
    let start = index
    let word = take { !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    if ["fts", "plfts", "phfts", "wfts"].contains(word), at(".") || at("(") {
      _ = inTree ? try parseTreeValue() : takeRest()
      return .textSearch
    }
    if let comparison = RequestOperation.Comparison(rawValue: word) {
      let quantifier: RequestOperation.Quantifier? =
        take("(any)") ? .any : take("(all)") ? .all : nil
      if take(".") {
        let value = try parseValue(inTree)
        guard let quantifier else { return .compare(comparison, value) }
        return .compareEach(comparison, quantifier, value)
      }
    } else if take(".") {
      if let symbol = RequestOperation.symbols[word] {
        return .symbol(symbol, try parseValue(inTree))
      }
      switch word {
      case "in": return .isIn(try parseList())
      case "is": return .isTruth(try parseTruth())
      case "isdistinct": return .isDistinct(try parseValue(inTree))
      default: break
      }
    }
    restore(to: start)
    throw unexpected(expecting: Self.operatorsExpected)
  }

  private mutating func parseValue(_ inTree: Bool) throws(NestedSelectError) -> String {
    inTree ? try parseTreeValue() : takeRest()
  }

  private mutating func parseTruth() throws(NestedSelectError) -> RequestOperation.Truth {
    let start = index
    let word = take { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ")") }
    if let truth = RequestOperation.Truth(rawValue: word.lowercased()) { return truth }
    restore(to: start)
    throw unexpected(expecting: "isVal: (null, not_null, true, false, unknown)")
  }

  /// `(1,2,"a,b")`; empty parentheses are no value.
  private mutating func parseList() throws(NestedSelectError) -> [String] {
    skipBlanks()
    try expect("(", "\"(\"")
    if take(")") { return [] }
    var values: [String] = []
    repeat { values.append(try parseElement()) } while take(",")
    try expect(")", "\",\" or \")\"")
    skipBlanks()
    return values
  }

  /// A value up to a comma or parenthesis, or in double quotes with nothing behind them.
  private mutating func parseElement() throws(NestedSelectError) -> String {
    let start = index
    if peek() == UInt8(ascii: "\"") {
      let text = try? parseQuoted()
      if let text, isAtEnd || at(",") || at(")") { return text }
      restore(to: start)
    }
    return take { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ")") }
  }

  /// A value of a tree: as in a list, or an array or object in braces, whose commas belong to it.
  private mutating func parseTreeValue() throws(NestedSelectError) -> String {
    guard peek() == UInt8(ascii: "{") else { return try parseElement() }
    let start = index
    var openCount = 0
    var isQuoted = false
    repeat {
      let byte = peek()
      if byte == UInt8(ascii: "\\") && isQuoted && index + 1 < bytes.count {
        advance()
      } else if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
      } else if !isQuoted {
        openCount += byte == UInt8(ascii: "{") ? 1 : byte == UInt8(ascii: "}") ? -1 : 0
      }
      advance()
    } while openCount > 0 && !isAtEnd
    if openCount > 0 { throw unexpected(expecting: "\"}\"") }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }
}
