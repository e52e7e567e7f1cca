import Catalog
import Columnar
import Diagnostics
import Execution
import Planning
import SQLSyntax

extension Session {
  /// PREPARE.
  func runPrepare(_ statement: PrepareStatement) throws(SQLError) -> StatementResult {
    let name = statement.name.name
    guard prepared[name] == nil else {
      throw SQLError(
        .duplicatePreparedStatement, "prepared statement \"\(name)\" already exists")
    }
    let evaluation = makeEvaluation()
    let plan = try cancellable(evaluation) { () throws(SQLError) in
      try inTransaction(writes: false, command: "PREPARE", evaluation) {
        (_, version) throws(SQLError) in
        let binder = Binder(catalog: version.catalog, settings: binderSettings(evaluation))
        var types: [LogicalType?] = []
        for type in statement.parameterTypes { types.append(try binder.columnType(type).type) }
        return try self.plan(
          statement.statement, version.catalog, version, types: types, evaluation)
      }
    }
    prepared[name] = plan
    return StatementResult(commandTag: "PREPARE")
  }

  /// EXECUTE.
  func runExecute(_ statement: ExecuteStatement) throws(SQLError) -> StatementResult {
    let (plan, parameters) = try executed(statement)
    return try run(plan, parameters: parameters) { prepared[statement.name.name] = $0 }
  }

  /// What EXECUTE names, and the values that it gives the parameters.
  func executed(
    _ statement: ExecuteStatement
  ) throws(SQLError) -> (plan: PreparedPlan, parameters: [SQLValue]) {
    let name = statement.name.name
    guard let plan = prepared[name] else {
      throw SQLError(
        .invalidStatementName, "prepared statement \"\(name)\" does not exist")
    }
    guard statement.arguments.count == plan.parameterTypes.count else {
      throw SQLError(
        .syntaxError, "wrong number of parameters for prepared statement \"\(name)\"",
        detail:
          "Expected \(plan.parameterTypes.count) parameters but got \(statement.arguments.count).")
    }
    return (plan, try values(of: statement.arguments))
  }

  /// The values of expressions without columns.
  private func values(of expressions: [SQLSyntax.Expression]) throws(SQLError) -> [SQLValue] {
    guard !expressions.isEmpty else { return [] }
    let items = expressions.map { SelectItem(.expression($0), at: $0.range) }
    let query = SelectStatement(body: .select(SelectCore(items: items)))
    let result = try runPlanned(.select(query))
    guard let rows = result.rows, rows.count == 1 else { return [] }
    let style = ValueStyle(zone: makeEvaluation().style.zone)
    return rows.columns.indices.map { column in
      let value = rows.value(row: 0, column: column)
      guard case .timestamp(let moment) = value, rows.columns[column].type == .timestamptz else {
        return value
      }
      // A parameter without a time zone takes a moment as the session's clocks show it.
      return .text(Value.int64(moment.microsecondsSince2000).text(of: .timestamptz, style: style))
    }
  }

  /// DEALLOCATE; nil is ALL.
  func runDeallocate(_ name: Identifier?) throws(SQLError) -> StatementResult {
    guard let name else {
      prepared = [:]
      return StatementResult(commandTag: "DEALLOCATE ALL")
    }
    guard prepared.removeValue(forKey: name.name) != nil else {
      throw SQLError(
        .invalidStatementName, "prepared statement \"\(name.name)\" does not exist")
    }
    return StatementResult(commandTag: "DEALLOCATE")
  }

  /// Plans the one statement of a text.
  func prepare(_ statements: [ParsedStatement]) throws(SQLError) -> PreparedPlan {
    guard let parsed = statements.first, statements.count == 1 else {
      throw SQLError(
        .syntaxError, "cannot insert multiple commands into a prepared statement")
    }
    guard parsed.statement.isQuery else {
      throw .unsupported("preparing this statement", at: parsed.range)
    }
    let evaluation = makeEvaluation()
    let types = [LogicalType?](repeating: nil, count: parsed.parameterCount)
    return try inTransaction(writes: false, command: "PREPARE", evaluation) {
      (_, version) throws(SQLError) in
      try plan(
        parsed.statement, version.catalog, version, types: types, evaluation)
    }
  }

  /// Lets go of all plans, and of cursors, which run one.
  func forgetPlans() {
    prepared = [:]
    cursors = [:]
    planCache.removeAll()
    sharedPlans.removeAll()
  }

  /// Runs a prepared statement, noting a failure in an open transaction.
  func runPrepared(
    _ plan: PreparedPlan, _ parameters: [SQLValue], replace: (PreparedPlan) -> Void
  ) throws(SQLError) -> StatementResult {
    if !notices.isEmpty { notices = [] }
    if isFailed {
      throw SQLError(
        .failedTransaction,
        "current transaction is aborted, commands ignored until end of transaction block")
    }
    do throws(SQLError) {
      let result = try run(plan, parameters: parameters, replace: replace)
      try keepSequenceValues()
      return result
    } catch {
      noteFailure()
      keepSequenceValuesOfFailure()
      throw error
    }
  }
}
