import Catalog
import Columnar
import Planning

/// What a sort's bound can be held against below the sort.
enum BoundTarget {
  /// A column of a scan.
  case scan(ColumnID)
  /// A column that a projection computes, of which an estimate is quickly made.
  case estimate(ColumnID, KeyEstimate)
  /// The same of what the sort itself computes of its input.
  case ownEstimate(KeyEstimate)

  /// The column whose values are told to come behind the bound before their rows have gone far; nil for estimates.
  var column: ColumnID? {
    switch self {
    case .scan(let column): column
    case .estimate, .ownEstimate: nil
    }
  }

  /// Whether rows are estimated on their way to the sort.
  var isEstimate: Bool {
    switch self {
    case .estimate, .ownEstimate: true
    case .scan: false
    }
  }

  /// nil where nothing tells early on that a row comes behind the first ones.
  init?(of keys: [SortKey], over input: PhysicalPlan) {
    guard let key = keys.first?.expression else { return nil }
    if let column = key.asColumn {
      guard let target = input.boundTarget(of: column) else { return nil }
      self = target
    } else {
      guard keys.dropFirst().allSatisfy(\.expression.cannotFail), let estimate = KeyEstimate(key)
      else { return nil }
      self = .ownEstimate(estimate)
    }
  }
}

extension PhysicalPlan {
  /// What tells of rows early on that they come behind a bound in a column that the plan hands up; nil where nothing does.
  ///
  /// Rows are dropped below nothing that may fail for one of them.
  func boundTarget(of column: ColumnID) -> BoundTarget? {
    switch node {
    case .scan(let scan):
      return scan.columns.contains { $0.column.id == column && $0.index >= 0 }
        ? .scan(column) : nil
    case .project(let input, let expressions):
      guard let place = outputs.firstIndex(where: { $0.id == column }) else { return nil }
      let others = expressions.indices.filter { $0 != place }
      if let source = expressions[place].asColumn {
        return others.allSatisfy { expressions[$0].asColumn != nil }
          ? input.boundTarget(of: source) : nil
      }
      guard others.allSatisfy({ expressions[$0].cannotFail }) else { return nil }
      return KeyEstimate(expressions[place]).map { .estimate(column, $0) }
    case .lookupJoin(let join):
      guard join.filters.isEmpty, join.keys.allSatisfy({ $0.asColumn != nil }) else { return nil }
      let own = join.input.gives(column) ? column : join.inputColumn(equalTo: column)
      return own.flatMap(join.input.boundTarget)
    case .hashJoin(let join):
      let isPlain = join.residual.isEmpty && join.keys.allSatisfy { $0.probe.asColumn != nil }
      let isKept = join.kind.isInner || !join.isFlipped && join.kind.keepsLeft
      guard isPlain, isKept else { return nil }
      let own = join.probe.gives(column) ? column : join.probeColumn(equalTo: column)
      return own.flatMap(join.probe.boundTarget)
    case .expand(let expand):
      guard expand.keys.allSatisfy({ $0.asColumn != nil }),
        expand.step.filters.allSatisfy(\.cannotFail)
      else { return nil }
      let own = expand.input.gives(column) ? column : expand.inputColumn(equalTo: column)
      return own.flatMap(expand.input.boundTarget)
    case .edgeCount(let count):
      return count.input.gives(column) ? count.input.boundTarget(of: column) : nil
    case .neighbourAggregate(let node):
      guard let place = outputs.firstIndex(where: { $0.id == column }),
        node.keys.indices.contains(place)
      else { return nil }
      return node.boundTarget(ofParents: node.keys[place])
    case .filter(let input, let conditions):
      return conditions.allSatisfy(\.failsAtOnceOrNever) ? input.boundTarget(of: column) : nil
    case .sort, .distinct, .withCommon, .aggregate, .append, .nestedLoopJoin,
      .listJoin, .intersection, .leadingRows, .window, .apply, .keyLookup,
      .adjacencyLookup, .values, .projectSet, .tableFunction, .unlinkedPairs, .walk,
      .neighbourCount, .pairCount, .remainingRows, .storedOrder, .rowSummary, .cycleCount,
      .pathSearch, .topN, .limit, .setOperation, .closure, .recursive, .workingTable,
      .partialGroups, .commonReference, .modify:
      return nil
    }
  }
}

extension NeighbourAggregate {
  /// The column of the parents' table that a bound of a key is held against: groups of parents behind it are not made.
  fileprivate func boundTarget(ofParents column: ColumnID) -> BoundTarget? {
    let conditions = filters + edgeConditions.filters
    guard rows == nil, conditions.allSatisfy(\.cannotFail),
      aggregates.allSatisfy({ $0.call.cannotFail { _ in nil } }),
      parents.columns.contains(where: { $0.column.id == column && $0.index >= 0 })
    else { return nil }
    return .scan(column)
  }
}

// What a join's rows have in a column of the other side they have in one of this side too, where that is a key of the join.

extension LookupJoin {
  fileprivate func inputColumn(equalTo column: ColumnID) -> ColumnID? {
    guard kind.isInner, let found = columns.first(where: { $0.column.id == column }),
      let place = keyColumns.firstIndex(of: found.index), keys.indices.contains(place)
    else { return nil }
    return keys[place].column(ofForm: found.column.type)
  }
}

extension HashJoin {
  fileprivate func probeColumn(equalTo column: ColumnID) -> ColumnID? {
    guard kind.isInner,
      let key = keys.first(where: { $0.build.asColumn == column && !$0.nullsMatch })
    else { return nil }
    return key.probe.column(ofForm: key.build.type)
  }
}

extension Expand {
  fileprivate func inputColumn(equalTo column: ColumnID) -> ColumnID? {
    guard kind.isInner, let found = step.edgeColumns.first(where: { $0.column.id == column }),
      let place = step.edgeTable.foreignKeys[step.from].columns.firstIndex(of: found.index),
      keys.indices.contains(place)
    else { return nil }
    return keys[place].column(ofForm: found.column.type)
  }
}

extension BoundExpression {
  /// The column that the expression is, if its values are kept as those of a type are.
  fileprivate func column(ofForm type: LogicalType) -> ColumnID? {
    self.type == type ? asColumn : nil
  }
}
