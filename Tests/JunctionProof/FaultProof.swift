import Diagnostics
import Foundation
import Junction

/// Every system call that the shipping tool makes for a database, made to fail in turn by `strace`.
///
/// A run opens a database, commits, writes a snapshot, commits again and ends. Each call is failed with each error,
/// once and from then on, and the process is killed at each. The tool must end without a crash, and what it
/// acknowledged must be there when the database is opened again.
struct FaultProof {
  let tool: String
  let folder: String

  /// Commits before, and those that a run makes.
  private static let before = 5
  private static let until = 13
  private static let errors = ["ENOSPC", "EIO", "EINTR"]
  private static let seconds = 20.0

  private var base: String { folder + "/base.junction" }

  /// One call of the run that is to fail.
  private struct Call: Hashable {
    var name: String
    /// Which of the calls of this name, from 1.
    var number: Int
  }

  private struct Fault: Sendable {
    var call: Call
    /// What strace is told: `error=EIO:when=3`.
    var text: String
  }

  func run(step: Int) throws -> Bool {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/strace") else {
      print("faults of system calls: skipped, as strace is not installed")
      return true
    }
    let connection = try Database(path: base).connect()
    for statement in SchoolHistory.definitions { try connection.execute(statement) }
    for n in 1...Self.before { try SchoolHistory.run(n, on: connection) }
    try connection.database.close()
    var model = try SchoolModel()
    var digests: [UInt64] = []
    for n in 0...Self.until { digests.append(try model.digest(n)) }
    let calls = try self.calls()
    let faults = calls.flatMap(Self.faults)
    let chosen = stride(from: 0, to: faults.count, by: step).map { faults[$0] }
    let proof = Proof("failing system calls of the shipping tool")
    proof.add(calls.count, to: "calls")
    let known = digests
    Proof.forEach(chosen.count) { index in
      do { try check(chosen[index], index, known, proof) } catch {
        proof.fail("\(chosen[index].call.name) \(chosen[index].text): \(error)")
      }
    }
    try limits(step: step, known, proof)
    return proof.report()
  }

  private static func faults(_ call: Call) -> [Fault] {
    var texts: [String] = []
    for error in errors {
      texts.append("error=\(error):when=\(call.number)")
      texts.append("error=\(error):when=\(call.number)+")
    }
    // A write that takes nothing.
    if call.name == "pwrite64" {
      texts.append("retval=0:when=\(call.number)")
      texts.append("retval=0:when=\(call.number)+")
    }
    texts.append("signal=SIGKILL:when=\(call.number)")
    return texts.map { Fault(call: call, text: $0) }
  }

  /// The calls of a run without faults that touch the database.
  private func calls() throws -> [Call] {
    let path = folder + "/trace.junction"
    let log = folder + "/trace.log"
    try FileManager.default.copyItem(atPath: base, toPath: path)
    _ = try start(path, ["/usr/bin/strace", "-f", "-y", "-qq", "-o", log])
    let text = try String(contentsOfFile: log, encoding: .utf8)
    var counts: [String: Int] = [:]
    var calls: [Call] = []
    for line in text.split(separator: "\n") {
      // Behind the number of the thread stands the call; what is taken up again was counted before.
      let rest = line.drop { $0.isNumber || $0 == " " }
      guard let end = rest.firstIndex(of: "("), rest.first?.isLetter == true else { continue }
      let name = String(rest[..<end])
      let key = String(line.prefix { $0.isNumber }) + name
      counts[key, default: 0] += 1
      guard line.contains("trace.junction"), name != "execve", name != "munmap" else { continue }
      calls.append(Call(name: name, number: counts[key] ?? 0))
    }
    return calls
  }

  /// Each transaction is tried twice, as a full disk may have had room again; when both fail, none follows.
  private static let script =
    "\\set ok true\n"
    + (before + 1...until).map { n in
      let transaction =
        "BEGIN;\n" + SchoolHistory.statements(n).map { $0 + ";\n" }.joined() + "COMMIT;\n"
      return "\\if :ok\n" + transaction + "\\if :ERROR\nROLLBACK;\n" + transaction
        + "\\if :ERROR\n\\set ok false\n\\else\n\\echo \(n).\n\\endif\n\\else\n\\echo \(n).\n\\endif\n"
        + (n == 9 ? "CHECKPOINT;\n" : "") + "\\endif\n"
    }.joined()

  /// Runs the tool on a database behind a prefix; gives its output and its status.
  private func start(
    _ path: String, _ prefix: [String]
  ) throws -> (output: String, errors: String, status: Int32, killed: Bool) {
    let process = Process()
    let script = folder + "/script.sql"
    if !FileManager.default.fileExists(atPath: script) {
      try Self.script.write(toFile: script, atomically: true, encoding: .utf8)
    }
    let all = prefix + [tool, "-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=0", "-f", script, path]
    process.executableURL = URL(fileURLWithPath: all[0])
    process.arguments = Array(all.dropFirst())
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let identifier = process.processIdentifier
    let watch = DispatchWorkItem { _ = KillProof.send(9, to: identifier) }
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.seconds, execute: watch)
    let complaints = DispatchQueue(label: "errors")
    let box = Box()
    complaints.async { box.data = errors.fileHandleForReading.readDataToEndOfFile() }
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    complaints.sync {}
    process.waitUntilExit()
    watch.cancel()
    return (
      String(decoding: printed, as: UTF8.self), String(decoding: box.data, as: UTF8.self),
      process.terminationStatus, process.terminationReason == .uncaughtSignal
    )
  }

  private final class Box: @unchecked Sendable { var data = Data() }

  private func check(
    _ fault: Fault, _ index: Int, _ digests: [UInt64], _ proof: Proof
  ) throws {
    let prefix = [
      "/usr/bin/strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(fault.call.name)", "-e",
      "inject=\(fault.call.name):\(fault.text)",
    ]
    try check("\(fault.call.name) \(fault.text)", prefix, index, digests, proof)
  }

  /// Writes that are cut short by a limit of the file's size.
  private func limits(step: Int, _ digests: [UInt64], _ proof: Proof) throws {
    for kilobytes in stride(from: 0, to: 24, by: max(1, step / 2)) {
      for signal in ["", "trap '' XFSZ; "] {
        let prefix = ["/bin/sh", "-c", "\(signal)ulimit -f \(kilobytes); exec \"$@\"", "sh"]
        try check(
          "a limit of \(kilobytes) KB \(signal)", prefix, 100_000 + kilobytes, digests, proof,
          mayBeKilled: signal.isEmpty)
      }
    }
  }

  private func check(
    _ what: String, _ prefix: [String], _ index: Int, _ digests: [UInt64], _ proof: Proof,
    mayBeKilled: Bool = false
  ) throws {
    proof.add()
    let path = folder + "/fault.\(index).junction"
    try? FileManager.default.removeItem(atPath: path)
    try FileManager.default.copyItem(atPath: base, toPath: path)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let run = try start(path, prefix)
    let isKill = what.contains("SIGKILL") || mayBeKilled
    let crashes = ["Fatal error", "Program crashed", "Segmentation"]
    if crashes.contains(where: run.errors.contains) || (run.killed && !isKill)
      || (run.status > 3 && run.status != 127 && !isKill)
    {
      proof.fail("\(what): ended with \(run.status): \(run.errors.prefix(300))")
    }
    if run.status == 0 { proof.add(1, to: "went on to the end") }
    let lines = run.output.split(separator: "\n")
    let acknowledged = lines.last { $0.hasSuffix(".") }.flatMap { Int($0.dropLast()) }
    let database = try Database(path: path)
    let connection = database.connect()
    let found = try SchoolHistory.last(connection)
    if found < acknowledged ?? Self.before {
      proof.fail("\(what): \(found) of \(acknowledged ?? 0) are there")
    } else if try SchoolHistory.digest(connection) != digests[found] {
      proof.fail("\(what): transaction \(found) is there by halves")
    }
    try database.close()
  }
}
