import Columnar
import Diagnostics

/// A step from one schema to the next.
struct Migration: Sendable {
  enum Work: Sendable {
    case text(SQL)
    case body(@Sendable (borrowing Transaction) throws -> Void)
  }
  let name: String
  let work: Work

  var isBody: Bool { if case .body = work { true } else { false } }

  /// What tells its text from another one; nil for a closure, which has none.
  var textHash: String? {
    guard case .text(let sql) = work else { return nil }
    let values = sql.arguments.map { "\n\($0)" }.joined()
    return Digests.sha256(of: sql.text + values)
  }

  /// Does its work.
  ///
  /// - Throws: what the closure throws; the error of a statement, with the name and the line in its context.
  func run(_ db: borrowing Transaction) throws {
    try db.execute("SET CONSTRAINTS ALL DEFERRED")
    switch work {
    case .body(let body): try body(db)
    case .text(let sql):
      do throws(SQLError) {
        try db.execute(sql)
      } catch {
        var error = error
        error.context = [error.context, place(of: error, in: sql.text)].compactMap { $0 }
          .joined(separator: "\n")
        throw error
      }
    }
  }

  /// `migration "x", line 3`.
  private func place(of error: SQLError, in text: String) -> String {
    let words = "migration \"\(name)\""
    guard error.range.isKnown else { return words }
    let before = text.utf8.prefix(Int(error.range.lower))
    return "\(words), line \(before.count { $0 == 10 } + 1)"
  }
}
