import Diagnostics
import Junction
import Testing

@Suite("Edges that meet")
struct IntersectionTests {
  /// One graph with keys, whose lists can be intersected, and the same rows without any.
  private struct Graphs {
    let keyed: Connection
    let plain: Connection
  }

  /// Edges with and without repetition, some of them from a hub whose list stands apart; node keys that follow their
  /// positions, and ones that do not.
  private static func graphs(_ random: inout RepeatableNumbers) throws -> Graphs {
    let nodes = random.pick([4, 15, 60])
    let (edges, hub) = (random.pick([10, 80, 400]), random.next(3) == 0)
    let isShuffled = random.next(2) == 0
    func end() -> Int {
      hub && random.next(4) == 0 ? 1 : 1 + random.next(nodes)
    }
    var links: Set<[Int]> = []
    var takes: [String] = []
    for _ in 0..<edges {
      links.insert([end(), end()])
      takes.append(
        "(\(end()), \(1 + random.next(10)), \(random.next(4)), \(random.next(9) == 0 ? "NULL" : "\(random.next(9))"))"
      )
    }
    let rows = links.sorted { $0.lexicographicallyPrecedes($1) }
      .map { "(\($0[0]), \($0[1]), \(random.next(9)))" }
    func connection(_ node: String, _ club: String, _ keys: (String, String)) throws -> Connection {
      let connection = Database().connect()
      try connection.execute(
        """
        CREATE TABLE node (id int PRIMARY KEY, v int);
        CREATE TABLE club (id int PRIMARY KEY, v int);
        INSERT INTO node SELECT i, i % 3 FROM generate_series(1, \(nodes)) i
          ORDER BY \(isShuffled ? "i * 7919 % 101, i" : "i");
        INSERT INTO club SELECT i, i % 2 FROM generate_series(1, 10) i;
        CREATE TABLE link (a int NOT NULL\(node), b int NOT NULL\(node), w int\(keys.0));
        CREATE TABLE takes (s int NOT NULL\(node), c int NOT NULL\(club), t int, g int);
        INSERT INTO link VALUES \(rows.joined(separator: ", "));
        INSERT INTO takes VALUES \(takes.joined(separator: ", "));
        DELETE FROM takes WHERE g = 3;
        DELETE FROM link WHERE w = 4;
        INSERT INTO takes SELECT s, c, t + 1, g FROM takes WHERE t = 1;
        ANALYZE;
        """)
      return connection
    }
    return Graphs(
      keyed: try connection(" REFERENCES node", " REFERENCES club", (", PRIMARY KEY (a, b)", "")),
      plain: try connection("", "", ("", "")))
  }

  private static func conditions(_ random: inout RepeatableNumbers, _ among: [String]) -> String {
    let count = random.next(3)
    return (0..<count).map { _ in " AND " + random.pick(among) }.joined()
  }

  private static func query(_ random: inout RepeatableNumbers) -> String {
    let ofRing = [
      "x.a < x.b", "x.a < y.a", "x.a < z.a", "y.a < y.b", "x.b <= z.a", "x.w > 2", "z.w < 7",
      "x.w < y.w", "y.b <> x.a", "x.a <> z.a", "z.a >= 3", "z.b < 20", "x.w + y.w > z.w",
    ]
    let list = random.pick([
      "count(*)", "x.a, count(*), min(z.w)", "x.a, y.a, z.a, x.w, z.w", "sum(y.w)",
      "DISTINCT x.a, y.b",
    ])
    let group = list.hasPrefix("x.a, count") ? " GROUP BY x.a" : ""
    let last = random.pick(["z.a = y.b AND z.b = x.a", "z.a = x.a AND z.b = y.b"])
    let ofPair = [
      "a.t < b.t", "a.g < b.g", "a.t <> b.t", "b.t = 1", "a.g IS NOT NULL", "a.t <= b.t", "a.c < 5",
      "a.t + 1 = b.t", "a.s > 3", "b.c >= a.s",
    ]
    switch random.next(10) {
    case 0, 1:
      return """
        SELECT \(list) FROM link x JOIN link y ON y.a = x.b JOIN link z ON \(last)
        WHERE true\(conditions(&random, ofRing))\(group)
        """
    case 2:
      return """
        SELECT \(random.pick(["count(*)", "x.a, x.w, y.w"])) FROM link x JOIN link y ON y.a = x.b AND y.b = x.a
        WHERE true\(conditions(&random, ["x.a < x.b", "x.w < y.w", "x.a > 2", "y.a >= y.b", "x.w <> 5", "x.a <> y.a"]))
        """
    case 3:
      return """
        SELECT a.s, a.c, a.t, b.t, b.g FROM takes a JOIN takes b ON a.s = b.s AND a.c = b.c
        WHERE true\(conditions(&random, ofPair))
        """
    case 4:
      return """
        SELECT x.a, x.b, a.c, a.t, b.t FROM link x JOIN takes a ON a.s = x.a JOIN takes b ON b.s = x.b AND b.c = a.c
        WHERE true\(conditions(&random, ofPair + ["x.w < 5", "x.a < x.b"]))
        """
    case 5:
      let word = random.pick(["", "NOT "])
      return """
        SELECT \(random.pick(["count(*)", "x.a, x.b, y.b, y.w"])) FROM link x JOIN link y ON y.a = x.b
        WHERE \(word)EXISTS (SELECT FROM link z WHERE z.a = x.a AND z.b = y.b)\(conditions(&random, ["x.a < x.b", "y.a < y.b", "y.w < 5", "x.a <> y.b", "y.b <> x.b", "x.a <> y.b"]))
        """
    case 6:
      let word = random.pick(["", "NOT "])
      return """
        SELECT x.a, x.b, x.w FROM link x
        WHERE \(word)EXISTS (SELECT FROM takes a JOIN takes b ON b.c = a.c WHERE a.s = x.a AND b.s = x.b)\(conditions(&random, ["x.a < x.b", "x.w < 5"]))
        """
    case 7:
      return """
        SELECT count(*), sum(w.w) FROM link x JOIN link y ON y.a = x.b JOIN link z ON z.a = y.b
        JOIN link w ON w.a = z.b AND w.b = x.a WHERE true\(conditions(&random, ofRing + ["w.a > x.b", "x.a < z.a"]))
        """
    case 8:
      let ofRows = ["n.v = 1", "m.v > 0", "n.v <> m.v", "n.id < m.id", "m.id > x.a", "n.id <> 3"]
      let corner = random.pick(["x.b", "z.a"])
      let rest = random.pick(["z.b = x.a", "w.b = x.a"])
      return """
        SELECT count(*) FROM link x JOIN link y ON y.a = x.b JOIN link z ON z.a = y.b
        \(rest.hasPrefix("w") ? "JOIN link w ON w.a = z.b " : "")JOIN node n ON n.id = x.a
        JOIN node m ON m.id = \(corner) WHERE \(rest)\(conditions(&random, ofRing + ofRows))\(conditions(&random, ofRows))
        """
    default:
      return """
        SELECT x.a, x.b, y.b, z.b FROM link x JOIN link y ON y.a = x.a JOIN link p ON p.a = x.b AND p.b = y.b
        JOIN link z ON z.a = x.a JOIN link q ON q.a = x.b AND q.b = z.b JOIN link r ON r.a = y.b AND r.b = z.b
        WHERE true\(conditions(&random, ofRing))
        """
    }
  }

  @Test("are those that joins of tables without keys give", arguments: [0, 3, 4, 7])
  func sameRows(_ seed: Int) throws {
    var random = RepeatableNumbers(seed)
    let graphs = try Self.graphs(&random)
    for _ in 0..<9 {
      let query = Self.query(&random)
      func rows(_ connection: Connection) throws -> [String] {
        try connection.query(
          "SELECT count(*), md5(string_agg(r::text, ',' ORDER BY r::text)) FROM (\(query)) r"
        ).map { $0.line }
      }
      #expect(try rows(graphs.keyed) == rows(graphs.plain), "\(query)")
    }
  }

  @Test("meet what is asked of edges before lists are joined")
  func markedEdges() throws {
    func rows(_ node: String, _ club: String) throws -> [String] {
      let connection = Database().connect()
      try connection.execute(
        """
        CREATE TABLE node (id int PRIMARY KEY);
        CREATE TABLE club (id int PRIMARY KEY);
        INSERT INTO node SELECT generate_series(1, 2000);
        INSERT INTO club SELECT generate_series(1, 50);
        CREATE TABLE link (a int NOT NULL\(node), b int NOT NULL\(node), w int);
        CREATE TABLE takes (s int NOT NULL\(node), c int NOT NULL\(club), t int, g int);
        INSERT INTO link SELECT 1 + i * 7919 % 2000, 1 + i * 104729 % 1999, i % 9 FROM generate_series(1, 8000) i;
        INSERT INTO takes SELECT 1 + i % 2000, 1 + i * i % 47, i % 12, i % 41 FROM generate_series(1, 18000) i;
        ANALYZE;
        """)
      return try [
        "y.t % 4 = 0 AND (f.a % 2 = 0 OR y.t <> 4)", "y.g > 30 AND (f.a % 2 = 0 OR y.t < 2)",
        "y.g > 30 AND x.t < 9 AND (f.w > 3 OR y.t < 2)", "f.w < 7 AND y.t = 4 AND f.a + y.g > 900",
      ].flatMap {
        try connection.query(
          """
          SELECT count(*), count(f.w), sum(x.t), sum(y.g) FROM link f JOIN takes x ON x.s = f.a
          JOIN takes y ON y.s = f.b AND y.c = x.c WHERE \($0)
          """
        ).map { $0.line }
      }
    }
    let keyed = try rows(" REFERENCES node", " REFERENCES club")
    #expect(try keyed == rows("", ""))
  }

  @Test("are paired within long lists, across the stretches in which these are kept")
  func longLists() throws {
    func rows(_ node: String, _ club: String) throws -> [String] {
      let connection = Database().connect()
      try connection.execute(
        """
        CREATE TABLE node (id int PRIMARY KEY);
        CREATE TABLE club (id int PRIMARY KEY);
        INSERT INTO node SELECT generate_series(1, 4000);
        INSERT INTO club SELECT generate_series(1, 3);
        CREATE TABLE takes (s int NOT NULL\(node), c int NOT NULL\(club), t int NOT NULL);
        INSERT INTO takes SELECT 1 + i * 7919 % 4000 / (1 + i % 3), 1 + i % 7 / 6, i FROM generate_series(1, 9000) i;
        INSERT INTO takes SELECT 77, 1, i FROM generate_series(1, 700) i;
        ANALYZE;
        """)
      return try ["", " AND a.s > 70 AND a.s <= 2000", " AND a.s <> 77 AND a.c = 1"].flatMap {
        try connection.query(
          """
          SELECT count(*), sum(a.t * 3 + b.t), min(a.s), max(b.t - a.t) FROM takes a
          JOIN takes b ON b.s = a.s AND b.c = a.c AND b.t > a.t\($0)
          """
        ).map { $0.line }
      }
    }
    let keyed = try rows(" REFERENCES node", " REFERENCES club")
    #expect(try keyed == rows("", ""))
  }

  private static func plan(_ query: String) throws -> String {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE node (id int PRIMARY KEY);
      CREATE TABLE link (a int NOT NULL REFERENCES node, b int NOT NULL REFERENCES node, PRIMARY KEY (a, b));
      CREATE TABLE club (id int PRIMARY KEY);
      CREATE TABLE takes (node int NOT NULL REFERENCES node, club int NOT NULL REFERENCES club, t int NOT NULL);
      INSERT INTO node SELECT generate_series(1, 1000);
      INSERT INTO link SELECT DISTINCT 1 + i % 1000, 1 + i * 7919 % 997 FROM generate_series(1, 9000) i;
      INSERT INTO club SELECT generate_series(1, 100);
      INSERT INTO takes SELECT 1 + i % 1000, 1 + i % 97, i % 5 FROM generate_series(1, 9000) i;
      ANALYZE;
      """)
    return try connection.query("EXPLAIN (COSTS OFF) \(query)").map { $0.line }
      .joined(separator: "\n")
  }

  @Test(
    "are looked for together, whatever is asked of them",
    arguments: [
      (
        "SELECT x.a, y.a, z.a FROM link x JOIN link y ON y.a = x.b JOIN link z ON z.a = y.b AND z.b = x.a WHERE x.a < y.a",
        "Intersection of link"
      ),
      (
        "SELECT x.a FROM link x JOIN link y ON y.a = x.b WHERE NOT EXISTS (SELECT FROM link z WHERE z.a = x.a AND z.b = y.b)",
        "Intersection Anti Join of link y, link z"
      ),
      (
        "SELECT x.* FROM link x WHERE NOT EXISTS (SELECT FROM takes p JOIN takes q ON q.club = p.club WHERE p.node = x.a AND q.node = x.b)",
        "Empty Intersection of takes"
      ),
      (
        "SELECT a.node FROM takes a JOIN takes b ON b.node = a.node AND b.club = a.club AND b.t > a.t",
        "Intersection of takes"
      ),
    ])
  func plans(_ query: String, _ expected: String) throws {
    let plan = try Self.plan(query)
    #expect(plan.contains(expected), "\(plan)")
  }

  @Test("are not looked for from all nodes where few edges are asked of")
  func fewEdges() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE node (id int PRIMARY KEY);
      INSERT INTO node SELECT i FROM generate_series(1, 30000) i;
      CREATE TABLE link (a int NOT NULL REFERENCES node, b int NOT NULL REFERENCES node, PRIMARY KEY (a, b));
      INSERT INTO link SELECT DISTINCT i, 1 + i * 7919 % 30000 FROM generate_series(1, 30000) i;
      INSERT INTO link SELECT DISTINCT i, 1 + i * 10007 % 30000 FROM generate_series(1, 30000) i ON CONFLICT DO NOTHING;
      ANALYZE;
      """)
    func plan(_ condition: String) throws -> String {
      try connection.query(
        """
        EXPLAIN (COSTS OFF) SELECT count(*) FROM link f
          WHERE \(condition) AND NOT EXISTS (SELECT 1 FROM link g WHERE g.a = f.b AND g.b = f.a)
        """
      ).map { $0.line }.joined(separator: "\n")
    }
    let (few, all) = (try plan("f.a < 100"), try plan("f.a > 0"))
    #expect(!few.contains("Intersection"), "\(few)")
    #expect(all.contains("Intersection Anti Join"), "\(all)")
  }

  @Test("are not searched where their key is out of bounds")
  func bounds() throws {
    let plan = try Self.plan(
      """
      SELECT x.a, y.b FROM link x JOIN link y ON y.a = x.b JOIN link z ON z.a = x.a AND z.b = y.b
      WHERE x.a < x.b AND y.a < y.b AND x.a <> y.b
      """)
    #expect(plan.contains("Bounds: ("), "\(plan)")
    #expect(!plan.contains("\"Filter"), "\(plan)")
  }

  @Test("end when they are told to, between lists of many edges")
  func cancel() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE hub (id int PRIMARY KEY);
      CREATE TABLE spoke (id int PRIMARY KEY);
      CREATE TABLE link (hub int NOT NULL REFERENCES hub, spoke int NOT NULL REFERENCES spoke, n int);
      INSERT INTO hub SELECT generate_series(1, 60);
      INSERT INTO spoke SELECT generate_series(1, 4000);
      INSERT INTO link SELECT h, s, s % 3 FROM generate_series(1, 60) h, generate_series(1, 4000) s;
      ANALYZE;
      SET statement_timeout = 50;
      """)
    let clock = ContinuousClock()
    let start = clock.now
    #expect(throws: SQLError.self) {
      try connection.query(
        """
        SELECT count(*) FROM link x JOIN link y ON y.spoke = x.spoke JOIN link z ON z.hub = x.hub
        JOIN link w ON w.hub = y.hub AND w.spoke = z.spoke AND w.n < z.n AND w.n > z.n
        """)
    }
    #expect(clock.now - start < .seconds(2))
  }
}
