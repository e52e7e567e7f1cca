import Planning

/// Joins that are content with the first match of a row.
///
/// Where nothing above minds how often a row comes, and nothing reads what a row is joined with, further matches would only
/// repeat it: `count(DISTINCT o.student_id)` over enrolments that are joined with some pairs of course and semester looks each
/// enrolment up, and makes no pairs.
extension PhysicalPlan {
  /// The same plan with such joins as semi-joins; its outputs stay as they are.
  var matchingOnce: PhysicalPlan {
    var plan = self
    if case .distinct(let input, on: nil) = node {
      plan.node = .distinct(input.matchingOnce(for: input.outputs.ids), on: nil)
    } else if case .setOperation(let kind, isAll: false, let left, let right) = node {
      plan.node = .setOperation(
        kind, isAll: false, left.matchingOnce(for: left.outputs.ids),
        right.matchingOnce(for: right.outputs.ids))
    } else if case .aggregate(var aggregate) = node, aggregate.partial == nil,
      aggregate.clusterKey == nil, aggregate.ignoresRepetition
    {
      aggregate.input = aggregate.input.matchingOnce(for: aggregate.inputColumns)
      plan.node = .aggregate(aggregate)
    } else if case .hashJoin(var join) = node, join.kind.onlyLooksForMatch, !join.isFlipped {
      join.probe = join.probe.matchingOnce
      join.build = join.build.matchingOnce(for: join.columns)
      plan.node = .hashJoin(join)
    } else {
      plan.node = node.mappingInputs(\.matchingOnce)
    }
    return plan
  }

  /// The same rows but for repetitions, with the columns `read`; others may be missing.
  private func matchingOnce(for read: ColumnSet) -> PhysicalPlan {
    var plan = self
    switch node {
    case .project(let input, let list) where list.allSatisfy(\.isRepeatable):
      plan.node = .project(input.matchingOnce(for: list.columns), list)
    case .filter(let input, let conditions) where conditions.allSatisfy(\.isRepeatable):
      let below = input.matchingOnce(for: read.union(conditions.columns))
      plan.node = .filter(below, conditions)
      plan.outputs = below.outputs
    case .lookupJoin(var join) where join.kind.isInner:
      join.input = join.input.matchingOnce(
        for: read.union(join.keys.columns).union(join.filters.columns))
      plan.node = .lookupJoin(join)
      plan.outputs = join.kind.outputs(join.input.outputs, join.columns.map(\.column))
    case .hashJoin(let join): return matchingOnce(join, for: read)
    case .append(let inputs):
      // Their columns count by number.
      plan.node = .append(inputs.map { $0.matchingOnce(for: $0.outputs.ids) })
    case .expand(var expand) where expand.kind.isInner:
      let used = expand.keys.columns.union(expand.step.filters.columns)
      expand.input = expand.input.matchingOnce(for: read.union(used))
      if !expand.isClustered, expand.step.columns.ids.isDisjoint(with: read),
        expand.step.filters.allSatisfy({ $0.cannotFail && $0.isRepeatable })
      {
        expand.kind = .semi
        plan.estimatedRows = min(estimatedRows, expand.input.estimatedRows)
      }
      plan.node = .expand(expand)
      plan.outputs = expand.kind.outputs(expand.input.outputs, expand.step.columns)
    case .scan, .keyLookup, .adjacencyLookup, .values, .filter, .project, .projectSet,
      .tableFunction, .nestedLoopJoin, .unlinkedPairs, .lookupJoin, .expand, .listJoin,
      .intersection, .edgeCount, .walk, .neighbourCount, .pairCount, .remainingRows, .storedOrder,
      .neighbourAggregate, .rowSummary, .cycleCount, .pathSearch, .apply, .aggregate, .leadingRows,
      .window, .sort, .topN, .limit, .distinct, .setOperation, .closure, .recursive,
      .workingTable, .partialGroups, .withCommon, .commonReference, .modify:
      return matchingOnce
    }
    return plan
  }

  private func matchingOnce(_ found: HashJoin, for read: ColumnSet) -> PhysicalPlan {
    var (plan, join) = (self, found)
    let isInner = join.kind.isInner
    guard isInner || join.kind.onlyLooksForMatch && !join.isFlipped,
      join.residual.allSatisfy({ $0.cannotFail && $0.isRepeatable })
    else { return matchingOnce }
    join.probe = join.probe.matchingOnce(for: read.union(join.columns))
    join.build = join.build.matchingOnce(for: isInner ? read.union(join.columns) : join.columns)
    if isInner, join.build.outputs.ids.isDisjoint(with: read) {
      join.kind = .semi
      join.isFlipped = false
      plan.estimatedRows = min(estimatedRows, join.probe.estimatedRows)
    } else if isInner, join.probe.outputs.ids.isDisjoint(with: read) {
      join.kind = .semi
      join.isFlipped = true
      plan.estimatedRows = min(estimatedRows, join.build.estimatedRows)
    }
    plan.node = .hashJoin(join)
    let (left, right) = join.isFlipped ? (join.build, join.probe) : (join.probe, join.build)
    plan.outputs = join.kind.outputs(left.outputs, right.outputs)
    return plan
  }
}

extension HashJoin {
  /// The columns of both sides that the join itself reads.
  fileprivate var columns: ColumnSet {
    keys.map(\.probe).columns.union(keys.map(\.build).columns).union(residual.columns)
  }
}
