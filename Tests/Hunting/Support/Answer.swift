import Diagnostics
package import Junction
import Synchronization

/// What a statement came to, in a form in which two answers can be compared.
package enum Answer: Hashable, Sendable {
  /// Rows as text, sorted, as an order that was not asked for means nothing.
  case rows([String])
  /// The SQLSTATE of an error.
  case error(String)

  /// Whether the statement was ended by its time limit, which says nothing of its answer.
  package var isTimeout: Bool { self == .error("57014") || self == .error("53200") }

  /// Whether the engine has found its own rules broken.
  package var isInternal: Bool { self == .error("XX000") }

  package var rowCount: Int? {
    if case .rows(let rows) = self { return rows.count }
    return nil
  }

  /// The kind of a difference: `rows` for answers that both have rows, otherwise the two states.
  package func difference(from other: Answer) -> String? {
    if self == other { return nil }
    func name(_ answer: Answer) -> String {
      if case .error(let state) = answer { return state }
      return "rows"
    }
    return "\(name(self)) for \(name(other))"
  }

  /// The kind of a difference that is a fault, whichever way each answer was worked out.
  ///
  /// An error about a value is none: which rows a condition meets first depends on the plan.
  package func fault(against other: Answer) -> String? {
    if self == other || isTimeout || other.isTimeout { return nil }
    for case .error(let state) in [self, other] {
      if state.hasPrefix("22") || state.hasPrefix("21") { return nil }
    }
    return difference(from: other)
  }

  /// The rows of this answer that the other does not have, and the other way round.
  package func comparison(with other: Answer) -> String {
    guard case .rows(let left) = self, case .rows(let right) = other else {
      return "\(summary) for \(other.summary)"
    }
    var more = left
    var less: [String] = []
    for row in right {
      if let place = more.firstIndex(of: row) { more.remove(at: place) } else { less.append(row) }
    }
    return
      "\(left.count) rows for \(right.count); too many: \(more.prefix(5)); missing: \(less.prefix(5))"
  }

  private var summary: String {
    switch self {
    case .rows(let rows): "\(rows.count) rows \(rows.prefix(4))"
    case .error(let state): state
    }
  }
}

/// Somebody who runs statements one after another and says what each came to.
package protocol Answering: AnyObject {
  func answer(_ sql: String) -> Answer
}

/// A session with the engine that is hunted.
package final class Asker: Answering {
  package let connection: Connection
  private static let rowsMost = 4000
  /// What the last statement that failed had to say.
  package private(set) var lastMessage = ""

  /// A session whose statements end after some seconds.
  package init(_ connection: Connection, timeoutMilliseconds: Int = 5000) {
    self.connection = connection
    _ = run("SET statement_timeout = \(timeoutMilliseconds)")
  }

  /// A session with an empty database in memory.
  package convenience init(timeoutMilliseconds: Int = 5000) {
    self.init(Database().connect(), timeoutMilliseconds: timeoutMilliseconds)
  }

  /// Told each statement before it runs: how a parent learns which one a child died of.
  private static let trace = Mutex<(@Sendable (String) -> Void)?>(nil)

  package static func traceStatements(_ body: @escaping @Sendable (String) -> Void) {
    trace.withLock { $0 = body }
  }

  package func answer(_ sql: String) -> Answer {
    Self.trace.withLock { $0 }?(sql)
    do throws(SQLError) {
      let result = try connection.query(sql)
      // Of very many rows only their number is looked at.
      if result.count > Self.rowsMost { return .rows(["\(result.count) rows"]) }
      return .rows(Self.texts(result).sorted())
    } catch {
      lastMessage = error.message
      return .error(error.state.code)
    }
  }

  /// Runs a statement whose rows do not matter; its SQLSTATE if it fails.
  @discardableResult
  package func run(_ sql: String) -> String? {
    Self.trace.withLock { $0 }?(sql)
    do throws(SQLError) {
      try connection.execute(sql)
      return nil
    } catch {
      lastMessage = error.message
      return error.state.code
    }
  }

  package static func texts(_ result: ResultSet) -> [String] {
    (0..<result.count).map { row in
      var line = ""
      for column in result.columns.indices {
        if column > 0 { line += "|" }
        line += result.text(row: row, column: column) ?? "\\N"
      }
      return line
    }
  }
}
