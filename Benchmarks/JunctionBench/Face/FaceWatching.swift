import Junction
import Synchronization

/// Live queries: what they cost commits that do not concern them, and how soon one that does is answered.
final class FaceWatching {
  private typealias Answers = LiveValues<[FaceCourse]>.AsyncIterator

  /// A database that is watched, and one that is not.
  private let watched: Database
  private let alone: Database
  private var observers: [Answers] = []
  private let student: FaceStudent
  private let course: FaceCourse
  private static let observerCount = 10_000
  private static let commitCount = 10_000

  init(_ database: Database) throws {
    watched = database.fork()
    alone = database.fork()
    let students = try FaceStudent.order(by: \.id).limit(Self.observerCount + 1).fetch(watched)
    for student in students.dropLast() {
      var answers = student.courses.updates(in: watched).makeAsyncIterator()
      _ = try answers.look()
      observers.append(answers)
    }
    guard let last = students.last else { throw BenchError("the school has no students") }
    student = last
    course = try last.courses.available.limit(1).one(watched)
  }

  var lines: [FaceRun.Line] {
    let (watched, alone, student, course) = (watched, alone, student, course)
    return [
      FaceRun.Line(
        name: "add and remove a link, 10,000 observers elsewhere", goal: 1.3,
        junction: { try Self.addAndRemove(course, student, watched) },
        peer: { try Self.addAndRemove(course, student, alone) }, repetitions: 64),
      FaceRun.Line(
        name: "add and remove a link, until it is seen", goal: 100,
        junction: { try self.answered(course, student) }, peer: nil),
    ]
  }

  private static func addAndRemove(
    _ course: FaceCourse, _ student: FaceStudent, _ database: Database
  ) throws -> Int {
    try student.courses.add(course, database) && student.courses.remove(course, database) ? 1 : 0
  }

  /// Waits for the answers to two commits, in a task of its own.
  private func answered(_ course: FaceCourse, _ student: FaceStudent) throws -> Int {
    let seen = seen
    if reader == nil {
      let updates = student.courses.countUpdates(in: watched)
      reader = Task.detached { for try await _ in updates { seen.add() } }
      while seen.count == 0 {}
    }
    let before = seen.count
    try student.courses.add(course, watched)
    while seen.count == before {}
    try student.courses.remove(course, watched)
    while seen.count == before + 1 {}
    return 1
  }

  private var reader: Task<Void, any Error>?
  private let seen = Counter()

  deinit { reader?.cancel() }

  /// Commits at random, and looks after each which observers are woken: how many in all, and how many of them to the same answer.
  func wakes() throws -> (wakes: Int, empty: Int, missed: Int) {
    let courses = try FaceCourse.all.fetch(watched)
    let students = try FaceStudent.order(by: \.id).limit(Self.observerCount).fetch(watched)
    var state: UInt64 = 42
    func next(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    var result = (wakes: 0, empty: 0, missed: 0)
    for number in 0..<Self.commitCount {
      let place = next(students.count)
      let (student, course) = (students[place], courses[next(courses.count)])
      let changes =
        number % 3 == 2
        ? try student.courses.remove(try student.courses.first(watched) ?? course, watched)
        : try student.courses.add(course, watched)
      // The one that it concerns, and some that it does not.
      let others = (0..<8).map { _ in next(observers.count) }
      for index in [place] + others.filter({ $0 != place }) {
        switch try observers[index].look() {
        case .quiet: if changes && index == place { result.missed += 1 }
        case .same:
          result.wakes += 1
          result.empty += 1
        case .changed: result.wakes += 1
        }
      }
    }
    return result
  }
}

private final class Counter: Sendable {
  private let number = Atomic(0)
  var count: Int { number.load(ordering: .acquiring) }
  func add() { number.add(1, ordering: .releasing) }
}
