/// A pattern of GRAPH_TABLE, as the tests make, write and understand it.
struct MatchPattern {
  /// A condition on one property of an element.
  struct Filter {
    var property: String
    var comparison: String
    var value: Int

    func text(_ name: String) -> String { "\(name).\(property) \(comparison) \(value)" }

    func holds(_ own: Int?) -> Bool { compare(own, comparison, value) }
  }

  enum Labels {
    case any
    case one(of: [String])
    case not(String)
    case both(String, String)

    func fit(_ labels: Set<String>) -> Bool {
      switch self {
      case .any: true
      case .one(let names): names.contains(where: labels.contains)
      case .not(let name): !labels.contains(name)
      case .both(let one, let other): labels.contains(one) && labels.contains(other)
      }
    }

    var text: String {
      switch self {
      case .any: ""
      case .one(let names): " IS \(names.joined(separator: "|"))"
      case .not(let name): " IS !\(name)"
      case .both(let one, let other): " IS \(one)&\(other)"
      }
    }
  }

  /// A vertex or an edge.
  struct Element {
    var name: String?
    var labels = Labels.any
    var filter: Filter?
    /// Whether the filter stands behind the part in parentheses rather than in the element.
    var isFilterOutside = false
    /// Whether it says what it costs: its own value, and 1 where it has none.
    var hasCost = false

    var text: String {
      let condition = isFilterOutside ? nil : filter?.text(name ?? "?")
      return "\(name ?? "")\(labels.text)\(condition.map { " WHERE \($0)" } ?? "")\(costText)"
    }

    var costText: String { hasCost ? " COST coalesce(\(name ?? "?").w, 1)" : "" }

    var isBare: Bool { text.isEmpty }
  }

  enum Direction: CaseIterable { case right, left, either }

  struct Edge {
    var element: Element
    var direction: Direction

    var text: String {
      let body = element.isBare ? "-" : "-[\(element.text)]-"
      switch direction {
      case .right: return body + ">"
      case .left: return "<" + body
      case .either: return body
      }
    }
  }

  struct Quantifier {
    var minimum: Int
    var maximum: Int?
    /// Whether it is a question mark, within which names stand for one element or none.
    var isOptional = false

    var text: String {
      switch (minimum, maximum) {
      case _ where isOptional: "?"
      case (0, nil): "*"
      case (1, nil): "+"
      case (_, minimum): "{\(minimum)}"
      case (_, let maximum): "{\(minimum),\(maximum.map(String.init) ?? "")}"
      }
    }
  }

  /// A condition on two elements of a repeated part.
  struct PartCondition {
    /// A property of an element.
    struct Side {
      var isEdge: Bool
      /// The number of the vertex or the edge in the part.
      var index: Int
      var property: String
    }
    var left: Side
    var comparison: String
    var right: Side
    /// The edge in which it stands; nil behind the part.
    var edge: Int?
  }

  /// What leads from one vertex of a path to the next.
  struct Link {
    /// Within a repeated part in parentheses one more than edges; empty for an edge alone.
    var sites: [Element] = []
    var edges: [Edge]
    var quantifier: Quantifier?
    var conditions: [PartCondition] = []
    /// What holds for each time of a part in parentheses.
    var mode = Mode.walk

    private func text(_ condition: PartCondition) -> String {
      let sides = [condition.left, condition.right].map { side in
        let element = side.isEdge ? edges[side.index].element : sites[side.index]
        return "\(element.name ?? "?").\(side.property)"
      }
      return "\(sides[0]) \(condition.comparison) \(sides[1])"
    }

    /// An edge with the conditions on its hop that stand in it.
    private func text(_ edge: Edge, _ hop: Int) -> String {
      let inner = conditions.filter { $0.edge == hop }.map(text)
      if inner.isEmpty { return edge.text }
      let word = edge.element.filter == nil || edge.element.isFilterOutside ? "WHERE" : "AND"
      var element = edge.element
      element.hasCost = false
      let condition = "\(word) \(inner.joined(separator: " AND "))"
      let body = "-[\(element.text) \(condition)\(edge.element.costText)]-"
      switch edge.direction {
      case .right: return body + ">"
      case .left: return "<" + body
      case .either: return body
      }
    }

    var text: String {
      guard !sites.isEmpty else { return edges[0].text + (quantifier?.text ?? "") }
      var text = "(\(sites[0].text))"
      for (hop, edge) in edges.enumerated() {
        text += "\(self.text(edge, hop))(\(sites[hop + 1].text))"
      }
      var outside = (sites + edges.map(\.element)).filter(\.isFilterOutside)
        .compactMap { element in element.filter?.text(element.name ?? "?") }
      outside += conditions.filter { $0.edge == nil }.map(self.text)
      let condition = outside.isEmpty ? "" : " WHERE \(outside.joined(separator: " AND "))"
      return "(\(mode.prefix)\(text)\(condition))\(quantifier?.text ?? "")"
    }
  }

  enum Mode: String, CaseIterable {
    case walk, trail, simple, acyclic

    var prefix: String { self == .walk ? "" : "\(rawValue.uppercased()) " }
  }

  /// Links in parentheses that come once, with a mode or a variable.
  struct Part {
    var links: Range<Int>
    var mode = Mode.walk
    var variable: String?
  }

  enum Selector {
    case all
    case any(Int)
    case shortest(Int)
    case allShortest
    case groups(Int)
    case cheapest(Int)
    case allCheapest

    var isAll: Bool {
      if case .all = self { return true }
      return false
    }

    /// Whether the rules leave a choice between paths.
    var isFree: Bool {
      switch self {
      case .any, .shortest, .cheapest: true
      default: false
      }
    }

    var goesByCost: Bool {
      switch self {
      case .cheapest, .allCheapest: true
      default: false
      }
    }
  }

  struct Path {
    var variable: String?
    var mode = Mode.walk
    var selector = Selector.all
    /// One more than links.
    var vertices: [Element]
    var links: [Link]
    var part: Part?
    /// A condition on single elements that stands within, behind the whole path in parentheses.
    var condition: Condition?

    var prefix: String {
      let mode = self.mode.prefix
      switch selector {
      case .all: return mode
      case .any(1): return "ANY \(mode)"
      case .any(let count): return "ANY \(count) \(mode)"
      case .shortest(1): return "ANY SHORTEST \(mode)"
      case .shortest(let count): return "SHORTEST \(count) \(mode)"
      case .allShortest: return "ALL SHORTEST \(mode)"
      case .groups(let count): return "SHORTEST \(count) \(mode)GROUPS "
      case .allCheapest: return "ALL CHEAPEST \(mode)"
      case .cheapest(1): return "ANY CHEAPEST \(mode)"
      case .cheapest(let count): return "CHEAPEST \(count) \(mode)"
      }
    }

    var text: String {
      var text = ""
      for (index, vertex) in vertices.enumerated() {
        if index > 0 { text += links[index - 1].text }
        if let part, part.links.lowerBound == index {
          text += "(\(part.variable.map { "\($0) = " } ?? "")\(part.mode.prefix)"
        }
        text += "(\(vertex.text))"
        if let part, part.links.upperBound == index { text += ")" }
      }
      if let condition { text = "(\(text) WHERE \(condition.text))" }
      return (variable.map { "\($0) = " } ?? "") + prefix + text
    }

    /// Whether interiors are looked for rather than joined, so that their names are their own.
    var isSearched: Bool {
      if mode != .walk { return true }
      if case .all = selector {
        return (variable != nil || part != nil) && links.contains { $0.quantifier != nil }
      }
      return true
    }
  }

  /// A condition on a whole match.
  struct Condition {
    var left: String
    var comparison: String
    var right: String
    var property = "vid"

    var text: String { "\(left).\(property) \(comparison) \(right).\(property)" }
  }

  var paths: [Path]
  var condition: Condition?

  /// What is asked for: names of elements with their properties, lists where there are several.
  var columns: [String] {
    var list: [String] = []
    func add(_ column: String) { if !list.contains(column) { list.append(column) } }
    for path in paths {
      if path.selector.isFree {
        for element in [path.vertices[0], path.vertices[path.vertices.count - 1]] {
          list.append("\(element.name ?? "?").vid")
        }
      }
      let variables = [path.variable, path.part?.variable].compactMap { $0 }
      for variable in variables {
        add("path_length(\(variable))")
        if path.selector.goesByCost { add("path_cost(\(variable))") }
      }
      for name in path.vertices.compactMap(\.name) { add("\(name).vid") }
      for link in path.links {
        guard let quantifier = link.quantifier, !quantifier.isOptional else {
          for name in link.sites.compactMap(\.name) { add("\(name).vid") }
          for name in link.edges.compactMap(\.element.name) { add("\(name).eid") }
          continue
        }
        for name in link.sites.compactMap(\.name) { add("array_to_string(\(name).vid, ',')") }
        for name in link.edges.compactMap(\.element.name) {
          add("array_to_string(\(name).eid, ',')")
        }
      }
      for variable in variables {
        add("array_to_string(vertices(\(variable)), ';')")
        add("array_to_string(edges(\(variable)), ';')")
      }
    }
    return list.isEmpty ? ["1"] : list
  }

  var sql: String {
    let filter = condition.map { " WHERE \($0.text)" } ?? ""
    let columns = columns.enumerated().map { "\($1) AS c\($0)" }.joined(separator: ", ")
    return
      "SELECT * FROM GRAPH_TABLE (g MATCH \(paths.map(\.text).joined(separator: ", "))\(filter) "
      + "COLUMNS (\(columns)))"
  }
}

/// A comparison of SQL: not true if either side is NULL.
func compare(_ left: Int?, _ comparison: String, _ right: Int?) -> Bool {
  guard let left, let right else { return false }
  switch comparison {
  case "<": return left < right
  case ">": return left > right
  case "<>": return left != right
  default: return left == right
  }
}
