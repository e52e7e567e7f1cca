import Diagnostics
import Junction
import Testing

/// Traversals between changes of edges, so that what leads along them is made of a base and what was written since.
@Suite("Traversals while edges come and go")
struct GraphChangeTests {
  /// Edges in arrays.
  private struct Model {
    /// Pairs of vertices, of a junction table.
    var pairs: Set<[Int]> = []
    /// Ends by the number of the edge, of a table in which they may be NULL.
    var rows: [Int: (from: Int?, to: Int?)] = [:]

    func neighbours(of vertex: Int, isEither: Bool) -> [Int] {
      var found: [Int] = []
      for pair in pairs {
        if pair[0] == vertex { found.append(pair[1]) }
        if isEither, pair[1] == vertex, pair[0] != vertex { found.append(pair[0]) }
      }
      for row in rows.values {
        guard let from = row.from, let to = row.to else { continue }
        if from == vertex { found.append(to) }
        if isEither, to == vertex, from != vertex { found.append(from) }
      }
      return found
    }

    /// The least number of edges to each vertex that can be reached.
    func distances(from start: Int, isEither: Bool) -> [String] {
      var distances = [start: 0]
      var layer = [start]
      var length = 0
      while !layer.isEmpty {
        length += 1
        var next: [Int] = []
        for vertex in layer {
          for other in neighbours(of: vertex, isEither: isEither) where distances[other] == nil {
            distances[other] = length
            next.append(other)
          }
        }
        layer = next
      }
      return distances.map { "\($0.key)|\($0.value)" }.sorted()
    }

    /// The ends of all walks of one to so many edges.
    func walks(from start: Int, upTo length: Int) -> [String] {
      var layer = [start]
      var ends: [String] = []
      for _ in 0..<length {
        layer = layer.flatMap { neighbours(of: $0, isEither: false) }
        ends += layer.map(String.init)
      }
      return ends.sorted()
    }

    /// The number of pairs of edges behind each other.
    var hopCount: Int {
      (1...GraphChangeTests.vertexCount).reduce(0) { sum, vertex in
        sum
          + neighbours(of: vertex, isEither: false).reduce(0) {
            $0 + neighbours(of: $1, isEither: false).count
          }
      }
    }
  }

  private static let vertexCount = 40
  private static let laneCount = 2

  private static let schema = """
    CREATE TABLE place (id int PRIMARY KEY);
    CREATE TABLE road (a int REFERENCES place, b int REFERENCES place, PRIMARY KEY (a, b));
    CREATE TABLE trip (id int PRIMARY KEY, a int REFERENCES place, b int REFERENCES place);
    INSERT INTO place SELECT generate_series(1, \(vertexCount));
    CREATE PROPERTY GRAPH map VERTEX TABLES (place) EDGE TABLES (
      road SOURCE KEY (a) REFERENCES place (id) DESTINATION KEY (b) REFERENCES place (id),
      trip SOURCE KEY (a) REFERENCES place (id) DESTINATION KEY (b) REFERENCES place (id));
    """

  private static let traversals = [
    "p = ANY SHORTEST (a WHERE a.id = $1)-[]->*(b IS place) COLUMNS (b.id, path_length(p) AS n)",
    "p = ANY SHORTEST (a WHERE a.id = $1)-[]-*(b IS place) COLUMNS (b.id, path_length(p) AS n)",
    "(a WHERE a.id = $1)-[]->{1,3}(b) COLUMNS (b.id)",
    "(a)-[]->(m)-[]->(b) WHERE a.id >= $1 * 0 COLUMNS (1 AS one)",
  ]

  private static func expected(_ number: Int, _ model: Model, from start: Int) -> [String] {
    switch number {
    case 0: model.distances(from: start, isEither: false)
    case 1: model.distances(from: start, isEither: true)
    case 2: model.walks(from: start, upTo: 3)
    default: ["\(model.hopCount)"]
    }
  }

  private static func change(
    _ model: inout Model, _ connection: Connection, _ random: inout GraphRandom
  ) throws(SQLError) {
    let (from, to) = (1 + random.below(vertexCount), 1 + random.below(vertexCount))
    // As many go as come, on the whole.
    let isInsert = random.below(90) > model.pairs.count + model.rows.count - 30
    switch (isInsert, random.chance(50)) {
    case (true, true):
      guard model.pairs.insert([from, to]).inserted else { return }
      try connection.execute("INSERT INTO road VALUES (\(from), \(to))")
    case (true, false):
      let id = random.below(1_000_000)
      if model.rows[id] != nil { return }
      let ends = (random.chance(8) ? nil : from, random.chance(8) ? nil : to)
      model.rows[id] = ends
      try connection.execute(
        "INSERT INTO trip VALUES (\(id), \(GraphWorld.literal(ends.0)), \(GraphWorld.literal(ends.1)))"
      )
    case (false, true):
      let pairs = model.pairs.sorted { $0.lexicographicallyPrecedes($1) }
      guard let pair = pairs.randomElement(using: &random) else { return }
      model.pairs.remove(pair)
      try connection.execute("DELETE FROM road WHERE a = \(pair[0]) AND b = \(pair[1])")
    case (false, false):
      guard let id = model.rows.keys.sorted().randomElement(using: &random) else { return }
      if random.chance(40) {
        model.rows[id]?.to = to
        try connection.execute("UPDATE trip SET b = \(to) WHERE id = \(id)")
      } else {
        model.rows[id] = nil
        try connection.execute("DELETE FROM trip WHERE id = \(id)")
      }
    }
  }

  @Test("give what the edges say that are there", arguments: 0..<laneCount)
  func traverse(_ lane: Int) throws {
    let database = Database()
    let connection = database.connect()
    try connection.execute(Self.schema)
    // Another session reads what is committed, with plans of its own.
    let reader = database.connect()
    var random = GraphRandom(state: GraphCases.seed ?? UInt64(77 + lane))
    var model = Model()
    let own = try Self.traversals.map { try connection.prepare(Self.sql($0)) }
    let others = try Self.traversals.map { try reader.prepare(Self.sql($0)) }
    let count = GraphCases.count(usually: 2_000) / Self.laneCount
    var (changes, checked) = (0, 0)
    while changes < count {
      let isOpen = random.chance(20)
      let before = model
      if isOpen { try connection.execute("BEGIN") }
      for _ in 0..<(1 + random.below(6)) {
        try Self.change(&model, connection, &random)
        changes += 1
      }
      let number = random.below(Self.traversals.count)
      let start = 1 + random.below(Self.vertexCount)
      let rows = try Self.rows(own[number], start, isCounted: number == 3)
      try #require(
        rows == Self.expected(number, model, from: start),
        "lane \(lane), change \(changes), from \(start): \(Self.traversals[number])")
      if isOpen {
        let rows = try Self.rows(others[number], start, isCounted: number == 3)
        try #require(
          rows == Self.expected(number, before, from: start),
          "lane \(lane), change \(changes), before it, from \(start): \(Self.traversals[number])")
        let isKept = random.chance(50)
        try connection.execute(isKept ? "COMMIT" : "ROLLBACK")
        if !isKept { model = before }
      }
      checked += 1
    }
    GraphCases.report("changes, lane \(lane): \(changes) changes, \(checked) traversals")
  }

  private static func sql(_ traversal: String) -> String {
    "SELECT * FROM GRAPH_TABLE (map MATCH \(traversal))"
  }

  private static func rows(
    _ statement: PreparedStatement, _ start: Int, isCounted: Bool
  ) throws(SQLError) -> [String] {
    let result = try statement.query(.integer(Int64(start)))
    if isCounted { return ["\(result.count)"] }
    return (0..<result.count).map { row in
      result.columns.indices.map { result.text(row: row, column: $0) ?? "NULL" }
        .joined(separator: "|")
    }.sorted()
  }
}
