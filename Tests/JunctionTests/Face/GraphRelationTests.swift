import Diagnostics
import Junction
import Testing

@Suite("Graph algorithms over relations")
struct GraphRelationTests {
  private struct Town: Record, Hashable, Identifiable {
    var id: Int?
    var name: String
    var x: Double?
    var y: Double?
    var capitalID: Int?
    struct Relations: Sendable {
      let links = Many<Town>(through: "road", from: "a")
      let roads = Through<Road, Town>(from: "a")
      let roadsBack = Through<Road, Town>(from: "b")
      let capital = One<Town>(column: "capital_id")
      let districts = Many<Town>(from: "capital_id")
    }
    static let relations = Relations()
  }
  private struct Road: Record, Hashable {
    var a: Int
    var b: Int
    var km: Double
  }
  private struct Applicant: Record, Hashable, Identifiable {
    var id: Int?
    var name: String?
    struct Relations: Sendable { let jobs = Many<Job>() }
    static let relations = Relations()
  }
  private struct Job: Record, Hashable {
    var code: String
    var seats: Int
    struct Relations: Sendable { let applicants = Many<Applicant>() }
    static let relations = Relations()
    static let columns = ColumnMap<Job> {
      ColumnMapping("code", \.code, .primaryKey)
      ColumnMapping("seats", \.seats)
    }
  }
  private struct Field: Record, Hashable {
    var row: Int
    var place: Int
    struct Relations: Sendable { let next = Many<Field>(through: "step", from: "row") }
    static let relations = Relations()
  }

  /// Two rings of towns that a road joins, each of which belongs to a capital, and who has applied for which jobs.
  private static func world() throws -> Database {
    let database = Database()
    try database.execute(
      """
      CREATE TABLE town (
        id int PRIMARY KEY, name text, x float8, y float8, capital_id int REFERENCES town);
      INSERT INTO town SELECT i, 'town ' || i, i, i * i % 5, CASE WHEN i > 1 THEN i / 2 END
        FROM generate_series(1, 9) i;
      CREATE TABLE road (a int REFERENCES town, b int REFERENCES town, km float8, PRIMARY KEY (a, b));
      INSERT INTO road VALUES (1, 2, 3), (2, 3, 4), (3, 1, 5), (3, 4, 1), (4, 5, 2), (5, 6, 2),
        (6, 4, 9), (1, 3, 6), (5, 4, 1), (6, 7, 30), (8, 7, 1);
      CREATE TABLE applicant (id bigint PRIMARY KEY, name text);
      INSERT INTO applicant SELECT i, 'applicant ' || i FROM generate_series(1, 5) i;
      CREATE TABLE job (code text PRIMARY KEY, seats int);
      INSERT INTO job VALUES ('a', 2), ('b', 0), ('c', 1);
      CREATE TABLE application (
        applicant_id bigint REFERENCES applicant, job_code text REFERENCES job,
        PRIMARY KEY (applicant_id, job_code));
      INSERT INTO application VALUES (1, 'a'), (2, 'a'), (2, 'b'), (3, 'b'), (3, 'c'), (4, 'a'), (4, 'b');
      CREATE TABLE field ("row" int, place int, PRIMARY KEY ("row", place));
      INSERT INTO field VALUES (1, 1), (1, 2), (2, 1);
      CREATE TABLE step ("row" int, place int, to_row int, to_place int,
        PRIMARY KEY ("row", place, to_row, to_place),
        FOREIGN KEY ("row", place) REFERENCES field, FOREIGN KEY (to_row, to_place) REFERENCES field);
      INSERT INTO step VALUES (1, 1, 1, 2), (1, 2, 2, 1);
      """)
    return database
  }

  /// The numbers that a query gives.
  private static func numbers(_ db: Database, _ sql: String) throws -> [[Double]] {
    let result = try db.query(SQL(raw: sql))
    return (0..<result.count).map { row in
      result.columns.indices.map { Double(result.text(row: row, column: $0) ?? "") ?? .nan }
    }
  }

  private static func number(_ town: Town) -> Double { Double(town.id ?? -1) }

  private static func numbers<Value: BinaryInteger>(_ ranks: [Ranked<Town, Value>]) -> [[Double]] {
    ranks.map { [number($0.row), Double($0.value)] }
  }

  private static func numbers(_ ranks: [Ranked<Town, Double>]) -> [[Double]] {
    ranks.map { [number($0.row), $0.value] }
  }

  private static func numbers(_ groups: [Grouped<Town>]) -> [[Double]] {
    groups.map { [number($0.row), Double($0.group)] }
  }

  private static func numbers(_ pairs: [RankedPair<Town, Double>]) -> [[Double]] {
    pairs.map { [number($0.row), number($0.other), $0.value] }
  }

  private static func numbers(_ pairs: [RankedPair<Town, Int>]) -> [[Double]] {
    pairs.map { [number($0.row), number($0.other), Double($0.value)] }
  }

  private static func numbers(_ pairs: [RowPair<Town, Town>]) -> [[Double]] {
    pairs.map { [number($0.row), number($0.other)] }
  }

  @Test("say who is central, as the functions of SQL do")
  func centrality() throws {
    let db = try Self.world()
    let (links, roads) = (Town.relations.links, Town.relations.roads)
    func expect(
      _ ranks: [Ranked<Town, Double>], _ call: String, _ value: String = "centrality"
    ) throws {
      let wanted = try Self.numbers(
        db, "SELECT id, \(value) FROM \(call) ORDER BY \(value) DESC, id")
      #expect(Self.numbers(ranks) == wanted, "\(call)")
      #expect(wanted.count == 9, "\(call)")
    }
    try expect(try links.pageRank(db), "pagerank('road')", "rank")
    try expect(
      try roads.pageRank(
        db, damping: 0.5, tolerance: 1e-9, iterations: 50, weight: \.km, directed: false),
      "pagerank('road', 0.5, 1e-9, 50, weight => 'km', directed => false)", "rank")
    let first = try #require(try Town.find(1, in: db))
    try expect(
      try links.pageRank(db, from: [first]), "pagerank('road', source => 1)", "rank")
    try expect(try links.betweenness(db), "betweenness('road')")
    try expect(
      try roads.betweenness(db, normalized: false, samples: 3, seed: 7, weight: \.km),
      "betweenness('road', false, 3, 7, weight => 'km')")
    try expect(try links.closeness(db, improved: false), "closeness('road', false)")
    try expect(try roads.harmonic(db, weight: \.km), "harmonic('road', weight => 'km')")
    try expect(
      try links.eigenvector(db, iterations: 500, directed: false),
      "eigenvector('road', iterations => 500, directed => false)")
    #expect(
      try links.hits(db).map { [Self.number($0.row), $0.hub, $0.authority] }
        == Self.numbers(db, "SELECT * FROM hits('road') ORDER BY authority DESC, id"))
    #expect(
      try links.degree(db).map {
        [Self.number($0.row), Double($0.count), Double($0.incoming), Double($0.outgoing)]
      } == Self.numbers(db, "SELECT * FROM degree('road') ORDER BY degree DESC, id"))
  }

  @Test("say what hangs together")
  func components() throws {
    let db = try Self.world()
    let links = Town.relations.links
    func expect(_ found: [[Double]], _ sql: String) throws {
      #expect(try found == Self.numbers(db, sql), "\(sql)")
      #expect(!found.isEmpty, "\(sql)")
    }
    try expect(
      Self.numbers(try links.weakComponents(db)),
      "SELECT * FROM weak_components('road') ORDER BY component, id")
    try expect(
      Self.numbers(try links.strongComponents(db)),
      "SELECT * FROM strong_components('road') ORDER BY component, id")
    try expect(
      Self.numbers(try links.biconnectedComponents(db)),
      "SELECT * FROM biconnected_components('road') ORDER BY component, id, other_id")
    try expect(
      Self.numbers(try links.bridges(db)), "SELECT * FROM bridges('road') ORDER BY id, other_id")
    try expect(
      try links.articulationPoints(db).map { [Self.number($0)] },
      "SELECT * FROM articulation_points('road') ORDER BY id")
    // From a capital to those below it, and the other way round.
    let (capital, districts) = (Town.relations.capital, Town.relations.districts)
    try expect(
      try capital.topologicalOrder(db).map { [Self.number($0)] },
      "SELECT id FROM topological_order('town(capital_id)') ORDER BY position")
    let order = try districts.topologicalOrder(db).map(Self.number)
    #expect(order.first == 1 && order.count == 9)
    try expect(
      Self.numbers(try capital.transitiveReduction(db)),
      "SELECT * FROM transitive_reduction('town(capital_id)') ORDER BY id, other_id")
    #expect(
      try Set(Self.numbers(districts.transitiveReduction(db)))
        == Set(Self.numbers(capital.transitiveReduction(db)).map { [$0[1], $0[0]] }))
    let error = #expect(throws: SQLError.self) { try links.topologicalOrder(db) }
    #expect(error?.state == .invalidParameterValue)
  }

  @Test("say which groups and patterns there are")
  func communities() throws {
    let db = try Self.world()
    let (links, roads) = (Town.relations.links, Town.relations.roads)
    func expect(_ found: [[Double]], _ sql: String) throws {
      #expect(try found == Self.numbers(db, sql), "\(sql)")
      #expect(!found.isEmpty, "\(sql)")
    }
    try expect(
      Self.numbers(try links.labelPropagation(db, iterations: 5)),
      "SELECT id, community FROM label_propagation('road', 5) ORDER BY community, id")
    try expect(
      Self.numbers(try roads.louvain(db, resolution: 1.5, seed: 3, weight: \.km)),
      "SELECT id, community FROM louvain('road', 1.5, 3, weight => 'km') ORDER BY community, id")
    try expect(
      Self.numbers(try links.leiden(db)),
      "SELECT id, community FROM leiden('road') ORDER BY community, id")
    try expect(
      Self.numbers(try links.coreNumbers(db)),
      "SELECT * FROM core_numbers('road') ORDER BY core DESC, id")
    try expect(
      Self.numbers(try links.trussNumbers(db)),
      "SELECT * FROM truss_numbers('road') ORDER BY truss DESC, id, other_id")
    try expect(
      Self.numbers(try links.triangles(db)),
      "SELECT * FROM triangles('road') ORDER BY triangles DESC, id")
    try expect(
      Self.numbers(try links.clustering(db, directed: true)),
      "SELECT * FROM clustering('road', directed => true) ORDER BY coefficient DESC, id")
    try expect(
      Self.numbers(try links.fourCycles(db)),
      "SELECT * FROM four_cycles('road') ORDER BY cycles DESC, id")
    #expect(
      try links.motifs(db) == db.fetchAll(Motif.self, "SELECT kind, count FROM motifs('road')"))
    try expect(
      try links.graphLayout(db, iterations: 5, seed: 2).map { [Self.number($0.row), $0.x, $0.y] },
      "SELECT * FROM graph_layout('road', 5, 2) ORDER BY id")
  }

  @Test("find ways, flows and walks over rows")
  func ways() throws {
    let db = try Self.world()
    let (links, roads) = (Town.relations.links, Town.relations.roads)
    let towns = try Town.all.order(by: \.id).fetch(db)
    func texts(_ sql: String) throws -> [String] {
      let result = try db.query(SQL(raw: sql))
      return (0..<result.count).map { row in
        result.columns.indices.map { result.text(row: row, column: $0) ?? "" }.joined(
          separator: "|")
      }
    }
    func texts(_ ways: [Way<Town>]) -> [String] {
      ways.map { way in
        "\(Int(way.cost))|{\(way.path.map { "\($0.id ?? -1)" }.joined(separator: ","))}"
      }
    }
    #expect(
      try Self.numbers(links.bfs(db, from: [towns[0]], maxDepth: 3))
        == Self.numbers(db, "SELECT id, depth FROM bfs('road', 1, 3) ORDER BY depth, id"))
    #expect(
      try texts(roads.dijkstra(db, from: [towns[0], towns[7]], weight: \.km))
        == texts(
          "SELECT cost, path FROM dijkstra('road', ARRAY[1, 8], weight => 'km') ORDER BY cost, id"))
    #expect(
      try texts(roads.dijkstra(db, from: [towns[0]], maxCost: 50, to: [towns[5]], weight: \.km))
        == ["11|{1,3,4,5,6}"])
    #expect(
      try texts(roads.deltaStepping(db, from: [towns[0]], maxCost: 9, delta: 2, weight: \.km))
        == texts(
          "SELECT cost, path FROM delta_stepping('road', 1, 9, 2, weight => 'km') ORDER BY cost, id"
        )
    )
    #expect(
      try roads.aStar(db, from: towns[0], to: towns[5], x: \.x, y: \.y, weight: \.km).map {
        texts([$0])
      } == ["11|{1,3,4,5,6}"])
    #expect(try links.aStar(db, from: towns[6], to: towns[0], x: \.x, y: \.y) == nil)
    #expect(
      try texts(roads.kShortestPaths(db, 3, from: towns[0], to: towns[3], weight: \.km))
        == texts(
          "SELECT cost, path FROM k_shortest_paths('road', 1, 4, 3, weight => 'km') ORDER BY number"
        ))
    #expect(
      try Self.numbers(roads.allPairsShortestPaths(db, weight: \.km))
        == Self.numbers(
          db,
          "SELECT * FROM all_pairs_shortest_paths('road', weight => 'km') ORDER BY id, other_id"))
    #expect(
      try Self.numbers(roads.spanningForest(db, weight: \.km))
        == Self.numbers(
          db, "SELECT * FROM spanning_forest('road', weight => 'km') ORDER BY id, other_id"))
    #expect(
      try roads.maxFlow(db, from: [towns[0]], to: [towns[6]], weight: \.km).map {
        [Self.number($0.row), Self.number($0.other), $0.flow, $0.capacity]
      }
        == Self.numbers(
          db, "SELECT * FROM max_flow('road', 1, 7, weight => 'km') ORDER BY id, other_id"))
    #expect(
      try Self.numbers(roads.minCut(db, from: [towns[0]], to: [towns[6]], weight: \.km))
        == Self.numbers(
          db, "SELECT * FROM min_cut('road', 1, 7, weight => 'km') ORDER BY id, other_id"))
    let walks = try links.randomWalks(db, from: [towns[0]], length: 4, walks: 3, seed: 5)
    #expect(
      walks.map { "{\($0.map { "\($0.id ?? -1)" }.joined(separator: ","))}" }
        == (try texts("SELECT path FROM random_walks('road', 1, 4, 3, 5) ORDER BY walk")))
    #expect(
      try links.node2VecWalks(db, from: [towns[0]], length: 4, walks: 2, p: 0.5, q: 2).count == 2)
    // Against the roads.
    #expect(
      try texts(Town.relations.roadsBack.dijkstra(db, from: [towns[5]], to: [towns[0]]))
        == texts(
          "SELECT cost, path FROM dijkstra('road(b, a)', 6, target => 1) ORDER BY cost, id"))
  }

  @Test("find who is alike, and who goes with whom, between two tables as well")
  func likeness() throws {
    let db = try Self.world()
    let jobs = Applicant.relations.jobs
    let second = try #require(try Applicant.find(2, in: db))
    for (alike, call) in [
      (try jobs.jaccard(db), "jaccard('application', of => 'applicant')"),
      (
        try jobs.cosine(db, to: [second], top: 2, least: 0.1),
        "cosine('application', 2::bigint, 2, 0.1, of => 'applicant')"
      ), (try jobs.overlap(db, top: 1), "overlap('application', top => 1, of => 'applicant')"),
      (try jobs.adamicAdar(db), "adamic_adar('application', of => 'applicant')"),
    ] {
      let wanted = try Self.numbers(
        db, "SELECT * FROM \(call) ORDER BY similarity DESC, id, other_id")
      let found = alike.map {
        [Double($0.row.id ?? 0), Double($0.other.id ?? 0), $0.similarity, Double($0.common)]
      }
      #expect(found == wanted && !found.isEmpty, "\(call)")
    }
    let pairs = try jobs.matching(db)
    #expect(pairs.count == 3 && Set(pairs.map(\.other.code)).count == 3)
    #expect(try jobs.matching(db, capacity: 2).count == 4)
    let seated = try jobs.matching(db, capacities: \.seats).map(\.other.code)
    #expect(seated.sorted() == ["a", "a", "c"])
    #expect(try Job.relations.applicants.matching(db).count == 3)
    #expect(try Self.numbers(Town.relations.capital.matching(db)).count == 3)
    let alike = try Town.relations.links.jaccard(db)
    #expect(
      alike.map { [Self.number($0.row), Self.number($0.other), $0.similarity] }
        == (try Self.numbers(
          db,
          "SELECT id, other_id, similarity FROM jaccard('road') ORDER BY similarity DESC, id, other_id"
        )))
  }

  @Test("know rows by keys of several columns")
  func severalColumns() throws {
    let db = try Self.world()
    let ranks = try Field.relations.next.pageRank(db)
    #expect(ranks.map { [$0.row.row, $0.row.place] } == [[2, 1], [1, 2], [1, 1]])
    let start = Field(row: 1, place: 1)
    #expect(try Field.relations.next.bfs(db, from: [start]).map(\.value) == [0, 1, 2])
    let ways = try Field.relations.next.dijkstra(db, from: [start])
    #expect(ways.map(\.path.count) == [1, 2, 3])
  }

  @Test("ask snapshots, transactions and databases, and again when links have changed")
  func readers() async throws {
    let db = try Self.world()
    let snapshot = db.snapshot
    let links = Town.relations.links
    let towns = try Town.all.order(by: \.id).fetch(db)
    try await db.write { db in
      try towns[8].links.add(towns[0], db)
      #expect(try links.degree(db).last?.count == 1)
    }
    #expect(try links.degree(snapshot).last?.count == 0)
    #expect(try links.degree(db).last?.count == 1)
    var answers = db.observe { db throws(SQLError) in
      try links.weakComponents(db).map(\.group)
    }.makeAsyncIterator()
    #expect(try await answers.next() == Array(repeating: 1, count: 9))
    try db.execute("DELETE FROM road WHERE a = 3 AND b = 4")
    #expect(try await answers.next()?.max() == 2)
  }

  @Test("say what is wrong, and what is near")
  func errors() throws {
    let db = try Self.world()
    let towns = try Town.all.order(by: \.id).fetch(db)
    let weight = #expect(throws: SQLError.self) {
      try Town.relations.links.pageRank(db, weight: "kms")
    }
    #expect(weight?.state == .undefinedColumn && weight?.hint == "Perhaps you meant \"km\".")
    let unsaved = #expect(throws: SQLError.self) {
      try Town.relations.links.bfs(db, from: [Town(id: nil, name: "new")])
    }
    #expect(unsaved?.state == .objectNotInPrerequisiteState)
    let damping = #expect(throws: SQLError.self) {
      try Town.relations.links.pageRank(db, damping: 2)
    }
    #expect(damping?.state == .invalidParameterValue)
    try db.execute("UPDATE road SET km = -1 WHERE a = 1")
    let negative = #expect(throws: SQLError.self) {
      try Town.relations.roads.dijkstra(db, from: [towns[0]], weight: \.km)
    }
    #expect(negative?.state == .invalidParameterValue)
    try db.execute("DROP TABLE road")
    let gone = #expect(throws: SQLError.self) { try Town.relations.links.triangles(db) }
    #expect(gone?.state == .undefinedTable || gone?.state == .undefinedColumn)
  }
}
