import Diagnostics

/// INSERT, UPDATE, DELETE, MERGE and TRUNCATE.
extension Parser {
  /// What may stand in WITH, EXPLAIN, PREPARE and COPY: a query or a change of data.
  mutating func parsePreparable() throws(ParseFailure) -> Statement {
    let start = self.start
    let with: WithClause? = at(.with) ? try parseWith() : nil
    switch keyword {
    case .insert: return .insert(try parseInsert(with, start))
    case .update: return .update(try parseUpdate(with, start))
    case .delete: return .delete(try parseDelete(with, start))
    case .merge: return .merge(try parseMerge(with, start))
    default: return .select(try parseQuery(with: with, from: start))
    }
  }

  private mutating func parseReturning() throws(ParseFailure) -> [SelectItem] {
    take(.returning) ? try parseSelectItems() : []
  }

  private mutating func parseWhere() throws(ParseFailure) -> Expression? {
    guard take(.where) else { return nil }
    if at(.current, .of) {
      let start = self.start
      index += 2
      let cursor = try parseName()
      return Expression(.currentOf(cursor), at: range(from: start))
    }
    return try parseExpression()
  }

  // MARK: INSERT

  private mutating func parseInsert(
    _ with: WithClause?, _ start: Int
  ) throws(ParseFailure) -> InsertStatement {
    try expect(.insert, .into)
    let tableStart = self.start
    var table = NamedTable(try parseQualifiedName())
    if take(.as) { table.alias = TableAlias(try parseName()) }
    table.range = range(from: tableStart)
    var statement = InsertStatement(
      with: with, table: table, columns: [], overriding: nil, source: .defaultValues,
      onConflict: nil, returning: [], range: .none)
    if take(.default, .values) {
      try finishInsert(&statement, start)
      return statement
    }
    if at(.leftParen), !isQueryParen(index) {
      advance()
      statement.columns = try parseTargets()
      try expect(.rightParen)
    }
    statement.overriding = try parseOverriding()
    statement.source = try parseInsertSource()
    try finishInsert(&statement, start)
    return statement
  }

  private mutating func parseOverriding() throws(ParseFailure) -> InsertStatement.Overriding? {
    guard take(.overriding) else { return nil }
    let isSystem = take(.system)
    if !isSystem { try expect(.user) }
    try expect(.value)
    return isSystem ? .system : .user
  }

  /// The rows: a plain VALUES list may hold DEFAULT; one with ORDER BY or UNION is a query.
  private mutating func parseInsertSource() throws(ParseFailure) -> InsertStatement.Source {
    guard at(.values) else { return .query(try parseQuery()) }
    let mark = index
    let outer = height
    let list = try parseValues(allowsDefault: true)
    switch keyword {
    case .order, .limit, .offset, .fetch, .union, .except, .intersect, .for:
      index = mark
      height = outer
      return .query(try parseQuery())
    default: return .values(list)
    }
  }

  private mutating func finishInsert(
    _ statement: inout InsertStatement, _ start: Int
  ) throws(ParseFailure) {
    if at(.on) { statement.onConflict = try parseOnConflict() }
    statement.returning = try parseReturning()
    statement.range = range(from: start)
  }

  private mutating func parseOnConflict() throws(ParseFailure) -> OnConflict {
    let start = self.start
    try expect(.on, .conflict)
    var target = OnConflict.Target.any
    if take(.on) {
      try expect(.constraint)
      target = .constraint(try parseName())
    } else if take(.leftParen) {
      let elements = try parseIndexElements()
      try expect(.rightParen)
      let filter: Expression? = take(.where) ? try parseExpression() : nil
      target = .columns(elements, filter: filter)
    }
    try expect(.do)
    var action = OnConflict.Action.nothing
    if !take(.nothing) {
      try expect(.update, .set)
      let assignments = try parseAssignments()
      let filter: Expression? = take(.where) ? try parseExpression() : nil
      action = .update(assignments, filter: filter)
    }
    return OnConflict(target: target, action: action, range: range(from: start))
  }

  private mutating func parseTargets() throws(ParseFailure) -> [AssignmentTarget] {
    var targets = [try parseTarget()]
    while take(.comma) { targets.append(try parseTarget()) }
    return targets
  }

  private mutating func parseTarget() throws(ParseFailure) -> AssignmentTarget {
    let start = self.start
    let column = try parseName()
    var steps: [AssignmentTarget.Step] = []
    let outer = height
    height = 0
    while at(.dot) || at(.leftBracket) {
      try grow()
      if take(.dot) {
        steps.append(.field(try parseLabel()))
      } else {
        steps.append(.element(try parseSubscript()))
      }
    }
    height = max(outer, height)
    return AssignmentTarget(column: column, steps: steps, range: range(from: start))
  }

  /// What follows SET.
  private mutating func parseAssignments() throws(ParseFailure) -> [Assignment] {
    var assignments: [Assignment] = []
    repeat {
      if take(.leftParen) {
        let targets = try parseTargets()
        try expect(.rightParen)
        try expect(.equal)
        assignments.append(.multiple(targets, try parseMultipleSource()))
      } else {
        let target = try parseTarget()
        try expect(.equal)
        assignments.append(.single(target, try parseValueOrDefaultExpression()))
      }
    } while take(.comma)
    return assignments
  }

  private mutating func parseValueOrDefaultExpression() throws(ParseFailure) -> Expression {
    at(.default) ? try parseValueOrDefault() : try parseExpression()
  }

  /// The right side of `(a, b) = …`: a row may hold DEFAULT.
  private mutating func parseMultipleSource() throws(ParseFailure) -> Expression {
    let start = self.start
    let isExplicit = at(.row) && peek().kind == .leftParen
    if isExplicit { advance() }
    guard isExplicit || (at(.leftParen) && !isQueryParen(index)) else {
      return try parseExpression()
    }
    try expect(.leftParen)
    var fields: [Expression] = []
    repeat { fields.append(try parseValueOrDefaultExpression()) } while take(.comma)
    try expect(.rightParen)
    if fields.count == 1, !isExplicit {
      return fields[0]
    }
    try grow()
    return Expression(.row(fields, isExplicit: isExplicit), at: range(from: start))
  }

  // MARK: UPDATE and DELETE

  /// A table with an alias that cannot be SET without AS.
  private mutating func parseModifiedTable() throws(ParseFailure) -> NamedTable {
    let start = self.start
    var table = try parseRelation()
    if take(.as) {
      table.alias = TableAlias(try parseName())
    } else if isColumnName(token), !at(.set) {
      table.alias = TableAlias(try parseName())
    }
    table.range = range(from: start)
    return table
  }

  private mutating func parseUpdate(
    _ with: WithClause?, _ start: Int
  ) throws(ParseFailure) -> UpdateStatement {
    try expect(.update)
    let table = try parseModifiedTable()
    try expect(.set)
    let assignments = try parseAssignments()
    let from: [TableReference] = take(.from) ? try parseFromList() : []
    let filter = try parseWhere()
    let returning = try parseReturning()
    return UpdateStatement(
      with: with, table: table, assignments: assignments, from: from, filter: filter,
      returning: returning, range: range(from: start))
  }

  private mutating func parseDelete(
    _ with: WithClause?, _ start: Int
  ) throws(ParseFailure) -> DeleteStatement {
    try expect(.delete, .from)
    let table = try parseModifiedTable()
    let using: [TableReference] = take(.using) ? try parseFromList() : []
    let filter = try parseWhere()
    let returning = try parseReturning()
    return DeleteStatement(
      with: with, table: table, using: using, filter: filter, returning: returning,
      range: range(from: start))
  }

  // MARK: MERGE

  private mutating func parseMerge(
    _ with: WithClause?, _ start: Int
  ) throws(ParseFailure) -> MergeStatement {
    try expect(.merge, .into)
    let table = try parseModifiedTable()
    try expect(.using)
    let source = try parseTableReference()
    try expect(.on)
    let condition = try parseExpression()
    var branches: [MergeStatement.Branch] = []
    guard at(.when) else { throw syntaxError() }
    while at(.when) { branches.append(try parseMergeBranch()) }
    return MergeStatement(
      with: with, table: table, source: source, condition: condition, branches: branches,
      range: range(from: start))
  }

  private mutating func parseMergeBranch() throws(ParseFailure) -> MergeStatement.Branch {
    let start = self.start
    try expect(.when)
    let isMatched = !take(.not)
    try expect(.matched)
    let condition: Expression? = take(.and) ? try parseExpression() : nil
    try expect(.then)
    let action: MergeStatement.Action
    switch keyword {
    case .do:
      advance()
      try expect(.nothing)
      action = .nothing
    case .delete where isMatched:
      advance()
      action = .delete
    case .update where isMatched:
      advance()
      try expect(.set)
      action = .update(try parseAssignments())
    case .insert where !isMatched: action = try parseMergeInsert()
    default: throw syntaxError()
    }
    return .init(
      isMatched: isMatched, condition: condition, action: action, range: range(from: start))
  }

  private mutating func parseMergeInsert() throws(ParseFailure) -> MergeStatement.Action {
    try expect(.insert)
    if take(.default, .values) {
      return .insert(columns: [], overriding: nil, values: nil)
    }
    var columns: [AssignmentTarget] = []
    if take(.leftParen) {
      columns = try parseTargets()
      try expect(.rightParen)
    }
    let overriding = try parseOverriding()
    try expect(.values)
    try expect(.leftParen)
    var values: [Expression] = []
    repeat { values.append(try parseValueOrDefault()) } while take(.comma)
    try expect(.rightParen)
    return .insert(columns: columns, overriding: overriding, values: values)
  }

  // MARK: TRUNCATE

  mutating func parseTruncate() throws(ParseFailure) -> Statement {
    let start = self.start
    try expect(.truncate)
    _ = take(.table)
    var tables = [try parseRelation()]
    while take(.comma) { tables.append(try parseRelation()) }
    let restarts = take(.restart, .identity)
    if !restarts { _ = take(.continue, .identity) }
    let behavior = parseBehavior()
    return .truncate(
      TruncateStatement(
        tables: tables, restartsIdentity: restarts, isCascade: behavior == .cascade,
        range: range(from: start)))
  }

  /// CASCADE or RESTRICT, if one comes next.
  mutating func parseBehavior() -> DropBehavior {
    if take(.cascade) { return .cascade }
    _ = take(.restrict)
    return .restrict
  }
}
