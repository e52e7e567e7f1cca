import Foundation
import Synchronization

/// A session with PostgreSQL, kept by a `psql` of its own.
///
/// Sendable by rule: one thread at a time uses it.
package final class Peer: Answering, @unchecked Sendable {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var buffer: [UInt8] = []
  private var isOpen = true

  /// A session; `connection` is what `psql -d` takes, such as `host=127.0.0.1 user=postgres dbname=hunt`.
  ///
  /// - Throws: what kept `psql` from being run.
  package init(_ connection: String) throws {
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "psql", "-X", "-q", "-A", "-t", "-F", "|", "-P", "null=\\N", "-d", connection,
    ]
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    var environment = ProcessInfo.processInfo.environment
    environment["PGOPTIONS"] = "-c client_min_messages=error -c statement_timeout=5000"
    process.environment = environment
    try process.run()
  }

  deinit { process.terminate() }

  package func answer(_ sql: String) -> Answer {
    guard isOpen else { return .error("57014") }
    let mark = "@@done"
    let text = sql + "\n;\n\\echo \(mark) :SQLSTATE\n"
    do { try input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) } catch {
      isOpen = false
      return .error("57014")
    }
    var lines: [String] = []
    while let line = nextLine() {
      if line.hasPrefix(mark) {
        let state = String(line.dropFirst(mark.count + 1))
        if state != "00000" { return .error(state) }
        return .rows(lines.count > 4000 ? ["\(lines.count) rows"] : lines.sorted())
      }
      lines.append(line)
    }
    isOpen = false
    return .error("57014")
  }

  private func nextLine() -> String? {
    while true {
      if let end = buffer.firstIndex(of: 10) {
        let line = String(decoding: buffer[..<end], as: UTF8.self)
        buffer.removeFirst(end + 1)
        return line
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      buffer += more
    }
  }
}

/// The peer that the process has, if it was given one.
package enum SharedPeer {
  private static let shared = Mutex<Peer?>(nil)

  package static func use(_ connection: String) {
    let peer = try? Peer(connection)
    shared.withLock { $0 = peer }
  }

  package static var peer: Peer? { shared.withLock { $0 } }
}
