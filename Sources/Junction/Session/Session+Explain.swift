import Catalog
import Columnar
import Diagnostics
import Execution
import Planning
import SQLSyntax

extension Session {
  /// EXPLAIN, with ANALYZE after having run the statement.
  func runExplain(
    _ statement: ExplainStatement, parameters: [SQLValue]
  ) throws(SQLError) -> StatementResult {
    var options = ExplainOptions()
    for option in statement.options { try Self.apply(option, to: &options) }
    let inner = try explained(statement.statement)
    let evaluation = makeEvaluation()
    let lines = try cancellable(evaluation) { () throws(SQLError) in
      try inTransaction(
        writes: options.isAnalyzed && inner.mayWrite, command: "EXPLAIN", evaluation
      ) { (transaction, version) throws(SQLError) in
        let clock = ContinuousClock()
        let start = clock.now
        let plan = try plan(
          inner, version.catalog, TableSet(version.tables), types: [], evaluation,
          isMeasured: options.isAnalyzed)
        options.planningTime = clock.now - start
        guard options.isAnalyzed else {
          return explain(plan.executor.plan, options: options, statistics: nil)
        }
        let runStart = clock.now
        _ = try run(plan, transaction, version, parameters, evaluation)
        options.executionTime = clock.now - runStart
        return explain(
          plan.executor.plan, options: options, statistics: plan.executor.statistics)
      }
    }
    return Self.table([("QUERY PLAN", lines)], tag: "EXPLAIN")
  }

  /// The statement that is explained: EXECUTE stands for what was prepared.
  private func explained(_ statement: Statement) throws(SQLError) -> Statement {
    switch statement {
    case .select, .insert, .update, .delete, .merge: return statement
    case .execute(let execute):
      guard let plan = prepared[execute.name.name] else {
        throw SQLError(
          .invalidStatementName, "prepared statement \"\(execute.name.name)\" does not exist")
      }
      return plan.statement
    case .createTable(let create):
      if let source = create.source { return source.statement }
      throw .unsupported("EXPLAIN of this statement")
    default: throw .unsupported("EXPLAIN of this statement")
    }
  }

  private static func apply(
    _ option: DefinitionOption, to options: inout ExplainOptions
  ) throws(SQLError) {
    let isOn: Bool
    switch option.value {
    case nil, .boolean(true): isOn = true
    case .boolean(false): isOn = false
    case .integer(let number): isOn = number != 0
    case .word(let word), .string(let word): isOn = ["on", "true"].contains(word.lowercased())
    default: isOn = true
    }
    switch option.name {
    case "analyze": options.isAnalyzed = isOn
    case "verbose", "costs", "buffers", "settings", "wal", "timing", "summary": break
    case "format":
      if case .word(let word)? = option.value, word.lowercased() != "text" {
        throw .unsupported("EXPLAIN (FORMAT \(word.uppercased()))", at: option.range)
      }
    default:
      throw SQLError(
        .syntaxError, "unrecognized EXPLAIN option \"\(option.name)\"", at: option.range)
    }
  }
}
