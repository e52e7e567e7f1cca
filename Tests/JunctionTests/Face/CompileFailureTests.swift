import Foundation
import Testing

#if os(Linux)
  @Suite("What does not compile")
  struct CompileFailureTests {
    /// What swiftc says about the body of a function; empty if it compiles.
    private static func complaints(_ body: String) throws -> String {
      try SwiftCompiler.complaints(
        "import Junction\nfunc example(_ database: Database, _ name: String) throws {\n\(body)\n}\n"
      )
    }

    @Test("compiles where it should")
    func control() throws {
      let said = try Self.complaints(
        """
        let rows = try database.query("SELECT \\(name)")
        try database.write { db in try db.execute("DELETE FROM t WHERE name = \\(name)") }
        try database.connect().execute("SELECT 1")
        try database.connect().execute(SQL(raw: name))
        let all: [Int] = try database.fetchAll(Int.self, "SELECT 1")
        let one: Int = try database.fetchOne(Int.self, "SELECT 1")
        try rows.column("x", as: Double.self).withSpans { values, nulls in _ = values.count + nulls.count }
        _ = (all, one)
        struct Point: RowDecodable {
          let x: Double
          init(row: inout RowReader) throws(SQLError) { x = try row.next() }
        }
        func state() -> SQLState? {
          do { _ = try database.fetchAll(Point.self, "SELECT 1") } catch { return error.state }
          return nil
        }
        print(state() == .undefinedColumn, SQLError(.dataException, "so").message)
        """)
      #expect(said == "")
    }

    @Test(
      "says why",
      arguments: [
        ("a text as SQL", "_ = try database.query(name)", "SQL"),
        ("a text as SQL of a connection", "try database.connect().execute(name)", "SQL"),
        ("a write to a snapshot", "try database.snapshot.execute(\"DELETE FROM t\")", "execute"),
        (
          "a transaction that escapes",
          "var kept: Transaction?\ntry database.write { db in kept = db }\n_ = consume kept", "db"
        ),
        (
          "a transaction in a task",
          "try database.write { db in Task { try db.execute(\"SELECT 1\") } }", "db"
        ),
        (
          "all rows as one value",
          "let n: Int = try database.fetchAll(Int.self, \"SELECT 1\")\n_ = n", "Int"
        ),
        ("what is no value", "_ = try database.query(\"SELECT \\(database)\")", "Database"),
      ])
    func failure(what: String, body: String, word: String) throws {
      let said = try Self.complaints(body)
      #expect(said.hasPrefix("refused") && said.contains(word), "\(what): \(said)")
    }

    /// Every expression has to be understood in so many steps: a machine that is busy takes longer for them, but no more of them.
    private static let scopeLimit = 10_000

    @Test(
      "is nothing of the longest examples, whose expressions the compiler understands in few steps")
    func steps() throws {
      let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Examples")
      let sources = try ["Datasets", "SchoolExample", "RailwayExample"].map {
        try String(contentsOf: examples.appendingPathComponent($0 + ".swift"), encoding: .utf8)
      }
      let said = try SwiftCompiler.complaints(
        sources.joined(separator: "\n"),
        options: [
          "-parse-as-library", "-Xfrontend", "-solver-scope-threshold=\(Self.scopeLimit)",
        ])
      #expect(said == "")
    }
  }
#endif
