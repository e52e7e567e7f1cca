import Diagnostics

/// DROP and COMMENT, and the names of objects they share with ALTER.
extension Parser {
  /// The words that name a kind of object, if they come next.
  mutating func parseObjectKind() throws(ParseFailure) -> ObjectKind {
    if isAtPropertyGraph {
      index += 2
      return .propertyGraph
    }
    guard let keyword else { throw syntaxError() }
    if let kind = try parseLongObjectKind(keyword) { return kind }
    let kind: ObjectKind
    switch keyword {
    case .table: kind = .table
    case .view: kind = .view
    case .index: kind = .index
    case .sequence: kind = .sequence
    case .schema: kind = .schema
    case .type: kind = .type
    case .domain: kind = .domain
    case .function: kind = .function
    case .procedure: kind = .procedure
    case .routine: kind = .routine
    case .aggregate: kind = .aggregate
    case .operator: kind = .operator
    case .cast: kind = .cast
    case .collation: kind = .collation
    case .conversion: kind = .conversion
    case .column: kind = .column
    case .constraint: kind = .constraint
    case .database: kind = .database
    case .extension: kind = .extension
    case .language: kind = .language
    case .policy: kind = .policy
    case .publication: kind = .publication
    case .role, .user, .group: kind = .role
    case .rule: kind = .rule
    case .server: kind = .server
    case .statistics: kind = .statistics
    case .subscription: kind = .subscription
    case .tablespace: kind = .tablespace
    case .transform: kind = .transform
    case .trigger: kind = .trigger
    default: throw syntaxError()
    }
    advance()
    return kind
  }

  /// A kind of object that two or three words name.
  private mutating func parseLongObjectKind(
    _ keyword: Keyword
  ) throws(ParseFailure) -> ObjectKind? {
    switch keyword {
    case .materialized:
      advance()
      try expect(.view)
      return .materializedView
    case .foreign:
      advance()
      try expect(.table)
      return .foreignTable
    case .event:
      advance()
      try expect(.trigger)
      return .eventTrigger
    case .access:
      advance()
      try expect(.method)
      return .accessMethod
    case .text:
      advance()
      try expect(.search)
      if take(.dictionary) { return .textSearchDictionary }
      try expect(.configuration)
      return .textSearchConfiguration
    case .procedural:
      advance()
      try expect(.language)
      return .language
    default: return nil
    }
  }

  // MARK: DROP

  mutating func parseDrop() throws(ParseFailure) -> Statement {
    let start = self.start
    try expect(.drop)
    let kind = try parseObjectKind()
    switch kind {
    case .operator, .cast, .role, .database, .transform, .column, .constraint:
      if kind == .column || kind == .constraint { throw syntaxError(at: tokens[index - 1]) }
      return skipUnsupported("DROP \(kind.rawValue)", start)
    case .table, .view, .materializedView, .foreignTable, .index, .sequence, .schema, .type,
      .domain, .function, .procedure, .routine, .aggregate, .collation, .conversion, .eventTrigger,
      .extension, .language, .policy, .publication, .rule, .server, .statistics, .subscription,
      .tablespace, .textSearchConfiguration, .textSearchDictionary, .trigger, .accessMethod,
      .propertyGraph:
      break
    }
    let isConcurrent = kind == .index && take(.concurrently)
    let ifExists = try parseIfExists()
    var objects: [ObjectReference] = []
    repeat { objects.append(try parseObject(kind)) } while take(.comma)
    let behavior = parseBehavior()
    return .drop(
      DropStatement(
        kind: kind, ifExists: ifExists, isConcurrent: isConcurrent, objects: objects,
        behavior: behavior, range: range(from: start)))
  }

  /// The name of an object of this kind, with what belongs to such a name.
  mutating func parseObject(_ kind: ObjectKind) throws(ParseFailure) -> ObjectReference {
    let start = self.start
    var object: ObjectReference
    switch kind {
    case .function, .procedure, .routine, .aggregate:
      object = ObjectReference(
        name: try parseFunctionName(), argumentTypes: nil, table: nil, range: .none)
      if at(.leftParen) { object.argumentTypes = try parseObjectParameters() }
    case .trigger, .rule, .policy, .constraint:
      object = ObjectReference(
        name: try parseQualifiedName(), argumentTypes: nil, table: nil, range: .none)
      try expect(.on)
      if kind == .constraint, take(.domain) {}
      object.table = try parseQualifiedName()
    case .type, .domain:
      let type = try parseTypeName()
      object = ObjectReference(name: type.name, argumentTypes: nil, table: nil, range: .none)
    case .table, .view, .materializedView, .foreignTable, .index, .sequence, .schema, .operator,
      .cast, .collation, .conversion, .column, .database, .eventTrigger, .extension, .language,
      .publication, .role, .server, .statistics, .subscription, .tablespace,
      .textSearchConfiguration, .textSearchDictionary, .transform, .accessMethod, .propertyGraph:
      object = ObjectReference(
        name: try parseQualifiedName(), argumentTypes: nil, table: nil, range: .none)
    }
    object.range = range(from: start)
    return object
  }

  /// The parameters in the name of a function; an aggregate may have `*` and `ORDER BY`.
  private mutating func parseObjectParameters() throws(ParseFailure) -> [FunctionParameter] {
    if peek().kind == .star, peek(2).kind == .rightParen {
      index += 3
      return []
    }
    return try parseParameters(allowsDefaults: false)
  }

  // MARK: COMMENT

  mutating func parseComment() throws(ParseFailure) -> Statement {
    let start = self.start
    try expect(.comment, .on)
    let kind = try parseObjectKind()
    if kind == .operator || kind == .cast || kind == .transform {
      return skipUnsupported("COMMENT ON \(kind.rawValue)", start)
    }
    let object = try parseObject(kind)
    try expect(.is)
    let comment: String? = take(.null) ? nil : try parseString()
    return .comment(
      CommentStatement(kind: kind, object: object, text: comment, range: range(from: start)))
  }
}
