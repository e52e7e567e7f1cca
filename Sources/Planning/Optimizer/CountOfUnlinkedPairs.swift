import Catalog
import Columnar
import Diagnostics

/// `count(*)` of the pairs of two tables that a third does not link: all pairs less those that are linked, none of
/// which is looked at one by one.
///
/// The rows of both sides are counted apart and multiplied. Linked pairs are the links themselves, each once, whose
/// ends are both there. Grouped by the rows of one side, each has the number of the other's less that of its own links.
struct CountOfUnlinkedPairs {
  let factory: ColumnFactory
  let commons: CommonNumbers

  func applied(_ plan: LogicalPlan) -> LogicalPlan {
    plan.changed { plan in
      guard case .aggregate(let aggregate) = plan else { return nil }
      return rewritten(aggregate)
    } ?? plan
  }

  private func rewritten(_ plan: AggregatePlan) -> LogicalPlan? {
    guard plan.groupingSets == nil, plan.groupings.isEmpty, !plan.aggregates.isEmpty,
      plan.aggregates.allSatisfy({
        $0.call.name == "count" && $0.call.arguments.isEmpty && $0.call.filter == nil
          && !$0.call.isDistinct
      }),
      case .join(let anti) = plan.input.withoutColumns(passing: plan.keys.map(\.expression)),
      case .anti = anti.kind, !anti.isLateral,
      case .join(let pairs) = anti.left.withoutColumns(passing: []), case .inner = pairs.kind,
      !pairs.isLateral, pairs.conditions.isEmpty, !plan.input.isVolatile,
      let ends = ends(anti, pairs), let arithmetic = Arithmetic()
    else { return nil }
    if plan.keys.isEmpty { return total(plan, anti, pairs, ends, arithmetic) }
    for isLeft in [true, false] {
      if let counted = grouped(plan, anti, pairs, ends, byLeft: isLeft, arithmetic) {
        return counted
      }
    }
    return nil
  }

  /// One count of all pairs.
  private func total(
    _ plan: AggregatePlan, _ anti: JoinPlan, _ pairs: JoinPlan, _ ends: [End],
    _ arithmetic: Arithmetic
  ) -> LogicalPlan {
    let lefts = PlanCopies(pairs.left, factory, commons)
    let rights = PlanCopies(pairs.right, factory, commons)
    let columns = factory.columns(ends.map(\.link), of: anti.right)
    let links = LogicalPlan.distinct(.project(anti.right, columns), on: nil)
    let first = joined(links, lefts.first, conditions(ends, columns, ofLeft: true, lefts.first))
    let linked = joined(
      first, rights.first, conditions(ends, columns, ofLeft: false, rights.first))
    let (left, right) = (count(lefts.second.plan), count(rights.second.plan))
    let both = count(linked)
    let all = LogicalPlan.join(
      JoinPlan(
        .inner, .join(JoinPlan(.inner, left.plan, right.plan, on: [])), both.plan, on: []))
    let value = arithmetic.minus(
      arithmetic.times(left.column.reference, right.column.reference), both.column.reference)
    let counted = LogicalPlan.project(
      all, plan.aggregates.map { ProjectedColumn($0.column, value) })
    return lefts.wrapped(rights.wrapped(counted))
  }

  /// A count for each row of one side: all rows of the other side less those that it is linked with.
  private func grouped(
    _ plan: AggregatePlan, _ anti: JoinPlan, _ pairs: JoinPlan, _ ends: [End], byLeft: Bool,
    _ arithmetic: Arithmetic
  ) -> LogicalPlan? {
    let (own, other) = byLeft ? (pairs.left, pairs.right) : (pairs.right, pairs.left)
    let keys = ColumnSet(plan.keys.compactMap(\.expression.asColumn))
    guard keys.count == plan.keys.count, keys.isSubset(of: own.outputIDs), own.isUnique(on: keys)
    else { return nil }
    let others = PlanCopies(other, factory, commons)
    let columns = factory.columns(ends.map(\.link), of: anti.right)
    let links = LogicalPlan.distinct(.project(anti.right, columns), on: nil)
    let linked = joined(
      links, others.first, conditions(ends, columns, ofLeft: !byLeft, others.first))
    let mine = zip(ends, columns).filter { $0.0.isLeft == byLeft }
    let groups = mine.map { _, column in
      ProjectedColumn(
        factory.make(column.column.name, column.column.type), column.column.reference)
    }
    let number = factory.make("count", .bigint)
    let counted = LogicalPlan.aggregate(
      AggregatePlan(
        input: linked, keys: groups, aggregates: [AggregatePlan.Item(number, .countOfRows)]))
    let matched = zip(mine, groups).map { end, group in
      BoundExpression.comparison(.equal, group.column.reference, end.0.end)
    }
    let all = count(others.second.plan)
    let rows = LogicalPlan.join(
      JoinPlan(
        .inner, .join(JoinPlan(.left, own, counted, on: matched)), all.plan, on: []))
    let zero = BoundExpression.constant(.int64(0), .bigint)
    let value = arithmetic.minus(
      all.column.reference, .coalesce([number.reference, zero], .bigint))
    // Who is linked with all is no group.
    let kept = rows.filtered([.comparison(.greater, value, zero)])
    return others.wrapped(
      .project(kept, plan.keys + plan.aggregates.map { ProjectedColumn($0.column, value) }))
  }

  /// An end of a link, and what of one side it is compared with.
  private struct End {
    var link: BoundExpression
    var end: BoundExpression
    var isLeft: Bool
  }

  /// The ends of links, if the anti-join asks for nothing but that both are those of the pair.
  private func ends(_ anti: JoinPlan, _ pairs: JoinPlan) -> [End]? {
    let (left, right) = (pairs.left.outputIDs, pairs.right.outputIDs)
    let own = anti.right.outputIDs
    var ends: [End] = []
    for condition in anti.conditions {
      guard case .comparison(.equal, let one, let two) = condition else { return nil }
      let (link, end) = one.columns.isSubset(of: own) ? (one, two) : (two, one)
      let columns = end.columns
      guard !link.columns.isEmpty, link.columns.isSubset(of: own), !columns.isEmpty,
        columns.isSubset(of: left) || columns.isSubset(of: right), !link.type.hasParts
      else { return nil }
      ends.append(End(link: link, end: end, isLeft: columns.isSubset(of: left)))
    }
    return ends.contains(where: \.isLeft) && ends.contains(where: { !$0.isLeft }) ? ends : nil
  }

  private func conditions(
    _ ends: [End], _ columns: [ProjectedColumn], ofLeft: Bool, _ copy: PlanCopies.Copy
  ) -> [BoundExpression] {
    zip(ends, columns).filter { $0.0.isLeft == ofLeft }.map { end, column in
      .comparison(.equal, column.column.reference, end.end.replacing(copy.columns))
    }
  }

  private func joined(
    _ links: LogicalPlan, _ copy: PlanCopies.Copy, _ conditions: [BoundExpression]
  ) -> LogicalPlan {
    .join(JoinPlan(.inner, links, copy.plan, on: conditions))
  }

  private func count(_ plan: LogicalPlan) -> (plan: LogicalPlan, column: PlanColumn) {
    let column = factory.make("count", .bigint)
    let item = AggregatePlan.Item(column, .countOfRows)
    return (.aggregate(AggregatePlan(input: plan, keys: [], aggregates: [item])), column)
  }
}

/// Products and differences of counts.
private struct Arithmetic {
  let times: (BoundExpression, BoundExpression) -> BoundExpression
  let minus: (BoundExpression, BoundExpression) -> BoundExpression

  init?() {
    guard let times = Self.bigintOperator("*"), let minus = Self.bigintOperator("-") else {
      return nil
    }
    self.times = times
    self.minus = minus
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
  /// The plan without projections that only pass on what `expressions` use, where no more than the number of rows counts
  /// besides.
  fileprivate func withoutColumns(passing expressions: [BoundExpression]) -> LogicalPlan {
    guard case .project(let input, let columns) = self else { return self }
    let used = expressions.reduce(into: ColumnSet()) { $0.formUnion($1.columns) }
    for column in columns where used.contains(column.column.id) {
      if column.expression.asColumn != column.column.id { return self }
    }
    return input.withoutColumns(passing: expressions)
  }
}
