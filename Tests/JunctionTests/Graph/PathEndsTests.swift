import Diagnostics
import Junction
import Testing

/// Ends and lengths of paths from one row, which are found as sets or by a closure, against searches of the same paths, of which
/// the edges are asked for as well.
@Suite("The ends of paths from one row")
struct PathEndsTests {
  /// Courses need others in chains, cycles and fans, some of them themselves; pupils take courses.
  private static func school() throws(SQLError) -> Connection {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE course (id int PRIMARY KEY, credits int, name text);
      CREATE TABLE pupil (id int PRIMARY KEY, age int);
      CREATE TABLE needs (
        course_id int NOT NULL REFERENCES course, other_id int NOT NULL REFERENCES course, since int);
      CREATE TABLE takes (
        pupil_id int REFERENCES pupil, course_id int REFERENCES course, grade int,
        PRIMARY KEY (pupil_id, course_id));
      INSERT INTO course SELECT 500 - i * 2, CASE WHEN i % 5 > 0 THEN i % 4 END, 'course ' || i
        FROM generate_series(1, 200) i;
      INSERT INTO pupil SELECT i, CASE WHEN i % 7 > 0 THEN i % 3 END FROM generate_series(1, 300) i;
      INSERT INTO needs SELECT 500 - i * 2, 500 - (i / 2) * 2, i % 3 FROM generate_series(2, 120) i;
      INSERT INTO needs SELECT 500 - i * 2, 500 - (i * 7 % 90 + 1) * 2, 3 FROM generate_series(1, 80, 3) i;
      INSERT INTO needs SELECT 500 - i * 2, 500 - i * 2, 4 FROM generate_series(1, 30, 5) i;
      INSERT INTO needs SELECT * FROM needs WHERE since = 3 AND course_id % 3 = 0;
      INSERT INTO takes SELECT i, 500 - (i * i % 60 + 1) * 2, CASE WHEN i % 6 > 0 THEN i % 5 END
        FROM generate_series(1, 300) i;
      INSERT INTO takes SELECT i, 500 - (i % 11 + 70) * 2, i % 5 FROM generate_series(1, 300, 2) i;
      CREATE PROPERTY GRAPH school VERTEX TABLES (course, pupil) EDGE TABLES (
        needs KEY (course_id, other_id, since)
          SOURCE KEY (course_id) REFERENCES course (id) DESTINATION KEY (other_id) REFERENCES course (id),
        takes SOURCE pupil DESTINATION course);
      """)
    return connection
  }

  private static let course = "(s IS course WHERE s.id = $1)"
  private static let pupil = "(s IS pupil WHERE s.id = $1)"
  private static let mates =
    "((IS pupil)-[IS takes]->(IS course)<-[IS takes]-(IS pupil))"

  /// A start, a repeated part and an end.
  static let patterns = [
    "\(course)-[IS needs]->+(n IS course)",
    "\(course)-[IS needs]->*(n IS course)",
    "\(course)-[IS needs]->{1,3}(n IS course)",
    "\(course)-[IS needs]->{0,2}(n IS course)",
    "\(course)-[IS needs]->{2,4}(n IS course)",
    "\(course)<-[IS needs]-+(n IS course)",
    "\(course)-[IS needs]->+(n IS course WHERE n.id % 3 = 1)",
    "\(course)-[IS needs]->+(n IS course WHERE n.credits > 1)",
    "\(course)-[IS needs]->{1,2}(n IS course WHERE n.credits IS NULL OR n.name LIKE '%2%')",
    "\(course)-[e IS needs WHERE e.since < 3]->+(n IS course)",
    "\(course)-[e IS needs WHERE e.other_id % 3 > 0]->{1,4}(n IS course)",
    "\(course)-[e IS needs WHERE e.course_id > 380 AND e.since <> 1]->*(n IS course WHERE n.credits < 3)",
    "\(course)((IS course)-[IS needs]->(b IS course WHERE b.credits > 0))+(n IS course)",
    "\(course)((a IS course WHERE a.id % 7 > 0)-[IS needs]->(IS course))+(n IS course)",
    "\(course)((a IS course WHERE a.credits > 0)-[IS needs]->(IS course)){1,5}(n IS course)",
    "\(course)((a IS course WHERE a.id > 300)-[e IS needs WHERE e.since > 0]->(b IS course WHERE b.id > 310))+"
      + "(n IS course)",
    "(s IS course WHERE s.id = $1 AND s.credits > 0)-[IS needs]->+(n IS course)",
    "(s IS course WHERE s.id = $1 AND s.credits > 0)-[IS needs]->{1,3}(n IS course WHERE n.id > 350)",
    "\(pupil)\(mates){1,2}(n IS pupil)",
    "\(pupil)\(mates)*(n IS pupil WHERE n.age > 0)",
    "\(pupil)\(mates){2,3}(n IS pupil WHERE n.id % 2 = 1)",
    "\(pupil)((IS pupil)-[IS takes]->(c IS course WHERE c.credits > 1)<-[IS takes]-(b IS pupil WHERE b.age < 2))"
      + "{1,3}(n IS pupil)",
    "\(pupil)((a IS pupil WHERE a.age > 0)-[e IS takes WHERE e.course_id > 400]->(IS course)"
      + "<-[f IS takes WHERE f.pupil_id % 5 > 0]-(IS pupil)){1,2}(n IS pupil)",
    "\(pupil)((a IS pupil)-[e IS takes WHERE e.grade > 1]->(IS course)<-[IS takes]-(IS pupil)){1,2}"
      + "(n IS pupil WHERE n.age = 1)",
    "(s IS pupil WHERE s.id = $1 AND s.age = 1)\(mates){1,2}(n IS pupil)",
  ]

  private static func table(_ pattern: String, _ columns: String) -> String {
    "FROM GRAPH_TABLE (school MATCH \(pattern) COLUMNS (\(columns))) paths"
  }

  /// What is asked of ends alone.
  static let ofEnds = [
    ("n", ""), ("count(*)", ""), ("max(n), count(*)", ""), ("count(DISTINCT n)", ""),
    ("count(*)", " WHERE n > 400"),
  ]

  /// What is asked of ends and lengths.
  static let ofLengths = [
    ("n, l", ""), ("count(*), max(l)", ""), ("sum(l), min(l), count(l)", ""),
    ("count(*), sum(l)", " WHERE n > 400"), ("count(*)", " WHERE l > 1"),
    ("max(n), count(*)", " WHERE l <= 2 AND n % 3 = 1"), ("l, count(*), sum(n)", " GROUP BY l"),
  ]

  @Test("are those of the paths found one by one", arguments: patterns)
  func likeSearch(_ pattern: String) throws {
    let connection = try Self.school()
    func compare(_ word: String, _ columns: String, _ questions: [(String, String)]) throws {
      let pattern = "p = \(word) \(pattern)"
      for (question, rest) in questions {
        let quick = try connection.prepare(
          "SELECT \(question) \(Self.table(pattern, columns))\(rest)")
        // Whoever asks for edges gets a search.
        let searched = Self.table(pattern, columns + ", edges(p) AS e")
        let slow = try connection.prepare(
          "SELECT \(question) FROM (SELECT * \(searched) WHERE cardinality(e) >= 0) every\(rest)")
        for start in [440, 100, 17, 9999] {
          let wanted = Self.rows(try slow.query(.integer(Int64(start))))
          // The second run has what the first learnt of conditions.
          for _ in 0..<2 {
            let rows = Self.rows(try quick.query(.integer(Int64(start))))
            #expect(rows == wanted, "\(pattern): \(question)\(rest) from \(start)")
          }
        }
      }
    }
    try compare("ANY", "n.id AS n", Self.ofEnds)
    try compare("ANY SHORTEST", "n.id AS n, path_length(p) AS l", Self.ofLengths)
    if pattern.contains("takes") { return }
    try compare("ANY TRAIL", "n.id AS n", Array(Self.ofEnds.prefix(2)))
    try compare(
      "ANY SHORTEST SIMPLE", "n.id AS n, path_length(p) AS l", Array(Self.ofLengths.prefix(2)))
    try compare(
      "ANY SHORTEST ACYCLIC", "n.id AS n, path_length(p) AS l", Array(Self.ofLengths.prefix(2)))
  }

  @Test("are found anew when rows change")
  func changes() throws {
    let connection = try Self.school()
    let count = try connection.prepare(
      "SELECT count(*), max(l) "
        + Self.table(
          "p = ANY SHORTEST \(Self.course)-[IS needs]->+(n IS course WHERE n.credits > 0)",
          "n.id AS n, path_length(p) AS l"))
    let before = Self.rows(try count.query(.integer(304)))
    try connection.execute("UPDATE course SET credits = NULL WHERE credits = 1")
    let fewer = Self.rows(try count.query(.integer(304)))
    #expect(fewer != before)
    try connection.execute("BEGIN; DELETE FROM needs WHERE course_id = 304")
    #expect(Self.rows(try count.query(.integer(304))) == ["0|NULL"])
    try connection.execute("ROLLBACK")
    #expect(Self.rows(try count.query(.integer(304))) == fewer)
    #expect(Self.rows(try count.query(.null)) == ["0|NULL"])
  }

  private static func rows(_ result: ResultSet) -> [String] {
    (0..<result.count).map { row in
      result.columns.indices.map { result.text(row: row, column: $0) ?? "NULL" }
        .joined(separator: "|")
    }.sorted()
  }
}
