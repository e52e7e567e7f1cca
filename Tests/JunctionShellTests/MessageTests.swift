import Foundation
import Testing

@testable import JunctionShell

@Suite("What the shell says")
struct MessageTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Files in which a backslash begins a word of another language.
  private static let otherLanguages: Set = [
    "LatexLayout.swift", "MarkupLayouts.swift", "JSONText.swift",
  ]

  /// The text of every source file of the shell.
  private static func sources() throws -> [(name: String, text: String)] {
    let folder = root.appendingPathComponent("Sources/JunctionShell")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return try (files?.compactMap { $0 as? URL } ?? [])
      .filter { $0.pathExtension == "swift" && !otherLanguages.contains($0.lastPathComponent) }
      .map { ($0.lastPathComponent, try String(contentsOf: $0, encoding: .utf8)) }
  }

  @Test("names only commands that there are")
  func commands() throws {
    let sources = try Self.sources()
    #expect(sources.count > 60)
    var count = 0
    for (name, text) in sources {
      for match in text.matches(of: /\\\\([a-zA-Z!?][a-zA-Z_]+\+?)/) {
        let command = String(match.output.1)
        count += 1
        #expect(CommandTable.command(named: command) != nil, "\(name): \\\(command)")
      }
    }
    #expect(count > 100)
  }

  @Test("in other parts names only commands that there are")
  func documentation() throws {
    let readme = try String(
      contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
    for match in readme.matches(of: /`\\([a-zA-Z!?_+]+)/) {
      #expect(CommandTable.command(named: String(match.output.1)) != nil, "\(match.output.0)")
    }
  }

  @Test("of a command with a dot leads to commands that there are")
  func dotCommands() {
    for command in DotCommand.all {
      for words in [[], ["on"], ["csv"], ["box"], ["line"], ["a", "b"]] {
        guard case .line(let line) = command.translate(words) else { continue }
        for match in line.matches(of: /\\([a-zA-Z!?]+)/) {
          #expect(
            CommandTable.command(named: String(match.output.1)) != nil, "\(command.names[0])")
        }
      }
    }
  }

  @Test(
    "suggests what was meant",
    arguments: [
      ("tiiming", ["\\timing"]), ("crostabview", ["\\crosstabview"]), ("psett", ["\\pset"]),
      ("qqqqqq", []),
    ])
  func suggestions(typed: String, expected: [String]) {
    #expect(CommandTable.near(typed) == expected)
  }
}
