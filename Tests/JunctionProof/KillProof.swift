import Diagnostics
import Foundation
import Junction
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// SIGKILL at random moments of a process that commits and writes snapshots.
///
/// The parent keeps the acknowledgements. After each kill the database is opened and must hold exactly what some
/// transaction left, none before the last that was acknowledged and none after the last that was sent.
struct KillProof {
  /// Who writes.
  enum Writer: String, CaseIterable {
    /// The shipping tool, with statements on its standard input.
    case tool = "the shipping tool, synced"
    /// This program, `junction-proof write`, in either mode.
    case sync = "a program, synced"
    case async = "a program, deferred"
  }

  /// The shipping tool.
  let tool: String
  let folder: String

  private static let batch = 4000
  private static let checkpointStep = 37
  /// A database is begun anew after so many kills, so that opening it stays quick.
  private static let renewalStep = 100

  func run(_ count: Int) throws -> Bool {
    let proof = Proof("SIGKILL of a committing process")
    var random = SystemRandomNumberGenerator()
    var model = try SchoolModel()
    let path = folder + "/killed.junction"
    var last = 0
    for number in 0..<count {
      if number % Self.renewalStep == 0 {
        try? FileManager.default.removeItem(atPath: path)
        let connection = try Database(path: path).connect()
        for statement in SchoolHistory.definitions { try connection.execute(statement) }
        try connection.database.close()
        model = try SchoolModel()
        last = 0
      }
      let writer = Writer.allCases[number % 3]
      let delay = UInt32.random(in: 2_000...220_000, using: &random)
      let acknowledged = try kill(writer, path, from: last + 1, after: delay)
      proof.add()
      proof.add(1, to: "of \(writer.rawValue)")
      proof.add(max(0, acknowledged - last), to: "commits acknowledged")
      do throws(SQLError) {
        let database = try Database(path: path)
        let connection = database.connect()
        let found = try SchoolHistory.last(connection)
        if found < acknowledged { proof.fail("\(number): \(found) of \(acknowledged) are there") }
        if try SchoolHistory.digest(connection) != model.digest(found) {
          proof.fail("\(number): transaction \(found) is there by halves")
        }
        if number % 20 == 0, let damage = try SchoolHistory.damage(connection) {
          proof.fail("\(number): \(damage)")
        }
        if !database.notices.isEmpty { proof.add(1, to: "torn tails cut") }
        try database.close()
        last = found
      } catch { proof.fail("\(number): \(error)") }
    }
    return proof.report()
  }

  /// Runs a writer until it is killed, and gives the last transaction that it acknowledged.
  private func kill(
    _ writer: Writer, _ path: String, from first: Int, after microseconds: UInt32
  ) throws -> Int {
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    switch writer {
    case .tool:
      process.executableURL = URL(fileURLWithPath: tool)
      process.arguments = ["-X", "-q", "-t", "-A", path]
    case .sync, .async:
      process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      process.arguments = ["write", path, String(first), writer == .sync ? "sync" : "async"]
    }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    if writer == .tool {
      let script = Data(Self.script(from: first).utf8)
      let file = input.fileHandleForWriting
      DispatchQueue.global().async {
        try? file.write(contentsOf: script)
        try? file.close()
      }
    }
    usleep(microseconds)
    _ = Self.send(SIGKILL, to: process.processIdentifier)
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    // The last line may be cut.
    let lines = String(decoding: printed, as: UTF8.self).split(separator: "\n")
    return lines.last { $0.hasSuffix(".") }.flatMap { Int($0.dropLast()) } ?? first - 1
  }

  static func send(_ signal: Int32, to process: pid_t) -> Int32 {
    Glibc.kill(process, signal)
  }

  private static func script(from first: Int) -> String {
    (first..<first + batch).map { n in
      "BEGIN;\n" + SchoolHistory.statements(n).map { $0 + ";\n" }.joined()
        + "COMMIT;\n\\echo \(n).\n"
        + (n % checkpointStep == 0 ? "CHECKPOINT;\n" : "")
    }.joined()
  }

  /// Writes a snapshot, unless the one that the log's length asked for is being written.
  private static func checkpoint(_ connection: Connection) throws(SQLError) {
    do throws(SQLError) { try connection.execute("CHECKPOINT") } catch {
      if error.state != .objectInUse { throw error }
    }
  }

  /// What the child does: commits from a number on, says so after each, and writes snapshots now and then.
  static func write(_ arguments: [String]) throws {
    var options = DatabaseOptions()
    options.durability = arguments[2] == "async" ? .async : .sync
    options.checkpointByteCount = 100_000
    let connection = try Database(path: arguments[0], options: options).connect()
    for n in (Int(arguments[1]) ?? 1)... {
      try SchoolHistory.run(n, on: connection)
      let line = Array("\(n).\n".utf8)
      _ = unsafe line.withUnsafeBytes { unsafe Glibc.write(1, $0.baseAddress, $0.count) }
      if n % checkpointStep == 0 { try checkpoint(connection) }
    }
  }
}
