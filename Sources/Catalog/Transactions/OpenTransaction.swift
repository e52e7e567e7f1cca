package import Columnar
package import Diagnostics
import Durability
package import Storage

/// How much of other transactions' work a transaction sees.
package enum IsolationLevel: Sendable, Hashable {
  /// Each statement sees what was committed when it began.
  case readCommitted
  /// All statements see what was committed when the first began.
  case repeatableRead, serializable
}

/// Something to be checked later: at the end of the statement, or of the transaction.
package protocol PendingCheck: AnyObject {
  /// Checks against the rows as they are now.
  ///
  /// - Throws: the violation.
  func run(in transaction: OpenTransaction) throws(SQLError)
}

/// A unit of work: statements, of which each is whole or leaves nothing, all published at once or never.
///
/// It reads a version and, from its first writing statement on, holds the writer lock and works on table
/// versions of its own. A statement changes tables through writers that are thrown away if it fails, so
/// taking back a statement, a savepoint or the whole costs nothing.
///
/// Sendable by rule: one thread at a time uses a transaction.
package final class OpenTransaction: @unchecked Sendable {
  /// A point that can be gone back to.
  private struct Savepoint {
    var name: String
    var content: Content
  }

  /// What a statement that was taken back has made.
  ///
  /// Sendable by rule: nobody looks at it any more; it is let go of.
  private final class AbandonedChanges: Sendable {
    private nonisolated(unsafe) let writers: [ObjectID: TableWriter]
    private nonisolated(unsafe) let content: Content

    init(writers: [ObjectID: TableWriter], content: Content) {
      unsafe self.writers = writers
      unsafe self.content = content
    }
  }

  /// What the transaction has made so far.
  struct Content {
    var catalog: CatalogSnapshot
    var tables: [ObjectID: TableStore]
    var deferredChecks: [any PendingCheck]
    var isChanged: Bool
  }

  package let state: DatabaseState
  package private(set) var isolation: IsolationLevel
  package private(set) var isReadOnly: Bool
  /// Whether a statement has run, after which the isolation is settled.
  private var hasRun = false
  /// How long to wait for another writer, in milliseconds; nil is for ever.
  package var lockTimeout: Int?
  /// The last version that was made for reading.
  var shown: DatabaseVersion
  /// Whether single rows were changed since.
  var isBehind = false
  /// The tables that nothing but `content` leads to, and perhaps `shown`.
  var ownTables: [ObjectID] = []
  /// The writer that changed the last single row, whose table is one of `ownTables`; good as long as nothing else
  /// has been done since.
  var rowWriter: RowWriter? { didSet { writerAtHand = UncountedReference(rowWriter) } }
  /// The same, for a change that counts no references.
  private(set) var writerAtHand = UncountedReference<RowWriter>(nil)
  var rowWriterTable: ObjectID?
  var content: Content
  private var savepoints: [Savepoint] = []
  /// What the running statement goes back to if it fails.
  var statementStart: Content?
  var writers: [ObjectID: TableWriter] = [:]
  var statementChecks: [any PendingCheck] = []
  /// Where sequences stood that this transaction has restarted.
  private var restartedSequences: [ObjectID: SequencePosition] = [:]
  /// What SET CONSTRAINTS has said, by constraint; nil is all.
  var deferralOverrides: [ConstraintReference: Bool] = [:]
  var overrideOfAll: Bool?
  package private(set) var holdsWriterLock = false
  package private(set) var isFinished = false

  package init(
    _ state: DatabaseState, isolation: IsolationLevel = .readCommitted, isReadOnly: Bool = false,
    reading version: DatabaseVersion? = nil
  ) {
    self.state = state
    self.isolation = isolation
    self.isReadOnly = isReadOnly
    let version = version ?? state.current
    shown = version
    content = Content(
      catalog: version.catalog, tables: version.tables, deferredChecks: [], isChanged: false)
  }

  deinit {
    if holdsWriterLock { state.writerLock.release() }
  }

  /// What the statements of the transaction read.
  package var version: DatabaseVersion {
    if isBehind { showChanges() }
    return shown
  }

  /// Whether something would be published by a commit.
  package var isChanged: Bool { content.isChanged }

  /// SET TRANSACTION.
  ///
  /// - Throws: 25001 for what must be said before the first statement.
  package func setModes(
    isolation wanted: IsolationLevel?, isReadOnly readsOnly: Bool?
  ) throws(SQLError) {
    if let wanted, wanted != isolation {
      if hasRun {
        throw SQLError(
          .activeTransaction, "SET TRANSACTION ISOLATION LEVEL must be called before any query")
      }
      isolation = wanted
    }
    if let readsOnly, readsOnly != isReadOnly {
      if hasRun && !readsOnly {
        throw SQLError(
          .activeTransaction, "transaction read-write mode must be set before any query")
      }
      isReadOnly = readsOnly
    }
  }

  // MARK: Statements

  /// Begins a statement, and gives the version that it reads.
  ///
  /// A writing statement takes the writer lock and then reads the newest version, unless the transaction keeps
  /// its first one.
  /// - Throws: 25006 in a read-only transaction, 40001 where the kept version is no longer the
  ///   newest, 55P03 and 57014 while waiting.
  @discardableResult
  package func beginStatement(
    writes: Bool, command: String = "this statement", context: EvaluationContext? = nil
  ) throws(SQLError) -> DatabaseVersion {
    precondition(!isFinished, "a finished transaction runs nothing")
    hasRun = true
    if writes {
      if isReadOnly {
        throw SQLError(
          .readOnlyTransaction, "cannot execute \(command) in a read-only transaction")
      }
      try takeWriterLock(context)
    } else if !holdsWriterLock, isolation == .readCommitted {
      refresh()
    }
    if writes {
      statementStart = content
      shareTables()
    }
    statementChecks = []
    return version
  }

  /// Takes the writer lock before any statement asks for it, so that all of them see the newest version.
  ///
  /// - Throws: 55P03 and 57014 while waiting, 25001 where the caller's own thread holds it.
  package func beginWriting(_ context: EvaluationContext?) throws(SQLError) {
    hasRun = true
    try takeWriterLock(context)
  }

  /// The same where the caller has taken the lock, which is the transaction's from now on.
  package func adoptWriterLock() {
    hasRun = true
    state.endSeason()
    holdsWriterLock = true
    refresh()
  }

  /// What the statements of the transaction read, for somebody who keeps it while they go on.
  package func share() -> DatabaseVersion {
    let version = version
    shareTables()
    return version
  }

  private func takeWriterLock(_ context: EvaluationContext?) throws(SQLError) {
    if holdsWriterLock { return }
    try state.writerLock.acquire(timeoutMilliseconds: lockTimeout, context: context)
    state.endSeason()
    if isolation == .readCommitted {
      holdsWriterLock = true
      refresh()
    } else if state.newest.number != version.number {
      state.writerLock.release()
      throw SQLError(
        .serializationFailure, "could not serialize access due to concurrent update")
    }
    holdsWriterLock = true
  }

  private func refresh() {
    let newest = holdsWriterLock ? state.newest : state.current
    guard newest !== shown else { return }
    shown = newest
    content.catalog = newest.catalog
    content.tables = newest.tables
    // Nothing has been written yet, so that there is nothing else to go back to: to keep what was there at the
    // savepoint would take back what others have committed since.
    for index in savepoints.indices {
      savepoints[index].content.catalog = newest.catalog
      savepoints[index].content.tables = newest.tables
    }
  }

  /// Ends a statement that succeeded: later statements see what it did.
  ///
  /// - Throws: what the checks at the end of the statement find; the caller then takes it back.
  package func endStatement() throws(SQLError) {
    while !statementChecks.isEmpty {
      let checks = statementChecks
      statementChecks = []
      for check in checks { try check.run(in: self) }
    }
    guard statementStart != nil else { return }
    flushWriters()
    statementStart = nil
    guard content.isChanged else { return }
    showChanges()
  }

  /// Lets readers of this transaction see what has been written.
  private func showChanges() {
    shown = DatabaseVersion(
      number: shown.number, catalog: content.catalog, tables: content.tables)
    isBehind = false
  }

  /// Notes that something else may lead to the tables of `content` from now on, or that they are others.
  func shareTables() {
    ownTables = []
    rowWriter = nil
  }

  /// Turns what writers have done into table versions.
  private func flushWriters() {
    for (id, writer) in writers { content.tables[id] = writer.freeze() }
    writers = [:]
  }

  /// Takes a statement back that failed.
  package func abandonStatement() {
    // Who cancelled a statement waits for the caller's thread, and freeing the pages of millions of rows takes tens of
    // milliseconds.
    if RunningStatement.isInterrupted {
      StatementWatch.shared.discard(
        AbandonedChanges(writers: writers, content: content))
    }
    writers = [:]
    statementChecks = []
    if let start = statementStart {
      content = start
      statementStart = nil
    }
  }

  /// Runs `body` as one statement.
  ///
  /// - Throws: what it throws, after taking back all that it did.
  package func statement<Result>(
    writes: Bool, command: String = "this statement", context: EvaluationContext? = nil,
    _ body: (DatabaseVersion) throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    let version = try beginStatement(writes: writes, command: command, context: context)
    do throws(SQLError) {
      let result = try body(version)
      try endStatement()
      return result
    } catch {
      abandonStatement()
      throw error
    }
  }

  // MARK: What a statement changes

  /// The catalog as the running statement sees and changes it.
  package var catalog: CatalogSnapshot {
    get { content.catalog }
    set {
      content.catalog = newValue
      content.isChanged = true
    }
    _modify {
      content.isChanged = true
      yield &content.catalog
    }
  }

  /// An identity for a new object.
  package func makeID() -> ObjectID {
    content.isChanged = true
    return content.catalog.makeID()
  }

  /// The writer of a table in the running statement.
  ///
  /// - Throws: XX000 if there is no such table.
  package func writer(of id: ObjectID) throws(SQLError) -> TableWriter {
    if let writer = writers[id] { return writer }
    guard let table = content.tables[id] else {
      throw .internal("a table without rows of its own")
    }
    precondition(statementStart != nil, "only a writing statement has writers")
    let writer = TableWriter(table)
    writers[id] = writer
    content.isChanged = true
    return writer
  }

  /// The rows of a table with all that the running statement has done to them.
  package func currentTable(_ id: ObjectID) -> TableStore? {
    if let writer = writers.removeValue(forKey: id) { content.tables[id] = writer.freeze() }
    return content.tables[id]
  }

  /// The rows of a table as they are now, for looking at them before anything else is written.
  ///
  /// - Throws: XX000 if there is no such table.
  package func readableTable(_ id: ObjectID) throws(SQLError) -> TableStore {
    if let writer = writers[id] { return writer.current }
    guard let table = content.tables[id] else {
      throw .internal("a table without rows of its own")
    }
    return table
  }

  /// Writes to a table at the end of a statement or while the transaction is being committed.
  package func writeDeferred(
    _ id: ObjectID, _ body: (TableWriter) throws(SQLError) -> Void
  ) throws(SQLError) {
    if statementStart != nil {
      try body(try writer(of: id))
      return
    }
    guard let table = content.tables[id] else { return }
    let writer = TableWriter(table)
    try body(writer)
    content.tables[id] = writer.freeze()
  }

  /// Puts other rows in the place of a table's, or takes the table away.
  package func setTable(_ id: ObjectID, _ table: TableStore?) {
    writers[id] = nil
    content.tables[id] = table
    content.isChanged = true
  }

  /// Sets a sequence; undone if the transaction is rolled back.
  package func setSequence(_ id: ObjectID, _ position: SequencePosition) {
    if restartedSequences[id] == nil, let sequence = content.catalog.sequences[id] {
      restartedSequences[id] = state.sequences.position(of: sequence)
    }
    state.sequences.restore(id, position)
  }

  // MARK: Savepoints

  /// SAVEPOINT: a name may hide an older one.
  package func addSavepoint(_ name: String) {
    savepoints.append(Savepoint(name: name, content: content))
    shareTables()
  }

  /// RELEASE SAVEPOINT: forgets it and all after it, and keeps what was done.
  ///
  /// - Throws: 3B001 if there is none of this name.
  package func releaseSavepoint(_ name: String) throws(SQLError) {
    savepoints.removeSubrange(try savepoint(name)...)
  }

  /// ROLLBACK TO SAVEPOINT: takes back what was done since, and keeps the savepoint.
  ///
  /// - Throws: 3B001 if there is none of this name.
  package func rollBack(toSavepoint name: String) throws(SQLError) {
    let index = try savepoint(name)
    abandonStatement()
    savepoints.removeSubrange((index + 1)...)
    content = savepoints[index].content
    shareTables()
    if holdsWriterLock {
      showChanges()
    } else {
      // Nothing had been written, so there is nothing to go back to but what is read now.
      content.catalog = version.catalog
      content.tables = version.tables
    }
  }

  private func savepoint(_ name: String) throws(SQLError) -> Int {
    guard let index = savepoints.lastIndex(where: { $0.name == name }) else {
      throw SQLError(.invalidSavepoint, "savepoint \"\(name)\" does not exist")
    }
    return index
  }

  // MARK: The end

  /// Publishes everything, or on error takes everything back.
  ///
  /// With a log, others may write as soon as the commit is in it, and it is published once it is durable: many
  /// commits share one sync, and nobody reads what may yet be lost.
  ///
  /// - Throws: what deferred checks find, and what the log says.
  package func commit() throws(SQLError) {
    precondition(!isFinished, "a transaction ends once")
    guard holdsWriterLock, content.isChanged else {
      finish()
      return
    }
    let log = state.log
    let new: DatabaseVersion
    let news: CommitNews
    var ticket: UInt64 = 0
    do throws(SQLError) {
      try runDeferredChecks()
      if !content.catalog.countingTables.isEmpty { try checkCardinalities() }
      try state.damage?.check()
      let old = state.newest
      new = DatabaseVersion(
        number: old.number + 1, catalog: content.catalog, tables: content.tables)
      if let log {
        ticket = try log.append(from: old, to: new)
        state.stage(new)
      }
      let observer = state.observer
      news = CommitNews(
        notice: observer?.note(from: old, to: new), isNoted: observer != nil, number: new.number)
    } catch {
      rollBack()
      throw error
    }
    if log == nil { state.publish(new) }
    finish()
    if let log { try state.waitAndPublish(new, log, ticket, news) } else { state.announce(news) }
  }

  /// Takes everything back.
  package func rollBack() {
    if isFinished { return }
    abandonStatement()
    for (id, position) in restartedSequences { state.sequences.restore(id, position) }
    finish()
  }

  private func finish() {
    isFinished = true
    savepoints = []
    writers = [:]
    shareTables()
    if holdsWriterLock {
      holdsWriterLock = false
      state.writerLock.release()
    }
  }
}
