import Foundation
import Synchronization

/// What one proof has come to.
///
/// Goes to standard output as a line of a table, and to the ledger as a line of JSON.
final class Proof: Sendable {
  private struct Tally {
    var count = 0
    var failures: [String] = []
    var figures: [String: Int] = [:]
  }

  let name: String
  private let tally = Mutex(Tally())
  private let start = ContinuousClock.now

  init(_ name: String) { self.name = name }

  var count: Int { tally.withLock { $0.count } }

  /// Notes cases that were looked at.
  func add(_ count: Int = 1) { tally.withLock { $0.count += count } }

  /// Adds to a figure that says more than the count.
  func add(_ count: Int, to figure: String) {
    tally.withLock { $0.figures[figure, default: 0] += count }
  }

  /// Notes a case in which a promise was not kept.
  func fail(_ what: String) {
    tally.withLock { tally in
      tally.failures.append(what)
      if tally.failures.count <= 10 { Self.say("  FAILED \(name): \(what)") }
    }
  }

  /// Prints what the proof has come to, and adds it to the ledger.
  ///
  /// - Returns: whether nothing failed.
  @discardableResult
  func report() -> Bool {
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let tally = self.tally.withLock { $0 }
    let rate = Int(Double(tally.count) / max(seconds, 0.001))
    let figures = tally.figures.sorted { $0.key < $1.key }
    let text = figures.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    Self.say(
      "\(name): \(tally.count) cases, \(tally.failures.count) failed, \(Int(seconds)) s, \(rate)/s"
        + (text.isEmpty ? "" : " (\(text))"))
    var entry: [String: Any] = [
      "proof": name, "count": tally.count, "failures": tally.failures.count,
      "seconds": (seconds * 10).rounded() / 10,
      "date": ISO8601DateFormatter().string(from: Date()),
      "machine": ProcessInfo.processInfo.operatingSystemVersionString
        + ", \(ProcessInfo.processInfo.activeProcessorCount) cores",
    ]
    if !tally.figures.isEmpty { entry["figures"] = tally.figures }
    if let first = tally.failures.first { entry["first"] = first }
    let environment = ProcessInfo.processInfo.environment
    if let commit = environment["JUNCTION_COMMIT"] { entry["commit"] = commit }
    if let ledger = environment["JUNCTION_LEDGER"] { Self.append(entry, to: ledger) }
    return tally.failures.isEmpty
  }

  /// Prints a line at once, also where the output is no terminal.
  private static func say(_ line: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
  }

  private static func append(_ entry: [String: Any], to path: String) {
    guard
      let line = try? JSONSerialization.data(withJSONObject: entry, options: [.sortedKeys])
    else { return }
    if !FileManager.default.fileExists(atPath: path) {
      _ = FileManager.default.createFile(atPath: path, contents: nil)
    }
    guard let file = FileHandle(forWritingAtPath: path) else { return }
    defer { try? file.close() }
    _ = try? file.seekToEnd()
    try? file.write(contentsOf: line + [10])
  }

  /// Runs `body` for each number below `count`, on all cores.
  static func forEach(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let next = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(
      iterations: min(count, ProcessInfo.processInfo.activeProcessorCount)
    ) { _ in
      while true {
        let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
        if index >= count { return }
        body(index)
      }
    }
  }
}
