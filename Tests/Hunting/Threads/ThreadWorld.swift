import Diagnostics
import Foundation
import Junction
import SimulatedDisk
import Synchronization

/// One database and what its threads have found and done.
final class ThreadWorld: Sendable {
  private struct Notes {
    var tally = HuntTally()
    /// The numbers of the transactions that were acknowledged.
    var done: Set<Int> = []
  }

  let name: String
  let seed: UInt64
  let database: Database
  /// An observer that has not been told of a commit by then never will be.
  let patience: Duration
  private let notes = Mutex(Notes())
  private let over = Atomic(false)

  init(
    _ name: String, seed: UInt64, _ patience: Duration, _ database: Database
  ) throws(SQLError) {
    self.name = name
    self.patience = patience
    self.seed = seed
    self.database = database
    try database.execute(SQL(raw: ThreadSchool.definitions))
  }

  /// Whether nobody writes any more; who reads ends then.
  var isOver: Bool { over.load(ordering: .acquiring) }

  func end() { over.store(true, ordering: .releasing) }

  var tally: HuntTally { notes.withLock { $0.tally } }

  /// Random numbers of one of the threads.
  func random(_ worker: Int) -> SimulationRandom {
    SimulationRandom(seed: seed &* 7919 &+ UInt64(worker) &* 104_729)
  }

  // MARK: Notes

  func count(_ figure: String, _ count: Int = 1) {
    notes.withLock { $0.tally.count(figure, count) }
  }

  func note(done number: Int) {
    notes.withLock { notes in
      notes.done.insert(number)
      notes.tally.cases += 1
    }
  }

  func fail(_ kind: String, _ detail: String) {
    let finding = Finding(
      ThreadHunt.name, seed: seed, kind: "\(kind), \(name)", script: [], detail: detail)
    notes.withLock { $0.tally.findings.append(finding) }
  }

  /// Notes an error unless it is of those that other threads may cause.
  func note(_ error: any Error, of kind: String) {
    switch error {
    case is Deliberate: count("undone on purpose")
    case is CancellationError: count("cancelled")
    case let error as SQLError where Self.mayHappen(error): count("refused")
    default: fail("an error in \(kind)", "\(error)")
    }
  }

  /// A row that another thread has deleted is not there to be linked, changed or numbered.
  static func mayHappen(_ error: SQLError) -> Bool {
    switch error.state {
    case .foreignKeyViolation, .noDataFound: true
    default: false
    }
  }

  /// Thrown to have a transaction or a savepoint undone.
  struct Deliberate: Error {}

  /// Runs `body`, and notes what it throws.
  func noting(_ kind: String, _ body: () throws -> Void) {
    do { try body() } catch { note(error, of: kind) }
  }

  /// Asks for the rules that hold in every state.
  func check(
    _ what: String, _ db: borrowing some Reader & ~Copyable, _ random: inout SimulationRandom
  ) throws {
    if let fault = try ThreadSchool.fault(db, &random) { fail("a broken state, \(what)", fault) }
    count("states looked at")
  }

  // MARK: The end

  /// Compares what is there with what was acknowledged; in the end, and after the database was opened anew.
  func checkEnd(_ database: Database, _ kind: String) {
    noting(kind) {
      if let fault = try ThreadSchool.faultOfLinks(database) { fail("links, \(kind)", fault) }
      for row in try database.query("VERIFY") where row["sqlstate"] != .text("00000") {
        fail("damage, \(kind)", row.values.map { "\($0)" }.joined(separator: " "))
      }
      let there = Set(try database.fetchAll(Int.self, ThreadSchool.doneQuery))
      let done = notes.withLock { $0.done }
      let (lost, phantoms) = (done.subtracting(there), there.subtracting(done))
      if !lost.isEmpty {
        // A broken state is that for every statement; a broken plan may be asked another way.
        let again = try database.fetchAll(Int.self, "SELECT id + 0 FROM done").count
        fail("lost transactions, \(kind)", "\(lost.sorted()) of \(there.count), otherwise \(again)")
      }
      if !phantoms.isEmpty {
        fail("undone transactions are there, \(kind)", "\(phantoms.sorted())")
      }
    }
  }
}

/// Runs `body` on a thread of its own, with a stack as large as that of the first.
func onThread(_ body: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { continuation in
    let thread = Thread {
      body()
      continuation.resume()
    }
    thread.stackSize = 8 << 20
    thread.start()
  }
}

extension SimulationRandom {
  /// A moment of up to so many microseconds.
  mutating func moment(_ most: Int) -> Duration { .microseconds(below(most + 1)) }
}
