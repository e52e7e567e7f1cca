import Diagnostics
import Junction
import Testing

@Suite("Over random histories, a commit")
struct CardinalityHistoryTests {
  /// Two tables, which may be one, and how many rows of `child` each row of `parent` needs.
  struct Shape: Sendable, CustomTestStringConvertible {
    let parent: String
    let bounds: ClosedRange<Int>
    let actions: String

    var testDescription: String { "\(parent) \(bounds) \(actions)" }

    var schema: String {
      (parent == "parent" ? "CREATE TABLE parent (id int PRIMARY KEY);" : "")
        + """
        CREATE TABLE child (id int PRIMARY KEY, up int REFERENCES \(parent) (id) \(actions));
        ALTER TABLE child ADD CARDINALITY (up) BETWEEN \(bounds.lowerBound) AND \(bounds.upperBound)
        """
    }
  }

  static let shapes = [
    Shape(parent: "parent", bounds: 0...2, actions: ""),
    Shape(parent: "parent", bounds: 1...3, actions: "ON DELETE CASCADE ON UPDATE CASCADE"),
    Shape(parent: "parent", bounds: 0...2, actions: "ON DELETE SET NULL ON UPDATE SET NULL"),
    Shape(parent: "parent", bounds: 2...2, actions: "ON DELETE CASCADE"),
    Shape(parent: "parent", bounds: 1...2, actions: "DEFERRABLE INITIALLY DEFERRED"),
    Shape(parent: "child", bounds: 0...2, actions: "ON DELETE CASCADE ON UPDATE CASCADE"),
    Shape(parent: "child", bounds: 0...1, actions: "ON DELETE SET NULL"),
    Shape(parent: "child", bounds: 1...2, actions: "DEFERRABLE INITIALLY DEFERRED"),
  ]

  private struct History {
    let shape: Shape
    let connection: Connection
    let insertsChild: PreparedStatement
    let deletesChild: PreparedStatement
    var random: RepeatableNumbers
    var lastChild = 100

    init(_ shape: Shape, seed: Int) throws {
      self.shape = shape
      connection = Database().connect()
      try connection.execute(shape.schema)
      insertsChild = try connection.prepare("INSERT INTO child VALUES ($1, $2)")
      deletesChild = try connection.prepare("DELETE FROM child WHERE id = $1")
      random = RepeatableNumbers(seed)
    }

    mutating func newChild() -> Int {
      lastChild += 1
      return shape.parent == "child" && random.next(2) == 0 ? random.next(8) : lastChild
    }

    mutating func key() -> String { random.next(7) == 0 ? "NULL" : "\(random.next(8))" }

    mutating func statement() -> String {
      let (parent, one, other) = (shape.parent, random.next(8), random.next(8))
      switch random.next(14) {
      case 0, 1:
        return "INSERT INTO \(parent) (id) SELECT \(one) UNION SELECT \(other)"
      case 2: return "DELETE FROM \(parent) WHERE id = \(one)"
      case 3: return "UPDATE \(parent) SET id = \(other) WHERE id = \(one)"
      case 4, 5, 6: return "INSERT INTO child VALUES (\(newChild()), \(key()))"
      case 7:
        return
          "INSERT INTO child SELECT \(newChild()) + 1000 * i, \(one) FROM generate_series(1, 2) i"
      case 8: return "DELETE FROM child WHERE up = \(one)"
      case 9: return "DELETE FROM child WHERE id % 5 = \(random.next(5))"
      case 10: return "UPDATE child SET up = \(key()) WHERE up = \(one)"
      case 11: return "UPDATE child SET up = \(key()) WHERE id % 4 = \(random.next(4))"
      case 12: return "UPDATE child SET up = up + 1 WHERE up < \(one)"
      default:
        return random.next(6) > 0
          ? "UPDATE child SET up = up" : "TRUNCATE \(parent == "child" ? "child" : "parent, child")"
      }
    }

    /// Runs some statement; one that fails is taken back by itself.
    mutating func step() throws {
      try connection.execute("SAVEPOINT step")
      do throws(SQLError) {
        switch random.next(6) {
        case 0:
          let up: SQLValue = .integer(Int64(random.next(8)))
          _ = try insertsChild.execute(with: [.integer(Int64(newChild())), up])
        case 1: _ = try deletesChild.execute(with: [.integer(Int64(100 + random.next(40)))])
        default: try connection.execute(statement())
        }
        if random.next(9) == 0 { try connection.execute("ROLLBACK TO step") }
      } catch {
        #expect(error.state != .internalError, "\(error)")
        try connection.execute("ROLLBACK TO step")
      }
    }

    func rows(_ sql: String) throws -> [[SQLValue]] { try connection.query(sql).map(\.values) }

    func contents() throws -> [[SQLValue]] {
      try rows("SELECT id, NULL::int FROM \(shape.parent) ORDER BY 1")
        + rows("SELECT * FROM child ORDER BY 1")
    }

    /// The state that a commit must fail with, counted row by row; nil if it must succeed.
    func expected() throws -> SQLState? {
      let parents = try rows("SELECT id FROM \(shape.parent)").map { $0[0] }
      let ups = try rows("SELECT up FROM child").map { $0[0] }
      for up in ups where up != .null && !parents.contains(up) { return .foreignKeyViolation }
      for parent in parents {
        if !shape.bounds.contains(ups.count { $0 == parent }) { return .checkViolation }
      }
      return nil
    }

    func finish(_ end: () throws(SQLError) -> Void) -> SQLState? {
      do throws(SQLError) {
        try end()
        return nil
      } catch { return error.state }
    }
  }

  @Test("succeeds just where each parent has as many rows as it needs", arguments: shapes)
  func transactions(_ shape: Shape) throws {
    var outcomes = (kept: 0, broken: 0)
    for seed in 0..<4 {
      var history = try History(shape, seed: seed)
      for transaction in 0..<50 {
        let place = "seed \(seed), transaction \(transaction)"
        let before = try history.contents()
        try history.connection.execute("BEGIN")
        for _ in 0...history.random.next(9) { try history.step() }
        let expected = try history.expected()
        let after = try history.contents()
        let found = history.finish { () throws(SQLError) in
          try history.connection.execute("COMMIT")
        }
        #expect(found == expected, "\(place)")
        #expect(try history.contents() == (expected == nil ? after : before), "\(place)")
        if expected == nil { outcomes.kept += 1 } else { outcomes.broken += 1 }
        if found != expected { return }
      }
      #expect(
        try history.connection.query("VERIFY").allSatisfy { $0["sqlstate"] == .text("00000") })
    }
    #expect(outcomes.kept > 5 && outcomes.broken > 5, "\(outcomes)")
  }

  @Test("of a statement by itself, also of a prepared one, does the same", arguments: shapes)
  func statements(_ shape: Shape) throws {
    var history = try History(shape, seed: 77)
    for step in 0..<500 {
      var run: (Connection) throws(SQLError) -> Void
      if history.random.next(3) == 0 {
        let statement = history.insertsChild
        let values: [SQLValue] = [
          .integer(Int64(history.newChild())), .integer(Int64(history.random.next(8))),
        ]
        run = { (_) throws(SQLError) in _ = try statement.execute(with: values) }
      } else {
        let sql = history.statement()
        run = { (connection) throws(SQLError) in try connection.execute(sql) }
      }
      try history.connection.execute("BEGIN")
      var expected = history.finish { () throws(SQLError) in try run(history.connection) }
      if expected == nil { expected = try history.expected() }
      try history.connection.execute("ROLLBACK")
      let found = history.finish { () throws(SQLError) in try run(history.connection) }
      #expect(found == expected, "step \(step)")
      #expect(try history.expected() == nil, "step \(step)")
      if found != expected { return }
    }
  }
}
