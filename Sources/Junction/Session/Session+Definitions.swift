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
        let environment = definitionEnvironment(statement, evaluation)
        let result = try DefinitionExecutor.execute(
          statement, in: transaction, environment: environment)
        try evaluation.checkCancellation()
        return StatementResult(commandTag: result.tag, notices: result.notices)
      }
    }
  }

  /// What DDL asks of binder, planner and executor.
  func definitionEnvironment(
    _ statement: Statement, _ evaluation: EvaluationContext
  ) -> BinderEnvironment {
    BinderEnvironment(
      settings: binderSettings(evaluation, files: fileProvider(for: statement, evaluation)),
      context: evaluation,
      checksBodies: settings["check_function_bodies"] != "off",
      makeContext: { transaction in
        ExecutionContext(
          evaluation: evaluation, tables: transaction.version,
          session: SessionFunctionTable(self, transaction))
      },
      runQuery: { (statement, transaction) throws(SQLError) in
        let version = transaction.version
        let plan = try self.plan(
          statement, version.catalog, version, types: [], evaluation)
        let result = try self.run(plan, transaction, version, [], evaluation, keepsRows: true)
        return result.rows?.chunks ?? []
      })
  }
}
