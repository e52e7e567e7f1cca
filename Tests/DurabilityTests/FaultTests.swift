import Diagnostics
import Durability
import SimulatedDisk
import Testing

@Suite("When any call of a workload fails:")
struct FaultTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let fault: SimulatedFault
    let isForEver: Bool
    var testDescription: String { "\(fault), \(isForEver ? "for ever" : "once")" }
  }

  private static let faults: [SimulatedFault] = [
    .error(DiskError.noSpace), .error(DiskError.ioError), .error(DiskError.interrupted), .short,
    .lostSync,
  ]

  static let cases = faults.flatMap {
    [Case(fault: $0, isForEver: false), Case(fault: $0, isForEver: true)]
  }

  /// What a statement may end with when the disk fails.
  private static let expected: Set<SQLState> = [
    .diskFull, .ioError, .statementCompletionUnknown, .undefinedFile, .duplicateFile,
    .readOnlyTransaction, .insufficientPrivilege,
  ]

  @Test("memory and disk stay at one and the same commit", arguments: cases)
  func everyCall(_ example: Case) throws {
    let (seeds, stepCount, patternCount) =
      DurabilityCases.isLong
      ? (UInt64(1)...40, 20, UInt64(6)) : (UInt64(1)...1, 8, UInt64(2))
    var runCount = 0
    let start = ContinuousClock.now
    for seed in seeds {
      let calls = SimulatedDisk()
      var clean = Workload(seed: seed, stepCount: stepCount)
      clean.run(on: calls)
      let prefixes = Ledger.prefixes(clean.promise.begun + 1)
      for index in 0..<calls.operationCount {
        runCount += 1
        let disk = SimulatedDisk(
          SimulatedState(),
          SimulatedFaultPlan(at: index, example.fault, forEver: example.isForEver))
        var workload = Workload(seed: seed, stepCount: stepCount)
        workload.run(on: disk)
        let place: Comment = "seed \(seed), call \(index): \(workload.promise)"
        for error in workload.errors {
          #expect(Self.expected.contains(error.state), "\(place): \(error)")
        }
        disk.plan = nil
        check(disk.state.killed(), workload, workload.promise.logged, prefixes, place)
        for pattern in 0..<patternCount {
          let state = disk.state.crash(seed: pattern < 4 ? pattern : pattern + UInt64(index))
          check(state, workload, workload.promise.durable, prefixes, place)
        }
      }
    }
    DurabilityCases.report("faulty runs (\(example.testDescription))", runCount, since: start)
  }

  private func check(
    _ state: SimulatedState, _ workload: Workload, _ least: Int, _ prefixes: [Ledger],
    _ place: Comment
  ) {
    do throws(SQLError) {
      let database = try LedgerDatabase(on: SimulatedDisk(state), workload.options)
      let count = Int(database.ledger.sequence)
      #expect(count >= least && count <= workload.promise.begun, "\(count) there; \(place)")
      #expect(count < prefixes.count && database.ledger == prefixes[count], place)
    } catch {
      Issue.record("\(place): \(error)")
    }
  }

  @Test("a full disk fails single commits, and work goes on when there is room again")
  func fullDisk() throws {
    let disk = SimulatedDisk()
    var database = try LedgerDatabase(on: disk)
    for _ in 0..<5 { try database.commit() }
    disk.plan = SimulatedFaultPlan(at: disk.operationCount, .error(DiskError.noSpace))
    let error = #expect(throws: SQLError.self) { try database.commit() }
    #expect(error?.state == .diskFull)
    #expect(database.folder.log?.isReadOnly == false)
    for _ in 0..<5 { try database.commit() }
    try database.folder.close()
    #expect(try LedgerDatabase(on: disk).ledger == Ledger.prefixes(10)[10])
  }

  @Test("what a full disk has let in of a commit is gone when the next ones come")
  func halfWritten() throws {
    let big = [UInt8](repeating: 7, count: 60_000)
    for growth in [0, 512] {
      for offset in 0..<4 {
        for fault in [SimulatedFault.short, .error(DiskError.noSpace)] {
          let disk = SimulatedDisk()
          var database = try LedgerDatabase(
            on: disk, LedgerDatabase.options { $0.logGrowthLimit = growth })
          for _ in 0..<5 { try database.commit() }
          let size = try #require(disk.bytes(of: "\(LedgerDatabase.path)/wal.1")).count
          // Some of the bytes arrive, and for the others there is no room.
          disk.plan = SimulatedFaultPlan(at: disk.operationCount + offset, fault)
          disk.spaceLimit = size + 40_000
          let log = try #require(database.folder.log)
          let error = #expect(throws: SQLError.self) {
            _ = try log.wait(for: try log.append(big.span))
          }
          disk.plan = nil
          disk.spaceLimit = nil
          if error?.state != .diskFull { continue }
          #expect(
            (disk.bytes(of: "\(LedgerDatabase.path)/wal.1") ?? []).count <= size + 512,
            "growth \(growth), call \(offset), \(fault)")
          for _ in 0..<3 { try database.commit() }
          try database.folder.close()
          let reopened = try LedgerDatabase(on: disk)
          #expect(reopened.ledger == Ledger.prefixes(8)[8])
          #expect(reopened.notices.isEmpty, "growth \(growth), call \(offset), \(fault)")
        }
      }
    }
  }

  @Test("a failed sync is final: the waiting commit is unknown, later ones are refused")
  func failedSync() throws {
    let disk = SimulatedDisk()
    var database = try LedgerDatabase(on: disk, LedgerDatabase.options { $0.logGrowthLimit = 0 })
    for _ in 0..<5 { try database.commit() }
    // The write succeeds, its sync does not, and the next sync would.
    disk.plan = SimulatedFaultPlan(at: disk.operationCount + 1, .lostSync)
    let first = #expect(throws: SQLError.self) { try database.commit() }
    #expect(first?.state == .statementCompletionUnknown)
    let second = #expect(throws: SQLError.self) { try database.commit() }
    #expect(second?.state == .ioError)
    #expect(throws: SQLError.self) { try database.checkpoint() }
    #expect(database.folder.log?.isReadOnly == true)
    let reopened = try LedgerDatabase(on: SimulatedDisk(disk.state.crash(seed: 0)))
    #expect(reopened.ledger.sequence == 5 || reopened.ledger.sequence == 6)
  }
}
