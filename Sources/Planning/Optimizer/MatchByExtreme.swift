import Columnar

/// A semi- or anti-join that asks for a greater or a smaller value as one with the greatest or least value of each group.
///
/// Whether somebody of the same city has a better average is whether the best of the city has: `EXISTS (SELECT FROM student b WHERE
/// b.city = a.city AND b.gpa > a.gpa)` goes over all pairs of a city, `max(gpa)` by city over each row once. NULLs are no
/// match, and no extreme. `gpa >= ALL (…)` is no match of one that is greater or may be: where no value of the right side is NULL,
/// that is asked of the extreme likewise.
struct MatchByExtreme {
  let statistics: StatisticsSource
  let factory: ColumnFactory

  /// Below so many rows there is little to gain.
  private static let rowMin = 1000.0
  /// So many pairs of a row and one of its group there must be for each row of both sides.
  private static let pairsMin = 3.0

  func applied(_ plan: LogicalPlan) -> LogicalPlan {
    plan.changed { plan in
      guard case .join(let join) = plan, !join.isLateral, join.isSemiOrAnti,
        !join.right.isVolatile, let parts = Parts(join), pays(join, parts)
      else { return nil }
      return .join(rewritten(join, parts))
    } ?? plan
  }

  /// Equalities of columns, and one comparison.
  private struct Parts {
    var keys: [(left: BoundExpression, right: PlanColumn)] = []
    /// How a value of the left side must compare with the right column.
    var comparison: (left: BoundExpression, comparison: ComparisonOperator, right: PlanColumn)
    /// Whether it is enough that the comparison is not false.
    var maybeUnknown = false

    init?(_ join: JoinPlan) {
      let left = join.left.outputIDs
      var found: (left: BoundExpression, comparison: ComparisonOperator, right: PlanColumn)?
      for var condition in join.conditions {
        var isLoose = false
        if case .isBoolean(let inner, false, negated: true) = condition {
          (condition, isLoose) = (inner, true)
        }
        guard case .comparison(var comparison, var one, var two) = condition, one.type == two.type,
          !condition.isVolatile
        else { return nil }
        if !one.usesOnly(left) || one.columns.isEmpty {
          (one, two) = (two, one)
          comparison = comparison.commuted
        }
        guard one.usesOnly(left), !one.columns.isEmpty,
          let column = join.right.outputs.first(where: { $0.id == two.asColumn })
        else { return nil }
        switch comparison {
        case .equal:
          if isLoose { return nil }
          keys.append((one, column))
        case .notEqual: return nil
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
          guard found == nil, column.type.hasPlainOrder else { return nil }
          if isLoose && !join.right.notNullColumns.contains(column.id) { return nil }
          found = (one, comparison, column)
          maybeUnknown = isLoose
        }
      }
      guard let found else { return nil }
      comparison = found
    }
  }

  private func pays(_ join: JoinPlan, _ parts: Parts) -> Bool {
    let right = RelationProfile.of(join.right, statistics: statistics, commons: [:])
    let groups = parts.keys.isEmpty ? 1 : right.groupCount(parts.keys.map(\.right.id))
    guard right.rows >= Self.rowMin, groups > 0 else { return false }
    let left = RelationProfile.of(join.left, statistics: statistics, commons: [:])
    let pairs = left.rows * right.rows / groups
    return pairs >= (left.rows + right.rows) * Self.pairsMin
  }

  private func rewritten(_ join: JoinPlan, _ parts: Parts) -> JoinPlan {
    let (value, comparison, column) = parts.comparison
    let isMaximum = comparison == .less || comparison == .lessOrEqual
    let keys = parts.keys.map {
      ProjectedColumn(factory.make($0.right.name, $0.right.type), $0.right.reference)
    }
    let call = AggregateCall.extreme(of: column.reference, isMaximum: isMaximum)
    let extreme = factory.make(column.name, column.type)
    var result = join
    result.right = .aggregate(
      AggregatePlan(
        input: join.right, keys: keys, aggregates: [AggregatePlan.Item(extreme, call)]))
    let compared = BoundExpression.comparison(comparison, value, extreme.reference)
    result.conditions =
      zip(parts.keys, keys).map { .comparison(.equal, $0.left, $1.column.reference) }
      + [parts.maybeUnknown ? .isBoolean(compared, false, negated: true) : compared]
    if parts.maybeUnknown && keys.isEmpty {
      // Of no rows there is no extreme, and no match.
      result.conditions.append(.isNull(extreme.reference, negated: true))
    }
    return result
  }
}

extension JoinPlan {
  fileprivate var isSemiOrAnti: Bool {
    switch kind {
    case .semi, .anti: true
    case .inner, .left, .right, .full, .mark, .single: false
    }
  }
}

extension LogicalType {
  /// Whether values are ordered as numbers and points in time are.
  fileprivate var hasPlainOrder: Bool {
    isInteger
      || [.numeric, .real, .double, .date, .time, .timestamp, .timestamptz].contains(self)
  }
}

extension AggregateCall {
  /// `min` or `max` of a value.
  static func extreme(of value: BoundExpression, isMaximum: Bool) -> AggregateCall {
    AggregateCall(
      name: isMaximum ? "max" : "min", arguments: [value], type: value.type, isStrict: true
    ) { types, _ in ExtremeAccumulator(type: types[0], isMaximum: isMaximum) }
  }

  /// Whether it is the least or the greatest of some values.
  var isExtreme: Bool {
    (name == "min" || name == "max") && arguments.count == 1 && orderBy.isEmpty
  }
}
