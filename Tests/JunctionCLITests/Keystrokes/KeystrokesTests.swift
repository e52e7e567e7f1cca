import Foundation
import Testing

#if os(Linux)
  @Suite("Keystrokes of psql and DuckDB's shell")
  struct KeystrokesTests {
    /// A folder with a few files that is home and working folder of one session, gone with it.
    private final class Home {
      let path = NSTemporaryDirectory() + "junction-keystrokes-\(UUID().uuidString)"

      init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for (name, text) in ["rows.csv": "1,x\n2,y\n", "script.sql": "select 42 as answer;\n"] {
          try text.write(toFile: path + "/" + name, atomically: true, encoding: .utf8)
        }
      }

      deinit { try? FileManager.default.removeItem(atPath: path) }

      var environment: [String: String] {
        [
          "HOME": path, "TERM": "xterm", "PATH": "/usr/bin:/bin", "PAGER": "", "LANG": "C.UTF-8",
        ]
      }
    }

    private static let school = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Datasets/school").path

    @Test("do what hands expect", arguments: Keystroke.all.filter { $0.reason == nil })
    func expectation(keystroke: Keystroke) throws {
      switch keystroke.way {
      case .script: try run(keystroke)
      case .terminal: try type(keystroke)
      }
    }

    @Test("work nearly all of them")
    func share() {
      let working = Keystroke.all.count { $0.reason == nil }
      #expect(working >= 145 && working * 30 >= Keystroke.all.count * 29)
      for keystroke in Keystroke.all { #expect(keystroke.reason != "", "\(keystroke)") }
    }

    private func run(_ keystroke: Keystroke) throws {
      let home = try Home()
      let process = Process()
      let (input, output) = (Pipe(), Pipe())
      process.executableURL = URL(fileURLWithPath: PseudoTerminal.tool)
      process.arguments = ["-X", Self.school]
      process.environment = home.environment
      process.currentDirectoryURL = URL(fileURLWithPath: home.path)
      process.standardInput = input
      process.standardOutput = output
      process.standardError = output
      try process.run()
      input.fileHandleForWriting.write(Data((keystroke.input + "\n").utf8))
      try input.fileHandleForWriting.close()
      let data = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      let printed = String(decoding: data, as: UTF8.self)
      for text in keystroke.expected {
        #expect(printed.contains(text), "\(printed)")
      }
      #expect(!printed.contains("unreached"))
    }

    private func type(_ keystroke: Keystroke) throws {
      let home = try Home()
      // The working folder of the tests is not that of the session.
      let terminal = try PseudoTerminal(
        [Self.school], columns: 100, rows: 40, environment: home.environment)
      try terminal.wait("prompt") { $0.lines.last?.hasSuffix("=>") ?? false }
      terminal.type("\\cd\r")
      try terminal.wait("prompt") {
        $0.history.contains { $0.hasSuffix("\\cd") } && $0.lines.last == "school=>"
      }
      for (index, part) in keystroke.input.split(
        separator: "~", omittingEmptySubsequences: false
      ).enumerated() where !part.isEmpty {
        if index % 2 == 0 {
          terminal.type(String(part))
        } else if part == ">" {
          try terminal.wait("prompt") { $0.lines.last == "school=>" }
        } else if part == "END" {
          #expect(try terminal.exitStatus() == 0)
        } else {
          try terminal.wait("\(part)") { $0.history.contains { $0.contains(part) } }
        }
      }
      for text in keystroke.expected {
        try terminal.wait(text) { $0.history.joined(separator: "\n").contains(text) }
      }
    }
  }
#endif
