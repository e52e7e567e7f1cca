import Catalog
import Columnar
import Diagnostics
import Execution
import Planning
import SQLSyntax

/// Functions of SQL that read or change the session: sequences, settings, descriptions.
final class SessionFunctionTable: SessionAccess {
  private let session: Session
  /// What the statement is part of; nil for a query by itself.
  private let transaction: OpenTransaction?
  /// What is read, unless it is the transaction's own work.
  private let version: DatabaseVersion?

  init(_ session: Session, _ transaction: OpenTransaction) {
    self.session = session
    self.transaction = transaction
    version = nil
  }

  /// For a statement that reads `version`.
  init(_ session: Session, _ transaction: OpenTransaction?, reading version: DatabaseVersion) {
    self.session = session
    self.transaction = transaction
    self.version = version
  }

  private var catalog: CatalogSnapshot {
    version?.catalog ?? transaction?.catalog ?? session.state.current.catalog
  }

  func call(
    _ function: SessionFunction, _ arguments: [Value], _ context: ExecutionContext
  ) throws(SQLError) -> Value {
    switch function {
    case .nextval, .currval, .lastval, .setval:
      let reading =
        transaction ?? OpenTransaction(session.state, isReadOnly: session.settings.isReadOnly)
      return try SequenceFunctions(
        reading, session: session.sequences, searchPath: session.settings.searchPath
      ).call(function, arguments) ?? .null
    case .currentSetting: return try currentSetting(arguments)
    case .setConfig:
      guard let name = Self.text(arguments, 0) else { return .null }
      let value = Self.text(arguments, 1) ?? ""
      var isLocal = false
      if arguments.count > 2, case .boolean(true) = arguments[2] { isLocal = true }
      // Outside of a transaction block the statement is all of one.
      if isLocal && session.transaction == nil { return .string(value) }
      try session.settings.set(name.lowercased(), to: value)
      if !isLocal, var after = session.settingsAfterCommit {
        try after.set(name.lowercased(), to: value)
        session.settingsAfterCommit = after
      }
      return .string(value)
    case .serialSequence: return try serialSequence(arguments)
    case .relationName:
      guard let name = Self.text(arguments, 0) else { return .null }
      return .string(
        try catalog.relationName(spelled: name, searchPath: session.settings.searchPath))
    case .viewDefinition:
      guard let name = Self.text(arguments, 0),
        case .view(let view)? = relation(name)
      else { return .null }
      return .string(" " + SQLPrinter.text(of: view.query) + ";")
    case .transactionID: return .int64(1)
    case .sleep: return try sleep(arguments, context)
    }
  }

  private static func text(_ arguments: [Value], _ index: Int) -> String? {
    guard index < arguments.count, case .text(let bytes) = arguments[index] else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func relation(_ name: String) -> CatalogSnapshot.Relation? {
    catalog.relation(spelled: name, searchPath: session.settings.searchPath)
  }

  private func currentSetting(_ arguments: [Value]) throws(SQLError) -> Value {
    guard let name = Self.text(arguments, 0) else { return .null }
    if let value = session.setting(name.lowercased()) { return .string(value) }
    if arguments.count > 1, case .boolean(true) = arguments[1] { return .null }
    throw SQLError(
      .undefinedObject, "unrecognized configuration parameter \"\(name)\"")
  }

  private func serialSequence(_ arguments: [Value]) throws(SQLError) -> Value {
    guard let table = Self.text(arguments, 0), let column = Self.text(arguments, 1) else {
      return .null
    }
    guard case .table(let definition)? = relation(table) else {
      throw SQLError(.undefinedTable, "relation \"\(table)\" does not exist")
    }
    guard let index = definition.column(named: column) else {
      throw SQLError(
        .undefinedColumn,
        "column \"\(column)\" of relation \"\(definition.name.name)\" does not exist")
    }
    let owned = catalog.sequences.values.first {
      $0.owner?.table == definition.id && $0.owner?.column == index
    }
    guard let owned else { return .null }
    return .string("\(owned.name.schema).\(SQLPrinter.quoted(owned.name.name))")
  }

  /// Waits in short steps, so that a cancellation is seen.
  private func sleep(_ arguments: [Value], _ context: ExecutionContext) throws(SQLError) -> Value {
    guard case .double(let seconds)? = arguments.first else { return .null }
    if seconds.isNaN { return .text([]) }
    let end = ContinuousClock.now + .milliseconds(Int64(min(max(seconds, 0), 1e9) * 1000))
    while ContinuousClock.now < end {
      try context.check()
      Clock.pause(milliseconds: 10)
    }
    return .text([])
  }
}
