import Diagnostics
import Junction
import Testing

/// A small graph, and what follows from trying everything.
struct SmallGraph {
  let count: Int
  let edges: [(from: Int, to: Int, weight: Int)]

  init(_ numbers: inout RepeatableNumbers) {
    let count = 1 + numbers.next(10)
    self.count = count
    var pairs: Set<[Int]> = []
    for _ in 0..<numbers.next(24) { pairs.insert([numbers.next(count), numbers.next(count)]) }
    edges = pairs.sorted { $0.lexicographicallyPrecedes($1) }.map {
      ($0[0], $0[1], numbers.next(6))
    }
  }

  /// The graph as a junction table, among vertices of which some were deleted.
  func database() throws -> Database {
    let database = Database()
    try database.execute(
      """
      CREATE TABLE node (id int PRIMARY KEY);
      INSERT INTO node SELECT i - 50 FROM generate_series(0, 49, 3) i;
      INSERT INTO node SELECT i FROM generate_series(0, \(count - 1)) i;
      DELETE FROM node WHERE id < 0;
      CREATE TABLE edge (a int REFERENCES node, b int REFERENCES node, w int, PRIMARY KEY (a, b))
      """)
    for (from, to, weight) in edges {
      try database.execute("INSERT INTO edge VALUES (\(from), \(to), \(weight))")
    }
    return database
  }

  var vertices: Range<Int> { 0..<count }

  func isEdge(_ from: Int, _ to: Int) -> Bool { edges.contains { $0.from == from && $0.to == to } }

  func areNeighbours(_ one: Int, _ other: Int) -> Bool {
    one != other && (isEdge(one, other) || isEdge(other, one))
  }

  /// The least cost from each vertex to each other; nil for no way.
  func costs(
    isDirected: Bool = true, _ weight: ((from: Int, to: Int, weight: Int)) -> Int
  ) -> [[Int?]] {
    var costs: [[Int?]] = vertices.map { one in vertices.map { $0 == one ? 0 : nil } }
    for _ in vertices {
      for edge in edges {
        let ways =
          isDirected ? [(edge.from, edge.to)] : [(edge.from, edge.to), (edge.to, edge.from)]
        for start in vertices {
          for (from, to) in ways {
            guard let known = costs[start][from] else { continue }
            costs[start][to] = min(costs[start][to] ?? .max, known + weight(edge))
          }
        }
      }
    }
    return costs
  }

  /// Numbers of groups, from 1 on in the order of their first vertices.
  func groups(_ areTogether: (Int, Int) -> Bool) -> [Int] {
    var numbers: [Int] = []
    for vertex in vertices {
      let known = (0..<vertex).first { areTogether($0, vertex) }
      numbers.append(known.map { numbers[$0] } ?? (numbers.max() ?? 0) + 1)
    }
    return numbers
  }
}

@Suite("Graph algorithms give what trying everything gives")
struct GraphAlgorithmTests {
  /// Column of numbers of a function, by vertex.
  private func ask(_ database: Database, _ column: String, _ call: String) throws -> [Int] {
    try database.fetchAll(Int.self, SQL(raw: "SELECT \(column) FROM \(call) ORDER BY id"))
  }

  @Test("over small graphs", arguments: 0..<60)
  func smallGraphs(seed: Int) throws {
    var numbers = RepeatableNumbers(seed)
    let graph = SmallGraph(&numbers)
    let database = try graph.database()
    let both = graph.costs(isDirected: false) { _ in 1 }
    let steps = graph.costs { _ in 1 }
    #expect(
      try ask(database, "component", "weak_components('edge')")
        == graph.groups { both[$0][$1] != nil })
    #expect(
      try ask(database, "component", "strong_components('edge')")
        == graph.groups { steps[$0][$1] != nil && steps[$1][$0] != nil })
    #expect(
      try ask(database, "depth", "bfs('edge', 0)") == graph.vertices.compactMap { steps[0][$0] })
    #expect(
      try ask(database, "depth", "bfs('edge', 0, directed => false, max_depth => 2)")
        == graph.vertices.compactMap { both[0][$0] }.filter { $0 <= 2 })
    let astray = """
      (SELECT v.id FROM bfs('edge', 0) v LEFT JOIN bfs('edge', 0) p ON p.id = v.parent
        LEFT JOIN edge e ON e.a = v.parent AND e.b = v.id
      WHERE CASE WHEN v.depth = 0 THEN v.parent IS NOT NULL
        ELSE e.a IS NULL OR p.depth <> v.depth - 1 END) astray
      """
    #expect(try ask(database, "id", astray) == [])
    let costs = graph.costs(\.weight)
    #expect(
      try ask(database, "cost::int", "dijkstra('edge', 0, weight => 'w')")
        == graph.vertices.compactMap { costs[0][$0] })
    let triangles = graph.vertices.map { one in
      graph.vertices.reduce(0) { sum, second in
        sum
          + (second + 1..<max(second + 1, graph.count)).count { third in
            graph.areNeighbours(one, second) && graph.areNeighbours(one, third)
              && graph.areNeighbours(second, third)
          }
      }
    }
    #expect(try ask(database, "triangles", "triangles('edge')") == triangles)
    #expect(try ask(database, "core", "core_numbers('edge')") == cores(graph))
  }

  /// Peels vertices off until all that are left have `core` neighbours, for each `core`.
  private func cores(_ graph: SmallGraph) -> [Int] {
    var cores = Array(repeating: 0, count: graph.count)
    for core in 1...max(1, graph.count) {
      var left = Set(graph.vertices)
      while let poor = left.first(where: { one in
        left.count { graph.areNeighbours(one, $0) } < core
      }) {
        left.remove(poor)
      }
      for vertex in left { cores[vertex] = core }
    }
    return cores
  }

  @Test("also of pairs that a query gives, where a vertex without edges is none", arguments: 0..<20)
  func pairs(seed: Int) throws {
    var numbers = RepeatableNumbers(seed + 1000)
    let graph = SmallGraph(&numbers)
    let database = try graph.database()
    let linked = graph.vertices.filter { vertex in
      graph.edges.contains { $0.from == vertex || $0.to == vertex }
    }
    for (column, function) in [
      ("core", "core_numbers"), ("triangles", "triangles"), ("degree", "degree"),
    ] {
      let all = try ask(database, column, "\(function)('edge')")
      let own = try ask(database, column, "\(function)((SELECT a, b FROM edge))")
      #expect(own == linked.map { all[$0] })
    }
  }

  @Test("as ranks that add up to 1 and are those of each vertex' own equation", arguments: 0..<20)
  func ranks(seed: Int) throws {
    var numbers = RepeatableNumbers(seed + 2000)
    let graph = SmallGraph(&numbers)
    let database = try graph.database()
    let ranks = try database.fetchAll(
      Double.self,
      "SELECT rank FROM pagerank('edge', tolerance => 1e-14, iterations => 1000) ORDER BY id")
    #expect(abs(ranks.reduce(0, +) - 1) < 1e-9)
    let lost = graph.vertices.filter { one in !graph.edges.contains { $0.from == one } }
      .reduce(0.0) { $0 + ranks[$1] }
    for vertex in graph.vertices {
      let pulled = graph.edges.filter { $0.to == vertex }.reduce(0.0) { sum, edge in
        sum + ranks[edge.from] / Double(graph.edges.count { $0.from == edge.from })
      }
      let share = (0.15 + 0.85 * lost) / Double(graph.count)
      #expect(abs(ranks[vertex] - share - 0.85 * pulled) < 1e-9)
    }
  }

  @Test("the same with one worker and with all")
  func workers() throws {
    let database = Database()
    try database.execute(
      """
      CREATE TABLE node (id int PRIMARY KEY); INSERT INTO node SELECT generate_series(0, 8999);
      CREATE TABLE edge (a int REFERENCES node, b int REFERENCES node, PRIMARY KEY (a, b));
      INSERT INTO edge SELECT DISTINCT i * 7919 % 9000, i * i % 9000 FROM generate_series(1, 20000) i
      """)
    let single = database.connect()
    try single.execute("SET threads = 1")
    for call in [
      "pagerank('edge')", "weak_components('edge')", "triangles('edge')", "bfs('edge', 1)",
    ] {
      let text = "SELECT md5(string_agg(t::text, ',' ORDER BY id)) FROM \(call) t"
      let all = try database.fetchAll(String.self, SQL(raw: text))
      #expect(try single.fetchAll(String.self, SQL(raw: text)) == all)
    }
  }

  @Test("and end soon when they are cancelled, with nothing left behind")
  func cancelled() async throws {
    let database = Database()
    try database.execute(
      """
      CREATE TABLE node (id int PRIMARY KEY); INSERT INTO node SELECT generate_series(0, 2999);
      CREATE TABLE edge (a int REFERENCES node, b int REFERENCES node, PRIMARY KEY (a, b));
      INSERT INTO edge SELECT DISTINCT i * 7919 % 3000, i * i % 3000 FROM generate_series(1, 9000) i
      """)
    let task = Task {
      try await database.read { db in
        try db.fetchAll(
          Double.self, "SELECT rank FROM pagerank('edge', tolerance => 0, iterations => 100000000)")
      }
    }
    try await Task.sleep(for: .milliseconds(20))
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
    #expect(try database.fetchAll(Int.self, "SELECT count(*) FROM degree('edge')") == [3000])
  }
}
