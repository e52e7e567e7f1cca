import Columnar
import Diagnostics
import Planning

/// What a join's build side tells the scans below its probe side: which keys can find a match.
///
/// The build side is run before the probe side's source, so that the filter is there when a scan starts. A
/// filter that is empty lets everything through.
///
/// Sendable by rule: set while a run is prepared, read by its workers.
final class JoinFilter: @unchecked Sendable {
  private(set) var keys: IntegerFilter?
  /// What is known of the rows that a LIMIT above can still want, which grows while they come; nil for a join's filter.
  let bound: SharedSortBound?

  init(bound: SharedSortBound? = nil) { self.bound = bound }

  /// The memory held.
  var byteCount: Int { keys?.byteCount ?? 0 }

  /// Takes the keys of a build side; forgets those of the run before.
  func set(_ column: Vector?, count: Int) throws(SQLError) {
    keys = nil
    if let column { keys = try IntegerFilter(column, count: count) }
  }
}

/// Where filters of a join reach scans: along columns that operators hand on unchanged.
///
/// A row may be dropped at a scan if all it can lead to is rows that the join drops. That is so through
/// inner joins, the kept sides of others, grouping or partitioning windows by the column, and whatever works row by row.
struct JoinFilterTargets {
  /// By the column of the scan, which is unique in the statement.
  private(set) var filters: [ColumnID: [JoinFilter]] = [:]
  /// Bounds for columns that projections compute, by which rows are ruled out before they are computed exactly.
  private(set) var estimates: [ColumnID: (bound: SharedSortBound, of: KeyEstimate)] = [:]

  /// The filters for a column of a scan.
  func filters(of column: ColumnID) -> [JoinFilter] { filters[column] ?? [] }

  /// Lets the bound of a sort reach what it can be held against below.
  mutating func push(_ bound: SharedSortBound, to target: BoundTarget) {
    switch target {
    case .scan(let column): filters[column, default: []].append(JoinFilter(bound: bound))
    case .estimate(let column, let estimate): estimates[column] = (bound, estimate)
    case .ownEstimate: break
    }
  }

  /// Lets a filter of a column that `plan` hands up reach the scans below.
  ///
  /// Says whether it has reached one.
  mutating func push(_ filter: JoinFilter, _ column: ColumnID, to plan: PhysicalPlan) -> Bool {
    switch plan.node {
    case .scan(let scan):
      guard scan.columns.contains(where: { $0.column.id == column && $0.index >= 0 }) else {
        return false
      }
      filters[column, default: []].append(filter)
      return true
    case .filter(let input, _), .sort(let input, _), .distinct(let input, on: nil),
      .withCommon(_, _, let input):
      return input.gives(column) && push(filter, column, to: input)
    case .project(let input, let expressions):
      guard let place = plan.outputs.firstIndex(where: { $0.id == column }),
        let source = expressions[place].asColumn
      else { return false }
      return push(filter, source, to: input)
    case .aggregate(let node):
      guard node.groupingSets == nil,
        let source = node.keys.first(where: { $0.column.id == column })?.expression.asColumn
      else { return false }
      return push(filter, source, to: node.input)
    case .neighbourAggregate(let node):
      return push(filter, plan.outputs.firstIndex { $0.id == column }, to: node)
    case .edgeCount(let count):
      return count.input.gives(column) && push(filter, column, to: count.input)
    case .append(let inputs):
      guard let place = plan.outputs.firstIndex(where: { $0.id == column }) else { return false }
      var found = false
      for input in inputs where push(filter, input.outputs[place].id, to: input) { found = true }
      return found
    case .hashJoin(let join): return push(filter, column, to: join)
    case .nestedLoopJoin(let join):
      return join.kind.keepsLeft && join.left.gives(column) && push(filter, column, to: join.left)
    case .lookupJoin(let join):
      if join.input.gives(column) { return push(filter, column, to: join.input) }
      // The looked-up table's key is equal to what is looked up.
      guard join.kind.isInner,
        let index = join.columns.first(where: { $0.column.id == column })?.index,
        let place = join.keyColumns.firstIndex(of: index), join.keys.indices.contains(place),
        let source = join.keys[place].asColumn
      else { return false }
      return push(filter, source, to: join.input)
    case .listJoin(let join):
      return join.input.gives(column) && push(filter, column, to: join.input)
    case .intersection(let node):
      return node.input.gives(column) && push(filter, column, to: node.input)
    case .leadingRows(let input, let rows):
      return rows.keys.contains { $0.asColumn == column } && push(filter, column, to: input)
    case .window(let input, let calls):
      // Whole partitions are dropped, of which nobody sees anything.
      let isOfAll = calls.allSatisfy { $0.call.partitionBy.contains { $0.asColumn == column } }
      return isOfAll && input.gives(column) && push(filter, column, to: input)
    case .expand(let expand):
      if expand.input.gives(column) { return push(filter, column, to: expand.input) }
      guard expand.kind.isInner,
        expand.step.storedColumns.contains(where: { $0.column.id == column })
      else { return false }
      filters[column, default: []].append(filter)
      return true
    case .apply(let apply):
      return apply.kind.keepsLeft && apply.left.gives(column)
        && push(filter, column, to: apply.left)
    case .keyLookup, .adjacencyLookup, .values, .projectSet, .tableFunction, .unlinkedPairs,
      .walk, .neighbourCount, .pairCount, .remainingRows, .storedOrder, .rowSummary, .cycleCount,
      .pathSearch, .topN, .limit, .distinct,
      .setOperation, .closure, .recursive, .workingTable, .partialGroups, .commonReference, .modify:
      return false
    }
  }

  /// `place` is that of the column among the keys, or of no key.
  private mutating func push(
    _ filter: JoinFilter, _ place: Int?, to node: NeighbourAggregate
  ) -> Bool {
    guard let place, node.keys.indices.contains(place) else { return false }
    if let rows = node.rows { return push(filter, node.keys[place], to: rows.plan) }
    filters[node.keys[place], default: []].append(filter)
    return true
  }

  private mutating func push(_ filter: JoinFilter, _ column: ColumnID, to join: HashJoin) -> Bool {
    guard join.kind.keepsLeft else { return false }
    let (left, right) = join.isFlipped ? (join.build, join.probe) : (join.probe, join.build)
    guard join.kind.isInner else {
      return left.gives(column) && push(filter, column, to: left)
    }
    var found = false
    let columns = [column] + join.keys.compactMap { $0.partner(of: column) }
    for column in columns {
      for side in [left, right] where side.gives(column) {
        if push(filter, column, to: side) { found = true }
      }
    }
    return found
  }
}

extension AdjacencyStep {
  /// The columns of edge and neighbour that stand in their tables.
  fileprivate var storedColumns: [ScanPlan.Column] {
    (edgeColumns + neighbourColumns).filter { $0.index >= 0 }
  }
}

extension HashJoin {
  /// What other conditions than its keys ask to be equal of columns of both sides.
  var residualKeys: [Key] {
    let (probe, build) = (self.probe.outputs.ids, self.build.outputs.ids)
    return residual.compactMap { condition in
      guard case .comparison(.equal, let left, let right) = condition, let one = left.asColumn,
        let two = right.asColumn
      else { return nil }
      if probe.contains(one) && build.contains(two) { return Key(probe: left, build: right) }
      if probe.contains(two) && build.contains(one) { return Key(probe: right, build: left) }
      return nil
    }
  }

  /// Whether a probe row without a match leaves nothing behind.
  var dropsUnmatchedProbe: Bool {
    let rules = JoinRules(kind, isFlipped: isFlipped)
    switch rules.output {
    case .pairs: return !rules.keepsProbe
    case .matched, .buildMatched, .buildUnmatched, .buildMark: return true
    case .unmatched, .mark: return false
    }
  }
}

extension HashJoin.Key {
  /// Whether what the build side knows of the key can be told to a scan.
  var canFilter: Bool {
    let wholes: Set<PhysicalType> = [.int16, .int32, .int64]
    return !nullsMatch && probe.asColumn != nil && wholes.contains(probe.type.physical)
      && wholes.contains(build.type.physical)
  }

  /// The column that is equal to another one wherever the join has a match.
  fileprivate func partner(of column: ColumnID) -> ColumnID? {
    guard !nullsMatch, let one = probe.asColumn, let two = build.asColumn else { return nil }
    return one == column ? two : two == column ? one : nil
  }
}

extension PhysicalPlan {
  func gives(_ column: ColumnID) -> Bool { outputs.contains { $0.id == column } }
}
