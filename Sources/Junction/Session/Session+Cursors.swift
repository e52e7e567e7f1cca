import Columnar
import Diagnostics
import SQLSyntax

/// A cursor: the rows of a query as they were when it was declared, and a place among them.
final class Cursor: Sendable {
  let columns: [ResultColumn]
  let rows: DataChunk
  /// What keeps the texts of the rows alive.
  private let source: ResultSet
  /// Whether it outlives the transaction.
  let isHold: Bool
  /// Whether it can only go forward.
  let isForwardOnly: Bool

  init(_ source: ResultSet, _ statement: DeclareCursorStatement) throws(SQLError) {
    self.source = source
    columns = source.columns
    rows = try DataChunk.concatenate(source.chunks, types: source.columns.map(\.type))
    isHold = statement.isHold
    isForwardOnly = statement.isScroll == false
  }
}

/// A cursor that is open, and where it stands: 0 is before the first row, one past the last is behind it.
struct OpenCursor {
  let cursor: Cursor
  var position = 0

  private var count: Int { cursor.rows.count }
  private var isOnRow: Bool { position >= 1 && position <= count }

  /// Moves, and gives the rows that are passed in the order in which they are.
  ///
  /// - Throws: 55000 for a step back where that was ruled out.
  mutating func move(_ direction: FetchStatement.Direction) throws(SQLError) -> [Int] {
    switch direction {
    case .forward(let wanted):
      guard let wanted else { return forward(.max) }
      if wanted < 0 { return try backward(wanted == .min ? .max : Int(-wanted)) }
      return wanted == 0 ? current : forward(Int(wanted))
    case .backward(let wanted):
      guard let wanted else { return try backward(.max) }
      if wanted < 0 { return forward(wanted == .min ? .max : Int(-wanted)) }
      return wanted == 0 ? current : try backward(Int(wanted))
    case .absolute(let wanted):
      return try go(to: wanted >= 0 ? Int(clamping: wanted) : count + 1 + Int(clamping: wanted))
    case .relative(let wanted):
      if wanted == 0 { return current }
      let (target, isTooFar) = position.addingReportingOverflow(Int(clamping: wanted))
      return try go(to: isTooFar ? (wanted > 0 ? .max : 0) : target)
    }
  }

  private var current: [Int] { isOnRow ? [position - 1] : [] }

  private mutating func forward(_ wanted: Int) -> [Int] {
    let first = min(position + 1, count + 1)
    let left = count + 1 - first
    if wanted > left {
      position = count + 1
      return Array((first - 1)..<count)
    }
    position = first + wanted - 1
    return Array((first - 1)..<(first - 1 + wanted))
  }

  private mutating func backward(_ wanted: Int) throws(SQLError) -> [Int] {
    try requireScroll()
    let last = position - 1
    if wanted > last {
      position = 0
      return Array((0..<max(last, 0)).reversed())
    }
    position = last - wanted + 1
    return Array(((position - 1)..<last).reversed())
  }

  private mutating func go(to target: Int) throws(SQLError) -> [Int] {
    if target < position { try requireScroll() }
    position = min(max(target, 0), count + 1)
    return current
  }

  private func requireScroll() throws(SQLError) {
    if cursor.isForwardOnly {
      throw SQLError(
        .objectNotInPrerequisiteState, "cursor can only scan forward",
        hint: "Declare it with SCROLL option to enable backward scan.")
    }
  }
}

extension Session {
  /// DECLARE: the query runs at once, and its rows are kept.
  func runDeclare(_ statement: DeclareCursorStatement) throws(SQLError) -> StatementResult {
    guard transaction != nil || statement.isHold else {
      throw SQLError(
        .noActiveTransaction, "DECLARE CURSOR can only be used in transaction blocks")
    }
    let name = statement.name.name
    guard cursors[name] == nil else {
      throw SQLError(.duplicateCursor, "cursor \"\(name)\" already exists")
    }
    let result = try runPlanned(.select(statement.query))
    guard let rows = result.rows else { throw SQLError.internal("a query without rows") }
    cursors[name] = OpenCursor(cursor: try Cursor(rows, statement))
    return StatementResult(commandTag: "DECLARE CURSOR")
  }

  /// FETCH and MOVE.
  func runFetch(_ statement: FetchStatement) throws(SQLError) -> StatementResult {
    let name = statement.cursor.name
    guard var open = cursors[name] else { throw Self.missingCursor(name) }
    let rows = try open.move(statement.direction)
    cursors[name] = open
    if statement.isMove { return StatementResult(commandTag: "MOVE \(rows.count)") }
    let positions = Buffer(rows.map { UInt32(truncatingIfNeeded: $0) })
    let chunk = open.cursor.rows.gathered(positions, count: rows.count)
    let flat = DataChunk(chunk.columns.map { $0.flattened() }, count: rows.count)
    return StatementResult(
      commandTag: "FETCH \(rows.count)",
      rows: ResultSet(
        columns: open.cursor.columns, chunks: rows.isEmpty ? [] : [flat],
        style: settings.ownStyle, keeping: open.cursor))
  }

  /// CLOSE; nil closes all.
  func runClose(_ name: Identifier?) throws(SQLError) -> StatementResult {
    guard let name else {
      cursors = [:]
      return StatementResult(commandTag: "CLOSE CURSOR ALL")
    }
    guard cursors.removeValue(forKey: name.name) != nil else {
      throw Self.missingCursor(name.name)
    }
    return StatementResult(commandTag: "CLOSE CURSOR")
  }

  /// Closes the cursors that end with the transaction.
  func closeCursors() { cursors = cursors.filter { $0.value.cursor.isHold } }

  private static func missingCursor(_ name: String) -> SQLError {
    SQLError(.invalidCursorName, "cursor \"\(name)\" does not exist")
  }
}
