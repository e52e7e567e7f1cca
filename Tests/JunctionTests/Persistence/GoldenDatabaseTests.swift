import Diagnostics
import Foundation
import SimulatedDisk
import Testing

@testable import Durability
@testable import Junction

/// Whole databases as released versions wrote them, in `Tests/Golden`, which all later versions open.
///
/// With `JUNCTION_GOLDEN_FOLDER` the files of a new format are written there, to be kept beside the others.
@Suite("A database of a released format")
struct GoldenDatabaseTests {
  private static let path = "/golden.junction"
  /// 1.1: snapshots have lists whose rows are kept as they stand; 1.1-collations: the catalog has collations;
  /// 1.1-cardinalities: it has cardinality constraints, and foreign keys that are not enforced.
  private static let formats = ["1.0", "1.1", "1.1-collations", "1.1-cardinalities"]

  private static func folder(_ format: String) -> URL {
    URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Golden/format-\(format)").standardized
  }

  /// Rows of every type and a commit of every kind, some of them behind the snapshot.
  private static let rows = """
    INSERT INTO archive.club (code) VALUES ('chess'), ('a club with a name that stands apart');
    INSERT INTO person (id, name, state, homes, height, born, seen, nap, bits, more, ticket, age, tags,
        doc, raw, key, at, kind)
      SELECT i, 'person ' || i, (ARRAY['sad', 'ok', NULL])[i % 3 + 1]::mood,
        CASE WHEN i % 4 = 0 THEN ARRAY[ROW(ROW('High Street', i, ARRAY['ok'::mood]), '2001-02-03')::home] END,
        CASE WHEN i % 5 > 0 THEN 1.5 + i / 1000.0 END, date '1990-01-01' + i,
        timestamp with time zone '2024-05-06 07:08:09.5Z' + i * interval '1 hour',
        i * interval '1 day 2 hours', (i % 16)::bit(4), (i % 8)::bit(3)::bit varying(9), i, i % 12 + 1,
        CASE WHEN i % 7 > 0 THEN ARRAY['tag ' || i, NULL] END,
        CASE WHEN i % 3 > 0 THEN jsonb_build_object('n', i, 'list', jsonb_build_array(1.5, NULL, 'x')) END,
        CASE WHEN i % 2 = 0 THEN decode(lpad(to_hex(i), 4, '0'), 'hex') END,
        md5(i::text)::uuid, time '01:02:03' + i * interval '1 minute', chr(65 + i % 26)::bpchar
      FROM generate_series(1, 120) i;
    UPDATE person SET boss = id / 2 WHERE id > 1;
    INSERT INTO membership SELECT i, 'chess', 5, date '2020-01-01' + i % 40, i % 5 FROM generate_series(1, 90) i;
    INSERT INTO student (id, name, key, seen, course, grade) VALUES
      (1001, 'pupil', NULL, '2024-01-01Z', 'maths', 1.25), (1002, 'other', NULL, NULL, NULL, 'NaN');
    REFRESH MATERIALIZED VIEW counts;
    SELECT nextval('tickets'), nextval('tickets');
    CREATE TABLE link (a int REFERENCES person, b int REFERENCES person, PRIMARY KEY (a, b));
    INSERT INTO link SELECT i % 120 + 1, (i * 7 + i / 120) % 120 + 1 FROM generate_series(0, 1199) i;
    """
  private static let laterCommits = [
    "INSERT INTO membership VALUES (95, 'chess', 5, '2021-01-01', 2)",
    "UPDATE person SET name = 'a name that is longer than twelve bytes', height = NULL WHERE id % 50 = 0",
    "DELETE FROM membership WHERE person BETWEEN 20 AND 30",
    "UPDATE membership SET person = 119 WHERE person = 41", "SELECT nextval('tickets')",
    "CREATE TABLE late (id int PRIMARY KEY, label text); INSERT INTO late VALUES (1, 'x'), (2, NULL)",
    "TRUNCATE student", "ALTER TABLE late ADD COLUMN number numeric DEFAULT 1.50",
    "BEGIN; INSERT INTO late VALUES (3, 'y', 2); DELETE FROM late WHERE id = 1; COMMIT",
  ]

  private static func export(_ database: Database) throws -> String {
    var text: [UInt8] = []
    try database.connect().export { text += $0 }
    return String(decoding: text, as: UTF8.self)
  }

  private static func files(of disk: SimulatedDisk) throws -> [(name: String, bytes: [UInt8])] {
    try disk.list(path).filter { $0 != "lock" }.sorted().compactMap { name in
      disk.bytes(of: "\(path)/\(name)").map { (name, $0) }
    }
  }

  private static func golden(_ format: String) throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    try disk.makeDirectory(path)
    let folder = folder(format)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where name != "export.sql" {
      disk.place(Array(try Data(contentsOf: folder.appending(path: name))), at: "\(path)/\(name)")
    }
    return disk
  }

  @Test(
    "is written for good",
    .enabled(if: ProcessInfo.processInfo.environment["JUNCTION_GOLDEN_FOLDER"] != nil))
  func write() throws {
    let target = URL(
      filePath: ProcessInfo.processInfo.environment["JUNCTION_GOLDEN_FOLDER"] ?? "")
    let disk = SimulatedDisk()
    let database = try Database(path: Self.path, on: disk, DatabaseOptions())
    let connection = database.connect()
    try connection.execute(RichCatalog.sql)
    try connection.execute(Self.rows)
    try database.checkpoint()
    for sql in Self.laterCommits { try connection.execute(sql) }
    let export = try Self.export(database)
    try database.close()
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    for (name, bytes) in try Self.files(of: disk) {
      try Data(bytes).write(to: target.appending(path: name))
    }
    try Data(export.utf8).write(to: target.appending(path: "export.sql"))
  }

  @Test("is opened, has all that was in it, and goes on", arguments: formats, [false, true])
  func opened(_ format: String, verifiesFirst: Bool) throws {
    let disk = try Self.golden(format)
    var options = DatabaseOptions()
    options.verifiesAtOpening = verifiesFirst
    let database = try Database(path: Self.path, on: disk, options)
    let wanted = try String(
      contentsOf: Self.folder(format).appending(path: "export.sql"), encoding: .utf8)
    let found = try Self.export(database)
    for (a, b) in zip(wanted.split(separator: "\n"), found.split(separator: "\n")) where a != b {
      Issue.record("\(a) became \(b)")
    }
    #expect(found.count == wanted.count)
    let connection = database.connect()
    #expect(try connection.query("VERIFY").allSatisfy { $0["sqlstate"] == .text("00000") })
    try connection.execute("INSERT INTO late VALUES (4, 'z', 3)")
    try database.checkpoint()
    try database.close()
    let again = try Database(path: Self.path, on: disk, options)
    #expect(
      try again.connect().query("SELECT count(*) FROM late").map(\.values) == [[.integer(3)]])
  }

  @Test("would be refused by name if it were of a newer format", arguments: ["major", "feature"])
  func newerSnapshot(_ what: String) throws {
    let disk = try Self.golden("1.1")
    let names = try disk.list(Self.path)
    let name = try #require(names.first { $0.hasPrefix("snapshot") })
    var bytes = try #require(disk.bytes(of: "\(Self.path)/\(name)"))
    bytes[what == "major" ? 8 : 20] = 2
    bytes.store(word: XXH64.hash(bytes.span.extracting(0..<56)), at: 56)
    disk.place(bytes, at: "\(Self.path)/\(name)")
    let error = #expect(throws: SQLError.self) {
      try Database(path: Self.path, on: disk, DatabaseOptions())
    }
    #expect(error?.state == .featureNotSupported)
    #expect(error?.message.contains(name) == true)
  }
}
