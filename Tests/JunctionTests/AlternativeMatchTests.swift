import Diagnostics
import Junction
import Testing

@Suite("Rows with a match in one of several places")
struct AlternativeMatchTests {
  /// What a row may be looked for in, by how often `n` says; columns have NULLs on both sides.
  private static let places = [
    "EXISTS (SELECT 1 FROM link l WHERE l.a = r.k AND l.kind = %n)",
    "EXISTS (SELECT 1 FROM link l WHERE r.k = l.b AND l.kind = %n)",
    "r.k IN (SELECT l.b FROM link l WHERE l.kind < %n)",
    "r.k = ANY (SELECT l.b + 0 FROM link l WHERE l.a = %n)",
    "EXISTS (SELECT 1 FROM link l WHERE l.a = r.k AND l.b = r.m AND l.kind > %n)",
    "EXISTS (SELECT 1 FROM link l WHERE l.b = r.m AND l.b = r.k AND l.kind = %n)",
    "EXISTS (SELECT 1 FROM link l WHERE l.a > r.k + %n)",
    "(r.k, r.m) IN (SELECT l.a, l.b FROM link l WHERE l.kind <> %n)",
    "EXISTS (SELECT 1 FROM link l WHERE l.a = r.m AND l.kind = %n)",
  ]

  private static let database: Result<Database, SQLError> = {
    do throws(SQLError) {
      let database = Database()
      try database.connect().execute(
        """
        CREATE TABLE row (id int PRIMARY KEY, k int, m int);
        CREATE TABLE link (id int PRIMARY KEY, a int, b int, kind int NOT NULL);
        INSERT INTO row SELECT i, CASE WHEN i % 7 > 0 THEN i * 31 % 97 END, CASE WHEN i % 5 > 0 THEN i * 17 % 23 END
          FROM generate_series(1, 3000) i;
        INSERT INTO link SELECT i, CASE WHEN i % 11 > 0 THEN i * 13 % 101 END, CASE WHEN i % 6 > 0 THEN i * 7 % 29 END, i % 9
          FROM generate_series(1, 120) i;
        CREATE INDEX ON link (a);
        ANALYZE;
        """)
      return .success(database)
    } catch {
      return .failure(error)
    }
  }()

  @Test("are those that looking at each place by itself finds", arguments: 0..<60)
  func alternatives(_ seed: Int) throws {
    var random = RepeatableNumbers(seed &* 7919 &+ 1)
    func next(_ bound: Int) -> Int { random.next(bound) }
    let connection = try Self.database.get().connect()
    // Often the same is looked for, so that places go together.
    let all = seed % 2 == 0 ? Array(Self.places.prefix(4)) : Self.places
    let conditions = (0..<(2 + next(2))).map { _ in
      all[next(all.count)].replacing("%n", with: "\(next(9))")
    }
    let either = conditions.map { "(\($0))" }.joined(separator: " OR ")
    let extra = [
      "", " AND r.id % 2 = 0", " AND r.m IS NOT NULL",
      " AND NOT EXISTS (SELECT 1 FROM link z WHERE z.a = r.k AND z.kind = 8)",
    ][next(4)]
    let values = conditions.indices.map { "\(conditions[$0]) AS c\($0)" }.joined(separator: ", ")
    let names = conditions.indices.map { "c\($0)" }
    let asked = "SELECT count(*), sum(id), min(id) FROM row r WHERE (\(either))\(extra)"
    let shown = """
      SELECT count(*), sum(id), min(id), count(concat(\(names.joined(separator: ", ")))) FROM (SELECT r.*, \(values) FROM row r) r
      WHERE (\(names.joined(separator: " OR ")))\(extra)
      """
    let found = try connection.query(SQL(raw: asked)).map(\.values)
    let expected = try connection.query(SQL(raw: shown)).map { Array($0.values.prefix(3)) }
    #expect(found == expected, "\(asked)")
  }
}
