import Catalog
import Columnar
import Planning
import Storage

/// Closures in place of searches for one path: where a path is of edges along one pair of foreign keys, as many as wanted.
extension PhysicalPlanner {
  /// Of more edges a bounded number of rounds is left to a walk, whose workers share them.
  private static let closureEdgeLimit = 65_536.0

  /// The ends of paths as a closure; nil where a way has several edges or must be of more than one, and where sets of rows are better.
  func closure(_ ends: PathEnds, _ search: PathSearch, _ rows: Double) -> PhysicalPlan? {
    guard ends.segment.minimum <= 1, ends.start.filters.isEmpty, ends.route.steps.count == 1,
      let to = ends.route.steps[0].to,
      let onEdges = ends.route.edgeConditions.first
    else { return nil }
    let step = ends.route.steps[0]
    let table = step.edgeTable
    let edgeCount = statistics(table.id)?.rowCount ?? .infinity
    guard
      ends.segment.maximum == nil || !onEdges.filters.isEmpty || edgeCount <= Self.closureEdgeLimit,
      table.foreignKeys[to].columns.count == 1,
      let index = table.foreignKeys[to].parentColumns.first, let neighbour = step.neighbourTable,
      let conditional = conditional(step, entry: ends.route.entry, onEdges)
    else { return nil }
    // Nobody reads the positions of both ends, so their names are free for what a closure gives beside what is wanted.
    let known = ends.columns.first { $0.index == index }?.column
    let key = known ?? PlanColumn(search.end, "node", neighbour.columns[index].type)
    var rounds: RoundCount?
    if ends.length != nil || ends.segment.maximum != nil {
      let column = ends.length ?? PlanColumn(search.start, "path_length", .integer)
      rounds = RoundCount(column, at: 1, from: ends.segment.minimum, to: ends.segment.maximum)
    }
    var bare = step
    bare.filters = []
    bare.neighbourColumns = [ScanPlan.Column(key, index: index)]
    guard
      let walk = ClosureWalk(
        bare, conditional: conditional.filters.isEmpty ? nil : conditional, rounds: rounds)
    else { return nil }
    let more = ends.columns.filter { $0.column != known }
    var closure = Closure(
      from: ends.start, isGiven: ends.segment.minimum == 0, walk, reading: more)
    closure.alias = ends.scan.alias
    let outputs = [key] + (rounds.map { [$0.column] } ?? []) + more.map(\.column)
    let reached = PhysicalPlan(.closure(closure), outputs: outputs, estimatedRows: rows)
    if ends.filters.isEmpty { return reached }
    return PhysicalPlan(
      .filter(reached, ends.filters), outputs: outputs, estimatedRows: rows)
  }

  /// A step with all that its edges and their ends must meet, as conditions on the edges where these repeat what is asked; nil where a
  /// row that is walked from is asked for more.
  private func conditional(
    _ step: AdjacencyStep, entry: RowCondition, _ onEdges: RowCondition
  ) -> AdjacencyStep? {
    let table = step.edgeTable
    var edges = onEdges
    for part in entry.parts {
      guard let repeated = part.repeated(table.foreignKeys[step.from].edgePlaces, in: table) else {
        return nil
      }
      edges.add(repeated)
    }
    var result = step
    // Those of one table only are kept from run to run.
    if let to = step.to, !edges.filters.isEmpty,
      let arrival = RowCondition(columns: step.neighbourColumns, filters: step.filters)
        .repeated(table.foreignKeys[to].edgePlaces, in: table)
    {
      edges.add(arrival)
      result.neighbourColumns = []
      result.filters = []
    }
    result.edgeColumns += edges.columns
    result.filters += edges.filters
    return result
  }

  /// A closure in place of a join that looks up more columns of the rows that it reaches.
  func closureReading(_ plan: PhysicalPlan) -> PhysicalPlan? {
    guard case .lookupJoin(let join) = plan.node, join.columns.allSatisfy({ $0.index >= 0 }),
      let (below, places) = join.input.closurePlaces, case .closure(var closure) = below.node,
      closure.reachesRowsOnly, closure.table == join.table.id,
      join.keyColumns == [closure.keyColumn],
      join.keys.first?.asColumn.flatMap({ places[$0] }) == closure.walk.place
    else { return nil }
    switch join.kind {
    case .inner: break
    case .left, .single: if !join.filters.isEmpty { return nil }
    case .right, .full, .semi, .anti, .mark: return nil
    }
    closure.columns += join.columns
    closure.alias = join.alias
    let outputs = below.outputs + join.columns.map(\.column)
    var reached = below
    reached.node = .closure(closure)
    reached.outputs = outputs
    var list: [BoundExpression] = []
    for column in join.input.outputs {
      guard let place = places[column.id] else { return nil }
      list.append(below.outputs[place].reference)
    }
    let columns = join.input.outputs + join.columns.map(\.column)
    list += join.columns.map(\.column.reference)
    let read = PhysicalPlan(
      .project(reached, list), outputs: columns, estimatedRows: below.estimatedRows)
    if join.filters.isEmpty { return read.with(outputs: plan.outputs) }
    return PhysicalPlan(
      .filter(read, join.filters), outputs: columns, estimatedRows: plan.estimatedRows
    ).with(outputs: plan.outputs)
  }
}

extension ForeignKeyConstraint {
  /// The column of an edge that repeats each column of the parent that the key refers to.
  fileprivate var edgePlaces: [Int: Int] {
    Dictionary(zip(parentColumns, columns), uniquingKeysWith: { first, _ in first })
  }
}
