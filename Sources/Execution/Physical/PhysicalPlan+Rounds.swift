import Columnar
import Planning
import Storage

/// Closures of which it is enough that each row comes once, in the first round that leads to it, though the recursion would give it
/// for each length of the ways to it, or for each way.
extension PhysicalPlan {
  /// The plan with such a closure below an aggregation or a DISTINCT that cannot tell; any other as it is.
  ///
  /// Ways of a bounded length are many times as many as the rows that they lead to.
  var reachingOnce: PhysicalPlan {
    var result = self
    if case .distinct(let input, on: nil) = node {
      guard let below = input.reachingOnce(reading: input.outputs.ids) else {
        return self
      }
      result.node = .distinct(below, on: nil)
    } else if case .aggregate(var aggregate) = node, aggregate.partial == nil {
      if let first = firstRounds(aggregate) { return first }
      guard aggregate.aggregates.allSatisfy(\.call.ignoresRepetition),
        let below = aggregate.input.reachingOnce(reading: aggregate.inputColumns)
      else { return self }
      aggregate.input = below
      result.node = .aggregate(aggregate)
    }
    return result
  }

  /// The same rows with the closure below giving each once; nil unless there is one, whose rounds are not read.
  private func reachingOnce(reading used: ColumnSet) -> PhysicalPlan? {
    var result = self
    if case .closure(let closure) = node {
      guard let once = closure.once else { return nil }
      if let rounds = closure.walk.rounds, used.contains(outputs[rounds.place].id) { return nil }
      result.node = .closure(once)
    } else if case .project(let input, let list) = node {
      guard list.allSatisfy(\.isRepeatable) else { return nil }
      let kept = zip(outputs, list).filter { used.contains($0.0.id) }.map(\.1)
      guard let below = input.reachingOnce(reading: kept.columns) else { return nil }
      result.node = .project(below, list)
    } else if case .filter(let input, let conditions) = node {
      guard conditions.allSatisfy(\.isRepeatable),
        let below = input.reachingOnce(reading: used.union(conditions.columns))
      else { return nil }
      result.node = .filter(below, conditions)
    } else {
      return nil
    }
    return result
  }

  /// Whether the plan gives the rows that a closure reaches, each once, with their key.
  var givesEachRowOnce: Bool {
    guard let (plan, places) = closurePlaces, case .closure(let closure) = plan.node,
      case .never = closure.repetition, closure.walk.carriedCount == 0, closure.reachesRowsOnly
    else { return false }
    return outputs.contains { places[$0.id].map(closure.isKey) ?? false }
  }

  /// The least number of rounds to each row, by all of its other columns: what a closure gives that reaches each row once.
  private func firstRounds(_ node: AggregateNode) -> PhysicalPlan? {
    guard node.groupingSets == nil, node.groupings.isEmpty, !node.aggregates.isEmpty,
      let (below, places) = node.input.closurePlaces, case .closure(let closure) = below.node,
      let rounds = closure.walk.rounds, let once = closure.once
    else { return nil }
    var list: [BoundExpression] = []
    var grouped: Set<Int> = []
    for key in node.keys {
      guard let place = key.expression.asColumn.flatMap({ places[$0] }), place != rounds.place
      else { return nil }
      grouped.insert(place)
      list.append(below.outputs[place].reference)
    }
    guard grouped.count == below.outputs.count - 1 else { return nil }
    let nearest = rounds.increment > 0 ? "min" : "max"
    for call in node.aggregates.map(\.call) {
      guard call.name == nearest, call.filter == nil, call.arguments.count == 1,
        call.arguments[0].asColumn.flatMap({ places[$0] }) == rounds.place
      else { return nil }
      list.append(below.outputs[rounds.place].reference)
    }
    var reached = below
    reached.node = .closure(once)
    var result = self
    result.node = .project(reached, list)
    return result
  }

  /// The closure below columns that are only handed on, and the place among its own of each of them.
  var closurePlaces: (PhysicalPlan, ColumnMap<Int>)? {
    var places: ColumnMap<Int> = [:]
    if case .closure = node {
      for (place, column) in outputs.enumerated() { places[column.id] = place }
      return (self, places)
    }
    guard case .project(let input, let list) = node, let (plan, below) = input.closurePlaces else {
      return nil
    }
    for (column, expression) in zip(outputs, list) {
      places[column.id] = expression.asColumn.flatMap { below[$0] }
    }
    return (plan, places)
  }
}
