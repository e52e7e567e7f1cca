import Durability
import Foundation
import Hunting
import Synchronization

/// Threads and tasks of all kinds over one database, round after round, on the first thread's watch.
struct ThreadProof {
  let seed: UInt64
  let seconds: Double
  let folder: String
  /// A round that takes longer has not ended.
  private static let limit = Duration.seconds(600)

  /// - Returns: whether nothing was found.
  func run() -> Bool {
    let proof = Proof(ThreadHunt.name)
    let start = ContinuousClock.now
    var next = seed
    repeat {
      let seed = next
      let tally = Mutex<HuntTally?>(nil)
      let path = "\(folder)/\(seed)"
      Task {
        let found = await ThreadHunt().round(seed, path, on: PosixDisk())
        tally.withLock { $0 = found }
      }
      guard let found = Self.wait({ tally.withLock { $0 } }) else {
        proof.fail("a round that does not end, seed \(seed)")
        return proof.report()
      }
      proof.add(found.cases)
      for (figure, count) in found.figures { proof.add(count, to: figure) }
      for finding in found.findings { proof.fail(finding.text) }
      try? FileManager.default.removeItem(atPath: path)
      next += 1
    } while (ContinuousClock.now - start) / .seconds(1) < seconds
    return proof.report()
  }

  /// Waits for a value while the main actor has its turns on this thread; nil when it does not come.
  private static func wait<Value>(_ value: () -> Value?) -> Value? {
    let start = ContinuousClock.now
    while ContinuousClock.now - start < limit {
      if let value = value() { return value }
      _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
    }
    return nil
  }
}
