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
    var isAnalyzed = false
    for option in statement.options { try Self.apply(option, to: &options, &isAnalyzed) }
    let (inner, types, given) = try explained(statement.statement)
    let parameters = given ?? parameters
    let evaluation = makeEvaluation()
    let lines = try cancellable(evaluation) { () throws(SQLError) in
      try inTransaction(
        writes: isAnalyzed && inner.mayWrite, command: "EXPLAIN", evaluation
      ) { (transaction, version) throws(SQLError) in
        guard isAnalyzed else {
          let planned = try planned(inner, version.catalog, version, types: types, evaluation)
          return explain(planned.plan, catalog: planned.catalog, options: options)
        }
        let clock = ContinuousClock()
        let start = clock.now
        let plan = try plan(
          inner, version.catalog, version, types: types, evaluation, isMeasured: true)
        let planningTime = clock.now - start
        let runStart = clock.now
        _ = try run(plan, transaction, version, parameters, evaluation)
        let executionTime = clock.now - runStart
        return explain(
          plan.executor.plan, catalog: version.catalog, options: options,
          statistics: plan.executor.statistics,
          times: [
            ("Planning Time", Self.milliseconds(planningTime)),
            ("Execution Time", Self.milliseconds(executionTime)),
          ])
      }
    }
    return Self.table([("QUERY PLAN", lines)], tag: "EXPLAIN")
  }

  /// A time with three digits behind the point.
  private static func milliseconds(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    let rest = String(microseconds % 1000)
    return "\(microseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }

  /// The statement that is explained: EXECUTE stands for what was prepared, with the types and values of its parameters.
  private func explained(
    _ statement: Statement
  ) throws(SQLError) -> (statement: Statement, types: [LogicalType?], parameters: [SQLValue]?) {
    if statement.isQuery { return (statement, [], nil) }
    if case .execute(let execute) = statement {
      let (plan, parameters) = try executed(execute)
      return (plan.statement, plan.parameterTypes, parameters)
    }
    if case .createTable(let create) = statement, let source = create.source {
      return (source.statement, [], nil)
    }
    throw .unsupported("EXPLAIN of this statement")
  }

  private static func apply(
    _ option: DefinitionOption, to options: inout ExplainOptions, _ isAnalyzed: inout Bool
  ) throws(SQLError) {
    let isOn: Bool
    switch option.value {
    case .boolean(false): isOn = false
    case .integer(let number): isOn = number != 0
    case .word(let word), .string(let word): isOn = !["off", "false"].contains(word.lowercased())
    case .decimal, .boolean, .list, .all, nil: isOn = true
    }
    switch option.name {
    case "analyze": isAnalyzed = isOn
    case "costs": options.showsEstimates = isOn
    case "timing": options.showsTiming = isOn
    case "verbose", "buffers", "settings", "wal", "summary": break
    case "format":
      let word =
        switch option.value {
        case .word(let word), .string(let word): word
        case .integer(let number): String(number)
        case .decimal(let number): number
        case .boolean(let isOn): isOn ? "true" : "false"
        case .list, .all, nil:
          throw SQLError(.syntaxError, "format requires a parameter", at: option.range)
        }
      guard let format = ExplainOptions.Format(rawValue: word.lowercased()) else {
        throw SQLError(
          .invalidParameterValue, "unrecognized value for EXPLAIN option \"format\": \"\(word)\"",
          at: option.range, hint: "Formats are text, json, html and mermaid.")
      }
      options.format = format
    default:
      throw SQLError(
        .syntaxError, "unrecognized EXPLAIN option \"\(option.name)\"", at: option.range)
    }
  }
}
