import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension Session {
  /// SET, RESET and SHOW.
  func runSetting(_ statement: SettingStatement) throws(SQLError) -> StatementResult {
    switch statement.action {
    case .set(let values):
      try change(statement) { (settings: inout SessionSettings) throws(SQLError) in
        try settings.set(statement.name, to: values.map(Self.text).joined(separator: ", "))
      }
      return StatementResult(commandTag: "SET")
    case .reset:
      try change(statement) { (settings: inout SessionSettings) throws(SQLError) in
        settings.reset(statement.name)
      }
      return StatementResult(commandTag: "RESET")
    case .resetAll:
      settings.resetAll()
      settingsAfterCommit?.resetAll()
      return StatementResult(commandTag: "RESET")
    case .transactionModes(let modes): return try setModes(modes)
    case .sessionModes(let modes):
      try change(statement) { (settings: inout SessionSettings) throws(SQLError) in
        if let isolation = modes.isolation {
          try settings.set("default_transaction_isolation", to: isolation.rawValue)
        }
        if let isReadOnly = modes.isReadOnly {
          try settings.set("default_transaction_read_only", to: isReadOnly ? "on" : "off")
        }
      }
      return StatementResult(commandTag: "SET")
    case .show:
      if let value = modeOfTransaction(statement.name) {
        return Self.table([(statement.name, [value])], tag: "SHOW")
      }
      guard let value = setting(statement.name) else {
        throw SQLError(
          .undefinedObject, "unrecognized configuration parameter \"\(statement.name)\"")
      }
      return Self.table([(statement.name, [value])], tag: "SHOW")
    case .showAll:
      let names = settings.names
      return Self.table(
        [("name", names), ("setting", names.map { setting($0) ?? "" })], tag: "SHOW")
    }
  }

  /// The value of a setting of the session or of the database; nil for one that does not exist.
  func setting(_ name: String) -> String? {
    guard name == "lc_collate", let collation = state.current.catalog.defaultCollation else {
      return settings[name]
    }
    return collation.name
  }

  /// Changes settings; with LOCAL for the rest of the transaction, and outside of one not at all.
  private func change(
    _ statement: SettingStatement,
    _ body: (inout SessionSettings) throws(SQLError) -> Void
  ) throws(SQLError) {
    guard statement.scope == .local else {
      try body(&settings)
      if var after = settingsAfterCommit {
        try body(&after)
        settingsAfterCommit = after
      }
      return
    }
    guard transaction != nil else {
      notices.append(
        Notice(
          "SET LOCAL can only be used in transaction blocks", severity: .warning,
          state: .noActiveTransaction))
      return
    }
    try body(&settings)
  }

  /// SET TRANSACTION.
  private func setModes(_ modes: TransactionModes) throws(SQLError) -> StatementResult {
    guard let transaction else {
      notices.append(
        Notice(
          "SET TRANSACTION can only be used in transaction blocks", severity: .warning,
          state: .noActiveTransaction))
      return StatementResult(commandTag: "SET")
    }
    try transaction.setModes(
      isolation: modes.isolation.map { IsolationLevel($0) }, isReadOnly: modes.isReadOnly)
    return StatementResult(commandTag: "SET")
  }

  /// What SHOW says of the open transaction.
  private func modeOfTransaction(_ name: String) -> String? {
    guard let transaction else { return nil }
    switch name {
    case "transaction_isolation":
      switch transaction.isolation {
      case .readCommitted: return "read committed"
      case .repeatableRead: return "repeatable read"
      case .serializable: return "serializable"
      }
    case "transaction_read_only": return transaction.isReadOnly ? "on" : "off"
    default: return nil
    }
  }

  private static func text(_ value: DefinitionOption.Value) -> String {
    switch value {
    case .word(let text), .string(let text), .decimal(let text): text
    case .integer(let number): String(number)
    case .boolean(let flag): flag ? "on" : "off"
    case .list(let items): items.joined(separator: ", ")
    case .all: "*"
    }
  }

  /// A result of texts.
  static func table(_ columns: [(name: String, values: [String])], tag: String) -> StatementResult {
    let vectors = columns.map { Vector(.text, $0.values.map(Value.string)) }
    let count = columns.first?.values.count ?? 0
    let chunk = DataChunk(vectors, count: count)
    return StatementResult(
      commandTag: tag,
      rows: ResultSet(
        columns: columns.map { ResultColumn(name: $0.name, columnType: ColumnType(.text)) },
        chunks: count > 0 ? [chunk] : []))
  }

  /// DISCARD.
  func runDiscard(_ what: String) -> StatementResult {
    switch what {
    case "ALL":
      settings.resetAll()
      prepared = [:]
      cursors = [:]
      sequences.reset()
      planCache.removeAll()
      sharedPlans.removeAll()
      fileTables = FileTables()
    case "PLANS":
      planCache.removeAll()
      sharedPlans.removeAll()
    case "SEQUENCES": sequences.reset()
    default: break
    }
    return StatementResult(commandTag: "DISCARD \(what)")
  }
}
