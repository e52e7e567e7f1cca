import Columnar

/// Moves LIMIT below projections, so that it meets the sort and fewer rows are projected, and into
/// the parts of UNION ALL.
struct LimitPushDown {
  func applied(_ plan: LogicalPlan) -> LogicalPlan {
    plan.changed { plan in
      guard case .limit(let input, let limit) = plan, limit.ties == nil else { return nil }
      return limited(input, limit)
    } ?? plan
  }

  private func limited(_ input: LogicalPlan, _ limit: LimitPlan) -> LogicalPlan {
    if case .project(let source, let columns) = input,
      limit.offset == nil || !columns.contains(where: \.expression.isVolatile)
    {
      return .project(limited(source, limit), columns)
    }
    if case .sort(.project(let source, let columns), let keys) = input {
      return postponed(source, columns, keys, limit) ?? .limit(input, limit)
    }
    if case .setOperation(var operation) = input, operation.kind == .union && operation.isAll {
      guard let count = limit.lastRow else { return .limit(input, limit) }
      operation.left = bounded(operation.left, count)
      operation.right = bounded(operation.right, count)
      return .limit(.setOperation(operation), limit)
    }
    if case .join(var join) = input {
      // Each left row comes out at least once, so no more of them are needed than rows are wanted.
      guard case .left = join.kind, !join.isLateral, let count = limit.lastRow else {
        return .limit(input, limit)
      }
      join.left = bounded(join.left, count)
      return .limit(.join(join), limit)
    }
    return .limit(input, limit)
  }

  /// A column by which nothing is sorted is computed for the rows that LIMIT lets through only, unless it could fail for others; a
  /// volatile one is for those that are skipped as well.
  private func postponed(
    _ source: LogicalPlan, _ columns: [ProjectedColumn], _ keys: [SortKey], _ limit: LimitPlan
  ) -> LogicalPlan? {
    let used = keys.reduce(into: ColumnSet()) { $1.expression.collectColumns(into: &$0) }
    let late = columns.filter { $0.expression.isBestLate && !used.contains($0.column.id) }
    guard !late.isEmpty else { return nil }
    let lateIDs = ColumnSet(late.map(\.column.id))
    var early = columns.filter { !lateIDs.contains($0.column.id) }
    let needed = late.reduce(into: ColumnSet()) { $1.expression.collectColumns(into: &$0) }
    let present = ColumnSet(early.map(\.column.id))
    for column in source.outputs where needed.contains(column.id) && !present.contains(column.id) {
      early.append(ProjectedColumn(column, column.reference))
    }
    let all = columns.map { column in
      lateIDs.contains(column.column.id)
        ? column : ProjectedColumn(column.column, column.column.reference)
    }
    let sorted = LogicalPlan.sort(.project(source, early), keys)
    if limit.offset != nil, late.contains(where: \.expression.isVolatile) {
      return .limit(.project(sorted, all), limit)
    }
    return .project(.limit(sorted, limit), all)
  }

  private func bounded(_ plan: LogicalPlan, _ count: Int64) -> LogicalPlan {
    if case .limit = plan { return plan }
    return limited(
      plan, LimitPlan(count: .constant(.int64(count), .bigint), offset: nil))
  }
}

extension BoundExpression {
  /// Whether nobody can tell when it is computed, but for the time that takes, or everybody who is shown it.
  fileprivate var isBestLate: Bool {
    if isVolatile { return true }
    return !isLeaf && cannotFail
  }
}
