import Foundation
import SQLSyntax
import Testing

/// Whatever a database keeps is printed and parsed again, so that nothing may change on the way.
@Suite("The printer, over all statements of the specification files,")
struct PrintedCorpusTests {
  /// The files of `Tests/SQL`, and of the folder that the environment names.
  private static let files: [URL] = {
    let own = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "SQL")
    let other = ProcessInfo.processInfo.environment["JUNCTION_PRINTER_FOLDER"].map {
      URL(filePath: $0)
    }
    return [own, other].compactMap { $0 }.flatMap { folder in
      let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
      return (found?.allObjects as? [URL] ?? []).filter {
        $0.pathExtension == "sql" || $0.pathExtension == "test"
      }
    }.sorted { $0.path < $1.path }
  }()

  /// The statements in a text: records of a specification file, or SQL between semicolons.
  private static func statements(of url: URL) -> [ParsedStatement] {
    guard let text = try? String(contentsOf: url, encoding: .utf8) else { return [] }
    guard url.pathExtension == "test" else {
      if let all = try? parseStatements(text) { return all }
      return text.components(separatedBy: ";\n").flatMap { (try? parseStatements($0)) ?? [] }
    }
    return text.components(separatedBy: "\n\n").flatMap { record in
      let lines = record.split(separator: "\n").drop { $0.hasPrefix("#") }.dropFirst()
      return (try? parseStatements(lines.prefix { $0 != "----" }.joined(separator: "\n"))) ?? []
    }
  }

  @Test("writes queries and expressions that read as the same tree", arguments: files)
  func roundTrip(_ url: URL) {
    for statement in Self.statements(of: url) { check(statement.statement) }
  }

  /// Checks the greatest queries and expressions within a tree.
  private func check(_ value: Any) {
    if let query = value as? SelectStatement, !Self.changesData(query) {
      let text = SQLPrinter.text(of: query)
      let again = try? parseStatement(text).statement
      guard case .select(let copy)? = again else {
        Issue.record("no query: \(text)")
        return
      }
      #expect(description(of: copy) == description(of: query), "\(text)")
      return
    }
    if let expression = value as? SQLSyntax.Expression {
      if case .defaultValue = expression.kind { return }
      if case .currentOf = expression.kind { return }
      let text = SQLPrinter.text(of: expression)
      guard let copy = try? parseExpression(text) else {
        Issue.record("no expression: \(text)")
        return
      }
      #expect(description(of: copy) == description(of: expression), "\(text)")
      return
    }
    for child in Mirror(reflecting: value).children { check(child.value) }
  }

  private static func changesData(_ query: SelectStatement) -> Bool {
    query.with?.expressions.contains { expression in
      if case .select(let inner) = expression.statement { return changesData(inner) }
      return true
    } ?? false
  }
}
