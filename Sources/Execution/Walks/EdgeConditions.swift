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
  /// The conditions where they are of one end of the edges, and that end.
  private let kept: (condition: KeptCondition, end: EdgeEnd)?

  /// Edges that are looked at before the caller is asked whether to go on, unless one row has more.
  private static let edgesAtOnce = 1 << 14

  init(_ step: AdjacencyStep, _ compiler: ExpressionCompiler) throws(SQLError) {
    access = AdjacencyAccess(step)
    filter = try ConjunctiveFilter(step.filters, compiler)
    var condition: KeptCondition?
    if step.neighbourColumns.isEmpty {
      condition = try KeptCondition(step.filters, step.edgeColumns, compiler)
    } else if step.edgeColumns.isEmpty {
      condition = try KeptCondition(step.filters, step.neighbourColumns, compiler)
    }
    kept = condition.map { ($0, step.neighbourColumns.isEmpty ? .row : .target) }
  }

  /// Whether it is kept which edges meet the conditions.
  var areKept: Bool { kept != nil }

  /// Goes over to a version of the tables.
  func open(_ tables: any TableSource) throws(SQLError) {
    try access.open(tables)
    guard let kept else { return }
    let opened = try access.current()
    let table = kept.end == .row ? opened.edges : try opened.arrivals().table
    try kept.condition.open(table, tables)
  }

  /// As `walk`, where it is known of all edges if they meet the conditions; false where it is not, with some rows walked from.
  func walkKnown(_ reached: AdjacencyClosure, at end: EdgeEnd, to last: Int) throws(SQLError)
    -> Bool
  {
    guard let kept else { return false }
    let opened = try access.current()
    return reached.walk(
      opened.lists, opened.adjacency, at: end, to: last, edgeLimit: Self.edgesAtOnce,
      where: kept.condition.rows, of: kept.end)
  }

  /// Goes on from some of the rows not walked from yet, as far as row `last` of those reached, along edges that meet the
  /// conditions.
  ///
  /// - Complexity: O(edges + rows).
  func walk(
    _ reached: AdjacencyClosure, at end: EdgeEnd, to last: Int, _ context: ExecutionContext
  ) throws(SQLError) {
    if try walkKnown(reached, at: end, to: last) { return }
    let first = reached.walkedCount
    let limit = min(last - first, Vector.chunkCapacity)
    let sources = reached.positions.slice(first..<(first + limit))
    let degrees = try access.current().adjacency.degrees(of: sources, count: limit)
    var (count, edges) = (0, 0)
    while count < limit && edges < Self.edgesAtOnce {
      edges += Int(degrees[count])
      count += 1
    }
    let found = try access.matches(of: sources, 0..<count, degrees)
    if let kept {
      let asked = kept.end == .row ? found.positions : found.neighbours
      try kept.condition.ask(asked, count: found.count, context)
      _ = try walkKnown(reached, at: end, to: first + count)
      return
    }
    let groups = reached.groups.count > 0 ? reached.groups.slice(first..<(first + count)) : nil
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
