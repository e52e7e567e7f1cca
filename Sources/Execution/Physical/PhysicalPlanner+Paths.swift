import Catalog
import Diagnostics
import Planning
import SQLSyntax

extension PhysicalPlanner {
  /// A join by paths, walked from the side with fewer rows.
  func planned(_ logical: LogicalPlan, _ path: PathPlan) throws(SQLError) -> PlannedOperator {
    let input = try planned(path.input)
    let target = try planned(path.target)
    func side(_ plan: LogicalPlan) throws(SQLError) -> PhysicalPlan {
      try planned(plan).exactly(plan.outputs).plan
    }
    var conditions: [PhysicalPlan] = []
    for plan in path.conditions { conditions.append(try side(plan)) }
    var links: [PhysicalPlan] = []
    for plan in path.links { links.append(try side(plan)) }
    var costs: [PhysicalPlan] = []
    for plan in path.costs { costs.append(try side(plan)) }
    var search = PathSearch(
      input: input.plan, start: path.start, target: target.plan, end: path.end,
      pattern: path.pattern, conditions: conditions, links: links, costs: costs,
      outputs: path.outputs, isReversed: false)
    if target.plan.estimatedRows < input.plan.estimatedRows { search = search.reversed() }
    return finish(logical, .pathSearch(search), search.columns, [input, target])
  }
}

extension PathSearch {
  /// The search in the words of EXPLAIN.
  var summary: String {
    let words: String
    switch pattern.selector {
    case .all:
      switch pattern.mode {
      case .walk: words = ""
      case .trail: words = "Trail "
      case .simple: words = "Simple "
      case .acyclic: words = "Acyclic "
      }
    case .any: words = "Any "
    case .allShortest, .shortest, .shortestGroups: words = "Shortest "
    case .allCheapest, .cheapest: words = "Cheapest "
    }
    var steps: [String] = []
    for segment in pattern.segments {
      let edges = segment.hops.map { hops in
        var names: [String] = []
        for hop in hops {
          let name = ExpressionPrinter.quoted(pattern.edges[hop.edge].name.name)
          if !names.contains(name) { names.append(name) }
        }
        return names.joined(separator: "|")
      }
      let bounds = segment.maximum.map { "\($0)" } ?? ""
      let isOnce = segment.minimum == 1 && segment.maximum == 1
      steps.append(
        edges.joined(separator: ", ") + (isOnce ? "" : "{\(segment.minimum),\(bounds)}"))
    }
    let from = ExpressionPrinter.quoted(pattern.vertices[pattern.startTable].name.name)
    let to = ExpressionPrinter.quoted(pattern.vertices[pattern.endTable].name.name)
    return "\(words)Path Search on \(steps.joined(separator: ", ")): \(from) -> \(to)"
  }
}
