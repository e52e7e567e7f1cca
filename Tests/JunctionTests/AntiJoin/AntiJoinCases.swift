import Diagnostics
import Foundation
import Junction

/// How many cases the tests of anti-joins run, and from which seed.
///
/// The full run is `JUNCTION_ANTIJOIN_CASES=20000 swift test --filter AntiJoin`; `JUNCTION_ANTIJOIN_SEED` repeats the one
/// world that a failure names.
enum AntiJoinCases {
  private static let environment = ProcessInfo.processInfo.environment

  static func count(usually count: Int) -> Int {
    environment["JUNCTION_ANTIJOIN_CASES"].flatMap(Int.init) ?? count
  }

  static let seed = environment["JUNCTION_ANTIJOIN_SEED"].flatMap(UInt64.init)

  /// Says what a long run has done.
  static func report(_ text: String) {
    if environment["JUNCTION_ANTIJOIN_CASES"] != nil || seed != nil { print(text) }
  }
}

/// A query and the rows that it must give, in any order.
struct NaiveQuestion {
  var sql: String
  var rows: [String]

  init(_ sql: String, _ rows: [NaiveRow]) {
    self.sql = sql
    self.rows = rows.map(Self.text)
  }

  init(_ sql: String, texts: [String]) {
    self.sql = sql
    rows = texts
  }

  static func text(_ row: NaiveRow) -> String {
    row.map { $0.map(String.init) ?? "NULL" }.joined(separator: "|")
  }
}

/// Tables in a database of their own, and the statements that made them.
struct AntiJoinDatabase {
  private let connection = Database().connect()
  private(set) var script: [String] = []

  mutating func run(_ statement: String) throws(SQLError) {
    script.append(statement)
    try connection.execute(statement)
  }

  mutating func insert(_ rows: [NaiveRow], into table: String) throws(SQLError) {
    if rows.isEmpty { return }
    let values = rows.map { row in
      "(" + row.map { $0.map(String.init) ?? "NULL" }.joined(separator: ", ") + ")"
    }
    try run("INSERT INTO \(table) VALUES \(values.joined(separator: ", "))")
  }

  /// What is wrong with the answer to a question; nil if nothing is.
  func fault(_ question: NaiveQuestion) -> String? {
    do throws(SQLError) {
      let result = try connection.query(question.sql)
      let rows = (0..<result.count).map { row in
        result.columns.indices.map { result.text(row: row, column: $0) ?? "NULL" }
          .joined(separator: "|")
      }
      let (found, wanted) = (rows.sorted(), question.rows.sorted())
      if found == wanted { return nil }
      return "gives \(found) for \(wanted)\n"
        + (script + [question.sql]).map { $0 + ";" }.joined(separator: "\n")
    } catch {
      return "\(error.state.code) \(error.message)\n"
        + (script + [question.sql]).map { $0 + ";" }.joined(separator: "\n")
    }
  }
}
