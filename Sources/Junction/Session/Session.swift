import Catalog
import Columnar
import Diagnostics
import Durability
import Execution
import Planning
import SQLSyntax
import Synchronization

/// What a connection remembers from statement to statement, and how it runs one.
///
/// Sendable by rule: one thread at a time uses a session; only `cancel()` may come from any other.
final class Session: @unchecked Sendable {
  let state: DatabaseState
  var settings = SessionSettings() { didSet { noteWays() } }
  /// Settings as they were when the open transaction began, for its rollback.
  var settingsAtBegin: SessionSettings?
  /// Settings as they will be when the open transaction commits: without those of SET LOCAL.
  var settingsAfterCommit: SessionSettings?
  /// The settings at each savepoint, for going back to it.
  var settingsAtSavepoints: [SavedSettings] = []
  /// The transaction that BEGIN opened.
  var transaction: OpenTransaction? { didSet { noteWays() } }
  /// The same, and the number of the settings, for a run that counts no references.
  private(set) var transactionAtHand = UncountedReference<OpenTransaction>(nil)
  private(set) var settingsVersion: UInt64 = 0
  /// Whether a statement of it failed, so that it can only be rolled back.
  var isFailed = false
  /// One more than the number of the settings if a look-up may go the short way, else 0.
  ///
  /// It may outside of a transaction, with no limit of memory of the session's own, and where values are written as
  /// they ever are. A look-up reads this one number in place of the
  /// properties that it follows from.
  let shortWaySettings = Atomic<UInt64>(0)
  /// When the open transaction began, in microseconds since 2000-01-01 UTC.
  var transactionTime: Int64 = 0
  private(set) var sequences = SessionSequences()
  var prepared: [String: PreparedPlan] = [:]
  var cursors: [String: OpenCursor] = [:]
  let planCache = PlanCache()
  let sharedPlans = SharedPlans()
  /// The catalog as a program last saw it.
  var lastView: CatalogView?
  /// The files that statements have read.
  lazy var fileTables = FileTables()
  /// Remarks made while the statement at hand ran.
  var notices: [Notice] = []
  /// The time spent on making plans.
  var planningTime = Duration.zero
  /// Whether BEGIN, COMMIT and ROLLBACK are statements of it; else whoever lends it opens and ends transactions.
  var endsTransactionsItself = true
  /// What ends its statements with a task, while one is waited for.
  var cancellation: StatementCancellation?
  /// Where it is noted what its queries read of stored tables; nil where nobody asks.
  var reads: ReadNotes?
  /// Told now and then how far a COPY FROM has come.
  var loadProgress: ((LoadProgress) -> Void)?
  /// The run that `cancel()` ends.
  private let running = Mutex<EvaluationContext?>(nil)

  init(_ state: DatabaseState) {
    self.state = state
    noteWays()
  }

  private func noteWays() {
    transactionAtHand = UncountedReference(transaction)
    settingsVersion = settings.version
    let isOpen = transaction == nil && settings.memoryLimit.isDefault && settings.ownStyle == nil
    shortWaySettings.store(isOpen ? settings.version + 1 : 0, ordering: .relaxed)
  }

  /// Goes on where another session stood, which has no transaction: with its settings, and what it has prepared.
  func takeOver(_ other: Session) {
    settings = other.settings
    sequences = other.sequences
    prepared = other.prepared
    cursors = other.cursors
  }

  /// Whether nothing of what it has run is left but plans.
  var isAsNew: Bool {
    transaction == nil && !isFailed && settings.version == 0 && prepared.isEmpty && cursors.isEmpty
  }

  /// Asks the statement that is running to end; from any thread.
  func cancel() { running.withLock { $0?.cancel() } }

  /// Runs one parsed statement; the plan of a query or change of data goes to `keep`.
  ///
  /// - Throws: its error, located in the text it was parsed from; nothing of the statement stays.
  func run(
    _ parsed: ParsedStatement, parameters: [SQLValue] = [],
    keep: (PreparedPlan) -> Void = { _ in }
  ) throws(SQLError) -> StatementResult {
    notices = []
    if isFailed, !Self.endsFailedTransaction(parsed.statement) {
      throw SQLError(
        .failedTransaction,
        "current transaction is aborted, commands ignored until end of transaction block")
    }
    do throws(SQLError) {
      let result = try DeepStack.run(if: parsed.height > Self.shallowHeight) {
        () throws(SQLError) in
        try route(parsed, parameters, keep)
      }
      try state.damage?.check()
      try keepSequenceValues()
      return notices.isEmpty
        ? result : StatementResult(result, notices: notices + result.notices)
    } catch {
      noteFailure()
      keepSequenceValuesOfFailure()
      throw error
    }
  }

  private func route(
    _ parsed: ParsedStatement, _ parameters: [SQLValue], _ keep: (PreparedPlan) -> Void
  ) throws(SQLError) -> StatementResult {
    switch parsed.statement {
    case .select, .insert, .update, .delete, .merge:
      return try runPlanned(parsed.statement, parameters: parameters, keep: keep)
    case .transaction(let statement, _): return try runTransaction(statement)
    case .setting(let statement): return try runSetting(statement)
    case .setConstraints(let statement): return try runSetConstraints(statement)
    case .explain(let statement): return try runExplain(statement, parameters: parameters)
    case .prepare(let statement): return try runPrepare(statement)
    case .execute(let statement): return try runExecute(statement)
    case .deallocate(let name, _): return try runDeallocate(name)
    case .copy(let statement): return try runCopy(statement)
    case .maintenance(let statement): return try runMaintenance(statement)
    case .checkpoint:
      if transaction?.holdsWriterLock == true {
        throw SQLError(
          .activeTransaction, "CHECKPOINT cannot run in a transaction that has changed something",
          hint: "Commit the transaction first.")
      }
      let evaluation = makeEvaluation()
      try cancellable(evaluation) { () throws(SQLError) in
        try state.log?.checkpoint(
          state, timeoutMilliseconds: settings.lockTimeout, context: evaluation)
      }
      return StatementResult(commandTag: "CHECKPOINT")
    case .backup(let file, _): return try runBackup(to: file)
    case .export(let file, _): return try runExport(to: file)
    case .verify: return try runVerify()
    case .describe(let statement): return try runDescribe(statement)
    case .discard(let what, _): return runDiscard(what)
    case .privileges(let statement):
      return StatementResult(commandTag: statement.isGrant ? "GRANT" : "REVOKE")
    case .lock(let statement): return try runLock(statement)
    case .listen: return StatementResult(commandTag: "LISTEN")
    case .notify: return StatementResult(commandTag: "NOTIFY")
    case .unlisten: return StatementResult(commandTag: "UNLISTEN")
    case .doBlock(let statement): throw .unsupported("DO", at: statement.range)
    case .call(_, let range): throw .unsupported("CALL", at: range)
    case .declareCursor(let statement): return try runDeclare(statement)
    case .fetch(let statement): return try runFetch(statement)
    case .closeCursor(let name, _): return try runClose(name)
    case .unsupported(let statement):
      throw .unsupported(statement.what, at: statement.range)
    case .truncate, .createTable, .createIndex, .createView, .createMaterializedView, .refresh,
      .createSequence, .createSchema, .createType, .createDomain, .createFunction,
      .createPropertyGraph, .alterPropertyGraph, .alterTable, .alterSequence, .alterType,
      .alterDomain, .alterObject, .drop, .comment:
      guard DefinitionExecutor.handles(parsed.statement) else {
        throw .unsupported("this statement", at: parsed.range)
      }
      return try runDefinition(parsed.statement)
    }
  }

  /// Makes values of sequences that a query took as lasting as a commit.
  func keepSequenceValues() throws(SQLError) {
    guard sequences.hasMoved, transaction == nil else { return }
    try state.commitSequences(sequences.takeMoved())
  }

  /// Keeps the values that a statement has taken from sequences before it failed: they are not given again.
  ///
  /// If that fails, the statement's error is told all the same: the next change finds what is wrong with the disk.
  func keepSequenceValuesOfFailure() { try? keepSequenceValues() }

  /// Notes that a statement of the open transaction failed.
  func noteFailure() { if transaction != nil { isFailed = true } }

  private static func endsFailedTransaction(_ statement: Statement) -> Bool {
    guard case .transaction(let transaction, _) = statement else { return false }
    switch transaction {
    case .commit, .rollback, .rollbackTo: return true
    case .begin, .savepoint, .release, .twoPhase: return false
    }
  }

  // What every run needs.

  /// The time of day, in microseconds since 2000-01-01 UTC.
  var time: Int64 { state.surroundings.time ?? Clock.microseconds() }

  /// The context of a statement that starts now.
  func makeEvaluation() -> EvaluationContext {
    let now = time
    return EvaluationContext(
      transactionTime: transaction == nil ? now : transactionTime, statementTime: now,
      style: settings.ownStyle ?? ValueStyle(), surroundings: state.surroundings,
      memory: MemoryBudget(settings.memoryLimit),
      timeout: settings.statementTimeout)
  }

  /// Runs `body` so that `cancel()` reaches it, and so that it ends when its time is over or memory runs out.
  func cancellable<Result>(
    _ evaluation: EvaluationContext, _ body: () throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    let outer = running.withLock { running in
      defer { running = evaluation }
      return running
    }
    defer { running.withLock { $0 = outer } }
    // Its task may have been cancelled before there was anything to be ended.
    if cancellation?.isCancelled ?? false { evaluation.cancel() }
    return try StatementWatch.shared.watching(evaluation, body)
  }

  /// Runs `body` while no other thread uses the session.
  ///
  /// - Throws: 55006 if another thread does; and what `body` throws.
  @inline(__always)
  func exclusively<Result>(_ body: () throws(SQLError) -> Result) throws(SQLError) -> Result {
    if isInUse.exchange(true, ordering: .acquiring) { throw Self.inUse }
    defer { isInUse.store(false, ordering: .releasing) }
    return try body()
  }

  private let isInUse = Atomic<Bool>(false)

  private static var inUse: SQLError {
    SQLError(
      .objectInUse, "the connection is in use: it runs one statement at a time",
      hint: "Give each thread a connection of its own.")
  }

  /// Runs `body` as one statement of the open transaction, or of one of its own that is committed behind it.
  func inTransaction<Result>(
    writes: Bool, command: String, _ evaluation: EvaluationContext,
    _ body: (OpenTransaction, DatabaseVersion) throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    if let transaction {
      return try transaction.statement(
        writes: writes, command: command, context: evaluation
      ) { (version) throws(SQLError) in try body(transaction, version) }
    }
    let own = OpenTransaction(state, isReadOnly: settings.isReadOnly)
    own.lockTimeout = settings.lockTimeout
    do throws(SQLError) {
      let result = try own.statement(
        writes: writes, command: command, context: evaluation
      ) { (version) throws(SQLError) in try body(own, version) }
      try own.commit()
      return result
    } catch {
      own.rollBack()
      throw error
    }
  }

  /// What the binder has to know of the session.
  func binderSettings(
    _ evaluation: EvaluationContext, files: FileTableProvider? = nil
  ) -> BinderSettings {
    let searchPath = settings.searchPath
    return BinderSettings(
      searchPath: searchPath, evaluation: evaluation, userName: "junction",
      databaseName: SystemCatalog.database,
      virtualRelations: { catalog, schema, name in
        SystemRelation.relation(in: catalog, schema: schema, name, searchPath: searchPath)
      }, files: files)
  }
}
