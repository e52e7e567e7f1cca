import Diagnostics
import Durability
import Junction
import SimulatedDisk
import Testing

@Suite("A database with a seed and a time")
struct SeedTests {
  private static var options: DatabaseOptions {
    var options = DatabaseOptions()
    options.seed = 7
    options.now = SQLTimestamp(microsecondsSince1970: 1_700_000_000_000_000)
    return options
  }

  private static func bytes(_ db: Database) throws -> [UInt8] {
    try db.execute(
      """
      CREATE TABLE t (id uuid DEFAULT gen_random_uuid() PRIMARY KEY, n float8 DEFAULT random(),
        at timestamptz DEFAULT now(), wall timestamptz DEFAULT clock_timestamp(),
        day date DEFAULT CURRENT_DATE, moment time DEFAULT LOCALTIME);
      INSERT INTO t (n) SELECT random() FROM generate_series(1, 5000);
      INSERT INTO t DEFAULT VALUES;
      DELETE FROM t WHERE random() < 0.5;
      UPDATE t SET wall = statement_timestamp() WHERE n < 0.2;
      """)
    var bytes: [UInt8] = []
    try db.connect().export { bytes += $0 }
    return bytes
  }

  @Test("gives equal bytes in two runs")
  func seedGivesEqualBytes() throws {
    let first = try Self.bytes(Database(options: Self.options))
    #expect(try Self.bytes(Database(options: Self.options)) == first)
    var other = Self.options
    other.seed = 8
    #expect(try Self.bytes(Database(options: other)) != first)
    let disk = SimulatedDisk()
    #expect(
      try Self.bytes(Database(path: "a.junction", on: disk, Self.options)) == first)
  }

  @Test("hands both on to forks, which go on by themselves")
  func forks() throws {
    let db = Database(options: Self.options)
    _ = try db.query("SELECT random()")
    let numbers = try [db.fork(), db.fork(), db].map {
      try $0.fetchAll(Double.self, "SELECT random() FROM generate_series(1, 3)")
    }
    #expect(numbers[0] == numbers[1] && numbers[1] == numbers[2])
    #expect(Set(numbers[0]).count == 3)
    #expect(
      try db.fork().fetchOne(SQLTimestamp.self, "SELECT clock_timestamp()") == Self.options.now)
  }

  @Test("always has the same time, in transactions and outside of them")
  func time() throws {
    let db = Database(options: Self.options)
    for expression in ["now()", "clock_timestamp()", "statement_timestamp()", "CURRENT_TIMESTAMP"] {
      #expect(
        try db.fetchOne(SQLTimestamp.self, SQL(raw: "SELECT " + expression)) == Self.options.now)
    }
    let inside = try db.write { db in
      try db.fetchOne(SQLTimestamp.self, "SELECT transaction_timestamp()")
    }
    #expect(inside == Self.options.now)
    #expect(
      try db.fetchOne(String.self, "SELECT CURRENT_DATE::text || ' ' || age('2023-11-13')")
        == "2023-11-14 1 day")
  }

  @Test("takes another seed from setseed, without a change of other databases")
  func setSeed() throws {
    let (one, other) = (Database(options: Self.options), Database(options: Self.options))
    _ = try one.query("SELECT setseed(0.5)")
    let first = try one.fetchOne(Double.self, "SELECT random()")
    #expect(try other.fetchOne(Double.self, "SELECT random()") != first)
    _ = try other.query("SELECT setseed(0.5)")
    #expect(try other.fetchOne(Double.self, "SELECT random()") == first)
  }
}
