import Junction
import Testing

@Suite("Numbers of rows are guessed")
struct EstimateTests {
  @Test("for a calendar of which the rows that are joined with it have a part")
  func partOfRange() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE day (id int PRIMARY KEY, month int NOT NULL);
      INSERT INTO day SELECT 2000000 + i, i / 30 FROM generate_series(1, 72000) i;
      CREATE TABLE sale (day int REFERENCES day, pieces int);
      INSERT INTO sale SELECT 2036000 + i % 1800, i FROM generate_series(1, 20000) i;
      ANALYZE;
      """)
    /// What EXPLAIN says of the topmost operator that joins both, the only one with two inputs.
    func guess(_ condition: String) throws -> Double {
      let lines = try connection.query(
        "EXPLAIN SELECT pieces, month FROM sale s JOIN day d ON d.id = s.day WHERE \(condition)"
      ).map { $0.line }
      let rows = try #require(lines.first { $0.contains("rows=") }?.split(separator: "rows=").last)
      return try #require(Double(rows.prefix { $0.isNumber }))
    }
    // A year is a fifth of the days with sales, and a two hundredth of all.
    let year = try guess("d.month BETWEEN 1200 AND 1211")
    #expect((2000...8000).contains(year), "\(year)")
    let all = try guess("d.month >= 0")
    #expect((15_000...21_000).contains(all), "\(all)")
  }

  /// What EXPLAIN says of the first operator whose line has a text.
  private func rows(
    of name: String, _ query: String, _ connection: Connection
  ) throws -> Double {
    let lines = try connection.query("EXPLAIN " + query).map { $0.line }
    let line = try #require(lines.first { $0.contains(name) }, "\(lines)")
    let rows = try #require(line.split(separator: "rows=").last)
    return try #require(Double(rows.prefix { $0.isNumber }))
  }

  @Test("for rows that are written and those that functions make")
  func madeRows() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE sale (day date, pieces int);
      INSERT INTO sale SELECT DATE '2024-01-01' + i % 90, i % 7 FROM generate_series(1, 40000) i;
      ANALYZE;
      """)
    func groups(_ query: String) throws -> Double { try rows(of: "Aggregate", query, connection) }
    let series = try groups(
      "SELECT g, pieces, count(*) FROM sale JOIN generate_series(1, 4) g ON pieces > g GROUP BY 1, 2"
    )
    #expect(series == 28, "\(series)")
    let days = try rows(
      of: "Function Scan",
      "SELECT * FROM generate_series(DATE '2024-01-01', DATE '2024-03-31', INTERVAL '1 week') d",
      connection)
    #expect(days == 13, "\(days)")
    let written = try groups(
      """
      SELECT name, count(*) FROM sale JOIN (VALUES (0, 'few'), (3, 'some'), (5, 'some')) v(low, name)
        ON pieces >= low GROUP BY name
      """)
    #expect(written == 2, "\(written)")
  }

  @Test("for columns computed from computed columns, once each")
  func projections() throws {
    var query = "SELECT 1 AS a, i AS b FROM generate_series(1, 3) i"
    // Twice at each level would never end.
    for level in 0..<60 {
      query =
        "SELECT (a + b) * (b + a) % 7 AS a, (b * 2 + a + b) % 11 AS b FROM (\(query) LIMIT 100) x\(level)"
    }
    let connection = Database().connect()
    let found = try connection.query("SELECT a, b, count(*) FROM (\(query)) y GROUP BY a, b")
    #expect(found.count > 0)
  }

  @Test("for rows of several queries, one behind another")
  func unions() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE day (id int PRIMARY KEY, year int NOT NULL);
      INSERT INTO day SELECT i, 2000 + i / 365 FROM generate_series(0, 3649) i;
      CREATE TABLE sale (day int NOT NULL REFERENCES day, pieces int);
      INSERT INTO sale SELECT i % 3650, i % 7 FROM generate_series(1, 40000) i;
      ANALYZE;
      """)
    func groups(_ query: String) throws -> Double { try rows(of: "Aggregate", query, connection) }
    let years = try groups(
      """
      SELECT year, count(*) FROM (SELECT year FROM sale JOIN day ON id = day UNION ALL SELECT year FROM sale JOIN day ON id = day
        UNION ALL SELECT year FROM day) x GROUP BY year
      """)
    #expect(years == 10, "\(years)")
    let different = try groups("SELECT pieces FROM sale UNION SELECT year FROM day")
    #expect(different == 17, "\(different)")
    let kinds = try groups(
      """
      SELECT kind, sum(pieces) FROM (SELECT 'sale' AS kind, pieces FROM sale UNION ALL SELECT 'day', year FROM day) x
        GROUP BY kind
      """)
    #expect(kinds == 2, "\(kinds)")
    let parity = try groups(
      "SELECT p, count(*) FROM (SELECT pieces % 2 AS p FROM sale LIMIT 30000) x GROUP BY p")
    #expect(parity == 2, "\(parity)")
  }

  @Test("for groups by columns of one table, of which there are no more than rows")
  func groupsOfOneTable() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE person (id int PRIMARY KEY, first text, last text, town text);
      INSERT INTO person SELECT i, 'f' || i % 90, 'l' || i % 190, 't' || i % 170
        FROM generate_series(1, 400) i;
      CREATE TABLE sale (person int REFERENCES person, year int, pieces int);
      INSERT INTO sale SELECT 1 + i % 400, i % 4, i FROM generate_series(1, 20000) i;
      ANALYZE;
      """)
    let groups = try rows(
      of: "Aggregate",
      """
      SELECT first, last, town, year, sum(pieces) FROM sale s JOIN person p ON p.id = s.person
      GROUP BY first, last, town, year
      """, connection)
    #expect((400...2000).contains(groups), "\(groups)")
  }

  @Test("for filters that leave less than a row, and those that keys follow from")
  func filters() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE part (id int PRIMARY KEY, kind int, shape int, size int);
      INSERT INTO part SELECT i, i % 5, i % 50, i % 60 FROM generate_series(1, 20000) i;
      CREATE TABLE use (part int REFERENCES part, tool int, pieces int);
      INSERT INTO use SELECT 1 + i * 7 % 20000, i % 900, i FROM generate_series(1, 40000) i;
      ANALYZE;
      """)
    let few = try rows(
      of: "Scan on part",
      "SELECT * FROM part WHERE kind = 1 AND shape = 2 AND size = 3 AND id > 9000",
      connection)
    #expect(few >= 1)
    // A fifth of the parts are of a kind, and so are a fifth of the uses of a tool.
    let ofKind = try rows(
      of: "Join", "SELECT * FROM use u JOIN part p ON p.id = u.part WHERE tool < 90 AND kind = 1",
      connection)
    #expect((300...1500).contains(ofKind), "\(ofKind)")
  }

  @Test("for columns that go together, and for those of the rows that conditions leave")
  func combinations() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE item (id int PRIMARY KEY, brand int, maker int);
      INSERT INTO item SELECT i, i * 7 % 500, i * 7 % 500 / 10 FROM generate_series(1, 10000) i;
      CREATE TABLE day (id int PRIMARY KEY, year int, month int);
      INSERT INTO day SELECT i, i / 365, i / 30 FROM generate_series(1, 20000) i;
      CREATE TABLE sale (item int REFERENCES item, day int REFERENCES day);
      INSERT INTO sale SELECT 1 + i * 7919 % 10000, 1 + i * 31 % 20000 FROM generate_series(1, 30000) i;
      ANALYZE;
      """)
    let brands = try rows(
      of: "Aggregate",
      "SELECT brand, maker, count(*) FROM sale s JOIN item i ON i.id = s.item GROUP BY brand, maker",
      connection)
    #expect((400...600).contains(brands), "\(brands)")
    let months = try rows(
      of: "Aggregate",
      """
      SELECT month, year, count(*) FROM sale s JOIN day d ON d.id = s.day WHERE year < 27 GROUP BY month, year
      """, connection)
    #expect((300...420).contains(months), "\(months)")
  }

  @Test("for columns that have nothing to do with each other, however few rows most values have")
  func independentCombinations() throws {
    let connection = Database().connect()
    // Value k of `rare` has about 1/k of the rows that the first one has.
    try connection.execute(
      """
      CREATE TABLE visit (id int PRIMARY KEY, rare int, kind int, home int, town int);
      INSERT INTO visit
        SELECT i, exp((i * 7919::bigint % 200003) / 200003.0 * ln(2000))::int, i * 104729::bigint % 200017 % 9,
          i * 7919::bigint % 3000, i * 7919::bigint % 3000 / 3
        FROM generate_series(1, 200000) i;
      ANALYZE;
      """)
    let pairs = try rows(
      of: "Aggregate", "SELECT rare, kind, count(*) FROM visit GROUP BY rare, kind", connection)
    let all = try connection.fetchOne(
      Int.self, "SELECT count(*) FROM (SELECT DISTINCT rare, kind FROM visit) x")
    #expect(
      Double(pairs) > 0.8 * Double(all) && Double(pairs) < 1.25 * Double(all), "\(pairs) of \(all)")
    // Each home is in one town.
    let homes = try rows(
      of: "Aggregate", "SELECT home, town, count(*) FROM visit GROUP BY home, town", connection)
    #expect((1500...4500).contains(homes), "\(homes)")
  }

  @Test("for references to a common table expression by the columns of its definition")
  func commonTable() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE sale (id int PRIMARY KEY, year int, kind int);
      INSERT INTO sale SELECT i, i % 10, i / 10 % 100 FROM generate_series(1, 20000) i;
      ANALYZE;
      """)
    let half = try rows(
      of: "Filter  (rows",
      """
      WITH t AS MATERIALIZED (SELECT year, kind, count(*) AS n FROM sale GROUP BY year, kind)
      SELECT * FROM t a JOIN t b ON a.kind = b.kind WHERE a.year = 1 AND b.year = 2
      """, connection)
    // Two of ten years are left, of which each place asks for one.
    #expect((50...150).contains(half), "\(half)")
  }

  @Test("for conditions of which only a look at some rows tells how many meet them")
  func sampledConditions() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE course (id int PRIMARY KEY, compulsory boolean, town text, day int);
      INSERT INTO course SELECT i, i % 200 = 0, CASE WHEN i % 10 < 7 THEN 'A' ELSE 'B' || i END, i / 100
        FROM generate_series(1, 40000) i;
      ANALYZE;
      """)
    for (condition, share) in [
      ("compulsory", 0.005), ("NOT compulsory", 0.995), ("town = 'A'", 0.7), ("id % 4 = 1", 0.25),
      ("day / 8 IN (3, 4)", 0.04), ("town = 'A' AND id % 10 = 8", 0),
    ] {
      let guess =
        try rows(of: "Seq Scan", "SELECT * FROM course WHERE \(condition)", connection) / 40_000
      #expect(abs(guess - share) < 0.02 + share / 4, "\(condition): \(guess)")
    }
    // An error among the rows is no matter of planning.
    #expect(
      try rows(of: "Seq Scan", "SELECT * FROM course WHERE 1 / (day - 7) > 2", connection) > 0)
  }

  @Test("for the rows of a small table that decide how a large one is read")
  func smallTable() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE club (id int PRIMARY KEY, open boolean NOT NULL);
      INSERT INTO club SELECT i, i % 100 = 7 FROM generate_series(1, 500) i;
      CREATE TABLE member (club int REFERENCES club, person int);
      INSERT INTO member SELECT 1 + i % 500, i FROM generate_series(1, 20000) i;
      ANALYZE;
      """)
    // Five of them are; of a condition of which nothing is known half of the rows are thought to meet it.
    let open = try rows(
      of: "Scan on club",
      "SELECT person FROM member m JOIN club c ON c.id = m.club WHERE c.open", connection)
    #expect(open < 25, "\(open)")
    let alone = try rows(of: "Scan on club", "SELECT id FROM club WHERE open", connection)
    #expect(alone == 250)
  }

  @Test("for edges that lead to rows with more edges than others")
  func skewedEdges() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE student (id int PRIMARY KEY);
      CREATE TABLE course (id int PRIMARY KEY);
      CREATE TABLE takes (
        student int REFERENCES student, course int REFERENCES course, PRIMARY KEY (student, course));
      INSERT INTO student SELECT i FROM generate_series(1, 2000) i;
      INSERT INTO course SELECT i FROM generate_series(1, 1000) i;
      INSERT INTO takes SELECT i, 1 FROM generate_series(1, 2000) i;
      INSERT INTO takes SELECT i, 2 + i % 999 FROM generate_series(1, 2000) i;
      ANALYZE;
      """)
    // 2,000 rows of one course meet 2,000, and 999 courses have two or three: 4 of a row would be an average.
    let pairs = try rows(
      of: "Join", "SELECT * FROM takes a JOIN takes b ON b.course = a.course", connection)
    #expect((3_000_000...5_000_000).contains(pairs), "\(pairs)")
  }

  /// Zipf's students of courses: course k of 40 has 4000 / k.
  private func popularCourses() throws -> Connection {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE student (id int PRIMARY KEY);
      CREATE TABLE course (id int PRIMARY KEY, code text UNIQUE);
      CREATE TABLE takes (
        student int REFERENCES student, course int REFERENCES course, code text REFERENCES course (code),
        grade int, PRIMARY KEY (student, course));
      INSERT INTO student SELECT i FROM generate_series(1, 4000) i;
      INSERT INTO course SELECT i, 'C' || i FROM generate_series(1, 1000) i;
      INSERT INTO takes
        SELECT s, c, 'C' || c, s % 10 FROM generate_series(1, 40) c, generate_series(c, 4000, c) s;
      ANALYZE;
      """)
    return connection
  }

  @Test(
    "for values that are named, of which an index tells how many rows have them",
    arguments: [
      ("course = 1", 4000.0), ("course = 20", 200), ("course IN (1, 2, 999)", 6000),
      ("course = ANY ('{2,4}')", 3000), ("course = 1 AND grade = 3", 400), ("code = 'C1'", 4000),
      ("code = 'C900'", 1), ("course = 5000", 1), ("course IN (20, NULL)", 200),
    ])
  func namedValues(condition: String, expected: Double) throws {
    let found = try rows(
      of: "takes", "SELECT * FROM takes WHERE \(condition)", try popularCourses())
    #expect(abs(found - expected) <= 1 + expected / 5, "\(condition): \(found)")
  }

  @Test("for different values of some rows, which are the frequent ones")
  func drawnValues() throws {
    let connection = try popularCourses()
    // The courses of a student are often those that many take; all of them have all rows.
    let some = try rows(
      of: "Join",
      """
      SELECT t.student FROM (SELECT DISTINCT course FROM takes WHERE student = 24) c
      JOIN takes t ON t.course = c.course
      """, connection)
    let average = 17_000.0 / 1000 * 8
    #expect(some > 4 * average, "\(some)")
    // Five courses have half of all rows.
    let first = try rows(
      of: "Join",
      """
      SELECT t.student FROM (SELECT course, max(grade) AS g FROM takes WHERE course < 6 GROUP BY course) c
      JOIN takes t ON t.course = c.course
      """, connection)
    #expect((6000...12_000).contains(first), "\(first)")
    let all = try rows(
      of: "Join",
      "SELECT t.student FROM (SELECT DISTINCT course FROM takes) c JOIN takes t ON t.course = c.course",
      connection)
    #expect((12_000...20_000).contains(all), "\(all)")
  }

  @Test(
    "for groups by expressions, from the values that these are made of",
    arguments: [
      ("least(a, b), greatest(a, b)", 30_000.0), ("a % 7", 7), ("b / 100", 30), ("a > 5", 2),
      ("-a", 3000),
      ("extract(year FROM since)", 10), ("date_trunc('month', since)", 110),
      ("extract(dow FROM since)", 7),
      ("CASE WHEN a < 10 THEN 'few' WHEN a < 100 THEN 'some' ELSE 'many' END", 3),
      ("coalesce(a, 0)", 3000),
      ("a + b % 2", 6000), ("length(a::text)", 50),
    ])
  func expressions(key: String, expected: Double) throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE friend (a int, b int, since date);
      INSERT INTO friend SELECT i % 3000, i * 7919::bigint % 2999, DATE '2015-01-01' + i % 3300
        FROM generate_series(1, 30000) i;
      ANALYZE;
      """)
    let found = try rows(
      of: "Aggregate", "SELECT \(key), count(*) FROM friend GROUP BY \(key)", connection)
    #expect(abs(found - expected) <= 2 + expected / 4, "\(key): \(found)")
  }

  @Test("for pairs of columns that are compared crosswise, of which few have a match")
  func crossedPairs() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE friend (a int, b int, PRIMARY KEY (a, b));
      INSERT INTO friend SELECT i % 3000, i * 7919::bigint % 2999 FROM generate_series(1, 30000) i;
      ANALYZE;
      """)
    let alone = try rows(
      of: "Anti Join",
      """
      SELECT * FROM friend f WHERE NOT EXISTS (SELECT 1 FROM friend g WHERE g.a = f.b AND g.b = f.a)
      """, connection)
    #expect(alone > 20_000, "\(alone)")
  }
}
