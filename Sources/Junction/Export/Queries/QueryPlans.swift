import Catalog
import Columnar
import Diagnostics
import Execution
import Planning
import SQLSyntax
import Translation

/// What a query computes, and what its columns are called.
struct TranslatablePlan {
  let plan: LogicalPlan
  let names: [String]
  /// What made the plan's columns.
  let factory: ColumnFactory
}

extension Session {
  /// Functions whose values are those of the moment, so that no two systems give the same.
  private static let momentary: Set<String> = [
    "now", "current_date", "current_time", "current_timestamp", "localtime", "localtimestamp",
    "transaction_timestamp", "statement_timestamp", "clock_timestamp", "timeofday",
  ]

  /// - Throws: 0A000 for a plan whose rows are others each time, which cannot be compared.
  func requireLasting(_ query: TranslatablePlan) throws(SQLError) {
    let plan = query.plan
    let isMomentary = plan.contains { part in
      part.containsExpression { expression in
        expression.contains { part in
          if case .call(let call) = part { Self.momentary.contains(call.name) } else { false }
        }
      }
    }
    if isMomentary || plan.isVolatile {
      throw SQLError(.featureNotSupported, "its answer is another one each time it is asked")
    }
  }

  /// The plan of a query with its subqueries as joins, for a translation.
  ///
  /// - Throws: what binder and optimiser say; 0A000 for what is no query.
  func translatablePlan(of text: String) throws(SQLError) -> TranslatablePlan {
    let evaluation = makeEvaluation()
    return try cancellable(evaluation) { () throws(SQLError) in
      try inTransaction(writes: false, command: "EXPORT", evaluation) {
        (_, version) throws(SQLError) in
        // Queries of a file may be of any height that the parser takes.
        try DeepStack.run(if: true) { () throws(SQLError) in
          try translatablePlan(of: try queryStatement(text), version, evaluation)
        }
      }
    }
  }

  private func translatablePlan(
    of statement: Statement, _ version: DatabaseVersion, _ evaluation: EvaluationContext
  ) throws(SQLError) -> TranslatablePlan {
    let binder = Binder(
      catalog: version.catalog, settings: binderSettings(evaluation), parameterTypes: [])
    let bound = try binder.bind(statement)
    let optimizer = Optimizer(
      catalog: version.catalog,
      statistics: StatisticsReader(version.catalog, version, evaluation).source,
      factory: bound.factory,
      rules: [
        .subqueryAsJoin, .unnesting, .simplification, .constantFolding, .projectionPruning,
        .pathAsRecursion,
      ],
      style: evaluation.style)
    return TranslatablePlan(
      plan: try optimizer.optimize(bound.plan), names: bound.columns.map(\.name),
      factory: bound.factory)
  }

  /// The plan of a query as it was bound, with subqueries as parts of expressions.
  ///
  /// - Throws: what the binder says.
  func boundPlan(of statement: Statement) throws(SQLError) -> LogicalPlan {
    let evaluation = makeEvaluation()
    return try cancellable(evaluation) { () throws(SQLError) in
      try inTransaction(writes: false, command: "EXPORT", evaluation) {
        (_, version) throws(SQLError) in
        try DeepStack.run(if: true) { () throws(SQLError) in
          let binder = Binder(
            catalog: version.catalog, settings: binderSettings(evaluation), parameterTypes: [])
          return try binder.bind(statement).plan
        }
      }
    }
  }

  /// The query that a text is.
  ///
  /// - Throws: 42601 for a text that is none or several, 0A000 for a statement that changes something.
  func queryStatement(_ text: String) throws(SQLError) -> Statement {
    let statements = try parseStatements(text)
    guard statements.count == 1, let first = statements.first else {
      throw SQLError(.syntaxError, "this is not one statement")
    }
    guard case .select(let query) = first.statement else {
      throw SQLError(.featureNotSupported, "only queries leave", at: first.range)
    }
    if !query.locking.isEmpty {
      throw SQLError(.featureNotSupported, "FOR UPDATE and the like do not leave", at: first.range)
    }
    return first.statement
  }

  /// A query in another system's words.
  ///
  /// - Throws: what is wrong with the query, or 0A000 with the place and the reason that keep it from being translated.
  func translated(
    _ text: String, _ query: TranslatablePlan, for dialect: SQLDialect,
    makingRounds makesRounds: Bool = false, choosing choose: @escaping TableChooser
  ) throws(SQLError) -> TranslatedText {
    return try DeepStack.run(if: true) { () throws(SQLError) in
      let translator = QueryTranslator(
        dialect, query.factory, makingRounds: makesRounds, choosing: choose)
      do throws(Refusal) {
        return TranslatedText(try translator.translate(query.plan, names: query.names), dialect)
      } catch {
        throw SQLError(
          .featureNotSupported, error.reason, at: error.range(in: text) ?? .none)
      }
    }
  }
}

/// A translated query as text.
struct TranslatedText {
  let statement: String
  /// The recursions whose rounds are made by whoever asks.
  let rounds: [RoundsText]
  let gathersInAnyOrder: Bool

  init(_ query: TranslatedQuery, _ dialect: SQLDialect) {
    statement = SQLPrinter.text(of: query.statement, for: dialect)
    rounds = query.rounds.map { round in
      RoundsText(
        name: round.name, anchor: SQLPrinter.text(of: round.anchor, for: dialect),
        step: SQLPrinter.text(of: round.step, for: dialect), keys: round.keys)
    }
    gathersInAnyOrder = query.gathersInAnyOrder
  }
}

/// The rounds of a recursion as text.
struct RoundsText {
  let name: String
  let anchor: String
  let step: String
  /// The columns by which rows are told apart; nil for all.
  let keys: [String]?
}
