import Catalog
import Columnar
package import Planning

/// The rows of a table but for some that are found from their own side: anti-joins over a scan.
///
/// A bit for each position of the table says whether its row is left out. That is quicker than a hash table where what is
/// left out is reached by a walk, or is little and looked up by key; with much of it, each row of the table is looked up
/// among the others instead.
///
/// Outputs: the columns of `scan`.
package struct RemainingRows: Sendable {
  /// Rows left out.
  package struct Exclusion: Sendable {
    package var start: Walk.Start
    package var steps: [AdjacencyStep]
    /// The key by which rows are looked up, where no step leads to them.
    package var keyColumns: [Int]?
    /// The anti-join's condition, for EXPLAIN.
    package var condition: [BoundExpression]
  }
  package var scan: TableScan
  package var exclusions: [Exclusion]
}

/// The rows of a table but for some, in an order by stored columns that the table keeps once it has paid to make it.
///
/// As long as it has not, they are sorted. Outputs: the columns of the rows' scan.
package struct StoredOrderScan: Sendable {
  package var rows: RemainingRows
  package var keys: [SortKey]
  package var limit: LimitPlan?
}

extension PhysicalPlan {
  /// The plan's rows as those of a scan that anti-joins leave, with its columns in their order; nil for any other plan, and where
  /// the other sides are too large to be looked up row by row.
  var remainingRows: RemainingRows? {
    guard let found = foundRemainingRows, found.filters.isEmpty else { return nil }
    var rows = found.rows
    let columns = outputs.compactMap { output in
      rows.scan.columns.first { $0.column.id == output.id }
    }
    guard columns.count == outputs.count else { return nil }
    rows.scan.columns = columns
    return rows
  }

  /// The same under conditions on the scan's rows, which are asked of those that anti-joins leave.
  ///
  /// Conditions by which most pages would be passed over are better asked by the scan: `most` says of how many rows of a table it
  /// has to give that many at least.
  func remainingRows(where most: (TableDefinition) -> Double) -> PhysicalPlan? {
    guard let (rows, filters, estimate) = foundRemainingRows,
      filters.isEmpty || estimate >= most(rows.scan.table)
    else { return nil }
    if let plain = remainingRows {
      return PhysicalPlan(.remainingRows(plain), outputs: outputs, estimatedRows: estimatedRows)
    }
    let columns = rows.scan.columns.map(\.column)
    guard outputs.allSatisfy({ output in columns.contains { $0.id == output.id } }) else {
      return nil
    }
    let remaining = PhysicalPlan(
      .remainingRows(rows), outputs: columns, estimatedRows: estimatedRows)
    let filtered = PhysicalPlan(
      .filter(remaining, filters), outputs: columns, estimatedRows: estimatedRows)
    if columns.map(\.id) == outputs.map(\.id) { return filtered }
    return PhysicalPlan(
      .project(filtered, outputs.map(\.reference)), outputs: outputs,
      estimatedRows: estimatedRows)
  }

  /// What anti-joins leave of a scan, the scan's conditions, and how many rows it is thought to give.
  private var foundRemainingRows:
    (rows: RemainingRows, filters: [BoundExpression], estimate: Double)?
  {
    if case .scan(var scan) = node {
      let filters = scan.filters
      scan.filters = []
      return (RemainingRows(scan: scan, exclusions: []), filters, estimatedRows)
    }
    if case .project(let input, let list) = node {
      return input.gives(list) ? input.foundRemainingRows : nil
    }
    if case .hashJoin(let join) = node {
      guard case .anti = join.kind, join.residual.isEmpty, !join.right.modifiesData,
        var found = join.left.foundRemainingRows,
        let exclusion = join.exclusion(from: found.rows.scan)
      else { return nil }
      found.rows.exclusions.append(exclusion)
      return found
    }
    return nil
  }
}

extension HashJoin {
  /// Finding a row by key costs about as much as so many rows that go past a hash table.
  private static let exclusionCost = 4.0

  /// What leads from the right side of an anti-join to rows of the table scanned.
  fileprivate func exclusion(from scan: TableScan) -> RemainingRows.Exclusion? {
    var columns: [Int: BoundExpression] = [:]
    for key in keys {
      let (own, other) = isFlipped ? (key.build, key.probe) : (key.probe, key.build)
      guard !key.nullsMatch, !key.isNullAware, let id = own.asColumn,
        let column = scan.columns.first(where: { $0.column.id == id }), column.index >= 0,
        column.column.type.physical == other.type.physical, !other.callsSession,
        columns.updateValue(other, forKey: column.index) == nil
      else { return nil }
    }
    let condition = keys.map { key in
      isFlipped
        ? BoundExpression.comparison(.equal, key.build, key.probe)
        : .comparison(.equal, key.probe, key.build)
    }
    if let found = right.reached(columns, of: scan.table) {
      return RemainingRows.Exclusion(
        start: found.start, steps: found.steps, keyColumns: nil, condition: condition)
    }
    let hasIndex = scan.table.hashIndices.contains { Set($0.columns) == Set(columns.keys) }
    guard hasIndex, right.estimatedRows * Self.exclusionCost <= left.estimatedRows else {
      return nil
    }
    let indices = columns.keys.sorted()
    return RemainingRows.Exclusion(
      start: .plan(right, indices.compactMap { columns[$0] }), steps: [], keyColumns: indices,
      condition: condition)
  }
}
