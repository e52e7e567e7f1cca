import Foundation
import Testing

#if os(Linux)
  /// Scripts in `Tests/Shell`, each beside what psql 15 prints for it.
  @Suite("Output of psql")
  struct PsqlOutputTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Shell")

    @Test("is the output of this shell", arguments: ["formats", "crosstab", "commands"])
    func output(name: String) throws {
      let script = Self.folder.appendingPathComponent(name + ".sql")
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(fileURLWithPath: PseudoTerminal.tool)
      process.arguments = ["-X"]
      process.standardInput = try FileHandle(forReadingFrom: script)
      process.standardOutput = output
      process.standardError = output
      try process.run()
      let data = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      let expected = try String(
        contentsOf: Self.folder.appendingPathComponent(name + ".out"), encoding: .utf8)
      // The account of what COPY read is this engine's own.
      let printed = String(decoding: data, as: UTF8.self).components(separatedBy: "\n")
        .filter { !$0.hasPrefix("INFO:  ") }
      let wanted = expected.components(separatedBy: "\n")
      for (number, (line, other)) in zip(printed, wanted).enumerated() where line != other {
        Issue.record("line \(number + 1) is \"\(line)\" where psql has \"\(other)\"")
        return
      }
      #expect(printed.count == wanted.count)
    }
  }
#endif
