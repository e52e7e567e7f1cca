import Diagnostics
import Durability
import Junction
import SimulatedDisk
import Testing

@Suite("A cardinality constraint")
struct CardinalityTests {
  private static let school = """
    CREATE TABLE student (id int PRIMARY KEY);
    CREATE TABLE enrols_in (student_id int REFERENCES student ON DELETE CASCADE, course_id int,
      CONSTRAINT at_most_eight CARDINALITY (student_id) BETWEEN 1 AND 8);
    BEGIN;
    INSERT INTO student VALUES (1), (2);
    INSERT INTO enrols_in SELECT 1, i FROM generate_series(1, 8) i;
    INSERT INTO enrols_in VALUES (2, 1);
    COMMIT;
    """

  private static func error(_ connection: Connection, _ statement: String) -> SQLError? {
    #expect(throws: SQLError.self) { try connection.execute(statement) }
  }

  @Test("says what is wrong, in words and in fields")
  func errors() throws {
    let connection = Database().connect()
    try connection.execute(Self.school)
    let object = SQLError.Object(
      schema: "public", table: "enrols_in", constraint: "at_most_eight")
    for (statement, message, detail, rule) in [
      (
        "INSERT INTO enrols_in VALUES (1, 9)", "insert or update on",
        "Key (student_id)=(1) has 9 rows; at most 8 are allowed.", .maximum(8)
      ),
      (
        "INSERT INTO student VALUES (3)", "insert or update on",
        "Key (student_id)=(3) has 0 rows; at least 1 are needed.", .minimum(1)
      ),
      (
        "DELETE FROM enrols_in WHERE student_id = 2", "delete on",
        "Key (student_id)=(2) has 0 rows; at least 1 are needed.", .minimum(1)
      ),
      (
        "UPDATE enrols_in SET student_id = NULL WHERE student_id = 2", "insert or update on",
        "Key (student_id)=(2) has 0 rows; at least 1 are needed.", .minimum(1)
      ),
      (
        "ALTER TABLE enrols_in ADD CONSTRAINT at_most_eight2 CARDINALITY (student_id) BETWEEN 2 AND 9",
        "insert or update on", "Key (student_id)=(2) has 1 row; at least 2 are needed.",
        .minimum(2)
      ),
    ] as [(String, String, String, RelationshipRule)] {
      let error = Self.error(connection, statement)
      #expect(error?.state == .checkViolation)
      #expect(
        error?.message.hasPrefix(
          message + " table \"enrols_in\" violates cardinality constraint \"at_most_eight") == true)
      #expect(error?.detail == detail)
      #expect(error?.object?.table == object.table && error?.object?.schema == object.schema)
      #expect(error?.rule == rule)
    }
    #expect(Self.error(connection, "INSERT INTO enrols_in VALUES (1, 9)")?.object == object)
    let unkeyed = Self.error(
      connection, "ALTER TABLE enrols_in ADD CARDINALITY (course_id) BETWEEN 0 AND 1")
    #expect(unkeyed?.state == .invalidForeignKey)
    #expect(unkeyed?.hint?.contains("FOREIGN KEY (course_id)") == true)
  }

  @Test("holds for what COPY brings")
  func copy() throws {
    let connection = Database().connect()
    try connection.execute(Self.school)
    var lines = [Array("2\t5\n2\t6\n".utf8)]
    _ = try connection.copyIn("COPY enrols_in FROM stdin") { lines.popLast() }
    lines = [Array(String(repeating: "2\t5\n", count: 6).utf8)]
    let error = #expect(throws: SQLError.self) {
      _ = try connection.copyIn("COPY enrols_in FROM stdin") { lines.popLast() }
    }
    #expect(error?.detail == "Key (student_id)=(2) has 9 rows; at most 8 are allowed.")
    #expect(
      try connection.query("SELECT count(*) FROM enrols_in").value(row: 0, column: 0)
        == .integer(11))
  }

  @Test("survives a restart, from a snapshot and from the log", arguments: [false, true])
  func restart(_ takesSnapshot: Bool) throws {
    let disk = SimulatedDisk()
    var database = try Database(path: "school.junction", on: disk, DatabaseOptions())
    try database.connect().execute(Self.school)
    try database.connect().execute(
      """
      ALTER TABLE student ADD COLUMN home int REFERENCES student NOT ENFORCED;
      ALTER TABLE enrols_in ADD CARDINALITY (student_id) BETWEEN 0 AND 9223372036854775807
      """)
    if takesSnapshot { try database.checkpoint() }
    for _ in 0..<2 {
      let copy = SimulatedDisk(disk.state.crash(seed: 7))
      database = try Database(path: "school.junction", on: copy, DatabaseOptions())
      let connection = database.connect()
      #expect(
        Self.error(connection, "INSERT INTO enrols_in VALUES (1, 9)")?.rule == .maximum(8))
      #expect(
        Self.error(connection, "DELETE FROM enrols_in WHERE student_id = 2")?.rule == .minimum(1))
      try connection.execute("UPDATE student SET home = 77")
      #expect(
        try connection.query("VERIFY").allSatisfy { $0["sqlstate"] == .text("00000") })
      try connection.execute("ALTER TABLE student RENAME id TO no")
      try database.checkpoint()
    }
  }

  @Test("is in an export between what only Junction reads, and comes back by it")
  func export() throws {
    let connection = Database().connect()
    try connection.execute(Self.school)
    try connection.execute(
      """
      ALTER TABLE student ADD COLUMN home int CONSTRAINT home REFERENCES student NOT ENFORCED;
      COMMENT ON CONSTRAINT at_most_eight ON enrols_in IS 'eight';
      COMMENT ON CONSTRAINT home ON student IS 'loose';
      """)
    var bytes: [UInt8] = []
    try connection.export { bytes += $0 }
    let parts = String(decoding: bytes, as: UTF8.self).split(
      separator: "\\if :{?JUNCTION}", maxSplits: 1)
    #expect(parts.count == 2)
    for line in [
      "ADD CONSTRAINT at_most_eight CARDINALITY (student_id) BETWEEN 1 AND 8;",
      "ADD CONSTRAINT home FOREIGN KEY (home) REFERENCES public.student(id) NOT ENFORCED;",
      "COMMENT ON CONSTRAINT at_most_eight", "COMMENT ON CONSTRAINT home",
    ] {
      #expect(parts.last?.contains(line) == true, "\(line)")
      #expect(parts.first?.contains(line) == false, "\(line)")
    }
  }

  @Test("is seen to hold by VERIFY")
  func verify() throws {
    let connection = Database().connect()
    try connection.execute(Self.school)
    let rows = try connection.query("VERIFY")
    #expect(rows.contains { $0["check"] == .text("cardinality") })
    #expect(rows.allSatisfy { $0["sqlstate"] == .text("00000") })
  }
}
