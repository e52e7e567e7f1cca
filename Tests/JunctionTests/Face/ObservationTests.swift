import Diagnostics
import Junction
import Synchronization
import Testing

private struct Student: Record, Hashable {
  var id: Int?
  var lastName: String?
  struct Relations: Sendable { let courses = Many<Course>() }
  static let relations = Relations()
}

private struct Course: Record, Hashable {
  var id: Int?
  var name: String?
  var room: String?
  struct Relations: Sendable { let students = Many<Student>() }
  static let relations = Relations()
}

private struct Enrolment: Record, Hashable {
  var studentID: Int
  var courseID: Int
  var mark: Double?
  static let table = "enrols_in"
}

private struct CourseName: Decodable, Sendable, Equatable { var name: String }

extension LiveValues.AsyncIterator {
  /// The answer that there is, or nil where there is no other than before.
  fileprivate mutating func now() throws -> Value? {
    guard case .changed(let value) = try look() else { return nil }
    return value
  }

  /// Whether a commit had it ask, whatever came of it.
  fileprivate mutating func isWoken() throws -> Bool {
    if case .quiet = try look() { return false }
    return true
  }
}

@Suite("Live queries")
struct ObservationTests {
  private let database = Database()

  init() throws {
    try database.execute(
      """
      CREATE TABLE student (id int PRIMARY KEY, last_name text);
      CREATE TABLE course (id int PRIMARY KEY, name text, room text);
      CREATE TABLE enrols_in (
        student_id int REFERENCES student ON DELETE CASCADE, course_id int REFERENCES course ON DELETE CASCADE,
        mark double precision, PRIMARY KEY (student_id, course_id));
      INSERT INTO student SELECT n, 'S' || n FROM generate_series(1, 2000) n;
      INSERT INTO course SELECT n, 'C' || n, 'R' || n FROM generate_series(1, 200) n;
      INSERT INTO enrols_in SELECT s, (s * 7 + c * 13) % 200 + 1 FROM generate_series(1, 2000) s, generate_series(1, 5) c;
      """)
  }

  private func student(_ id: Int) throws -> Student {
    try #require(try Student.find(id, in: database))
  }

  private func course(_ id: Int) throws -> Course {
    try #require(try Course.find(id, in: database))
  }

  @Test("leave time between two answers where that is asked for, and give the newest then")
  func throttled() async throws {
    let pause = Duration.milliseconds(60)
    var counts = database.updates(Int.self, "SELECT count(*) FROM course").throttled(pause)
      .makeAsyncIterator()
    var asked = ContinuousClock.now
    #expect(try await counts.next() == [200])
    for round in 0..<3 {
      for number in 0..<5 {
        try database.execute("INSERT INTO course VALUES (\(1000 + round * 5 + number))")
      }
      let before = asked
      asked = .now
      #expect(try await counts.next() == [205 + round * 5])
      #expect(ContinuousClock.now - before >= pause)
    }
  }

  @Test("give the answer that there is at once, then each that differs")
  func firstAtOnce() async throws {
    var names = database.updates(
      String.self, "SELECT name FROM course WHERE id <= 2 ORDER BY id"
    ).makeAsyncIterator()
    #expect(try await names.next() == ["C1", "C2"])
    try database.execute("UPDATE course SET name = 'Drama' WHERE id = 2")
    #expect(try await names.next() == ["C1", "Drama"])
    try database.execute("DELETE FROM course WHERE id = 1")
    #expect(try await names.next() == ["Drama"])
  }

  @Test("wake whoever waits when somebody else commits")
  func wakesWhoWaits() async throws {
    let updates = try student(1).courses.countUpdates(in: database)
    let seen = Mutex<[Int]>([])
    let reader = Task {
      for try await count in updates {
        seen.withLock { $0.append(count) }
        if count == 7 { break }
      }
    }
    while seen.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(1)) }
    try student(1).courses.add(try course(100), database)
    try student(1).courses.add(try course(101), database)
    try await reader.value
    #expect(seen.withLock { $0.first == 5 && $0.last == 7 })
  }

  @Test("are silent where a commit changes nothing that was asked for")
  func equalIsSilent() throws {
    var rows = Course.where { $0.id <= 3 }.order(by: \.id).updates(in: database)
      .makeAsyncIterator()
    #expect(try rows.now()?.count == 3)
    try database.execute("UPDATE course SET name = name WHERE id = 1")
    #expect(try rows.now() == nil)
    try database.execute("UPDATE course SET name = 'x' WHERE id = 1")
    try database.execute("UPDATE course SET name = 'C1' WHERE id = 1")
    #expect(try rows.now() == nil)
  }

  @Test("are silent where a transaction is rolled back")
  func rollbackIsSilent() throws {
    struct Stop: Error {}
    var rows = try student(1).courses.updates(in: database).makeAsyncIterator()
    _ = try rows.now()
    #expect(throws: Stop.self) {
      try database.write { db in
        try student(1).courses.add(try course(100), db)
        throw Stop()
      }
    }
    #expect(try !rows.isWoken())
  }

  @Test("end with their task")
  func cancelEnds() async throws {
    let updates = Course.all.countUpdates(in: database)
    let isWaiting = Mutex(false)
    let reader = Task {
      var count = 0
      for try await _ in updates {
        count += 1
        isWaiting.withLock { $0 = true }
      }
      return count
    }
    while !isWaiting.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
    reader.cancel()
    #expect(try await reader.value == 1)
  }

  @Test("of a student's courses are woken by that student's links alone")
  func otherStudentsDoNotWake() throws {
    let john = try student(1)
    var rows = john.courses.updates(in: database).makeAsyncIterator()
    #expect(try rows.now()?.count == 5)
    for other in 2...50 { try student(other).courses.add(try course(100), database) }
    #expect(try !rows.isWoken())
    try john.courses.add(try course(100), database)
    #expect(try rows.now()?.count == 6)
    try database.execute("DELETE FROM enrols_in WHERE student_id = 1 AND course_id = 100")
    #expect(try rows.now()?.count == 5)
    try john.courses.set([], database)
    #expect(try rows.now()?.isEmpty == true)
    try john.courses.add(try course(7), database)
    #expect(try rows.now()?.map(\.id) == [7])
  }

  @Test("of a student's courses are woken when one of these is renamed, and not when another is")
  func renameOfLinkedWakes() throws {
    let john = try student(1)
    var rows = john.courses.order(by: \.id).updates(in: database).makeAsyncIterator()
    let courses = try #require(try rows.now())
    let own = Set(courses.compactMap(\.id))
    let other = try #require((1...200).first { !own.contains($0) })
    try database.execute("UPDATE course SET name = 'Other' WHERE id = \(other)")
    #expect(try !rows.isWoken())
    try database.execute("UPDATE course SET name = 'Mine' WHERE id = \(courses[0].id ?? 0)")
    #expect(try rows.now()?.first?.name == "Mine")
  }

  @Test("are not woken by columns that they do not read")
  func unreadColumnDoesNotWake() throws {
    let name = try student(1).courses.shaped(as: CourseName.self)
    var rows = name.updates(in: database).makeAsyncIterator()
    _ = try rows.now()
    var all = Course.all.shaped(as: CourseName.self).updates(in: database).makeAsyncIterator()
    _ = try all.now()
    try database.execute("UPDATE course SET room = 'Attic'")
    try database.execute("UPDATE enrols_in SET mark = 90")
    #expect(try !rows.isWoken())
    #expect(try !all.isWoken())
    try database.execute("UPDATE course SET name = name || '!'")
    #expect(try rows.now() != nil)
    #expect(try all.now() != nil)
  }

  @Test("of a key that is not there are woken when it comes")
  func notFoundKeyWakes() throws {
    var row = Course.where { $0.id == 1000 }.firstUpdates(in: database).makeAsyncIterator()
    #expect(try row.now() == .some(nil))
    try database.execute("INSERT INTO course VALUES (999, 'a')")
    #expect(try !row.isWoken())
    try database.execute("INSERT INTO course VALUES (1000, 'b')")
    #expect(try row.now()??.name == "b")
    try database.execute("DELETE FROM course WHERE id = 1000")
    #expect(try row.now() == .some(nil))
  }

  @Test("with conditions are woken by rows that meet them, before or after")
  func conditions() throws {
    var rows = Course.where { $0.room == "Gym" }.updates(in: database).makeAsyncIterator()
    #expect(try rows.now()?.isEmpty == true)
    try database.execute("UPDATE course SET room = 'Hall' WHERE id = 3")
    try database.execute("INSERT INTO course VALUES (500, 'x', 'Yard')")
    #expect(try !rows.isWoken())
    try database.execute("UPDATE course SET room = 'Gym' WHERE id = 3")
    #expect(try rows.now()?.map(\.id) == [3])
    try database.execute("UPDATE course SET room = 'Hall' WHERE id = 3")
    #expect(try rows.now()?.isEmpty == true)
    var many = Course.where { $0.id > 150 && $0.room != nil }.countUpdates(in: database)
      .makeAsyncIterator()
    #expect(try many.now() == 51)
    try database.execute("UPDATE course SET room = NULL WHERE id = 3")
    #expect(try !many.isWoken())
    try database.execute("UPDATE course SET room = NULL WHERE id = 180")
    #expect(try many.now() == 50)
  }

  @Test("of what a student can still take follow links and courses")
  func available() throws {
    let john = try student(1)
    var rows = john.courses.available.countUpdates(in: database).makeAsyncIterator()
    #expect(try rows.now() == 195)
    try student(2).courses.add(try course(100), database)
    #expect(try !rows.isWoken())
    try john.courses.add(try course(100), database)
    #expect(try rows.now() == 194)
    try database.execute("INSERT INTO course VALUES (1000, 'New')")
    #expect(try rows.now() == 195)
  }

  @Test("give a slow reader one answer for many commits")
  func slowReader() throws {
    var rows = Course.all.countUpdates(in: database).makeAsyncIterator()
    _ = try rows.now()
    for id in 1000..<1100 { try database.execute("INSERT INTO course VALUES (\(id))") }
    #expect(try rows.now() == 300)
    #expect(try !rows.isWoken())
  }

  @Test("of several questions are answers of one state")
  func oneState() throws {
    var both = database.observe { db throws(SQLError) in
      (try Course.all.fetch(db).count, try Course.all.count(db))
    }.makeAsyncIterator()
    _ = try both.now()
    try database.execute("DELETE FROM course WHERE id = 9")
    let found = try #require(try both.now())
    #expect(found == (199, 199))
    try database.execute("UPDATE student SET last_name = 'x'")
    #expect(try !both.isWoken())
  }

  @Test("that are equal are evaluated once for each state, and each is told")
  func equalQuestions() throws {
    let evaluated = Mutex(0)
    database.trace { _ in evaluated.withLock { $0 += 1 } }
    func takeCount() -> Int {
      evaluated.withLock { count in
        defer { count = 0 }
        return count
      }
    }
    let john = try student(1)
    var lists = (0..<10).map { _ in john.courses.updates(in: database).makeAsyncIterator() }
    var counts = (0..<3).map { _ in john.courses.countUpdates(in: database).makeAsyncIterator() }
    _ = takeCount()
    for place in lists.indices { #expect(try lists[place].now()?.count == 5) }
    #expect(takeCount() == 1)
    for place in counts.indices { #expect(try counts[place].now() == 5) }
    #expect(takeCount() == 1)
    for round in 1...3 {
      try john.courses.add(try course(99 + round), database)
      _ = takeCount()
      for place in lists.indices { #expect(try lists[place].now()?.count == 5 + round) }
      for place in counts.indices { #expect(try counts[place].now() == 5 + round) }
      #expect(takeCount() == 2)
      try student(2).courses.add(try course(99 + round), database)
      for place in lists.indices { #expect(try !lists[place].isWoken()) }
    }
    _ = takeCount()
    var other = try student(3).courses.updates(in: database).makeAsyncIterator()
    #expect(try other.now()?.count == 5 && takeCount() == 2)
    #expect(database.watcherCount == 14)
    (lists, counts) = ([], [])
    #expect(database.watcherCount == 1)
  }

  @Test("that differ in values or in what rows become are evaluated each")
  func differentQuestions() throws {
    var names = (1...2).map { id in
      database.updates(String.self, "SELECT name FROM course WHERE id = \(id)").makeAsyncIterator()
    }
    #expect(try names[0].now() == ["C1"])
    #expect(try names[1].now() == ["C2"])
    var structs = database.updates(CourseName.self, "SELECT name FROM course WHERE id = \(1)")
      .makeAsyncIterator()
    #expect(try structs.now() == [CourseName(name: "C1")])
    var late = database.updates(String.self, "SELECT name FROM course WHERE id = \(1)")
      .makeAsyncIterator()
    #expect(try late.now() == ["C1"])
    try database.execute("UPDATE course SET name = 'new' WHERE id = 1")
    #expect(try late.now() == ["new"])
    #expect(try names[0].now() == ["new"])
    #expect(try structs.now() == [CourseName(name: "new")])
    #expect(try !names[1].isWoken())
  }

  @Test("follow a change of the catalog")
  func catalog() throws {
    var rows = database.updates(Int.self, "SELECT count(*) FROM extra").makeAsyncIterator()
    let error = #expect(throws: SQLError.self) { try rows.now() }
    #expect(error?.state == .undefinedTable)
    try database.execute("CREATE TABLE extra (n int)")
    #expect(try rows.now() == [0])
    try database.execute("DROP TABLE extra; CREATE TABLE extra AS SELECT 1 AS n")
    #expect(try rows.now() == [1])
  }

  @Test("end with the question's error")
  func errorEnds() async throws {
    var rows = database.updates(
      Int.self, "SELECT 1 / (200 - count(*)) FROM course WHERE id <> 0"
    ).makeAsyncIterator()
    await #expect(throws: SQLError.self) { try await rows.next() }
    #expect(try await rows.next() == nil)
  }

  @Test("of a table's changes give the net change of each row")
  func netChanges() throws {
    var changes = database.changes(of: Course.self).makeAsyncIterator()
    #expect(try changes.now() == nil)
    try database.execute(
      """
      INSERT INTO course VALUES (1001, 'Comes'), (1002, 'Goes');
      UPDATE course SET name = 'New' WHERE id = 5;
      UPDATE course SET name = 'Never seen' WHERE id = 6;
      """)
    try database.execute(
      """
      DELETE FROM course WHERE id IN (1002, 7);
      UPDATE course SET name = 'C6' WHERE id = 6;
      """)
    #expect(
      try changes.now() == [
        .deleted(Course(id: 7, name: "C7", room: "R7")),
        .updated(
          old: Course(id: 5, name: "C5", room: "R5"), new: Course(id: 5, name: "New", room: "R5")),
        .inserted(Course(id: 1001, name: "Comes")),
      ])
    #expect(try changes.now() == nil)
    try database.execute("DELETE FROM course WHERE id < 100; VACUUM FULL course")
    #expect(try changes.now()?.count == 98)
  }

  @Test("tell the places of rows that came, went and changed")
  func differences() throws {
    var rows = Course.where { $0.id <= 4 || $0.id > 200 }.order(by: \.id)
      .differences(in: database).makeAsyncIterator()
    #expect(try rows.now()?.inserted == [0, 1, 2, 3])
    try database.execute(
      """
      DELETE FROM course WHERE id = 2; INSERT INTO course VALUES (300);
      UPDATE course SET name = 'x' WHERE id = 4
      """)
    let found = try #require(try rows.now())
    #expect(found.rows.map(\.id) == [1, 3, 4, 300])
    #expect(found.inserted == [3])
    #expect(found.removed == [1])
    #expect(found.updated == [2])
  }

  @Test(
    "keep commits of single rows in place, and leave nothing behind when nobody watches any more")
  func forgets() throws {
    var rows: LiveValues<[Course]>.AsyncIterator? = try student(1).courses.updates(in: database)
      .makeAsyncIterator()
    _ = try rows?.now()
    #expect(database.watcherCount == 1)
    rows = nil
    #expect(database.watcherCount == 0)
  }
}

@Suite("Live values")
@MainActor
struct LiveTests {
  private let database = Database()

  init() throws {
    try database.execute(
      "CREATE TABLE course (id int PRIMARY KEY, name text, room text); INSERT INTO course VALUES (1, 'a'), (2, 'b')"
    )
  }

  /// Lets the main actor take turns until something holds; other tests may hold the threads that sleepers wait for.
  private func settle(_ condition: () -> Bool) async {
    for _ in 0..<200_000 where !condition() { try? await Task.sleep(for: .milliseconds(1)) }
  }

  @Test("show what there is, and follow it")
  func follow() async throws {
    let count = Live(0, Course.all.countUpdates(in: database))
    #expect(count.value == 0)
    await settle { count.value == 2 }
    #expect(count.value == 2)
    try database.execute("INSERT INTO course VALUES (3)")
    await settle { count.value == 3 }
    #expect(count.value == 3)
    count.follow(Course.where { $0.id == 1 }.countUpdates(in: database))
    await settle { count.value == 1 }
    #expect(count.value == 1)
  }

  @Test("go over to another database, and are told of that one alone")
  func otherDatabase() async throws {
    let fork = database.fork()
    try fork.execute("INSERT INTO course VALUES (3), (4)")
    let first = Live(0, Course.all.countUpdates(in: database))
    let count = Live(0, Course.all.countUpdates(in: database))
    await settle { count.value == 2 }
    count.follow(Course.all.countUpdates(in: fork))
    // The pump that it has left has something to renew as well.
    try database.execute("INSERT INTO course VALUES (9)")
    await settle { first.value == 3 && count.value != 2 }
    #expect(count.value == 4)
    count.follow(Course.all.countUpdates(in: database))
    await settle { count.value == 3 }
    #expect(count.value == 3)
  }

  @Test("of one database agree in each turn")
  func agree() async throws {
    let list = Live([], Course.all.updates(in: database))
    let count = Live(0, Course.all.countUpdates(in: database))
    await settle { count.value == 2 }
    let database = database
    let writer = Task.detached {
      for id in 10..<60 {
        try database.execute("INSERT INTO course VALUES (\(id))")
        await Task.yield()
      }
    }
    while count.value < 52 {
      #expect(list.value.count == count.value)
      try await Task.sleep(for: .milliseconds(1))
    }
    try await writer.value
  }

  @Test("keep their value where there is an error, and go on when it is gone")
  func errors() async throws {
    let value = Live(
      [0], database.updates(Int.self, "SELECT 10 / (count(*) - 2)::int FROM course"))
    await settle { value.error != nil }
    #expect(value.error?.state == .divisionByZero)
    #expect(value.value == [0])
    try database.execute("INSERT INTO course VALUES (3)")
    await settle { value.error == nil }
    #expect(value.value == [10])
  }
}

/// The answer that each of several readers has seen last.
private final class LastCounts: Sendable {
  private let counts: Mutex<[Int]>
  init(_ count: Int) { counts = Mutex([Int](repeating: -1, count: count)) }
  var all: [Int] { counts.withLock { $0 } }
  func note(_ count: Int, at index: Int) { counts.withLock { $0[index] = count } }
}

@Suite("Live queries beside writers")
struct ConcurrentObservationTests {
  @Test("come to the last answer however threads interleave")
  func threads() async throws {
    let database = Database()
    try database.execute(
      """
      CREATE TABLE student (id int PRIMARY KEY, last_name text);
      CREATE TABLE course (id int PRIMARY KEY, name text, room text);
      CREATE TABLE enrols_in (
        student_id int REFERENCES student, course_id int REFERENCES course, mark double precision,
        PRIMARY KEY (student_id, course_id));
      INSERT INTO student SELECT n, 'S' || n FROM generate_series(1, 8) n;
      INSERT INTO course SELECT n, 'C' || n FROM generate_series(1, 50) n;
      """)
    let students = try Student.order(by: \.id).fetch(database)
    let courses = try Course.order(by: \.id).fetch(database)
    let last = LastCounts(students.count)
    let readers = students.indices.map { index in
      let updates = students[index].courses.countUpdates(in: database)
      return Task { for try await count in updates { last.note(count, at: index) } }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          var numbers = RepeatableNumbers(writer)
          for step in 0..<150 {
            let (student, course) = (numbers.pick(students), numbers.pick(courses))
            if step % 3 == 0 {
              try await database.write { db in try student.courses.remove(course, db) }
            } else {
              try student.courses.add(course, database)
            }
            if step % 10 == 0 { await Task.yield() }
          }
        }
      }
      try await group.waitForAll()
    }
    let expected = try students.map { try $0.courses.count(database) }
    for _ in 0..<200_000 where last.all != expected { try await Task.sleep(for: .milliseconds(1)) }
    #expect(last.all == expected)
    for reader in readers { reader.cancel() }
    for reader in readers { try await reader.value }
    #expect(database.watcherCount == 0)
  }
}
