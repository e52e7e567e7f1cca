import Diagnostics
import Junction
import Testing

extension WalkedRelationshipTests {
  /// Pairs of people where most are in one group and some in several, and of people and what their group has, which for one group is
  /// more than a chunk.
  private static let sparseQueries = [
    "", "AND a.person < b.person", "AND a.person >= b.person", "AND a.person + b.person < 9000",
    "AND a.grp % 3 = 0", "AND a.person % 7 < 3 AND a.person <> b.person",
  ].flatMap { condition in
    ["mem", "has"].map { table in
      """
      SELECT count(*), sum(one), sum(two), sum(n), max(n) FROM (SELECT a.person AS one, b.person AS two, count(*) AS n
      FROM mem a JOIN \(table) b ON b.grp = a.grp \(condition) GROUP BY 1, 2) pairs
      """
    }
      + [
        "HAVING count(*) > 1", "HAVING count(*) = 1 ORDER BY 1, 2 LIMIT 8",
        "ORDER BY n DESC, 1, 2 LIMIT 5", "ORDER BY n, 2 DESC, 1 LIMIT 5", "ORDER BY 1, 2 LIMIT 9",
        "ORDER BY 2, 1 LIMIT 9",
      ].flatMap { ending in
        ["mem", "has"].map { table in
          """
          SELECT a.person, b.person, count(*) AS n FROM mem a JOIN \(table) b ON b.grp = a.grp \(condition)
          GROUP BY 1, 2 \(ending)
          """
        }
      }
  }

  private static let sparseDatabase: Result<Database, SQLError> = {
    let database = Database()
    let tables = """
      INSERT INTO person SELECT i * 2 FROM generate_series(1, 9000) i;
      INSERT INTO grp SELECT i FROM generate_series(1, 4000) i;
      INSERT INTO mem SELECT i * 2, 5 + i * 7919 % 3900 FROM generate_series(1, 9000) i WHERE i % 11 <> 4;
      INSERT INTO mem SELECT i * 2, 5 + i * 31 % 3900 FROM generate_series(1, 9000) i WHERE i % 17 = 3
        AND i * 31 % 3900 <> i * 7919 % 3900;
      INSERT INTO mem SELECT i * 2, 3 FROM generate_series(1, 4400) i WHERE i % 11 = 4 OR i % 40 = 1;
      INSERT INTO mem SELECT i * 2, 4 FROM generate_series(1, 8900) i WHERE i % 900 = 7;
      INSERT INTO has SELECT 4, i * 2 FROM generate_series(1, 4500) i;
      INSERT INTO has SELECT 5 + i % 3900, i * 2 FROM generate_series(4000, 9000) i;
      DELETE FROM mem WHERE person % 23 = 4;
      """
    do throws(SQLError) {
      try database.connect().execute(
        """
        CREATE SCHEMA plain; SET search_path TO plain;
        CREATE TABLE person (id int); CREATE TABLE grp (id int); CREATE TABLE mem (person int, grp int);
        CREATE TABLE has (grp int, person int);
        \(tables)
        CREATE SCHEMA linked; SET search_path TO linked;
        CREATE TABLE person (id int PRIMARY KEY); CREATE TABLE grp (id int PRIMARY KEY);
        CREATE TABLE mem (
          person int REFERENCES person, grp int REFERENCES grp, PRIMARY KEY (person, grp));
        CREATE TABLE has (grp int REFERENCES grp, person int REFERENCES person, PRIMARY KEY (grp, person));
        \(tables)
        """)
    } catch { return .failure(error) }
    return .success(database)
  }()

  @Test("count pairs of rows that mostly share one row alone", arguments: sparseQueries)
  func sparse(query: String) throws { try check(query, in: try Self.sparseDatabase.get()) }

  /// All of one table, and of two tables those without conditions: others may be cheaper to join.
  @Test(
    "are pairs that are counted",
    arguments: sparseQueries.filter { $0.contains("mem b") || !$0.contains("AND") })
  func sparsePlans(query: String) throws {
    let connection = try Self.sparseDatabase.get().connect()
    try connection.execute("SET search_path TO linked")
    let plan = try connection.query("EXPLAIN " + query).map(\.line)
    #expect(plan.contains { $0.contains("Pair Count") }, "\(plan)")
  }

  @Test("name the columns of the rows between in conditions")
  func conditionsBetween() throws {
    let connection = try Self.sparseDatabase.get().connect()
    try connection.execute("SET search_path TO linked")
    let plan = try connection.query(
      "EXPLAIN SELECT DISTINCT a.person, b.person FROM mem a JOIN mem b ON b.grp = a.grp WHERE a.grp > 4"
    ).map(\.line)
    #expect(plan.contains { $0.contains("Filter: (a.grp > 4)") }, "\(plan)")
  }

  /// Two workers have one morsel of 4,096 sources each before either knows a bound.
  @Test(
    "end with the first sources where keys rise with gaps",
    arguments: ["ORDER BY 1, 2", "ORDER BY 1 DESC, 2", "ORDER BY 2, 1", "ORDER BY 2 DESC, 1"])
  func firstSources(order: String) throws {
    let connection = try Self.largeDatabase.get().connect()
    try connection.execute("SET search_path TO linked")
    let plan = try connection.query(
      """
      EXPLAIN ANALYZE SELECT DISTINCT y.b, x.a FROM friend x JOIN friend y ON y.a = x.b \(order) LIMIT 5
      """
    ).map(\.line)
    let line = try #require(plan.first { $0.contains("Pair Count") }, "\(plan)")
    let rows = try #require(line.matches(of: /rows=(\d+)/).last.flatMap { Int($0.1) })
    #expect(rows <= 2 * 4096, "\(line)")
  }
}
