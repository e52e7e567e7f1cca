import Diagnostics
import Durability
import SimulatedDisk
import Testing

@Suite("When the power goes at any call of a workload:")
struct PowerCutTests {
  /// The ways in which what was not synced survives, of each state.
  private static let patternCount: UInt64 = 16

  private static func failure(
    _ workload: Workload, _ index: Int, _ pattern: UInt64, _ what: String
  ) -> Comment {
    "seed \(workload.seed), change \(index), pattern \(pattern): \(what)"
  }

  /// Opens what survived, and checks that it is a prefix of the commits that holds all it must.
  @discardableResult
  private static func open(
    _ disk: SimulatedDisk, _ workload: Workload, from least: Int, to most: Int,
    _ prefixes: [Ledger], _ failure: (String) -> Comment
  ) -> Int? {
    do throws(SQLError) {
      let database = try LedgerDatabase(on: disk, workload.options)
      let count = Int(database.ledger.sequence)
      guard count >= least && count <= most && database.ledger == prefixes[count] else {
        Issue.record(failure("\(count) commits are there, not \(least) to \(most)"))
        return nil
      }
      return count
    } catch {
      Issue.record(failure("\(error)"))
      return nil
    }
  }

  @Test("no durable commit is lost, none is there by halves, also when it goes during recovery")
  func cuts() throws {
    let start = ContinuousClock.now
    let wanted = DurabilityCases.count(usually: 600)
    var (cutCount, doubleCount, tripleCount) = (0, 0, 0)
    var seed = DurabilityCases.seed ?? 1
    while cutCount < wanted {
      var workload = Workload(seed: seed, stepCount: DurabilityCases.isLong ? 24 : 10)
      let disk = SimulatedDisk()
      disk.isRecording = true
      workload.run(on: disk)
      #expect(workload.errors.isEmpty, "seed \(seed)")
      let prefixes = Ledger.prefixes(workload.promise.begun + 1)
      for (index, state) in disk.history.enumerated() {
        let promise = Promise(note: state.note)
        for pattern in 0..<Self.patternCount {
          cutCount += 1
          let failure = { (what: String) -> Comment in
            Self.failure(workload, index, pattern, "\(what) (\(promise))")
          }
          let cut = pattern < 4 ? pattern : seed << 32 | UInt64(index) << 8 | pattern
          let survivor = SimulatedDisk(state.crash(seed: cut))
          // The recovery of some is cut in its turn at each change that it makes.
          survivor.isRecording = pattern % 4 == UInt64(index % 4)
          guard
            let count = Self.open(
              survivor, workload, from: promise.durable, to: promise.begun, prefixes, failure)
          else { continue }
          for (step, second) in survivor.history.enumerated() {
            for again in UInt64(0)..<4 {
              doubleCount += 1
              let disk = SimulatedDisk(second.crash(seed: again == 3 ? cut ^ again : again))
              disk.isRecording = again == 3 && step == index % 7
              let failure = { (what: String) in failure("again at \(step), \(again): \(what)") }
              Self.open(disk, workload, from: count, to: count, prefixes, failure)
              for third in disk.history {
                tripleCount += 1
                Self.open(
                  SimulatedDisk(third.crash(seed: cut &+ 9)), workload, from: count, to: count,
                  prefixes, failure)
              }
            }
          }
        }
      }
      seed += 1
      if DurabilityCases.seed != nil { break }
    }
    DurabilityCases.report(
      "power cuts (\(doubleCount) during recovery, \(tripleCount) during the second recovery)",
      cutCount + doubleCount + tripleCount, since: start)
  }

  @Test("a killed process loses nothing that was logged, and what was then read stays")
  func kills() throws {
    for seed in UInt64(1)...(DurabilityCases.isLong ? 200 : 2) {
      var workload = Workload(seed: seed, stepCount: DurabilityCases.isLong ? 24 : 10)
      let disk = SimulatedDisk()
      disk.isRecording = true
      workload.run(on: disk)
      let prefixes = Ledger.prefixes(workload.promise.begun + 2)
      for (index, state) in disk.history.enumerated() {
        let promise = Promise(note: state.note)
        let failure = { (what: String) -> Comment in
          Self.failure(workload, index, 0, "\(what) (\(promise))")
        }
        let survivor = SimulatedDisk(state.killed())
        guard
          let count = Self.open(
            survivor, workload, from: promise.logged, to: promise.begun, prefixes, failure)
        else { continue }
        // The system may never have been told to write what the opening has read and shown.
        for pattern in UInt64(0)..<6 {
          let cut = SimulatedDisk(
            survivor.state.crash(seed: pattern < 4 ? pattern : seed + pattern))
          Self.open(cut, workload, from: count, to: count, prefixes, failure)
        }
      }
    }
  }

  @Test("whole frames of a tail that was cut do not come back behind a commit of the same length")
  func cutTail() throws {
    let options = LedgerDatabase.options { options in
      options.logMode = .deferred(windowMilliseconds: nil)
      options.logGrowthLimit = 0
    }
    let log = "\(LedgerDatabase.path)/wal.1"
    for count in 2..<8 {
      let disk = SimulatedDisk()
      var database = try LedgerDatabase(on: disk, options)
      for _ in 0..<count { try database.commit() }
      try database.folder.log?.flush()
      let place = try #require(disk.bytes(of: log)).count
      for _ in 0..<3 { try database.commit() }
      // The first of the three did not reach the disk, the others did.
      var bytes = try #require(disk.bytes(of: log))
      bytes[place + 33] ^= 1
      let survivor = SimulatedDisk(disk.state.killed())
      survivor.place(bytes, at: log)
      var reopened = try LedgerDatabase(on: survivor, options)
      #expect(reopened.ledger == Ledger.prefixes(count)[count])
      try reopened.commit()
      let again = try LedgerDatabase(on: SimulatedDisk(survivor.state.killed()), options)
      #expect(again.ledger == Ledger.prefixes(count + 1)[count + 1])
    }
  }

  @Test("a checkpoint that has been written is in force")
  func checkpoints() throws {
    for seed in UInt64(0)..<20 {
      let disk = SimulatedDisk()
      var database = try LedgerDatabase(on: disk)
      for _ in 0..<3 {
        try database.commit()
        try database.checkpoint()
        let generation = database.folder.generation
        let survivor = SimulatedDisk(disk.state.crash(seed: seed))
        #expect(try LedgerDatabase(on: survivor).folder.generation == generation, "seed \(seed)")
      }
    }
  }

  @Test("until a new snapshot is in force, the one before can be fallen back on")
  func fallback() throws {
    let disk = SimulatedDisk()
    var database = try LedgerDatabase(on: disk)
    for _ in 0..<2 {
      try database.commit()
      try database.checkpoint()
    }
    try database.commit()
    disk.isRecording = true
    try database.checkpoint()
    for (index, state) in (disk.history + [disk.state]).enumerated() {
      let survivor = SimulatedDisk(state.crash(seed: 1))
      let generation = try LedgerDatabase(on: survivor).folder.generation
      let path = "\(LedgerDatabase.path)/snapshot.\(generation)"
      let damaged = SimulatedDisk(state.crash(seed: 1))
      var bytes = try #require(damaged.bytes(of: path))
      bytes[3] ^= 1
      damaged.place(bytes, at: path)
      let found = try LedgerDatabase(on: damaged)
      #expect(found.ledger == Ledger.prefixes(3)[3], "change \(index)")
    }
  }

  @Test("what was recovered can be gone on with")
  func goingOn() throws {
    for seed in UInt64(1)...(DurabilityCases.isLong ? 100 : 2) {
      var workload = Workload(seed: seed, stepCount: 20)
      let disk = SimulatedDisk()
      disk.isRecording = true
      workload.run(on: disk)
      for (index, state) in disk.history.enumerated() {
        let survivor = SimulatedDisk(state.crash(seed: seed << 20 + UInt64(index) + 4))
        var database = try LedgerDatabase(on: survivor, workload.options)
        let count = Int(database.ledger.sequence)
        try database.commit()
        // Nothing of a tail that was cut comes back behind what takes its place.
        let next = try LedgerDatabase(on: SimulatedDisk(survivor.state.killed()), workload.options)
        #expect(next.ledger == Ledger.prefixes(count + 1)[count + 1], "seed \(seed), \(index)")
        for step in 0..<2 {
          try database.commit()
          if step == index % 3 { try database.checkpoint() }
        }
        try database.folder.close()
        let reopened = try LedgerDatabase(on: survivor, workload.options)
        #expect(reopened.ledger == Ledger.prefixes(count + 3)[count + 3], "seed \(seed), \(index)")
        #expect(reopened.notices.isEmpty)
      }
    }
  }
}
