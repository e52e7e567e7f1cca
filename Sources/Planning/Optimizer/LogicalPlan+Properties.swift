import Catalog
import Columnar

/// Columns whose values together are different in every row.
package struct UniqueKey: Sendable {
  package var columns: ColumnSet
  /// Whether rows with a NULL in the columns may repeat, as in a UNIQUE constraint.
  package var repeatsNulls: Bool
}

extension LogicalPlan {
  /// Columns that are NULL in no row.
  ///
  /// - Complexity: O(size of the plan).
  package var notNullColumns: ColumnSet {
    switch self {
    case .scan(let scan):
      var found: ColumnSet = []
      let primary = Set(scan.table.primaryKey?.columns ?? [])
      for column in scan.columns {
        let index = column.index
        if index < 0 || primary.contains(index)
          || (scan.table.columns.indices.contains(index) && scan.table.columns[index].isNotNull)
        {
          found.insert(column.column.id)
        }
      }
      return found.union(Self.rejected(by: scan.filters, among: scan.columnIDs))
    case .values(let rows, let columns):
      var found: ColumnSet = []
      for (index, column) in columns.enumerated()
      where rows.allSatisfy({ index < $0.count && $0[index].isNeverNull([]) }) {
        found.insert(column.id)
      }
      return found
    case .filter(let input, let conditions):
      return input.notNullColumns.union(
        Self.rejected(by: conditions, among: input.outputIDs))
    case .project(let input, let columns):
      let below = input.notNullColumns
      return ColumnSet(columns.filter { $0.expression.isNeverNull(below) }.map(\.column.id))
    case .projectSet(let input, let columns, _):
      let below = input.notNullColumns
      return ColumnSet(columns.filter { $0.expression.isNeverNull(below) }.map(\.column.id))
    case .join(let join): return join.notNullColumns
    case .path(let path): return path.input.notNullColumns.union(path.target.notNullColumns)
    case .aggregate(let plan):
      if plan.groupingSets != nil { return [] }
      let below = plan.input.notNullColumns
      let keys = plan.keys.filter { $0.expression.isNeverNull(below) }.map(\.column.id)
      let counts = plan.aggregates.filter { $0.call.name == "count" }.map(\.column.id)
      return ColumnSet(keys + counts)
    case .window(let input, let calls):
      var found = input.notNullColumns
      for (column, call) in calls {
        switch call.function {
        case .rowNumber, .rank, .denseRank, .percentRank, .cumeDist: found.insert(column.id)
        case .ntile, .lag, .lead, .firstValue, .lastValue, .nthValue, .aggregate: break
        }
      }
      return found
    case .sort(let input, _), .limit(let input, _), .distinct(let input, on: _):
      return input.notNullColumns
    case .setOperation(let plan):
      let (left, right) = (plan.left.notNullColumns, plan.right.notNullColumns)
      var found: ColumnSet = []
      for (index, column) in plan.columns.enumerated() {
        let fromLeft = left.contains(plan.left.outputs[index].id)
        let fromRight = right.contains(plan.right.outputs[index].id)
        let isFound =
          switch plan.kind {
          case .union: fromLeft && fromRight
          case .intersect: fromLeft || fromRight
          case .except: fromLeft
          }
        if isFound { found.insert(column.id) }
      }
      return found
    case .withCommon(_, _, let body): return body.notNullColumns
    case .tableFunction(let plan): return plan.input?.notNullColumns ?? []
    case .recursive, .workingTable, .commonReference, .modify: return []
    }
  }

  static func rejected(
    by conditions: [BoundExpression], among columns: @autoclosure () -> ColumnSet
  ) -> ColumnSet {
    if conditions.isEmpty { return [] }
    var candidates = conditions.columns
    candidates.formIntersection(columns())
    var rejected: ColumnSet = []
    for id in candidates where conditions.contains(where: { $0.rejects(nulls: [id]) }) {
      rejected.insert(id)
    }
    return rejected
  }

  /// Sets of columns that tell every row from every other; the empty set means at most one row.
  ///
  /// - Complexity: O(size of the plan × keys).
  package var uniqueKeys: [UniqueKey] {
    switch self {
    case .scan(let scan):
      let notNull = notNullColumns
      var found: [UniqueKey] = []
      for key in scan.table.immediateKeys {
        // A column of the key that is not read is unknown here, whatever a filter may say of it.
        let columns = key.columns.compactMap(scan.columnID)
        guard columns.count == key.columns.count else { continue }
        let isTotal = key.nullsNotDistinct || columns.allSatisfy(notNull.contains)
        found.append(UniqueKey(columns: ColumnSet(columns), repeatsNulls: !isTotal))
      }
      if let position = scan.columnID(ScanPlan.positionIndex) {
        found.append(UniqueKey(columns: [position], repeatsNulls: false))
      }
      return found.reduced(by: scan.filters, of: outputIDs)
    case .values(let rows, _):
      return rows.count <= 1 ? [UniqueKey(columns: [], repeatsNulls: false)] : []
    case .filter(let input, let conditions):
      return input.uniqueKeys.reduced(by: conditions, of: input.outputIDs)
    case .project(let input, let columns):
      var renamed: ColumnMap<ColumnID> = [:]
      for column in columns {
        if let source = column.expression.asColumn { renamed[source] = column.column.id }
      }
      let keys = input.uniqueKeys
      if keys.contains(where: { $0.columns.contains { renamed[$0] == nil } }) {
        input.nameEqualColumns(in: &renamed)
      }
      return keys.compactMap { key in
        let mapped = key.columns.compactMap { renamed[$0] }
        guard mapped.count == key.columns.count else { return nil }
        return UniqueKey(columns: ColumnSet(mapped), repeatsNulls: key.repeatsNulls)
      }
    case .join(let join): return join.uniqueKeys
    case .path(let path): return path.uniqueKeys
    case .aggregate(let plan):
      guard plan.groupingSets == nil else { return [] }
      return [UniqueKey(columns: ColumnSet(plan.keys.map(\.column.id)), repeatsNulls: false)]
    case .window(let input, _), .sort(let input, _): return input.uniqueKeys
    case .limit(let input, let limit):
      if let count = limit.count?.asConstant, limit.ties == nil, case .int64(let rows) = count,
        rows <= 1
      {
        return [UniqueKey(columns: [], repeatsNulls: false)]
      }
      return input.uniqueKeys
    case .distinct(let input, on: nil):
      return input.uniqueKeys + [UniqueKey(columns: input.outputIDs, repeatsNulls: false)]
    case .distinct(let input, let on?):
      let columns = on.compactMap(\.asColumn)
      if columns.count == on.count {
        return input.uniqueKeys + [UniqueKey(columns: ColumnSet(columns), repeatsNulls: false)]
      }
      return input.uniqueKeys
    case .setOperation(let plan):
      if plan.isAll { return [] }
      return [UniqueKey(columns: ColumnSet(plan.columns.map(\.id)), repeatsNulls: false)]
    case .withCommon(_, _, let body): return body.uniqueKeys
    case .projectSet, .tableFunction, .recursive, .workingTable, .commonReference, .modify:
      return []
    }
  }

  /// Gives columns the names of those that inner joins and filters hold equal to them.
  private func nameEqualColumns(in names: inout ColumnMap<ColumnID>) {
    var conditions: [BoundExpression]
    switch self {
    case .filter(let input, let own):
      input.nameEqualColumns(in: &names)
      conditions = own
    case .join(let join):
      switch join.kind {
      case .inner:
        join.left.nameEqualColumns(in: &names)
        join.right.nameEqualColumns(in: &names)
        conditions = join.conditions
      case .left, .semi, .anti, .mark, .single:
        join.left.nameEqualColumns(in: &names)
        return
      case .right, .full: return
      }
    case .scan, .values, .project, .projectSet, .path, .aggregate, .window, .sort, .limit,
      .distinct, .setOperation, .recursive, .workingTable, .withCommon, .commonReference,
      .tableFunction, .modify:
      return
    }
    conditions = conditions.filter { condition in
      guard case .comparison(.equal, let left, let right) = condition else { return false }
      return left.asColumn != nil && right.asColumn != nil && left.type == right.type
    }
    // Each pass names one more column at least.
    for _ in conditions {
      for case .comparison(_, let left, let right) in conditions {
        guard let one = left.asColumn, let other = right.asColumn else { continue }
        if names[one] == nil { names[one] = names[other] }
        if names[other] == nil { names[other] = names[one] }
      }
    }
  }

  /// Whether the plan provably gives no more than one row.
  package var isAtMostOneRow: Bool { uniqueKeys.contains { $0.columns.isEmpty } }

  /// Whether the rows differ in `columns`, counting NULLs as equal.
  package func isUnique(on columns: ColumnSet) -> Bool {
    uniqueKeys.contains { !$0.repeatsNulls && $0.columns.isSubset(of: columns) }
  }

  /// Whether at most one row equals given values other than NULL in `columns`.
  package func isUniqueMatch(on columns: ColumnSet) -> Bool {
    uniqueKeys.contains { $0.columns.isSubset(of: columns) }
  }
}

extension [UniqueKey] {
  /// The keys without columns that a condition holds equal to something from outside.
  fileprivate func reduced(
    by conditions: [BoundExpression], of columns: ColumnSet
  ) -> [UniqueKey] {
    var fixed: ColumnSet = []
    for condition in conditions {
      guard case .comparison(.equal, let left, let right) = condition else { continue }
      if let id = left.asColumn, columns.contains(id), !right.uses(columns),
        !right.isVolatile
      {
        fixed.insert(id)
      }
      if let id = right.asColumn, columns.contains(id), !left.uses(columns),
        !left.isVolatile
      {
        fixed.insert(id)
      }
    }
    if fixed.isEmpty { return self }
    // A column held equal to a value is not NULL, so what remains of the key has only its own NULLs
    // to fear.
    return map { key in
      let rest = key.columns.subtracting(fixed)
      return UniqueKey(columns: rest, repeatsNulls: key.repeatsNulls && !rest.isEmpty)
    }
  }
}

extension JoinPlan {
  fileprivate var notNullColumns: ColumnSet {
    switch kind {
    case .inner, .semi:
      // The left side mostly is the joins below, the right one a table: what is found is added to in place.
      var found = left.notNullColumns
      if case .inner = kind {
        found.formUnion(right.notNullColumns)
        found.formUnion(
          LogicalPlan.rejected(by: conditions, among: left.outputIDs.union(right.outputIDs)))
      } else {
        found.formUnion(LogicalPlan.rejected(by: conditions, among: left.outputIDs))
      }
      return found
    case .left, .anti, .mark, .single: return left.notNullColumns
    case .right: return right.notNullColumns
    case .full: return []
    }
  }

  /// The columns of one side that conditions hold equal to expressions over the other.
  package func equatedColumns(of side: LogicalPlan, with other: LogicalPlan) -> ColumnSet {
    equatedColumns(of: side.outputIDs, with: other.outputIDs)
  }

  private func equatedColumns(of own: ColumnSet, with others: ColumnSet) -> ColumnSet {
    var found: ColumnSet = []
    for condition in conditions {
      guard case .comparison(.equal, let first, let second) = condition else { continue }
      for (one, two) in [(first, second), (second, first)] {
        if let id = one.asColumn, own.contains(id), !two.uses(own),
          two.usesOnly(others) || isLateral
        {
          found.insert(id)
        }
      }
    }
    return found
  }

  fileprivate var uniqueKeys: [UniqueKey] {
    switch kind {
    case .semi, .anti, .mark, .single: return left.uniqueKeys
    case .full: return []
    case .inner, .left, .right:
      let (ofLeft, ofRight) = (left.uniqueKeys, right.uniqueKeys)
      var found: [UniqueKey] = []
      if ofLeft.isEmpty && ofRight.isEmpty { return [] }
      let (leftIDs, rightIDs) = (left.outputIDs, right.outputIDs)
      let rightMatched = equatedColumns(of: rightIDs, with: leftIDs)
      let leftMatched = equatedColumns(of: leftIDs, with: rightIDs)
      if kind.keepsLeft, ofRight.contains(where: { $0.columns.isSubset(of: rightMatched) }) {
        found += ofLeft
      }
      if kind.keepsRight, ofLeft.contains(where: { $0.columns.isSubset(of: leftMatched) }) {
        found += ofRight
      }
      // Of a key of the matches those columns count that the row does not say which they are matched with.
      if kind.keepsLeft { found += Self.together(ofLeft, ofRight, matched: rightMatched) }
      if kind.keepsRight { found += Self.together(ofRight, ofLeft, matched: leftMatched) }
      return Array(found.prefix(8))
    }
  }

  private static func together(
    _ keys: [UniqueKey], _ others: [UniqueKey], matched: ColumnSet
  ) -> [UniqueKey] {
    keys.prefix(2).flatMap { one in
      others.prefix(2).map { two in
        let rest = two.columns.subtracting(matched)
        return UniqueKey(
          columns: one.columns.union(rest),
          repeatsNulls: one.repeatsNulls || two.repeatsNulls && !rest.isEmpty)
      }
    }
  }
}

extension JoinPlan.Kind {
  /// Whether a left row comes out at most once for each match, and no other rows come out than
  /// those of the left: dropping it drops what comes out of it.
  package var keepsLeft: Bool {
    switch self {
    case .inner, .left, .single, .semi, .anti, .mark: true
    case .right, .full: false
    }
  }

  fileprivate var keepsRight: Bool {
    switch self {
    case .inner, .right: true
    case .left, .full, .semi, .anti, .mark, .single: false
    }
  }
}
