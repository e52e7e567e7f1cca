import Diagnostics
import Foundation
import Junction
import Testing

@Suite("Formats of EXPLAIN")
struct ExplainFormatTests {
  private func plan(_ options: String, _ condition: String = "t LIKE '<b>%\"#&'") throws -> String {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE a (id int PRIMARY KEY, t text);
      CREATE TABLE b (id int, a_id int REFERENCES a);
      INSERT INTO a SELECT i, 'x' || i FROM generate_series(1, 100) i;
      INSERT INTO b SELECT i, 1 + i % 100 FROM generate_series(1, 500) i;
      """)
    let result = try connection.query(
      "EXPLAIN (\(options)) SELECT t, count(*) FROM a JOIN b ON b.a_id = a.id WHERE \(condition) GROUP BY t ORDER BY 2"
    )
    #expect(result.count == 1)
    return result.text(row: 0, column: 0) ?? ""
  }

  @Test("json has the times of planning and execution", arguments: [false, true])
  func json(isAnalyzed: Bool) throws {
    let text = try plan(isAnalyzed ? "ANALYZE, FORMAT json" : "FORMAT json")
    let parsed = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
    let document = try #require(parsed?.first)
    #expect(document["Plan"] is [String: Any])
    #expect((document["Planning Time"] is Double) == isAnalyzed)
    #expect((document["Execution Time"] is Double) == isAnalyzed)
  }

  @Test("html is a page whose texts are no markup, with a bar for each operator that ran")
  func html() throws {
    let text = try plan("ANALYZE, FORMAT html")
    #expect(text.hasPrefix("<!DOCTYPE html>"))
    #expect(text.contains("&lt;b&gt;%&quot;#&amp;"))
    #expect(!text.contains("<b>%") && !text.contains("<script") && !text.contains("http"))
    #expect(
      text.components(separatedBy: "<summary>").count
        == text.components(separatedBy: "class=\"bar\"").count)
    #expect(
      text.components(separatedBy: "<li>").count == text.components(separatedBy: "</li>").count)
    #expect(text.contains("Execution Time"))
  }

  @Test("html says where the rows were far from what was expected")
  func estimates() throws {
    let counted = try Database().connect().query(
      """
      EXPLAIN (ANALYZE, FORMAT html)
      WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5000) SELECT * FROM r
      """)
    #expect(counted.text(row: 0, column: 0)?.contains("rows far") == true)
    #expect(try !plan("FORMAT html").contains("class=\"bar\""))
  }

  @Test("EXECUTE runs what was prepared with its values")
  func prepared() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE a (id int PRIMARY KEY, t text);
      PREPARE adding (int, text) AS INSERT INTO a VALUES ($1, $2);
      PREPARE finding (text) AS SELECT id FROM a WHERE t = $1;
      """)
    for number in 1...3 {
      let values = "\(number), 'x' || \(number)"
      _ = try connection.query(SQL(raw: "EXPLAIN ANALYZE EXECUTE adding (\(values))"))
    }
    _ = try connection.query("EXPLAIN EXECUTE adding (4, 'x4')")
    #expect(try connection.query("SELECT count(*) FROM a").text(row: 0, column: 0) == "3")
    let plan = try connection.query("EXPLAIN ANALYZE EXECUTE finding ('x2')")
    #expect(plan.text(row: 0, column: 0)?.contains("rows=1 loops=1") == true)
    for (query, code) in [
      ("EXPLAIN ANALYZE EXECUTE finding", "42601"), ("EXPLAIN EXECUTE finding (1, 2)", "42601"),
      ("EXPLAIN EXECUTE losing (1)", "26000"), ("EXPLAIN ANALYZE EXECUTE adding (3, 'x')", "23505"),
    ] {
      let error = #expect(throws: SQLError.self) { try connection.query(SQL(raw: query)) }
      #expect(error?.state.code == code, "\(query)")
    }
  }

  @Test("one row is not called rows", arguments: ["html", "mermaid"])
  func oneRow(format: String) throws {
    let result = try Database().connect().query(
      "EXPLAIN (FORMAT \(format)) SELECT count(*) FROM generate_series(1, 3)")
    let text = result.text(row: 0, column: 0) ?? ""
    #expect(!text.contains("1 rows"))
    #expect(text.contains("1 row expected") == (format == "html"))
  }

  @Test("mermaid is a flow chart whose texts end no label")
  func mermaid() throws {
    let lines = try plan("FORMAT mermaid").split(separator: "\n")
    #expect(lines.first == "flowchart BT")
    let nodes = lines.filter { $0.contains("[\"") }
    #expect(nodes.allSatisfy { $0.filter { $0 == "\"" }.count == 2 && $0.hasSuffix("\"]") })
    #expect(lines.filter { $0.contains("-->") }.count == nodes.count - 1)
    #expect(lines.contains { $0.contains("#60;b#62;%#34;#35;#38;") })
  }

  @Test("others are refused with those that there are", arguments: ["xml", "'yaml'", "1"])
  func unknown(format: String) throws {
    let error = #expect(throws: SQLError.self) { try plan("FORMAT \(format)") }
    #expect(error?.state.code == "22023")
    #expect(error?.hint == "Formats are text, json, html and mermaid.")
  }
}
