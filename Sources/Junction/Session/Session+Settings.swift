import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension Session {
  /// SET, RESET and SHOW.
  func runSetting(_ statement: SettingStatement) throws(SQLError) -> StatementResult {
    switch statement.action {
    case .set(let values):
      try settings.set(statement.name, to: values.map(Self.text).joined(separator: ", "))
      keepUnlessLocal(statement)
      return StatementResult(commandTag: "SET")
    case .reset:
      settings.reset(statement.name)
      keepUnlessLocal(statement)
      return StatementResult(commandTag: "RESET")
    case .resetAll:
      settings.resetAll()
      return StatementResult(commandTag: "RESET")
    case .transactionModes, .sessionModes: return StatementResult(commandTag: "SET")
    case .show:
      guard let value = settings[statement.name] else {
        throw SQLError(
          .undefinedObject, "unrecognized configuration parameter \"\(statement.name)\"")
      }
      return Self.table([(statement.name, [value])], tag: "SHOW")
    case .showAll:
      let names = settings.names
      return Self.table(
        [("name", names), ("setting", names.map { settings[$0] ?? "" })], tag: "SHOW")
    }
  }

  /// What SET of a session has changed outlives a rollback only if it was made outside the transaction.
  private func keepUnlessLocal(_ statement: SettingStatement) {
    if transaction == nil { settingsAtBegin = nil }
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
      sequences.reset()
      planCache.removeAll()
    case "PLANS": planCache.removeAll()
    case "SEQUENCES": sequences.reset()
    default: break
    }
    return StatementResult(commandTag: "DISCARD \(what)")
  }
}
