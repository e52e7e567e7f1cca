import Catalog
import Columnar
import Diagnostics

/// `count(*)` of the pairs of two tables that a third does not link: all pairs less those that are linked, none of
/// which is looked at one by one.
///
/// The rows of both sides are counted apart and multiplied. Linked pairs are the links themselves, each once, whose
/// ends are both there.
struct CountOfUnlinkedPairs {
  let factory: ColumnFactory
  let commons: CommonNumbers

  func applied(_ plan: LogicalPlan) -> LogicalPlan {
    let below = plan.mapInputs(applied)
    guard case .aggregate(let aggregate) = below, let counted = rewritten(aggregate) else {
      return below
    }
    return counted
  }

  private func rewritten(_ plan: AggregatePlan) -> LogicalPlan? {
    guard plan.keys.isEmpty, plan.groupingSets == nil, plan.groupings.isEmpty,
      !plan.aggregates.isEmpty,
      plan.aggregates.allSatisfy({
        $0.call.name == "count" && $0.call.arguments.isEmpty && $0.call.filter == nil
          && !$0.call.isDistinct
      }),
      case .join(let anti) = plan.input.withoutColumns, case .anti = anti.kind, !anti.isLateral,
      case .join(let pairs) = anti.left.withoutColumns, case .inner = pairs.kind,
      !pairs.isLateral, pairs.conditions.isEmpty, !plan.input.isVolatile,
      let difference = Self.difference
    else { return nil }
    let lefts = PlanCopies(pairs.left, factory, commons)
    let rights = PlanCopies(pairs.right, factory, commons)
    guard let linked = linkedPairs(anti, pairs, lefts.first, rights.first) else { return nil }
    let (left, right) = (count(lefts.second.plan), count(rights.second.plan))
    let links = count(linked)
    let all = LogicalPlan.join(
      JoinPlan(
        .inner, .join(JoinPlan(.inner, left.plan, right.plan, on: [])), links.plan, on: []))
    let value = difference(left.column.reference, right.column.reference, links.column.reference)
    let counted = LogicalPlan.project(
      all, plan.aggregates.map { ProjectedColumn($0.column, value) })
    return lefts.wrapped(rights.wrapped(counted))
  }

  /// The pairs that have a link: both sides joined with the different links.
  private func linkedPairs(
    _ anti: JoinPlan, _ pairs: JoinPlan, _ leftCopy: PlanCopies.Copy, _ rightCopy: PlanCopies.Copy
  ) -> LogicalPlan? {
    let (left, right) = (pairs.left.outputIDs, pairs.right.outputIDs)
    let own = anti.right.outputIDs
    var ends: [(link: BoundExpression, end: BoundExpression, isLeft: Bool)] = []
    for condition in anti.conditions {
      guard case .comparison(.equal, let one, let two) = condition else { return nil }
      let (link, end) = one.columns.isSubset(of: own) ? (one, two) : (two, one)
      let columns = end.columns
      guard !link.columns.isEmpty, link.columns.isSubset(of: own), !columns.isEmpty,
        columns.isSubset(of: left) || columns.isSubset(of: right), !link.type.hasParts
      else { return nil }
      ends.append((link, end, columns.isSubset(of: left)))
    }
    guard ends.contains(where: \.isLeft), ends.contains(where: { !$0.isLeft }) else { return nil }
    let columns = factory.columns(ends.map(\.link), of: anti.right)
    let links = LogicalPlan.distinct(.project(anti.right, columns), on: nil)
    func conditions(_ isLeft: Bool) -> [BoundExpression] {
      zip(ends, columns).filter { $0.0.isLeft == isLeft }.map { end, column in
        let copy = isLeft ? leftCopy : rightCopy
        return .comparison(.equal, column.column.reference, end.end.replacing(copy.columns))
      }
    }
    let first = LogicalPlan.join(
      JoinPlan(.inner, links, leftCopy.plan, on: conditions(true)))
    return .join(JoinPlan(.inner, first, rightCopy.plan, on: conditions(false)))
  }

  private func count(_ plan: LogicalPlan) -> (plan: LogicalPlan, column: PlanColumn) {
    let column = factory.make("count", .bigint)
    let item = AggregatePlan.Item(column, .countOfRows)
    return (.aggregate(AggregatePlan(input: plan, keys: [], aggregates: [item])), column)
  }

  /// `a * b - c`.
  private static var difference:
    ((BoundExpression, BoundExpression, BoundExpression) -> BoundExpression)?
  {
    guard let times = bigintOperator("*"), let minus = bigintOperator("-") else { return nil }
    return { minus(times($0, $1), $2) }
  }

  private static func bigintOperator(
    _ name: String
  ) -> ((BoundExpression, BoundExpression) -> BoundExpression)? {
    let found = Builtins.shared.operators(name).first {
      $0.left == .exact(.bigint) && $0.right == .exact(.bigint)
    }
    guard let found, let kernel = try? found.makeKernel([.bigint, .bigint], .bigint) else {
      return nil
    }
    return { left, right in
      .call(
        BoundCall(
          name: name, arguments: [left, right], type: .bigint, isStrict: true,
          volatility: .immutable, isOperator: true, kernel: kernel))
    }
  }
}

extension LogicalPlan {
  /// The plan without projections, where only the number of rows counts.
  fileprivate var withoutColumns: LogicalPlan {
    if case .project(let input, _) = self { return input.withoutColumns }
    return self
  }
}
