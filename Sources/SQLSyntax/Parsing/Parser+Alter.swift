import Diagnostics

/// ALTER.
extension Parser {
  mutating func parseAlter() throws(ParseFailure) -> Statement {
    let start = self.start
    try expect(.alter)
    if at(.default) || at(.system) || at(.user) {
      return skipUnsupported("ALTER \(token.keyword.name.uppercased())", start)
    }
    let kind = try parseObjectKind()
    if kind == .propertyGraph { return try parseAlterPropertyGraph(start) }
    switch kind {
    case .table, .view, .materializedView, .index, .sequence, .foreignTable:
      return try parseAlterRelation(kind, start)
    case .type: return try parseAlterType(start)
    case .domain: return try parseAlterDomain(start)
    case .schema, .function, .procedure, .routine, .aggregate, .trigger, .language, .collation,
      .conversion, .statistics:
      return try parseAlterObject(kind, start)
    case .operator, .cast, .column, .constraint, .database, .eventTrigger, .extension, .policy,
      .publication, .role, .rule, .server, .subscription, .tablespace, .textSearchConfiguration,
      .textSearchDictionary, .transform, .accessMethod, .propertyGraph:
      return skipUnsupported("ALTER \(kind.rawValue)", start)
    }
  }

  private mutating func parseAlterRelation(
    _ kind: ObjectKind, _ start: Int
  ) throws(ParseFailure) -> Statement {
    if at(.all, .in) { return skipUnsupported("ALTER \(kind.rawValue) ALL IN TABLESPACE", start) }
    let ifExists = try parseIfExists()
    let name = try parseRelation()
    if kind == .sequence, !at(.rename), !at(.owner), !(at(.set) && isKeyword(peek(), .schema)) {
      let options = try parseSequenceOptions()
      if options.isEmpty { throw syntaxError() }
      return .alterSequence(
        AlterSequenceStatement(
          name: name.name, ifExists: ifExists, options: options, range: range(from: start)))
    }
    var actions: [AlterTableAction] = []
    repeat {
      let place = self.start
      let action = try parseTableAction()
      actions.append(AlterTableAction(kind: action, range: range(from: place)))
      if case .other = action { skipStatement() }
    } while take(.comma)
    return .alterTable(
      AlterTableStatement(
        kind: kind, ifExists: ifExists, name: name, actions: actions, range: range(from: start)))
  }

  private mutating func parseTableAction() throws(ParseFailure) -> AlterTableAction.Kind {
    guard let keyword else { throw syntaxError() }
    switch keyword {
    case .add: return try parseAdd()
    case .drop: return try parseDropAction()
    case .alter: return try parseAlterColumn()
    case .rename: return try parseRename()
    case .validate:
      advance()
      try expect(.constraint)
      return .validateConstraint(try parseName())
    case .owner:
      advance()
      try expect(.to)
      return .ownerTo(try parseRole())
    case .set where isKeyword(peek(), .schema):
      index += 2
      return .setSchema(try parseName())
    case .set where peek().kind == .leftParen, .reset where peek().kind == .leftParen:
      advance()
      return .options(
        try parseDefinitionOptions(), column: nil, isReset: keyword == .reset)
    case .inherit:
      advance()
      return .inherit(try parseQualifiedName(), isAdded: true)
    case .no where isKeyword(peek(), .inherit):
      index += 2
      return .inherit(try parseQualifiedName(), isAdded: false)
    case .set, .enable, .disable, .cluster, .no, .of, .not, .replica, .force, .attach,
      .detach, .depends, .options:
      let words = isLabel(peek()) ? " " + text.raw(peek()).uppercased() : ""
      return .other(keyword.name.uppercased() + words)
    default: throw syntaxError()
    }
  }

  private mutating func parseAdd() throws(ParseFailure) -> AlterTableAction.Kind {
    advance()
    switch keyword {
    case .constraint, .check, .unique, .primary, .foreign:
      return .addConstraint(try parseTableConstraint())
    case .exclude where peek().kind == .leftParen || isKeyword(peek(), .using):
      return .addConstraint(try parseTableConstraint())
    case nil where isAtCardinality: return .addConstraint(try parseTableConstraint())
    default: break
    }
    _ = take(.column)
    let ifNotExists = try parseIfNotExists()
    return .addColumn(try parseColumnDefinition(), ifNotExists: ifNotExists)
  }

  private mutating func parseDropAction() throws(ParseFailure) -> AlterTableAction.Kind {
    advance()
    if take(.constraint) {
      let ifExists = try parseIfExists()
      let name = try parseName()
      return .dropConstraint(name, ifExists: ifExists, parseBehavior())
    }
    _ = take(.column)
    let ifExists = try parseIfExists()
    let name = try parseName()
    return .dropColumn(name, ifExists: ifExists, parseBehavior())
  }

  private mutating func parseRename() throws(ParseFailure) -> AlterTableAction.Kind {
    advance()
    if take(.to) { return .renameTo(try parseName()) }
    if take(.constraint) {
      let name = try parseName()
      try expect(.to)
      return .renameConstraint(name, to: try parseName())
    }
    _ = take(.column)
    let name = try parseName()
    try expect(.to)
    return .renameColumn(name, to: try parseName())
  }

  private mutating func parseAlterColumn() throws(ParseFailure) -> AlterTableAction.Kind {
    advance()
    if take(.constraint) {
      let name = try parseName()
      var timing = ConstraintTiming()
      try parseTiming(&timing)
      return .alterConstraint(name, timing)
    }
    _ = take(.column)
    if at(.wholeNumber) { return .other("ALTER COLUMN by number") }
    let name = try parseName()
    switch keyword {
    case .type:
      advance()
      return try parseSetType(name)
    case .set: return try parseSetOfColumn(name)
    case .drop: return try parseDropOfColumn(name)
    case .add:
      advance()
      try expect(.generated)
      let isAlways = take(.always)
      if !isAlways { try expect(.by, .default) }
      try expect(.as, .identity)
      return .addIdentity(name, isAlways: isAlways, options: try parseSequenceOptionsInParens())
    case .restart: return try parseSetIdentity(name)
    case .reset:
      advance()
      return .options(try parseDefinitionOptions(), column: name, isReset: true)
    default: throw syntaxError()
    }
  }

  private mutating func parseSetType(
    _ name: Identifier
  ) throws(ParseFailure) -> AlterTableAction.Kind {
    let type = try parseTypeName()
    let collation: QualifiedName? = take(.collate) ? try parseQualifiedName() : nil
    let using: Expression? = take(.using) ? try parseExpression() : nil
    return .setType(name, type, collation: collation, using: using)
  }

  private mutating func parseSetOfColumn(
    _ name: Identifier
  ) throws(ParseFailure) -> AlterTableAction.Kind {
    let next = peek()
    guard next.kind == .keyword else {
      advance()
      return .options(try parseDefinitionOptions(), column: name, isReset: false)
    }
    switch next.keyword {
    case .default:
      index += 2
      return .setDefault(name, try parseExpression())
    case .not:
      index += 2
      try expect(.null)
      return .setNotNull(name)
    case .data:
      index += 2
      try expect(.type)
      return try parseSetType(name)
    case .statistics, .storage, .compression:
      // How rows are laid out or looked at: one word or number.
      index += 2
      _ = take(.minus)
      if isAtEnd { throw syntaxError() }
      advance()
      return .options([], column: name, isReset: false)
    default: return try parseSetIdentity(name)
    }
  }

  private mutating func parseSetIdentity(
    _ name: Identifier
  ) throws(ParseFailure) -> AlterTableAction.Kind {
    var isAlways: Bool?
    var options: [SequenceOption] = []
    while at(.set) || at(.restart) {
      if take(.set), take(.generated) {
        isAlways = take(.always)
        if isAlways == false { try expect(.by, .default) }
        continue
      }
      let more = try parseSequenceOptions()
      if more.isEmpty { throw syntaxError() }
      options += more
    }
    return .setIdentity(name, isAlways: isAlways, options: options)
  }

  private mutating func parseDropOfColumn(
    _ name: Identifier
  ) throws(ParseFailure) -> AlterTableAction.Kind {
    advance()
    if keyword == .default {
      advance()
      return .dropDefault(name)
    }
    if keyword == .not {
      advance()
      try expect(.null)
      return .dropNotNull(name)
    }
    if keyword == .expression {
      advance()
      return .dropExpression(name, ifExists: try parseIfExists())
    }
    try expect(.identity)
    return .dropIdentity(name, ifExists: try parseIfExists())
  }

  // MARK: Other objects

  private mutating func parseAlterObject(
    _ kind: ObjectKind, _ start: Int
  ) throws(ParseFailure) -> Statement {
    let object = try parseObject(kind)
    guard let action = try parseObjectAction() else {
      return skipUnsupported("ALTER \(kind.rawValue)", start)
    }
    return .alterObject(
      AlterObjectStatement(kind: kind, object: object, action: action, range: range(from: start)))
  }

  /// RENAME TO, OWNER TO or SET SCHEMA; nil for what else an object may have.
  mutating func parseObjectAction()
    throws(ParseFailure) -> AlterObjectStatement.Action?
  {
    if take(.rename, .to) { return .renameTo(try parseName()) }
    if take(.owner, .to) { return .ownerTo(try parseRole()) }
    if take(.set, .schema) { return .setSchema(try parseName()) }
    if isAtEnd || !isLabel(token) { throw syntaxError() }
    return nil
  }

  private mutating func parseAlterType(_ start: Int) throws(ParseFailure) -> Statement {
    let place = self.start
    let name = try parseQualifiedName()
    var actions: [AlterTypeStatement.Action] = []
    switch keyword {
    case .add where isKeyword(peek(), .value): actions = [try parseAddValue()]
    case .rename where isKeyword(peek(), .value):
      index += 2
      let old = try parseString()
      try expect(.to)
      actions = [.renameValue(old, to: try parseString())]
    case .rename where isKeyword(peek(), .attribute):
      index += 2
      let old = try parseName()
      try expect(.to)
      actions = [.renameAttribute(old, to: try parseName())]
      _ = parseBehavior()
    case .add, .drop, .alter:
      repeat { actions.append(try parseAttributeAction()) } while take(.comma)
    default:
      let object = ObjectReference(
        name: name, argumentTypes: nil, table: nil, range: range(from: place))
      guard let action = try parseObjectAction() else {
        return skipUnsupported("ALTER TYPE", start)
      }
      return .alterObject(
        AlterObjectStatement(
          kind: .type, object: object, action: action, range: range(from: start)))
    }
    return .alterType(
      AlterTypeStatement(name: name, actions: actions, range: range(from: start)))
  }

  private mutating func parseAddValue() throws(ParseFailure) -> AlterTypeStatement.Action {
    index += 2
    let ifNotExists = try parseIfNotExists()
    let value = try parseString()
    let before: String? = take(.before) ? try parseString() : nil
    let after: String? = before == nil && take(.after) ? try parseString() : nil
    return .addValue(value, ifNotExists: ifNotExists, before: before, after: after)
  }

  private mutating func parseAttributeAction() throws(ParseFailure) -> AlterTypeStatement.Action {
    let action: AlterTypeStatement.Action
    if take(.add) {
      try expect(.attribute)
      action = .addAttribute(try parseColumnDefinition())
    } else if take(.drop) {
      try expect(.attribute)
      let ifExists = try parseIfExists()
      action = .dropAttribute(try parseName(), ifExists: ifExists)
    } else {
      try expect(.alter, .attribute)
      let name = try parseName()
      _ = take(.set, .data)
      try expect(.type)
      action = .alterAttribute(name, try parseTypeName())
    }
    _ = parseBehavior()
    return action
  }

  private mutating func parseAlterDomain(_ start: Int) throws(ParseFailure) -> Statement {
    let place = self.start
    let name = try parseQualifiedName()
    guard let action = try parseDomainAction() else {
      let object = ObjectReference(
        name: name, argumentTypes: nil, table: nil, range: range(from: place))
      guard let action = try parseObjectAction() else {
        return skipUnsupported("ALTER DOMAIN", start)
      }
      return .alterObject(
        AlterObjectStatement(
          kind: .domain, object: object, action: action, range: range(from: start)))
    }
    return .alterDomain(
      AlterDomainStatement(name: name, action: action, range: range(from: start)))
  }

  private mutating func parseDomainAction()
    throws(ParseFailure) -> AlterDomainStatement.Action?
  {
    if take(.set, .default) { return .setDefault(try parseExpression()) }
    if take(.drop, .default) { return .dropDefault }
    if at(.set, .not) || at(.drop, .not) {
      let isSet = at(.set)
      index += 2
      try expect(.null)
      return isSet ? .setNotNull : .dropNotNull
    }
    if take(.add) {
      var collation: QualifiedName?
      guard let constraint = try parseColumnConstraint(&collation) else { throw syntaxError() }
      return .addConstraint(constraint)
    }
    if take(.drop, .constraint) {
      let ifExists = try parseIfExists()
      let name = try parseName()
      _ = parseBehavior()
      return .dropConstraint(name, ifExists: ifExists)
    }
    if take(.rename, .constraint) {
      let old = try parseName()
      try expect(.to)
      return .renameConstraint(old, to: try parseName())
    }
    if take(.validate, .constraint) { return .validateConstraint(try parseName()) }
    return nil
  }
}
