import Catalog
import Columnar

/// `a = 7 OR b = 7` as the rows that an index finds for either, where both have one.
///
/// No index leads to the rows of an alternative as a whole. Those of the first part, and behind them those of the second which
/// are not of the first, are found by two look-ups where a scan asks each row of the table: the friends of somebody in a table of
/// pairs that names each of them once, as one or the other.
struct DisjunctionAsUnion {
  let statistics: StatisticsSource
  let factory: ColumnFactory

  /// Fewer rows are soon gone through.
  private static let rowMin = 5000.0
  /// The most of all rows that look-ups are cheaper for than a scan.
  private static let shareMax = 0.02
  private static let partMax = 8

  func applied(_ plan: LogicalPlan) -> LogicalPlan {
    plan.changed { plan in
      guard case .scan(let scan) = plan else { return nil }
      return union(scan)
    } ?? plan
  }

  private func union(_ scan: ScanPlan) -> LogicalPlan? {
    for (place, filter) in scan.filters.enumerated() {
      guard case .or(let parts) = filter, parts.count <= Self.partMax,
        let all = statistics(scan.table.id)?.rowCount, all >= Self.rowMin,
        // What looks up rows of this table by another condition would find no index behind a union.
        !scan.filters.indices.contains(where: { $0 != place && scan.isLed(by: scan.filters[$0]) }),
        parts.allSatisfy({ scan.isLed(by: $0) && $0.cannotFail && !$0.containsSubquery })
      else { continue }
      var others = scan.filters
      others.remove(at: place)
      let notNull = LogicalPlan.scan(scan).notNullColumns
      let scans = parts.indices.map { index in
        var own = scan
        own.filters =
          parts[index].conjuncts + others
          + parts[..<index].map { $0.isNotTrue(notNull) }
        var renamed: ColumnMap<PlanColumn> = [:]
        return own.copied(factory, &renamed)
      }
      let found = scans.reduce(0) { $0 + statistics.profile(of: $1).rows }
      guard found <= all * Self.shareMax else { continue }
      return united(scans, as: scan.columns.map(\.column))
    }
    return nil
  }

  /// The rows of one scan after another.
  private func united(_ scans: [ScanPlan], as columns: [PlanColumn]) -> LogicalPlan? {
    guard let first = scans.first else { return nil }
    return scans.dropFirst().enumerated().reduce(LogicalPlan.scan(first)) { before, next in
      let isLast = next.offset == scans.count - 2
      let names = isLast ? columns : columns.map { factory.make($0.name, $0.type) }
      return .setOperation(
        SetOperationPlan(.union, isAll: true, before, .scan(next.element), columns: names))
    }
  }
}

extension ScanPlan {
  /// Whether an index leads to the rows that meet a condition: it names values of all columns of a key.
  func isLed(by condition: BoundExpression) -> Bool {
    let named = condition.conjuncts.compactMap { part -> ColumnID? in
      guard let list = part.namedValues,
        list.values.allSatisfy({ $0.type == list.operand.type })
      else { return nil }
      return list.operand.asColumn
    }
    return !named.isEmpty && !indexedColumns(among: named).isEmpty
  }
}

extension BoundExpression {
  /// Whether the condition is false or unknown: its opposite, where it cannot be unknown as `notNull` are columns that are not.
  fileprivate func isNotTrue(_ notNull: ColumnSet) -> BoundExpression {
    isNeverNull(notNull)
      ? BoundExpression.not(self).pushingNegation : .isBoolean(self, true, negated: true)
  }
}
