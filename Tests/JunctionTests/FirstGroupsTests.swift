import Junction
import Testing

/// Groups, parents without edges and pages behind a row are found where the first of them stand, instead of all being made and
/// sorted.
@Suite("The first groups by a key that rises with positions")
struct FirstGroupsTests {
  private static func events() throws -> Connection {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE event (id int PRIMARY KEY, day date, name text NOT NULL);
      INSERT INTO event SELECT i, DATE '2020-01-01' + i / 50, 'e' || i % 100 FROM generate_series(1, 30000) i;
      CREATE TABLE guest (id int PRIMARY KEY, name text);
      INSERT INTO guest SELECT i, 'g' || i FROM generate_series(1, 400) i;
      CREATE TABLE visit (event_id int REFERENCES event, guest_id int REFERENCES guest, score int, note text,
        PRIMARY KEY (event_id, guest_id));
      INSERT INTO visit SELECT e, 1 + (e * 7 + g * 31) % 400, nullif((e * g) % 11, 7), 'n' || g
        FROM generate_series(1, 30000) e, generate_series(1, 3) g WHERE e % 5 <> 2 AND e NOT BETWEEN 9000 AND 13500
      """)
    return connection
  }

  private static let queries = [
    "SELECT event_id, count(*) FROM visit @ GROUP BY event_id ORDER BY event_id",
    "SELECT event_id, avg(score), max(guest_id) FROM visit @ GROUP BY event_id ORDER BY event_id DESC",
    "SELECT event_id, string_agg(note, ',' ORDER BY note) FROM visit @ GROUP BY event_id ORDER BY event_id",
    "SELECT DISTINCT event_id FROM visit @ ORDER BY event_id",
    "SELECT DISTINCT event_id FROM visit @ ORDER BY event_id DESC",
    "SELECT event_id, count(DISTINCT guest_id) FROM visit @ GROUP BY event_id HAVING count(*) > 2 ORDER BY event_id",
    "SELECT e.id, e.name, count(v.guest_id) FROM event e LEFT JOIN visit v ON v.event_id = e.id @ GROUP BY e.id, e.name ORDER BY e.id",
    "SELECT e.id, e.name, sum(v.score) FROM event e JOIN visit v ON v.event_id = e.id @ GROUP BY e.id, e.name ORDER BY e.id DESC",
    "SELECT e.id, avg(v.score) FROM event e LEFT JOIN visit v ON v.event_id = e.id AND v.score > 5 @ GROUP BY e.id ORDER BY e.id",
    "SELECT e.id, (SELECT count(*) FROM visit v WHERE v.event_id = e.id) FROM event e @ ORDER BY e.id",
    "SELECT e.day, count(*) FROM event e @ GROUP BY e.day ORDER BY e.day",
    "SELECT e.day, count(*), sum(v.score) FROM event e JOIN visit v ON v.event_id = e.id @ GROUP BY e.day ORDER BY e.day DESC",
    "SELECT e.id FROM event e @ AND NOT EXISTS (SELECT 1 FROM visit v WHERE v.event_id = e.id) ORDER BY e.id",
    "SELECT e.id FROM event e @ AND NOT EXISTS (SELECT 1 FROM visit v WHERE v.event_id = e.id AND v.score < 6) ORDER BY e.id",
    "SELECT e.id FROM event e @ AND EXISTS (SELECT 1 FROM visit v WHERE v.event_id = e.id AND v.score = 6) ORDER BY e.id DESC",
    "SELECT e.id FROM event e @ AND e.id NOT IN (SELECT event_id FROM visit WHERE score IS NULL) ORDER BY e.id",
    "SELECT e.id, g.name FROM event e JOIN visit v ON v.event_id = e.id JOIN guest g ON g.id = v.guest_id @ ORDER BY e.id, g.name",
    "SELECT event_id, guest_id FROM visit @ ORDER BY event_id, guest_id",
    "SELECT e.id, e.name, v.guest_id FROM visit v JOIN event e ON e.id = v.event_id @ ORDER BY e.id DESC, v.guest_id",
    "SELECT e.id, d.n FROM event e JOIN (SELECT event_id AS id, count(*) AS n FROM visit GROUP BY 1) d ON d.id = e.id @ ORDER BY e.id",
    "SELECT w.event_id, v.score, w.score FROM visit v JOIN visit w ON w.event_id = v.event_id AND w.guest_id < v.guest_id @ ORDER BY w.event_id, 2, 3",
  ]
  private static let rests = [
    "WHERE true", "WHERE # > 20000", "WHERE # BETWEEN 8990 AND 13600", "WHERE # < 40 OR # > 29000",
  ]

  private static func check(_ connection: Connection, _ query: String) throws {
    let key =
      query.contains("e.day")
      ? "e.day - DATE '2020-01-01' + 0"
      : query.contains("e.id")
        ? "e.id"
        : query.contains("visit w") ? "w.event_id" : "event_id"
    for rest in rests {
      let filled = query.replacing("@", with: rest.replacing("#", with: key))
      let all = try connection.query(SQL(raw: filled)).map { $0.line }
      for (count, offset) in [(1, 0), (20, 0), (7, 100)] {
        let found = try connection.query(
          SQL(raw: "\(filled) LIMIT \(count) OFFSET \(offset)")
        ).map { $0.line }
        #expect(
          found == Array(all.dropFirst(offset).prefix(count)),
          "\(filled) LIMIT \(count) OFFSET \(offset)")
      }
    }
  }

  @Test("are the first of all groups", arguments: queries)
  func answers(query: String) throws {
    let connection = try Self.events()
    try Self.check(connection, query)
    try connection.execute(
      """
      DELETE FROM visit WHERE event_id BETWEEN 1 AND 3000 OR event_id > 29990;
      DELETE FROM event WHERE id BETWEEN 1 AND 2500;
      UPDATE event SET day = day - 900, id = 40000 + id WHERE id BETWEEN 10000 AND 10100;
      INSERT INTO event VALUES (5, '2031-01-01', 'late');
      INSERT INTO visit VALUES (5, 3, 4, 'late'), (5, 4, NULL, 'n1')
      """)
    try Self.check(connection, query)
  }

  @Test("behind a row of two columns are those that the comparison leaves")
  func pages() throws {
    let connection = try Self.events()
    for (event, guest) in [(0, 0), (1, 100), (8999, 399), (15_000, 200), (29_999, 1), (40_000, 1)] {
      let found = try connection.query(
        SQL(
          raw: """
            SELECT event_id, guest_id FROM visit WHERE (event_id, guest_id) > (\(event), \(guest))
            ORDER BY event_id, guest_id LIMIT 9
            """)
      ).map { $0.line }
      let expected = try connection.query(
        SQL(
          raw: """
            SELECT event_id, guest_id FROM (SELECT * FROM visit OFFSET 0) v
            WHERE event_id > \(event) OR event_id = \(event) AND guest_id > \(guest)
            ORDER BY event_id, guest_id LIMIT 9
            """)
      ).map { $0.line }
      #expect(found == expected)
    }
  }

  @Test(
    "are made of a few pages",
    arguments: [
      "SELECT event_id, string_agg(note, ',') FROM visit WHERE event_id > 20000 GROUP BY event_id ORDER BY event_id LIMIT 10",
      "SELECT DISTINCT event_id FROM visit WHERE event_id > 20000 ORDER BY event_id LIMIT 10",
      "SELECT id FROM event e WHERE NOT EXISTS (SELECT 1 FROM visit v WHERE v.event_id = e.id AND v.score < 6) ORDER BY id LIMIT 10",
      "SELECT e.id, count(v.guest_id) FROM event e LEFT JOIN visit v ON v.event_id = e.id WHERE e.id > 50 GROUP BY e.id ORDER BY e.id LIMIT 10",
      "SELECT event_id, guest_id FROM visit WHERE (event_id, guest_id) > (7000, 50) ORDER BY event_id, guest_id LIMIT 10",
      "SELECT e.id, e.name, v.note FROM visit v JOIN event e ON e.id = v.event_id ORDER BY e.id, v.note LIMIT 10",
      "SELECT min(id) FROM event WHERE id > 17000", "SELECT max(day) FROM event WHERE id < 17000",
    ])
  func reading(query: String) throws {
    let plan = try Self.events().query(SQL(raw: "EXPLAIN ANALYZE \(query)")).map { $0.line }
    let read = plan.compactMap { $0.firstMatch(of: /Pages Read: (\d+) of/)?.1 }.compactMap {
      Int($0)
    }
    #expect(read.first.map { $0 <= 4 } ?? false, "\(plan)")
    #expect(read.count == 1, "\(plan)")
  }
}
