import Catalog
import Columnar

/// Counts groups first, and computes other aggregates for those alone that LIMIT leaves by their counts.
///
/// `SELECT course_id, count(*), avg(grade) … GROUP BY course_id ORDER BY count(*) DESC LIMIT 10` asks of ten courses for a mean.
/// Where an index says how many rows each group has, or how many pairs, no row is read to find the first of them; the rows of
/// those are then looked up by the same index.
struct LateAggregates {
  let statistics: StatisticsSource
  let factory: ColumnFactory

  /// Fewer rows are soon aggregated.
  private static let rowMin = 50_000.0
  /// So many times as many groups there are as are wanted, at least.
  private static let groupsOfWanted = 20.0

  func applied(_ plan: LogicalPlan) -> LogicalPlan { plan.changed(rewritten) ?? plan }

  private func rewritten(_ plan: LogicalPlan) -> LogicalPlan? {
    guard case .limit(.sort(let input, let keys), let limit) = plan, limit.ties == nil,
      let rows = limit.lastRow, let lower = lowered(input, keys, rows)
    else { return nil }
    return .limit(.sort(lower, keys), limit)
  }

  /// The plan with no more groups than are wanted; `having` are conditions on them.
  private func lowered(
    _ plan: LogicalPlan, _ keys: [SortKey], _ rows: Int64, having: [BoundExpression] = []
  ) -> LogicalPlan? {
    if case .project(let input, let list) = plan, having.isEmpty {
      // Whether an error of a group that nobody sees is raised should not hang on this.
      guard list.allSatisfy({ !$0.expression.isVolatile && $0.expression.cannotFail }) else {
        return nil
      }
      return lowered(input, keys.replacing(list), rows).map { .project($0, list) }
    }
    if case .filter(let input, let conditions) = plan, having.isEmpty {
      return lowered(input, keys, rows, having: conditions)
    }
    guard case .aggregate(let aggregate) = plan else { return nil }
    return counted(aggregate, keys, rows, having)
  }

  private func counted(
    _ aggregate: AggregatePlan, _ order: [SortKey], _ rows: Int64, _ having: [BoundExpression]
  ) -> LogicalPlan? {
    let notNull = aggregate.input.notNullColumns
    let counts = aggregate.aggregates.filter { $0.call.countsRows(notNull) }
    let isCounted = order.first?.expression.asColumn.map { first in
      counts.contains { $0.column.id == first }
    }
    guard isCounted ?? false, counts.count < aggregate.aggregates.count,
      aggregate.groupingSets == nil, aggregate.groupings.isEmpty,
      aggregate.keys.allSatisfy({ $0.expression.asColumn != nil }),
      aggregate.aggregates.allSatisfy({ $0.call.cannotFail { _ in nil } }),
      !LogicalPlan.aggregate(aggregate).isVolatile,
      aggregate.input.isCountedByIndex(ColumnSet(aggregate.keys.compactMap(\.expression.asColumn))),
      pays(aggregate, rows)
    else { return nil }
    // Groups that are counted have columns of their own; those of the aggregation are given by the one above.
    var names: ColumnMap<BoundExpression> = [:]
    func renamed(_ column: PlanColumn) -> PlanColumn {
      let own = factory.make(column.name, column.type)
      names[column.id] = own.reference
      return own
    }
    guard let copies = PlanCopies(repeating: aggregate.input, factory) else { return nil }
    var groups = aggregate
    groups.keys = aggregate.keys.map { ProjectedColumn(renamed($0.column), $0.expression) }
    groups.aggregates = counts.map { AggregatePlan.Item(renamed($0.column), $0.call) }
    let known = ColumnSet(names.keys)
    guard having.columns.isSubset(of: known), order.allSatisfy(\.expression.cannotFail) else {
      return nil
    }
    let first = Array(order.prefix { $0.expression.columns.isSubset(of: known) }).map { key in
      var key = key
      key.expression = key.expression.replacing(names)
      return key
    }
    let wanted = LogicalPlan.limit(
      .sort(
        LogicalPlan.aggregate(groups).filtered(having.map { $0.replacing(names) }), first),
      LimitPlan(
        count: .constant(.int64(rows), .bigint), offset: nil,
        ties: first.count < order.count ? first : nil))
    let conditions = zip(aggregate.keys, groups.keys).map { key, group in
      let own = copies.second.of([key.expression])[0]
      return key.expression.isNeverNull(notNull)
        ? BoundExpression.comparison(.equal, own, group.column.reference)
        : .distinct(own, group.column.reference, negated: true)
    }
    var result = aggregate
    result.input = .join(JoinPlan(.inner, wanted, copies.second.plan, on: conditions))
    let countIDs = ColumnSet(counts.map(\.column.id))
    result.keys = (aggregate.keys.map(\.column) + counts.map(\.column)).map {
      ProjectedColumn($0, names[$0.id] ?? $0.reference)
    }
    result.aggregates = aggregate.aggregates.filter { !countIDs.contains($0.column.id) }
      .map { AggregatePlan.Item($0.column, copies.second.of($0.call)) }
    return LogicalPlan.aggregate(result)
      .restricted(to: LogicalPlan.aggregate(aggregate).outputs)
  }

  private func pays(_ aggregate: AggregatePlan, _ rows: Int64) -> Bool {
    let input = RelationProfile.of(aggregate.input, statistics: statistics, commons: [:])
    guard input.rows >= Self.rowMin else { return false }
    let groups = input.groupCount(aggregate.keys.compactMap(\.expression.asColumn))
    return Double(rows) * Self.groupsOfWanted <= groups
  }
}

extension AggregateCall {
  /// Whether it is the number of rows.
  fileprivate func countsRows(_ notNull: ColumnSet) -> Bool {
    name == "count" && !isDistinct && filter == nil && orderBy.isEmpty
      && arguments.allSatisfy { $0.isNeverNull(notNull) }
  }
}

extension LogicalPlan {
  /// Whether indices tell how many rows have the same values of some columns: rows of one table with the same parent, with that
  /// parent or without, or pairs of such rows that share another parent.
  fileprivate func isCountedByIndex(_ keys: ColumnSet) -> Bool {
    var tables = JoinedTables()
    guard tables.collect(self) else { return false }
    let parents = tables.scans.filter { parent in
      parent.table.keys.contains { key in
        let columns = key.columns.compactMap(parent.columnID)
        return columns.count == key.columns.count && keys.isSuperset(of: columns)
      }
    }
    let children = tables.scans.filter { scan in
      !parents.contains { $0.identity == scan.identity }
    }
    guard !children.isEmpty, children.count <= 2, parents.count <= children.count else {
      return false
    }
    for child in children {
      // It is joined by foreign keys and by nothing else.
      let named = child.table.foreignKeys.filter(\.isEnforced).flatMap(\.columns)
      let foreign = ColumnSet(named.compactMap(child.columnID))
      if !child.columnIDs.allSatisfy({ tables.equal[$0] == nil || foreign.contains($0) }) {
        return false
      }
      // It is grouped by one of them, or joined with the parent that is grouped by.
      let isGrouped = child.table.foreignKeys.contains { key in
        key.isEnforced
          && key.columns.allSatisfy { index in
            child.columnID(index).map { id in
              keys.contains(id) || tables.equal[id]?.contains(where: keys.contains) ?? false
            } ?? false
          }
      }
      if !isGrouped { return false }
    }
    return tables.others.allSatisfy { $0.columns.isSubset(of: keys) }
  }
}

/// Tables without conditions, and how they are joined.
private struct JoinedTables {
  var scans: [ScanPlan] = []
  var equal: ColumnMap<ColumnSet> = [:]
  /// The conditions that hold no two columns equal.
  var others: [BoundExpression] = []

  /// False for anything but inner joins of tables.
  mutating func collect(_ plan: LogicalPlan) -> Bool {
    if case .scan(let scan) = plan {
      scans.append(scan)
      return scan.filters.isEmpty
    }
    guard case .join(let join) = plan, join.kind.isInner, !join.isLateral, collect(join.left),
      collect(join.right)
    else { return false }
    equal.merge(join.conditions.equalColumns) { $0.union($1) }
    others += join.conditions.filter { condition in
      guard case .comparison(.equal, let one, let two) = condition else { return true }
      return one.asColumn == nil || two.asColumn == nil
    }
    return true
  }
}
