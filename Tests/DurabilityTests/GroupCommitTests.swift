import Diagnostics
import Durability
import Foundation
import SimulatedDisk
import Synchronization
import Testing

@Suite("Commits of many threads:")
struct GroupCommitTests {
  private static let identity = FileIdentity(database: DatabaseID(low: 7, high: 8), generation: 1)

  /// A log on a disk whose syncs take a while.
  private static func log(_ mode: LogMode, _ disk: SimulatedDisk) throws -> LogWriter {
    let file = try LogWriter.create("/wal.1", on: disk, identity: identity, baseSequence: 0)
    try disk.syncDirectory("/")
    disk.syncMilliseconds = 1
    return LogWriter(
      file: file, on: disk, identity: identity, end: 64, sequence: 0, mode: mode, growthLimit: 4096)
  }

  /// The numbers and contents of the transactions that would survive if the power went now.
  private static func survivors(_ disk: SimulatedDisk) throws(SQLError) -> [LogTransaction] {
    let survivor = SimulatedDisk(disk.state.crash(seed: 0))
    let reader = try LogReader("/wal.1", on: survivor, identity: identity)
    var found: [LogTransaction] = []
    while let transaction = try reader.next() { found.append(transaction) }
    return found
  }

  private static func run(threads count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for thread in 0..<count {
      group.enter()
      Thread {
        body(thread)
        group.leave()
      }.start()
    }
    group.wait()
  }

  @Test(
    "each is durable when it is acknowledged, in the order of the appends, and syncs are shared")
  func groupCommit() throws {
    let disk = SimulatedDisk()
    let log = try Self.log(.synchronous, disk)
    let syncsBefore = disk.syncCount
    let commitCount = 25
    let payloads = Mutex<[UInt64: [UInt8]]>([:])
    let failures = Mutex<[String]>([])
    Self.run(threads: 8) { thread in
      for step in 0..<commitCount {
        do throws(SQLError) {
          let payload = Array("thread \(thread), commit \(step)".utf8)
          let sequence = try log.append(payload.span)
          payloads.withLock { $0[sequence] = payload }
          try log.wait(for: sequence)
          let durable = try Self.survivors(disk)
          if durable.count < Int(sequence) {
            failures.withLock { $0.append("\(sequence) was told too early") }
          }
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
    }
    #expect(failures.withLock { $0 } == [])
    let found = try Self.survivors(disk)
    #expect(found.map(\.sequence) == Array(1...UInt64(8 * commitCount)))
    let expected = payloads.withLock { $0 }
    #expect(found.allSatisfy { expected[$0.sequence] == $0.payload })
    #expect(disk.syncCount - syncsBefore < 8 * commitCount)
    try log.close()
  }

  @Test(
    "what was appended before the log is changed for the next one is durable when that is in force")
  func changedLog() throws {
    let disk = SimulatedDisk()
    let log = try Self.log(.synchronous, disk)
    let payload = Array("before the change".utf8)
    // Nobody has waited for it yet.
    let sequence = try log.append(payload.span)
    let next = FileIdentity(database: Self.identity.database, generation: 2)
    try log.rotate(to: next) { base throws(DiskError) in
      try LogWriter.create("/wal.2", on: disk, identity: next, baseSequence: base)
    }
    try log.wait(for: sequence)
    #expect(try Self.survivors(disk).map(\.payload) == [payload])
    try log.close()
  }

  @Test("a sync that fails leaves all who wait in doubt, and all who come later refused")
  func failedSync() throws {
    let disk = SimulatedDisk()
    let log = try Self.log(.synchronous, disk)
    let states = Mutex<[SQLState: Int]>([:])
    let acknowledged = Mutex<UInt64>(0)
    disk.plan = SimulatedFaultPlan(at: disk.operationCount + 100, .lostSync, forEver: true)
    Self.run(threads: 8) { thread in
      for _ in 0..<50 {
        do throws(SQLError) {
          let sequence = try log.append([UInt8](repeating: 1, count: 20).span)
          try log.wait(for: sequence)
          acknowledged.withLock { $0 = max($0, sequence) }
        } catch {
          states.withLock { $0[error.state, default: 0] += 1 }
        }
      }
    }
    let found = states.withLock { $0 }
    #expect(Set(found.keys).isSubset(of: [.statementCompletionUnknown, .ioError]))
    #expect(found[.ioError, default: 0] > 0)
    #expect(try Self.survivors(disk).count >= Int(acknowledged.withLock { $0 }))
    #expect(log.isReadOnly)
  }

  @Test("in deferred mode the window makes commits durable without being asked")
  func window() throws {
    let disk = SimulatedDisk()
    let log = try Self.log(.deferred(windowMilliseconds: 20), disk)
    for _ in 0..<3 {
      let sequence = try log.append([UInt8](repeating: 2, count: 30).span)
      try log.wait(for: sequence)
      #expect(log.durableSequence < sequence)
      let deadline = ContinuousClock.now + .seconds(10)
      while log.durableSequence < sequence && ContinuousClock.now < deadline {
        Thread.sleep(forTimeInterval: 0.005)
      }
      #expect(try Self.survivors(disk).count == Int(sequence))
    }
    _ = try log.append([UInt8](repeating: 3, count: 30).span)
    try log.flush()
    #expect(try Self.survivors(disk).count == 4)
    try log.close()
  }

  @Test("a log is changed for the next one while threads commit")
  func rotation() throws {
    let disk = SimulatedDisk()
    disk.syncMilliseconds = 1
    let database = try LedgerDatabase(on: disk)
    let folder = database.folder
    let failures = Mutex<[String]>([])
    Self.run(threads: 4) { thread in
      for step in 0..<20 {
        do throws(SQLError) {
          if thread == 0 {
            if step % 5 == 0 { _ = try folder.beginCheckpoint() }
            continue
          }
          guard let log = folder.log else { return }
          try log.wait(for: log.append(Array("\(thread)".utf8).span))
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
    }
    #expect(failures.withLock { $0 } == [])
    try folder.close()
    let reopened = try LedgerDatabase(on: SimulatedDisk(disk.state.crash(seed: 0)))
    #expect(reopened.ledger.sequence == 60)
  }
}
