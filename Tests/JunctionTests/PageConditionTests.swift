import Diagnostics
import Foundation
import Junction
import Testing

@Suite("Pages are passed over")
struct PageConditionTests {
  /// Numbers that come again with a seed.
  private struct Dice: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }

  private static func count(_ connection: Connection, _ query: String) throws -> String {
    try connection.query(query).text(row: 0, column: 0) ?? "NULL"
  }

  /// Walks up and down, so that each page has bounds of its own, with NULLs, infinities and values on both sides of zero.
  private static func fill(_ connection: Connection, _ zone: String, _ seed: Int) throws {
    try connection.execute(
      """
      SET timezone = '\(zone)';
      CREATE TABLE t AS SELECT
        CASE WHEN i % 97 = 0 THEN NULL ELSE (2000 * sin(i / 2500.0 + \(seed)) + i % 5)::int END AS x,
        (i / 7 - 900)::smallint AS s,
        timestamptz '2010-03-01' + i * interval '37 minutes' * \(1 + seed % 3) AS tz,
        CASE WHEN i % 3001 = 0 THEN 'infinity' ELSE timestamp '2011-12-20' + i * interval '5 minutes' END AS ts,
        date '1999-12-01' + i / 20 AS d,
        ((i - 6000) / 64.0)::numeric(12, 4) AS n, ((i % 3000) * 1e-6)::numeric AS small,
        i / 5000 % 2 = 1 AS b, 'k' || lpad((i / 3)::text, 5, '0') AS v
        FROM generate_series(1, 12500) i;
      """)
  }

  /// A condition around a row of the table, so that some rows meet it and most don't.
  private static func conditions(_ row: String) -> [String] {
    [
      "x = (\(row).x)", "x + 3 < (\(row).x)", "5 - x < (\(row).x)", "x * -2 >= (\(row).x)",
      "x / 7 = (\(row).x) / 7", "-x > (\(row).x)", "x < (\(row).x)::numeric + 0.5",
      "x::float8 = (\(row).x)", "x IN ((\(row).x), 3, NULL)", "x = ANY(ARRAY[(\(row).x), NULL, 8])",
      "x IS NOT DISTINCT FROM (\(row).x)", "x * x < (\(row).x)", "s + x > (\(row).s)",
      "s::bigint * 3 - 1 <= (\(row).s)", "tz::date = (\(row).tz)::date",
      "tz::timestamp < (\(row).tz)",
      "date_trunc('day', tz) = date_trunc('day', (\(row).tz))",
      "date_trunc('hour', tz) = date_trunc('hour', (\(row).tz))",
      "date_trunc('month', tz) > (\(row).tz)",
      "extract(year from tz) = extract(year from (\(row).tz))",
      "tz AT TIME ZONE 'America/New_York' < (\(row).ts)", "tz > (\(row).tz) + interval '1 month'",
      "date_trunc('week', ts) = date_trunc('week', (\(row).ts))", "ts::date <= (\(row).d)",
      "date_part('epoch', ts) < date_part('epoch', (\(row).ts))", "d + 30 < (\(row).d)",
      "d::timestamptz >= (\(row).tz)", "extract(century from d) = 20", "extract(month from d) = 3",
      "n = (\(row).n)", "n < (\(row).n)", "n >= 93.75", "n > 1e30", "n <> (\(row).n)",
      "small < (\(row).small)", "small = (\(row).small)", "b", "NOT b", "b IS TRUE",
      "b IS NOT TRUE",
      "b IS FALSE", "v LIKE 'k012%'", "v LIKE 'k01_3%'", "v LIKE '%7'", "v LIKE ''",
      "v NOT LIKE 'k0%'",
      "starts_with(v, left((\(row).v), 4))", "v LIKE left((\(row).v), 4) || '%'", "v ^@ 'k02'",
      "NOT (x < (\(row).x) OR b)", "x + 2147483000 > 0",
    ]
  }

  @Test(
    "as if every row had been looked at",
    arguments: zip(["UTC", "America/Sao_Paulo", "Pacific/Apia", "Europe/Berlin"], 1...4))
  func likeAllRows(zone: String, seed: Int) throws {
    try withFiles { (folder) throws in
      let connection = Database().connect()
      try Self.fill(connection, zone, seed)
      try connection.execute(
        "COPY (SELECT x, s, tz, nullif(ts, 'infinity') AS ts, d, n, small, b, v FROM t) TO '\(folder.path)/t.parquet' (ROW_GROUP_SIZE 1500)"
      )
      var dice = Dice(state: UInt64(seed))
      for index in Self.conditions("").indices where (index + seed) % 2 == 0 {
        let row = Int.random(in: 1..<12000, using: &dice)
        // The row's values as constants.
        let values = try connection.query(
          "SELECT x, s, tz, ts, d, n, small, v FROM t OFFSET \(row) LIMIT 1")
        var condition = Self.conditions("ROW")[index]
        let types = [
          "int", "smallint", "timestamptz", "timestamp", "date", "numeric", "numeric", "text",
        ]
        for (place, column) in values.columns.enumerated() {
          let text = values.text(row: 0, column: place).map { "'\($0)'" } ?? "NULL"
          condition = condition.replacing(
            "(ROW.\(column.name))", with: "(\(text)::\(types[place]))")
        }
        func outcome(_ source: String) -> String {
          do {
            return try Self.count(connection, "SELECT count(*) FROM \(source) s WHERE \(condition)")
          } catch { return "\((error as? SQLError)?.state.code ?? "")" }
        }
        for source in ["t", "'\(folder.path)/t.parquet'"] {
          #expect(
            outcome(source) == outcome("(SELECT * FROM \(source) OFFSET 0)"),
            "\(condition) of \(source)")
        }
      }
    }
  }

  @Test(
    "for conditions on what rises with a column",
    arguments: [
      "x < 99.5", "x + 1 < 100", "x = ANY(ARRAY[5, 7])", "x IS NOT DISTINCT FROM 5", "n < 10",
      "ts > timestamptz '2026-11-28 00:00' - interval '1 hour'", "ts::date = '2026-11-02'",
      "date_trunc('month', ts) = '2026-12-01'", "extract(year from ts) = 2027", "NOT b",
      "v LIKE 'v0001%'", "starts_with(v, 'v0001')",
    ])
  func explained(condition: String) throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE t AS SELECT i AS x, 'v' || lpad(i::text, 6, '0') AS v,
        timestamptz '2026-11-01' + i * interval '5 minutes' AS ts, (i / 100.0)::numeric(10, 2) AS n, i > 9000 AS b
        FROM generate_series(1, 20000) i
      """)
    let plan = try connection.query("EXPLAIN ANALYZE SELECT count(*) FROM t WHERE \(condition)")
    let lines = (0..<plan.count).compactMap { plan.text(row: $0, column: 0) }
    #expect(lines.contains { $0.contains("Pages Read: ") }, "\(lines)")
  }
}
