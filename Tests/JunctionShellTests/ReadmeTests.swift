import Diagnostics
import Foundation
import Testing

@testable import Junction
@testable import JunctionShell

@Suite("The README")
struct ReadmeTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The statements of the session and what is printed below each.
  private static func session() throws -> [(statement: String, output: [String])] {
    let text = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    var steps: [(statement: String, output: [String])] = []
    for line in text.components(separatedBy: "\n").drop(while: { !$0.hasPrefix("school=> ") }) {
      if line == "```" { break }
      if line.hasPrefix("school=> ") {
        steps.append((String(line.dropFirst(9)), []))
      } else if line.hasPrefix("school-> ") {
        steps[steps.count - 1].statement += "\n" + line.dropFirst(9)
      } else {
        steps[steps.count - 1].output.append(line)
      }
    }
    return steps
  }

  @Test("shows a session as it is")
  func session() throws {
    let steps = try Self.session()
    #expect(steps.count >= 5)
    let database = try Database(folder: Self.root.appendingPathComponent("Datasets/school").path)
    let connection = database.connect()
    for (statement, expected) in steps {
      let path = NSTemporaryDirectory() + "junction-readme-\(UUID().uuidString)"
      defer { try? FileManager.default.removeItem(atPath: path) }
      let text = statement
      var printed: String
      do throws(SQLError) {
        let result = try connection.query(text)
        let stream = try OutputStream(path: path)
        ResultPrinter(settings: PrintSettings(), output: stream).print(result)
        stream.flush()
        printed = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      } catch {
        printed = error.rendered(statement: text)
      }
      let lines = printed.components(separatedBy: "\n").map(Self.trimmed)
      #expect(Self.withoutBlankEnd(lines) == Self.withoutBlankEnd(expected), "\(statement)")
    }
  }

  @Test("shows the drawing as it is")
  func drawing() throws {
    let text = try String(
      contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
    let shown = text.components(separatedBy: "\n").drop { $0 != "school=> \\erd" }.dropFirst()
      .prefix { $0 != "```" }
    let database = try Database(folder: Self.root.appendingPathComponent("Datasets/school").path)
    let drawing = TextDrawing(Diagram(database.connect().catalog), width: 80)
    #expect(Array(shown) == drawing.lines)
  }

  private static func trimmed(_ line: String) -> String {
    var line = line
    while line.last == " " { line.removeLast() }
    return line
  }

  private static func withoutBlankEnd(_ lines: [String]) -> [String] {
    var lines = lines
    while lines.last == "" { lines.removeLast() }
    return lines
  }
}
