import Diagnostics
import Foundation
import Junction
import Testing

@Suite("Arrays in JSON, taken out as tables")
struct UnnestingTests {
  private static let orders = """
    [{"id": 7, "who": "Ann", "tags": ["new", "gift"],
      "lines": [{"sku": "a1", "n": 2, "parts": [{"p": 1}, {"p": 2}]}, {"sku": "b2", "n": 1, "parts": []}]},
     {"id": 9, "who": "Bob", "tags": [], "lines": [{"sku": "a1", "n": 5}], "mix": [1, {"a": 2}]},
     {"id": 11, "who": "Cy", "tags": null}]
    """

  private static func rows(_ connection: Connection, _ table: String) throws -> [String] {
    let rows = try connection.query("TABLE \(table)")
    return (0..<rows.count).map { row in
      rows.columns.indices.map { rows.text(row: row, column: $0) ?? "NULL" }.joined(separator: "|")
    }
  }

  @Test("have the key of the row that they were in, and their place there")
  func tables() throws {
    try withFiles(["orders.json": Self.orders, "articles.csv": "sku,name\na1,Apple\nb2,Bread\n"]) {
      (folder) throws in
      let database = try Database(folder: folder.path, unnesting: true)
      let connection = database.connect()
      #expect(
        try Self.rows(connection, "orders") == [
          "7|Ann|NULL", #"9|Bob|[1, {"a": 2}]"#, "11|Cy|NULL",
        ])
      #expect(try Self.rows(connection, "orders_tags") == ["7|1|new", "7|2|gift"])
      #expect(
        try Self.rows(connection, "orders_lines") == ["1|7|1|a1|2", "2|7|2|b2|1", "3|9|1|a1|5"])
      #expect(try Self.rows(connection, "orders_lines_parts") == ["1|1|1", "1|2|2"])
      let script = connection.schemaScript()
      for line in [
        "FOREIGN KEY (order_id) REFERENCES orders (id)",
        "FOREIGN KEY (line_id) REFERENCES orders_lines (id)",
        "FOREIGN KEY (sku) REFERENCES articles (sku)", "PRIMARY KEY (order_id, \"position\")",
      ] { #expect(script.contains(line), "\(line)") }
      let said = database.notices.map(\.message)
      #expect(
        said.contains { $0.hasSuffix("3 rows read = 3 loaded + 0 rejected (json, 4 tables)") })
      #expect(said.contains("orders_tags: 2 elements of arrays in orders, by order_id"))
      #expect(said.contains("orders: mix stays jsonb, as its elements are of several kinds"))
    }
  }

  @Test("fill the tables of a schema, too")
  func schema() throws {
    try withFiles(["orders.json": Self.orders]) { (folder) throws in
      let connection = try Database(folder: folder.path, unnesting: true).connect()
      try connection.writeSchema(to: folder.appending(path: "schema.sql").path)
      let again = try Database(folder: folder.path, unnesting: true).connect()
      #expect(again.schemaScript() == connection.schemaScript())
      for table in ["orders", "orders_tags", "orders_lines", "orders_lines_parts"] {
        #expect(try Self.rows(again, table) == Self.rows(connection, table))
      }
    }
  }

  @Test("stand by themselves where one object holds nothing but them")
  func graph() throws {
    let text = #"{"nodes": [{"id": 1}, {"id": 2}], "links": [{"source": 1, "target": 2}]}"#
    try withFiles(["g.json": text]) { (folder) throws in
      let connection = try Database(folder: folder.path, unnesting: true).connect()
      #expect(try Self.rows(connection, "nodes") == ["1", "2"])
      #expect(try Self.rows(connection, "links") == ["1|2"])
      #expect(connection.schemaScript().contains("FOREIGN KEY (source) REFERENCES nodes (id)"))
    }
  }

  @Test("stay values unless it is asked for")
  func notAsked() throws {
    try withFiles(["orders.json": Self.orders]) { (folder) throws in
      let connection = try Database(folder: folder.path).connect()
      #expect(
        try connection.query("SELECT tags FROM orders WHERE id = 7").text(row: 0, column: 0)
          == #"["new", "gift"]"#)
    }
  }
}
