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
  /// Whether columns hold texts in the place of numbers.
  var holdsTexts = false

  /// The texts in the place of numbers, in their order: as long as what a key or a view holds inline, and a little
  /// shorter or longer, with beginnings in common.
  private static let texts = [
    "", "abcdefg", "abcdefgh", "abcdefghijklm", "abcdefghijklmnopqrstuvwxyzabcdefghijklmn", "b",
    "bcdefg",
    "bcdefghijklm", "bcdefghijklmn", "éééé",
  ]

  /// A value as questions write it, a number or the text in its place.
  static func mark(_ value: Int?) -> String { "«\(value.map(String.init) ?? "")»" }

  var typeName: String { holdsTexts ? "text" : "int" }

  /// A question with the values that it means.
  private func written(_ sql: String) -> String {
    var pieces = sql.split(separator: "«", omittingEmptySubsequences: false).map(String.init)
    for index in pieces.indices.dropFirst() {
      let parts = pieces[index].split(
        separator: "»", maxSplits: 1, omittingEmptySubsequences: false)
      pieces[index] = literal(Int(parts[0]), typed: true) + (parts.last ?? "")
    }
    return pieces.joined()
  }

  private func literal(_ value: Int?, typed: Bool = false) -> String {
    guard let value else { return typed ? "NULL::\(typeName)" : "NULL" }
    return holdsTexts ? "'\(Self.texts[value])'" : "\(value)"
  }

  /// What a question gave, with numbers for texts.
  private func number(_ text: String) -> String {
    holdsTexts ? Self.texts.firstIndex(of: text).map(String.init) ?? text : text
  }

  mutating func run(_ statement: String) throws(SQLError) {
    script.append(statement)
    try connection.execute(statement)
  }

  mutating func insert(_ rows: [NaiveRow], into table: String) throws(SQLError) {
    if rows.isEmpty { return }
    let values = rows.map { row in
      "(" + row.map { literal($0) }.joined(separator: ", ") + ")"
    }
    try run("INSERT INTO \(table) VALUES \(values.joined(separator: ", "))")
  }

  /// What is wrong with the answer to a question; nil if nothing is.
  func fault(_ question: NaiveQuestion) -> String? {
    let sql = written(question.sql)
    do throws(SQLError) {
      let result = try connection.query(sql)
      let rows = (0..<result.count).map { row in
        result.columns.indices.map { result.text(row: row, column: $0).map(number) ?? "NULL" }
          .joined(separator: "|")
      }
      let (found, wanted) = (rows.sorted(), question.rows.sorted())
      if found == wanted { return nil }
      return "gives \(found) for \(wanted)\n"
        + (script + [sql]).map { $0 + ";" }.joined(separator: "\n")
    } catch {
      return "\(error.state.code) \(error.message)\n"
        + (script + [sql]).map { $0 + ";" }.joined(separator: "\n")
    }
  }
}
