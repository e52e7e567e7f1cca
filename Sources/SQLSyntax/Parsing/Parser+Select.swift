import Diagnostics

/// Queries.
extension Parser {
  /// Whether a query begins here.
  var isAtQuery: Bool {
    at(.select) || at(.values) || at(.with) || at(.table) || at(.from)
      || (at(.leftParen) && isQueryParen(index))
  }

  /// A query in parentheses.
  mutating func parseParenthesisedQuery() throws(ParseFailure) -> SelectStatement {
    try expect(.leftParen)
    let query = try parseQuery()
    try expect(.rightParen)
    return query
  }

  /// A query with all that may belong to it.
  mutating func parseQuery() throws(ParseFailure) -> SelectStatement {
    let start = self.start
    let with: WithClause? = at(.with) ? try parseWith() : nil
    return try parseQuery(with: with, from: start)
  }

  /// A query whose WITH was read already.
  mutating func parseQuery(
    with: WithClause?, from start: Int
  ) throws(ParseFailure) -> SelectStatement {
    try enter()
    let outer = height
    height = 0
    let body = try parseQueryBody(0)
    var query: SelectStatement
    if case .parenthesised(let inner) = body {
      // PostgreSQL makes what stands outside the parentheses part of the query within.
      query = inner
      if let with {
        if query.with != nil {
          throw fail(
            SQLError(.syntaxError, "multiple WITH clauses not allowed", at: with.range))
        }
        query.with = with
      }
    } else {
      query = SelectStatement(with: with, body: body)
    }
    try parseQueryTail(&query)
    query.range = range(from: start)
    try grow()
    height = max(outer, height)
    leave()
    return query
  }

  /// ORDER BY, LIMIT, OFFSET, FETCH and locking in any order that PostgreSQL takes.
  private mutating func parseQueryTail(_ query: inout SelectStatement) throws(ParseFailure) {
    if at(.order) {
      let place = range(of: token)
      let keys = try parseOrderBy()
      if !query.orderBy.isEmpty { throw multiple("ORDER BY", place) }
      query.orderBy = keys
    }
    while let keyword {
      if keyword == .limit || keyword == .fetch || keyword == .offset {
        try parseLimits(&query)
      } else if keyword == .for {
        if isKeyword(peek(), .read) {
          advance()
          try expect(.read, .only)
        } else {
          query.locking.append(try parseLocking())
        }
      } else {
        return
      }
    }
  }

  private mutating func multiple(_ clause: String, _ place: SourceRange) -> ParseFailure {
    fail(SQLError(.syntaxError, "multiple \(clause) clauses not allowed", at: place))
  }

  private mutating func parseLimits(_ query: inout SelectStatement) throws(ParseFailure) {
    let place = range(of: token)
    if keyword == .limit {
      advance()
      if query.limit != nil { throw multiple("LIMIT", place) }
      if take(.all) { return }
      query.limit = try parseExpression()
      if at(.comma) {
        throw fail(
          SQLError(
            .syntaxError, "LIMIT #,# syntax is not supported", at: place,
            hint: "Use separate LIMIT and OFFSET clauses."))
      }
    } else if keyword == .offset {
      advance()
      if query.offset != nil { throw multiple("OFFSET", place) }
      query.offset = try parseExpression()
      if !take(.row) { _ = take(.rows) }
    } else {
      advance()
      if query.limit != nil { throw multiple("LIMIT", place) }
      try parseFetchFirst(&query, place)
    }
  }

  private mutating func parseFetchFirst(
    _ query: inout SelectStatement, _ place: SourceRange
  ) throws(ParseFailure) {
    if !take(.first) { try expect(.next) }
    query.limit = Expression(.literal(.integer(1)), at: place)
    if !at(.row), !at(.rows) {
      let outer = height
      query.limit = try parseOperators(Precedence.sign, isRestricted: true)
      height = max(outer, height)
    }
    if !take(.row) { try expect(.rows) }
    if take(.with) {
      try expect(.ties)
      if query.orderBy.isEmpty {
        throw fail(
          SQLError(.syntaxError, "WITH TIES cannot be specified without ORDER BY clause"))
      }
      query.isWithTies = true
    } else {
      try expect(.only)
    }
  }

  private mutating func parseLocking() throws(ParseFailure) -> LockingClause {
    let start = self.start
    try expect(.for)
    let strength: LockingClause.Strength
    if take(.update) {
      strength = .update
    } else if take(.share) {
      strength = .share
    } else if take(.no) {
      try expect(.key, .update)
      strength = .noKeyUpdate
    } else {
      try expect(.key, .share)
      strength = .keyShare
    }
    let tables: [QualifiedName] = take(.of) ? try parseQualifiedNameList() : []
    var wait = LockingClause.Wait.block
    if take(.nowait) {
      wait = .noWait
    } else if take(.skip) {
      try expect(.locked)
      wait = .skipLocked
    }
    return LockingClause(
      strength: strength, tables: tables, wait: wait, range: range(from: start))
  }

  // MARK: Bodies

  /// Set operations that bind at least as tightly as `minimum`: UNION and EXCEPT are 0, INTERSECT 1.
  private mutating func parseQueryBody(_ minimum: Int) throws(ParseFailure) -> QueryBody {
    var left = try parseSimpleBody()
    while let keyword {
      let kind: SetOperation.Kind
      if keyword == .union {
        kind = .union
      } else if keyword == .except {
        kind = .except
      } else if keyword == .intersect {
        kind = .intersect
      } else {
        return left
      }
      let level = kind == .intersect ? 1 : 0
      if level < minimum { return left }
      left = try parseSetOperation(left, kind, level)
    }
    return left
  }

  private mutating func parseSetOperation(
    _ left: QueryBody, _ kind: SetOperation.Kind, _ level: Int
  ) throws(ParseFailure) -> QueryBody {
    let place = range(of: token)
    advance()
    let isAll = take(.all)
    if !isAll { _ = take(.distinct) }
    let right = try parseQueryBody(level + 1)
    try grow()
    return .setOperation(
      SetOperation(
        kind: kind, isAll: isAll, left: unwrapped(left), right: unwrapped(right),
        operatorRange: place))
  }

  /// A body whose parentheses say nothing without them.
  private func unwrapped(_ body: QueryBody) -> QueryBody {
    guard case .parenthesised(let query) = body, query.with == nil, query.orderBy.isEmpty,
      query.limit == nil, query.offset == nil, query.locking.isEmpty
    else { return body }
    return query.body
  }

  private mutating func parseSimpleBody() throws(ParseFailure) -> QueryBody {
    if token.kind == .leftParen {
      return .parenthesised(try parseParenthesisedQuery())
    } else if token.kind == .keyword {
      if token.keyword == .select { return .select(try parseSelectCore()) }
      if token.keyword == .from { return .select(try parseFromFirst()) }
      if token.keyword == .values { return .values(try parseValues()) }
      if token.keyword == .table {
        advance()
        return .table(try parseRelationOrFile())
      }
      throw syntaxError()
    } else {
      throw syntaxError()
    }
  }

  /// `VALUES (…), (…)`.
  mutating func parseValues(allowsDefault: Bool = false) throws(ParseFailure) -> ValuesList {
    let start = self.start
    try expect(.values)
    var rows: [[Expression]] = []
    repeat {
      try expect(.leftParen)
      var row: [Expression] = []
      row.reserveCapacity(rows.last?.count ?? 4)
      repeat {
        row.append(allowsDefault ? try parseValueOrDefault() : try parseListElement())
      } while take(.comma)
      try expect(.rightParen)
      rows.append(row)
    } while take(.comma)
    return ValuesList(rows: rows, range: range(from: start))
  }

  /// A value, or DEFAULT.
  mutating func parseValueOrDefault() throws(ParseFailure) -> Expression {
    if at(.default) {
      let place = range(of: token)
      advance()
      return Expression(.defaultValue, at: place)
    }
    return try parseListElement()
  }

  private mutating func parseSelectCore() throws(ParseFailure) -> SelectCore {
    let start = self.start
    var core = SelectCore(items: [])
    try parseSelectList(of: &core)
    if at(.into) { core.into = try parseInto() }
    if take(.from) { core.from = try parseFromList() }
    try parseConditions(of: &core)
    core.range = range(from: start)
    return core
  }

  /// `FROM … [SELECT …]`, which without a list gives all columns: the shortest way to look at a table.
  private mutating func parseFromFirst() throws(ParseFailure) -> SelectCore {
    let start = self.start
    try expect(.from)
    var core = SelectCore(items: [SelectItem(.all, at: .none)])
    core.from = try parseFromList()
    if at(.select) { try parseSelectList(of: &core) }
    try parseConditions(of: &core)
    core.range = range(from: start)
    return core
  }

  private mutating func parseSelectList(of core: inout SelectCore) throws(ParseFailure) {
    try expect(.select)
    core.items = []
    if take(.distinct) {
      core.distinct = .rows
      if take(.on) {
        try expect(.leftParen)
        core.distinct = .on(try parseExpressionList())
        try expect(.rightParen)
      }
    } else {
      _ = take(.all)
    }
    if !isAtEmptySelectList { core.items = try parseSelectItems() }
  }

  private mutating func parseConditions(of core: inout SelectCore) throws(ParseFailure) {
    if take(.where) { core.filter = try parseExpression() }
    if take(.group) { core.groupBy = try parseGroupBy() }
    if take(.having) { core.having = try parseExpression() }
    if take(.window) { core.windows = try parseWindows() }
  }

  /// Whether a clause, or the end, follows SELECT at once, which PostgreSQL allows.
  private var isAtEmptySelectList: Bool {
    if isAtEnd || at(.rightParen) { return true }
    guard let keyword else { return false }
    switch keyword {
    case .from, .where, .group, .having, .window, .order, .limit, .offset, .fetch, .for, .union,
      .intersect, .except, .into:
      return true
    default: return false
    }
  }

  private mutating func parseInto() throws(ParseFailure) -> IntoClause {
    try expect(.into)
    var persistence = Persistence.permanent
    if at(.local) || at(.global), isKeyword(peek(), .temp) || isKeyword(peek(), .temporary) {
      advance()
    }
    if take(.temp) || take(.temporary) {
      persistence = .temporary
    } else if take(.unlogged) {
      persistence = .unlogged
    }
    _ = take(.table)
    return IntoClause(name: try parseQualifiedName(), persistence: persistence)
  }

  /// The entries of a select list or of RETURNING.
  mutating func parseSelectItems() throws(ParseFailure) -> [SelectItem] {
    var items = [try parseSelectItem()]
    while take(.comma) { items.append(try parseSelectItem()) }
    return items
  }

  private mutating func parseSelectItem() throws(ParseFailure) -> SelectItem {
    let start = self.start
    if take(.star) { return SelectItem(.all, at: range(from: start)) }
    let value = try parseExpression()
    var alias: Identifier?
    if take(.as) {
      alias = try parseLabel()
    } else if isBareLabel(token) {
      alias = try takeName()
    }
    let place = range(from: start)
    if case .allColumns(let name) = value.kind, alias == nil {
      return SelectItem(.allColumns(name), at: place)
    }
    if case .allFields(let row) = value.kind, alias == nil {
      return SelectItem(.allFields(row), at: place)
    }
    return SelectItem(.expression(value), alias: alias, at: place)
  }

  private mutating func parseWindows() throws(ParseFailure) -> [NamedWindow] {
    var windows: [NamedWindow] = []
    repeat {
      let name = try parseName()
      try expect(.as)
      windows.append(NamedWindow(name: name, specification: try parseWindowSpecification()))
    } while take(.comma)
    return windows
  }

  // MARK: Keys

  /// `ORDER BY …`.
  mutating func parseOrderBy() throws(ParseFailure) -> [SortItem] {
    try expect(.order, .by)
    var keys: [SortItem] = []
    repeat {
      let start = self.start
      var key = SortItem(try parseExpression())
      if take(.desc) {
        key.isDescending = true
      } else if take(.using) {
        guard isOperatorToken(token) || at(.operator) else { throw syntaxError() }
        key.usingOperator = try takeOperator()
      } else {
        _ = take(.asc)
      }
      key.nulls = try parseNulls()
      key.range = range(from: start)
      keys.append(key)
    } while take(.comma)
    return keys
  }

  /// `NULLS FIRST` or `NULLS LAST`, if one comes next.
  mutating func parseNulls() throws(ParseFailure) -> SortItem.Nulls? {
    if take(.nulls, .first) { return .first }
    if take(.nulls, .last) { return .last }
    return nil
  }

  private mutating func parseGroupBy() throws(ParseFailure) -> GroupByClause {
    try expect(.by)
    let isDistinct = take(.distinct)
    if !isDistinct { _ = take(.all) }
    return GroupByClause(isDistinct: isDistinct, elements: try parseGroupingElements())
  }

  private mutating func parseGroupingElements() throws(ParseFailure) -> [GroupingElement] {
    try enter()
    let outer = height
    var elements: [GroupingElement] = []
    repeat { elements.append(try parseGroupingElement()) } while take(.comma)
    height = max(outer, height)
    try grow()
    leave()
    return elements
  }

  private mutating func parseGroupingElement() throws(ParseFailure) -> GroupingElement {
    let start = self.start
    if at(.leftParen), peek().kind == .rightParen {
      index += 2
      return .empty(range(from: start))
    }
    if at(.rollup) || at(.cube), peek().kind == .leftParen {
      let isRollup = at(.rollup)
      advance()
      try expect(.leftParen)
      let keys = try parseExpressionList()
      try expect(.rightParen)
      let place = range(from: start)
      return isRollup ? .rollup(keys, place) : .cube(keys, place)
    }
    if take(.grouping, .sets) {
      try expect(.leftParen)
      let sets = try parseGroupingElements()
      try expect(.rightParen)
      return .sets(sets, range(from: start))
    }
    return .expression(try parseExpression())
  }
}
