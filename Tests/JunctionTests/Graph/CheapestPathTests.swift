import Diagnostics
import Junction
import Testing

/// Cheapest walks without a bound, some of whose edges cost nothing, against trying them all.
@Suite("The cheapest paths")
struct CheapestPathTests {
  /// A small graph with the costs of its edges.
  private struct Roads {
    struct Edge {
      var id: Int
      var from: Int
      var to: Int
      var cost: Int
    }
    let connection = Database().connect()
    let count: Int
    var edges: [Edge] = []

    init(_ random: inout GraphRandom, type: String) throws {
      count = 2 + random.below(4)
      for id in 0..<(1 + random.below(2 * count)) {
        edges.append(
          Edge(id: id, from: random.below(count), to: random.below(count), cost: random.below(3)))
      }
      try connection.execute(
        SQL(
          raw: """
            CREATE TABLE n (id int PRIMARY KEY);
            INSERT INTO n SELECT * FROM generate_series(0, \(count - 1));
            CREATE TABLE e (id int PRIMARY KEY, a int NOT NULL REFERENCES n, b int NOT NULL REFERENCES n, w \(type));
            INSERT INTO e VALUES \(edges.map { "(\($0.id), \($0.from), \($0.to), \($0.cost))" }.joined(separator: ", "));
            CREATE PROPERTY GRAPH g VERTEX TABLES (n) EDGE TABLES (
              e SOURCE KEY (a) REFERENCES n (id) DESTINATION KEY (b) REFERENCES n (id))
            """))
    }

    /// The walks that a question gives: from where to where, what they cost, and their edges.
    func walks(_ selector: String, _ edge: String) throws -> [Walk] {
      let sql = """
        SELECT a, b, cost::bigint, way FROM GRAPH_TABLE (g MATCH p = \(selector) (a)\(edge)(b)
          COLUMNS (a.id AS a, b.id AS b, path_cost(p) AS cost, edges(p) AS way))
        """
      return try connection.query(SQL(raw: sql)).map { row in
        Walk(
          first: try row[0, as: Int.self], last: try row[1, as: Int.self],
          cost: try row[2, as: Int.self], edges: try row[3, as: [Int].self])
      }
    }

    /// Where edges lead from a vertex.
    func steps(from vertex: Int, isEither: Bool) -> [(edge: Edge, to: Int)] {
      edges.filter { $0.from == vertex }.map { ($0, $0.to) }
        + (isEither
          ? edges.filter { $0.to == vertex && $0.from != vertex }.map { ($0, $0.from) } : [])
    }

    /// All walks that come to no vertex twice with as many edges, counted up to the least number of them.
    func simpleWalks(least: Int, isEither: Bool) -> [Walk] {
      var found: [Walk] = []
      func goOn(_ walk: Walk, _ seen: Set<[Int]>) {
        if walk.edges.count >= least { found.append(walk) }
        for (edge, to) in steps(from: walk.last, isEither: isEither) {
          var next = walk
          next.last = to
          next.cost += edge.cost
          next.edges.append(edge.id)
          let place = [min(next.edges.count, least), to]
          if !seen.contains(place) { goOn(next, seen.union([place])) }
        }
      }
      for vertex in 0..<count {
        goOn(Walk(first: vertex, last: vertex, cost: 0, edges: []), [[0, vertex]])
      }
      return found
    }

    /// The ranks of the first few walks between each two vertices, by cost and then by length.
    func ranks(first: Int, least: Int, isEither: Bool) -> [[Int]: [Int]] {
      var known: [[Int]: [Int]] = [:]
      for start in 0..<count {
        // Of walks with as many edges no more than so many can be among the first.
        var front = [start: [0]]
        for length in 0...24 {
          if length >= least {
            for (end, costs) in front {
              known[[start, end], default: []] += costs.map { $0 * 1000 + length }
            }
          }
          var next: [Int: [Int]] = [:]
          for (vertex, costs) in front {
            for (edge, to) in steps(from: vertex, isEither: isEither) {
              next[to, default: []] += costs.map { $0 + edge.cost }
            }
          }
          front = next.mapValues { Array($0.sorted().prefix(first)) }
        }
      }
      return known.mapValues { Array($0.sorted().prefix(first)) }
    }
  }

  private struct Walk: Hashable, Comparable {
    var first: Int
    var last: Int
    var cost: Int
    var edges: [Int]

    var ends: [Int] { [first, last] }
    var rank: Int { cost * 1000 + edges.count }

    static func < (one: Walk, other: Walk) -> Bool {
      (one.ends + one.edges).lexicographicallyPrecedes(other.ends + other.edges)
    }
  }

  @Test("are those of all walks that cost the least", arguments: 0..<24)
  func walks(_ seed: Int) throws {
    var random = GraphRandom(state: UInt64(seed))
    let roads = try Roads(&random, type: ["int", "numeric(8,1)", "float8"][seed % 3])
    let isEither = random.chance(30)
    for (quantifier, least) in [("*", 0), ("+", 1), ("{2,}", 2)] {
      let edge = "-[e IS e COST e.w]-\(isEither ? "" : ">")\(quantifier)"
      let all = roads.simpleWalks(least: least, isEither: isEither)
      let cheapest = Dictionary(grouping: all, by: \.ends).flatMap { _, walks in
        let cost = walks.map(\.cost).min()
        return walks.filter { $0.cost == cost }
      }
      #expect(try roads.walks("ALL CHEAPEST", edge).sorted() == cheapest.sorted(), "\(edge)")
      for count in [1, 3] {
        let selector = count == 1 ? "ANY CHEAPEST" : "CHEAPEST \(count)"
        let walks = try roads.walks(selector, edge)
        #expect(Set(walks).count == walks.count)
        let found = Dictionary(grouping: walks, by: \.ends).mapValues { $0.map(\.rank).sorted() }
        #expect(
          found == roads.ranks(first: count, least: least, isEither: isEither),
          "\(selector) \(edge)")
      }
    }
    for mode in ["ACYCLIC", "TRAIL"] {
      let edge = "-[e IS e COST e.w]-\(isEither ? "" : ">")*"
      let all = Dictionary(
        grouping: try roads.connection.query(
          SQL(
            raw: """
              SELECT a, b, ws, way FROM GRAPH_TABLE (g MATCH p = \(mode) (a)\(edge.replacing(" COST e.w", with: ""))(b)
                COLUMNS (a.id AS a, b.id AS b, coalesce(sum(e.w), 0)::bigint AS ws, edges(p) AS way))
              """)
        ).map { row in
          Walk(
            first: try row[0, as: Int.self], last: try row[1, as: Int.self],
            cost: try row[2, as: Int.self], edges: try row[3, as: [Int].self])
        }, by: \.ends)
      let least = all.flatMap { _, walks in
        walks.filter { $0.cost == walks.map(\.cost).min() }
      }
      #expect(try roads.walks("ALL CHEAPEST \(mode)", edge).sorted() == least.sorted())
      let found = Dictionary(grouping: try roads.walks("CHEAPEST 2 \(mode)", edge), by: \.ends)
      #expect(
        found.mapValues { $0.map(\.rank).sorted() }
          == all.mapValues { Array($0.map(\.rank).sorted().prefix(2)) })
    }
  }

  @Test("cost what dijkstra says, from whichever end they are walked", arguments: 0..<6)
  func costs(_ seed: Int) throws {
    var random = GraphRandom(state: UInt64(seed + 1000))
    let roads = try Roads(&random, type: "float8")
    func rows(_ sql: String) throws -> [[Int]] {
      try roads.connection.query(SQL(raw: sql)).map { row in
        [try row[0, as: Int.self], try row[1, as: Int.self], try row[2, as: Int.self]]
      }
    }
    let columns = "COLUMNS (a.id AS a, b.id AS b, path_cost(p) AS cost)"
    let expected = try rows(
      "SELECT n.id, d.id, d.cost::int FROM n, dijkstra('e', n.id, weight => 'w') d ORDER BY 1, 2")
    for filter in ["", "WHERE a.id = 0 AND b.id >= 0 ", "WHERE a.id >= 0 AND b.id = 0 "] {
      let found = try rows(
        """
        SELECT a, b, cost::int FROM GRAPH_TABLE (g MATCH p = ANY CHEAPEST (a)-[e IS e COST e.w]->*(b)
          \(filter)\(columns)) ORDER BY 1, 2
        """)
      let wanted = expected.filter {
        filter.isEmpty || $0[filter.contains("a.id = 0") ? 0 : 1] == 0
      }
      #expect(found == wanted, "\(filter)")
    }
  }

  @Test("name an edge whose cost cannot be")
  func badCosts() throws {
    var random = GraphRandom(state: 1)
    let roads = try Roads(&random, type: "float8")
    for (value, state, what) in [
      ("NULL", SQLState.nullNotAllowed, "NULL"), ("-1", .invalidParameterValue, "negative"),
      ("'NaN'", .invalidParameterValue, "NaN"),
    ] {
      try roads.connection.execute(SQL(raw: "UPDATE e SET w = \(value) WHERE id = 0"))
      let error = #expect(throws: SQLError.self) {
        try roads.walks("ANY CHEAPEST", "-[e IS e COST e.w]->*")
      }
      #expect(error?.state == state)
      #expect(error?.message == "the cost of an edge of \"e\" is \(what)")
      let shown = value == "NULL" ? "null" : what == "NaN" ? "NaN" : "-1"
      let edge = roads.edges[0]
      #expect(error?.detail == "Failing row contains (0, \(edge.from), \(edge.to), \(shown)).")
    }
  }

  @Test("in no more memory than there is", arguments: ["ANY CHEAPEST", "ALL CHEAPEST"])
  func memory(_ selector: String) throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE n (id int PRIMARY KEY);
      INSERT INTO n SELECT * FROM generate_series(0, 59);
      CREATE TABLE e (a int REFERENCES n, b int REFERENCES n, PRIMARY KEY (a, b));
      INSERT INTO e SELECT x.id, y.id FROM n x, n y;
      SET memory_limit = '8MB'
      """)
    let error = #expect(throws: SQLError.self) {
      try connection.query(
        SQL(
          raw: """
            SELECT count(*) FROM GRAPH_TABLE (* MATCH \(selector) ACYCLIC (a IS n WHERE a.id = 0)-[IS e COST 1]->{30,}(b IS n WHERE b.id = 1) COLUMNS (a.id))
            """))
    }
    #expect(error?.state == .outOfMemory)
  }
}
