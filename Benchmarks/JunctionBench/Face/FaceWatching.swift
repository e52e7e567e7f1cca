import Junction
import Synchronization

/// Live queries: what they cost commits that do not concern them, and how soon one that does is answered.
final class FaceWatching {
  private typealias Answers = LiveValues<[FaceCourse]>.AsyncIterator

  /// A database that is watched, and one that is not.
  private let watched: Database
  private let alone: Database
  private var observers: [Answers] = []
  /// The students whose courses they watch.
  private let students: [FaceStudent]
  private let student: FaceStudent
  private let course: FaceCourse
  private static let observerCount = 10_000
  private static let commitCount = 10_000

  init(_ database: Database) throws {
    watched = database.fork()
    alone = database.fork()
    let students = try FaceStudent.order(by: \.id).limit(Self.observerCount + 1).fetch(watched)
    self.students = Array(students.dropLast())
    for student in self.students {
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

  /// What commits at random have come to.
  struct Wakes {
    var all = 0
    /// Those that found the same answer.
    var empty = 0
    /// Observers that should have been woken, as their answer is another.
    var missed = 0
  }

  /// Commits at random, links that come and go and courses that are renamed, and looks after each which observers are woken.
  func wakes() throws -> Wakes {
    let courses = try FaceCourse.all.fetch(watched)
    var (numbers, wakes) = (Numbers(), Wakes())
    for number in 0..<Self.commitCount {
      let place = numbers.next(students.count)
      let (student, course) = (students[place], courses[numbers.next(courses.count)])
      var concerned = [place]
      var isChanged = true
      switch number % 10 {
      case 9:
        var renamed = course
        renamed.name = "Course \(number)"
        try renamed.update(watched)
        // Of a course that has none of the observers' students nobody hears, so that nobody is missed.
        (concerned, isChanged) = (Array(observers.indices), false)
      case 2, 5, 8:
        let linked = try student.courses.first(watched) ?? course
        isChanged = try student.courses.remove(linked, watched)
      default: isChanged = try student.courses.add(course, watched)
      }
      let others = (0..<8).map { _ in numbers.next(observers.count) }.filter { $0 != place }
      for index in number % 10 == 9 ? concerned : concerned + others {
        switch try observers[index].look() {
        case .quiet: if isChanged && index == place { wakes.missed += 1 }
        case .same:
          wakes.all += 1
          wakes.empty += 1
        case .changed: wakes.all += 1
        }
      }
    }
    return wakes
  }

  /// By how many bytes the process has grown after a million commits, of which some concern observers.
  func growth() throws -> Int {
    var before = 0
    for round in 0..<1_000_000 {
      // What is used once is there before it counts.
      if round == 100_000 { before = ProcessMemory.own.resident }
      let changed = round % 2 == 0 ? try add() : try remove()
      if !changed { throw BenchError("a link was not changed") }
      if round % 100 == 0 {
        let index = round / 100 % observers.count
        try students[index].courses.add(course, watched)
        _ = try observers[index].look()
        try students[index].courses.remove(course, watched)
        _ = try observers[index].look()
      }
    }
    return ProcessMemory.own.resident - before
  }

  private func add() throws -> Bool { try student.courses.add(course, watched) }

  private func remove() throws -> Bool { try student.courses.remove(course, watched) }

  /// Numbers that are the same in each run.
  private struct Numbers {
    private var state: UInt64 = 42

    mutating func next(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
  }
}

private final class Counter: Sendable {
  private let number = Atomic(0)
  var count: Int { number.load(ordering: .acquiring) }
  func add() { number.add(1, ordering: .releasing) }
}
