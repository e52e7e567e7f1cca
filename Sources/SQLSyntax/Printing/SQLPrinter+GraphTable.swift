/// GRAPH_TABLE.
extension SQLPrinter {
  mutating func write(_ table: GraphTable) {
    put("GRAPH_TABLE (")
    if let graph = table.graph { write(graph) } else { put("*") }
    put(" MATCH ")
    for (index, path) in table.paths.enumerated() {
      if index > 0 { put(", ") }
      write(path)
    }
    write(filter: table.filter)
    put(" COLUMNS (")
    writeItems(table.columns, isSpaced: false)
    put("))")
  }

  private mutating func write(filter: Expression?, cost: Expression? = nil) {
    if let filter {
      put(" WHERE ")
      write(filter)
    }
    if let cost {
      put(" COST ")
      write(cost)
    }
  }

  private mutating func write(_ path: PathPattern) {
    if let variable = path.variable {
      write(variable)
      put(" = ")
    }
    if let prefix = path.prefix {
      put(prefix.selector.words + prefix.mode.rawValue)
      if case .shortestGroups = prefix.selector { put(" GROUPS") }
      put(" ")
    }
    for term in path.terms { write(term) }
  }

  private mutating func write(_ term: PathTerm) {
    switch term.kind {
    case .vertex(let element):
      put("(")
      write(element)
      put(")")
    case .edge(let element, let direction):
      put(direction == .left ? "<-[" : "-[")
      write(element)
      put(direction == .right ? "]->" : "]-")
    case .group(let group):
      put("(")
      if let variable = group.variable {
        write(variable)
        put(" = ")
      }
      if let mode = group.mode { put(mode.rawValue + " ") }
      for term in group.terms { write(term) }
      write(filter: group.filter, cost: group.cost)
      put(")")
    }
    if let quantifier = term.quantifier { put(quantifier.text) }
  }

  private mutating func write(_ element: ElementPattern) {
    if let variable = element.variable { write(variable) }
    if let label = element.label {
      put(element.variable == nil ? "IS " : " IS ")
      write(label)
    }
    write(filter: element.filter, cost: element.cost)
  }

  private mutating func write(_ label: LabelExpression) {
    switch label.kind {
    case .name(let name): write(name)
    case .any: put("%")
    case .not(let inner):
      put("!")
      writeNested(inner)
    case .and(let left, let right):
      writeNested(left)
      put(" & ")
      writeNested(right)
    case .or(let left, let right):
      writeNested(left)
      put(" | ")
      writeNested(right)
    }
  }

  private mutating func writeNested(_ label: LabelExpression) {
    switch label.kind {
    case .name, .any: write(label)
    case .not, .and, .or:
      put("(")
      write(label)
      put(")")
    }
  }
}

extension PathPrefix.Selector {
  /// The words before the mode, with a blank behind them.
  fileprivate var words: String {
    switch self {
    case .all: "ALL "
    case .any(let count): count == 1 ? "ANY " : "ANY \(count) "
    case .allShortest: "ALL SHORTEST "
    case .shortest(let count): count == 1 ? "ANY SHORTEST " : "SHORTEST \(count) "
    case .shortestGroups(let count): "SHORTEST \(count) "
    case .allCheapest: "ALL CHEAPEST "
    case .cheapest(let count): count == 1 ? "ANY CHEAPEST " : "CHEAPEST \(count) "
    }
  }
}

extension PathQuantifier {
  /// The quantifier as it is written.
  package var text: String {
    switch (minimum, maximum) {
    case _ where isOptional: "?"
    case (0, nil): "*"
    case (1, nil): "+"
    case (let minimum, let maximum):
      if minimum == maximum {
        "{\(minimum)}"
      } else {
        "{\(minimum),\(maximum.map { "\($0)" } ?? "")}"
      }
    }
  }
}
