import Junction
import Testing

@Suite("Numbers of rows are guessed")
struct EstimateTests {
  @Test("for a calendar of which the rows that are joined with it have a part")
  func partOfRange() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE day (id int PRIMARY KEY, month int NOT NULL);
      INSERT INTO day SELECT 2000000 + i, i / 30 FROM generate_series(1, 72000) i;
      CREATE TABLE sale (day int REFERENCES day, pieces int);
      INSERT INTO sale SELECT 2036000 + i % 1800, i FROM generate_series(1, 20000) i;
      ANALYZE;
      """)
    /// What EXPLAIN says of the topmost operator that joins both, the only one with two inputs.
    func guess(_ condition: String) throws -> Double {
      let lines = try connection.query(
        "EXPLAIN SELECT pieces, month FROM sale s JOIN day d ON d.id = s.day WHERE \(condition)"
      ).map { "\($0.values)" }
      let rows = try #require(lines.first { $0.contains("rows=") }?.split(separator: "rows=").last)
      return try #require(Double(rows.prefix { $0.isNumber }))
    }
    // A year is a fifth of the days with sales, and a two hundredth of all.
    let year = try guess("d.month BETWEEN 1200 AND 1211")
    #expect((2000...8000).contains(year), "\(year)")
    let all = try guess("d.month >= 0")
    #expect((15_000...21_000).contains(all), "\(all)")
  }
}
