import Catalog
import Diagnostics
import Foundation
import Testing

@testable import Execution
@testable import Junction

/// A plan is kept by the session that made it; were a plan to hold on to its session, neither would ever go, and
/// with them no database.
@Suite("A database goes when nobody holds it any more")
struct LifetimeTests {
  private static let schema = """
    CREATE TABLE student (id int PRIMARY KEY, name text);
    CREATE TABLE course (id int PRIMARY KEY, name text);
    CREATE TABLE enrols_in (
      student_id int NOT NULL REFERENCES student, course_id int NOT NULL REFERENCES course,
      PRIMARY KEY (student_id, course_id));
    CREATE TABLE prerequisite (
      course_id int NOT NULL REFERENCES course, requires_id int NOT NULL REFERENCES course,
      PRIMARY KEY (course_id, requires_id));
    INSERT INTO student SELECT n, 'student ' || n FROM generate_series(1, 300) n;
    INSERT INTO course SELECT n, 'course ' || n FROM generate_series(1, 20) n;
    INSERT INTO enrols_in SELECT s, (s * 7 + k * 3) % 20 + 1
      FROM generate_series(1, 300) s, generate_series(0, 2) k;
    INSERT INTO prerequisite SELECT n, n - 1 FROM generate_series(2, 20) n;
    """

  private static let statements = [
    "SELECT 1",
    "SELECT * FROM student WHERE id = 7",
    "SELECT name FROM student WHERE name LIKE '%9' ORDER BY name LIMIT 3",
    "SELECT name FROM student ORDER BY length(name), id DESC",
    "SELECT course_id, count(*) FROM enrols_in GROUP BY course_id",
    "SELECT DISTINCT left(name, 9) FROM student",
    "SELECT s.name, c.name FROM student s JOIN enrols_in e ON e.student_id = s.id JOIN course c ON c.id = e.course_id",
    "SELECT s.name FROM student s LEFT JOIN course c ON s.id > c.id AND c.id > 18 WHERE s.id < 100",
    "SELECT count(*) FROM student a JOIN course b ON length(a.name) = length(b.name) AND a.id > b.id",
    "SELECT count(*) FROM student a FULL JOIN course b ON a.id = b.id + 290",
    "SELECT count(*) FROM student a RIGHT JOIN course b ON a.id < b.id",
    "SELECT name FROM course c WHERE NOT EXISTS (SELECT FROM enrols_in e WHERE e.course_id = c.id AND e.student_id = 3)",
    "SELECT name FROM course WHERE id NOT IN (SELECT course_id FROM enrols_in)",
    "SELECT (SELECT max(course_id) FROM enrols_in e WHERE e.student_id <> s.id) FROM student s WHERE id < 4",
    "SELECT rank() OVER (ORDER BY name), sum(id) OVER (PARTITION BY id % 3) FROM student",
    "SELECT id FROM student UNION SELECT id FROM course EXCEPT SELECT course_id FROM enrols_in",
    "WITH c AS MATERIALIZED (SELECT id FROM course) SELECT count(*) FROM c a, c b",
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT sum(i) FROM n",
    """
    WITH RECURSIVE needed (a, b) AS (
      SELECT course_id, requires_id FROM prerequisite
      UNION SELECT n.a, p.requires_id FROM needed n JOIN prerequisite p ON p.course_id = n.b)
    SELECT count(*) FROM needed
    """,
    "SELECT count(*) FROM GRAPH_TABLE (* MATCH ANY SHORTEST (a IS course)-[IS prerequisite]->+(b IS course) COLUMNS (a.id AS a, b.id AS b))",
    "SELECT count(*) FROM GRAPH_TABLE (* MATCH (a IS student)-[IS enrols_in]->(c IS course)<-[IS enrols_in]-(b IS student) WHERE a.id = 5 COLUMNS (b.id AS b))",
    "SELECT count(*) FROM GRAPH_TABLE (* MATCH TRAIL (a IS course)-[p IS prerequisite]->{1,3}(b IS course) COLUMNS (a.id AS a, b.id AS b, array_to_string(p.requires_id, ',') AS way))",
    "SELECT current_setting('search_path'), current_schema",
    "SELECT json_agg(x) FROM (SELECT c.name, (SELECT json_agg(student_id) FROM enrols_in WHERE course_id = c.id) FROM course c) x",
    "INSERT INTO course VALUES (21, 'more') RETURNING id",
    "UPDATE student SET name = upper(name) WHERE id % 2 = 0",
    "DELETE FROM enrols_in WHERE student_id = 3",
    "MERGE INTO course c USING (VALUES (1), (99)) v (id) ON v.id = c.id WHEN MATCHED THEN UPDATE SET name = 'x' WHEN NOT MATCHED THEN INSERT VALUES (v.id, 'y')",
    "SELECT 1 / (id - 7) FROM student",
    "EXPLAIN ANALYZE SELECT count(*) FROM enrols_in GROUP BY course_id",
    "PREPARE p (int) AS SELECT name FROM student WHERE id > $1 ORDER BY name; EXECUTE p (3)",
  ]

  @Test("whatever statement was run", arguments: statements)
  func goes(_ statement: String) throws {
    weak var session: Session?
    do {
      let connection = Database().connect()
      try connection.execute(Self.schema)
      // Twice, so that it is run by a plan that was kept as well.
      for _ in 0..<2 { _ = try? connection.execute(statement) }
      session = connection.session
    }
    #expect(session == nil)
  }

  /// An old version is memory that nobody can use.
  @Test("and no plan at rest keeps a version that is no longer current", arguments: statements)
  func versionGoes(_ statement: String) throws {
    let connection = Database().connect()
    try connection.execute(Self.schema)
    for _ in 0..<2 { _ = try? connection.execute(statement) }
    weak let version = connection.session.state.current
    try connection.execute("UPDATE course SET name = 'changed' WHERE id = 1")
    #expect(version == nil)
  }

  /// Stages know their operators; were operators to know their stages, a plan would stay for ever with all its tables.
  @Test("and no plan stays without it", arguments: statements)
  func planGoes(_ statement: String) throws {
    var found: PlanObjects
    do {
      let connection = Database().connect()
      try connection.execute(Self.schema)
      guard let prepared = try? connection.prepare(statement) else { return }
      for _ in 0..<2 { _ = try? prepared.execute() }
      found = PlanObjects()
      found.add(prepared.plan.executor.collector)
    }
    #expect(found.count > 0 && found.remaining.isEmpty)
  }

  @Test("and no plan of a specification file stays", arguments: SpecificationFile.some(from: 0))
  func specificationGoes(_ file: SpecificationFile) {
    var found = PlanObjects()
    do {
      let connection = Database().connect()
      for record in file.records {
        _ = SpecificationTests.outcome(record, connection)
        if let plan = connection.session.planCache[record.sql] {
          found.add(plan.executor.collector)
        }
      }
    }
    #expect(found.remaining.isEmpty)
  }

  /// To compile a plan takes longer than to hand out many rows in place.
  @Test(
    "and a plan is made anew if it holds much, whatever its result has",
    arguments: [
      ("SELECT id, name FROM item ORDER BY id", true),
      ("SELECT id, name FROM item", true),
      ("SELECT count(DISTINCT name || id) FROM item", false),
    ])
  func planAtRest(_ sql: String, _ isKept: Bool) throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE item (id int PRIMARY KEY, name text);
      INSERT INTO item SELECT n, 'item ' || n % 9 FROM generate_series(1, 60000) n
      """)
    let prepared = try connection.prepare(sql)
    _ = try prepared.query()
    let before = prepared.plan.executor
    _ = try prepared.query()
    #expect((prepared.plan.executor === before) == isKept)
  }

  @Test("though a nested answer was asked for")
  func nested() throws {
    weak var session: Session?
    do {
      let connection = Database().connect()
      try connection.execute(Self.schema)
      _ = try connection.select("course?select=name,student(name)&limit=2")
      session = connection.session
    }
    #expect(session == nil)
  }
}

/// The sources, operators, sinks and stages of a plan, wherever they are kept, without keeping them.
private struct PlanObjects {
  private struct Reference {
    weak var object: AnyObject?
    let type: String
  }
  private var references: [ObjectIdentifier: Reference] = [:]

  var count: Int { references.count }
  /// What does not go within seconds: a thread that took part in a run may let go of its stages only after the run has
  /// ended for those who wait for it.
  var remaining: [String] {
    for _ in 0..<2_000 where !left.isEmpty { Thread.sleep(forTimeInterval: 0.005) }
    return left
  }

  private var left: [String] {
    references.values.filter { $0.object != nil }.map(\.type).sorted()
  }

  /// Adds what can be reached from a value by way of such objects and of what stands in them.
  mutating func add(_ value: Any, depth: Int = 0) {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .class {
      let object = value as AnyObject
      guard
        object is Pipeline || object is StreamRunner || object is Stage || object is Source
          || object is Sink || object is StreamOperator
      else { return }
      let id = ObjectIdentifier(object)
      // One that has gone may have left its place to another.
      if references[id]?.object != nil { return }
      references[id] = Reference(object: object, type: "\(type(of: object))")
    } else if depth > 4 {
      return
    }
    var parts: Mirror? = mirror
    while let part = parts {
      for child in part.children {
        add(child.value, depth: mirror.displayStyle == .class ? 0 : depth + 1)
      }
      parts = part.superclassMirror
    }
  }
}
