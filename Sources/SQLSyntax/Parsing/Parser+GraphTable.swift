import Diagnostics

/// GRAPH_TABLE.
///
/// The signs of a path, such as `]->*(`, do not fall into tokens as SQL's operators do; they are read byte by byte, and
/// `patternOffset` says how much of the token in hand was taken.
extension Parser {
  /// Whether `GRAPH_TABLE (` comes next.
  var isAtGraphTable: Bool { at(word: "graph_table") && peek().kind == .leftParen }

  /// Whether a word comes next that PostgreSQL 15 has not among its key words.
  func at(word: String) -> Bool { isWord(token, word) }

  func isWord(_ token: Token, _ word: String) -> Bool {
    token.kind == .identifier && text.foldedName(token) == word
  }

  mutating func take(word: String) -> Bool {
    if !at(word: word) { return false }
    advance()
    return true
  }

  mutating func expect(word: String) throws(ParseFailure) {
    if !take(word: word) { throw syntaxError() }
  }

  /// `GRAPH_TABLE (graph MATCH … COLUMNS (…)) [alias]`.
  mutating func parseGraphTable() throws(ParseFailure) -> GraphTable {
    let start = self.start
    try enter()
    advance()
    try expect(.leftParen)
    let graph: QualifiedName? = take(.star) ? nil : try parseQualifiedName()
    try expect(.match)
    var paths = [try parsePathPattern()]
    while take(.comma) { paths.append(try parsePathPattern()) }
    if take(word: "keep") {
      guard let prefix = try parsePathPrefix() else { throw syntaxError() }
      for index in paths.indices where paths[index].prefix == nil { paths[index].prefix = prefix }
    }
    let filter: Expression? = take(.where) ? try parseExpression() : nil
    try expect(.columns)
    try expect(.leftParen)
    let columns = try parseSelectItems()
    try expect(.rightParen)
    try expect(.rightParen)
    let end = range(from: start)
    let alias = try parseTableAlias()
    leave()
    return GraphTable(
      graph: graph, paths: paths, filter: filter, columns: columns, alias: alias, range: end)
  }

  // MARK: Paths

  private mutating func parsePathPattern() throws(ParseFailure) -> PathPattern {
    let start = self.start
    var variable: Identifier?
    if isColumnName(token), peek().kind == .equal {
      variable = try parseName()
      advance()
    }
    let prefix = try parsePathPrefix()
    let terms = try parsePathTerms()
    return PathPattern(
      variable: variable, prefix: prefix, terms: terms, range: range(from: start))
  }

  /// Which paths are wanted; nil where nothing says so.
  private mutating func parsePathPrefix() throws(ParseFailure) -> PathPrefix? {
    var prefix = PathPrefix()
    let start = index
    if take(.all) {
      if take(word: "shortest") {
        prefix.selector = .allShortest
      } else if take(word: "cheapest") {
        prefix.selector = .allCheapest
      }
    } else if take(.any) {
      if take(word: "shortest") {
        prefix.selector = .shortest(1)
      } else if take(word: "cheapest") {
        prefix.selector = .cheapest(1)
      } else {
        prefix.selector = .any(at(.wholeNumber) ? try parsePathCount() : 1)
      }
    } else if take(word: "shortest") {
      let count = at(.wholeNumber) ? try parsePathCount() : nil
      let mode = parsePathMode()
      skipPathWord()
      prefix.mode = mode ?? .walk
      if take(.group) || take(.groups) {
        prefix.selector = .shortestGroups(count ?? 1)
      } else {
        guard let count else { throw syntaxError() }
        prefix.selector = .shortest(count)
      }
      return prefix
    } else if take(word: "cheapest") {
      prefix.selector = .cheapest(try parsePathCount())
    }
    if let mode = parsePathMode() { prefix.mode = mode }
    skipPathWord()
    return index == start ? nil : prefix
  }

  private mutating func skipPathWord() { if !take(word: "paths") { _ = take(word: "path") } }

  private mutating func parsePathCount() throws(ParseFailure) -> Int {
    let token = self.token
    let count = try parseUnsigned()
    if count == 0 { throw syntaxError(at: token) }
    return count
  }

  private mutating func parsePathMode() -> PathPrefix.Mode? {
    if take(.simple) { return .simple }
    if take(word: "walk") { return .walk }
    if take(word: "trail") { return .trail }
    return take(word: "acyclic") ? .acyclic : nil
  }

  /// The parts of a path, up to what can be none.
  private mutating func parsePathTerms() throws(ParseFailure) -> [PathTerm] {
    var terms: [PathTerm] = []
    while let term = try parsePathTerm() { terms.append(term) }
    if terms.isEmpty { throw syntaxError() }
    return terms
  }

  private mutating func parsePathTerm() throws(ParseFailure) -> PathTerm? {
    let start = self.start
    var term: PathTerm
    if let edge = try parseEdge() {
      term = PathTerm(kind: edge, quantifier: nil, range: .none)
    } else if at(.leftParen) || at(.leftBracket) {
      if let group = try parsePathGroup() {
        term = PathTerm(kind: .group(group), quantifier: nil, range: .none)
      } else {
        advance()
        let element = try parseElement()
        try expect(.rightParen)
        return PathTerm(kind: .vertex(element), quantifier: nil, range: range(from: start))
      }
    } else {
      return nil
    }
    term.quantifier = try parseQuantifier()
    term.range = range(from: start)
    return term
  }

  /// A part of a path in parentheses or brackets; nil where the parenthesis is that of a vertex.
  private mutating func parsePathGroup() throws(ParseFailure) -> PathGroup? {
    let isBracket = at(.leftBracket)
    guard isBracket || isPathGroup else { return nil }
    try enter()
    advance()
    var group = PathGroup(variable: nil, mode: nil, terms: [])
    if isColumnName(token), peek().kind == .equal {
      group.variable = try parseName()
      advance()
    }
    group.mode = parsePathMode()
    if group.mode != nil { skipPathWord() }
    group.terms = try parsePathTerms()
    if take(.where) { group.filter = try parseExpression() }
    if take(.cost) { group.cost = try parseExpression() }
    try expect(isBracket ? .rightBracket : .rightParen)
    leave()
    return group
  }

  /// Whether what begins with the parenthesis in hand is a part of a path rather than one vertex.
  private var isPathGroup: Bool {
    let next = peek()
    switch next.kind {
    case .leftParen, .leftBracket, .minus, .less: return true
    case .symbol:
      let first = text.bytes[Int(next.start)]
      return first == UInt8(ascii: "-") || first == UInt8(ascii: "<")
    case .identifier, .keyword, .quotedIdentifier, .unicodeIdentifier:
      let second = peek(2)
      if second.kind == .equal { return true }
      let isMode =
        isKeyword(next, .simple) || isWord(next, "walk") || isWord(next, "trail")
        || isWord(next, "acyclic")
      return isMode
        && (second.kind == .leftParen || isWord(second, "path") || isWord(second, "paths"))
    case .endOfText, .failure, .stray, .wholeNumber, .fraction, .dollarNumber, .string,
      .escapeString, .unicodeString, .nationalString, .dollarString, .bitString, .hexString,
      .rightParen, .rightBracket, .comma, .semicolon, .dot, .dotDot, .colon, .colonEquals,
      .typecast, .arrow, .plus, .star, .slash, .percent, .caret, .greater, .equal, .lessEqual,
      .greaterEqual, .notEqual:
      return false
    }
  }

  // MARK: Elements

  /// `[variable] [IS label] [WHERE condition] [COST expression]`.
  private mutating func parseElement(isEdge: Bool = false) throws(ParseFailure) -> ElementPattern {
    let start = self.start
    var element = ElementPattern(range: .none)
    if isColumnName(token), !(isEdge && isAtCost) { element.variable = try parseName() }
    if take(.is) || take(.colon) { element.label = try parseLabelExpression() }
    if take(.where) { element.filter = try parseExpression() }
    if isEdge, take(.cost) { element.cost = try parseExpression() }
    element.range = range(from: start)
    return element
  }

  /// Whether an edge begins with what it costs, rather than with a variable of that name: an expression follows.
  private var isAtCost: Bool {
    guard at(.cost) else { return false }
    let next = peek()
    if next.kind == .rightBracket || next.kind == .colon || isKeyword(next, .is)
      || isKeyword(next, .where)
    {
      return false
    }
    return !isKeyword(next, .cost) || peek(2).kind == .dot
  }

  /// An edge in one of its forms; nil where none begins.
  private mutating func parseEdge() throws(ParseFailure) -> PathTerm.Kind? {
    let hasLeft = takeSign("<-")
    guard hasLeft || takeSign("-") else { return nil }
    if patternOffset == 0, at(.leftBracket) {
      advance()
      let element = try parseElement(isEdge: true)
      try expect(.rightBracket)
      guard takeSign("-") else { throw syntaxError() }
      return .edge(element, direction(hasLeft, takeSign(">")))
    }
    let element = ElementPattern(range: .none)
    return .edge(element, direction(hasLeft, takeSign(">")))
  }

  private func direction(_ hasLeft: Bool, _ hasRight: Bool) -> EdgeDirection {
    if hasLeft == hasRight { return .either }
    return hasLeft ? .left : .right
  }

  /// `*`, `+`, `?`, `{n}`, `{m,n}`, `{m,}` or `{,n}`; nil where none comes next.
  private mutating func parseQuantifier() throws(ParseFailure) -> PathQuantifier? {
    let start = self.start + patternOffset
    var quantifier = PathQuantifier(minimum: 0, maximum: nil, range: .none)
    if takeSign("*") {
    } else if takeSign("+") {
      quantifier.minimum = 1
    } else if takeSign("?") {
      quantifier.maximum = 1
      quantifier.isOptional = true
    } else if takeSign("{") {
      let minimum: Int? = at(.wholeNumber) ? try parseUnsigned() : nil
      quantifier.minimum = minimum ?? 0
      if take(.comma) {
        quantifier.maximum = at(.wholeNumber) ? try parseUnsigned() : nil
        if minimum == nil, quantifier.maximum == nil { throw syntaxError() }
      } else {
        guard let minimum else { throw syntaxError() }
        quantifier.maximum = minimum
      }
      guard takeSign("}") else { throw syntaxError() }
    } else {
      if patternOffset != 0 { throw syntaxError() }
      return nil
    }
    quantifier.range = range(from: start)
    if let maximum = quantifier.maximum, maximum < max(1, quantifier.minimum) {
      throw fail(
        SQLError(
          .syntaxError, "the upper bound of a quantifier must be positive and not below the lower",
          at: quantifier.range, hint: "Write {m,n} with m no greater than n, and n at least 1."))
    }
    return quantifier
  }

  /// Takes a sign if the text goes on with it, be it a part of a token or several.
  private mutating func takeSign(_ sign: String) -> Bool {
    let place = start + patternOffset
    let end = place + sign.utf8.count
    guard !at(.endOfText), end <= text.bytes.count,
      text.bytes[place..<end].elementsEqual(sign.utf8)
    else { return false }
    while Int(token.end) <= end, !at(.endOfText) { advance() }
    patternOffset = max(0, end - start)
    return true
  }

  // MARK: Labels

  /// Labels joined by `|`, which binds loosest, `&` and `!`.
  private mutating func parseLabelExpression() throws(ParseFailure) -> LabelExpression {
    try enter()
    let start = self.start
    var left = try parseLabelConjunction()
    while takeSign("|") {
      let right = try parseLabelConjunction()
      left = LabelExpression(kind: .or(left, right), range: range(from: start))
      try grow()
    }
    if patternOffset != 0 { throw syntaxError() }
    leave()
    return left
  }

  private mutating func parseLabelConjunction() throws(ParseFailure) -> LabelExpression {
    let start = self.start
    var left = try parseLabelPrimary()
    while takeSign("&") {
      let right = try parseLabelPrimary()
      left = LabelExpression(kind: .and(left, right), range: range(from: start))
      try grow()
    }
    return left
  }

  private mutating func parseLabelPrimary() throws(ParseFailure) -> LabelExpression {
    let start = self.start
    if takeSign("!") {
      try enter()
      let inner = try parseLabelPrimary()
      leave()
      return LabelExpression(kind: .not(inner), range: range(from: start))
    }
    if takeSign("%") { return LabelExpression(kind: .any, range: range(from: start)) }
    if patternOffset != 0 { throw syntaxError() }
    if take(.leftParen) {
      let inner = try parseLabelExpression()
      try expect(.rightParen)
      return inner
    }
    return LabelExpression(kind: .name(try parseName()), range: range(from: start))
  }
}
