import Diagnostics
import Junction
import Testing

/// What aggregates ask of keys along an index, over the same rows with keys declared and without.
@Suite("Sums and extremes of the keys of neighbours")
struct EdgeSummaryTests {
  /// Persons are numbered in order, or not; somebody may be a member of a club in several years, and not be a member of any.
  private static func clubs(_ seed: Int, isSerial: Bool) throws(SQLError) -> Database {
    let database = Database()
    let connection = database.connect()
    let number = isSerial ? "i" : "(i * 37 + \(seed)) % 211 - 50"
    try connection.execute(
      """
      CREATE SCHEMA plain;
      CREATE TABLE plain.person (id smallint, town text);
      CREATE TABLE plain.club (id int, name text);
      CREATE TABLE plain.member (person smallint, club int, year int);
      INSERT INTO plain.person SELECT \(number), 'town ' || i % 4 FROM generate_series(1, 200) i;
      INSERT INTO plain.club SELECT i, 'club ' || i % 6 FROM generate_series(1, 40) i;
      CREATE SCHEMA linked;
      CREATE TABLE linked.person (id smallint PRIMARY KEY, town text);
      CREATE TABLE linked.club (id int PRIMARY KEY, name text);
      CREATE TABLE linked.member (
        person smallint NOT NULL REFERENCES linked.person, club int NOT NULL REFERENCES linked.club,
        year int, PRIMARY KEY (person, club, year));
      """)
    var numbers = RepeatableNumbers(seed)
    var rows: Set<[Int]> = []
    for _ in 0..<1500 {
      // Nobody is a member of the last clubs, and half of all are of the first.
      let club = numbers.next(2) == 0 ? 1 : numbers.next(35) + 1
      rows.insert([numbers.next(200), club, numbers.next(3)])
    }
    let values = rows.sorted { $0.lexicographicallyPrecedes($1) }
      .map { "(\($0[0] + 1), \($0[1]), \($0[2]))" }.joined(separator: ", ")
    try connection.execute(
      """
      INSERT INTO plain.member SELECT p.id, v.club, v.year FROM (VALUES \(values)) v (place, club, year)
        JOIN (SELECT id, row_number() OVER (ORDER BY town, id) AS place FROM plain.person) p ON p.place = v.place
      """)
    try connection.execute(
      """
      INSERT INTO linked.person SELECT * FROM plain.person; INSERT INTO linked.club SELECT * FROM plain.club;
      INSERT INTO linked.member SELECT * FROM plain.member;
      """)
    return database
  }

  /// Made once; each test changes a fork of its own.
  private static let serial = Result { try clubs(1, isSerial: true) }
  private static let scattered = Result { try clubs(2, isSerial: false) }

  static let queries = [
    "SELECT c.id, max(m.person) FROM club c LEFT JOIN member m ON m.club = c.id GROUP BY c.id",
    "SELECT c.id, min(m.person), count(m.person), max(m.person), avg(m.person), sum(m.person) FROM club c "
      + "JOIN member m ON m.club = c.id GROUP BY c.id",
    "SELECT c.name, min(m.person), sum(m.person), count(*) FROM club c JOIN member m ON m.club = c.id GROUP BY c.name",
    "SELECT c.name, avg(m.person) FROM club c LEFT JOIN member m ON m.club = c.id GROUP BY c.name",
    "SELECT club, max(person), sum(person) FROM member GROUP BY club",
    "SELECT person, max(club), count(*) FROM member GROUP BY person",
    "SELECT max(person), min(person), sum(person), count(*), avg(person) FROM member WHERE club = $1",
    "SELECT max(club), max(club) FROM member WHERE person = $1",
    "SELECT max(club) FROM member WHERE person = $1 AND club <> 1",
    "SELECT c.id, max(m.person), min(m.person), sum(m.person), count(m.person) FROM club c LEFT JOIN member m "
      + "ON m.club = c.id AND m.person <> $1 GROUP BY c.id",
    "SELECT max(o.person), min(o.person), sum(o.person), count(o.person) FROM member m JOIN member o ON o.club = m.club "
      + "WHERE m.person = $1 AND o.person <> $1",
    "SELECT max(o.person), sum(o.person) FROM member m JOIN member o ON o.club = m.club AND o.person <> m.person "
      + "WHERE m.person < $1",
    "SELECT m.person, max(o.person) FROM member m JOIN member o ON o.club = m.club AND o.person <> NULL GROUP BY m.person",
    "SELECT c.id, max(m.person) FROM club c LEFT JOIN member m ON m.club = c.id AND m.year > 0 GROUP BY c.id",
    "SELECT c.id, max(m.person) FILTER (WHERE m.person > $1) FROM club c JOIN member m ON m.club = c.id GROUP BY c.id",
    // By walks.
    "SELECT sum(DISTINCT o.person), max(o.person), min(o.person), count(DISTINCT o.person) FROM member m "
      + "JOIN member o ON o.club = m.club WHERE m.person = $1 AND o.person <> $1",
    "SELECT avg(DISTINCT o.person) FROM member m JOIN member o ON o.club = m.club WHERE m.person = $1",
    "SELECT sum(id), avg(id), min(id), max(id), count(*) FROM person WHERE id IN (SELECT o.person FROM member m "
      + "JOIN member o ON o.club = m.club WHERE m.person = $1 AND o.person > 60)",
    "SELECT max(id), sum(id) FROM person WHERE id IN (SELECT person FROM member WHERE club = $1)",
  ]

  private static func rows(
    _ connection: Connection, _ schema: String, _ sql: String, _ number: Int64
  ) throws -> [String] {
    try connection.execute("SET search_path = \(schema)")
    return try connection.query(sql, [.integer(number)]).map { $0.line }.sorted()
  }

  @Test("are those of joins", arguments: queries, [true, false])
  func sameAnswers(_ sql: String, isSerial: Bool) throws {
    let connection = try (isSerial ? Self.serial : Self.scattered).get().fork().connect()
    let changes = [
      "", "DELETE FROM schema.member WHERE year = 1 OR person % 7 = 3",
      "DELETE FROM schema.person WHERE id NOT IN (SELECT person FROM schema.member)",
      "BEGIN",
      "INSERT INTO schema.person VALUES (1000, 'x'), (-90, 'y'); "
        + "INSERT INTO schema.member VALUES (1000, 3, 1), (-90, 3, 1), (1000, 40, 1)",
      "DELETE FROM schema.member WHERE club = 2", "ROLLBACK",
    ]
    for change in changes {
      for schema in change.contains("schema") ? ["plain", "linked"] : [""] {
        try connection.execute(change.replacing("schema", with: schema))
      }
      for number in [3, 20, 1000, 5000] as [Int64] {
        #expect(
          try Self.rows(connection, "linked", sql, number)
            == Self.rows(connection, "plain", sql, number), "\(number) \(change)")
      }
    }
  }
}
