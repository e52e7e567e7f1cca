import Catalog
import Columnar

/// Drops repeated rows before a join multiplies them, where nothing above minds how often a row comes.
///
/// What stands below DISTINCT, a UNION, the step of a recursion with UNION, or the side of a semi- or anti-join that
/// is only looked into may give fewer repetitions. Walks over many-to-many relationships thus visit each
/// row once for each hop, however many ways lead to it.
package struct EarlyDistinct {
  private let statistics: StatisticsSource
  private var commons: [Int: RelationProfile] = [:]

  /// Below so many rows repetition costs nothing.
  private static let leastRows = 1000.0
  /// How many times a row must be expected to come.
  private static let leastRepetition = 2.0
  /// Nothing is known of the rounds of a recursion; its first is no measure of them.
  private static let roundRows = 100_000.0

  package init(statistics: StatisticsSource) { self.statistics = statistics }

  package func applied(_ plan: LogicalPlan) -> LogicalPlan {
    plan.contains(where: \.mindsNoRepetition) ? rewritten(plan) : plan
  }

  private func rewritten(_ plan: LogicalPlan) -> LogicalPlan {
    if RunningStatement.isInterrupted { return plan }
    if case .distinct(let input, on: nil) = plan {
      return .distinct(thinned(input, input.outputIDs).restricted(to: input.outputs), on: nil)
    }
    if case .setOperation(var operation) = plan, !operation.isAll {
      operation.left = whole(operation.left)
      operation.right = whole(operation.right)
      return .setOperation(operation)
    }
    if case .join(var join) = plan, join.kind.onlyLooksForMatch && !join.isLateral {
      join.left = rewritten(join.left)
      join.right = thinned(join.right, join.conditions.columns)
      return .join(join)
    }
    if case .recursive(var recursion) = plan, !recursion.isAll {
      recursion.anchor = whole(recursion.anchor)
      var inner = self
      let anchor = RelationProfile.of(recursion.anchor, statistics: statistics, commons: commons)
      inner.commons[recursion.id] = anchor.scaled(to: max(anchor.rows, Self.roundRows))
      recursion.step = inner.whole(recursion.step)
      return .recursive(recursion)
    }
    if case .withCommon(let id, let definition, let body) = plan {
      let shared = rewritten(definition)
      var inner = self
      inner.commons[id] = RelationProfile.of(shared, statistics: statistics, commons: commons)
        .shared(as: shared.outputs)
      return .withCommon(id: id, definition: shared, body: inner.rewritten(body))
    }
    return plan.mapInputs(rewritten)
  }

  /// The same rows but for repetitions, with all columns in their order.
  private func whole(_ plan: LogicalPlan) -> LogicalPlan {
    thinned(plan, plan.outputIDs).restricted(to: plan.outputs)
  }

  /// A plan that gives the same rows but for repetitions, as far as `columns` go; other columns may be missing.
  private func thinned(_ plan: LogicalPlan, _ columns: ColumnSet) -> LogicalPlan {
    if case .project(let input, let list) = plan,
      !list.contains(where: { $0.expression.isVolatile })
    {
      let kept = list.filter { columns.contains($0.column.id) }
      return .project(thinned(input, kept.map(\.expression).columns), kept)
    } else if case .filter(let input, let conditions) = plan,
      !conditions.contains(where: \.isVolatile)
    {
      return .filter(thinned(input, columns.union(conditions.columns)), conditions)
    } else if case .join(var join) = plan,
      !join.isLateral && !join.conditions.contains(where: \.isVolatile)
    {
      let needed = columns.union(join.conditions.columns)
      switch join.kind {
      case .inner:
        join.left = distinctIfWorthwhile(join.left, needed)
        join.right = distinctIfWorthwhile(join.right, needed)
        return .join(join)
      case .semi, .anti:
        // What an anti-join keeps is found by going through all of the left side; a semi-join may find it by an index.
        let keepsRest = if case .anti = join.kind { true } else { false }
        join.left = distinctIfWorthwhile(join.left, needed, evenTables: keepsRest)
        join.right = thinned(join.right, join.conditions.columns)
        return .join(join)
      case .left, .right, .full, .mark, .single: return rewritten(plan)
      }
    } else if case .distinct(let input, on: nil) = plan {
      // Repetitions do not matter, so nothing need be done about them here.
      return thinned(input, columns)
    } else {
      return rewritten(plan)
    }
  }

  /// One side of a join, without repetitions if there are likely to be many.
  private func distinctIfWorthwhile(
    _ plan: LogicalPlan, _ needed: ColumnSet, evenTables: Bool = false
  ) -> LogicalPlan {
    let columns = plan.outputs.filter { needed.contains($0.id) }
    let below = thinned(plan, columns.ids)
    if columns.isEmpty || !evenTables && isTable(below) || below.isUnique(on: columns.ids) {
      return below
    }
    let profile = RelationProfile.of(below, statistics: statistics, commons: commons)
    var kinds = 1.0
    for column in columns { kinds *= profile.distinctCount(column.id) }
    guard profile.rows >= Self.leastRows, profile.rows >= kinds * Self.leastRepetition else {
      return below
    }
    return .distinct(below.restricted(to: columns), on: nil)
  }

  /// Whether a plan is a table, perhaps filtered: hanging on its index beats dropping rows of it.
  private func isTable(_ plan: LogicalPlan) -> Bool {
    switch plan {
    case .scan, .workingTable: true
    case .filter(let input, _), .project(let input, _): isTable(input)
    case .values, .projectSet, .join, .path, .aggregate, .window, .sort, .limit, .distinct,
      .setOperation, .recursive, .withCommon, .commonReference, .tableFunction, .modify:
      false
    }
  }
}

extension LogicalPlan {
  /// Whether it makes no difference to the operator how often a row of some input comes.
  fileprivate var mindsNoRepetition: Bool {
    switch self {
    case .distinct(_, on: nil): true
    case .setOperation(let operation): !operation.isAll
    case .join(let join): join.kind.onlyLooksForMatch && !join.isLateral
    case .recursive(let recursion): !recursion.isAll
    case .scan, .values, .filter, .project, .projectSet, .path, .aggregate, .window, .sort, .limit,
      .distinct, .workingTable, .withCommon, .commonReference, .tableFunction, .modify:
      false
    }
  }
}
