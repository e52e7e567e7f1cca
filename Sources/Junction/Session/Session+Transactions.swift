import Catalog
import Diagnostics
import SQLSyntax

extension Session {
  /// BEGIN, COMMIT, ROLLBACK and savepoints.
  func runTransaction(_ statement: TransactionStatement) throws(SQLError) -> StatementResult {
    guard endsTransactionsItself else {
      throw SQLError(
        .invalidTransactionTermination,
        "transactions are not begun and ended by statements here",
        hint: "Use write { } for a transaction, and savepoint { } for a part of one.")
    }
    switch statement {
    case .begin(let modes): return begin(modes)
    case .commit(let chain): return try commit(chain: chain)
    case .rollback(let chain):
      if transaction == nil { warnNoTransaction() }
      endTransaction(rollingBack: true, chain: chain)
      return StatementResult(commandTag: "ROLLBACK")
    case .savepoint(let name):
      try requireTransaction("SAVEPOINT").addSavepoint(name.name)
      settingsAtSavepoints.append(
        SavedSettings(name: name.name, now: settings, afterCommit: settingsAfterCommit))
      return StatementResult(commandTag: "SAVEPOINT")
    case .release(let name):
      try requireTransaction("RELEASE SAVEPOINT").releaseSavepoint(name.name)
      return StatementResult(commandTag: "RELEASE")
    case .rollbackTo(let name):
      try requireTransaction("ROLLBACK TO SAVEPOINT").rollBack(toSavepoint: name.name)
      if let place = settingsAtSavepoints.lastIndex(where: { $0.name == name.name }) {
        settings = settingsAtSavepoints[place].now
        settingsAfterCommit = settingsAtSavepoints[place].afterCommit
        settingsAtSavepoints.removeSubrange((place + 1)...)
      }
      isFailed = false
      return StatementResult(commandTag: "ROLLBACK")
    case .twoPhase(let what): throw .unsupported(what)
    }
  }

  private func begin(_ modes: TransactionModes) -> StatementResult {
    if transaction != nil {
      notices.append(
        Notice(
          "there is already a transaction in progress", severity: .warning,
          state: .activeTransaction))
      return StatementResult(commandTag: "BEGIN")
    }
    let isolation =
      modes.isolation.map { IsolationLevel($0) }
      ?? IsolationLevel(setting: settings["default_transaction_isolation"] ?? "")
    let isReadOnly =
      modes.isReadOnly ?? settings.isReadOnly
    let opened = OpenTransaction(state, isolation: isolation, isReadOnly: isReadOnly)
    open(opened)
    return StatementResult(commandTag: "BEGIN")
  }

  /// Begins to run statements in a transaction.
  func open(_ opened: OpenTransaction) {
    opened.lockTimeout = settings.lockTimeout
    transaction = opened
    transactionTime = time
    settingsAtBegin = settings
    settingsAfterCommit = settings
  }

  @discardableResult
  func commit(chain: Bool = false) throws(SQLError) -> StatementResult {
    guard let current = transaction else {
      warnNoTransaction()
      return StatementResult(commandTag: "COMMIT")
    }
    if isFailed {
      endTransaction(rollingBack: true, chain: chain)
      return StatementResult(commandTag: "ROLLBACK")
    }
    do throws(SQLError) {
      try current.commit()
    } catch {
      endTransaction(rollingBack: true, chain: false)
      throw error
    }
    endTransaction(rollingBack: false, chain: chain)
    return StatementResult(commandTag: "COMMIT")
  }

  /// Leaves the transaction, opening another with the same modes after AND CHAIN.
  func endTransaction(rollingBack: Bool, chain: Bool = false) {
    let ended = transaction
    if rollingBack {
      ended?.rollBack()
      if let settingsAtBegin { settings = settingsAtBegin }
    } else if let settingsAfterCommit {
      settings = settingsAfterCommit
    }
    transaction = nil
    isFailed = false
    closeCursors()
    settingsAtBegin = nil
    settingsAfterCommit = nil
    settingsAtSavepoints = []
    if chain, let ended {
      open(OpenTransaction(state, isolation: ended.isolation, isReadOnly: ended.isReadOnly))
    }
  }

  private func warnNoTransaction() {
    notices.append(
      Notice(
        "there is no transaction in progress", severity: .warning, state: .noActiveTransaction))
  }

  private func requireTransaction(_ command: String) throws(SQLError) -> OpenTransaction {
    guard let transaction else {
      throw SQLError(.noActiveTransaction, "\(command) can only be used in transaction blocks")
    }
    return transaction
  }

  /// SET CONSTRAINTS.
  func runSetConstraints(_ statement: SetConstraintsStatement) throws(SQLError) -> StatementResult {
    guard let transaction else {
      notices.append(
        Notice(
          "SET CONSTRAINTS can only be used in transaction blocks", severity: .warning,
          state: .noActiveTransaction))
      return StatementResult(commandTag: "SET CONSTRAINTS")
    }
    var references: [ConstraintReference]?
    if !statement.names.isEmpty {
      var found: [ConstraintReference] = []
      for name in statement.names {
        found += try constraints(named: name, isDeferred: statement.isDeferred, in: transaction)
      }
      references = found
    }
    try transaction.setConstraints(references, deferred: statement.isDeferred)
    return StatementResult(commandTag: "SET CONSTRAINTS")
  }

  private func constraints(
    named name: QualifiedName, isDeferred: Bool, in transaction: OpenTransaction
  ) throws(SQLError) -> [ConstraintReference] {
    var found: [ConstraintReference] = []
    for table in transaction.catalog.tables.values {
      if table.cardinalities.contains(where: { $0.name == name.name }) {
        if !isDeferred {
          throw SQLError(
            .wrongObjectType, "constraint \"\(name.name)\" cannot be made immediate",
            at: name.range,
            hint: "Rows that refer to a row are counted when the transaction commits.")
        }
        found.append(ConstraintReference(table: table.id, name: name.name))
        continue
      }
      let deferrals =
        table.keys.filter { $0.name == name.name }.map(\.deferral)
        + table.foreignKeys.filter { $0.name == name.name }.map(\.deferral)
      guard let deferral = deferrals.first else { continue }
      guard deferral.isDeferrable else {
        throw SQLError(
          .wrongObjectType, "constraint \"\(name.name)\" is not deferrable", at: name.range)
      }
      found.append(ConstraintReference(table: table.id, name: name.name))
    }
    if found.isEmpty {
      throw SQLError(
        .undefinedObject, "constraint \"\(name.name)\" does not exist", at: name.range)
    }
    return found
  }
}

/// Settings as they were at a savepoint.
struct SavedSettings {
  let name: String
  let now: SessionSettings
  let afterCommit: SessionSettings?
}

extension IsolationLevel {
  init(_ mode: TransactionModes.Isolation) {
    self =
      switch mode {
      case .repeatableRead: .repeatableRead
      case .serializable: .serializable
      case .readCommitted, .readUncommitted: .readCommitted
      }
  }

  init(setting: String) {
    self =
      switch setting.lowercased() {
      case "repeatable read": .repeatableRead
      case "serializable": .serializable
      default: .readCommitted
      }
  }
}
