import Diagnostics
import Junction
import Testing

/// The same rows in two schemas, of which one declares keys and foreign keys.
///
/// There queries walk along indices; in the other they scan and hash. No answer may differ.
@Suite("Relationships that are declared")
struct WalkedRelationshipTests {
  private static let loaded: Result<Database, SQLError> = {
    do throws(SQLError) {
      return .success(try makeDatabase())
    } catch {
      return .failure(error)
    }
  }()

  private static func makeDatabase() throws(SQLError) -> Database {
    let database = Database()
    try database.connect().execute(
      """
      CREATE SCHEMA plain;
      CREATE TABLE plain.student (id int, name text);
      CREATE TABLE plain.course (id int, name text);
      CREATE TABLE plain.enrols (student_id int, course_id int);
      CREATE TABLE plain.needs (course_id int, requires_id int);
      INSERT INTO plain.student SELECT i * 3 + 5, 'student ' || i FROM generate_series(1, 1200) i;
      INSERT INTO plain.course SELECT i, 'course ' || i % 211 FROM generate_series(1, 520) i;
      INSERT INTO plain.enrols
        SELECT DISTINCT (i * 7919 % 1190 + 1) * 3 + 5, (i * i % 7919 * 13 + i) % (1 + i % 515) + 1
        FROM generate_series(1, 5000) i;
      INSERT INTO plain.enrols SELECT (i + 1) * 3 + 5, 515 FROM generate_series(1, 1100) i;
      INSERT INTO plain.needs SELECT i, i / 2 FROM generate_series(2, 300) i;
      INSERT INTO plain.needs SELECT i, i + 40 FROM generate_series(200, 240) i WHERE i % 2 = 0;
      CREATE TABLE plain.takes (student_id int, course_id int);
      INSERT INTO plain.takes SELECT DISTINCT (i % 300 + 1) * 3 + 5, i * 31 % 173 + 1 FROM generate_series(1, 3600) i;
      CREATE SCHEMA linked;
      CREATE TABLE linked.student (id int PRIMARY KEY, name text);
      CREATE TABLE linked.course (id int PRIMARY KEY, name text);
      CREATE TABLE linked.enrols (
        student_id int REFERENCES linked.student, course_id int REFERENCES linked.course,
        PRIMARY KEY (student_id, course_id));
      CREATE TABLE linked.needs (
        course_id int REFERENCES linked.course, requires_id int REFERENCES linked.course,
        PRIMARY KEY (course_id, requires_id));
      INSERT INTO linked.student SELECT * FROM plain.student;
      INSERT INTO linked.course SELECT * FROM plain.course;
      INSERT INTO linked.enrols SELECT * FROM plain.enrols;
      INSERT INTO linked.needs SELECT * FROM plain.needs;
      CREATE TABLE linked.takes (
        student_id int REFERENCES linked.student, course_id int REFERENCES linked.course,
        PRIMARY KEY (student_id, course_id));
      INSERT INTO linked.takes SELECT * FROM plain.takes;
      """)
    return database
  }

  static let queries = [
    "SELECT a.student_id, b.student_id, count(*) FROM takes a JOIN takes b ON b.course_id = a.course_id AND a.student_id < b.student_id GROUP BY 1, 2",
    "SELECT x.course_id, y.requires_id, count(*) FROM needs x JOIN needs y ON y.course_id = x.requires_id GROUP BY 1, 2",
    "SELECT x.course_id, y.requires_id, count(*) FROM needs x JOIN needs y ON y.course_id = x.requires_id WHERE x.course_id <> y.requires_id GROUP BY 1, 2 HAVING count(*) > 1",
    "SELECT a.student_id, b.student_id, count(*) AS n FROM enrols a JOIN enrols b ON b.course_id = a.course_id JOIN course c ON c.id = a.course_id WHERE a.student_id < b.student_id AND c.id % 3 = 0 AND c.id < 500 GROUP BY 1, 2 ORDER BY n DESC, 1, 2 LIMIT 40",
    "SELECT count(*) FROM takes a JOIN takes b ON b.student_id = a.student_id JOIN takes c ON c.course_id = b.course_id JOIN takes d ON d.student_id = c.student_id AND d.course_id = a.course_id WHERE a.student_id < c.student_id AND a.course_id < b.course_id",
    "SELECT count(*) FROM takes a JOIN takes b ON b.student_id = a.student_id JOIN takes c ON c.course_id = b.course_id JOIN takes d ON d.student_id = c.student_id AND d.course_id = a.course_id WHERE a.student_id <> c.student_id AND a.course_id <> b.course_id",
    "SELECT count(*) FROM needs x JOIN needs y ON y.course_id = x.course_id JOIN needs z ON z.course_id = x.requires_id AND z.requires_id = y.requires_id WHERE x.course_id > x.requires_id AND y.requires_id <= z.course_id",
    "SELECT c.id, count(e.student_id) FROM course c LEFT JOIN enrols e ON e.course_id = c.id GROUP BY c.id",
    "SELECT c.id, c.name, count(*) FROM course c LEFT JOIN enrols e ON e.course_id = c.id GROUP BY 1, 2",
    "SELECT c.id, c.name, count(*) FROM course c JOIN enrols e ON e.course_id = c.id GROUP BY c.id, c.name",
    """
    SELECT c.id, c.name, count(s.id), min(s.name), length(json_agg(json_build_object('id', s.id, 'name', s.name))
      FILTER (WHERE s.id IS NOT NULL)::text)
    FROM course c LEFT JOIN enrols e ON e.course_id = c.id LEFT JOIN student s ON s.id = e.student_id GROUP BY c.id, c.name
    """,
    """
    SELECT c.id, length(json_agg(json_build_object('s', s.name, 'c', c.name))::text)
    FROM course c JOIN enrols e ON e.course_id = c.id JOIN student s ON s.id = e.student_id GROUP BY c.id
    """,
    "SELECT name, count(e.student_id) FROM course c LEFT JOIN enrols e ON e.course_id = c.id GROUP BY name",
    "SELECT course_id, count(*) FROM enrols GROUP BY course_id",
    "SELECT student_id, count(course_id) AS n, count(*) FROM enrols GROUP BY student_id HAVING count(*) > 3",
    "SELECT course_id, count(*) FROM enrols WHERE student_id > 500 GROUP BY course_id",
    "SELECT count(*) FROM student s WHERE NOT EXISTS (SELECT FROM enrols e WHERE e.student_id = s.id AND e.course_id = 515)",
    """
    SELECT count(*) FROM student s WHERE NOT EXISTS (SELECT FROM enrols a JOIN enrols b ON b.course_id = a.course_id
    WHERE a.student_id = 11 AND b.student_id = s.id)
    """,
    """
    SELECT count(DISTINCT b.student_id), min(b.student_id), max(b.student_id) FROM enrols a
    JOIN enrols b ON b.course_id = a.course_id WHERE a.student_id = 11 AND b.student_id <> 11
    """,
    """
    SELECT count(DISTINCT b.student_id) FROM enrols a JOIN enrols b ON b.course_id = a.course_id
    WHERE a.student_id IN (11, 14, 17)
    """,
    """
    SELECT a.course_id, b.course_id, count(*), min(a.student_id) FROM enrols a
    JOIN enrols b ON b.student_id = a.student_id AND a.course_id < b.course_id
    GROUP BY a.course_id, b.course_id HAVING count(*) > 4
    """,
    """
    SELECT a.course_id, b.course_id, count(*) AS n FROM enrols a
    JOIN enrols b ON b.student_id = a.student_id AND a.course_id < b.course_id
    GROUP BY a.course_id, b.course_id ORDER BY n DESC, a.course_id, b.course_id LIMIT 20
    """,
    """
    SELECT b.course_id, a.course_id, sum(a.student_id) FROM enrols a
    JOIN enrols b ON b.student_id = a.student_id WHERE a.course_id > 500 GROUP BY b.course_id, a.course_id
    """,
    """
    SELECT e.course_id, count(*) AS n FROM enrols e WHERE e.student_id IN (SELECT b.student_id FROM enrols a
    JOIN enrols b ON b.course_id = a.course_id WHERE a.student_id = 11 AND b.student_id <> 11)
    AND e.course_id NOT IN (SELECT course_id FROM enrols WHERE student_id = 11)
    GROUP BY e.course_id ORDER BY n DESC, e.course_id LIMIT 10
    """,
    """
    SELECT o.course_id, count(DISTINCT c.student_id) FROM enrols m JOIN enrols c ON c.course_id = m.course_id
    JOIN enrols o ON o.student_id = c.student_id WHERE m.student_id = 14
    AND NOT EXISTS (SELECT FROM enrols x WHERE x.student_id = 14 AND x.course_id = o.course_id)
    GROUP BY o.course_id
    """,
    """
    SELECT count(DISTINCT student_id) FROM enrols WHERE course_id IN (SELECT course_id FROM enrols
    WHERE student_id IN (SELECT student_id FROM enrols WHERE course_id IN (SELECT course_id FROM enrols WHERE student_id = 20)))
    """,
    """
    SELECT count(*), min(s.id) FROM student s WHERE s.id < 400 AND NOT EXISTS (SELECT FROM enrols a
    JOIN enrols b ON b.course_id = a.course_id WHERE a.student_id = 11 AND b.student_id = s.id)
    """,
    """
    SELECT c.name FROM course c WHERE c.id < 90 AND EXISTS (SELECT FROM enrols a
    JOIN enrols b ON b.student_id = a.student_id WHERE a.course_id = 7 AND b.course_id = c.id)
    """,
    "SELECT DISTINCT e.student_id FROM enrols e JOIN enrols f ON f.student_id = e.student_id WHERE f.course_id < 5",
    "SELECT DISTINCT b.course_id % 7 FROM enrols a JOIN enrols b ON b.student_id = a.student_id WHERE a.course_id = 3",
    "SELECT name FROM student WHERE id IN (SELECT student_id FROM enrols WHERE course_id IN (1, 2, 3))",
    "SELECT name FROM student WHERE id NOT IN (SELECT student_id FROM enrols WHERE course_id < 500)",
    "SELECT student_id FROM enrols WHERE course_id = 4 EXCEPT SELECT student_id FROM enrols WHERE course_id = 515",
    "SELECT student_id FROM enrols WHERE course_id = 4 UNION SELECT student_id FROM enrols WHERE course_id = 9",
    """
    WITH RECURSIVE hop (id, depth) AS (SELECT 11, 0 UNION SELECT b.student_id, h.depth + 1 FROM hop h
    JOIN enrols a ON a.student_id = h.id JOIN enrols b ON b.course_id = a.course_id
    WHERE h.depth < 2 AND a.course_id > 400 AND b.course_id > 400)
    SELECT depth, count(DISTINCT id) FROM hop GROUP BY depth
    """,
    """
    WITH RECURSIVE needed (id) AS (SELECT requires_id FROM needs WHERE course_id = 230 UNION
    SELECT n.requires_id FROM needed JOIN needs n ON n.course_id = needed.id) SELECT id FROM needed
    """,
    """
    WITH RECURSIVE needed (course_id, requires_id) AS (SELECT course_id, requires_id FROM needs UNION
    SELECT d.course_id, n.requires_id FROM needed d JOIN needs n ON n.course_id = d.requires_id)
    SELECT count(*), sum(course_id), sum(requires_id) FROM needed
    """,
    """
    SELECT s.name, e.course_id, f.course_id FROM student s JOIN enrols e ON e.student_id = s.id
    JOIN enrols f ON f.student_id = s.id AND f.course_id = e.course_id + 1 WHERE s.id < 40
    """,
    """
    SELECT count(*), count(DISTINCT d.course_id) FROM enrols a JOIN enrols b ON b.course_id = a.course_id
    JOIN enrols c ON c.student_id = b.student_id JOIN enrols d ON d.course_id = c.course_id
    WHERE a.student_id = 23 AND a.course_id < 40 AND c.course_id < 6
    """,
    """
    SELECT a.course_id, b.course_id, count(*) AS n FROM enrols a
    JOIN enrols b ON b.student_id = a.student_id AND a.course_id > b.course_id
    GROUP BY a.course_id, b.course_id ORDER BY n DESC, b.course_id, a.course_id LIMIT 7 OFFSET 30
    """,
    """
    SELECT a.course_id, b.course_id, count(*) AS n FROM enrols a
    JOIN enrols b ON b.student_id = a.student_id AND a.course_id <> b.course_id AND b.course_id % 3 = 1
    GROUP BY a.course_id, b.course_id ORDER BY n DESC, b.course_id, a.course_id LIMIT 50
    """,
    """
    SELECT b.course_id, count(*), a.course_id, count(b.student_id) FROM enrols a
    JOIN enrols b ON b.student_id = a.student_id GROUP BY b.course_id, a.course_id
    """,
    "SELECT DISTINCT s.id, s.name FROM enrols a JOIN student s ON s.id = a.student_id WHERE a.course_id IN (3, 515, 3, 9999)",
    """
    SELECT DISTINCT s.name, s.id FROM enrols m JOIN enrols a ON a.course_id = m.course_id
    JOIN student s ON s.id = a.student_id WHERE m.student_id = 11 AND s.name LIKE '%7%'
    """,
    """
    SELECT count(DISTINCT b.student_id) FROM enrols a JOIN enrols b ON b.course_id = a.course_id
    WHERE a.student_id = 11 AND b.student_id <> 14 AND b.student_id % 5 > 1 AND b.student_id <> 10000000
    """,
    """
    SELECT count(DISTINCT b.student_id) FROM enrols a JOIN enrols b ON b.course_id = a.course_id
    WHERE a.student_id = 11 AND b.student_id <> NULL::int
    """,
    "SELECT count(DISTINCT b.student_id) FROM enrols a JOIN enrols b ON b.course_id = a.course_id WHERE a.student_id = NULL::int",
    """
    SELECT count(DISTINCT d.course_id) FROM enrols a JOIN enrols b ON b.course_id = a.course_id
    JOIN enrols c ON c.student_id = b.student_id JOIN needs d ON d.requires_id = c.course_id
    WHERE a.student_id = 11 AND b.student_id <> 11
    """,
    """
    SELECT count(*) FROM course c WHERE NOT EXISTS (SELECT FROM enrols e WHERE e.student_id = 11 AND e.course_id = c.id)
    AND NOT EXISTS (SELECT FROM needs n WHERE n.course_id = 230 AND n.requires_id = c.id)
    """,
    """
    SELECT c.id FROM course c WHERE NOT EXISTS (SELECT FROM enrols a JOIN enrols b ON b.student_id = a.student_id
    WHERE a.course_id = 17 AND b.course_id = c.id) ORDER BY c.id LIMIT 30
    """,
    """
    SELECT c.name, c.id FROM course c WHERE c.id NOT IN (SELECT course_id FROM enrols WHERE student_id IN (11, 20, 23))
    ORDER BY c.name, c.id
    """,
    """
    SELECT s.id, s.name FROM student s WHERE s.id IN (SELECT b.student_id FROM enrols a
    JOIN enrols b ON b.course_id = a.course_id WHERE a.student_id = 11) AND s.name < 'student 3'
    """,
    "SELECT count(*) FROM student WHERE id IN (SELECT student_id FROM enrols WHERE course_id IN (SELECT course_id FROM enrols WHERE student_id = 11))",
    """
    SELECT e.course_id, count(*) FROM enrols e WHERE e.student_id IN (SELECT id FROM student WHERE name LIKE '%9%')
    GROUP BY e.course_id
    """,
    """
    SELECT e.course_id, count(*), count(e.course_id) FROM student s JOIN enrols e ON e.student_id = s.id
    WHERE s.name > 'student 7' AND e.course_id <> 515 GROUP BY e.course_id HAVING count(*) > 2
    """,
    """
    SELECT o.student_id, count(*) FROM enrols o WHERE o.course_id IN (SELECT course_id FROM enrols WHERE student_id = 11)
    AND o.student_id IN (SELECT student_id FROM enrols WHERE course_id = 515) GROUP BY o.student_id
    """,
    """
    SELECT count(DISTINCT student_id) FROM enrols WHERE course_id IN (SELECT course_id FROM enrols
    WHERE student_id IN (SELECT student_id FROM enrols WHERE course_id IN (SELECT course_id FROM enrols
    WHERE student_id IN (SELECT student_id FROM enrols WHERE course_id IN (SELECT course_id FROM enrols WHERE student_id = 20)))))
    """,
    """
    SELECT c.name, (SELECT count(DISTINCT b.course_id) FROM enrols a JOIN enrols b ON b.student_id = a.student_id
    WHERE a.course_id = c.id) FROM course c WHERE c.id % 50 = 3
    """,
  ]

  private static let pairConditions = [
    "a.course_id < b.course_id", "true", "a.course_id + b.course_id < 150",
    "a.course_id BETWEEN 20 AND 90 AND a.course_id % 3 <> 1 AND a.course_id <> b.course_id",
  ]

  private static let uncountedQueries = pairConditions.flatMap { condition in
    let pairs =
      "FROM takes a JOIN takes b ON b.student_id = a.student_id AND \(condition)"
    return [
      "SELECT DISTINCT a.course_id, b.course_id \(pairs)",
      "SELECT DISTINCT b.course_id AS two, a.course_id AS one \(pairs) ORDER BY 1 DESC, 2 LIMIT 9 OFFSET 3",
      "SELECT a.course_id, b.course_id \(pairs) GROUP BY 1, 2 HAVING count(*) > 4",
      "SELECT b.course_id + 1, a.course_id \(pairs) GROUP BY b.course_id, a.course_id",
      "SELECT count(*), sum(one), max(two) FROM (SELECT DISTINCT a.course_id AS one, b.course_id AS two \(pairs)) p",
      "SELECT count(*) FROM (SELECT a.course_id, b.course_id \(pairs) GROUP BY 1, 2) p",
      "SELECT a.course_id, count(DISTINCT b.course_id) \(pairs) GROUP BY 1",
      "SELECT a.course_id, b.course_id \(pairs) UNION SELECT 1, 2",
    ]
  }

  /// Pairs of students, whose keys stop rising with the positions of rows when one of them comes again.
  private static let studentQueries = ["ORDER BY 1, 2 LIMIT 12", "ORDER BY 1 DESC, 2 LIMIT 9"].map {
    """
    SELECT DISTINCT a.student_id, b.student_id FROM takes a JOIN takes b ON b.course_id = a.course_id
    AND a.student_id < b.student_id \($0)
    """
  }

  /// Pairs of courses that share students, in all forms that are counted without a table of pairs, and pairs of students.
  static let pairQueries =
    uncountedQueries + studentQueries
    + [
      "ORDER BY n DESC, 1, 2 LIMIT 20", "ORDER BY n DESC, 2, 1 LIMIT 3 OFFSET 5",
      "HAVING count(*) > 12", "",
      "ORDER BY n, b.course_id DESC, 1 LIMIT 10", "ORDER BY n, 1, 2 LIMIT 20",
      "ORDER BY n, 1 DESC, 2 LIMIT 7", "ORDER BY n DESC, 1 DESC, 2 LIMIT 4",
      "HAVING count(*) > 5 ORDER BY n, 1, 2 LIMIT 6 OFFSET 2",
      "ORDER BY 1, 2 LIMIT 12", "ORDER BY 2 DESC, 1 LIMIT 9 OFFSET 3",
      "HAVING count(*) > 5 ORDER BY 1 DESC, 2 LIMIT 8", "ORDER BY 1, n DESC, 2 LIMIT 7",
    ].flatMap { ending in
      pairConditions.map { condition in
        """
        SELECT a.course_id, b.course_id, count(*) AS n FROM takes a JOIN takes b ON b.student_id = a.student_id
        AND \(condition) GROUP BY a.course_id, b.course_id \(ending)
        """
      }
    }

  private static let changed: Result<Database, SQLError> = {
    do throws(SQLError) {
      let database = try makeDatabase()
      for schema in ["plain", "linked"] {
        try database.connect().execute(
          """
          SET search_path TO \(schema);
          DELETE FROM enrols WHERE (student_id + course_id) % 7 = 0;
          DELETE FROM enrols WHERE course_id = 3 OR student_id = 17;
          DELETE FROM takes WHERE course_id = 3 OR student_id = 17 OR (student_id + course_id) % 5 = 0;
          UPDATE takes SET course_id = 200 + course_id WHERE course_id > 150 AND student_id % 2 = 0;
          DELETE FROM student WHERE id = 17;
          DELETE FROM needs WHERE course_id = 3 OR requires_id = 3;
          DELETE FROM course WHERE id = 3;
          INSERT INTO student VALUES (1, 'student one'), (17, 'student again');
          INSERT INTO course VALUES (1000, 'course thousand');
          INSERT INTO enrols SELECT 17, id FROM course WHERE id % 5 = 2;
          INSERT INTO enrols SELECT id, 1000 FROM student WHERE id % 2 = 1;
          UPDATE enrols SET course_id = 1000 WHERE course_id = 44 AND student_id % 2 = 0;
          """)
      }
      return .success(database)
    } catch {
      return .failure(error)
    }
  }()

  @Test("answer every query as tables without any do", arguments: queries + pairQueries)
  func agree(query: String) throws { try check(query, in: try Self.loaded.get()) }

  @Test(
    "answer every query as tables without any do after changes", arguments: queries + pairQueries)
  func agreeChanged(query: String) throws { try check(query, in: try Self.changed.get()) }

  @Test(
    "are walked by sets where only the rows reached matter",
    arguments: [
      (
        """
        SELECT count(*) FROM student WHERE id IN (SELECT b.student_id FROM enrols a
        JOIN enrols b ON b.course_id = a.course_id WHERE a.student_id = 11)
        """, "Adjacency Walk"
      ),
      (
        "SELECT count(DISTINCT b.student_id) FROM enrols a JOIN enrols b ON b.course_id = a.course_id WHERE a.student_id = 11",
        "Adjacency Walk"
      ),
      (
        """
        SELECT e.course_id, count(*) FROM enrols e WHERE e.student_id IN (SELECT student_id FROM enrols
        WHERE course_id = 4) GROUP BY e.course_id
        """, "Neighbour Count"
      ),
      (
        """
        SELECT a.course_id, b.course_id, count(*) AS n FROM takes a JOIN takes b ON b.student_id = a.student_id
        AND a.course_id < b.course_id GROUP BY a.course_id, b.course_id ORDER BY n DESC LIMIT 20
        """, "Pair Count"
      ),
      (
        """
        SELECT a.course_id, b.course_id, count(*) FROM takes a JOIN takes b ON b.student_id = a.student_id
        AND a.course_id < b.course_id WHERE a.course_id > 3 GROUP BY a.course_id, b.course_id
        """, "Pair Count"
      ),
      (
        """
        SELECT count(*) FROM (SELECT a.course_id, b.course_id FROM takes a JOIN takes b ON b.student_id = a.student_id
        GROUP BY 1, 2) pairs
        """, "Pair Count"
      ),
      (
        "SELECT DISTINCT a.course_id, b.course_id FROM takes a JOIN takes b ON b.student_id = a.student_id",
        "Pair Count"
      ),
    ])
  func planned(query: String, node: String) throws {
    let connection = try Self.loaded.get().connect()
    try connection.execute("SET search_path TO linked")
    let plan = try connection.query("EXPLAIN " + query).map { $0.line }
    #expect(plan.contains { $0.contains(node) }, "\(plan)")
  }

  @Test(
    "give all rows that a walk arrives at, where they are many",
    arguments: [
      "SELECT count(*), sum(b) FROM (SELECT DISTINCT y.b FROM friend x JOIN friend y ON y.a = x.b) d",
      "SELECT count(*), sum(id) FROM person WHERE id IN (SELECT y.b FROM friend x JOIN friend y ON y.a = x.b)",
      "SELECT count(*), sum(id) FROM person p WHERE NOT EXISTS (SELECT 1 FROM friend f WHERE f.b = p.id)",
      "SELECT DISTINCT y.b FROM friend x JOIN friend y ON y.a = x.b WHERE x.a < 9000",
      """
      SELECT count(*), sum(n), max(most) FROM (SELECT p.id, sum(f.b) AS n, max(f.b) AS most FROM person p
      LEFT JOIN friend f ON f.a = p.id GROUP BY p.id) x
      """,
      "SELECT p.id, max(f.b + f.a) FROM person p LEFT JOIN friend f ON f.a = p.id GROUP BY p.id",
    ])
  func large(query: String) throws { try check(query, in: try Self.largeDatabase.get()) }

  /// With walks that arrive at more rows than one piece of a set holds.
  static let largeDatabase: Result<Database, SQLError> = {
    let database = Database()
    do throws(SQLError) {
      try database.connect().execute(
        """
        CREATE SCHEMA plain;
        CREATE TABLE plain.person (id int);
        CREATE TABLE plain.friend (a int, b int);
        INSERT INTO plain.person SELECT i * 2 FROM generate_series(1, 20000) i;
        INSERT INTO plain.friend SELECT DISTINCT i * 2, (1 + i * 7919 % 19000) * 2 FROM generate_series(1, 19500) i;
        CREATE SCHEMA linked;
        CREATE TABLE linked.person (id int PRIMARY KEY);
        CREATE TABLE linked.friend (
          a int REFERENCES linked.person, b int REFERENCES linked.person, PRIMARY KEY (a, b));
        DELETE FROM plain.person WHERE id > 39000 AND id % 3 = 0;
        INSERT INTO linked.person SELECT i * 2 FROM generate_series(1, 20000) i;
        DELETE FROM linked.person WHERE id > 39000 AND id % 3 = 0;
        INSERT INTO linked.friend SELECT * FROM plain.friend;
        """)
    } catch { return .failure(error) }
    return .success(database)
  }()

  func check(_ query: String, in database: Database) throws {
    var answers: [[String]] = []
    for schema in ["plain", "linked"] {
      let connection = database.connect()
      try connection.execute("SET search_path TO \(schema)")
      let rows = try connection.query(query).map { row in
        row.values.map { "\($0)" }.joined(separator: "|")
      }
      answers.append(query.contains("LIMIT") ? rows : rows.sorted())
    }
    #expect(answers[0] == answers[1])
  }
}
