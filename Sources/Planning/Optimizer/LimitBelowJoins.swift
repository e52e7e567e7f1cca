import Catalog
import Columnar

/// Moves LIMIT and its sort below joins that hand on each row of one side exactly once, so that no more rows are joined than are
/// wanted.
///
/// A join with a parent that a foreign key promises, a left join that matches at most once and the value of a subquery are such joins.
/// Where only the first keys of the sort are known below, rows equal to the last in these are joined as well, and those
/// wanted are taken of them above: not where these are many, as they would be kept only to be joined all the same.
struct LimitBelowJoins {
  let statistics: StatisticsSource

  /// More rows are not few.
  private static let rowMax: Int64 = 100_000

  func applied(_ plan: LogicalPlan) -> LogicalPlan { plan.changed(rewritten) ?? plan }

  private func rewritten(_ plan: LogicalPlan) -> LogicalPlan? {
    guard case .limit(.sort(let input, let keys), let limit) = plan, limit.ties == nil,
      !keys.contains(where: { $0.expression.isVolatile }), let count = rowCount(limit),
      let lower = lowered(input, keys, count)
    else { return nil }
    return .limit(.sort(lower, keys), limit)
  }

  /// The plan with no more than so many rows, and those equal to the last of them, of the part of it that decides which come first;
  /// nil if there is no such part.
  private func lowered(
    _ plan: LogicalPlan, _ keys: [SortKey], _ count: BoundExpression
  ) -> LogicalPlan? {
    if case .project(let input, let list) = plan {
      // Whether an error of a row that nobody sees is raised should not hang on this.
      guard list.allSatisfy({ !$0.expression.isVolatile && $0.expression.cannotFail }) else {
        return nil
      }
      return lowered(input, keys.replacing(list), count).map { .project($0, list) }
    }
    guard case .join(var join) = plan, let first = keys.first else { return nil }
    let used = first.expression.columns
    if join.keepsEachLeftRow, used.isSubset(of: join.left.outputIDs) {
      guard let left = limited(join.left, keys, count) else { return nil }
      join.left = left
    } else if join.keepsEachRightRow, used.isSubset(of: join.right.outputIDs) {
      guard let right = limited(join.right, keys, count) else { return nil }
      join.right = right
    } else {
      return nil
    }
    return .join(join)
  }

  /// The side of a join that decides which rows come first, with no more rows than are needed.
  private func limited(
    _ side: LogicalPlan, _ keys: [SortKey], _ count: BoundExpression
  ) -> LogicalPlan? {
    if let lower = lowered(side, keys, count) { return lower }
    // Few rows already.
    if case .limit = side { return nil }
    if case .values = side { return nil }
    let given = side.outputIDs
    let known = Array(keys.prefix { $0.expression.columns.isSubset(of: given) })
    guard keys.dropFirst(known.count).allSatisfy(\.expression.cannotFail) else { return nil }
    if known.count < keys.count && tieCount(of: side, known) > Self.tieMax { return nil }
    return .limit(
      .sort(side, known),
      LimitPlan(count: count, offset: nil, ties: known.count < keys.count ? known : nil))
  }

  /// So many rows that equal the last are soon joined.
  private static let tieMax = 8192.0

  /// How many rows are equal in some keys, on average.
  private func tieCount(of side: LogicalPlan, _ keys: [SortKey]) -> Double {
    let columns = keys.compactMap(\.expression.asColumn)
    guard columns.count == keys.count else { return 0 }
    let profile = RelationProfile.of(side, statistics: statistics, commons: [:])
    return profile.rows / max(1, profile.groupCount(columns))
  }

  /// How many rows are looked at; nil where that is not known, or many.
  private func rowCount(_ limit: LimitPlan) -> BoundExpression? {
    if let last = limit.lastRow {
      return last <= Self.rowMax ? .constant(.int64(last), .bigint) : nil
    }
    // A parameter without OFFSET.
    guard let count = limit.count, count.asConstant == nil, limit.offset == nil else { return nil }
    return count
  }
}

extension LimitPlan {
  /// How many rows are looked at, those that are skipped included; nil where that is not known.
  package var lastRow: Int64? {
    guard case .int64(let count)? = self.count?.asConstant, count >= 0 else { return nil }
    guard let offset else { return count }
    guard case .int64(let skipped)? = offset.asConstant, skipped >= 0 else { return nil }
    let (sum, overflow) = count.addingReportingOverflow(skipped)
    return overflow ? nil : sum
  }
}

extension [SortKey] {
  /// The keys over what columns of a projection are computed from.
  func replacing(_ columns: [ProjectedColumn]) -> [SortKey] {
    var computed: ColumnMap<BoundExpression> = [:]
    for column in columns { computed[column.column.id] = column.expression }
    return map { key in
      var key = key
      key.expression = key.expression.replacing(computed)
      return key
    }
  }
}

extension JoinPlan {
  /// Whether each left row comes out exactly once.
  fileprivate var keepsEachLeftRow: Bool {
    if isLateral || conditions.contains(where: { $0.isVolatile || !$0.cannotFail })
      || right.isVolatile
    {
      return false
    }
    switch kind {
    case .inner: return right.isNamed(by: left, conditions)
    case .left: return right.isUniqueMatch(on: equatedColumns(of: right, with: left))
    case .mark, .single: return true
    case .right, .full, .semi, .anti: return false
    }
  }

  /// Whether each right row comes out exactly once.
  fileprivate var keepsEachRightRow: Bool {
    if isLateral || left.isVolatile { return false }
    switch kind {
    case .inner: return left.isNamed(by: right, conditions)
    case .left, .mark, .single, .right, .full, .semi, .anti: return false
    }
  }
}

extension LogicalPlan {
  /// Whether this is a table of which each row of another plan names one row by a foreign key that promises it, and the conditions
  /// ask for no more.
  fileprivate func isNamed(by child: LogicalPlan, _ conditions: [BoundExpression]) -> Bool {
    guard case .scan(let parent) = self, parent.filters.isEmpty, !conditions.isEmpty else {
      return false
    }
    let notNull = child.notNullColumns
    var sources: [(scan: ScanPlan, pair: (own: Int, parent: Int))] = []
    for condition in conditions {
      guard case .comparison(.equal, let one, let two) = condition, one.type == two.type,
        let first = one.asColumn, let second = two.asColumn
      else { return false }
      let (key, name) = parent.columnIDs.contains(first) ? (first, second) : (second, first)
      guard let index = parent.columns.first(where: { $0.column.id == key })?.index,
        notNull.contains(name), let source = child.source(of: name)
      else { return false }
      sources.append((source.scan, (source.index, index)))
    }
    guard let first = sources.first?.scan,
      sources.allSatisfy({ $0.scan.identity == first.identity })
    else { return false }
    return first.table.foreignKeys.contains { key in
      key.parent == parent.table.id && key.alwaysHasParent && key.columns.count == sources.count
        && zip(key.columns, key.parentColumns).allSatisfy { pair in
          sources.contains { $0.pair == pair }
        }
    }
  }

  /// The column of a table that a column of the plan has its values from, of one row for each row of the plan; all columns with the
  /// same scan are of the same row.
  private func source(of id: ColumnID) -> (scan: ScanPlan, index: Int)? {
    switch self {
    case .scan(let scan):
      return scan.columns.first { $0.column.id == id }.map { (scan, $0.index) }
    case .filter(let input, _), .sort(let input, _), .limit(let input, _),
      .distinct(let input, on: _), .window(let input, _), .withCommon(_, _, let input):
      return input.source(of: id)
    case .project(let input, let list):
      return list.first { $0.column.id == id }?.expression.asColumn.flatMap(input.source)
    case .join(let join):
      return join.left.source(of: id) ?? join.right.source(of: id)
    case .aggregate(let aggregate):
      guard aggregate.groupingSets == nil else { return nil }
      return aggregate.keys.first { $0.column.id == id }?.expression.asColumn
        .flatMap(aggregate.input.source)
    case .values, .projectSet, .path, .setOperation, .recursive, .workingTable, .commonReference,
      .tableFunction, .modify:
      return nil
    }
  }
}
