import Diagnostics
import Junction
import Testing

@Suite("Texts that are read by dictionary")
struct TextsAsCodesTests {
  private static func database() throws -> Database {
    let database = Database()
    try database.connect().execute(
      """
      CREATE TABLE place (id int PRIMARY KEY, name text, kind char(6), land varchar(20) NOT NULL);
      INSERT INTO place SELECT i, CASE WHEN i % 11 > 0 THEN chr(97 + i * 7 % 23) || i % 40 END,
          CASE WHEN i % 9 > 0 THEN repeat('k', 1 + i % 5) END, 'land ' || i % 4
        FROM generate_series(1, 300) i;
      CREATE TABLE visit (id int PRIMARY KEY, place int REFERENCES place, who int NOT NULL, pieces int);
      INSERT INTO visit SELECT i, CASE WHEN i % 13 > 0 THEN 1 + i * 7919 % 290 END, i * 31 % 700,
          CASE WHEN i % 5 > 0 THEN i % 23 END
        FROM generate_series(1, 12000) i;
      ANALYZE;
      """)
    return database
  }

  /// Questions in which `PLACE` is the table, or the same rows with columns that are computed and so have no codes.
  static let questions = [
    "SELECT p.name, count(*), sum(v.pieces) FROM visit v JOIN PLACE p ON p.id = v.place GROUP BY 1 ORDER BY 1",
    """
    SELECT p.name, p.kind, count(v.pieces) FROM visit v LEFT JOIN PLACE p ON p.id = v.place GROUP BY 1, 2
    ORDER BY p.name DESC NULLS LAST, p.kind NULLS FIRST
    """,
    "SELECT DISTINCT p.kind, v.pieces % 3 FROM visit v LEFT JOIN PLACE p ON p.id = v.place ORDER BY 1, 2",
    """
    WITH been AS (SELECT DISTINCT v.who, p.land FROM visit v JOIN PLACE p ON p.id = v.place)
    SELECT a.land, b.land, count(*) FROM been a JOIN been b ON b.who = a.who AND a.land < b.land
    GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2
    """,
    """
    SELECT v.id, rank() OVER (PARTITION BY p.kind ORDER BY p.name), lag(p.name) OVER (ORDER BY p.name, v.id)
    FROM visit v LEFT JOIN PLACE p ON p.id = v.place ORDER BY p.kind, p.name, v.id LIMIT 300
    """,
    """
    SELECT p.land, p.name, grouping(p.land, p.name), count(*) FROM visit v LEFT JOIN PLACE p ON p.id = v.place
    GROUP BY ROLLUP (p.land, p.name) ORDER BY 3, 1, 2
    """,
    """
    SELECT p.land, count(DISTINCT p.name), count(p.kind), min(p.name), max(p.kind),
      string_agg(DISTINCT p.kind, ',' ORDER BY p.kind), count(*) FILTER (WHERE p.name > 'm')
    FROM visit v JOIN PLACE p ON p.id = v.place GROUP BY p.land ORDER BY 1
    """,
    """
    SELECT count(*), count(q.name), sum(v.pieces), min(p.name) FROM visit v JOIN PLACE p ON p.id = v.place
    JOIN PLACE q ON q.id = 1 + v.who % 290 AND q.kind = p.kind AND q.name <= p.name
    """,
    """
    SELECT p.land, count(*), count(q.id) FROM visit v JOIN PLACE p ON p.id = v.place
    LEFT JOIN PLACE q ON q.id = 1 + v.who % 290 AND q.kind <> p.kind AND q.name > p.name GROUP BY 1 ORDER BY 1
    """,
    """
    SELECT p.name FROM visit v JOIN PLACE p ON p.id = v.place WHERE v.pieces > 20
    UNION SELECT p.name FROM visit v JOIN PLACE p ON p.id = v.place WHERE v.pieces < 2 ORDER BY 1
    """,
    """
    (SELECT p.name, p.land FROM visit v JOIN PLACE p ON p.id = v.place WHERE v.pieces > 12
    EXCEPT SELECT p.name, p.land FROM visit v JOIN PLACE p ON p.id = v.place WHERE v.who < 70)
    INTERSECT SELECT name, land FROM PLACE p ORDER BY 1, 2
    """,
    """
    SELECT upper(p.name), p.land || '!', count(*) FROM visit v JOIN PLACE p ON p.id = v.place
    GROUP BY p.name, p.land HAVING p.name LIKE '%1%' AND p.land > 'land 0' ORDER BY 1, 2
    """,
    """
    WITH sums AS (
      SELECT p.name, p.land, v.pieces, count(*) AS n,
        rank() OVER (PARTITION BY p.name ORDER BY p.land, v.pieces) AS rn
      FROM visit v JOIN PLACE p ON p.id = v.place GROUP BY p.name, p.land, v.pieces)
    SELECT a.name, a.land, a.n, b.land, b.n FROM sums a JOIN sums b ON a.name = b.name AND a.rn = b.rn + 1
    WHERE a.land <> b.land OR a.n > 3 ORDER BY 1, 2, 3, 4, 5
    """,
    """
    SELECT a.name IS NULL, a.name, b.land, a.n, b.n FROM
      (SELECT p.name, count(*) AS n FROM visit v LEFT JOIN PLACE p ON p.id = v.place GROUP BY 1) a
      FULL JOIN (SELECT p.name, p.land, count(*) AS n FROM visit v JOIN PLACE p ON p.id = v.place
        WHERE v.pieces > 10 GROUP BY 1, 2) b ON a.name = b.name ORDER BY 2, 3, 4, 5
    """,
    """
    SELECT a.name, n FROM (SELECT p.name, count(*) AS n FROM visit v JOIN PLACE p ON p.id = v.place GROUP BY 1) a
    WHERE a.name NOT IN (SELECT name FROM place WHERE name < 'g') ORDER BY 1
    """,
    """
    SELECT DISTINCT ON (p.name) p.name, p.land, v.id FROM visit v LEFT JOIN PLACE p ON p.id = v.place
    ORDER BY p.name, v.id DESC
    """,
    """
    SELECT a.name, x.n FROM (SELECT p.name, count(*) AS n FROM visit v JOIN PLACE p ON p.id = v.place GROUP BY 1) a,
      LATERAL (SELECT q.id AS n FROM place q WHERE q.name >= a.name ORDER BY q.name, q.id LIMIT 1) x ORDER BY 1, 2
    """,
    """
    WITH ends AS (SELECT p.land, p.kind, v.who FROM visit v LEFT JOIN PLACE p ON p.id = v.place)
    SELECT land, count(DISTINCT kind) FROM ends GROUP BY 1
    UNION ALL SELECT kind, count(DISTINCT land) FROM ends GROUP BY 1 ORDER BY 1, 2
    """,
    """
    SELECT land, kind, n, sum(n) OVER (PARTITION BY land ORDER BY kind DESC) FROM (
      SELECT p.land, p.kind, count(*) AS n FROM visit v LEFT JOIN PLACE p ON p.id = v.place GROUP BY CUBE (1, 2)) t
    WHERE kind IS NOT NULL OR land = 'land 2' ORDER BY n DESC, 1, 2 FETCH FIRST 9 ROWS WITH TIES
    """,
    """
    SELECT CASE WHEN name IN ('a3', 'b7', 'h1') THEN 'few' WHEN name IS DISTINCT FROM other THEN 'other' END, count(*)
    FROM (SELECT p.name, q.name AS other, count(*) FROM visit v JOIN PLACE p ON p.id = v.place
      JOIN PLACE q ON q.id = 1 + v.who % 300 GROUP BY 1, 2) t GROUP BY 1 ORDER BY 1
    """,
    """
    SELECT left(p.name, 1), length(p.kind), p.land LIKE '%3', count(*), min(p.name), max(p.land),
      max(p.name) FILTER (WHERE p.kind IN ('k', 'kk') OR p.name < 'g'), bool_or(p.name LIKE '%7'),
      sum(CASE WHEN p.name || p.land > 'm' THEN v.pieces END), min(upper(p.kind)), min(DISTINCT p.kind)
    FROM visit v LEFT JOIN PLACE p ON p.id = v.place GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    """,
    """
    SELECT min(p.name), max(p.kind) FILTER (WHERE v.pieces < 0), max(p.land) || min(p.land), count(*) FROM visit v
    JOIN PLACE p ON p.id = v.place WHERE p.name IS NOT NULL
    """,
    """
    SELECT v.who % 50, max(p.name) AS most FROM visit v LEFT JOIN PLACE p ON p.id = v.place GROUP BY 1
    HAVING max(p.name) > 'n' AND min(p.land) <> 'land 2' ORDER BY most DESC, 1 LIMIT 20
    """,
    """
    SELECT DISTINCT reverse(p.name), coalesce(p.kind, 'none'), p.name IN ('a3', 'b7', 'h1', NULL) FROM visit v
    LEFT JOIN PLACE p ON p.id = v.place ORDER BY 1, 2, 3
    """,
    """
    SELECT p.name, max(l) FROM (SELECT max(q.land) AS l, v.place FROM visit v JOIN PLACE q ON q.id = v.place GROUP BY 2) x
    JOIN PLACE p ON p.id = x.place GROUP BY 1 ORDER BY 1
    """,
  ]

  private static let computed = """
    (SELECT id, CASE WHEN id > -1 THEN name END AS name, CASE WHEN id > -1 THEN kind END AS kind,
      CASE WHEN id > -1 THEN land END AS land FROM place)
    """

  private func lines(_ question: String, _ connection: Connection) throws -> [String] {
    try connection.query(question).map { $0.line }
  }

  @Test("give the same answers as texts", arguments: questions)
  func answers(question: String) throws {
    let connection = try Self.database().connect()
    func compare(_ state: String) throws {
      let coded = question.replacing("PLACE", with: "place")
      let plain = question.replacing("PLACE", with: Self.computed)
      #expect(try lines(coded, connection) == lines(plain, connection), "\(state)")
    }
    try compare("as loaded")
    try connection.execute(
      """
      BEGIN; UPDATE place SET name = 'zz' || id WHERE id % 7 = 0; DELETE FROM visit WHERE place % 10 = 3;
      DELETE FROM place WHERE id % 10 = 3; INSERT INTO place VALUES (1000, 'AAA', ' ', 'new');
      UPDATE visit SET place = 1000 WHERE id % 50 = 0;
      """)
    try compare("within a transaction that changed them")
    try connection.execute("ROLLBACK")
    try compare("when that was taken back")
  }

  @Test("are compared as numbers wherever that is enough")
  func plans() throws {
    let connection = try Self.database().connect()
    for question in [0, 2, 3, 5, 7, 8, 12] {
      let plan = try lines(
        "EXPLAIN " + Self.questions[question].replacing("PLACE", with: "place"), connection)
      #expect(plan.contains { $0.contains("code of p.") }, "\(plan)")
    }
    // A table that has about as many texts as rows, or as many rows as there are to group, is read as it is.
    let plan = try lines("EXPLAIN SELECT name, count(*) FROM place GROUP BY 1", connection)
    #expect(!plan.contains { $0.contains("code of") }, "\(plan)")
  }
}
