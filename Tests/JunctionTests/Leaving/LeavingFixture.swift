import Foundation
import Junction

/// The database and the queries of `Tests/Leaving`.
enum LeavingFixture {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Leaving")

  static func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appending(path: name), encoding: .utf8)
  }

  /// What `:source` stands for in queries that are asked of several sources.
  static let sources = ["u", "(SELECT * FROM u WHERE a IS NOT NULL)", "empty"]

  /// The queries of a file, once for each source if they are asked of one.
  static func queries(_ name: String) throws -> String {
    let text = try text(name)
    guard text.contains(":source") else { return text }
    return sources.map { text.replacing(":source", with: $0) }.joined()
  }

  static func connection() throws -> Connection {
    let connection = Database().connect()
    try connection.execute(try text("schema.sql"))
    return connection
  }

  /// Gives the path of a folder that is not there yet, and removes what has come to stand there.
  static func withPath<Result>(_ body: (String) throws -> Result) throws -> Result {
    let path =
      FileManager.default.temporaryDirectory.path + "/junction-leaving-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
  }

  static func read(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  /// A query as Spark is to be asked it, without the semicolon and hints.
  static func spark(_ query: String) throws -> String {
    let connection = try connection()
    return try withPath { path in
      let account = try connection.export(toSpark: path, queries: query)
      guard FileManager.default.fileExists(atPath: path + "/queries/1.sql") else {
        return account.lines.first { $0.contains("not translated") } ?? "nothing"
      }
      let text = try read(path + "/queries/1.sql")
      return text.replacing(#/\/\*\+.*?\*\/ /#, with: "").replacing(";\n", with: "")
    }
  }
}
