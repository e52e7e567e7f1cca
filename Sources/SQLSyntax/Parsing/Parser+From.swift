import Diagnostics

/// FROM and WITH.
extension Parser {
  /// The entries of FROM.
  mutating func parseFromList() throws(ParseFailure) -> [TableReference] {
    var list = [try parseTableReference()]
    while take(.comma) { list.append(try parseTableReference()) }
    return list
  }

  /// A table with the joins that follow it.
  mutating func parseTableReference() throws(ParseFailure) -> TableReference {
    try enter()
    let outer = height
    height = 0
    let first = try parseTablePrimary()
    let result = try parseJoins(first)
    height = max(outer, height)
    leave()
    return result
  }

  private var isAtJoin: Bool {
    guard let keyword else { return isAtMatchJoin }
    switch keyword {
    case .join, .inner, .left, .right, .full, .cross, .natural: return true
    default: return false
    }
  }

  /// Whether SEMI JOIN or ANTI JOIN comes next, which PostgreSQL does not have.
  ///
  /// Neither word is reserved, so `t anti JOIN u` is `t` by the alias `anti` there, and here: parsing takes an alias
  /// before it looks for a join. Where no alias can stand (behind another alias, after a join's condition) PostgreSQL
  /// has only a syntax error, and after LEFT or NATURAL too. So no query that PostgreSQL takes means anything else here,
  /// and LEFT ANTI JOIN can be written everywhere.
  private var isAtMatchJoin: Bool {
    (at(word: "semi") || at(word: "anti")) && isKeyword(peek(), .join)
  }

  private mutating func parseJoins(_ first: TableReference) throws(ParseFailure) -> TableReference {
    var left = first
    while isAtJoin {
      left = try parseJoin(left)
      try grow()
    }
    return left
  }

  private mutating func parseJoin(_ left: TableReference) throws(ParseFailure) -> TableReference {
    if take(.cross) {
      try expect(.join)
      let right = try parseTablePrimary()
      return joined(left, right, .cross, .none)
    }
    let isNatural = take(.natural)
    let kind = try parseJoinKind()
    try expect(.join)
    if isNatural {
      let right = try parseTablePrimary()
      return joined(left, right, kind, .natural)
    }
    var right = try parseTablePrimary()
    if isAtJoin {
      // `a JOIN b JOIN c ON … ON …`: the inner join is the right side of the outer one.
      try enter()
      right = try parseJoins(right)
      leave()
    }
    if take(.on) {
      return joined(left, right, kind, .on(try parseExpression()))
    }
    try expect(.using)
    try expect(.leftParen)
    let columns = try parseNameList()
    try expect(.rightParen)
    let alias: Identifier? = take(.as) ? try parseName() : nil
    return joined(left, right, kind, .using(columns, alias: alias))
  }

  private func joined(
    _ left: TableReference, _ right: TableReference, _ kind: JoinedTable.Kind,
    _ condition: JoinedTable.Condition
  ) -> TableReference {
    .join(
      JoinedTable(
        kind: kind, condition: condition, left: left, right: right, alias: nil,
        range: range(from: Int(left.range.lower))))
  }

  private mutating func parseJoinKind() throws(ParseFailure) -> JoinedTable.Kind {
    var kind = JoinedTable.Kind.inner
    if at(.left), isWord(peek(), "semi") || isWord(peek(), "anti") { advance() }
    if isAtMatchJoin { return takeMatchJoin() }
    switch keyword {
    case .left: kind = .left
    case .right: kind = .right
    case .full: kind = .full
    case .inner:
      advance()
      return .inner
    default: return .inner
    }
    advance()
    _ = take(.outer)
    return kind
  }

  private mutating func takeMatchJoin() -> JoinedTable.Kind {
    if take(word: "semi") { return .semi }
    advance()
    return .anti
  }

  // MARK: Primaries

  private mutating func parseTablePrimary() throws(ParseFailure) -> TableReference {
    let start = self.start
    let isLateral = take(.lateral)
    if at(.leftParen) {
      if isQueryParen(index) { return try parseDerivedTable(isLateral, start) }
      if isLateral {
        advance()
        throw syntaxError()
      }
      return try parseParenthesisedJoin(start)
    }
    if at(.rows, .from), peek(2).kind == .leftParen { return try parseRowsFrom(isLateral, start) }
    if isAtGraphTable {
      let table = try parseGraphTable()
      return .graph(table)
    }
    if isAtTableFunction { return try parseTableFunction(isLateral, start) }
    if isLateral { throw syntaxError() }
    if at(.xmltable) { throw unsupported("XMLTABLE", at: range(of: token)) }
    var table = try parseRelationOrFile()
    table.alias = try parseTableAlias()
    if at(.tablesample) { table.sample = try parseTableSample() }
    table.range = range(from: start)
    return .table(table)
  }

  /// A relation that is read, which may be the path of a file as a string.
  mutating func parseRelationOrFile() throws(ParseFailure) -> NamedTable {
    guard token.isString else { return try parseRelation() }
    let start = self.start
    let path = try parseString()
    let place = range(from: start)
    return NamedTable(QualifiedName(Identifier(path, at: place)), isFile: true, at: place)
  }

  /// `[ONLY] name [*]`, without an alias.
  mutating func parseRelation() throws(ParseFailure) -> NamedTable {
    let start = self.start
    if take(.only) {
      let hasParen = take(.leftParen)
      let name = try parseQualifiedName()
      if hasParen { try expect(.rightParen) }
      return NamedTable(name, isOnly: true, at: range(from: start))
    }
    let name = try parseQualifiedName()
    _ = take(.star)
    return NamedTable(name, at: range(from: start))
  }

  /// `[AS] alias [(column, …)]`, or nothing.
  mutating func parseTableAlias() throws(ParseFailure) -> TableAlias? {
    if !take(.as), !isColumnName(token) { return nil }
    let name = try parseName()
    return TableAlias(name, columns: try parseOptionalNameList())
  }

  private mutating func parseTableSample() throws(ParseFailure) -> TableSample {
    let start = self.start
    advance()
    let method = try parseFunctionName()
    try expect(.leftParen)
    let arguments = try parseExpressionList()
    try expect(.rightParen)
    var seed: Expression?
    if take(.repeatable) {
      try expect(.leftParen)
      seed = try parseExpression()
      try expect(.rightParen)
    }
    return TableSample(
      method: method, arguments: arguments, seed: seed, range: range(from: start))
  }

  private mutating func parseDerivedTable(
    _ isLateral: Bool, _ start: Int
  ) throws(ParseFailure) -> TableReference {
    let place = range(of: token)
    let isValues = isKeyword(peek(), .values)
    let query = try parseParenthesisedQuery()
    let alias = try parseTableAlias()
    if alias == nil {
      let word = isValues ? "VALUES" : "subquery"
      throw fail(
        SQLError(
          .syntaxError, "\(word) in FROM must have an alias", at: place,
          hint: "For example, FROM (\(isValues ? "VALUES" : "SELECT") ...) [AS] foo."))
    }
    return .subquery(
      DerivedTable(query: query, alias: alias, isLateral: isLateral, range: range(from: start)))
  }

  private mutating func parseParenthesisedJoin(
    _ start: Int
  ) throws(ParseFailure) -> TableReference {
    advance()
    let inner = try parseTableReference()
    guard case .join(var join) = inner else { throw syntaxError() }
    try expect(.rightParen)
    if let alias = try parseTableAlias() {
      if join.alias != nil { throw syntaxError() }
      join.alias = alias
    }
    join.range = range(from: start)
    return .join(join)
  }

  // MARK: Functions

  /// Whether a function begins here rather than a table's name.
  private var isAtTableFunction: Bool {
    if token.kind == .keyword {
      switch token.keyword.category {
      case .reserved:
        switch token.keyword {
        case .cast, .currentDate, .currentTime, .currentTimestamp, .localtime, .localtimestamp,
          .currentUser, .sessionUser, .user, .currentRole, .currentCatalog:
          return true
        default: return false
        }
      case .typeOrFunctionName: return peek().kind == .leftParen || token.keyword == .currentSchema
      case .unreserved, .columnName: break
      }
    }
    guard isLabel(token) else { return false }
    var offset = 1
    while peek(offset).kind == .dot { offset += 2 }
    return peek(offset).kind == .leftParen
  }

  private mutating func parseTableFunction(
    _ isLateral: Bool, _ start: Int
  ) throws(ParseFailure) -> TableReference {
    let call = try parsePrimary()
    var function = TableFunction(
      items: [.init(call: call, columns: [])], isRowsFrom: false, hasOrdinality: false,
      isLateral: isLateral, alias: nil, columns: [], range: .none)
    try finishTableFunction(&function)
    function.range = range(from: start)
    return .function(function)
  }

  private mutating func parseRowsFrom(
    _ isLateral: Bool, _ start: Int
  ) throws(ParseFailure) -> TableReference {
    index += 3
    var items: [TableFunction.Item] = []
    repeat {
      guard isAtTableFunction else { throw syntaxError() }
      var item = TableFunction.Item(call: try parsePrimary(), columns: [])
      if take(.as) {
        try expect(.leftParen)
        item.columns = try parseColumnTypes()
        try expect(.rightParen)
      }
      items.append(item)
    } while take(.comma)
    try expect(.rightParen)
    var function = TableFunction(
      items: items, isRowsFrom: true, hasOrdinality: false, isLateral: isLateral, alias: nil,
      columns: [], range: .none)
    try finishTableFunction(&function)
    function.range = range(from: start)
    return .function(function)
  }

  /// WITH ORDINALITY and the alias, which may give the columns' types.
  private mutating func finishTableFunction(
    _ function: inout TableFunction
  ) throws(ParseFailure) {
    function.hasOrdinality = take(.with, .ordinality)
    let hasAs = take(.as)
    if hasAs, take(.leftParen) {
      function.columns = try parseColumnTypes()
      return try expect(.rightParen)
    }
    guard hasAs || isColumnName(token) else { return }
    let name = try parseName()
    function.alias = TableAlias(name)
    guard take(.leftParen) else { return }
    if isListEnd(peek()) {
      function.alias = TableAlias(name, columns: try parseNameList())
    } else {
      function.columns = try parseColumnTypes()
    }
    try expect(.rightParen)
  }

  /// `name type [COLLATE collation], …`.
  mutating func parseColumnTypes() throws(ParseFailure) -> [ColumnDefinition] {
    var columns: [ColumnDefinition] = []
    repeat {
      let start = self.start
      let name = try parseName()
      let type = try parseTypeName()
      let collation: QualifiedName? = take(.collate) ? try parseQualifiedName() : nil
      columns.append(
        ColumnDefinition(
          name: name, type: type, collation: collation, constraints: [],
          range: range(from: start)))
    } while take(.comma)
    return columns
  }

  // MARK: WITH

  /// `WITH [RECURSIVE] name AS (…), …`.
  mutating func parseWith() throws(ParseFailure) -> WithClause {
    let start = self.start
    try expect(.with)
    let isRecursive = take(.recursive)
    var expressions: [CommonTableExpression] = []
    repeat { expressions.append(try parseCommonTableExpression()) } while take(.comma)
    return WithClause(
      isRecursive: isRecursive, expressions: expressions, range: range(from: start))
  }

  private mutating func parseCommonTableExpression()
    throws(ParseFailure) -> CommonTableExpression
  {
    let start = self.start
    let name = try parseName()
    let columns = try parseOptionalNameList()
    try expect(.as)
    var isMaterialized: Bool?
    if take(.materialized) {
      isMaterialized = true
    } else if take(.not, .materialized) {
      isMaterialized = false
    }
    try expect(.leftParen)
    let statement = try parsePreparable()
    try expect(.rightParen)
    let search: CommonTableExpression.Search? = at(.search) ? try parseSearch() : nil
    let cycle: CommonTableExpression.Cycle? = at(.cycle) ? try parseCycle() : nil
    return CommonTableExpression(
      name: name, columnNames: columns, isMaterialized: isMaterialized, statement: statement,
      search: search, cycle: cycle, range: range(from: start))
  }

  private mutating func parseSearch() throws(ParseFailure) -> CommonTableExpression.Search {
    let start = self.start
    advance()
    let isBreadthFirst = at(.breadth)
    if !take(.depth) { try expect(.breadth) }
    try expect(.first, .by)
    let columns = try parseNameList()
    try expect(.set)
    let sequenceColumn = try parseName()
    return .init(
      isBreadthFirst: isBreadthFirst, columns: columns, sequenceColumn: sequenceColumn,
      range: range(from: start))
  }

  private mutating func parseCycle() throws(ParseFailure) -> CommonTableExpression.Cycle {
    let start = self.start
    advance()
    let columns = try parseNameList()
    try expect(.set)
    let markColumn = try parseName()
    var value: Expression?
    var otherwise: Expression?
    if take(.to) {
      value = try parsePrimary()
      try expect(.default)
      otherwise = try parsePrimary()
    }
    try expect(.using)
    let pathColumn = try parseName()
    return .init(
      columns: columns, markColumn: markColumn, markValue: value, markDefault: otherwise,
      pathColumn: pathColumn, range: range(from: start))
  }
}
