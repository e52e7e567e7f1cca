import Catalog
import Columnar
import Planning

/// The rows of a table but for some that are found from their own side: anti-joins over a scan.
///
/// A bit for each position of the table says whether its row is left out. That is quicker than a hash table where what is
/// left out is reached by a walk, or is little and looked up by key; with much of it, each row of the table is looked up
/// among the others instead.
struct RemainingRows {
  /// Rows left out.
  struct Exclusion {
    var start: Walk.Start
    var steps: [AdjacencyStep]
    /// The key by which rows are looked up, where no step leads to them.
    var keyColumns: [Int]?
  }
  var scan: TableScan
  var exclusions: [Exclusion]
}

extension PhysicalPlan {
  /// The rows of a scan that anti-joins leave; nil for any other plan, and where the other sides are too large to be
  /// looked up row by row.
  var remainingRows: RemainingRows? {
    switch node {
    case .scan(let scan):
      return scan.filters.isEmpty ? RemainingRows(scan: scan, exclusions: []) : nil
    case .project(let input, let list): return input.gives(list) ? input.remainingRows : nil
    case .hashJoin(let join):
      guard case .anti = join.kind, join.residual.isEmpty, !join.right.modifiesData,
        var rows = join.left.remainingRows, let exclusion = join.exclusion(from: rows.scan)
      else { return nil }
      rows.exclusions.append(exclusion)
      return rows
    default: return nil
    }
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
    if let found = right.reached(columns, of: scan.table) {
      return RemainingRows.Exclusion(start: found.start, steps: found.steps, keyColumns: nil)
    }
    let hasIndex = scan.table.hashIndices.contains { Set($0.columns) == Set(columns.keys) }
    guard hasIndex, right.estimatedRows * Self.exclusionCost <= left.estimatedRows else {
      return nil
    }
    let indices = columns.keys.sorted()
    return RemainingRows.Exclusion(
      start: .plan(right, indices.compactMap { columns[$0] }), steps: [], keyColumns: indices)
  }
}
