import Catalog
import Columnar
import Planning

extension PhysicalPlanner {
  /// Groups of which only the first are asked for, sorted by a key of theirs before all else, made of no more rows than those may
  /// have.
  ///
  /// As many different values of the key as groups are asked for make at least so many groups, so that no group behind these is
  /// among the first. What stands between groups and order must hand all groups on.
  func leadingGroups(_ plan: PhysicalPlan, _ order: [SortKey], _ limit: LimitPlan) -> PhysicalPlan {
    guard rules.contains(.topN), let first = order.first, let count = limit.lastRow else {
      return plan
    }
    return plan.leadingGroups(Int(clamping: count), in: first)
  }
}

extension PhysicalPlan {
  fileprivate func leadingGroups(_ count: Int, in order: SortKey) -> PhysicalPlan {
    guard let id = order.expression.asColumn,
      let place = outputs.firstIndex(where: { $0.id == id })
    else { return self }
    var result = self
    if case .project(let input, let list) = node {
      let below = order.of(list[place])
      result.node = .project(input.leadingGroups(count, in: below), list)
    } else if case .distinct(let input, on: nil) = node {
      guard input.outputs.contains(where: { $0.id == id }),
        let rows = input.leadingRows(count, in: order, groups: estimatedRows)
      else { return self }
      result.node = .distinct(rows, on: nil)
    } else if case .aggregate(var node) = node, node.isDear(groups: estimatedRows),
      let key = node.rowKey(of: id)
    {
      guard let rows = node.input.leadingRows(count, in: order.of(key), groups: estimatedRows)
      else { return self }
      node.input = rows
      result.node = .aggregate(node)
    }
    return result
  }

  /// Those rows that may be of the first groups.
  private func leadingRows(_ count: Int, in order: SortKey, groups: Double) -> PhysicalPlan? {
    guard LeadingRows.areMany(estimatedRows),
      let rows = LeadingRows(ofValues: count, in: order, groups: groups)
    else { return nil }
    return PhysicalPlan(.leadingRows(self, rows), outputs: outputs, estimatedRows: estimatedRows)
  }
}

extension AggregateNode {
  /// Whether to put a row into its group costs more than to see that nobody asks for the group.
  fileprivate func isDear(groups: Double) -> Bool {
    let isOneNumber =
      keys.count == 1 && keys[0].expression.type.isInteger || partial?.keys.count == 1
    let areSimple = calls.allSatisfy {
      !$0.isDistinct && $0.orderBy.isEmpty && Self.simple.contains($0.name)
    }
    return !isOneNumber || !areSimple || calls.count > Self.simpleMax || groups >= Self.cachedGroups
  }

  private static let simple = ["count", "sum", "avg", "min", "max"]
  private static let simpleMax = 2
  /// So many groups are found in a cache.
  private static let cachedGroups = 65_536.0

  /// What a key of the groups is of the rows of the input; nil where rows of groups that are not asked for may not be left out.
  fileprivate func rowKey(of id: ColumnID) -> BoundExpression? {
    guard groupingSets == nil, calls.allSatisfy({ $0.cannotFail { _ in nil } }),
      let key = keys.first(where: { $0.column.id == id })
    else { return nil }
    guard let partial else {
      // The key itself is computed of all rows.
      let others = keys.filter { $0.column.id != id }
      return others.allSatisfy(\.expression.cannotFail) ? key.expression : nil
    }
    // Whatever completes groups may leave some of them out.
    guard let column = key.expression.asColumn.flatMap(partial.completion.groupColumn),
      let place = partial.keys.firstIndex(where: { $0.id == column }), partial.codes[place] == nil,
      partial.completion.completesAll(of: input)
    else { return nil }
    return partial.keys[place].reference
  }
}

extension PhysicalPlan {
  /// Whether groups made of the rows of `input` are all handed on: nothing but expressions and parents are added to them.
  fileprivate func completesAll(of input: PhysicalPlan) -> Bool {
    switch node {
    case .partialGroups: return true
    case .project(let below, _): return below.completesAll(of: input)
    case .lookupJoin(let join):
      guard join.filters.isEmpty, join.input.completesAll(of: input) else { return false }
      switch join.kind {
      case .left: return true
      case .inner: return input.namesParents(join.keys, join.keyColumns, of: join.table)
      case .right, .full, .semi, .anti, .mark, .single: return false
      }
    case .scan, .keyLookup, .adjacencyLookup, .values, .filter, .projectSet, .tableFunction,
      .hashJoin, .nestedLoopJoin, .unlinkedPairs, .expand, .listJoin, .intersection, .edgeCount,
      .walk, .neighbourCount, .pairCount, .remainingRows, .storedOrder, .neighbourAggregate,
      .rowSummary, .cycleCount, .pathSearch, .apply, .aggregate, .leadingRows, .window, .sort,
      .topN, .limit, .distinct, .append, .setOperation, .closure, .recursive, .workingTable,
      .withCommon, .commonReference, .modify:
      return false
    }
  }

  /// The column of the groups that a column of completed groups is equal to; nil where none is known.
  fileprivate func groupColumn(_ id: ColumnID) -> ColumnID? {
    if case .partialGroups = node { return id }
    if case .project(let below, let list) = node {
      return outputs.firstIndex { $0.id == id }.flatMap { list[$0].asColumn }
        .flatMap(below.groupColumn)
    }
    guard case .lookupJoin(let join) = node else { return nil }
    guard let own = join.columns.first(where: { $0.column.id == id }) else {
      return join.input.groupColumn(id)
    }
    // A parent's key is what names it.
    return join.kind.isInner
      ? join.keyColumns.firstIndex(of: own.index).flatMap { join.keys[$0].asColumn }
        .flatMap(join.input.groupColumn) : nil
  }

  /// Whether in all rows of a scan columns name a row of another table by a key of it.
  private func namesParents(
    _ columns: [BoundExpression], _ keyColumns: [Int], of parent: TableDefinition
  ) -> Bool {
    guard case .scan(let scan) = node else { return false }
    let own = columns.compactMap { column in
      scan.columns.first { $0.column.id == column.asColumn }?.index
    }
    return own.count == columns.count
      && own.allSatisfy { $0 >= 0 && scan.table.columns[$0].isNotNull }
      && scan.table.foreignKeys.contains { key in
        key.parent == parent.id && key.alwaysHasParent && key.columns == own
          && key.parentColumns == keyColumns
      }
  }
}

extension SortKey {
  /// The same order of something else.
  func of(_ expression: BoundExpression) -> SortKey {
    SortKey(expression, isDescending: isDescending, nullsFirst: nullsFirst)
  }
}
