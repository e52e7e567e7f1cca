import Diagnostics
import Durability
import SimulatedDisk

/// What the disk must hold at a moment, kept in the disk's note so that each recorded state knows its own.
struct Promise: Hashable, CustomStringConvertible {
  /// How many transactions survive the loss of power.
  var durable = 0
  /// How many survive the end of the process.
  var logged = 0
  /// How many may be there at most.
  var begun = 0

  private static let mask = 1 << 20 - 1
  var note: Int { durable << 40 | logged << 20 | begun }

  init() {}
  init(note: Int) {
    durable = note >> 40
    logged = note >> 20 & Self.mask
    begun = note & Self.mask
  }

  var description: String { "\(durable) durable, \(logged) logged, \(begun) begun" }
}

/// Commits, checkpoints, closings and openings in an order that follows from a seed.
struct Workload {
  let seed: UInt64
  let stepCount: Int
  let options: FolderOptions
  private(set) var promise = Promise()
  /// The errors that statements ended with.
  private(set) var errors: [SQLError] = []
  /// Whether an opening failed.
  private(set) var couldNotOpen = false

  init(seed: UInt64, stepCount: Int) {
    self.seed = seed
    self.stepCount = stepCount
    var random = SimulationRandom(seed: seed &* 31)
    options = LedgerDatabase.options { options in
      options.newDatabaseID = DatabaseID(low: seed, high: ~seed)
      options.logGrowthLimit = [0, 100, 2000][random.below(3)]
      if random.chance(30) { options.logMode = .deferred(windowMilliseconds: nil) }
    }
  }

  /// Runs to the end, or to the error after which nothing can go on.
  mutating func run(on disk: SimulatedDisk) {
    var random = SimulationRandom(seed: seed)
    guard var database = open(on: disk) else { return }
    var step = 0
    while step < stepCount {
      step += 1
      switch random.below(12) {
      case 0:
        attempt(disk) { () throws(SQLError) in try database.checkpoint() }
      case 1:
        // Commits go on while the snapshot is written.
        let pinned = database.ledger
        var begun: PendingCheckpoint?
        attempt(disk) { () throws(SQLError) in begun = try database.folder.beginCheckpoint() }
        for _ in 0..<random.below(3) { commit(&database, disk) }
        guard let begun else { break }
        attempt(disk) { () throws(SQLError) in try database.complete(begun, pinned) }
      case 2:
        attempt(disk) { () throws(SQLError) in try database.folder.log?.flush() }
      case 3:
        attempt(disk) { () throws(SQLError) in try database.folder.close() }
        guard let next = open(on: disk) else { return }
        database = next
      default: commit(&database, disk)
      }
      note(database, disk)
    }
    attempt(disk) { () throws(SQLError) in try database.folder.close() }
    note(database, disk)
  }

  private mutating func open(on disk: SimulatedDisk) -> LedgerDatabase? {
    do throws(SQLError) {
      let database = try LedgerDatabase(on: disk, options)
      note(database, disk)
      return database
    } catch {
      errors.append(error)
      couldNotOpen = true
      return nil
    }
  }

  private mutating func attempt(
    _ disk: SimulatedDisk, _ body: () throws(SQLError) -> Void
  ) {
    do throws(SQLError) { try body() } catch { errors.append(error) }
  }

  private mutating func commit(_ database: inout LedgerDatabase, _ disk: SimulatedDisk) {
    let begunBefore = promise.begun
    promise.begun = max(promise.begun, Int(database.ledger.sequence) + 1)
    disk.note = promise.note
    do throws(SQLError) {
      try database.commit()
      promise.logged = Int(database.ledger.sequence)
      if options.logMode == .synchronous { promise.durable = promise.logged }
    } catch {
      errors.append(error)
      // Only then may it be there all the same.
      if error.state != .statementCompletionUnknown { promise.begun = begunBefore }
    }
    note(database, disk)
  }

  /// Tells the disk what it now has to keep.
  private mutating func note(_ database: LedgerDatabase, _ disk: SimulatedDisk) {
    let durable = Int(database.folder.log?.durableSequence ?? 0)
    promise.durable = max(promise.durable, durable)
    promise.logged = max(promise.logged, durable)
    promise.begun = max(promise.begun, promise.logged)
    disk.note = promise.note
  }
}
