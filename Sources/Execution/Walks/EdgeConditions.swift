import Columnar
import Diagnostics
import Storage

/// Conditions on the edges that a closure may go along, and on the rows where they arrive.
///
/// As `ClosureSource`, whose thread alone uses it.
final class EdgeConditions {
  /// Reads what the conditions compare.
  let access: AdjacencyAccess
  private let filter: ConjunctiveFilter

  /// Edges that are looked at before the caller is asked whether to go on, unless one row has more.
  private static let edgesAtOnce = 1 << 14

  init(_ access: AdjacencyAccess, _ filter: ConjunctiveFilter) {
    self.access = access
    self.filter = filter
  }

  /// Goes on from some of the rows not walked from yet, as far as row `last` of those reached, along edges that meet the
  /// conditions.
  ///
  /// - Complexity: O(edges + rows).
  func walk(
    _ reached: AdjacencyClosure, at end: EdgeEnd, to last: Int, _ context: ExecutionContext
  ) throws(SQLError) {
    let first = reached.walkedCount
    let limit = min(last - first, Vector.chunkCapacity)
    let sources = reached.positions.slice(first..<(first + limit))
    let degrees = try access.current().adjacency.degrees(of: sources, count: limit)
    var (count, edges) = (0, 0)
    while count < limit && edges < Self.edgesAtOnce {
      edges += Int(degrees[count])
      count += 1
    }
    let groups = reached.groups.count > 0 ? reached.groups.slice(first..<(first + count)) : nil
    let found = try access.matches(of: sources, 0..<count, degrees)
    var start = 0
    while start < found.count {
      try context.check()
      let range = start..<min(found.count, start + Vector.chunkCapacity)
      let stretch = TableAccess.Stretch(
        positions: found.positions.slice(range), neighbours: found.neighbours.slice(range),
        count: range.count)
      var chunk = DataChunk(try access.columns(stretch), count: range.count)
      let kept = try filter.select(&chunk, context) ?? .all(range.count)
      let arrived = end == .row ? stretch.positions : stretch.neighbours
      let targets = Buffer<UInt32>(uninitialized: max(1, kept.count))
      for index in 0..<kept.count { targets[index] = arrived[kept.positions[index]] }
      let own = groups.map { groups in
        let own = Buffer<UInt32>(uninitialized: max(1, kept.count))
        for index in 0..<kept.count {
          own[index] = groups[found.rows[start + Int(kept.positions[index])]]
        }
        return own
      }
      reached.insert(targets, groups: own, count: kept.count)
      start = range.upperBound
    }
    reached.noteWalked(count)
  }
}
