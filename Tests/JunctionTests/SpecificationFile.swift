import Foundation
import Testing

/// A file of statements and the answers they must give, in the manner of sqllogictest.
///
/// Records are parted by empty lines. A record is one or more lines of comment that say in a
/// sentence what is shown, a directive, the statement, and for a query `----` and its rows, a line
/// each, values parted by `|`, NULL as `NULL`. Directives are `statement ok`,
/// `statement error SQLSTATE`, `query` (rows in the order given) and `query rowsort`.
struct SpecificationFile: Sendable, CustomTestStringConvertible {
  enum Expectation: Sendable, Equatable {
    case success
    case failure(state: String)
    case rows([String], sorted: Bool)
  }

  struct Record: Sendable {
    let sentence: String
    let line: Int
    let sql: String
    let expectation: Expectation
  }

  let name: String
  let records: [Record]

  var testDescription: String { name }

  /// All files of `Tests/SQL`, by name.
  static let all: [SpecificationFile] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "SQL")
    let found =
      (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil))
      ?? []
    return found.filter { $0.pathExtension == "test" }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
      .compactMap { url in
        guard let text = try? String(contentsOf: url, encoding: .utf8) else { return nil }
        return SpecificationFile(
          name: url.deletingPathExtension().lastPathComponent, text: text)
      }
  }()

  /// Every third file from a place, for what runs the specification once more in another way; with `JUNCTION_DURABILITY_CASES` set,
  /// as in `.ci/durability`, all of them.
  static func some(from place: Int) -> [SpecificationFile] {
    if ProcessInfo.processInfo.environment["JUNCTION_DURABILITY_CASES"] != nil { return all }
    return all.enumerated().filter { $0.offset % 3 == place % 3 }.map(\.element)
  }

  init(name: String, text: String) {
    self.name = name
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var records: [Record] = []
    var start = 0
    while start < lines.count {
      guard !lines[start].isEmpty else {
        start += 1
        continue
      }
      let end = lines[start...].firstIndex(of: "") ?? lines.count
      if let record = Self.record(lines[start..<end]) { records.append(record) }
      start = end
    }
    self.records = records
  }

  private static func record(_ lines: ArraySlice<String>) -> Record? {
    let comments = lines.prefix { $0.hasPrefix("#") }
    let rest = lines.dropFirst(comments.count)
    guard let directive = rest.first else { return nil }
    let words = directive.split(separator: " ").map(String.init)
    let body = rest.dropFirst()
    let query = body.prefix { $0 != "----" }
    let rows = Array(body.dropFirst(query.count + 1))
    let expectation: Expectation =
      switch words.first {
      case "query": .rows(rows, sorted: words.last == "rowsort")
      case "statement" where words.count == 3: .failure(state: words[2])
      default: .success
      }
    return Record(
      sentence: comments.map { String($0.dropFirst(2)) }.joined(separator: " "),
      line: rest.startIndex + 1, sql: query.joined(separator: "\n"), expectation: expectation)
  }
}
