import Catalog
import Columnar
import Diagnostics
import Execution
import Planning
import SQLSyntax

extension Session {
  /// Runs a statement that defines objects.
  func runDefinition(_ statement: Statement) throws(SQLError) -> StatementResult {
    let evaluation = makeEvaluation()
    return try cancellable(evaluation) { () throws(SQLError) in
      try inTransaction(writes: true, command: "DDL", evaluation) {
        (transaction, _) throws(SQLError) in
        let environment = SessionEnvironment(session: self, context: evaluation)
        let result = try DefinitionExecutor.execute(
          statement, in: transaction, environment: environment)
        return StatementResult(commandTag: result.tag, notices: result.notices)
      }
    }
  }
}

/// What DDL asks of binder, planner and executor.
struct SessionEnvironment: DefinitionEnvironment {
  let session: Session
  let context: EvaluationContext

  var creationSchema: String { session.settings.creationSchema }
  var searchPath: [String] { session.settings.searchPath }

  private func binder(_ catalog: CatalogSnapshot) -> Binder {
    Binder(catalog: catalog, settings: session.binderSettings(context))
  }

  func type(_ name: TypeName, in catalog: CatalogSnapshot) throws(SQLError) -> ColumnType {
    try binder(catalog).columnType(name)
  }

  func bind(
    _ expression: SQLSyntax.Expression, as purpose: RowExpressionPurpose,
    in catalog: CatalogSnapshot
  ) throws(SQLError) -> BoundRowExpression {
    let binder = binder(catalog)
    switch purpose {
    case .defaultValue(let column, let type):
      let bound = try binder.bindExpression(
        expression, for: .columnDefault, target: (column, type))
      return BoundRowExpression(bound.expression, columns: [])
    case .check(let table): return try bind(expression, over: table, .check, nil, binder)
    case .index(let table): return try bind(expression, over: table, .index, nil, binder)
    case .indexPredicate(let table):
      return try bind(expression, over: table, .indexPredicate, nil, binder)
    case .generated(let table, let column, let type):
      return try bind(expression, over: table, .generated, (column, type), binder)
    case .conversion(let table, let column, let type):
      return try bind(expression, over: table, .other, (column, type), binder)
    }
  }

  private func bind(
    _ expression: SQLSyntax.Expression, over table: TableDefinition, _ use: Binder.ExpressionUse,
    _ target: (name: String, type: ColumnType)?, _ binder: Binder
  ) throws(SQLError) -> BoundRowExpression {
    let factory = ColumnFactory()
    let columns = table.columns.map { factory.make($0.name, $0.type) }
    let bound = try binder.bindExpression(
      expression, over: columns, tableName: table.name.name, for: use, target: target)
    return BoundRowExpression(bound.expression, columns: columns)
  }

  func describe(
    _ statement: Statement, in catalog: CatalogSnapshot
  ) throws(SQLError) -> QueryDescription {
    let bound = try binder(catalog).bind(statement)
    return QueryDescription(
      names: bound.columns.map(\.name), types: bound.columns.map(\.columnType),
      dependencies: bound.dependencies)
  }

  func run(
    _ statement: Statement, in transaction: Transaction
  ) throws(SQLError) -> [DataChunk] {
    let plan = try session.plan(
      statement, transaction.catalog, TableSet(transaction.version.tables), types: [], context)
    let result = try session.run(plan, transaction, transaction.version, [], context)
    return result.rows?.chunks ?? []
  }

  func evaluate(
    _ expression: BoundExpression, columns: [PlanColumn], over chunk: DataChunk,
    in transaction: Transaction
  ) throws(SQLError) -> Vector {
    let run = ExecutionContext(
      evaluation: context, tables: TableSet(transaction.version.tables),
      session: SessionFunctionTable(session, transaction.catalog))
    var chunk = chunk
    return try ExpressionCompiler(columns).compile(expression).evaluate(&chunk, run)
  }

  func parse(_ source: String, language: String) throws(SQLError) -> [Statement] {
    if language == "plpgsql" {
      switch try PlpgsqlBody(source) {
      case .query(let query): return [.select(query)]
      case .expression(let value):
        let core = SelectCore(items: [SelectItem(.expression(value), at: value.range)])
        return [.select(SelectStatement(body: .select(core)))]
      }
    }
    return try parseStatements(source).map(\.statement)
  }

  func check(_ function: FunctionDefinition, in catalog: CatalogSnapshot) throws(SQLError) {
    let types = function.parameters.map { Optional($0.type.type) }
    _ = types
  }
}
