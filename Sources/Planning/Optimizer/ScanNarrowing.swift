import Catalog

/// Leaves columns out of scans that nothing in the statement names, before any rule has to carry them along.
///
/// A scan is bound with all columns of its table, of which a query of a wide table names few, while every rule asks every operator
/// for what it hands up. `ProjectionPruning` looks closer, at what is used from where; here a column stays as soon as some
/// expression names it. Columns of keys stay in any case: they tell which rows are different.
struct ScanNarrowing {
  private var named = ColumnSet()
  private var hasSubqueries = false

  /// The plan with the same columns.
  static func applied(_ plan: LogicalPlan) -> LogicalPlan {
    // A change of data names columns of its input in many ways.
    if plan.contains(where: \.changesData) { return plan }
    var narrowing = ScanNarrowing()
    narrowing.collectWhole(plan)
    return plan.changed(narrowing.narrowed) ?? plan
  }

  /// Notes what a plan names, and all columns that it hands up.
  private mutating func collectWhole(_ plan: LogicalPlan) {
    named.formUnion(plan.outputIDs)
    collect(plan)
  }

  private mutating func collect(_ plan: LogicalPlan) {
    _ = plan.containsExpression { expression in
      collect(expression)
      return false
    }
    if plan.countsColumns {
      plan.forEachInput { collectWhole($0) }
    } else {
      plan.forEachInput { collect($0) }
    }
  }

  private mutating func collect(_ expression: BoundExpression) {
    if case .column(let id, _) = expression { named.insert(id) }
    if case .subquery(let subquery) = expression {
      hasSubqueries = true
      collectWhole(subquery.plan)
    }
    expression.forEachChild { collect($0) }
  }

  /// The operator with scans that read fewer columns, in the subqueries of its expressions too; nil if it stays.
  private func narrowed(_ plan: LogicalPlan) -> LogicalPlan? {
    guard case .scan(let scan) = plan else { return narrowedExpressions(plan) }
    let kept = scan.columns.filter { column in
      column.index < 0 || named.contains(column.column.id)
        || scan.table.keys.contains { $0.columns.contains(column.index) }
    }
    if kept.count == scan.columns.count { return narrowedExpressions(plan) }
    var result = scan
    result.columns = kept
    return narrowedExpressions(.scan(result)) ?? .scan(result)
  }

  private func narrowedExpressions(_ plan: LogicalPlan) -> LogicalPlan? {
    hasSubqueries ? plan.changingExpressions(narrowed) : nil
  }

  private func narrowed(_ expression: BoundExpression) -> BoundExpression? {
    expression.changed { part in
      guard case .subquery(var subquery) = part, let plan = subquery.plan.changed(narrowed) else {
        return nil
      }
      subquery.plan = plan
      return .subquery(subquery)
    }
  }
}

extension LogicalPlan {
  /// Whether columns of the inputs count by number, or in other ways than by being named in an expression.
  fileprivate var countsColumns: Bool {
    switch self {
    case .distinct(_, on: nil), .setOperation, .recursive, .withCommon, .path: true
    case .scan, .values, .filter, .project, .projectSet, .join, .aggregate, .window, .sort, .limit,
      .distinct, .workingTable, .commonReference, .tableFunction, .modify:
      false
    }
  }
}
