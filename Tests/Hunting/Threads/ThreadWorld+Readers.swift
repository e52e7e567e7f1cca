import Diagnostics
import Foundation
import Junction
import SimulatedDisk

extension ThreadWorld {
  /// Reads from a thread: snapshots, the database itself and statements that are prepared.
  func read(_ worker: Int) {
    var random = random(worker)
    let connection = database.connect()
    noting("a read") {
      let byPupil = try connection.prepare(
        "SELECT lesson_id FROM attends WHERE pupil_id = $1 ORDER BY 1")
      let byLesson = try connection.prepare(
        "SELECT count(*) FROM attends a JOIN pupil p ON p.id = a.pupil_id WHERE a.lesson_id = $1")
      while !isOver {
        let snapshot = database.snapshot
        try check("a snapshot", snapshot, &random)
        let links = try snapshot.query(ThreadSchool.linkQuery).count
        if let fault = try ThreadSchool.faultOfLinks(snapshot) { fail("links of a state", fault) }
        if try snapshot.query(ThreadSchool.linkQuery).count != links {
          fail("a snapshot", "it has another number of links than before")
        }
        let key = random.within(1...ThreadSchool.lessonCount)
        _ = try byPupil.query(key.sqlValue)
        _ = try byLesson.query(key.sqlValue)
        if try database.fetchOne(Int.self, ThreadSchool.fortuneQuery) != ThreadSchool.fortune {
          fail("a statement", "it sees a transaction by halves")
        }
        count("rounds of reading")
      }
    }
  }

  /// Reads from tasks that now and then are cancelled while they wait or run.
  func readAsync(_ worker: Int) async {
    var random = random(worker)
    while !isOver {
      let own = SimulationRandom(seed: random.next())
      let isLong = random.chance(30)
      let task = Task { [self] in
        try await database.read { [self] db in
          var random = own
          try check("a read", db, &random)
          if isLong {
            _ = try db.query(
              "SELECT count(*) FROM generate_series(1, 300) a, generate_series(1, 300) b WHERE a # b = 7"
            )
          }
        }
      }
      if random.chance(50) {
        try? await Task.sleep(for: random.moment(1500))
        task.cancel()
      }
      do { try await task.value } catch { note(error, of: "an asynchronous read") }
      await Task.yield()
    }
  }
}
