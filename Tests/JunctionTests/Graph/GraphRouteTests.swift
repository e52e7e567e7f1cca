import Diagnostics
import Foundation
import Junction
import Testing

/// The same questions asked of GRAPH_TABLE, of SQL without graphs, of nested selects and of a search that tries
/// everything.
@Suite("GRAPH_TABLE and other ways to ask")
struct GraphRouteTests {
  private static let laneCount = 4
  private static let casesPerWorld = 16

  /// Runs a body over random worlds, and says how often it had something to compare.
  private static func forEachWorld(
    _ lane: Int, _ name: String, _ body: (inout GraphCase, inout GraphRandom, String) throws -> Int
  ) throws {
    var checked = 0
    let worlds = max(1, GraphCases.count(usually: 192) / laneCount / casesPerWorld)
    for number in 0..<(GraphCases.seed == nil ? worlds : 1) {
      let seed = GraphCases.seed ?? UInt64(10_000_000 + lane * 1_000_000 + number)
      var random = GraphRandom(state: seed)
      var graph = try GraphCase(&random)
      for number in 0..<casesPerWorld {
        if number % 4 == 3 { try graph.change(&random) }
        checked += try body(&graph, &random, "seed \(seed)")
      }
    }
    GraphCases.report("\(name), lane \(lane): \(checked) checked")
  }

  private static func expectSame(
    _ rows: [String], _ expected: [String], _ sql: String, _ graph: GraphCase, _ place: String
  ) {
    if let difference = NaiveAnswer.difference(rows, expected) {
      Issue.record("\(place): \(difference)\n\(graph.repetition(sql))")
    }
  }

  @Test("agree on fixed patterns and joins", arguments: 0..<laneCount)
  func joins(_ lane: Int) throws {
    try Self.forEachWorld(lane, "joins") { graph, random, place in
      var generator = PatternGenerator(graph.world)
      let route = SQLRoute(graph.world)
      for _ in 0..<6 {
        let pattern = generator.pattern(&random)
        guard let sql = route.joins(pattern) else { continue }
        let rows = try graph.rows(pattern.sql)
        Self.expectSame(rows, try graph.rows(sql), sql + ";\n" + pattern.sql, graph, place)
        return 1
      }
      return 0
    }
  }

  @Test("agree on repeated parts and recursions", arguments: 0..<laneCount)
  func recursions(_ lane: Int) throws {
    try Self.forEachWorld(lane, "recursions") { graph, random, place in
      var generator = PatternGenerator(graph.world)
      let route = SQLRoute(graph.world)
      var pattern = generator.repeatedPart(&random)
      let path = pattern.paths[0]
      let ends = [path.vertices[0].name ?? "", path.vertices[1].name ?? ""]
      let columns = "\(ends[0]).vid AS a, \(ends[1]).vid AS b, path_length(w) AS l"
      func graphRows(_ path: MatchPattern.Path) throws -> ([String], String) {
        var named = path
        named.variable = "w"
        let sql = "SELECT * FROM GRAPH_TABLE (g MATCH \(named.text) COLUMNS (\(columns)))"
        return (try graph.rows(sql), sql)
      }
      if let sql = route.recursion(path) {
        var search = NaiveSearch(graph.world)
        guard let paths = try? search.selected(path) else { return 0 }
        let found = try graph.rows(sql)
        let expected = paths.map { path in
          "\(path.first)|\(path.last)|\(path.length)|"
            + path.edges.map { String($0.id) }.joined(separator: ",")
        }
        Self.expectSame(found, expected, sql, graph, place)
        let (rows, own) = try graphRows(path)
        let shown = found.map { $0.split(separator: "|").prefix(3).joined(separator: "|") }
        Self.expectSame(rows, shown, own, graph, place)
        return 1
      }
      pattern.paths[0].selector = .shortest(1)
      guard ends[0] != ends[1], let sql = route.leastLengths(pattern.paths[0]) else { return 0 }
      let (rows, own) = try graphRows(pattern.paths[0])
      Self.expectSame(rows, try graph.rows(sql), own + ";\n" + sql, graph, place)
      return 1
    }
  }

  /// A nested select, the names of its embeds from the outside in, and the pattern for the same.
  private static let requests: [(request: String, names: [String], match: String)] = [
    ("p?select=id,q!j(id)", ["q"], "(a IS p)-[IS j]->(b IS q) COLUMNS (a.id, b.id AS b)"),
    (
      "q?select=id,p!j(id,q!j(id))", ["p", "q"],
      "(a IS q)<-[IS j]-(b IS p)-[IS j]->(c IS q) COLUMNS (a.id, b.id AS b, c.id AS c)"
    ),
    (
      "p?select=id,q!j(id,p!j(id))", ["q", "p"],
      "(a IS p)-[IS j]->(b IS q)<-[IS j]-(c IS p) COLUMNS (a.id, b.id AS b, c.id AS c)"
    ),
    (
      "q?select=id,p!q_p_id_fkey(id)", ["p"],
      "(a IS q)-[IS q_p_id_fkey]->(b IS p) COLUMNS (a.id, b.id AS b)"
    ),
    (
      "p?select=id,q!q_p_id_fkey(id)", ["q"],
      "(a IS p)<-[IS q_p_id_fkey]-(b) COLUMNS (a.id, b.id AS b)"
    ),
    (
      "p?select=id,boss(id,boss(id))", ["boss", "boss"],
      "(a IS p)-[IS p_boss_fkey]->(b)-[IS p_boss_fkey]->(c) COLUMNS (a.id, b.id AS b, c.id AS c)"
    ),
    (
      "m?select=id,p!m_b_fkey(id)", ["p"],
      "(a IS m)-[IS m_b_fkey]->(b IS p) COLUMNS (a.id, b.id AS b)"
    ),
    (
      "p?select=id,m!m_b_fkey(id,q!m_a_fkey(id))", ["m", "q"],
      "(a IS p)<-[IS m_b_fkey]-(b)-[IS m_a_fkey]->(c) COLUMNS (a.id, b.id AS b, c.id AS c)"
    ),
    (
      "p?select=id,q!j(id)&id=gt.1&q.val=lt.3", ["q"],
      "(a IS p WHERE a.id > 1)-[IS j]->(b IS q WHERE b.val < 3) COLUMNS (a.id, b.id AS b)"
    ),
    (
      "p?select=id,pp!pp_a_fkey(w,p!pp_b_fkey(id))", ["pp", "p"],
      "(a IS p)-[e IS pp]->(b IS p) COLUMNS (a.id, e.w, b.id AS b)"
    ),
  ]

  @Test(
    "agree with nested selects along the relationships that foreign keys make",
    arguments: 0..<laneCount)
  func nestedSelects(_ lane: Int) throws {
    try Self.forEachWorld(lane, "nested selects") { graph, random, place in
      guard graph.world.hasForeignKeys else { return 0 }
      let (request, names, match) = random.pick(Self.requests)
      let answer = try graph.connection.select(request)
      let json = try JSONSerialization.jsonObject(with: Data(answer))
      let sql = "SELECT * FROM GRAPH_TABLE (* MATCH \(match))"
      Self.expectSame(
        try graph.rows(sql), Self.flattened(json, names[...]), "\(sql) -- \(request)", graph, place)
      return 1
    }
  }

  /// The rows that an answer nests: the value of each level, down to the last.
  private static func flattened(_ json: Any, _ names: ArraySlice<String>) -> [String] {
    if let list = json as? [Any] { return list.flatMap { flattened($0, names) } }
    guard let object = json as? [String: Any] else { return [] }
    let own = (object["id"] ?? object["w"]).map { $0 is NSNull ? "NULL" : "\($0)" } ?? "?"
    guard let name = names.first else { return [own] }
    return flattened(object[name] ?? NSNull(), names.dropFirst()).map { "\(own)|\($0)" }
  }
}
