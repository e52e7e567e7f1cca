import Diagnostics
import Junction
import SimulatedDisk

/// Somebody who attends lessons.
struct Pupil: Record, Hashable {
  var id: Int
  var name: String?
  struct Relations: Sendable { let lessons = Many<Lesson>() }
  static let relations = Relations()
}

/// What pupils attend.
struct Lesson: Record, Hashable {
  var id: Int
  var name: String?
  var room: String?
  struct Relations: Sendable { let pupils = Many<Pupil>() }
  static let relations = Relations()
}

/// Who attends what.
struct Attendance: Record, Hashable {
  var pupilID: Int
  var lessonID: Int
  var mark: Int?
  static let table = "attends"
}

/// What the threads share, and the rules that hold in every state of it.
enum ThreadSchool {
  static let pupilCount = 12
  static let lessonCount = 10
  static let accountCount = 6
  /// What all accounts have together.
  static let fortune = 600

  static let definitions = """
    CREATE TABLE pupil (id int PRIMARY KEY, name text);
    CREATE TABLE lesson (id int PRIMARY KEY, name text, room text);
    CREATE TABLE attends (
      pupil_id int REFERENCES pupil ON DELETE CASCADE, lesson_id int REFERENCES lesson ON DELETE CASCADE,
      mark int, PRIMARY KEY (pupil_id, lesson_id));
    CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
    CREATE TABLE done (id bigint PRIMARY KEY);
    INSERT INTO pupil SELECT n, 'P' || n FROM generate_series(1, \(pupilCount)) n;
    INSERT INTO lesson SELECT n, 'L' || n, 'R' || n % 3 FROM generate_series(1, \(lessonCount)) n;
    INSERT INTO attends SELECT p, (p * 7 + l * 3) % \(lessonCount) + 1, p
      FROM generate_series(1, \(pupilCount)) p, generate_series(1, 3) l;
    INSERT INTO account SELECT n, \(fortune / accountCount) FROM generate_series(1, \(accountCount)) n;
    """

  static let fortuneQuery: SQL = "SELECT sum(balance) FROM account"
  static let doneQuery: SQL = "SELECT id FROM done ORDER BY id"
  static let linkQuery: SQL = "SELECT * FROM attends ORDER BY pupil_id, lesson_id"

  // MARK: Changes

  /// Makes a change at random; rows that are not there are no fault of anybody.
  static func change(
    _ db: borrowing some Writer & ~Copyable, _ random: inout SimulationRandom
  ) throws(SQLError) {
    let pupil = Pupil(id: random.within(1...pupilCount), name: "P\(random.below(100))")
    let lesson = Lesson(
      id: random.within(1...lessonCount), name: "L\(random.below(100))", room: "R1")
    switch random.below(14) {
    case 0, 1: try pupil.lessons.add(lesson, db)
    case 2, 3: try lesson.pupils.add(pupil, db)
    case 4: try pupil.lessons.remove(lesson, db)
    case 5: try lesson.pupils.remove(pupil, db)
    case 6: try pupil.lessons.set(someLessons(&random), db)
    case 7: try pupil.lessons.add(someLessons(&random), db)
    case 8: try lesson.update(db)
    case 9: try pupil.upserted(db)
    case 10: try pupil.delete(db)
    case 11:
      let limit = lesson.id
      try Pupil.where { $0.id > limit }.updateAll(db) { $0.name = pupil.name }
    case 12: try db.execute("UPDATE attends SET mark = mark + 1 WHERE pupil_id = \(pupil.id)")
    default: try db.execute("UPDATE lesson SET room = 'R2' WHERE id = \(lesson.id)")
    }
  }

  private static func someLessons(_ random: inout SimulationRandom) -> [Lesson] {
    random.sample(Array(1...lessonCount), random.below(5)).map { Lesson(id: $0) }
  }

  /// Moves what one account has to another, in two statements: half of it is a broken rule.
  static func transfer(
    _ db: borrowing some Writer & ~Copyable, _ random: inout SimulationRandom
  ) throws(SQLError) {
    let (from, to) = (random.within(1...accountCount), random.within(1...accountCount))
    let amount = random.below(10)
    try db.execute("UPDATE account SET balance = balance - \(amount) WHERE id = \(from)")
    try db.execute("UPDATE account SET balance = balance + \(amount) WHERE id = \(to)")
  }

  // MARK: Rules

  /// What is wrong with a state; nil if nothing is.
  static func fault(
    _ db: borrowing some Reader & ~Copyable, _ random: inout SimulationRandom
  ) throws(SQLError) -> String? {
    let sum = try db.fetchOne(Int.self, fortuneQuery)
    if sum != fortune { return "the accounts have \(sum)" }
    let pupil = Pupil(id: random.within(1...pupilCount))
    let lessons = try pupil.lessons.order(by: \.id).fetch(db)
    let others = try Lesson.where { $0.pupils.contains(pupil) }.order(by: \.id).fetch(db)
    if lessons != others {
      return "pupil \(pupil.id) has \(lessons), from the other side \(others)"
    }
    for lesson in lessons where try !lesson.pupils.contains(pupil, db) {
      // A broken state is that for every statement; a broken plan may be asked again.
      let again = try lesson.pupils.contains(pupil, db)
      let links = try db.query(
        "SELECT FROM attends WHERE (pupil_id, lesson_id) = (\(pupil.id), \(lesson.id))"
      ).count
      return
        "lesson \(lesson.id) does not have pupil \(pupil.id); asked again: \(again), otherwise: \(links)"
    }
    let free = try pupil.lessons.available.count(db)
    let all = try Lesson.all.count(db)
    if free + lessons.count != all { return "\(free) lessons are free, of \(all)" }
    return nil
  }

  /// What is wrong with the links of a state, looked at from both sides and as rows; nil if nothing is.
  static func faultOfLinks(_ db: borrowing some Reader & ~Copyable) throws(SQLError) -> String? {
    let rows = try db.fetchAll(Attendance.self, linkQuery)
    let pairs = rows.map { [$0.pupilID, $0.lessonID] }
    let pupils = try Pupil.order(by: \.id).with(\.lessons) { $0.order(by: \.id) }.fetch(db)
    let left = pupils.flatMap { pupil in pupil.related.map { [pupil.row.id, $0.id] } }
    if left != pairs { return "pupils have \(left), of the links \(pairs)" }
    let lessons = try Lesson.order(by: \.id).with(\.pupils) { $0.order(by: \.id) }.fetch(db)
    let right = lessons.flatMap { lesson in lesson.related.map { [$0.id, lesson.row.id] } }
    if right.sorted(by: { $0.lexicographicallyPrecedes($1) }) != pairs {
      return "lessons have \(right), of the links \(pairs)"
    }
    return nil
  }
}
