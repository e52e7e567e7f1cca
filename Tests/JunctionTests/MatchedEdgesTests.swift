import Diagnostics
import Junction
import Testing

/// Counts of edges that sets of rows at both ends let through, with keys and without.
@Suite("Edges of matching rows")
struct MatchedEdgesTests {
  private static func connection(
    isKeyed: Bool, rows: [String], _ counts: (Int, Int)
  ) throws -> Connection {
    let connection = Database().connect()
    let key = isKeyed ? " PRIMARY KEY" : ""
    func references(_ table: String) -> String { isKeyed ? " REFERENCES \(table)" : "" }
    try connection.execute(
      """
      CREATE TABLE student (id int\(key), v int);
      CREATE TABLE course (id int\(key), name text, kind int);
      CREATE TABLE takes (s int NOT NULL\(references("student")), c int NOT NULL\(references("course")), g int);
      CREATE TABLE maybe (s int\(references("student")), c int\(references("course")));
      INSERT INTO student SELECT i * 2, i % 7 FROM generate_series(1, \(counts.0)) i;
      INSERT INTO course SELECT i, 'c' || i % 5, i % 3 FROM generate_series(1, \(counts.1)) i;
      INSERT INTO takes VALUES \(rows.joined(separator: ", "));
      DELETE FROM takes WHERE g = 3;
      INSERT INTO maybe SELECT CASE WHEN g % 3 > 0 THEN s END, CASE WHEN g <> 5 THEN c END FROM takes;
      ANALYZE;
      """)
    return connection
  }

  private static let students = [
    "e.s IN (SELECT id FROM student WHERE v < 3)",
    "e.s IN (SELECT b.s FROM takes a JOIN takes b ON b.c = a.c WHERE a.s = 2 AND b.s <> 2)",
    "EXISTS (SELECT 1 FROM takes x WHERE x.s = e.s AND x.g = 1)",
    "e.s IN (SELECT s FROM maybe)",
    "e.s IN (SELECT s FROM maybe) AND EXISTS (SELECT 1 FROM student z WHERE z.id = e.s)",
    "e.s IN (SELECT a.s FROM takes a) AND e.s IN (SELECT s FROM takes WHERE g > 1) AND e.s NOT IN (SELECT id FROM student WHERE v = 5)",
  ]

  private static let courses = [
    "e.c NOT IN (SELECT c FROM takes WHERE s = 2)",
    "e.c IN (SELECT c FROM takes WHERE s = 2)",
    "NOT EXISTS (SELECT 1 FROM takes x WHERE x.s = 2 AND x.c = e.c)",
    "e.c IN (SELECT id FROM course WHERE kind = 1)",
    "e.c NOT IN (SELECT c FROM maybe WHERE s = 4)",
    "e.c NOT IN (SELECT c FROM takes WHERE s = 2) AND e.c NOT IN (SELECT id FROM course WHERE kind = 2)",
    "e.c IN (SELECT c FROM takes WHERE s = 2) AND e.c <> 1",
  ]

  private static let groups = [
    "SELECT e.c, count(*) FROM takes e WHERE # GROUP BY e.c",
    "SELECT e.c, count(e.s), count(*) FROM takes e WHERE # GROUP BY e.c HAVING count(*) > 1",
    "SELECT e.c, count(e.s), count(*) FROM maybe e WHERE # GROUP BY e.c",
    "SELECT e.c, k.name, count(*) FROM takes e JOIN course k ON k.id = e.c WHERE # GROUP BY e.c, k.name",
    "SELECT k.id, k.name, count(*) FROM course k JOIN takes e ON e.c = k.id WHERE # GROUP BY k.id, k.name",
    "SELECT k.name, count(*) FROM takes e JOIN course k ON k.id = e.c WHERE # GROUP BY k.name",
    "SELECT k.id, upper(k.name), k.kind, count(*) FROM takes e JOIN course k ON k.id = e.c WHERE # GROUP BY k.id, k.name, k.kind",
    "SELECT e.c, count(*) FROM takes e WHERE # AND e.g > 1 GROUP BY e.c",
    "SELECT e.c, e.g, count(*) FROM takes e WHERE # GROUP BY e.c, e.g",
    "SELECT e.c, count(DISTINCT e.s) FROM takes e WHERE # GROUP BY e.c",
    "SELECT count(*) FROM takes e WHERE #",
  ]

  @Test("are counted as they are without keys", arguments: [1, 3, 4])
  func answers(_ seed: Int) throws {
    var random = RepeatableNumbers(seed)
    let counts = (random.pick([5, 60, 3000]), random.pick([3, 40]))
    let rows = (0..<random.pick([30, 6000])).map { _ in
      let student = random.next(3) == 0 ? 1 : 1 + random.next(counts.0)
      return "(\(student * 2), \(1 + random.next(counts.1)), \(random.next(9)))"
    }
    let keyed = try Self.connection(isKeyed: true, rows: rows, counts)
    let plain = try Self.connection(isKeyed: false, rows: rows, counts)
    for group in Self.groups {
      for student in Self.students {
        let course = random.pick(Self.courses)
        let both = random.next(2) == 0 ? "\(student) AND \(course)" : "\(course) AND \(student)"
        let query = group.replacing("#", with: both)
        func rows(_ connection: Connection) throws -> [String] {
          try connection.query(
            "SELECT count(*), md5(string_agg(r::text, ',' ORDER BY r::text)) FROM (\(query)) r"
          ).map { $0.line }
        }
        #expect(try rows(keyed) == rows(plain), "\(query)")
      }
    }
  }

  @Test("are those that a walk counts, whichever condition comes first")
  func plan() throws {
    let rows = (0..<6000).map { "(\((1 + $0 % 900) * 2), \(1 + $0 * 7 % 40), 1)" }
    let connection = try Self.connection(isKeyed: true, rows: rows, (1000, 40))
    for group in [0, 1, 3] {
      for course in Self.courses[..<3] {
        let query = Self.groups[group].replacing("#", with: "\(Self.students[1]) AND \(course)")
        let plan = try connection.query("EXPLAIN (COSTS OFF) \(query)")
          .map { $0.line }.joined(separator: "\n")
        #expect(plan.contains("Neighbour Count on "), "\(plan)")
      }
    }
  }
}
