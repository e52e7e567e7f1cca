import Catalog
import Columnar
import Diagnostics
import Foundation
import Storage
import Testing

@testable import Durability
@testable import Junction

/// A database in a folder of its own, which goes with the object.
private final class SavedDatabase {
  let path: String

  init(_ database: Database) throws {
    path = NSTemporaryDirectory() + "junction-lazy-\(UUID().uuidString)"
    try database.save(to: path)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The snapshot's file.
  var snapshot: URL {
    get throws {
      let names = try FileManager.default.contentsOfDirectory(atPath: path)
      let name = try #require(names.first { $0.hasPrefix("snapshot.") })
      return URL(fileURLWithPath: "\(path)/\(name)")
    }
  }

  func open(verifying: Bool = false) throws -> Database {
    var options = DatabaseOptions()
    options.verifiesAtOpening = verifying
    return try Database(path: path, options: options)
  }
}

/// A small generator that gives the same numbers each time.
private struct Numbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 29
  }
}

@Suite("A snapshot whose parts are read when they are touched")
struct LazySnapshotTests {
  /// Rows of all types, in several row groups, with NULLs, deleted and changed ones.
  private static func sample(_ rows: Int) throws -> Database {
    let database = Database()
    let connection = database.connect()
    try connection.execute(
      """
      CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
      CREATE TYPE place AS (street text, number int);
      CREATE TABLE person (id int PRIMARY KEY, name text UNIQUE, mood mood, score numeric(10, 2),
        exact numeric, marks int[], born date, seen timestamptz, extra jsonb, part real, whole double precision,
        key uuid, raw bytea, note text, home place, flag bool, small smallint, big bigint, boss int REFERENCES person,
        span interval, words text[]);
      CREATE TABLE course (id int PRIMARY KEY, name varchar(80));
      CREATE TABLE enrols (person_id int REFERENCES person ON DELETE CASCADE, course_id int REFERENCES course,
        PRIMARY KEY (person_id, course_id));
      CREATE TABLE empty (a int PRIMARY KEY, b text);
      INSERT INTO person SELECT i, 'person number ' || i, CASE i % 3 WHEN 0 THEN 'sad' WHEN 1 THEN 'happy' END::mood,
        CASE WHEN i % 7 > 0 THEN i * 1.25 END, CASE WHEN i % 5 = 0 THEN i / 7.0 ELSE i END, ARRAY[i, NULL, i * 2],
        DATE '2000-01-01' + i % 9000, TIMESTAMPTZ '2020-01-01 00:00Z' + i * INTERVAL '1 minute',
        CASE WHEN i % 50 = 0 THEN jsonb_build_object('a', i) END, i / 3.0, i * 1e10 / 7,
        ('00000000-0000-0000-0000-' || lpad(i::text, 12, '0'))::uuid, CASE WHEN i % 4 = 0 THEN '\\x00ff'::bytea END,
        CASE i % 4 WHEN 0 THEN 'a note that is longer than twelve bytes' WHEN 1 THEN 'short' WHEN 2 THEN '' END,
        ROW('street ' || i % 10, i)::place, i % 2 = 0, (i % 1000)::smallint, i::bigint * 4000000000,
        CASE WHEN i > 10 THEN i / 2 END, i * INTERVAL '1 day 1 second', ARRAY['w' || i % 3, 'a word that is rather long']
      FROM generate_series(1, \(rows)) i;
      INSERT INTO course SELECT i, 'course ' || i FROM generate_series(1, 90) i;
      INSERT INTO enrols SELECT s, 1 + (s * 7 + c * 13) % 90 FROM generate_series(1, \(rows)) s, generate_series(1, 3) c;
      DELETE FROM person WHERE id % 97 = 13 AND id NOT IN (SELECT boss FROM person WHERE boss IS NOT NULL);
      UPDATE person SET note = 'changed ' || id WHERE id % 101 = 7;
      UPDATE enrols SET course_id = 90 WHERE course_id = 89 AND person_id % 5 = 1
        AND NOT EXISTS (SELECT FROM enrols o WHERE o.person_id = enrols.person_id AND o.course_id = 90);
      DELETE FROM enrols WHERE person_id % 61 = 5;
      """)
    return database
  }

  /// Of the sections, how many are damaged in turn; all of them in a full run.
  private static let step =
    ProcessInfo.processInfo.environment["JUNCTION_DURABILITY_CASES"] == nil ? 5 : 1

  /// Queries that come to the rows in all ways that there are.
  private static let queries = [
    "SELECT count(*), sum(id), min(name), max(note), sum(score), count(extra) FROM person",
    "SELECT * FROM person WHERE id IN (1, 70, 300, 2049, 2900) ORDER BY id",
    "SELECT * FROM person WHERE name = 'person number 1234'",
    "SELECT c.id, c.name FROM enrols e JOIN course c ON c.id = e.course_id WHERE e.person_id = 77 ORDER BY 1",
    "SELECT count(*), sum(p.id) FROM enrols e JOIN person p ON p.id = e.person_id WHERE e.course_id = 90",
    "SELECT course_id, count(*) FROM enrols GROUP BY course_id ORDER BY 1",
    "SELECT count(*) FROM person p WHERE NOT EXISTS (SELECT FROM enrols e WHERE e.person_id = p.id)",
    "SELECT boss, count(*) FROM person GROUP BY boss ORDER BY 2 DESC, 1 NULLS LAST LIMIT 9",
    "SELECT mood, count(*), max(born), max(seen), bool_or(flag) FROM person GROUP BY mood ORDER BY 1",
    "SELECT sum(marks[3]), max((home).street), max(words[1]), sum(exact), sum(part), sum(whole) FROM person",
    "SELECT count(DISTINCT key), count(raw), sum(big), sum(small), max(span) FROM person",
    "SELECT count(*) FROM enrols a JOIN enrols b ON a.person_id = b.person_id AND a.course_id < b.course_id",
    "SELECT person_id FROM enrols WHERE person_id = 50 AND course_id = 1 + (350 + 13) % 90",
    "WITH RECURSIVE up(i) AS (SELECT 2500 UNION SELECT p.boss FROM person p JOIN up ON p.id = up.i) SELECT count(i) FROM up",
    "SELECT count(*) FROM empty",
  ]

  private static func answer(_ sql: String, _ connection: Connection) throws(SQLError) -> [String] {
    let rows = try connection.query(sql)
    return (0..<rows.count).map { row in
      rows.columns.indices.map { rows.text(row: row, column: $0) ?? "NULL" }
        .joined(separator: "|")
    }
  }

  private static func answers(_ database: Database) throws -> [[String]] {
    let connection = database.connect()
    return try queries.map { try answer($0, connection) }
  }

  private static func check(_ database: Database) {
    let version = database.state.current
    for table in version.tables.values { table.checkInvariants() }
  }

  @Test("gives the same answers in whatever order it is touched")
  func touchOrders() throws {
    let database = try Self.sample(3000)
    let expected = try Self.answers(database)
    let saved = try SavedDatabase(database)
    var numbers = Numbers(state: 11)
    for round in 0..<3 {
      let opened = try saved.open(verifying: round == 2)
      let connection = opened.connect()
      for index in Self.queries.indices.shuffled(using: &numbers) {
        #expect(try Self.answer(Self.queries[index], connection) == expected[index])
      }
      Self.check(opened)
      try opened.close()
    }
  }

  @Test("is read by many threads that come to the same parts first")
  func threads() throws {
    let database = try Self.sample(3000)
    let expected = try Self.answers(database)
    let saved = try SavedDatabase(database)
    for round in 0..<3 {
      let opened = try saved.open()
      let orders = (0..<8).map { thread in
        var numbers = Numbers(state: UInt64(round * 8 + thread))
        return Self.queries.indices.shuffled(using: &numbers)
      }
      let wrong = Counter()
      DispatchQueue.concurrentPerform(iterations: 8) { thread in
        let connection = opened.connect()
        for index in orders[thread] {
          let found = try? Self.answer(Self.queries[index], connection)
          if found != expected[index] { wrong.add() }
        }
      }
      #expect(wrong.count == 0)
      try opened.close()
    }
  }

  @Test("takes changes before anything was touched, and checkpoints of what was touched in part")
  func changes() throws {
    let database = try Self.sample(2200)
    let saved = try SavedDatabase(database)
    let statements = [
      "UPDATE person SET note = 'other' WHERE id = 2100 OR id = 7",
      "INSERT INTO enrols SELECT id, 90 FROM person WHERE id < 40 AND NOT EXISTS "
        + "(SELECT FROM enrols e WHERE e.person_id = id AND course_id = 90)",
      "DELETE FROM enrols WHERE course_id = 17",
      "INSERT INTO person (id, name, boss) SELECT i, 'new ' || i, 1 FROM generate_series(5000, 5100) i",
      "DELETE FROM person WHERE id BETWEEN 3 AND 5 AND id NOT IN (SELECT boss FROM person WHERE boss IS NOT NULL)",
      "UPDATE person SET boss = 20 WHERE id % 50 = 3 AND id > 20",
      "ALTER TABLE person ADD COLUMN late int DEFAULT 3",
      "ALTER TABLE person ALTER COLUMN boss TYPE bigint",
      "ALTER TABLE person DROP COLUMN mood",
      "CREATE INDEX by_born ON person (born)",
      "DELETE FROM enrols; DELETE FROM course WHERE id > 5",
      "TRUNCATE enrols",
    ]
    let connection = database.connect()
    for (index, statement) in statements.enumerated() {
      try connection.execute(statement)
      var opened = try saved.open()
      try opened.connect().execute(statement)
      if index % 3 != 2 { try opened.checkpoint() }
      try opened.close()
      opened = try saved.open()
      for sql in Self.queries where index < 7 || !sql.contains("mood") && !sql.contains("RECURSIVE")
      {
        let found = try Self.answer(sql, opened.connect())
        #expect(try found == Self.answer(sql, connection), "\(statement): \(sql)")
      }
      Self.check(opened)
      // What was touched is as good as what was not.
      if index % 2 == 0 { try opened.checkpoint() }
      try opened.close()
    }
  }

  @Test("answers rightly or not at all when a part of it is damaged")
  func flippedSections() throws {
    let database = try Self.sample(400)
    let expected = try Self.answers(database)
    let saved = try SavedDatabase(database)
    let file = try saved.snapshot
    let good = try Data(contentsOf: file)
    var refused = 0
    for (index, section) in try Self.sections(good).enumerated() where index % Self.step == 0 {
      var bad = good
      let place = Int(section.offset) + (index * 7919) % max(1, Int(section.byteCount))
      bad[place] ^= 1 << UInt8(index % 8)
      try bad.write(to: file)
      #expect(throws: SQLError.self, "section \(index)") { try saved.open(verifying: true) }
      var isRefused = false
      do {
        let opened = try saved.open()
        let connection = opened.connect()
        for (query, sql) in Self.queries.enumerated() {
          do {
            #expect(try Self.answer(sql, connection) == expected[query], "section \(index): \(sql)")
            #expect(!isRefused, "once something is damaged nothing is answered")
          } catch {
            #expect(error.state == .dataCorrupted)
            // One more that must not be answered is enough.
            if isRefused { break }
            isRefused = true
          }
        }
        if isRefused {
          #expect(throws: SQLError.self) { try opened.checkpoint() }
          #expect(throws: SQLError.self) { try connection.execute("INSERT INTO empty VALUES (1)") }
        }
        try opened.close()
      } catch { isRefused = true }
      if isRefused { refused += 1 }
    }
    try good.write(to: file)
    #expect(try Self.answers(saved.open()) == expected)
    #expect(refused * Self.step > 30)
  }

  @Test("hands nothing on of a damaged part when it is exported")
  func flippedExport() throws {
    let saved = try SavedDatabase(try Self.sample(400))
    let file = try saved.snapshot
    let good = try Data(contentsOf: file)
    var whole: [UInt8] = []
    try saved.open().connect().export { whole += $0 }
    for (index, section) in try Self.sections(good).enumerated() where index % Self.step == 0 {
      var bad = good
      let place = Int(section.offset) + (index * 7919) % max(1, Int(section.byteCount))
      bad[place] ^= 1 << UInt8(index % 8)
      try bad.write(to: file)
      var handed: [UInt8] = []
      do {
        try saved.open().connect().export { handed += $0 }
        #expect(handed == whole, "section \(index)")
      } catch {
        #expect((error as? SQLError)?.state == .dataCorrupted)
        #expect(whole.starts(with: handed), "section \(index)")
      }
    }
  }

  @Test("is refused when it is cut")
  func truncated() throws {
    let saved = try SavedDatabase(try Self.sample(300))
    let file = try saved.snapshot
    let good = try Data(contentsOf: file)
    for count in stride(from: 0, to: good.count, by: max(1, good.count / 60)) {
      try good.prefix(count).write(to: file)
      #expect(throws: SQLError.self) { try saved.open() }
    }
  }

  /// Bytes are changed and all checksums made right again: nothing may crash, whatever the answers.
  @Test("survives contents that lie")
  func mutants() throws {
    let saved = try SavedDatabase(try Self.sample(300))
    let file = try saved.snapshot
    let good = try Data(contentsOf: file)
    let sections = try Self.sections(good)
    let rounds = ProcessInfo.processInfo.environment["JUNCTION_DURABILITY_CASES"].flatMap {
      Int($0)
    }
    var numbers = Numbers(state: 5)
    var refused = 0
    for _ in 0..<(rounds ?? 20) {
      var bytes = good
      let index = Int.random(in: 1..<sections.count, using: &numbers)
      for _ in 0..<Int.random(in: 1...3, using: &numbers) {
        let section = sections[index]
        // Mostly at the beginning, where numbers stand that lead elsewhere.
        let limit = Bool.random(using: &numbers) ? min(96, section.byteCount) : section.byteCount
        let place = Int(section.offset) + Int.random(in: 0..<Int(limit), using: &numbers)
        let nasty: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF]
        bytes[place] =
          Bool.random(using: &numbers)
          ? nasty.randomElement(using: &numbers) ?? 0 : UInt8.random(in: 0...255, using: &numbers)
      }
      try Self.sealed(bytes).write(to: file)
      guard let opened = try? saved.open(verifying: true) else {
        refused += 1
        continue
      }
      let connection = opened.connect()
      for sql in Self.queries {
        if (try? Self.answer(sql, connection)) == nil { refused += 1 }
      }
      _ = try? connection.execute("INSERT INTO person (id, name, boss) VALUES (9999, 'x', 1)")
      _ = try? connection.execute("DELETE FROM enrols WHERE course_id = 3")
      try? opened.close()
    }
    #expect(refused > 0)
  }

  // MARK: The file's structure

  private static func word(_ bytes: Data, _ place: Int) -> UInt64 {
    (0..<8).reduce(0) { $0 | UInt64(bytes[place + $1]) << UInt64(8 * $1) }
  }

  private static func set(_ word: UInt64, _ bytes: inout Data, _ place: Int) {
    for index in 0..<8 {
      bytes[place + index] = UInt8(truncatingIfNeeded: word >> UInt64(8 * index))
    }
  }

  private static func sections(
    _ bytes: Data
  ) throws -> [(offset: UInt64, byteCount: UInt64)] {
    let (start, count) = (Int(word(bytes, bytes.count - 32)), Int(word(bytes, bytes.count - 24)))
    return (0..<count).map {
      (word(bytes, start + $0 * 32 + 8), word(bytes, start + $0 * 32 + 16))
    }
  }

  /// The bytes with all checksums right.
  private static func sealed(_ bytes: Data) -> Data {
    var bytes = bytes
    let database = DatabaseID(low: word(bytes, 24), high: word(bytes, 32))
    let seeds = ChecksumSeeds(FileIdentity(database: database, generation: word(bytes, 40)))
    let (end, start) = (bytes.count - 32, Int(word(bytes, bytes.count - 32)))
    func sum(_ range: Range<Int>) -> UInt64 {
      XXH64.hash(Array(bytes[range]).span, seed: seeds.seed(at: UInt64(range.lowerBound)))
    }
    for entry in stride(from: start, to: end, by: 32) {
      let offset = Int(word(bytes, entry + 8))
      let padded = Int(SnapshotLayout.padded(word(bytes, entry + 16)))
      set(sum(offset..<(offset + padded)), &bytes, entry + 24)
    }
    set(sum(start..<end), &bytes, end + 16)
    set(sum(end..<(end + 24)), &bytes, end + 24)
    return bytes
  }
}

/// A number that several threads add to.
private final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var value = 0

  func add() { lock.withLock { value += 1 } }
  var count: Int { lock.withLock { value } }
}
