import Columnar

/// Aggregates over different values only, as plain aggregates over the different rows.
///
/// `count(DISTINCT x) … GROUP BY g` is `count(x) … GROUP BY g` over the different `(g, x)`, for which there are quick
/// ways, and which may be found before joins rather than behind them. It applies where all aggregates are over
/// different values of the same arguments. Those whose result shows the order of rows have their different rows sorted, as
/// PostgreSQL does to tell them apart. Rows that are counted, as by `count(DISTINCT (x, y))`, are different where their fields are.
///
/// Where no two rows of a group have the same arguments, DISTINCT just goes.
struct DistinctAggregate {
  func applied(_ plan: LogicalPlan) -> LogicalPlan { plan.changed(rewritten) ?? plan }

  private func rewritten(_ plan: LogicalPlan) -> LogicalPlan? {
    guard !RunningStatement.isInterrupted, case .aggregate(let aggregate) = plan,
      aggregate.aggregates.contains(where: \.call.isDistinct)
    else { return nil }
    let counted = withoutNeedlessDistinct(aggregate)
    return .aggregate(rewritten(counted) ?? counted)
  }

  /// The aggregation without DISTINCT where no two rows of a group have the same arguments.
  private func withoutNeedlessDistinct(_ plan: AggregatePlan) -> AggregatePlan {
    guard plan.groupingSets == nil, plan.aggregates.contains(where: \.call.isDistinct) else {
      return plan
    }
    let keys = ColumnSet(plan.keys.compactMap(\.expression.asColumn))
    var result = plan
    for (index, item) in plan.aggregates.enumerated() {
      let arguments = item.call.arguments.compactMap(\.asColumn)
      guard item.call.isDistinct, !item.call.isOrderSensitive,
        arguments.count == item.call.arguments.count,
        plan.input.isUnique(on: keys.union(arguments))
      else { continue }
      result.aggregates[index].call.isDistinct = false
    }
    return result
  }

  private func rewritten(_ plan: AggregatePlan) -> AggregatePlan? {
    guard plan.groupingSets == nil, plan.groupings.isEmpty,
      let arguments = plan.aggregates.first?.call.argumentColumns, !arguments.isEmpty
    else { return nil }
    for item in plan.aggregates {
      let call = item.call
      guard call.isDistinct, call.filter == nil, call.argumentColumns == arguments,
        call.isOrderSensitive
          ? call.isMadeOfItsArguments : call.orderBy.isEmpty
      else { return nil }
    }
    var wanted = ColumnSet(arguments)
    for key in plan.keys {
      guard let column = key.expression.asColumn else { return nil }
      wanted.insert(column)
    }
    var result = plan
    let columns = plan.input.outputs.filter { wanted.contains($0.id) }
    guard columns.count == wanted.count else { return nil }
    result.input = .distinct(plan.input.restricted(to: columns), on: nil)
    for index in result.aggregates.indices {
      if result.aggregates[index].call.isOrderSensitive {
        result.aggregates[index].call.sortByArguments()
      }
      result.aggregates[index].call.isDistinct = false
      // A row is a value, even if all its fields are NULL.
      if result.aggregates[index].call.countedFields != nil {
        result.aggregates[index].call.arguments = []
      }
    }
    return result
  }
}

extension AggregateCall {
  /// The fields of the row that is counted.
  fileprivate var countedFields: [BoundExpression]? {
    guard name == "count", arguments.count == 1, case .row(let fields, _) = arguments[0] else {
      return nil
    }
    return fields
  }

  /// The columns among the arguments, or the fields of the row that is counted, where each is a column or a constant; none for
  /// other calls.
  fileprivate var argumentColumns: [ColumnID] {
    var found: [ColumnID] = []
    for argument in countedFields ?? arguments {
      if case .constant = argument { continue }
      guard let column = argument.asColumn else { return [] }
      found.append(column)
    }
    return found
  }

  /// Whether values that are equal are one and the same, which 1.0 and 1.00 are not, and rows are ordered by them alone.
  fileprivate var isMadeOfItsArguments: Bool {
    let columns = argumentColumns
    return !isWithinGroup
      && arguments.allSatisfy {
        $0.type.isInteger || [.text, .varchar, .name, .date, .boolean, .uuid].contains($0.type)
      }
      && orderBy.allSatisfy { $0.expression.asColumn.map(columns.contains) ?? false }
  }

  /// Orders rows by the arguments too that they are not ordered by yet.
  fileprivate mutating func sortByArguments() {
    for argument in arguments where argument.asColumn != nil {
      if orderBy.contains(where: { $0.expression.asColumn == argument.asColumn }) { continue }
      orderBy.append(SortKey(argument, isDescending: false, nullsFirst: false))
    }
  }
}
