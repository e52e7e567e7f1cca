import Diagnostics

/// CREATE TABLE and its constraints.
extension Parser {
  /// CREATE TABLE, from the word TABLE on.
  mutating func parseCreateTable(
    _ persistence: Persistence, _ start: Int
  ) throws(ParseFailure) -> Statement {
    try expect(.table)
    let ifNotExists = try parseIfNotExists()
    let name = try parseQualifiedName()
    var statement = CreateTableStatement(
      name: name, persistence: persistence, ifNotExists: ifNotExists, elements: [], source: nil,
      inherits: [], partitioning: nil, accessMethod: nil, options: [], onCommit: nil,
      tablespace: nil, range: .none)
    if at(.partition) || at(.of) {
      let place = self.start
      let kind: Partitioning.Kind = at(.partition) ? .partitionOf : .ofType
      skipStatement()
      statement.partitioning = Partitioning(kind: kind, range: range(from: place))
    } else {
      try parseTableBody(&statement)
    }
    statement.range = range(from: start)
    return .createTable(statement)
  }

  mutating func parseIfNotExists() throws(ParseFailure) -> Bool {
    guard take(.if) else { return false }
    try expect(.not, .exists)
    return true
  }

  mutating func parseIfExists() throws(ParseFailure) -> Bool {
    guard take(.if) else { return false }
    try expect(.exists)
    return true
  }

  private mutating func parseTableBody(
    _ statement: inout CreateTableStatement
  ) throws(ParseFailure) {
    var columnNames: [Identifier] = []
    var isAs = !at(.leftParen)
    if at(.leftParen) {
      if isNameListParen {
        columnNames = try parseOptionalNameList()
        isAs = true
      } else {
        advance()
        if !at(.rightParen) { statement.elements = try parseTableElements() }
        try expect(.rightParen)
        if take(.inherits) {
          try expect(.leftParen)
          statement.inherits = try parseQualifiedNameList()
          try expect(.rightParen)
        }
        if at(.partition) {
          let place = self.start
          skipStatement()
          statement.partitioning = Partitioning(kind: .partitionBy, range: range(from: place))
          return
        }
      }
    }
    try parseTableOptions(&statement)
    if isAs {
      try expect(.as)
      let source = at(.execute) ? try parseExecute() : .select(try parseQuery())
      statement.source = .init(
        statement: source, columnNames: columnNames, withData: try parseWithData())
    }
  }

  /// Whether the parenthesis in hand holds nothing but names, as before AS.
  private var isNameListParen: Bool {
    isColumnName(peek()) && isListEnd(peek(2))
  }

  /// USING, WITH, WITHOUT OIDS, ON COMMIT and TABLESPACE.
  private mutating func parseTableOptions(
    _ statement: inout CreateTableStatement
  ) throws(ParseFailure) {
    if take(.using) { statement.accessMethod = try parseName() }
    if at(.with), peek().kind == .leftParen {
      advance()
      statement.options = try parseDefinitionOptions()
    } else {
      _ = take(.without, .oids)
    }
    if take(.on, .commit) {
      if take(.drop) {
        statement.onCommit = .drop
      } else {
        statement.onCommit = at(.delete) ? .deleteRows : .preserveRows
        if !take(.delete) { try expect(.preserve) }
        try expect(.rows)
      }
    }
    if take(.tablespace) { statement.tablespace = try parseName() }
  }

  /// `(name [= value], …)`.
  mutating func parseDefinitionOptions() throws(ParseFailure) -> [DefinitionOption] {
    try expect(.leftParen)
    var options: [DefinitionOption] = []
    repeat {
      let start = self.start
      var name = try parseLabel().name
      if take(.dot) { name += "." + (try parseLabel().name) }
      var value: DefinitionOption.Value?
      if take(.equal) { value = try parseOptionValue() }
      options.append(DefinitionOption(name: name, value: value, range: range(from: start)))
    } while take(.comma)
    try expect(.rightParen)
    return options
  }

  private mutating func parseTableElements() throws(ParseFailure) -> [TableElement] {
    var elements: [TableElement] = []
    repeat {
      switch keyword {
      case .like: elements.append(.like(try parseLike()))
      case .constraint, .check, .unique, .primary, .foreign:
        elements.append(.constraint(try parseTableConstraint()))
      case .exclude where isExclusion: elements.append(.constraint(try parseTableConstraint()))
      case nil where isAtCardinality: elements.append(.constraint(try parseTableConstraint()))
      default: elements.append(.column(try parseColumnDefinition()))
      }
    } while take(.comma)
    return elements
  }

  private var isExclusion: Bool { peek().kind == .leftParen || isKeyword(peek(), .using) }

  private mutating func parseLike() throws(ParseFailure) -> LikeClause {
    let start = self.start
    advance()
    let table = try parseQualifiedName()
    var aspects: Set<LikeClause.Aspect> = []
    while at(.including) || at(.excluding) {
      let isIncluded = at(.including)
      advance()
      let word = try parseLabel().name.uppercased()
      let named: [LikeClause.Aspect]
      if word == "ALL" {
        named = LikeClause.Aspect.allCases
      } else if let aspect = LikeClause.Aspect(rawValue: word) {
        named = [aspect]
      } else {
        throw syntaxError(at: tokens[index - 1])
      }
      if isIncluded { aspects.formUnion(named) } else { aspects.subtract(named) }
    }
    return LikeClause(
      table: table, including: LikeClause.Aspect.allCases.filter(aspects.contains),
      range: range(from: start))
  }

  // MARK: Columns

  /// `name type [constraint …]`.
  mutating func parseColumnDefinition() throws(ParseFailure) -> ColumnDefinition {
    let start = self.start
    let name = try parseName()
    let type = try parseTypeName()
    var column = ColumnDefinition(
      name: name, type: type, collation: nil, constraints: [], range: .none)
    if at(.storage) || at(.compression) {
      advance()
      _ = try parseLabel()
    }
    while let constraint = try parseColumnConstraint(&column.collation) {
      column.constraints.append(constraint)
    }
    column.range = range(from: start)
    return column
  }

  /// The next constraint of a column or domain, if there is one; COLLATE goes into `collation`.
  mutating func parseColumnConstraint(
    _ collation: inout QualifiedName?
  ) throws(ParseFailure) -> ColumnConstraint? {
    while take(.collate) { collation = try parseQualifiedName() }
    let start = self.start
    let name: Identifier? = take(.constraint) ? try parseName() : nil
    guard let kind = try parseColumnConstraintKind() else {
      if name != nil { throw syntaxError() }
      return nil
    }
    var constraint = ColumnConstraint(
      name: name, kind: kind, timing: ConstraintTiming(), options: [], range: .none)
    if case .primaryKey = kind { try parseKeyOptions(&constraint.options) }
    if case .unique = kind { try parseKeyOptions(&constraint.options) }
    try parseTiming(&constraint.timing)
    constraint.range = range(from: start)
    return constraint
  }

  private mutating func parseKeyOptions(
    _ options: inout [DefinitionOption]
  ) throws(ParseFailure) {
    if at(.with), peek().kind == .leftParen {
      advance()
      options = try parseDefinitionOptions()
    }
    if take(.using) {
      try expect(.index, .tablespace)
      _ = try parseName()
    }
  }

  private mutating func parseColumnConstraintKind()
    throws(ParseFailure) -> ColumnConstraint.Kind?
  {
    switch keyword {
    case .not where isKeyword(peek(), .null):
      index += 2
      return .notNull
    case .null:
      advance()
      return .null
    case .default:
      advance()
      return .defaultValue(try parseRestrictedExpression())
    case .check:
      advance()
      return .check(try parseCheck())
    case .primary:
      advance()
      try expect(.key)
      return .primaryKey
    case .unique:
      advance()
      return .unique(nullsNotDistinct: try parseNullsNotDistinct())
    case .references: return .references(try parseReferences())
    case .generated: return try parseGenerated()
    default: return nil
    }
  }

  private mutating func parseCheck() throws(ParseFailure) -> Expression {
    try expect(.leftParen)
    let condition = try parseExpression()
    try expect(.rightParen)
    return condition
  }

  private mutating func parseNullsNotDistinct() throws(ParseFailure) -> Bool {
    guard take(.nulls) else { return false }
    let isNegated = take(.not)
    try expect(.distinct)
    return isNegated
  }

  private mutating func parseGenerated() throws(ParseFailure) -> ColumnConstraint.Kind {
    let place = self.start
    advance()
    let isAlways = take(.always)
    if !isAlways { try expect(.by, .default) }
    try expect(.as)
    if take(.identity) {
      return .identity(isAlways: isAlways, options: try parseSequenceOptionsInParens())
    }
    try expect(.leftParen)
    let value = try parseExpression()
    try expect(.rightParen)
    if !isAlways {
      throw fail(
        SQLError(
          .syntaxError, "for a generated column, GENERATED ALWAYS must be specified",
          at: range(from: place)))
    }
    try expect(.stored)
    return .generated(value)
  }

  mutating func parseSequenceOptionsInParens() throws(ParseFailure) -> [SequenceOption] {
    guard take(.leftParen) else { return [] }
    let options = try parseSequenceOptions()
    try expect(.rightParen)
    return options
  }

  // MARK: Constraints of tables

  mutating func parseTableConstraint() throws(ParseFailure) -> TableConstraint {
    let start = self.start
    let name: Identifier? = take(.constraint) ? try parseName() : nil
    let kind: TableConstraint.Kind
    switch keyword {
    case .check:
      advance()
      kind = .check(try parseCheck())
    case .primary:
      advance()
      try expect(.key)
      kind = .primaryKey(try parseKeyColumns(nullsNotDistinct: false))
    case .unique:
      advance()
      let nullsNotDistinct = try parseNullsNotDistinct()
      kind = .unique(try parseKeyColumns(nullsNotDistinct: nullsNotDistinct))
    case .foreign:
      advance()
      try expect(.key)
      try expect(.leftParen)
      let columns = try parseNameList()
      try expect(.rightParen)
      kind = .foreignKey(columns, try parseReferences())
    case .exclude:
      advance()
      skipExclusion()
      kind = .exclude
    case nil where isAtCardinality: kind = .cardinality(try parseCardinality())
    default: throw syntaxError()
    }
    var timing = ConstraintTiming()
    try parseTiming(&timing)
    return TableConstraint(name: name, kind: kind, timing: timing, range: range(from: start))
  }

  /// Moves past an exclusion constraint, which is refused by name later on.
  private mutating func skipExclusion() {
    while !isAtEnd, !at(.comma), !at(.rightParen), !at(.failure) {
      let partner = Int(token.partner)
      if at(.leftParen), partner > index { index = partner }
      advance()
    }
  }

  private mutating func parseKeyColumns(
    nullsNotDistinct: Bool
  ) throws(ParseFailure) -> KeyColumns {
    var key = KeyColumns(
      columns: [], including: [], nullsNotDistinct: nullsNotDistinct, existingIndex: nil,
      options: [])
    if take(.using, .index) {
      key.existingIndex = try parseName()
      return key
    }
    try expect(.leftParen)
    key.columns = try parseNameList()
    try expect(.rightParen)
    if take(.include) {
      try expect(.leftParen)
      key.including = try parseNameList()
      try expect(.rightParen)
    }
    try parseKeyOptions(&key.options)
    return key
  }

  private mutating func parseReferences() throws(ParseFailure) -> ReferencesClause {
    let start = self.start
    try expect(.references)
    let table = try parseQualifiedName()
    var clause = ReferencesClause(
      table: table, columns: try parseOptionalNameList(), match: .simple, onDelete: .noAction,
      onUpdate: .noAction, range: .none)
    if take(.match) {
      switch keyword {
      case .full: clause.match = .full
      case .partial: throw unsupported("MATCH PARTIAL", at: range(of: token))
      case .simple: break
      default: throw syntaxError()
      }
      advance()
    }
    while at(.on) {
      advance()
      let isDelete = take(.delete)
      if !isDelete { try expect(.update) }
      let action = try parseReferentialAction()
      if isDelete { clause.onDelete = action } else { clause.onUpdate = action }
    }
    clause.range = range(from: start)
    return clause
  }

  private mutating func parseReferentialAction() throws(ParseFailure) -> ReferencesClause.Action {
    if take(.no) {
      try expect(.action)
      return .noAction
    }
    if take(.restrict) { return .restrict }
    if take(.cascade) { return .cascade }
    try expect(.set)
    if take(.null) { return .setNull(try parseOptionalNameList()) }
    try expect(.default)
    return .setDefault(try parseOptionalNameList())
  }

  /// DEFERRABLE, INITIALLY, NOT VALID, ENFORCED and NO INHERIT in any order.
  mutating func parseTiming(_ timing: inout ConstraintTiming) throws(ParseFailure) {
    let place = range(of: token)
    var isNotDeferrable = false
    while true {
      if take(.deferrable) {
        timing.isDeferrable = true
      } else if take(.not, .deferrable) {
        isNotDeferrable = true
      } else if take(.not, .valid) {
        timing.isNotValid = true
      } else if at(.initially) {
        advance()
        timing.isInitiallyDeferred = at(.deferred)
        if !take(.deferred) { try expect(.immediate) }
      } else if take(.no, .inherit) {
        timing.isNoInherit = true
      } else if take(word: "enforced") {
        timing.isEnforced = true
      } else if at(.not), isWord(peek(), "enforced") {
        index += 2
        timing.isEnforced = false
      } else {
        break
      }
    }
    if timing.isInitiallyDeferred, isNotDeferrable {
      throw fail(
        SQLError(
          .syntaxError, "constraint declared INITIALLY DEFERRED must be DEFERRABLE", at: place))
    }
    if timing.isInitiallyDeferred { timing.isDeferrable = true }
  }
}
