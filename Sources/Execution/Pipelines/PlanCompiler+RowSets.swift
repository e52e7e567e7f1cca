import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

extension PlanCompiler {
  /// A scan with anti-joins over it as a set of the table's rows; nil for any other plan, and where
  /// the other sides are too large to be looked up row by row.
  func rowSet(_ plan: PhysicalPlan) throws(SQLError) -> TableRowSet? {
    var exclusions: [Walker] = []
    guard let scan = try rowSet(plan, &exclusions) else { return nil }
    let columns = plan.outputs.compactMap { output in
      scan.columns.first { $0.column.id == output.id }
    }
    guard columns.count == plan.outputs.count else { return nil }
    return TableRowSet(scan.table, TableColumns(columns), exclusions: exclusions)
  }

  private func rowSet(
    _ plan: PhysicalPlan, _ exclusions: inout [Walker]
  ) throws(SQLError) -> TableScan? {
    switch plan.node {
    case .scan(let scan): return scan.filters.isEmpty ? scan : nil
    case .project(let input, let list):
      return input.gives(list) ? try rowSet(input, &exclusions) : nil
    case .hashJoin(let join):
      guard case .anti = join.kind, join.residual.isEmpty, !join.right.modifiesData,
        let scan = try rowSet(join.left, &exclusions), let walker = try walker(join, scan)
      else { return nil }
      exclusions.append(walker)
      return scan
    default: return nil
    }
  }

  /// Finding a row by key costs about as much as so many rows that go past a hash table.
  private static let exclusionCost = 4.0

  /// What leads from the right side of an anti-join to rows of the table scanned.
  private func walker(_ join: HashJoin, _ scan: TableScan) throws(SQLError) -> Walker? {
    var keys: [Int: BoundExpression] = [:]
    for key in join.keys {
      let (own, other) = join.isFlipped ? (key.build, key.probe) : (key.probe, key.build)
      guard !key.nullsMatch, !key.isNullAware, let id = own.asColumn,
        let column = scan.columns.first(where: { $0.column.id == id }), column.index >= 0,
        column.column.type.physical == other.type.physical, !other.callsSession,
        keys.updateValue(other, forKey: column.index) == nil
      else { return nil }
    }
    if let found = join.right.reached(keys, of: scan.table) {
      return try Walker(found.start, found.steps, access: nil, self)
    }
    let hasIndex = scan.table.hashIndices.contains { Set($0.columns) == Set(keys.keys) }
    guard hasIndex, join.right.estimatedRows * Self.exclusionCost <= join.left.estimatedRows
    else { return nil }
    let columns = keys.keys.sorted()
    return try Walker(
      .plan(join.right, columns.compactMap { keys[$0] }), [],
      access: KeyAccess(scan.table, [], keyColumns: columns), self)
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
