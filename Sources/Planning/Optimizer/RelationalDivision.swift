import Catalog
import Columnar
import Diagnostics

/// "In all compulsory courses": NOT EXISTS of a row of one table for which there is no row of another,
/// `NOT EXISTS (SELECT … FROM c WHERE NOT EXISTS (SELECT … FROM e WHERE e.s = s.id AND e.c = c.id))`.
///
/// Taken apart like any other correlated subquery this becomes a join of every left row with every divisor. Here it
/// becomes a count: a left row qualifies if it is linked with as many different divisors as there are. Links are counted
/// from the divisors' side, so what is done is in proportion to the links of the divisors.
///
/// The same is said by `NOT EXISTS (SELECT … FROM c EXCEPT SELECT … FROM e WHERE e.s = s.id)`, where a NULL is a value
/// like any other, and by NOT IN in place of the inner NOT EXISTS, where no NULL can be.
private struct Division {
  /// The divisors, and what of them is compared.
  var divisors: LogicalPlan
  var divisorKeys: [BoundExpression]
  /// The links, and what of them is compared with each divisor key and with each left key.
  var links: LogicalPlan
  var linkKeys: [BoundExpression]
  var sourceKeys: [BoundExpression]
  /// Over the left side.
  var leftKeys: [BoundExpression]
  /// Whether NULL equals NULL among divisor keys.
  var nullsMatch: Bool
}

extension Unnesting {
  /// The rows of `input` for which `subquery` has no row, if that asks for a division; else nil.
  mutating func dividing(
    _ input: LogicalPlan, by subquery: LogicalPlan
  ) throws(SQLError) -> LogicalPlan? {
    guard rules.contains(.relationalDivision),
      let division = Division(subquery, outer: input.outputIDs)
    else { return nil }
    let divisors = try unnested(division.divisors)
    let links = try unnested(division.links)
    let copies = PlanCopies(divisors, factory, commons)
    // Links with divisors, each pair of a source and a divisor once.
    let divisorColumns = factory.columns(
      copies.first.of(division.divisorKeys), of: copies.first.plan)
    let ends = factory.columns(division.sourceKeys + division.linkKeys, of: links)
    let sourceColumns = Array(ends.prefix(division.sourceKeys.count))
    let linkColumns = Array(ends.dropFirst(division.sourceKeys.count))
    let different = LogicalPlan.distinct(.project(links, ends), on: nil)
    let conditions = zip(linkColumns, divisorColumns).map { link, divisor in
      let (one, two) = (link.column.reference, divisor.column.reference)
      return division.nullsMatch
        ? BoundExpression.distinct(one, two, negated: true) : .comparison(.equal, one, two)
    }
    let linked = LogicalPlan.join(
      JoinPlan(.semi, different, .project(copies.first.plan, divisorColumns), on: conditions))
    let count = factory.make("count", .bigint)
    let groups = sourceColumns.map {
      ProjectedColumn(factory.make($0.column.name, $0.column.type), $0.column.reference)
    }
    let counted = LogicalPlan.aggregate(
      AggregatePlan(
        input: linked, keys: groups,
        aggregates: [AggregatePlan.Item(count, .countOfRows)]))
    // The divisors by themselves; a NULL among them is one that nothing is linked with.
    let all = factory.make("count", .bigint)
    let counterparts = factory.columns(
      copies.second.of(division.divisorKeys), of: copies.second.plan)
    let total = LogicalPlan.aggregate(
      AggregatePlan(
        input: .distinct(.project(copies.second.plan, counterparts), on: nil), keys: [],
        aggregates: [AggregatePlan.Item(all, .countOfRows)]))
    let matched = zip(division.leftKeys, groups).map { left, group in
      BoundExpression.comparison(.equal, left, group.column.reference)
    }
    let joined = LogicalPlan.join(JoinPlan(.left, input, counted, on: matched))
    let zero = BoundExpression.constant(.int64(0), .bigint)
    let isComplete = BoundExpression.comparison(
      .equal, .coalesce([count.reference, zero], .bigint), all.reference)
    let complete = LogicalPlan.join(JoinPlan(.inner, joined, total, on: []))
      .filtered([isComplete])
    return copies.wrapped(complete).restricted(to: input.outputs)
  }
}

extension Division {
  init?(_ subquery: LogicalPlan, outer: ColumnSet) {
    let found =
      if case .setOperation(let operation) = subquery.withoutRepetition {
        Self.ofDifference(operation, outer)
      } else {
        Self.ofNegations(subquery, outer)
      }
    guard let found, !found.leftKeys.isEmpty, !found.linkKeys.isEmpty,
      found.divisors.freeColumns.isDisjoint(with: outer),
      found.links.freeColumns.isDisjoint(with: outer),
      !found.divisors.isVolatile, !found.links.isVolatile
    else { return nil }
    let keys = found.divisorKeys + found.linkKeys + found.sourceKeys + found.leftKeys
    guard keys.allSatisfy({ !$0.isVolatile && !$0.containsSubquery && !$0.type.hasParts }) else {
      return nil
    }
    self = found
  }

  /// Divisors but for those that the left row is linked with.
  private static func ofDifference(
    _ operation: SetOperationPlan, _ outer: ColumnSet
  ) -> Division? {
    guard operation.kind == .except, !operation.isAll,
      case .project(let input, let columns) = operation.right.withoutRepetition
    else { return nil }
    let (links, conditions) = input.withoutConditions
    let own = links.outputIDs
    var division = Division(
      divisors: operation.left, divisorKeys: operation.left.outputs.map(\.reference),
      links: links, linkKeys: columns.map(\.expression), sourceKeys: [], leftKeys: [],
      nullsMatch: true)
    guard division.linkKeys.allSatisfy({ $0.columns.isSubset(of: own) }) else { return nil }
    var kept: [BoundExpression] = []
    for condition in conditions {
      if condition.allColumns.isDisjoint(with: outer) {
        kept.append(condition)
      } else if let (link, left) = condition.equality(of: own, with: outer) {
        division.sourceKeys.append(link)
        division.leftKeys.append(left)
      } else {
        return nil
      }
    }
    division.links = links.filtered(kept)
    return division
  }

  /// Divisors for which there is no link with the left row.
  private static func ofNegations(_ subquery: LogicalPlan, _ outer: ColumnSet) -> Division? {
    let (divisors, conditions) = subquery.withoutColumns.withoutConditions
    var kept: [BoundExpression] = []
    var inner: BoundSubquery?
    for condition in conditions.map(\.pushingNegation).flatMap(\.conjuncts) {
      if condition.allColumns.isDisjoint(with: outer) {
        kept.append(condition)
      } else if inner == nil, case .subquery(let subquery) = condition {
        inner = subquery
      } else {
        return nil
      }
    }
    guard let inner else { return nil }
    let candidates = divisors.outputIDs
    var pairs: [(link: BoundExpression, divisor: BoundExpression)] = []
    let plan: LogicalPlan
    switch inner.kind {
    case .exists(negated: true): plan = inner.plan.withoutColumns
    case .all(let operands, .notEqual):
      // Only where a comparison cannot be NULL is this the same.
      guard case .project(let input, let columns) = inner.plan.withoutRepetition,
        columns.count == operands.count
      else { return nil }
      let (notNull, known) = (inner.plan.notNullColumns, divisors.filtered(kept).notNullColumns)
      for (operand, column) in zip(operands, columns) {
        guard notNull.contains(column.column.id), operand.isNeverNull(known) else { return nil }
        pairs.append((column.expression, operand))
      }
      plan = input
    case .scalar, .exists, .any, .all, .array: return nil
    }
    let (links, own) = plan.withoutConditions
    let linkIDs = links.outputIDs
    var division = Division(
      divisors: divisors.filtered(kept), divisorKeys: [], links: links, linkKeys: [],
      sourceKeys: [], leftKeys: [], nullsMatch: false)
    var filters: [BoundExpression] = []
    let outside = outer.union(candidates)
    for condition in own {
      if condition.allColumns.isDisjoint(with: outside) {
        filters.append(condition)
      } else if let pair = condition.equality(of: linkIDs, with: candidates) {
        pairs.append(pair)
      } else if let (link, left) = condition.equality(of: linkIDs, with: outer) {
        division.sourceKeys.append(link)
        division.leftKeys.append(left)
      } else {
        return nil
      }
    }
    for pair in pairs {
      guard pair.link.columns.isSubset(of: linkIDs), pair.divisor.columns.isSubset(of: candidates)
      else { return nil }
      division.linkKeys.append(pair.link)
      division.divisorKeys.append(pair.divisor)
    }
    division.links = links.filtered(filters)
    return links.freeColumns.isDisjoint(with: candidates) ? division : nil
  }
}

extension LogicalPlan {
  /// The plan without order and repetition, where only which rows there are counts.
  fileprivate var withoutRepetition: LogicalPlan {
    switch self {
    case .sort(let input, _), .distinct(let input, on: nil): input.withoutRepetition
    case .scan, .values, .filter, .project, .projectSet, .join, .path, .aggregate, .window, .limit,
      .distinct, .setOperation, .recursive, .workingTable, .withCommon, .commonReference,
      .tableFunction, .modify:
      self
    }
  }

  /// The plan without what it computes of its rows, where only whether there are some counts.
  fileprivate var withoutColumns: LogicalPlan {
    switch withoutRepetition {
    case .project(let input, let columns) where !columns.contains(where: \.expression.isVolatile):
      input.withoutColumns
    case let other: other
    }
  }

  /// What the topmost filters are over, and their conditions.
  fileprivate var withoutConditions: (LogicalPlan, [BoundExpression]) {
    guard case .filter(let input, let conditions) = self else { return (self, []) }
    let (below, others) = input.withoutConditions
    return (below, others + conditions.flatMap(\.conjuncts))
  }
}

extension BoundExpression {
  /// The sides of an equality between something of `own` and something of `others`, in that order.
  fileprivate func equality(
    of own: ColumnSet, with others: ColumnSet
  ) -> (BoundExpression, BoundExpression)? {
    guard case .comparison(.equal, let left, let right) = self else { return nil }
    for (one, two) in [(left, right), (right, left)] {
      let (first, second) = (one.columns, two.columns)
      if !first.isEmpty, !second.isEmpty, first.isSubset(of: own), second.isSubset(of: others) {
        return (one, two)
      }
    }
    return nil
  }
}

extension ColumnFactory {
  /// Columns for what is computed of a plan's rows: those of the plan that are passed on stay what they are, so that it is
  /// still seen what they belong to.
  func columns(_ expressions: [BoundExpression], of plan: LogicalPlan) -> [ProjectedColumn] {
    var free = plan.outputs
    return expressions.map { expression in
      if let id = expression.asColumn, let place = free.firstIndex(where: { $0.id == id }) {
        return ProjectedColumn(free.remove(at: place), expression)
      }
      return ProjectedColumn(make("key", expression.type), expression)
    }
  }
}

extension AggregateCall {
  /// `count(*)`.
  static var countOfRows: AggregateCall {
    AggregateCall(
      name: "count", arguments: [], type: .bigint, isStrict: false,
      factory: { _, _ in CountAccumulator() })
  }

  /// The count of the rows of several groups from the counts of each, a column of bigint: 0 without any.
  package static func sum(ofCounts column: PlanColumn) -> AggregateCall {
    AggregateCall(
      name: "sum", arguments: [column.reference], type: .bigint, isStrict: false,
      factory: { _, _ in CountAccumulator(ofCounts: true) })
  }
}
