import Diagnostics
import Junction
import Testing

@Suite("Queries over tables large enough for all cores")
struct ParallelQueryTests {
  /// More rows than one worker scans by itself.
  private static let rowCount = 120_000

  /// One database for all queries, as it takes long to make.
  private static let database: Result<Database, SQLError> = {
    do throws(SQLError) {
      let database = Database()
      try database.connect().execute(
        """
        CREATE TABLE reading (
          id int PRIMARY KEY, place int, value int, note text, weight numeric, share double precision);
        INSERT INTO reading
          SELECT i, i * 7919 % 1009, CASE WHEN i % 11 > 0 THEN i * 31 % 5003 END,
            CASE WHEN i % 13 > 0 THEN 'note number ' || i % 977 END, i % 97 / 10.0, i % 8
          FROM generate_series(1, \(rowCount)) i;
        CREATE TABLE place (id int PRIMARY KEY, name text);
        INSERT INTO place SELECT i, 'place ' || i FROM generate_series(0, 999) i;
        """)
      return .success(database)
    } catch {
      return .failure(error)
    }
  }()

  static let queries = [
    "SELECT count(*), count(value), sum(value), min(note), max(note), avg(weight) FROM reading",
    "SELECT place, count(*), sum(value), max(note) FROM reading GROUP BY place ORDER BY place",
    "SELECT note, sum(weight), sum(share) FROM reading GROUP BY note ORDER BY note NULLS FIRST",
    "SELECT place % 7, value IS NULL, count(DISTINCT note) FROM reading GROUP BY ROLLUP (1, 2) "
      + "ORDER BY 1, 2, 3",
    "SELECT id, value FROM reading WHERE value BETWEEN 100 AND 130 AND note LIKE '%7%'",
    "SELECT id FROM reading WHERE value < 3",
    "SELECT id, note, value FROM reading ORDER BY note DESC, value, id LIMIT 40 OFFSET 7",
    "SELECT value, id FROM reading ORDER BY value LIMIT 100",
    "SELECT id, note FROM reading ORDER BY weight, note, id DESC",
    "SELECT DISTINCT place, value % 3 FROM reading ORDER BY 1, 2",
    "SELECT p.name, count(*) FROM reading r JOIN place p ON p.id = r.place GROUP BY p.name "
      + "ORDER BY 2 DESC, 1 LIMIT 20",
    "SELECT r.id FROM reading r LEFT JOIN place p ON p.id = r.place WHERE p.id IS NULL ORDER BY 1",
    "SELECT p.id FROM place p WHERE NOT EXISTS (SELECT FROM reading r WHERE r.place = p.id "
      + "AND r.value = 17) ORDER BY 1",
    "SELECT count(*) FROM reading a JOIN reading b ON a.id = b.value WHERE b.weight > 9",
    "SELECT a.place, b.id FROM reading a FULL JOIN reading b ON a.id = b.id + 119000 "
      + "WHERE a.value IS NULL OR b.value < 20 ORDER BY 1, 2",
    "SELECT place, value, rank() OVER (PARTITION BY place ORDER BY value DESC NULLS LAST, id) "
      + "FROM reading WHERE place < 40 ORDER BY 1, 3",
    "SELECT id FROM reading WHERE value IN (SELECT place FROM reading WHERE id % 1000 = 0) ORDER BY 1",
    "SELECT place FROM reading WHERE value < 900 EXCEPT SELECT id FROM place WHERE id % 2 = 0 "
      + "ORDER BY 1",
    "SELECT array_agg(id ORDER BY id) FROM reading WHERE value = 41",
    "SELECT string_agg(note, ',' ORDER BY id) FROM reading WHERE value < 2",
  ]

  @Test("give the same rows with one worker and with all", arguments: queries)
  func sameRows(_ sql: String) throws {
    let connection = try Self.database.get().connect()
    let parallel = try connection.query(sql).map(\.values)
    try connection.execute("SET threads = 1")
    let alone = try connection.query(sql).map(\.values)
    #expect(!alone.isEmpty)
    // Without ORDER BY the rows still come in the order of the table.
    if parallel != alone {
      let first = zip(parallel, alone).enumerated().first { $1.0 != $1.1 }
      Issue.record(
        "\(parallel.count) and \(alone.count) rows; first difference: \(String(describing: first))")
    }
  }

  @Test("fail with the error of one of their rows, and leave the session usable")
  func errors() throws {
    let connection = try Self.database.get().connect()
    for sql in [
      "SELECT sum(100 / (id - 90000)) FROM reading",
      "SELECT id FROM reading WHERE 1 / (place - 500) > 2 ORDER BY value",
    ] {
      let error = #expect(throws: SQLError.self) { try connection.query(sql) }
      #expect(error?.state == .divisionByZero)
      #expect(
        try connection.query("SELECT count(*) FROM reading").value(row: 0, column: 0)
          == .integer(Int64(Self.rowCount)))
    }
  }

  @Test("stop when the limit of memory is passed, or of time")
  func limits() throws {
    let connection = try Self.database.get().connect()
    try connection.execute("SET memory_limit = '1MB'")
    let memory = #expect(throws: SQLError.self) {
      try connection.query("SELECT id, note FROM reading ORDER BY note")
    }
    #expect(memory?.state == .outOfMemory)
    try connection.execute("RESET memory_limit; SET statement_timeout = '150ms'")
    let time = #expect(throws: SQLError.self) {
      try connection.query(
        "SELECT count(*) FROM reading a JOIN reading b ON a.place = b.place WHERE a.value + b.id < 0"
      )
    }
    #expect(time?.state == .queryCanceled)
  }
}
