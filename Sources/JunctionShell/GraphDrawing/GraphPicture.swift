import Diagnostics
import Junction

/// What `\graph` draws: vertices in their places, in communities, and the edges between them.
struct GraphPicture: Equatable {
  struct Vertex: Equatable {
    /// From -1 to 1, upwards.
    let x: Double
    let y: Double
    /// The key, with the table before it where there are several.
    let label: String
    /// From 1 on.
    let community: Int
    var degree = 0
  }

  private(set) var vertices: [Vertex]
  /// Places of vertices; of several edges between two vertices one stands here, and no loop does.
  private(set) var edges: [Edge] = []

  struct Edge: Hashable {
    let from: Int
    let to: Int
  }

  /// The most vertices that are drawn.
  static let vertexCountMax = 5_000

  /// Puts the answers of `Query` together.
  ///
  /// - Throws: 22023 for a graph without vertices, or with too many.
  init(places: ResultSet, communities: ResultSet, edges pairs: ResultSet) throws(SQLError) {
    let keyWidth = places.columns.count - 2
    guard places.count > 0 else { throw Self.failure("the graph has no vertices to draw") }
    guard places.count <= Self.vertexCountMax else {
      throw Self.failure(
        "\(places.count) vertices are more than can be told apart",
        hint: "Draw a part: SELECT a, b FROM … WHERE … \\graph")
    }
    var numbers: [[String]: Int] = [:]
    vertices = []
    let (placed, grouped) = (Array(places), Array(communities))
    for row in placed.indices {
      let key = Self.key(places, row: row, from: 0, width: keyWidth)
      numbers[key] = row
      let community = row < grouped.count ? grouped[row][0].integer : nil
      vertices.append(
        Vertex(
          x: Self.number(placed[row][keyWidth]), y: Self.number(placed[row][keyWidth + 1]),
          label: key.joined(separator: " "), community: community.map(Int.init) ?? 1))
    }
    var seen: Set<Edge> = []
    for row in 0..<pairs.count {
      guard let from = numbers[Self.key(pairs, row: row, from: 0, width: keyWidth)],
        let to = numbers[Self.key(pairs, row: row, from: keyWidth, width: keyWidth)], from != to,
        seen.insert(Edge(from: min(from, to), to: max(from, to))).inserted
      else { continue }
      edges.append(Edge(from: from, to: to))
      vertices[from].degree += 1
      vertices[to].degree += 1
    }
  }

  private static func key(_ rows: ResultSet, row: Int, from first: Int, width: Int) -> [String] {
    (first..<first + width).map { rows.text(row: row, column: $0) ?? "" }
  }

  private static func number(_ value: SQLValue) -> Double {
    if case .double(let number) = value { number } else { 0 }
  }

  static func failure(_ message: String, hint: String? = nil) -> SQLError {
    SQLError(.invalidParameterValue, message, hint: hint)
  }
}

extension GraphPicture {
  /// The statements whose rows a picture is made of: each gives vertices in the same order.
  struct Query {
    private let graph: String

    /// The graph that a name means.
    init(named name: String) { graph = "'" + name.replacing("'", with: "''") + "'" }

    /// The pairs that a statement gives in its first two columns.
    init(statement: String) {
      var text = statement[...]
      while let last = text.last, last == ";" || last.isWhitespace { text.removeLast() }
      graph = "(SELECT one, other FROM (\(text)\n) AS pairs (one, other))"
    }

    var places: String { "SELECT * FROM graph_layout(\(graph), iterations => 200)" }
    var communities: String { "SELECT community FROM leiden(\(graph))" }
    /// The ends of each edge, and behind them its weight.
    var edges: String { "SELECT * FROM graph_edges(\(graph))" }
  }
}
