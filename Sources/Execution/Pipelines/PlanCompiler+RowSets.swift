import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

extension PlanCompiler {
  /// A scan with anti-joins over it as a set of the table's rows; nil for any other plan, and where
  /// the other sides are too large to be looked up row by row.
  func rowSet(_ plan: PhysicalPlan) throws(SQLError) -> TableRowSet? {
    var exclusions: [any PositionFinder] = []
    guard let scan = try rowSet(plan, &exclusions) else { return nil }
    let columns = plan.outputs.compactMap { output in
      scan.columns.first { $0.column.id == output.id }
    }
    guard columns.count == plan.outputs.count else { return nil }
    return TableRowSet(scan.table, TableColumns(columns), exclusions: exclusions)
  }

  private func rowSet(
    _ plan: PhysicalPlan, _ exclusions: inout [any PositionFinder]
  ) throws(SQLError) -> TableScan? {
    switch plan.node {
    case .scan(let scan): return scan.filters.isEmpty ? scan : nil
    case .project(let input, let list):
      return input.gives(list) ? try rowSet(input, &exclusions) : nil
    case .hashJoin(let join):
      guard case .anti = join.kind, !join.isFlipped, join.residual.isEmpty,
        !join.build.modifiesData,
        join.build.estimatedRows * Self.exclusionCost <= join.probe.estimatedRows,
        let scan = try rowSet(join.probe, &exclusions),
        let finder = try positionFinder(join, scan)
      else { return nil }
      exclusions.append(finder)
      return scan
    default: return nil
    }
  }

  /// Finding a row by key costs about as much as so many rows that go past a hash table.
  private static let exclusionCost = 4.0

  /// What leads from the build side of an anti-join to rows of the table scanned.
  private func positionFinder(
    _ join: HashJoin, _ scan: TableScan
  ) throws(SQLError) -> (any PositionFinder)? {
    var keys: [Int: BoundExpression] = [:]
    for key in join.keys {
      guard !key.nullsMatch, !key.isNullAware, let id = key.probe.asColumn,
        let column = scan.columns.first(where: { $0.column.id == id }), column.index >= 0,
        column.column.type.physical == key.build.type.physical, !key.build.callsSession,
        keys.updateValue(key.build, forKey: column.index) == nil
      else { return nil }
    }
    let hasIndex = scan.table.hashIndices.contains { Set($0.columns) == Set(keys.keys) }
    guard hasIndex else { return nil }
    if let finder = try neighbourFinder(join.build, scan, keys) { return finder }
    let columns = keys.keys.sorted()
    return KeyPositionFinder(
      try stream(join.build),
      keys: try expressions(over: join.build.outputs)
        .compile(columns.compactMap { keys[$0] }),
      KeyAccess(scan.table, [], keyColumns: columns))
  }

  /// The short way along a junction: the neighbours of one row are positions already.
  private func neighbourFinder(
    _ build: PhysicalPlan, _ scan: TableScan, _ keys: [Int: BoundExpression]
  ) throws(SQLError) -> (any PositionFinder)? {
    guard case .adjacencyLookup(let lookup) = build.node, lookup.keys.count == 1,
      lookup.step.to == nil, lookup.step.filters.isEmpty
    else { return nil }
    var step = lookup.step
    let edge = step.edgeTable
    let found = edge.foreignKeys.indices.first { number in
      let foreign = edge.foreignKeys[number]
      guard number != step.from, foreign.parent == scan.table.id,
        foreign.alwaysHasParent, Set(foreign.parentColumns) == Set(keys.keys)
      else { return false }
      return zip(foreign.columns, foreign.parentColumns).allSatisfy { own, other in
        guard let id = keys[other]?.asColumn else { return false }
        return step.edgeColumns.contains { $0.column.id == id && $0.index == own }
      }
    }
    guard let found else { return nil }
    step.to = found
    step.edgeColumns = []
    step.neighbourTable = scan.table
    step.neighbourColumns = scan.columns.filter { keys[$0.index] != nil }
    return NeighbourPositionFinder(step, key: try expressions(over: []).compile(lookup.keys[0]))
  }

  /// The rows of a set in the order that the table keeps; nil for a plan that is no set of rows, or no
  /// order by stored columns.
  func storedOrder(
    _ input: PhysicalPlan, _ keys: [SortKey], limit: LimitPlan?
  ) throws(SQLError) -> Stream? {
    guard !isMeasured, loopDepth == 0, let rows = try rowSet(input) else { return nil }
    var columns: [Int] = []
    for key in keys {
      guard let id = key.expression.asColumn,
        let place = input.outputs.firstIndex(where: { $0.id == id })
      else { return nil }
      let index = rows.columns.indices[place]
      guard index >= 0 else { return nil }
      columns.append(index)
    }
    let compiler = expressions(over: input.outputs)
    func evaluator() throws(SQLError) -> LimitEvaluator? {
      guard let limit else { return nil }
      return try LimitEvaluator(limit, compiler)
    }
    let sort = SortSource(
      keys, limit: try evaluator(),
      Stream(source: RowSetSource(rows), outputs: input.outputs), compiler)
    return Stream(
      source: StoredOrderSource(
        rows, by: StoredOrders.Key(columns: columns, orders: keys.map(\.order)),
        limit: try evaluator(), sort: sort),
      outputs: [])
  }

  /// `count(*)` of rows that are counted without being looked at; nil for any other aggregation.
  func rowCount(_ node: AggregateNode, _ input: Stream) -> Stream? {
    guard node.keys.isEmpty, node.groupingSets == nil, node.groupings.isEmpty,
      !node.aggregates.isEmpty, input.operators.isEmpty, input.source.knowsRowCount,
      node.aggregates.allSatisfy({ item in
        item.call.name == "count" && item.call.arguments.isEmpty && item.call.filter == nil
          && !item.call.isDistinct
      })
    else { return nil }
    return Stream(
      source: RowCountSource(input.source, columns: node.aggregates.map(\.column)), outputs: [])
  }
}
