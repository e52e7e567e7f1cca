import Catalog
import Columnar
import Diagnostics
import Planning
import SQLSyntax
import Storage

@testable import Execution

/// A session as small as tests of changes need it: statements by text, rows as text.
final class ScriptSession: SessionAccess, @unchecked Sendable {
  let state: DatabaseState
  private var transaction: OpenTransaction?
  private let sequences = SessionSequences()
  private(set) var notices: [Notice] = []
  private(set) var lastTag = ""
  private var running: OpenTransaction?

  init(_ state: DatabaseState = DatabaseState()) { self.state = state }

  func call(
    _ function: SessionFunction, _ arguments: [Value], _ context: ExecutionContext
  ) throws(SQLError) -> Value {
    guard let running else { return .null }
    return try SequenceFunctions(running, session: sequences).call(function, arguments) ?? .null
  }

  /// Runs every statement of a script, and gives the rows of the last: values joined by `|`.
  @discardableResult
  func run(_ script: String) throws(SQLError) -> [String] {
    var rows: [String] = []
    for parsed in try parseStatements(script) { rows = try run(parsed.statement) }
    return rows
  }

  /// The error of a script; nil if it has none.
  func failure(_ script: String) -> SQLError? {
    do throws(SQLError) {
      try run(script)
      return nil
    } catch {
      return error
    }
  }

  private func run(_ statement: Statement) throws(SQLError) -> [String] {
    switch statement {
    case .transaction(let command, _):
      try run(command)
      return []
    case .setConstraints(let command):
      try transaction?.setConstraints(nil, deferred: command.isDeferred)
      return []
    default: break
    }
    let own = transaction == nil
    let current = transaction ?? OpenTransaction(state)
    running = current
    defer { running = nil }
    do throws(SQLError) {
      let rows = try run(statement, in: current)
      if own { try current.commit() }
      return rows
    } catch {
      if own { current.rollBack() }
      throw error
    }
  }

  private func run(_ command: TransactionStatement) throws(SQLError) {
    switch command {
    case .begin: transaction = OpenTransaction(state)
    case .commit:
      let ending = transaction
      transaction = nil
      try ending?.commit()
    case .rollback:
      transaction?.rollBack()
      transaction = nil
    case .savepoint(let name): transaction?.addSavepoint(name.name)
    case .release(let name): try transaction?.releaseSavepoint(name.name)
    case .rollbackTo(let name): try transaction?.rollBack(toSavepoint: name.name)
    case .twoPhase: break
    }
  }

  private func run(
    _ statement: Statement, in transaction: OpenTransaction
  ) throws(SQLError) -> [String] {
    var writes = DefinitionExecutor.handles(statement)
    if case .select = statement {} else { writes = true }
    return try transaction.statement(writes: writes) { (version) throws(SQLError) in
      if DefinitionExecutor.handles(statement) {
        let environment = BinderEnvironment(
          settings: BinderSettings(),
          context: EvaluationContext(transactionTime: 0, statementTime: 0),
          makeContext: { self.context($0, version) }
        ) { (query, transaction) throws(SQLError) in
          try self.query(query, transaction, version).chunks
        }
        let result = try DefinitionExecutor.execute(
          statement, in: transaction, environment: environment)
        notices = result.notices
        lastTag = result.tag
        return []
      }
      return Self.texts(try query(statement, transaction, version))
    }
  }

  private func context(_ transaction: OpenTransaction, _ version: DatabaseVersion)
    -> ExecutionContext
  {
    ExecutionContext(
      evaluation: EvaluationContext(transactionTime: 0, statementTime: 0),
      tables: TableSet(version.tables), session: self,
      modifications: ModificationExecutor(transaction))
  }

  private func query(
    _ statement: Statement, _ transaction: OpenTransaction, _ version: DatabaseVersion
  ) throws(SQLError) -> QueryResult {
    let bound = try Binder(catalog: transaction.catalog).bind(statement)
    let optimized = try Optimizer(
      catalog: transaction.catalog, statistics: StatisticsSource { _ in nil }
    )
    .optimize(bound.plan)
    let plan = try PhysicalPlanner(
      catalog: transaction.catalog, statistics: StatisticsSource { _ in nil }
    )
    .plan(optimized)
    let run = context(transaction, version)
    let result = try QueryExecutor.execute(plan, in: run)
    if let runner = run.modifications as? ModificationExecutor, bound.kind != .query {
      lastTag = "\(bound.kind) \(runner.affectedRows)"
    }
    return result
  }

  static func texts(_ result: QueryResult) -> [String] {
    var rows: [String] = []
    for chunk in result.chunks {
      for row in 0..<chunk.count {
        rows.append(
          chunk.columns.map { column in
            column.isValid(row) ? RowText.string(column, row) : "null"
          }.joined(separator: "|"))
      }
    }
    return rows
  }
}
