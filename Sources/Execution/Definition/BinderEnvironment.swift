package import Catalog
package import Columnar
package import Diagnostics
package import Planning
package import SQLSyntax

/// The definition environment of a session: names are bound by the binder, expressions computed by
/// the expression compiler, queries run by whoever runs queries.
package struct BinderEnvironment: DefinitionEnvironment {
  /// Runs a query in a transaction and gives its rows.
  package typealias QueryRunner =
    @Sendable (_ statement: Statement, _ transaction: OpenTransaction) throws(SQLError) ->
    [DataChunk]

  /// The context of a run over the tables and objects of a transaction as they are now.
  package typealias ContextMaker = @Sendable (_ transaction: OpenTransaction) -> ExecutionContext

  private let settings: BinderSettings
  package let context: EvaluationContext
  private let checksBodies: Bool
  private let makeContext: ContextMaker
  private let runQuery: QueryRunner

  /// An environment for one statement; the bodies of functions are checked unless `checksBodies` is off.
  package init(
    settings: BinderSettings, context: EvaluationContext, checksBodies: Bool = true,
    makeContext: @escaping ContextMaker, runQuery: @escaping QueryRunner
  ) {
    self.settings = settings
    self.context = context
    self.checksBodies = checksBodies
    self.makeContext = makeContext
    self.runQuery = runQuery
  }

  package var searchPath: [String] { settings.searchPath }

  /// The first schema of the search path that holds neither temporary nor system objects.
  package var creationSchema: String {
    settings.searchPath.first { !$0.hasPrefix("pg_") && $0 != "information_schema" } ?? "public"
  }

  private func binder(_ catalog: CatalogSnapshot) -> Binder {
    Binder(catalog: catalog, settings: settings)
  }

  package func type(
    _ name: TypeName, in catalog: CatalogSnapshot
  ) throws(SQLError) -> ColumnType {
    try binder(catalog).columnType(name)
  }

  package func bind(
    _ expression: Expression, as purpose: RowExpressionPurpose, in catalog: CatalogSnapshot
  ) throws(SQLError) -> BoundRowExpression {
    let binder = binder(catalog)
    let use: Binder.ExpressionUse
    var table: TableDefinition?
    var target: (name: String, type: ColumnType)?
    switch purpose {
    case .check(let definition):
      use = .check
      table = definition
    case .defaultValue(let column, let type):
      use = .columnDefault
      target = (column, type)
    case .generated(let definition, let column, let type):
      use = .generated
      table = definition
      target = (column, type)
    case .conversion(let definition, let column, let type):
      use = .other
      table = definition
      target = (column, type)
    case .index(let definition):
      use = .index
      table = definition
    case .indexPredicate(let definition):
      use = .indexPredicate
      table = definition
    case .graphProperty(let definition):
      use = .graphProperty
      table = definition
    }
    let factory = ColumnFactory()
    let columns = table?.columns.map { factory.make($0.name, $0.type) } ?? []
    let bound = try binder.bindExpression(
      expression, over: columns, of: table, for: use, target: target)
    return BoundRowExpression(
      bound.expression, columns: columns, modifier: bound.modifier,
      dependencies: bound.dependencies)
  }

  package func describe(
    _ statement: Statement, in catalog: CatalogSnapshot
  ) throws(SQLError) -> QueryDescription {
    let (bound, expansions) = try binder(catalog).bindExpanding(statement)
    if let column = bound.columns.first(where: \.lacksCollation) {
      throw SQLError(
        .indeterminateCollation,
        "no collation was derived for column \"\(column.name)\" with collatable type"
          + " \(column.columnType.name)",
        hint: "Use the COLLATE clause to set the collation explicitly.")
    }
    return QueryDescription(
      names: bound.columns.map(\.name), types: bound.columns.map(\.columnType),
      dependencies: bound.dependencies, expansions: expansions)
  }

  package func run(
    _ statement: Statement, in transaction: OpenTransaction
  ) throws(SQLError) -> [DataChunk] {
    var parts: [DataChunk] = []
    for chunk in try runQuery(statement, transaction) {
      _ = try chunk.forEachPart { (part) throws(SQLError) in
        parts.append(part)
        return true
      }
    }
    return parts
  }

  package func evaluate(
    _ expression: BoundExpression, columns: [PlanColumn], over chunk: DataChunk,
    in transaction: OpenTransaction
  ) throws(SQLError) -> Vector {
    guard chunk.count > 0 else { return .null(expression.type, count: 0) }
    var part = chunk
    return try ExpressionCompiler(columns).compile(expression)
      .evaluate(&part, makeContext(transaction)).flattened()
  }

  package func parse(
    _ source: String, language: String
  ) throws(SQLError) -> [Statement] {
    do throws(SQLError) {
      return try FunctionDefinition.statements(of: source, language: language)
    } catch {
      // The place is one in the body, not in the statement around it.
      var moved = error
      moved.range = .none
      throw moved
    }
  }

  /// Binds the body of a function in SQL; in other languages names are looked up when it is called.
  package func check(
    _ function: FunctionDefinition, in catalog: CatalogSnapshot
  ) throws(SQLError) -> Set<ObjectID> {
    guard checksBodies, function.language == "sql" else { return [] }
    var trial = catalog
    // It may call itself.
    trial.put(function)
    do throws(SQLError) {
      return try binder(trial).check(function)
    } catch {
      // Bodies are bound where they are called, without end if a function calls itself.
      if error.state == .statementTooComplex { return [] }
      // The place is one in the body, not in the statement around it.
      var moved = error
      moved.range = .none
      moved.context = nil
      throw moved
    }
  }
}
