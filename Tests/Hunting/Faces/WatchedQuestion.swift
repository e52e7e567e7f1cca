import Diagnostics
package import Junction

/// A question that is watched, with the answer handed out last.
package struct WatchedQuestion {
  package let sql: String
  private let question: SQL
  private var rows: LiveValues<[String]>.AsyncIterator
  private var last: [String]?
  /// How often a commit has had it asked again, and how often for nothing.
  package private(set) var wakes = 0
  package private(set) var emptyWakes = 0

  package init(_ sql: String, in database: Database) {
    self.sql = sql
    question = SQL(raw: "SELECT q::text FROM (\(sql)) q")
    rows = database.updates(String.self, question).makeAsyncIterator()
  }

  /// Looks for an answer; says whether the last one handed out is what the question gives now.
  ///
  /// - Throws: the question's error.
  package mutating func isRight(_ database: Database) throws(SQLError) -> Bool {
    switch try rows.look() {
    case .quiet: break
    case .same:
      wakes += 1
      emptyWakes += 1
    case .changed(let value):
      wakes += 1
      if value == last { return false }
      last = value
    }
    return try database.fetchAll(String.self, question) == last
  }
}
