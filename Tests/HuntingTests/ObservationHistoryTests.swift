import Diagnostics
import Hunting
import Junction
import SimulatedDisk
import Testing

/// Random changes of a school.
private struct SchoolChanges {
  var random: SimulationRandom
  let students: Int
  let courses: Int

  private mutating func number(_ limit: Int) -> Int { random.below(limit) + 1 }

  mutating func next() -> String {
    let (s, c, t) = (number(students), number(courses), number(12))
    switch number(16) {
    case 1...3: return "INSERT INTO enrols_in VALUES (\(s), \(c), \(t)) ON CONFLICT DO NOTHING"
    case 4...5: return "DELETE FROM enrols_in WHERE student_id = \(s) AND course_id = \(c)"
    case 6: return "DELETE FROM enrols_in WHERE student_id = \(s)"
    case 7: return "UPDATE course SET name = 'N\(t)' WHERE id = \(c)"
    case 8:
      return "UPDATE course SET room = 'R\(t)', teacher_id = nullif(\(t % 6), 0) WHERE id = \(c)"
    case 9: return "UPDATE enrols_in SET mark = \(t) WHERE student_id = \(s)"
    case 10: return "UPDATE student SET name = 'S\(t)' WHERE id = \(s)"
    case 11:
      return
        "INSERT INTO course VALUES (\(c), 'C\(c)', 'R\(t)', nullif(\(t % 6), 0)) ON CONFLICT DO NOTHING"
    case 12: return "DELETE FROM course WHERE id = \(c)"
    case 13:
      return
        "INSERT INTO student VALUES (\(s), 'S\(s)') ON CONFLICT (id) DO UPDATE SET name = excluded.name"
    case 14:
      return
        "UPDATE enrols_in SET course_id = \(c) WHERE student_id = \(s) AND course_id = \(number(courses)) AND NOT EXISTS (SELECT FROM enrols_in e WHERE e.student_id = \(s) AND e.course_id = \(c)) AND EXISTS (SELECT FROM course WHERE id = \(c))"
    case 15: return "DELETE FROM student WHERE id = \(s)"
    default:
      return number(30) == 1
        ? "VACUUM FULL enrols_in"
        : "UPDATE teacher SET name = 'T\(t)' WHERE id = \(t % 5 + 1)"
    }
  }
}

@Suite("Live queries over random histories")
struct ObservationHistoryTests {
  private static let parts = [
    "SELECT c.* FROM course c JOIN enrols_in e ON e.course_id = c.id WHERE e.student_id = %s ORDER BY c.id",
    "SELECT c.name, e.mark FROM course c JOIN enrols_in e ON e.course_id = c.id WHERE e.student_id = %s AND e.mark > 4 ORDER BY c.id",
    "SELECT id, name FROM course WHERE id NOT IN (SELECT course_id FROM enrols_in WHERE student_id = %s) ORDER BY id",
    "SELECT count(*) FROM enrols_in WHERE student_id = %s",
    "SELECT DISTINCT f.student_id FROM enrols_in e JOIN enrols_in f ON f.course_id = e.course_id WHERE e.student_id = %s ORDER BY 1",
    "SELECT s.name FROM student s WHERE s.id = %s",
    "SELECT c.name, t.name AS teacher FROM course c LEFT JOIN teacher t ON t.id = c.teacher_id WHERE c.id = %c",
    "SELECT s.name FROM student s JOIN enrols_in e ON e.student_id = s.id WHERE e.course_id = %c ORDER BY s.id",
    "SELECT EXISTS (SELECT FROM enrols_in WHERE student_id = %s AND course_id = %c)",
    "SELECT id FROM course WHERE room = 'R%t' ORDER BY id",
    "SELECT count(*), sum(mark), max(mark) FROM enrols_in WHERE course_id = %c",
    "SELECT t.name, ARRAY(SELECT c.name FROM course c WHERE c.teacher_id = t.id ORDER BY c.id) FROM teacher t WHERE t.id = %c %% 5 + 1",
  ]

  /// Questions whose operators need not note anything by themselves.
  private static let wholes = [
    "SELECT s.id, (SELECT count(*) FROM enrols_in e WHERE e.student_id = s.id) FROM student s WHERE s.name = 'S4' ORDER BY 1",
    "SELECT course_id, count(*), avg(mark) FROM enrols_in GROUP BY course_id ORDER BY 1",
    "SELECT c.id FROM course c WHERE NOT EXISTS (SELECT FROM enrols_in e WHERE e.course_id = c.id) ORDER BY 1",
    "SELECT t.name, c.room FROM teacher t FULL JOIN course c ON c.teacher_id = t.id ORDER BY 1, 2",
    "SELECT id, rank() OVER (ORDER BY name) FROM student ORDER BY 2, 1 LIMIT 5",
    "SELECT name FROM course ORDER BY name, id LIMIT 3",
    "SELECT room FROM course UNION SELECT name FROM student ORDER BY 1",
    "SELECT a.student_id, b.student_id AS other, count(*) FROM enrols_in a JOIN enrols_in b ON a.course_id = b.course_id AND a.student_id < b.student_id GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 5",
    "SELECT s.id FROM student s WHERE NOT EXISTS (SELECT FROM course c WHERE c.id <= 3 AND NOT EXISTS (SELECT FROM enrols_in e WHERE e.student_id = s.id AND e.course_id = c.id)) ORDER BY 1",
    "WITH RECURSIVE r(id, d) AS (SELECT 1, 0 UNION SELECT f.student_id, d + 1 FROM r JOIN enrols_in e ON e.student_id = r.id JOIN enrols_in f ON f.course_id = e.course_id WHERE d < 3) SELECT id, min(d) FROM r GROUP BY id ORDER BY 1",
    "SELECT max(id), min(name) FROM course",
    "SELECT c.id, s.id AS student FROM course c CROSS JOIN student s WHERE NOT EXISTS (SELECT FROM enrols_in e WHERE e.student_id = s.id AND e.course_id = c.id) ORDER BY 1, 2 LIMIT 7",
  ]

  @Test(
    "are never woken too little, and mostly not too much where rows are found by keys and links",
    arguments: [1, 2, 3])
  func histories(seed: Int) throws {
    let database = Database()
    try database.execute(
      """
      CREATE TABLE teacher (id int PRIMARY KEY, name text);
      CREATE TABLE student (id int PRIMARY KEY, name text);
      CREATE TABLE course (id int PRIMARY KEY, name text, room text, teacher_id int REFERENCES teacher);
      CREATE TABLE enrols_in (
        student_id int REFERENCES student ON DELETE CASCADE, course_id int REFERENCES course ON DELETE CASCADE,
        mark int, PRIMARY KEY (student_id, course_id));
      INSERT INTO teacher SELECT n, 'T' || n FROM generate_series(1, 5) n;
      INSERT INTO student SELECT n, 'S' || n FROM generate_series(1, 40) n;
      INSERT INTO course SELECT n, 'C' || n, 'R' || n, n % 5 + 1 FROM generate_series(1, 25) n;
      INSERT INTO enrols_in SELECT s, (s * 7 + c * 3) % 25 + 1, c FROM generate_series(1, 40) s, generate_series(1, 3) c;
      """)
    var changes = SchoolChanges(
      random: SimulationRandom(seed: UInt64(seed)), students: 40, courses: 25)
    var watched: [WatchedQuestion] = []
    for round in 0..<3 {
      for part in Self.parts {
        let sql = part.replacing("%s", with: "\(round * 11 + 1)")
          .replacing("%c", with: "\(round * 7 + 2)").replacing("%t", with: "\(round * 3 + 1)")
          .replacing("%%", with: "%")
        watched.append(WatchedQuestion(sql, in: database))
      }
    }
    let precise = watched.count
    for whole in Self.wholes { watched.append(WatchedQuestion(whole, in: database)) }
    for step in 0..<60 {
      let change = changes.next()
      // Every other one is a transaction, the rest may take the short way of single rows.
      do {
        if change.hasPrefix("VACUUM") || step % 2 == 0 {
          try database.execute(SQL(raw: change))
        } else {
          try database.write { db in _ = try db.execute(SQL(raw: change)) }
        }
      } catch let error as SQLError where error.state == .foreignKeyViolation {
        // There is no such student or course any more.
      }
      for index in watched.indices {
        let isRight = try watched[index].isRight(database)
        #expect(isRight, "\(watched[index].sql) after \(change)")
      }
    }
    let found = watched[..<precise]
    let (wakes, empty) = (found.reduce(0) { $0 + $1.wakes }, found.reduce(0) { $0 + $1.emptyWakes })
    #expect(empty * 3 <= wakes, "\(empty) of \(wakes) wakes changed nothing")
    let whole = watched[precise...].reduce(0) { $0 + $1.wakes } / Self.wholes.count
    #expect(wakes / precise * 4 <= whole, "\(wakes) wakes of \(precise), \(whole) of a whole table")
  }
}
