import Diagnostics

/// CREATE of all but tables and functions.
extension Parser {
  mutating func parseCreate() throws(ParseFailure) -> Statement {
    let start = self.start
    try expect(.create)
    let orReplace = take(.or, .replace)
    let persistence = parsePersistence()
    if isAtPropertyGraph, !orReplace { return try parseCreatePropertyGraph(persistence, start) }
    guard let keyword else { throw syntaxError() }
    switch keyword {
    case .table where !orReplace: return try parseCreateTable(persistence, start)
    case .view: return try parseCreateView(orReplace, persistence, start)
    case .recursive where isKeyword(peek(), .view):
      return try parseCreateView(orReplace, persistence, start)
    case .sequence where !orReplace: return try parseCreateSequence(persistence, start)
    case .function, .procedure: return try parseCreateFunction(orReplace, start)
    default: break
    }
    if !orReplace {
      switch keyword {
      case .unique where isKeyword(peek(), .index), .index: return try parseCreateIndex(start)
      case .materialized: return try parseCreateMaterializedView(start)
      case .schema: return try parseCreateSchema(start)
      case .type: return try parseCreateType(start)
      case .domain: return try parseCreateDomain(start)
      default: break
      }
    }
    return try parseUnsupportedCreate(keyword, start)
  }

  private mutating func parsePersistence() -> Persistence {
    if at(.local) || at(.global), isKeyword(peek(), .temp) || isKeyword(peek(), .temporary) {
      advance()
    }
    if take(.temp) || take(.temporary) { return .temporary }
    return take(.unlogged) ? .unlogged : .permanent
  }

  private mutating func parseUnsupportedCreate(
    _ keyword: Keyword, _ start: Int
  ) throws(ParseFailure) -> Statement {
    switch keyword {
    case .access, .aggregate, .cast, .collation, .constraint, .conversion, .database, .default,
      .event, .extension, .foreign, .group, .language, .operator, .policy, .procedural,
      .publication, .role, .rule, .server, .statistics, .subscription, .tablespace, .text,
      .transform, .trigger, .trusted, .user:
      return skipUnsupported("CREATE " + keyword.name.uppercased(), start)
    default: throw syntaxError()
    }
  }

  // MARK: Views

  private mutating func parseCreateView(
    _ orReplace: Bool, _ persistence: Persistence, _ start: Int
  ) throws(ParseFailure) -> Statement {
    let isRecursive = take(.recursive)
    try expect(.view)
    let name = try parseQualifiedName()
    let columns = try parseOptionalNameList()
    if isRecursive, columns.isEmpty { throw syntaxError() }
    var options: [DefinitionOption] = []
    if take(.with) { options = try parseDefinitionOptions() }
    try expect(.as)
    let query = try parseQuery()
    var check: CreateViewStatement.CheckOption?
    if take(.with) {
      check = take(.local) ? .local : .cascaded
      _ = take(.cascaded)
      try expect(.check, .option)
    }
    return .createView(
      CreateViewStatement(
        name: name, columnNames: columns, query: query, orReplace: orReplace,
        isRecursive: isRecursive, persistence: persistence, options: options, checkOption: check,
        range: range(from: start)))
  }

  private mutating func parseCreateMaterializedView(
    _ start: Int
  ) throws(ParseFailure) -> Statement {
    try expect(.materialized, .view)
    let ifNotExists = try parseIfNotExists()
    let name = try parseQualifiedName()
    let columns = try parseOptionalNameList()
    var options: [DefinitionOption] = []
    if take(.using) { _ = try parseName() }
    if at(.with) {
      advance()
      options = try parseDefinitionOptions()
    }
    if take(.tablespace) { _ = try parseName() }
    try expect(.as)
    let query = try parseQuery()
    let withData = try parseWithData()
    return .createMaterializedView(
      CreateMaterializedViewStatement(
        name: name, columnNames: columns, query: query, ifNotExists: ifNotExists,
        withData: withData, options: options, range: range(from: start)))
  }

  // MARK: Indexes

  private mutating func parseCreateIndex(_ start: Int) throws(ParseFailure) -> Statement {
    let isUnique = take(.unique)
    try expect(.index)
    let isConcurrent = take(.concurrently)
    let ifNotExists = try parseIfNotExists()
    let name: Identifier? = at(.on) ? nil : try parseName()
    if ifNotExists, name == nil { throw syntaxError() }
    try expect(.on)
    var statement = CreateIndexStatement(
      name: name, table: try parseRelation(), isUnique: isUnique, isConcurrent: isConcurrent,
      ifNotExists: ifNotExists, method: nil, elements: [], including: [],
      nullsNotDistinct: false, options: [], filter: nil, range: .none)
    if take(.using) { statement.method = try parseName() }
    try expect(.leftParen)
    statement.elements = try parseIndexElements()
    try expect(.rightParen)
    if take(.include) { statement.including = try parseOptionalNameList() }
    if take(.nulls) {
      statement.nullsNotDistinct = take(.not)
      try expect(.distinct)
    }
    if take(.with) { statement.options = try parseDefinitionOptions() }
    if take(.tablespace) { _ = try parseName() }
    if take(.where) { statement.filter = try parseExpression() }
    statement.range = range(from: start)
    return .createIndex(statement)
  }

  /// The keys of an index or of ON CONFLICT.
  mutating func parseIndexElements() throws(ParseFailure) -> [IndexElement] {
    var elements: [IndexElement] = []
    repeat { elements.append(try parseIndexElement()) } while take(.comma)
    return elements
  }

  private mutating func parseIndexElement() throws(ParseFailure) -> IndexElement {
    let start = self.start
    let key: Expression
    if at(.leftParen) {
      advance()
      key = try parseExpression()
      try expect(.rightParen)
    } else if isColumnName(token), peek().kind != .leftParen, peek().kind != .dot {
      let name = try takeName()
      key = Expression(.column(QualifiedName(name)), at: name.range)
    } else {
      key = try parsePrimary()
      switch key.kind {
      case .function, .conditional, .sessionValue, .cast: break
      case .literal, .parameter, .column, .allColumns, .unary, .binary, .and, .or, .not, .isTest,
        .isDistinct, .between, .inList, .inSubquery, .pattern, .quantified, .exists, .subquery,
        .array, .arraySubquery, .row, .caseWhen, .typedLiteral, .collate, .grouping, .subscripted,
        .field, .allFields, .defaultValue, .currentOf:
        throw syntaxError(at: tokens[index - 1])
      }
    }
    var element = IndexElement(
      expression: key, collation: nil, operatorClass: nil, isDescending: false, nulls: nil,
      range: .none)
    if take(.collate) { element.collation = try parseQualifiedName() }
    if isColumnName(token), !at(.nulls, .first), !at(.nulls, .last) {
      element.operatorClass = try parseQualifiedName()
      if at(.leftParen) { _ = try parseDefinitionOptions() }
    }
    element.isDescending = take(.desc)
    if !element.isDescending { _ = take(.asc) }
    element.nulls = try parseNulls()
    element.range = range(from: start)
    return element
  }

  // MARK: Sequences

  private mutating func parseCreateSequence(
    _ persistence: Persistence, _ start: Int
  ) throws(ParseFailure) -> Statement {
    try expect(.sequence)
    let ifNotExists = try parseIfNotExists()
    let name = try parseQualifiedName()
    let options = try parseSequenceOptions()
    return .createSequence(
      CreateSequenceStatement(
        name: name, persistence: persistence, ifNotExists: ifNotExists, options: options,
        range: range(from: start)))
  }

  /// Options of a sequence up to the end or a closing parenthesis.
  mutating func parseSequenceOptions() throws(ParseFailure) -> [SequenceOption] {
    var options: [SequenceOption] = []
    while let keyword {
      let start = self.start
      guard let kind = try parseSequenceOption(keyword) else { break }
      options.append(SequenceOption(kind: kind, range: range(from: start)))
    }
    return options
  }

  private mutating func parseSequenceOption(
    _ keyword: Keyword
  ) throws(ParseFailure) -> SequenceOption.Kind? {
    switch keyword {
    case .as:
      advance()
      return .asType(try parseSimpleType())
    case .cache:
      advance()
      return .cache(try parseSigned())
    case .cycle:
      advance()
      return .cycle(true)
    case .increment:
      advance()
      _ = take(.by)
      return .increment(try parseSigned())
    case .maxvalue:
      advance()
      return .maximum(try parseSigned())
    case .minvalue:
      advance()
      return .minimum(try parseSigned())
    case .no: return try parseNoOption()
    case .owned:
      advance()
      try expect(.by)
      if at(.none), peek().kind != .dot {
        advance()
        return .ownedBy(nil)
      }
      return .ownedBy(try parseQualifiedName())
    case .sequence:
      advance()
      try expect(.name)
      return .sequenceName(try parseQualifiedName())
    case .start:
      advance()
      _ = take(.with)
      return .start(try parseSigned())
    case .restart:
      advance()
      _ = take(.with)
      guard at(.wholeNumber) || at(.minus) || at(.plus) || at(.fraction) else {
        return .restart(nil)
      }
      return .restart(try parseSigned())
    default: return nil
    }
  }

  private mutating func parseNoOption() throws(ParseFailure) -> SequenceOption.Kind {
    advance()
    if take(.maxvalue) { return .maximum(nil) }
    if take(.minvalue) { return .minimum(nil) }
    try expect(.cycle)
    return .cycle(false)
  }

  // MARK: Schemas, types and domains

  private mutating func parseCreateSchema(_ start: Int) throws(ParseFailure) -> Statement {
    try expect(.schema)
    let ifNotExists = try parseIfNotExists()
    let name: Identifier? = at(.authorization) ? nil : try parseName()
    let owner: Identifier? = take(.authorization) ? try parseRole() : nil
    var elements: [Statement] = []
    while at(.create) || at(.grant) {
      try enter()
      elements.append(try parseStatement())
      leave()
    }
    return .createSchema(
      CreateSchemaStatement(
        name: name, owner: owner, ifNotExists: ifNotExists, elements: elements,
        range: range(from: start)))
  }

  /// A role's name, also CURRENT_USER and its like.
  mutating func parseRole() throws(ParseFailure) -> Identifier {
    if keyword == .currentUser || keyword == .sessionUser || keyword == .currentRole {
      return try takeName()
    }
    return try parseNonReservedWord()
  }

  private mutating func parseCreateType(_ start: Int) throws(ParseFailure) -> Statement {
    try expect(.type)
    let name = try parseQualifiedName()
    let definition: CreateTypeStatement.Definition
    if take(.as) {
      if take(.enum) {
        definition = .enumeration(try parseLabels())
      } else if at(.range) {
        skipStatement()
        definition = .other("CREATE TYPE AS RANGE")
      } else {
        try expect(.leftParen)
        definition = .composite(at(.rightParen) ? [] : try parseColumnTypes())
        try expect(.rightParen)
      }
    } else {
      skipStatement()
      definition = .other("CREATE TYPE of a base type")
    }
    return .createType(
      CreateTypeStatement(name: name, definition: definition, range: range(from: start)))
  }

  /// `('label', …)`, possibly empty.
  private mutating func parseLabels() throws(ParseFailure) -> [String] {
    try expect(.leftParen)
    var labels: [String] = []
    if !at(.rightParen) {
      repeat { labels.append(try parseString()) } while take(.comma)
    }
    try expect(.rightParen)
    return labels
  }

  private mutating func parseCreateDomain(_ start: Int) throws(ParseFailure) -> Statement {
    try expect(.domain)
    let name = try parseQualifiedName()
    _ = take(.as)
    let type = try parseTypeName()
    var collation: QualifiedName?
    var constraints: [ColumnConstraint] = []
    while let constraint = try parseColumnConstraint(&collation) { constraints.append(constraint) }
    return .createDomain(
      CreateDomainStatement(
        name: name, type: type, collation: collation, constraints: constraints,
        range: range(from: start)))
  }
}
