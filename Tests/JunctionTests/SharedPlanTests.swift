import Diagnostics
import Testing

@testable import Junction

@Suite("A plan that texts share which differ in literals")
struct SharedPlanTests {
  /// The outcome of a record whose texts use a shared plan wherever they can.
  private static func outcome(
    _ record: SpecificationFile.Record, _ connection: Connection
  ) -> SpecificationFile.Expectation {
    do {
      // The first text of a kind is only noted, so the second one is run.
      let session = connection.session
      let result =
        if let first = try session.runShared(record.sql) {
          first.rows
        } else if let second = try session.runShared(record.sql) {
          second.rows
        } else {
          try connection.execute(record.sql).last?.rows
        }
      guard case .rows(_, let sorted) = record.expectation else { return .success }
      guard let result else { return .rows([], sorted: sorted) }
      let rows = (0..<result.count).map { row in
        result.columns.indices.map { result.text(row: row, column: $0) ?? "NULL" }
          .joined(separator: "|")
      }
      return .rows(sorted ? rows.sorted() : rows, sorted: sorted)
    } catch {
      return .failure(state: error.state.code)
    }
  }

  @Test(
    "every record of a specification holds as it does by itself",
    arguments: SpecificationFile.some(from: 1))
  func everyRecordHolds(_ file: SpecificationFile) {
    let connection = Database().connect()
    for record in file.records {
      let place = "\(file.name).test:\(record.line): \(record.sentence)"
      #expect(Self.outcome(record, connection) == record.expectation, "\(place)")
    }
  }

  private static func shop() throws(SQLError) -> Connection {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE item (id int PRIMARY KEY, code varchar(10) UNIQUE, name text, price numeric(8, 2),
        big bigint UNIQUE, small smallint UNIQUE, since date);
      INSERT INTO item SELECT i, 'c' || i, 'item ' || i, i * 1.25, i * 10000000000, i,
        date '2020-01-01' + i FROM generate_series(1, 50) i;
      """)
    return connection
  }

  /// A text with `?` where literals go, and literals for it.
  struct Kind: Sendable, CustomTestStringConvertible {
    let text: String
    let literals: [String]
    let isShared: Bool
    var testDescription: String { text }
  }

  static let kinds = [
    Kind(
      text: "SELECT name FROM item WHERE id = ?", literals: ["1", "7", "07", "51"], isShared: true),
    Kind(
      text: "SELECT name FROM item WHERE big = ?",
      literals: ["10000000000", "70000000000", "70000000001"], isShared: true),
    Kind(
      text: "SELECT id FROM item WHERE code = ?;", literals: ["'c1'", "'c9'", "'no'"],
      isShared: true),
    Kind(
      text: "SELECT name, price FROM item WHERE id = ? AND price > 3", literals: ["1", "2", "40"],
      isShared: true),
    Kind(
      text: "SELECT name FROM item WHERE (id = ?) ORDER BY 1 LIMIT 1", literals: ["1", "2", "40"],
      isShared: true),
    Kind(
      text: "INSERT INTO item (id, name) VALUES (?)", literals: ["100, 'a'", "101, 'it'"],
      isShared: true),
    Kind(
      text: "UPDATE item SET price = ? WHERE id = 3", literals: ["1", "2", "3"], isShared: true),
    Kind(
      text: "DELETE FROM item WHERE id = ? RETURNING code", literals: ["1", "2", "3"],
      isShared: true),
    // What depends on the literal itself, or is planned with it, is planned for itself.
    Kind(
      text: "SELECT name FROM item WHERE price = ?", literals: ["5", "10", "4"], isShared: false),
    Kind(text: "SELECT id, name FROM item ORDER BY ?", literals: ["1", "2", "2"], isShared: false),
    Kind(text: "SELECT '12.345'::numeric(10, ?)", literals: ["1", "2", "3"], isShared: false),
    Kind(
      text: "SELECT name FROM item WHERE since = ?", literals: ["'2020-01-03'", "'2020-01-05'"],
      isShared: false),
    Kind(
      text: "SELECT name FROM item WHERE id = ?::int", literals: ["'3'", "'4'"], isShared: false),
    Kind(text: "SELECT name FROM item WHERE id = ? + 1", literals: ["3", "4"], isShared: false),
    Kind(
      text: "SELECT name FROM item WHERE id = ?", literals: ["NULL", "null", "true"],
      isShared: false),
    Kind(
      text: "SELECT name FROM item WHERE id = ?", literals: ["1 -- one", "2 /* two */"],
      isShared: false),
    Kind(text: "SELECT 'x' = ?", literals: ["'x'", "'y'", "'z'"], isShared: false),
    Kind(
      text: "SELECT name FROM item WHERE id = ?", literals: ["E'1'", "'2' '3'", "$$4$$"],
      isShared: false),
  ]

  @Test("gives what each text gives by itself", arguments: kinds)
  func sameAnswers(_ kind: Kind) throws {
    let sharing = try Self.shop()
    let alone = try Self.shop()
    var shared = false
    for literal in kind.literals + kind.literals {
      let text = kind.text.replacing("?", with: literal)
      let before = sharing.session.sharedPlans.planCount
      let one = Self.answer(text, sharing)
      alone.session.sharedPlans.removeAll()
      let other = Self.answer(text, alone)
      #expect(one == other, "\(text)")
      shared = shared || sharing.session.sharedPlans.planCount > before
    }
    #expect(shared == kind.isShared)
  }

  private static func answer(_ text: String, _ connection: Connection) -> [[SQLValue]] {
    do {
      let results = try connection.execute(text)
      return (results.last?.rows.map { $0.map(\.values) } ?? [])
        + [[.text(results.last?.commandTag ?? "")]]
    } catch {
      return [[.text(error.rendered(statement: text))]]
    }
  }

  @Test("tells places of errors in the text that was sent")
  func places() throws {
    let connection = try Self.shop()
    for id in 1...4 { _ = try connection.query("SELECT name FROM item WHERE id = \(id)") }
    let error = #expect(throws: SQLError.self) {
      try connection.query("SELECT name FROM item WHERE id = 1000 AND nothing = 5")
    }
    #expect(error?.range == SourceRange(42, 49))
  }

  @Test("is made anew after a change of the catalog, and works in transactions")
  func changes() throws {
    let connection = try Self.shop()
    func name(_ id: Int) throws -> SQLValue? {
      try connection.query("SELECT name FROM item WHERE id = \(id)").first { _ in true }?[0]
    }
    for id in 1...3 { #expect(try name(id) == .text("item \(id)")) }
    try connection.execute("BEGIN; UPDATE item SET name = 'changed'")
    #expect(try name(4) == .text("changed"))
    try connection.execute("ROLLBACK")
    #expect(try name(5) == .text("item 5"))
    try connection.execute("ALTER TABLE item ALTER COLUMN name TYPE int USING id * 2")
    #expect(try name(6) == .integer(12))
    try connection.execute("ALTER TABLE item DROP CONSTRAINT item_pkey")
    #expect(try name(7) == .integer(14))
    #expect(try name(8) == .integer(16))
    try connection.execute("DROP TABLE item")
    #expect(throws: SQLError.self) { try name(9) }
  }
}
