import Diagnostics
import SQLSyntax
import Testing

@Suite("Property graphs are read")
struct PropertyGraphParsingTests {
  @Test(
    "in every form of their statements",
    arguments: [
      "CREATE PROPERTY GRAPH g", "CREATE TEMP PROPERTY GRAPH s.g VERTEX TABLES (a)",
      "create property graph g node tables (a, s.b as c) relationship tables (d source a destination c)",
      "CREATE PROPERTY GRAPH g VERTEX TABLES (a KEY (x, y) NO PROPERTIES)",
      "CREATE PROPERTY GRAPH g VERTEX TABLES (a LABEL b)",
      "CREATE PROPERTY GRAPH g VERTEX TABLES (a DEFAULT LABEL PROPERTIES ALL COLUMNS LABEL b NO PROPERTIES)",
      "CREATE PROPERTY GRAPH g VERTEX TABLES (a PROPERTIES ARE ALL COLUMNS EXCEPT (x, y))",
      "CREATE PROPERTY GRAPH g VERTEX TABLES (a PROPERTIES (x, y AS z, a.b, x + 1 AS w))",
      "CREATE PROPERTY GRAPH g EDGE TABLES (e SOURCE KEY (x) REFERENCES a (y) DESTINATION KEY (z) REFERENCES b)",
      "CREATE PROPERTY GRAPH g EDGE TABLES (e AS f KEY (k) SOURCE key DESTINATION key LABEL l PROPERTIES (p))",
      "ALTER PROPERTY GRAPH g ADD VERTEX TABLES (a) EDGE TABLES (e SOURCE a DESTINATION a)",
      "ALTER PROPERTY GRAPH IF EXISTS g ADD EDGE TABLES (e SOURCE a DESTINATION a)",
      "ALTER PROPERTY GRAPH g DROP VERTEX TABLES (a, b) CASCADE",
      "ALTER PROPERTY GRAPH g DROP RELATIONSHIP TABLES (e) RESTRICT",
      "ALTER PROPERTY GRAPH g ALTER VERTEX TABLE a ADD LABEL b PROPERTIES (c) ADD LABEL d NO PROPERTIES",
      "ALTER PROPERTY GRAPH g ALTER EDGE TABLE e DROP LABEL b CASCADE",
      "ALTER PROPERTY GRAPH g ALTER NODE TABLE a ALTER LABEL b ADD PROPERTIES (c, d + 1 AS e)",
      "ALTER PROPERTY GRAPH g ALTER VERTEX TABLE a ALTER LABEL b DROP PROPERTIES (c, d) RESTRICT",
      "ALTER PROPERTY GRAPH g RENAME TO h", "ALTER PROPERTY GRAPH IF EXISTS g SET SCHEMA s",
      "ALTER PROPERTY GRAPH g OWNER TO CURRENT_USER",
      "DROP PROPERTY GRAPH IF EXISTS a, b.c CASCADE",
      "COMMENT ON PROPERTY GRAPH s.g IS 'x'",
      // None of the words is reserved.
      "SELECT property, graph, vertex, edge, source, destination, properties FROM graph_table",
      "CREATE TABLE property (graph int, vertex int, edge int, label int, node int)",
    ])
  func accepts(_ sql: String) throws { _ = try parseStatement(sql) }

  static let refusals: [Refusal] = [
    Refusal(
      "CREATE OR REPLACE PROPERTY GRAPH g", "syntax error at or near \"PROPERTY\"", at: 18),
    Refusal(
      "CREATE PROPERTY GRAPH IF NOT EXISTS g", "syntax error at or near \"NOT\"", at: 25),
    Refusal("CREATE PROPERTY GRAPH g VERTEX (a)", "syntax error at or near \"(\"", at: 31),
    Refusal("CREATE PROPERTY GRAPH g VERTEX TABLES ()", "syntax error at or near \")\"", at: 39),
    Refusal(
      "CREATE PROPERTY GRAPH g VERTEX TABLES (a SOURCE b)",
      "syntax error at or near \"SOURCE\"", at: 41),
    Refusal(
      "CREATE PROPERTY GRAPH g EDGE TABLES (e)", "syntax error at or near \")\"", at: 38),
    Refusal(
      "CREATE PROPERTY GRAPH g EDGE TABLES (e SOURCE a)", "syntax error at or near \")\"", at: 47),
    Refusal(
      "CREATE PROPERTY GRAPH g EDGE TABLES (e SOURCE KEY (x) a DESTINATION a)",
      "syntax error at or near \"a\"", at: 54),
    Refusal(
      "CREATE PROPERTY GRAPH g VERTEX TABLES (a KEY ())", "syntax error at or near \")\"", at: 46),
    Refusal(
      "CREATE PROPERTY GRAPH g VERTEX TABLES (a PROPERTIES ())", "syntax error at or near \")\"",
      at: 53),
    Refusal(
      "CREATE PROPERTY GRAPH g VERTEX TABLES (a PROPERTIES (b) LABEL c)",
      "syntax error at or near \"LABEL\"", at: 56),
    Refusal(
      "CREATE PROPERTY GRAPH g EDGE TABLES (e SOURCE a DESTINATION a) VERTEX TABLES (a)",
      "syntax error at or near \"VERTEX\"", at: 63),
    Refusal("ALTER PROPERTY GRAPH g ADD", "syntax error at end of input", at: 26),
    Refusal(
      "ALTER PROPERTY GRAPH g DROP TABLES (a)", "syntax error at or near \"TABLES\"", at: 28),
    Refusal(
      "ALTER PROPERTY GRAPH g ALTER VERTEX TABLE a RENAME LABEL b",
      "syntax error at or near \"RENAME\"", at: 44),
    Refusal(
      "ALTER PROPERTY GRAPH g ALTER VERTEX TABLE a ALTER LABEL b DROP PROPERTIES (c + 1)",
      "syntax error at or near \"+\"", at: 77),
    Refusal("DROP PROPERTY g", "syntax error at or near \"PROPERTY\"", at: 5),
  ]

  @Test("or refused where they go wrong", arguments: refusals)
  func refuses(_ refusal: Refusal) {
    let error = #expect(throws: SQLError.self) { try parseStatements(refusal.sql) }
    #expect(error?.message == refusal.message)
    #expect(error.map { Int($0.range.lower) } == refusal.offset)
    #expect(error?.state == refusal.state)
  }
}

@Suite("Patterns of graphs are read")
struct GraphPatternTests {
  /// A query that asks for a pattern.
  private static func query(_ pattern: String) -> String {
    "SELECT * FROM GRAPH_TABLE (g MATCH \(pattern) COLUMNS (1 AS one))"
  }

  private func graphTable(_ sql: String) throws -> GraphTable? {
    guard case .select(let select) = try parseStatement(sql).statement,
      case .select(let core) = select.body, case .graph(let table)? = core.from.first
    else { return nil }
    return table
  }

  private static let patterns = [
    "()", "(a)", "(a IS b)", "(IS b)", "(:b)", "(a:b WHERE a.x > 1)", "(WHERE true)",
    "(a)-[e]->(b)", "(a)<-[e]-(b)", "(a)-[e]-(b)", "(a)<-[e]->(b)", "(a)->(b)", "(a)<-(b)",
    "(a)-(b)", "(a)<->(b)", "(a)-[]->()", "(a) - [e IS f WHERE e.x = 1] -> (b)",
    "(a)->*(b)", "(a)->+(b)", "(a)-?(b)", "(a)<-*(b)", "(a)-[e]->{2}(b)", "(a)-[e]-{2,3}(b)",
    "(a)<-[e]-{,4}(b)", "(a)-[e]->{2,}(b)", "(a)<->{1,2}(b)", "(a)->{0,1}(b)-+(c)",
    "((a)-[e]->(b)){1,3}", "((a)-[e]->(b) WHERE a.x < b.x){1,3}", "[(a)-[e]->(b)]*",
    "[(a)-[e]->(b) WHERE e.y]+", "(a)[()-[e]->()]?(b)", "(a)((x)-[e]->(y)-[f]->(z)){2,5}(b)",
    "(TRAIL (x)->(y))*", "(ACYCLIC PATH ()->()){2}", "(p = (x)->(y)){2}", "((()->()){2}->()){3}",
    "(a IS b|c)", "(a IS b & c)", "(a IS !b)", "(a IS a|b&!c)", "(a IS (a|b)&c)", "(a IS %)",
    "(a IS !%)", "(a IS !(b|c))", "(a IS !!b)", "(a)-[e IS b|!c]->(d)", "(a:b|c&!(d|e))",
    "ANY SHORTEST (a)->*(b)", "ALL SHORTEST (a)->*(b)", "SHORTEST 3 PATHS (a)->*(b)",
    "SHORTEST 3 (a)->*(b)", "SHORTEST 2 GROUPS (a)->*(b)", "SHORTEST GROUP (a)->*(b)",
    "SHORTEST 2 TRAIL PATH GROUPS (a)->*(b)", "ANY (a)->*(b)", "ANY 2 TRAIL (a)->*(b)",
    "ACYCLIC PATHS (a)->*(b)", "ALL SIMPLE PATHS (a)->*(b)", "ALL (a)->{1,2}(b)",
    "WALK (a)->{2}(b)", "TRAIL (a)->*(b)", "ANY SHORTEST ACYCLIC PATH (a)->*(b)",
    "p = (a)->(b)", "p = ANY SHORTEST (a)->*(b)", "p = (a)->(b), q = (b)->(c), (c)",
    "(a)->*(b), (c)->+(d) KEEP ANY SHORTEST", "(a)->*(b) KEEP TRAIL WHERE a.x = b.x",
    "(a)->(b) WHERE a.x = 1 AND b.y", "(\"A b\" IS \"select\")-[\"E\"]->(c)",
    "ANY CHEAPEST (a)-[e COST e.w]->*(b)", "p = ALL CHEAPEST TRAIL PATHS (a)-[e COST e.w]-+(b)",
    "CHEAPEST 3 ACYCLIC (a)<-[e:f WHERE e.x > 1 COST e.w * 2]-{1,3}(b)",
    "ANY CHEAPEST (a)(-[e]-> COST e.w)*(b)",
    "ANY CHEAPEST (a)((x)-[e]->(y) WHERE x.z COST e.w + y.w)+(b)",
    "(a)-[e COST 1]->*(b) KEEP CHEAPEST 2 PATHS", "ANY CHEAPEST (a)-[COST 1]->(b)",
    "ANY CHEAPEST (a)-[COST cost.x]->(b)", "ANY CHEAPEST (a)-[cost COST cost.x]->(b)",
    "cheapest = (cheapest)-[cost]->(cost)", "(a)-[cost IS cost]->(b)", "(a)-[cost:cost]->(b)",
    "(a)-[cost WHERE cost.x]->(b)",
    "(path)->(trail)", "(a) -- a comment\n -[e]->\n (b)",
  ]

  @Test("and written so that they read as the same", arguments: patterns)
  func roundTrip(_ pattern: String) throws {
    let tree = try parseStatement(Self.query(pattern)).statement
    guard case .select(let query) = tree else {
      Issue.record("no query: \(pattern)")
      return
    }
    let text = SQLPrinter.text(of: query)
    #expect(description(of: try parseStatement(text).statement) == description(of: tree), "\(text)")
  }

  @Test(
    "as entries of FROM like others",
    arguments: [
      "SELECT t.x FROM GRAPH_TABLE (s.g MATCH (a) COLUMNS (a.x, a.*, a.y AS z)) AS t (u, v)",
      "SELECT * FROM GRAPH_TABLE (* MATCH (a)-[e]->(b) COLUMNS (a.x)) t",
      "SELECT * FROM u, GRAPH_TABLE (g MATCH (a WHERE a.x = u.x) COLUMNS (count(*))) t",
      "SELECT * FROM u LEFT JOIN GRAPH_TABLE (g MATCH (a) COLUMNS (a.x)) AS t ON t.x = u.x",
      "SELECT * FROM u WHERE EXISTS (SELECT FROM GRAPH_TABLE (g MATCH (a) COLUMNS (1 AS one)))",
      "SELECT * FROM GRAPH_TABLE (g MATCH (a) WHERE a.x IN (SELECT 1) COLUMNS (a.x + 1 AS x))",
    ])
  func queries(_ sql: String) throws {
    let tree = try parseStatement(sql).statement
    guard case .select(let query) = tree else {
      Issue.record("no query: \(sql)")
      return
    }
    let text = SQLPrinter.text(of: query)
    #expect(description(of: try parseStatement(text).statement) == description(of: tree), "\(text)")
  }

  @Test(
    "with the direction and number of their edges",
    arguments: [
      ("(a)->*(b)", "-> 0..."), ("(a)->+(b)", "-> 1..."), ("(a)-?(b)", "- 0...1"),
      ("(a)<-[e]-{2,3}(b)", "<- 2...3"), ("(a)<->{2}(b)", "- 2...2"),
      ("(a)<-[]->{,4}(b)", "- 0...4"),
      ("(a)-[e]->{2,}(b)", "-> 2..."), ("(a)<-(b)", "<-"), ("(a)-[e]-(b)", "-"), ("(a)->(b)", "->"),
    ])
  func edges(_ pattern: String, _ expected: String) throws {
    let term = try graphTable(Self.query(pattern))?.paths.first?.terms[1]
    guard let term, case .edge(_, let direction) = term.kind else {
      Issue.record("no edge: \(pattern)")
      return
    }
    let number = term.quantifier.map { " \($0.minimum)..." + ($0.maximum.map { "\($0)" } ?? "") }
    #expect(direction.rawValue + (number ?? "") == expected)
  }

  @Test("with labels of which ! binds tightest, and | loosest")
  func labels() throws {
    func text(_ label: LabelExpression) -> String {
      switch label.kind {
      case .name(let name): name.name
      case .any: "%"
      case .not(let inner): "!" + text(inner)
      case .and(let left, let right): "(\(text(left)) & \(text(right)))"
      case .or(let left, let right): "(\(text(left)) | \(text(right)))"
      }
    }
    for (written, meant) in [
      ("a|b&!c", "(a | (b & !c))"), ("!a&b|c", "((!a & b) | c)"), ("a|b|c", "((a | b) | c)"),
      ("(a|b)&c", "((a | b) & c)"), ("!(a|%)", "!(a | %)"),
    ] {
      let term = try graphTable(Self.query("(v IS \(written))"))?.paths.first?.terms.first
      guard let term, case .vertex(let element) = term.kind, let label = element.label else {
        Issue.record("no label: \(written)")
        continue
      }
      #expect(text(label) == meant)
    }
  }

  @Test("with KEEP for the paths that say nothing themselves")
  func keep() throws {
    let table = try graphTable(Self.query("TRAIL (a)->*(b), (c)->*(d) KEEP ANY SHORTEST"))
    #expect(table?.paths.map { $0.prefix?.mode } == [.trail, .walk])
    #expect(table?.paths.map { $0.prefix?.selector } == [.all, .shortest(1)])
  }

  @Test("with what edges cost, and words that are names where no cost follows")
  func costs() throws {
    for (written, variable, cost) in [
      ("-[e COST e.w]->", "e", "e.w"), ("-[COST 1]->", nil, "1"),
      ("-[COST cost.x]->", nil, "cost.x"), ("-[cost COST cost.x]->", "cost", "cost.x"),
      ("-[cost]->", "cost", nil), ("-[cost WHERE cost.x COST 2]->", "cost", "2"),
      ("-[e IS cost COST 2]->", "e", "2"),
    ] as [(String, String?, String?)] {
      let path = try graphTable(Self.query("ANY CHEAPEST (a)\(written)(b)"))?.paths.first
      #expect(path?.prefix?.selector == .cheapest(1))
      guard let term = path?.terms[1], case .edge(let edge, _) = term.kind else {
        Issue.record("no edge: \(written)")
        continue
      }
      #expect(edge.variable?.name == variable, "\(written)")
      #expect(edge.cost.map { SQLPrinter.text(of: $0) } == cost, "\(written)")
    }
  }

  private static let quantifierMessage =
    "the upper bound of a quantifier must be positive and not below the lower"

  static let refusals: [Refusal] = [
    Refusal(query("(a"), "syntax error at or near \"COLUMNS\"", at: 38),
    Refusal(query("a"), "syntax error at or near \"a\"", at: 35),
    Refusal(query(""), "syntax error at or near \"COLUMNS\"", at: 36),
    Refusal(query("(a)-[e->(b)"), "syntax error at or near \"->\"", at: 41),
    Refusal(query("(a)-[e](b)"), "syntax error at or near \"(\"", at: 42),
    Refusal(query("(a)=>(b)"), "syntax error at or near \"=>\"", at: 38),
    Refusal(query("(a)->{(b)"), "syntax error at or near \"(\"", at: 41),
    Refusal(query("(a)->{}(b)"), "syntax error at or near \"}\"", at: 41),
    Refusal(query("(a)->{,}(b)"), "syntax error at or near \"}\"", at: 42),
    Refusal(query("(a)->{2,1}(b)"), quantifierMessage, at: 40),
    Refusal(query("(a)->{0}(b)"), quantifierMessage, at: 40),
    Refusal(query("(a)->**(b)"), "syntax error at or near \"->**\"", at: 38),
    Refusal(query("(a IS)"), "syntax error at or near \")\"", at: 40),
    Refusal(query("(a IS b|)"), "syntax error at or near \")\"", at: 43),
    Refusal(query("(a IS !)"), "syntax error at or near \")\"", at: 42),
    Refusal(query("(a IS b c)"), "syntax error at or near \"c\"", at: 43),
    Refusal(query("(a WHERE)"), "syntax error at or near \")\"", at: 43),
    Refusal(query("(a), "), "syntax error at or near \"COLUMNS\"", at: 41),
    Refusal(query("SHORTEST (a)->*(b)"), "syntax error at or near \"(\"", at: 44),
    Refusal(query("ANY 0 (a)->*(b)"), "syntax error at or near \"0\"", at: 39),
    Refusal(query("SHORTEST 0 GROUPS (a)->*(b)"), "syntax error at or near \"0\"", at: 44),
    Refusal(query("CHEAPEST (a)->*(b)"), "syntax error at or near \"(\"", at: 44),
    Refusal(query("CHEAPEST 0 (a)->*(b)"), "syntax error at or near \"0\"", at: 44),
    Refusal(query("ANY CHEAPEST (a COST 1)->(b)"), "syntax error at or near \"COST\"", at: 51),
    Refusal(query("(a)-[e COST]->(b)"), "syntax error at or near \"]\"", at: 46),
    Refusal(query("(a)-[e COST 1 WHERE e.x]->(b)"), "syntax error at or near \"WHERE\"", at: 49),
    Refusal(query("(a) KEEP (b)"), "syntax error at or near \"(\"", at: 44),
    Refusal(query("p = q = (a)"), "syntax error at or near \"q\"", at: 39),
    Refusal("SELECT * FROM GRAPH_TABLE (g MATCH (a))", "syntax error at or near \")\"", at: 38),
    Refusal(
      "SELECT * FROM GRAPH_TABLE (g MATCH (a) COLUMNS ())",
      "syntax error at or near \")\"", at: 48),
    Refusal(
      "SELECT * FROM GRAPH_TABLE (g COLUMNS (1))", "syntax error at or near \"COLUMNS\"", at: 29),
    Refusal(
      "SELECT * FROM GRAPH_TABLE (MATCH (a) COLUMNS (1))", "syntax error at or near \"(\"", at: 33),
  ]

  @Test("or refused where they go wrong", arguments: refusals)
  func refuses(_ refusal: Refusal) {
    let error = #expect(throws: SQLError.self) { try parseStatements(refusal.sql) }
    #expect(error?.message == refusal.message)
    #expect(error.map { Int($0.range.lower) } == refusal.offset)
    #expect(error?.state == refusal.state)
  }

  @Test("and not without end")
  func depth() {
    let groups =
      String(repeating: "(", count: 5_000) + "()->()" + String(repeating: "){2}", count: 5_000)
    let labels = "(a IS " + String(repeating: "!", count: 100_000) + "b)"
    let nested = "(a IS " + String(repeating: "(", count: 100_000) + "b)"
    let long = "(a IS a" + String(repeating: "|a", count: 100_000) + ")"
    for pattern in [groups, labels, nested, long] {
      let error = #expect(throws: SQLError.self) { try parseStatements(Self.query(pattern)) }
      #expect(error?.state == .statementTooComplex)
    }
  }
}
