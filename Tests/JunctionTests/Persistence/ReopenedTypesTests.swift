import Diagnostics
import Foundation
import SimulatedDisk
import Testing

@testable import Junction

/// Rows of all types, on a database that is opened anew again and again, beside one in memory that is not.
///
/// How values are kept in a snapshot depends on what a page holds, and rows that come later are added to pages that were
/// read: each type has NULLs, few or many rows to a page, and changes before and after an opening.
@Suite("Rows of all types in a database that is opened anew")
struct ReopenedTypesTests {
  /// A column's name and type, and values to choose from.
  private struct Column {
    let name: String
    let type: String
    let values: [String]

    init(_ name: String, _ type: String, _ values: String...) {
      self.name = name
      self.type = type
      self.values = values
    }
  }

  private static let long = "'\(String(repeating: "a longer text ", count: 3))'"
  private static let columns = [
    Column("s", "smallint", "-32768", "0", "7"), Column("i", "int", "1", "2", "2147483647"),
    Column("g", "bigint", "9223372036854775807", "-5", "3"),
    Column("n", "numeric", "1e30", "0.1", "-1234567.891", "'NaN'", "3"),
    Column("m", "numeric(12,2)", "1.25", "-99999.99", "0"),
    Column("f", "real", "1.5", "'-Infinity'"),
    Column("d", "double precision", "0.1", "1e300", "'NaN'"),
    Column("b", "boolean", "true", "false"), Column("x", "text", "''", "'ab'", long),
    Column("c", "char(3)", "'a'", "'abc'"), Column("y", "bytea", "'\\x00ff'", "'\\x'"),
    Column("u", "uuid", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'"),
    Column("e", "date", "'2024-02-29'", "'infinity'"), Column("o", "time", "'23:59:59.5'"),
    Column("t", "timestamp", "'1999-12-31 23:59:59'"),
    Column("z", "timestamptz", "'2001-01-01 00:00:00+02'"),
    Column("v", "interval", "'1 mon -2 days 03:00'", "'5 min'"),
    Column("j", "jsonb", "'{\"a\": [1, null]}'", "'null'"),
    Column("h", "mood", "'sad'", "'glad'"),
    Column("p", "pair", "'(1,x)'", "'(,)'", "ROW(NULL, \(long))"),
    Column("li", "int[]", "'{}'", "'{1,NULL,3}'", "'{4,5}'"),
    Column("lt", "text[]", "'{NULL}'", "'{a,b,c}'", "ARRAY[\(long), NULL]"),
    Column("ln", "numeric[]", "'{1e20,NULL}'", "'{0.5}'"),
    Column("lp", "pair[]", "ARRAY['(1,x)'::pair, NULL]", "ARRAY['(2,)'::pair]"),
  ]
  private static let definitions = """
    CREATE TYPE mood AS ENUM ('sad', 'glad');
    CREATE TYPE pair AS (a int, b text);
    CREATE TABLE t (id int PRIMARY KEY,
    \(columns.map { "\($0.name) \($0.type)" }.joined(separator: ", ")))
    """
  private static let seedCount =
    ProcessInfo.processInfo.environment["JUNCTION_DURABILITY_CASES"] == nil ? 4 : 300
  private static let path = "/types.junction"

  private struct Model {
    var random: SimulationRandom
    var nextID = 1
    /// How many values of a hundred are NULL.
    var nulls = 0

    mutating func value(_ column: Column) -> String {
      random.chance(nulls) ? "NULL" : column.values[random.below(column.values.count)]
    }

    /// A statement that changes something.
    mutating func statement() -> String {
      nulls = [0, 10, 50][random.below(3)]
      let column = ReopenedTypesTests.columns[random.below(ReopenedTypesTests.columns.count)]
      switch random.below(6) {
      case 0: return "DELETE FROM t WHERE id % 7 = \(random.below(7))"
      case 1, 2:
        return "UPDATE t SET \(column.name) = \(value(column)) WHERE id % 5 = \(random.below(5))"
      default:
        let count = [1, 2, 5, 70, 130][random.below(5)]
        let kinds = (0..<min(count, 3)).map { _ in
          ReopenedTypesTests.columns.map { value($0) }.joined(separator: ", ")
        }
        let rows = (0..<count).map { row in
          "(\(nextID + row), \(kinds[(row + random.below(2)) % kinds.count]))"
        }
        nextID += count
        return "INSERT INTO t VALUES \(rows.joined(separator: ", "))"
      }
    }
  }

  private static func rows(_ connection: Connection) throws(SQLError) -> [String] {
    let result = try connection.query("SELECT * FROM t ORDER BY id")
    return (0..<result.count).map { row in
      result.columns.indices.map { result.text(row: row, column: $0) ?? "NULL" }
        .joined(separator: "|")
    }
  }

  @Test("are those of one that was never closed", arguments: 0..<seedCount)
  func asInMemory(_ seed: Int) throws {
    var model = Model(random: SimulationRandom(seed: UInt64(seed)))
    let memory = Database().connect()
    _ = try memory.execute(Self.definitions)
    var disk = SimulatedDisk()
    var connection = try Database(path: Self.path, on: disk, DatabaseOptions()).connect()
    _ = try connection.execute(Self.definitions)
    for step in 0..<14 {
      let sql = model.statement()
      _ = try memory.execute(sql)
      _ = try connection.execute(sql)
      if model.random.chance(60) { try connection.database.checkpoint() }
      if model.random.chance(70) {
        disk = SimulatedDisk(disk.state.crash(seed: UInt64(step)))
        connection = try Database(path: Self.path, on: disk, DatabaseOptions()).connect()
      }
      let (wanted, found) = (try Self.rows(memory), try Self.rows(connection))
      for (left, right) in zip(wanted, found) where left != right {
        Issue.record("step \(step): \(left)\n\(right)\n\(sql.prefix(200))")
        return
      }
      #expect(wanted.count == found.count)
    }
    let verified = try connection.query("VERIFY")
    for row in 0..<verified.count {
      #expect(verified.text(row: row, column: verified.columns.count - 1) == "ok")
    }
  }
}
