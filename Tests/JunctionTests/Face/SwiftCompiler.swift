import Foundation

#if os(Linux)
  enum SwiftCompiler {
    /// What swiftc says about a file; empty if it compiles.
    ///
    /// Borrows are looked at behind the types.
    static func complaints(_ source: String, options: [String] = []) throws -> String {
      // The modules stand beside the tests.
      let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      let file = FileManager.default.temporaryDirectory
        .appendingPathComponent("junction-\(UUID().uuidString).swift")
      try source.write(to: file, atomically: true, encoding: .utf8)
      defer { try? FileManager.default.removeItem(at: file) }
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments =
        [
          "swiftc", "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-strict-memory-safety",
          "-I",
          products.appendingPathComponent("Modules").path, file.path,
        ] + options
      process.standardOutput = output
      process.standardError = output
      try process.run()
      let data = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      let said = String(decoding: data, as: UTF8.self)
      // Swift 6.3 refuses some of it by a failed assertion.
      return process.terminationStatus == 0 ? said : "refused: " + said
    }
  }
#endif
