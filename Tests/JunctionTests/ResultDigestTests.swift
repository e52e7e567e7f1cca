import Junction
import Testing

@Suite("The digest of a result")
struct ResultDigestTests {
  @Test(
    "is the sum of numbers, and of the lengths and first bytes of texts",
    arguments: [
      "SELECT n, n::smallint, n::bigint * 5000000000, 'row ' || n FROM generate_series(1, 9000) n",
      "SELECT repeat(chr(65 + n % 26), n % 40) FROM generate_series(1, 9000) n",
      "SELECT repeat('é', n * 700000) FROM generate_series(0, 3) n",
      "SELECT CASE WHEN n % 3 > 0 THEN n END, CASE WHEN n % 5 > 0 THEN 'ÿ' || n END FROM generate_series(1, 5000) n",
    ])
  func sums(_ sql: String) throws {
    let rows = try Database().connect().query(sql)
    var expected = 0
    for row in 0..<rows.count {
      for column in rows.columns.indices {
        guard let text = rows.text(row: row, column: column) else { continue }
        expected += Int(text) ?? (text.utf8.count + Int(text.utf8.first ?? 0))
      }
    }
    #expect(rows.digest() == expected)
  }
}
