import Diagnostics
import Foundation
import Junction
import SimulatedDisk

extension ThreadWorld {
  /// Writes from a thread: transactions with savepoints, of which some are undone, and statements by themselves.
  func write(_ worker: Int, steps: Int) {
    var random = random(worker)
    for step in 0..<steps {
      noting("a write") {
        if random.chance(30) {
          try ThreadSchool.change(database, &random)
          return count("changes by themselves")
        }
        let number = number(worker, step)
        try database.write { db in try carryOut(number, db, &random) }
        note(done: number)
      }
    }
  }

  /// Writes from a task, which now and then is cancelled while it waits for its turn or runs.
  func writeAsync(_ worker: Int, steps: Int) async {
    var random = random(worker)
    for step in 0..<steps {
      let number = number(worker, step)
      let own = SimulationRandom(seed: random.next())
      let task = Task { [self] in
        try await database.write { [self] db in
          var random = own
          try carryOut(number, db, &random)
        }
      }
      let isCancelled = random.chance(40)
      if isCancelled {
        try? await Task.sleep(for: random.moment(2000))
        task.cancel()
      }
      do {
        try await task.value
        note(done: number)
      } catch {
        // What is thrown is not there, cancelled or not.
        note(error, of: "an asynchronous write")
      }
    }
  }

  private func number(_ worker: Int, _ step: Int) -> Int { worker * 1_000_000 + step }

  /// One transaction; what it throws leaves nothing of it.
  func carryOut(
    _ number: Int, _ db: borrowing Transaction, _ random: inout SimulationRandom
  ) throws {
    let count = try db.execute("INSERT INTO done VALUES (\(number))")
    if count != 1 { fail("a row that was not inserted", "\(number): \(count)") }
    for _ in 0..<random.within(1...4) {
      let before = try db.query(ThreadSchool.linkQuery)
      let isUndone = random.chance(25)
      do {
        try db.savepoint { db in
          try ThreadSchool.change(db, &random)
          if random.chance(30) { try ThreadSchool.transfer(db, &random) }
          if isUndone { throw Deliberate() }
        }
      } catch let error as SQLError where !Self.mayHappen(error) {
        throw error
      } catch {
        let after = try db.query(ThreadSchool.linkQuery)
        if !after.elementsEqual(before, by: { $0.values == $1.values }) {
          fail("a savepoint that was undone", "\(before.count) links before, \(after.count) after")
        }
      }
    }
    if random.chance(20) { try check("within a transaction", db.snapshot, &random) }
    if random.chance(15) { throw Deliberate() }
  }

  /// Forks, writes into the fork and looks whether anything comes through from either side.
  func fork(_ worker: Int) {
    var random = random(worker)
    while !isOver {
      noting("a fork") {
        let fork = database.fork()
        let there = try fork.fetchAll(Int.self, ThreadSchool.doneQuery)
        var links = fork.updates(Attendance.self, ThreadSchool.linkQuery).makeAsyncIterator()
        var last: [Attendance] = []
        for step in 0..<random.within(1...4) {
          // Below those of the writers, and below 0 so that one that gets out is seen.
          noting("a write into a fork") {
            try fork.write { db in try carryOut(-1 - step, db, &random) }
          }
          if case .changed(let value) = try links.look() { last = value }
          if try fork.fetchAll(Attendance.self, ThreadSchool.linkQuery) != last {
            fail("an observer of a fork", "it does not have the last answer")
          }
        }
        let after = try fork.fetchAll(Int.self, "SELECT id FROM done WHERE id >= 0 ORDER BY id")
        if after != there { fail("a fork", "\(there.count) transactions, then \(after.count)") }
        try check("a fork", fork, &random)
      }
      count("forks")
      if random.chance(20) { noting("a checkpoint") { try database.checkpoint() } }
      Thread.sleep(forTimeInterval: random.moment(2000) / .seconds(1))
    }
  }
}
