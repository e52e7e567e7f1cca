import Diagnostics
import Junction
import SimulatedDisk
import Synchronization

/// An observer that stays until the end: what it was told last, and what a plain run gives.
struct ThreadWatch: Sendable {
  let name: String
  /// Whether the last answer is the one that the database gives now.
  let isRight: @Sendable () throws -> Bool
  let task: Task<Void, any Error>

  /// Follows a question.
  init<Value: Sendable & Equatable>(
    _ name: String, _ updates: LiveValues<Value>, _ plain: @escaping @Sendable () throws -> Value
  ) {
    self.name = name
    let last = ThreadAnswer<Value>()
    isRight = { try last.value.withLock { $0 } == plain() }
    task = Task { for try await value in updates { last.value.withLock { $0 = value } } }
  }

  /// Follows the changes of the links, and makes of them what the table should be.
  init(linksOf database: Database) throws(SQLError) {
    name = "changes(of:)"
    let rows = try database.fetchAll(Attendance.self, ThreadSchool.linkQuery)
    let changes = database.changes(of: Attendance.self)
    let links = Mirror(rows)
    isRight = {
      try links.rows.withLock { $0 }
        == Set(database.fetchAll(Attendance.self, ThreadSchool.linkQuery))
    }
    // It counts from here on, as nobody writes yet.
    var iterator = changes.makeAsyncIterator()
    task = Task {
      while let changes = try await iterator.next() { try links.apply(changes) }
    }
  }

  /// Rows as their changes have made them.
  private final class Mirror: Sendable {
    let rows: Mutex<Set<Attendance>>

    init(_ rows: [Attendance]) { self.rows = Mutex(Set(rows)) }

    /// - Throws: if a change does not fit what is there.
    func apply(_ changes: [RowChange<Attendance>]) throws {
      let misfit = rows.withLock { rows -> RowChange<Attendance>? in
        // A key may go from one row to another, so that what comes is put in when the rest has gone.
        var coming: [(row: Attendance, change: RowChange<Attendance>)] = []
        for change in changes {
          switch change {
          case .inserted(let new): coming.append((new, change))
          case .updated(let old, let new):
            if rows.remove(old) == nil { return change }
            coming.append((new, change))
          case .deleted(let old): if rows.remove(old) == nil { return change }
          }
        }
        for (row, change) in coming where !rows.insert(row).inserted { return change }
        return nil
      }
      if let misfit { throw SQLError.internal("a change that does not fit: \(misfit)") }
    }
  }
}

/// What an observer was told last.
final class ThreadAnswer<Value: Sendable>: Sendable {
  let value = Mutex<Value?>(nil)
}

extension ThreadWorld {
  /// Several answers to one state.
  struct Both: Sendable, Equatable {
    var lessons: [Lesson]
    var count: Int
    var fortune: Int
  }

  /// A row of what pupils have come to in a lesson.
  private struct Marks: Decodable, Sendable, Equatable {
    var lessonID: Int
    var count: Int
    var sum: Int?
  }

  private static func both(_ db: Snapshot) throws(SQLError) -> Both {
    Both(
      lessons: try Lesson.order(by: \.id).fetch(db), count: try Lesson.all.count(db),
      fortune: try db.fetchOne(Int.self, ThreadSchool.fortuneQuery))
  }

  /// Observers of each kind that stay until the end.
  func watch(_ worker: Int) throws -> [ThreadWatch] {
    var random = random(worker)
    let database = database
    let pupil = Pupil(id: random.within(1...ThreadSchool.pupilCount))
    let lesson = Lesson(id: random.within(1...ThreadSchool.lessonCount))
    let lessons = pupil.lessons.order(by: \.id)
    let named = Pupil.where { $0.name == "P\(pupil.id)" }.order(by: \.id)
    let sql: SQL = """
      SELECT lesson_id, count(*), sum(mark) FROM attends GROUP BY lesson_id ORDER BY 1
      """
    return [
      ThreadWatch("lessons of a pupil", lessons.updates(in: database)) {
        try lessons.fetch(database)
      },
      ThreadWatch("pupils of a lesson", lesson.pupils.countUpdates(in: database)) {
        try lesson.pupils.count(database)
      },
      ThreadWatch("free lessons", pupil.lessons.available.countUpdates(in: database)) {
        try pupil.lessons.available.count(database)
      },
      ThreadWatch("pupils by name", named.updates(in: database)) { try named.fetch(database) },
      ThreadWatch("lessons with pupils", database.updates(Marks.self, sql)) {
        try database.fetchAll(Marks.self, sql)
      },
      ThreadWatch("several answers", database.observe(Self.both)) {
        try Self.both(database.snapshot)
      },
      ThreadWatch("transactions", database.updates(Int.self, ThreadSchool.doneQuery)) {
        try database.fetchAll(Int.self, ThreadSchool.doneQuery)
      },
      try ThreadWatch(linksOf: database),
    ]
  }

  /// Observers that come and go: some let go of their iterator after a few answers, some are cancelled.
  func watchAWhile(_ worker: Int) async {
    var random = random(worker)
    var tasks: [Task<Void, Never>] = []
    while !isOver {
      let pupil = Pupil(id: random.within(1...ThreadSchool.pupilCount))
      let answers = random.within(0...3)
      switch random.below(4) {
      case 0: tasks.append(follow(pupil.lessons.updates(in: database), answers) { _ in true })
      case 1: tasks.append(follow(Attendance.all.countUpdates(in: database), answers) { $0 >= 0 })
      case 2:
        tasks.append(
          follow(database.observe(Self.both), answers) {
            $0.lessons.count == $0.count && $0.fortune == ThreadSchool.fortune
          })
      default:
        tasks.append(follow(database.changes(of: Attendance.self), answers) { !$0.isEmpty })
      }
      try? await Task.sleep(for: random.moment(1500))
      if random.chance(50) { tasks.randomElement(using: &random)?.cancel() }
      if tasks.count > 8 {
        let first = tasks.removeFirst()
        first.cancel()
        await first.value
      }
    }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }

  /// Follows a question for some answers, of which each has to be sound.
  private func follow<Value: Sendable>(
    _ updates: LiveValues<Value>, _ answers: Int, _ isSound: @escaping @Sendable (Value) -> Bool
  ) -> Task<Void, Never> {
    Task { [self] in
      var iterator = updates.makeAsyncIterator()
      do {
        for _ in 0..<answers {
          guard let value = try await iterator.next() else { break }
          if !isSound(value) { fail("an unsound answer", "\(value)") }
        }
        // An iterator that is let go of while it has been told of something, and was not asked.
        count("observers that went")
      } catch { note(error, of: "an observer") }
    }
  }

  /// Waits until the observers have all been told of what is there, for as long as one may have to wait, and lets go of them.
  func checkWatches(_ watches: [ThreadWatch]) async {
    for watch in watches {
      await expect(watch.name) { try watch.isRight() }
      watch.task.cancel()
      do { try await watch.task.value } catch { note(error, of: "observer \(watch.name)") }
    }
  }

  /// Waits until a condition holds, and notes if it never does.
  func expect(
    _ what: String, isolation: isolated (any Actor)? = #isolation, _ holds: () throws -> Bool
  ) async {
    let start = ContinuousClock.now
    do {
      while try !holds() {
        guard ContinuousClock.now - start < patience else {
          return fail("an answer that never came", what)
        }
        try await Task.sleep(for: .milliseconds(1))
      }
      count("observers in the end")
    } catch { note(error, of: what) }
  }
}
