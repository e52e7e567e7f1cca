import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

extension PlanCompiler {
  /// A scan with anti-joins over it as a set of the table's rows; nil for any other plan, and where
  /// the other sides are too large to be looked up row by row.
  func rowSet(_ plan: PhysicalPlan) throws(SQLError) -> TableRowSet? {
    guard let rows = plan.remainingRows else { return nil }
    let columns = plan.outputs.compactMap { output in
      rows.scan.columns.first { $0.column.id == output.id }
    }
    guard columns.count == plan.outputs.count else { return nil }
    var exclusions: [Walker] = []
    for exclusion in rows.exclusions {
      let access = exclusion.keyColumns.map { KeyAccess(rows.scan.table, [], keyColumns: $0) }
      exclusions.append(
        try Walker(exclusion.start, exclusion.steps, access: access, self))
    }
    return TableRowSet(rows.scan.table, TableColumns(columns), exclusions: exclusions)
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
