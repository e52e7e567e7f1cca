import Diagnostics
import Foundation
import Junction
import Testing

@Suite("Row groups of parquet files")
struct FileConditionsTests {
  /// A table whose columns rise, and a file of it in row groups of a page each.
  private static func withGroups(
    size: Int = 2048, _ body: (Connection, URL) throws -> Void
  ) throws {
    try withFiles { (folder) throws in
      let connection = Database().connect()
      try connection.execute(
        """
        CREATE TABLE t AS SELECT i AS id, (i / 4)::smallint AS small, i * 1000000::bigint AS big, i / 8.0::float8 AS v,
          (i / 8.0)::real AS r, (i / 4.0)::numeric(12, 2) AS n, (i * 10000000000)::numeric(30, 3) AS w,
          date '1990-01-01' + i AS d, timestamp '2000-01-01' + i * interval '1 hour' AS at,
          'one key ' || to_char(i, 'FM00000') AS s, i >= 1900 AS b, CASE WHEN i >= 1900 THEN i END AS q
        FROM generate_series(0, 8191) i;
        COPY t TO '\(folder.path)/t.parquet' WITH (ROW_GROUP_SIZE \(size));
        """)
      try body(connection, folder)
    }
  }

  private static func rows(_ result: ResultSet) -> [String] {
    (0..<result.count).map { row in
      result.columns.indices.map { result.text(row: row, column: $0) ?? "NULL" }
        .joined(separator: "|")
    }
  }

  /// Questions of a file, which stands for `@`; those of a list are asked of files with one table's rows.
  private static let questions: [[String]] = [
    [
      "FROM @ WHERE id = 1234", "FROM @ WHERE id IN (7, 1507)",
      "FROM @ WHERE id = ANY (ARRAY[7, 8])",
      "FROM @ WHERE id < 10 OR id > 1990", "FROM @ WHERE id < 10 OR d > date '1995-06-01'",
      "FROM @ WHERE (id < 10 OR id > 1990) AND n < 5", "FROM @ WHERE id < 10 OR id + 1 > 1990",
      "FROM @ WHERE id <> 5", "FROM @ WHERE id NOT IN (5, 6)",
    ],
    [
      "FROM @ WHERE small = 5", "FROM @ WHERE small < 100000", "FROM @ WHERE big < 5000000::bigint",
      "FROM @ WHERE v < 1.5", "FROM @ WHERE r <= 1.5", "FROM @ WHERE n = 25.00",
      "FROM @ WHERE n < 25.00", "FROM @ WHERE n <= 25", "FROM @ WHERE n > 499.5",
      "FROM @ WHERE w > 19980000000000",
    ],
    [
      "FROM @ WHERE d = date '1990-02-01' + 30",
      "FROM @ WHERE d BETWEEN '1990-01-05' AND date '1990-01-05' + interval '1 month'",
      "FROM @ WHERE at < '2000-01-02'::timestamp",
      "FROM @ WHERE at < timestamp '2000-01-01' + interval '3 hours'",
      "FROM @ WHERE s >= 'one key 01990'", "FROM @ WHERE b", "FROM @ WHERE NOT b AND id > 1700",
      "FROM @ WHERE b IS TRUE", "FROM @ WHERE q IS NOT NULL",
      "FROM @ WHERE q IS NULL AND id > 1850",
    ],
    [
      "SELECT x.id FROM (FROM @) x WHERE id < 100",
      "WITH x AS (FROM @) SELECT id FROM x WHERE id < 100",
      "SELECT a.id, t.n FROM @ a JOIN t ON t.id = a.id WHERE a.n < 5",
      "SELECT a.id FROM @ a LEFT JOIN t ON t.id = a.id AND a.n < 5",
      "SELECT a.id, b.id FROM @ a, @ b WHERE a.id = 5 AND b.id = 1999",
      "SELECT id FROM @ a WHERE id < 9 UNION ALL SELECT id FROM @",
      "SELECT (SELECT max(id) FROM @ a WHERE id < 70) FROM t WHERE id < 2",
      "SELECT count(*) FILTER (WHERE id < 10) FROM @",
      "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM @ a WHERE a.id = t.id AND a.id > 1950)",
    ],
  ]

  @Test(
    "are passed over where no row of them meets the conditions, and nothing else changes",
    arguments: questions)
  func conditions(queries: [String]) throws {
    try Self.withGroups { (connection, folder) throws in
      for (number, query) in queries.enumerated() {
        // Each question comes to a file that nobody has read.
        let file = folder.appending(path: "\(number).parquet")
        try FileManager.default.copyItem(at: folder.appending(path: "t.parquet"), to: file)
        let overFile = query.replacing("@", with: "'\(file.path)'")
        let wanted = Self.rows(try connection.query(query.replacing("@", with: "t"))).sorted()
        // The second time the columns are in place.
        for _ in 0..<2 {
          #expect(Self.rows(try connection.query(overFile)).sorted() == wanted, "\(query)")
        }
      }
    }
  }

  @Test("are passed over by the values of parameters, each time by other ones")
  func parameters() throws {
    try Self.withGroups { (connection, folder) throws in
      let query = "SELECT id FROM '\(folder.path)/t.parquet' WHERE id >= $1 AND id < $1 + 2"
      for first in [3, 5000, 8191, -5] as [Int64] {
        let wanted = (first..<(first + 2)).filter { (0..<8192).contains($0) }.map(String.init)
        let found = Self.rows(try connection.query(query, [.integer(first)]))
        #expect(found == wanted)
      }
      try connection.execute("PREPARE p (int) AS \(query)")
      for first in [3, 5000] {
        #expect(
          Self.rows(try connection.query("EXECUTE p (\(first))")) == ["\(first)", "\(first + 1)"])
      }
    }
  }

  @Test("that were passed over are read for the next statement")
  func next() throws {
    try Self.withGroups { (connection, folder) throws in
      let path = "'\(folder.path)/t.parquet'"
      #expect(Self.rows(try connection.query("SELECT count(*) FROM \(path)")) == ["8192"])
      #expect(
        Self.rows(try connection.query("SELECT count(*), max(n) FROM \(path) WHERE id < 10"))
          == ["10|2.25"])
      #expect(Self.rows(try connection.query("SELECT max(n) FROM \(path)")) == ["2047.75"])
    }
  }
}
