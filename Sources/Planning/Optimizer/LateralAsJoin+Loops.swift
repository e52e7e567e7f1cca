import Catalog
import Columnar

extension Unnesting {
  /// Whether a right side is best run for each left row: where it asks for the first rows, or the first value, of a table that stands in
  /// that order, and is equal to the left row in nothing, or in what many rows of the table have.
  ///
  /// Each run ends after a few pages then. For all left rows at once each would be compared with all rows of the table that it is equal
  /// to, or with half of them.
  func endsEarly(_ right: LogicalPlan, _ outer: ColumnSet) -> Bool {
    guard let order = right.firstOrder, let scan = order.rows.scan(of: order.column),
      let table = statistics(scan.table.id), table.rowCount >= Self.loopedRowMin,
      let index = scan.columns.first(where: { $0.column.id == order.column })?.index, index >= 0,
      table.column(index)?.isInOrder() ?? false
    else { return false }
    let correlated = order.rows.conditionsBelow.filter { $0.uses(outer) }
    var combinations = 1.0
    for condition in correlated where condition.equates(outer) {
      guard let column = condition.equated(of: scan, outer),
        let count = table.column(column)?.distinctCount
      else { return false }
      combinations *= max(1, count)
    }
    if combinations == 1 { return !correlated.isEmpty }
    // So many rows have to be read until enough are found.
    let read = Double(order.count) * combinations
    return table.rowCount / combinations >= Self.loopedMatchMin && read * 4 <= table.rowCount
  }

  /// In fewer rows than stand in some pages there is no way to stop early.
  private static let loopedRowMin = 16_384.0
  /// Fewer rows that a left row is equal to are looked at in the time of a run.
  private static let loopedMatchMin = 4096.0
}

extension LogicalPlan {
  /// The column by which the first rows are wanted, or whose least or greatest value is, of which rows, and how many; nil for anything
  /// else.
  fileprivate var firstOrder: (column: ColumnID, rows: LogicalPlan, count: Int64)? {
    switch self {
    case .project(let input, _): return input.firstOrder
    case .limit(let input, let limit):
      guard limit.ties == nil, case .int64(let count)? = limit.count?.asConstant,
        let (column, rows) = input.sortedBelow
      else { return nil }
      return (column, rows, count)
    case .aggregate(let aggregate):
      guard aggregate.keys.isEmpty, aggregate.groupingSets == nil,
        aggregate.aggregates.count == 1, let call = aggregate.aggregates.first?.call,
        ["min", "max"].contains(call.name), call.filter == nil,
        let column = call.arguments.first?.asColumn
      else { return nil }
      return aggregate.input.renamed(column).map { ($0, aggregate.input, 1) }
    case .scan, .values, .filter, .projectSet, .join, .path, .window, .sort, .distinct,
      .setOperation, .recursive, .workingTable, .withCommon, .commonReference, .tableFunction,
      .modify:
      return nil
    }
  }

  private var sortedBelow: (column: ColumnID, rows: LogicalPlan)? {
    if case .project(let input, _) = self { return input.sortedBelow }
    guard case .sort(let input, let keys) = self, let column = keys.first?.expression.asColumn
    else { return nil }
    return input.renamed(column).map { ($0, input) }
  }

  /// The column of a scan below that a column is; joins may add to the scan's rows, and leave some out.
  private func renamed(_ column: ColumnID) -> ColumnID? {
    switch self {
    case .project(let input, let columns):
      let source = columns.first { $0.column.id == column }?.expression.asColumn
      return source.flatMap(input.renamed)
    case .filter(let input, _): return input.renamed(column)
    case .join(let join):
      if join.isLateral { return nil }
      if join.left.outputIDs.contains(column) {
        return join.kind.keepsLeft ? join.left.renamed(column) : nil
      }
      return join.kind.isInner ? join.right.renamed(column) : nil
    case .scan: return column
    case .values, .projectSet, .path, .aggregate, .window, .sort, .limit, .distinct, .setOperation,
      .recursive, .workingTable, .withCommon, .commonReference, .tableFunction, .modify:
      return nil
    }
  }

  /// The scan below that a column comes from.
  fileprivate func scan(of column: ColumnID) -> ScanPlan? {
    switch self {
    case .project(let input, _), .filter(let input, _): input.scan(of: column)
    case .join(let join): join.left.scan(of: column) ?? join.right.scan(of: column)
    case .scan(let scan): scan.columns.contains { $0.column.id == column } ? scan : nil
    case .values, .projectSet, .path, .aggregate, .window, .sort, .limit, .distinct, .setOperation,
      .recursive, .workingTable, .withCommon, .commonReference, .tableFunction, .modify:
      nil
    }
  }

  /// The conditions of filters and joins below.
  fileprivate var conditionsBelow: [BoundExpression] {
    switch self {
    case .project(let input, _): input.conditionsBelow
    case .filter(let input, let conditions):
      conditions.flatMap(\.conjuncts) + input.conditionsBelow
    case .join(let join):
      join.conditions.flatMap(\.conjuncts) + join.left.conditionsBelow
        + join.right.conditionsBelow
    case .scan, .values, .projectSet, .path, .aggregate, .window, .sort, .limit, .distinct,
      .setOperation, .recursive, .workingTable, .withCommon, .commonReference, .tableFunction,
      .modify:
      []
    }
  }
}

extension BoundExpression {
  /// Whether something of the own columns is equal to something of outer columns.
  fileprivate func equates(_ outer: ColumnSet) -> Bool {
    guard case .comparison(.equal, let left, let right) = self else { return false }
    return left.uses(outer) != right.uses(outer)
  }

  /// The index of a scan's column that is equal to something of outer columns; nil for any other condition.
  fileprivate func equated(of scan: ScanPlan, _ outer: ColumnSet) -> Int? {
    guard case .comparison(.equal, let left, let right) = self else { return nil }
    let own = left.uses(outer) ? right : left
    return own.asColumn.flatMap { id in scan.columns.first { $0.column.id == id }?.index }
  }
}
