import Columnar

/// Aggregates over whole partitions as groups that rows are joined with.
///
/// `avg(grade) OVER (PARTITION BY course_id)` is the same for all rows of a course. Groups are made as rows come, by as many workers
/// as there are, and each row finds its group by a hash or by a place in an array; a window gathers all rows and sorts them first.
/// The rows then come in the order of the input rather than in that of the partitions, so that it is done only
/// where nobody sees that, and where there are rows enough for it to matter.
struct WindowAsJoin {
  let statistics: StatisticsSource
  let factory: ColumnFactory
  let commons: CommonNumbers

  /// Fewer rows are soon sorted.
  private static let rowMin = 20_000.0
  /// A partition has so many rows at least, on average.
  private static let partitionMin = 2.0

  func applied(_ plan: LogicalPlan) -> LogicalPlan {
    plan.changedByOrder { plan, orderMatters in
      guard !orderMatters, case .window(let input, let calls) = plan, !plan.isVolatile else {
        return nil
      }
      return joined(input, calls)
    }
  }

  private func joined(
    _ input: LogicalPlan, _ calls: [(column: PlanColumn, call: WindowCall)]
  ) -> LogicalPlan? {
    guard let keys = calls.first?.call.partitionBy, !keys.isEmpty,
      pays(input, keys)
    else { return nil }
    let signatures = keys.map(\.signature)
    var aggregates: [AggregateCall] = []
    for (_, call) in calls {
      guard let aggregate = call.ofWholePartition,
        call.partitionBy.map(\.signature) == signatures
      else { return nil }
      aggregates.append(aggregate)
    }
    let notNull = input.notNullColumns
    let outputs = input.outputs
    let copies = PlanCopies(input, factory, commons)
    let groups = zip(keys, copies.second.of(keys)).map { key, own in
      ProjectedColumn(factory.make("key", key.type), own)
    }
    let items = zip(calls, aggregates).map { call, aggregate in
      AggregatePlan.Item(call.column, copies.second.of(aggregate))
    }
    let conditions = zip(zip(keys, copies.first.of(keys)), groups).map { pair, group in
      let (key, own) = pair
      return key.isNeverNull(notNull)
        ? BoundExpression.comparison(.equal, own, group.column.reference)
        : .distinct(own, group.column.reference, negated: true)
    }
    let join = LogicalPlan.join(
      JoinPlan(
        .inner, copies.first.plan,
        .aggregate(AggregatePlan(input: copies.second.plan, keys: groups, aggregates: items)),
        on: conditions))
    let columns =
      zip(outputs, copies.first.of(outputs.map(\.reference))).map { ProjectedColumn($0, $1) }
      + calls.map { ProjectedColumn($0.column, $0.column.reference) }
    return copies.wrapped(.project(join, columns))
  }

  private func pays(_ input: LogicalPlan, _ keys: [BoundExpression]) -> Bool {
    let rows = RelationProfile.of(input, statistics: statistics, commons: [:])
    guard rows.rows >= Self.rowMin else { return false }
    let columns = keys.compactMap(\.asColumn)
    return columns.count < keys.count
      || rows.groupCount(columns) * Self.partitionMin <= rows.rows
  }
}

extension WindowCall {
  /// The aggregate whose value is the same for all rows of a partition; nil for any other call.
  fileprivate var ofWholePartition: AggregateCall? {
    guard case .aggregate(let aggregate) = function, !aggregate.isOrderSensitive,
      frame.exclusion == .none,
      case .unboundedPreceding = frame.start
    else { return nil }
    switch frame.end {
    case .unboundedFollowing: return aggregate
    case .currentRow: return orderBy.isEmpty && frame.unit != .rows ? aggregate : nil
    case .preceding, .following, .unboundedPreceding: return nil
    }
  }
}
