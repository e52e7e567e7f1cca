import Catalog

/// The GRAPH_TABLE that the cursor stands in.
struct GraphInScope {
  /// An element of the pattern that has a name.
  private struct Variable {
    let isEdge: Bool
    var labels: Set<String> = []
  }

  /// The graph; nil while it is still to be named.
  private(set) var graph: PropertyGraphDefinition?
  /// Whether the name of the graph comes next.
  private(set) var wantsName = false
  /// Whether a label comes next: of an edge or of a vertex.
  private(set) var wantsLabel: (now: Bool, isEdge: Bool) = (false, false)
  private var variables: [String: Variable] = [:]

  /// Reads the tokens behind the last `GRAPH_TABLE (` that is still open; nil if there is none.
  ///
  /// - Complexity: O(tokens).
  init?(_ tokens: [StatementTokens.Token], catalog: CatalogSnapshot) {
    guard let start = Self.start(in: tokens) else { return nil }
    let inside = tokens[start...]
    if inside.first == .mark("*") {
      graph = catalog.relationshipGraph
      readElements(Array(inside))
      return
    }
    guard case .word(var name)? = inside.first else {
      wantsName = inside.isEmpty
      return
    }
    var schema: String?
    if inside.count > 2, inside[start + 1] == .mark("."), case .word(let second) = inside[start + 2]
    {
      schema = name
      name = second
    }
    if case .graph(let found)? = catalog.relation(schema: schema, name) { graph = found }
    readElements(Array(inside))
  }

  /// The place behind the last opening that is not closed.
  private static func start(in tokens: [StatementTokens.Token]) -> Int? {
    var place: Int?
    var depth = 0
    for (index, token) in tokens.enumerated() {
      if token == .mark("("), index > 0, tokens[index - 1] == .word("graph_table") {
        place = index + 1
        depth = 0
      } else if token == .mark("(") {
        depth += 1
      } else if token == .mark(")") {
        depth -= 1
        if depth < 0 { place = nil }
      }
    }
    return place
  }

  /// Finds `(variable IS label` and `[variable IS label`.
  private mutating func readElements(_ tokens: [StatementTokens.Token]) {
    var index = 0
    while index < tokens.count, tokens[index] != .word("columns") {
      guard tokens[index] == .mark("(") || tokens[index] == .mark("[") else {
        index += 1
        continue
      }
      var variable = Variable(isEdge: tokens[index] == .mark("["))
      index += 1
      var name: String?
      if index < tokens.count, case .word(let word) = tokens[index], word != "is" {
        name = word
        index += 1
      }
      if index < tokens.count, tokens[index] == .word("is") || tokens[index] == .mark(":") {
        index += 1
        wantsLabel = (index == tokens.count, variable.isEdge)
        readLabels(tokens, &index, &variable)
      }
      if let name { variables[name] = variable }
    }
  }

  private mutating func readLabels(
    _ tokens: [StatementTokens.Token], _ index: inout Int, _ variable: inout Variable
  ) {
    while index < tokens.count {
      switch tokens[index] {
      case .word(let word) where word != "where": variable.labels.insert(word)
      case .mark("|"), .mark("&"), .mark("!"):
        wantsLabel = (index == tokens.count - 1, variable.isEdge)
      case .word, .mark, .constant: return
      }
      index += 1
    }
  }

  /// The labels that may come next.
  var labels: [String] {
    let elements = wantsLabel.isEdge ? graph?.edges : graph?.vertices
    return Set((elements ?? []).flatMap(\.labels).map(\.name)).sorted()
  }

  /// The properties of the element that goes by `name`; nil if none does.
  func properties(of name: String) -> [String]? {
    guard let graph, let variable = variables[name] else { return nil }
    let labels = (variable.isEdge ? graph.edges : graph.vertices).flatMap(\.labels)
    let meant = labels.filter { variable.labels.isEmpty || variable.labels.contains($0.name) }
    return Set(meant.flatMap(\.properties).map(\.name)).sorted()
  }

  /// The names of the elements.
  var names: [String] { variables.keys.sorted() }
}
