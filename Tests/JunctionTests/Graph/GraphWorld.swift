/// Numbers that a seed determines.
struct GraphRandom: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  mutating func pick<T>(_ list: [T]) -> T { list[below(list.count)] }
}

/// A vertex as a pattern sees it.
struct WorldVertex {
  /// The number that tells it from all others: 100 and its key for `p`, 200 for `q`, 300 for `r`.
  var id: Int
  var labels: Set<String>
  var value: Int?
  /// The name of its table, and its key in text.
  var table: String
  var key: String
}

/// An edge as a pattern sees it.
struct WorldEdge {
  var id: Int
  var labels: Set<String>
  var source: Int
  var destination: Int
  var value: Int?
  var table: String
  var key: String
}

/// Tables of vertices and edges, in Swift and in SQL.
///
/// `p` has vertices that refer to each other by `boss`; `q` has vertices that refer to `p`, and may; `r` has a key of
/// two columns. Both references are edges, too. Beside these there are tables of edges: junction tables with a key of
/// both ends (`j`, and `pp` from `p` to itself), tables with a number for each edge and ends that may be NULL (`m`, and
/// `pr` to a key of two columns), and one that no foreign key guards, so that ends may be missing (`n`).
struct GraphWorld {
  struct Vertex {
    var value: Int?
    /// The vertex that the row refers to, of `p`.
    var parent: Int?
  }

  struct Edge {
    var source: Int?
    var destination: Int?
    var value: Int?
  }

  static let vertexTables = ["p", "q", "r"]
  static let edgeTables = ["j", "pp", "m", "n", "pr"]
  static let bases = [
    "j": 1000, "pp": 2000, "m": 3000, "n": 4000, "pr": 5000, "boss": 6000, "owner": 7000,
  ]

  /// Vertices by their numbers.
  var vertices: [Int: Vertex] = [:]
  /// Rows of edge tables by the numbers of edges.
  var edges: [Int: Edge] = [:]
  /// Tables whose elements the graph has.
  var graphVertices: [String] = []
  var graphEdges: [String] = []
  /// The tables between which `n` has edges.
  var looseEnds = ("p", "q")
  /// Whether foreign keys are declared.
  var hasForeignKeys = true

  static func table(ofVertex id: Int) -> String { vertexTables[id / 100 - 1] }

  static func table(ofEdge id: Int) -> String { edgeTables[id / 1000 - 1] }

  static func vertexLabels(_ table: String) -> Set<String> {
    table == "r" ? ["r"] : [table, "thing"]
  }

  static func edgeLabels(_ table: String) -> Set<String> {
    ["j", "pp", "m"].contains(table) ? [table, "link"] : [table]
  }

  func ends(_ table: String) -> (source: String, destination: String) {
    switch table {
    case "j": ("p", "q")
    case "pp", "boss": ("p", "p")
    case "m", "owner": ("q", "p")
    case "pr": ("p", "r")
    default: looseEnds
    }
  }

  // MARK: The graph

  /// The vertices that are in the graph.
  var graphVertexList: [WorldVertex] {
    vertices.keys.sorted().compactMap { id in
      let table = Self.table(ofVertex: id)
      guard graphVertices.contains(table) else { return nil }
      let key = table == "r" ? "\((id - 300) / 10),\((id - 300) % 10)" : "\(id % 100)"
      return WorldVertex(
        id: id, labels: Self.vertexLabels(table), value: vertices[id]?.value, table: table, key: key
      )
    }
  }

  /// The edges that are in the graph: those whose ends are there.
  var graphEdgeList: [WorldEdge] {
    var list: [WorldEdge] = []
    func add(
      _ id: Int, _ table: String, _ source: Int?, _ destination: Int?, _ value: Int?, _ key: String
    ) {
      guard graphEdges.contains(table), let source, let destination, vertices[source] != nil,
        vertices[destination] != nil
      else { return }
      list.append(
        WorldEdge(
          id: id, labels: Self.edgeLabels(table), source: source, destination: destination,
          value: value, table: table, key: key))
    }
    for (id, edge) in edges {
      let table = Self.table(ofEdge: id)
      let offset = id % 1000
      let isPair = table == "j" || table == "pp"
      add(
        id, table, edge.source, edge.destination, edge.value,
        isPair ? "\(offset / 10),\(offset % 10)" : "\(offset)")
    }
    for (id, vertex) in vertices {
      switch Self.table(ofVertex: id) {
      case "p": add(6000 + id % 100, "boss", id, vertex.parent, vertex.value, "\(id % 100)")
      case "q": add(7000 + id % 100, "owner", id, vertex.parent, vertex.value, "\(id % 100)")
      default: break
      }
    }
    return list.sorted { $0.id < $1.id }
  }

  func vertexIDs(of table: String) -> [Int] {
    vertices.keys.filter { Self.table(ofVertex: $0) == table }.sorted()
  }
}

extension GraphWorld {
  /// A few vertices and edges, of which a graph has some or all.
  init(_ random: inout GraphRandom) {
    hasForeignKeys = random.chance(75)
    looseEnds = (random.pick(["p", "q"]), random.pick(["p", "q"]))
    graphVertices = ["p"]
    if random.chance(85) { graphVertices.append("q") }
    if random.chance(40) { graphVertices.append("r") }
    graphEdges = (Self.edgeTables + ["boss", "owner"]).filter { table in
      let ends = ends(table)
      return graphVertices.contains(ends.source) && graphVertices.contains(ends.destination)
        && random.chance(60)
    }
    if graphEdges.isEmpty { graphEdges = ["pp"] }
    graphVertices.shuffle(using: &random)
    graphEdges.shuffle(using: &random)
  }

  static func literal(_ number: Int?) -> String { number.map(String.init) ?? "NULL" }

  /// What makes the tables, the graph over them and the views `v` and `e` of what is in it.
  var definitions: String {
    func references(_ text: String) -> String { hasForeignKeys ? " REFERENCES \(text)" : "" }
    let composite = hasForeignKeys ? ", FOREIGN KEY (k1, k2) REFERENCES r" : ""
    return """
      CREATE TABLE p (id int PRIMARY KEY, val int, boss int\(references("p")));
      CREATE TABLE q (id int PRIMARY KEY, val int, p_id int\(references("p")));
      CREATE TABLE r (k1 int, k2 int, val int, PRIMARY KEY (k1, k2));
      CREATE TABLE j (p_id int\(references("p")), q_id int\(references("q")), w int,
        PRIMARY KEY (p_id, q_id));
      CREATE TABLE pp (a int\(references("p")), b int\(references("p")), w int, PRIMARY KEY (a, b));
      CREATE TABLE m (id int PRIMARY KEY, a int\(references("q")), b int\(references("p")), w int);
      CREATE TABLE n (id int PRIMARY KEY, a bigint, b int, w int);
      CREATE TABLE pr (id int PRIMARY KEY, a int\(references("p")), k1 int, k2 int, w int\(composite));
      CREATE PROPERTY GRAPH g VERTEX TABLES (\(graphVertices.map(vertexDefinition).joined(separator: ", ")))
        EDGE TABLES (\(graphEdges.map(edgeDefinition).joined(separator: ", ")));
      CREATE VIEW v AS \(graphVertices.map(vertexQuery).joined(separator: " UNION ALL "));
      CREATE VIEW e AS \(graphEdges.map(edgeQuery).joined(separator: " UNION ALL "));
      """
  }

  private func vertexNumber(_ table: String) -> String {
    switch table {
    case "p": "id + 100"
    case "q": "id + 200"
    default: "k1 * 10 + k2 + 300"
    }
  }

  private func edgeNumber(_ table: String) -> String {
    switch table {
    case "j": "p_id * 10 + q_id + 1000"
    case "pp": "a * 10 + b + 2000"
    default: "id + \(Self.bases[table] ?? 0)"
    }
  }

  private func vertexDefinition(_ table: String) -> String {
    let properties = "PROPERTIES (\(vertexNumber(table)) AS vid\(table == "r" ? "" : ", val"))"
    return Self.vertexLabels(table).sorted().reduce(table) { "\($0) LABEL \($1) \(properties)" }
  }

  private func endColumns(_ table: String) -> (source: String, destination: String) {
    switch table {
    case "j": ("p_id", "q_id")
    case "pr": ("a", "k1, k2")
    case "boss": ("id", "boss")
    case "owner": ("id", "p_id")
    default: ("a", "b")
    }
  }

  private func edgeDefinition(_ table: String) -> String {
    let (source, destination) = ends(table)
    let columns = endColumns(table)
    let base = table == "boss" ? "p AS boss" : table == "owner" ? "q AS owner" : table
    let value = table == "boss" || table == "owner" ? "val AS w" : "w"
    let properties = "PROPERTIES (\(edgeNumber(table)) AS eid, \(value))"
    let labels = Self.edgeLabels(table).sorted().map { "LABEL \($0) \(properties)" }
    return """
      \(base) SOURCE KEY (\(columns.source)) REFERENCES \(source) (id) \
      DESTINATION KEY (\(columns.destination)) REFERENCES \(destination) \
      (\(destination == "r" ? "k1, k2" : "id")) \(labels.joined(separator: " "))
      """
  }

  private func vertexQuery(_ table: String) -> String {
    "SELECT \(vertexNumber(table)) AS vid, \(table == "r" ? "NULL" : "val") AS val, "
      + "'\(table)' AS t FROM \(table)"
  }

  /// The edges of a table by the joins that the definition stands for.
  private func edgeQuery(_ table: String) -> String {
    let (source, destination) = ends(table)
    let base = table == "boss" ? "p" : table == "owner" ? "q" : table
    let columns = endColumns(table)
    let own = columns.destination.split(separator: ", ").map { "x.\($0)" }
    let other = (destination == "r" ? ["k1", "k2"] : ["id"]).map { "d.\($0)" }
    let far = zip(own, other).map { "\($0) = \($1)" }.joined(separator: " AND ")
    func qualified(_ text: String, _ alias: String) -> String {
      text.split(separator: " ").map { $0.first?.isLetter ?? false ? "\(alias).\($0)" : "\($0)" }
        .joined(separator: " ")
    }
    return """
      SELECT \(qualified(edgeNumber(table), "x")) AS eid, \(qualified(vertexNumber(source), "s")) AS src, \
      \(qualified(vertexNumber(destination), "d")) AS dst, x.\(base == table ? "w" : "val") AS w, '\(table)' AS t \
      FROM \(base) x JOIN \(source) s ON x.\(columns.source) = s.id JOIN \(destination) d ON \(far)
      """
  }
}
