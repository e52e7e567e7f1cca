import Diagnostics
import Foundation
import Junction
import Synchronization
import Testing

@Suite("Sessions on several threads")
struct ConcurrentSessionTests {
  // The table is a window of numbered edges: the next one is added at one end or the oldest is taken away at the
  // other. So every state of it that a reader may ever see is told by its least and its greatest number.
  private static let studentCount: Int64 = 97
  private static let courseCount: Int64 = 53

  private static func ends(of number: Int64) -> (student: Int64, course: Int64) {
    (number % studentCount + 1, number / studentCount % courseCount + 1)
  }

  private static let schema = """
    CREATE TABLE student (id int PRIMARY KEY);
    CREATE TABLE course (id int PRIMARY KEY);
    CREATE TABLE enrols_in (
      student_id int REFERENCES student, course_id int REFERENCES course, number int NOT NULL,
      PRIMARY KEY (student_id, course_id));
    INSERT INTO student SELECT i FROM generate_series(1, \(studentCount)) i;
    INSERT INTO course SELECT i FROM generate_series(1, \(courseCount)) i;
    """

  /// What went wrong on other threads, and whether they are to end.
  private final class Board: Sendable {
    private let complaints = Mutex<[String]>([])
    private let isOver = Atomic<Bool>(false)

    var all: [String] { complaints.withLock { $0 } }
    var hasEnded: Bool { isOver.load(ordering: .acquiring) }

    func end() { isOver.store(true, ordering: .releasing) }

    func complain(_ text: String) {
      complaints.withLock { if $0.count < 10 { $0.append(text) } }
    }

    func require(_ isTrue: Bool, _ text: @autoclosure () -> String) {
      if !isTrue { complain(text()) }
    }
  }

  private static func numbers(_ rows: ResultSet, _ column: Int) -> [Int64] {
    rows.map { row in
      if case .integer(let number) = row[column] { number } else { -1 }
    }
  }

  // MARK: Threads

  /// Moves the window, one row at a time, as transactions of their own or some in one.
  private static func write(_ connection: Connection, _ board: Board, moves: Int) throws {
    let insert = try connection.prepare("INSERT INTO enrols_in VALUES ($1, $2, $3)")
    let delete = try connection.prepare(
      "DELETE FROM enrols_in WHERE student_id = $1 AND course_id = $2")
    var low: Int64 = 0
    var high: Int64 = 0
    for move in 0..<moves {
      let isInTransaction = move % 50 == 0
      if isInTransaction { try connection.execute("BEGIN") }
      for _ in 0..<(isInTransaction ? 20 : 1) {
        let grows = high - low < 40 || (high - low < 3000 && move % 5 != 0)
        let (student, course) = ends(of: grows ? high : low)
        let tag =
          grows
          ? try insert.execute(.integer(student), .integer(course), .integer(high)).commandTag
          : try delete.execute(.integer(student), .integer(course)).commandTag
        board.require(tag.hasSuffix("1"), "\(tag) for \(low)..<\(high)")
        if grows { high += 1 } else { low += 1 }
      }
      if isInTransaction { try connection.execute("COMMIT") }
    }
  }

  /// Writes much and takes it all back, with rows of its own that are still held then.
  private static func rollBack(_ connection: Connection, _ board: Board) throws {
    let insert = try connection.prepare("INSERT INTO enrols_in VALUES ($1, $2, $3)")
    let count = try connection.prepare("SELECT count(*), count(DISTINCT number) FROM enrols_in")
    let mine = try connection.prepare("SELECT number FROM enrols_in WHERE student_id = $1")
    var held: [(ResultSet, [Int64])] = []
    while !board.hasEnded {
      try connection.execute("BEGIN")
      try connection.execute("DELETE FROM enrols_in WHERE student_id = 5")
      for course in 1...20 {
        try insert.execute(.integer(5), .integer(Int64(course)), .integer(-Int64(course)))
        if course % 7 == 0 {
          let rows = try mine.query(.integer(5))
          let seen = numbers(rows, 0)
          board.require(seen.count == course, "\(seen) of \(course) own rows")
          held.append((rows, seen))
        }
      }
      _ = try count.query()
      try connection.execute("ROLLBACK")
      for (rows, seen) in held {
        board.require(numbers(rows, 0) == seen, "rows of a transaction taken back")
      }
      if held.count > 20 { held = [] }
    }
  }

  /// Sees whole windows only, each by every way that leads to it, and none that is older than the last.
  private static func read(_ connection: Connection, _ board: Board, seed: Int) throws {
    let bounds = try connection.prepare(
      "SELECT min(number), max(number), count(*) FROM enrols_in")
    let ofStudent = try connection.prepare("SELECT number FROM enrols_in WHERE student_id = $1")
    let walk = try connection.prepare(
      "SELECT s.id FROM enrols_in e JOIN student s ON s.id = e.student_id WHERE e.course_id = $1")
    let sums = try connection.prepare(
      "SELECT sum(n), (SELECT count(*) FROM enrols_in), (SELECT count(*) FROM enrols_in e"
        + " JOIN student s ON s.id = e.student_id) FROM (SELECT count(e.student_id) AS n"
        + " FROM course c LEFT JOIN enrols_in e ON e.course_id = c.id GROUP BY c.id) AS by_course")
    var last: (low: Int64, high: Int64) = (0, 0)
    var held: [(ResultSet, [Int64])] = []
    var round = seed
    while !board.hasEnded {
      round += 1
      let window = try bounds.query()
      let low = numbers(window, 0)[0]
      let high = numbers(window, 1)[0]
      let count = numbers(window, 2)[0]
      if count > 0 {
        board.require(high - low + 1 == count, "\(count) rows of \(low)...\(high)")
        board.require(low >= last.low && high >= last.high, "\(low)...\(high) after \(last)")
        last = (low, high)
      }
      let student = Int64(round) % studentCount
      let rows = try ofStudent.query(.integer(student + 1))
      let seen = numbers(rows, 0).sorted()
      for (index, number) in seen.enumerated() {
        board.require(
          number == seen[0] + Int64(index) * studentCount && number % studentCount == student,
          "student \(student) has \(seen)")
      }
      if round % 3 == 0 { held.append((rows, numbers(rows, 0))) }
      let walked = try walk.query(.integer(Int64(round) % courseCount + 1))
      board.require(
        Set(numbers(walked, 0)).count == walked.count, "a student twice in one course")
      let totals = try sums.query()
      let texts = (0..<3).map { totals.text(row: 0, column: $0) ?? "" }
      board.require(Set(texts).count == 1, "counts of one state: \(texts)")
      if held.count > 8 {
        for (rows, seen) in held {
          board.require(numbers(rows, 0) == seen, "rows that were held have changed")
        }
        held = []
      }
      // Now and then nobody reads, so that changes are made in place.
      if round % 4 == 0 {
        held = []
        usleep(2000)
      }
    }
  }

  private static func snapshot(_ connection: Connection, _ board: Board) throws {
    let sum = try connection.prepare("SELECT sum(number), count(*) FROM enrols_in")
    while !board.hasEnded {
      try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
      let first = try sum.query().map(\.values)
      usleep(3000)
      let second = try sum.query().map(\.values)
      board.require(second == first, "a kept state has changed")
      try connection.execute("COMMIT")
      usleep(3000)
    }
  }

  @Test("see whole states only while rows come and go one at a time", arguments: 0..<2)
  func windows(_ round: Int) throws {
    let database = Database()
    try database.connect().execute(Self.schema)
    let board = Board()
    let group = DispatchGroup()
    var bodies: [@Sendable (Connection) throws -> Void] = [
      { connection in try Self.read(connection, board, seed: 1) },
      { connection in try Self.snapshot(connection, board) },
    ]
    if round == 1 {
      bodies += [
        { connection in try Self.read(connection, board, seed: 20) },
        { connection in try Self.rollBack(connection, board) },
      ]
    }
    for body in bodies {
      let connection = database.connect()
      group.enter()
      Thread.detachNewThread {
        do {
          try body(connection)
        } catch {
          board.complain("\(error)")
        }
        group.leave()
      }
    }
    let writer = database.connect()
    defer {
      board.end()
      group.wait()
    }
    try Self.write(writer, board, moves: 3000)
    board.end()
    group.wait()
    #expect(board.all.isEmpty)
  }
}
