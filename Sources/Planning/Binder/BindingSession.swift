import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// What is gathered while one statement is bound.
final class BindingSession {
  let catalog: CatalogSnapshot
  let settings: BinderSettings
  let factory = ColumnFactory()
  /// Types of parameters as far as they are settled.
  var parameterTypes: [LogicalType?]
  var dependencies: Set<ObjectID> = []
  /// The tables of files that were named.
  var files: [TableDefinition] = []
  /// The modifiers of columns whose type has one, such as `varchar(10)`.
  var modifiers: ColumnMap<TypeModifier> = [:]
  /// What is known of the collations of columns, where it is not that of the database.
  var collations: ColumnMap<StatedCollation> = [:]
  /// Whether texts may have another order than that of bytes anywhere in the statement.
  var hasCollations: Bool
  /// Whether the statement has a COLLATE clause.
  var hasCollationClauses = false
  /// The values that locals stand for, the innermost last.
  var locals: [[BoundExpression]] = []
  /// The query whose FROM or grouping produces a column; decides the level of an aggregate.
  var owners: ColumnMap<Scope> = [:]
  /// Reads constants of unknown type once their type is known.
  let literals: TextParser
  /// What each `*` of the statement stands for, where that is asked for.
  var expansions: StatementExpansions?
  private var lastCommonID = 0
  /// How many views and functions stand around what is being bound.
  var expansionDepth = 0
  /// Views and functions nested deeper than this are an error, not a crash.
  static let expansionDepthLimit = 64

  /// How many expressions stand around the one being bound, those of functions put in place included.
  var expressionDepth = 0
  /// How deep the recursion of the binder stands, and stood at most, in units of an expression's frames.
  private var depth = 0
  private(set) var depthMax = 0
  /// So much finds room on a stack of 512 KB in debug builds; what is deeper gets a stack of its own.
  private static let shallowDepth = 24
  /// Nothing is put in place of a call or view that stands deeper than this: else bodies
  /// in bodies would make a tree far higher than the parser's, and everything that walks it recurses.
  static let expansionHeightLimit = 64

  init(catalog: CatalogSnapshot, settings: BinderSettings, parameterTypes: [LogicalType?]) {
    self.catalog = catalog
    self.settings = settings
    self.parameterTypes = parameterTypes
    literals = TextParser(settings.evaluation)
    hasCollations = catalog.defaultCollation != nil
  }

  /// The types of parameters; what nothing has settled is text, as in PostgreSQL.
  var settledParameterTypes: [LogicalType] { parameterTypes.map { $0 ?? .text } }

  /// An identity for a common table expression or recursion.
  func makeCommonID() -> Int {
    lastCommonID += 1
    return lastCommonID
  }

  /// A column that nothing else is, with its modifier remembered.
  func makeColumn(_ name: String, _ type: LogicalType, _ modifier: TypeModifier = .none)
    -> PlanColumn
  {
    let column = factory.make(name, type)
    if modifier != .none { modifiers[column.id] = modifier }
    return column
  }

  /// A column that nothing else is, with what its type says beside the kind of values.
  func makeColumn(_ name: String, _ type: ColumnType) -> PlanColumn {
    let column = makeColumn(name, type.type, type.modifier)
    note(type.stated, of: column)
    return column
  }

  /// A column named and typed as `expression`.
  func makeColumn(_ name: String, for expression: BoundExpression) -> PlanColumn {
    let column = makeColumn(name, expression.type, modifier(of: expression))
    // Clauses that contradict each other have been refused where they stand.
    note(try? statedCollation(of: expression), of: column)
    return column
  }

  /// A column that has the values of another.
  func makeCopy(of column: PlanColumn) -> PlanColumn {
    let copy = makeColumn(column.name, column.type, modifiers[column.id] ?? .none)
    note(collations[column.id], of: copy)
    return copy
  }

  /// What the client is told of `columns`.
  func resultColumns(_ columns: [PlanColumn]) -> [ResultColumn] {
    columns.map { column in
      var type = ColumnType(column.type, modifiers[column.id] ?? .none)
      let stated = collations[column.id]?.implicit
      let isKnown = stated == nil || stated?.strength == .implicit
      if isKnown, stated?.collation != .standard { type.collation = stated?.collation }
      return ResultColumn(column.name, type, lacksCollation: !isKnown)
    }
  }

  /// The modifier of an expression's type, where all ways to its value agree on one.
  func modifier(of expression: BoundExpression) -> TypeModifier {
    switch expression {
    case .column(let id, _): return modifiers[id] ?? .none
    case .cast(let cast): return cast.target.modifier
    case .local(_, let type): return type.modifier
    case .shared(_, let body): return modifier(of: body)
    case .caseWhen(let branches, let otherwise, let type):
      return common(branches.map(\.result) + [otherwise], type)
    case .coalesce(let list, let type), .extreme(let list, _, let type): return common(list, type)
    case .subquery(let subquery):
      if case .scalar = subquery.kind, let first = subquery.plan.outputs.first {
        return modifiers[first.id] ?? .none
      }
      return .none
    case .constant, .parameter, .call, .and, .or, .not, .comparison, .distinct, .isNull, .isBoolean,
      .inList, .quantified, .quantifiedCall, .array, .row, .field, .decoded, .session, .aggregate,
      .window:
      return .none
    }
  }

  private func common(_ list: [BoundExpression], _ type: LogicalType) -> TypeModifier {
    var found: TypeModifier?
    for item in list {
      if case .constant(.null, _) = item { continue }
      guard item.type == type else { return .none }
      let next = modifier(of: item)
      if let found, found != next { return .none }
      found = next
    }
    return found ?? .none
  }

  /// Runs `body` deeper in the recursion, on whatever stack has room.
  ///
  /// - Throws: what `body` throws.
  func deepening<Result>(
    by count: Int = 1, _ body: () throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    let outer = depth
    depth += count
    depthMax = max(depthMax, depth)
    defer { depth = outer }
    guard outer < Self.shallowDepth, depth >= Self.shallowDepth else { return try body() }
    return try DeepStack.run(if: true, body)
  }

  /// Runs `body` one level of expansion deeper.
  ///
  /// - Throws: 54001 past the limit.
  func expanding<Result>(
    at range: SourceRange, _ body: () throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    guard expansionDepth < Self.expansionDepthLimit else {
      throw SQLError(
        .statementTooComplex, "stack depth limit exceeded", at: range,
        hint: "Views or functions are nested more than \(Self.expansionDepthLimit) levels deep.")
    }
    guard expressionDepth < Self.expansionHeightLimit else {
      throw SQLError(
        .statementTooComplex, "stack depth limit exceeded", at: range,
        hint: "Nest expressions less deeply in functions that call each other.")
    }
    expansionDepth += 1
    defer { expansionDepth -= 1 }
    return try body()
  }
}

/// A query with its output columns.
struct BoundQuery {
  var plan: LogicalPlan
  var columns: [PlanColumn]
  /// Where each column's expression stands, for errors about types.
  var ranges: [SourceRange]
  /// Whether rows are changed somewhere inside.
  var kind: BoundStatement.Kind = .query

  func range(_ index: Int) -> SourceRange { index < ranges.count ? ranges[index] : .none }
}
