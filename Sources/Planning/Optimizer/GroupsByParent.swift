import Catalog
import Columnar

/// Groups by the key of a parent rather than by the column of a child that a join holds equal to it.
///
/// `GROUP BY t.course_id` over `takes t JOIN course c ON c.id = t.course_id` makes the groups of `GROUP BY c.id`. A walk from
/// courses to their rows has the key of each course at hand, where the child's column would be read row by row from far
/// apart; and two keys that are always equal are one. Where rows are also asked what they match, edges are counted from the
/// child's side, and keys stay as they are.
struct GroupsByParent {
  func applied(_ plan: LogicalPlan) -> LogicalPlan { plan.changed(rewritten) ?? plan }

  private func rewritten(_ plan: LogicalPlan) -> LogicalPlan? {
    guard case .aggregate(var aggregate) = plan, !aggregate.keys.isEmpty else { return nil }
    var parents: ColumnMap<BoundExpression> = [:]
    let keys = aggregate.keys
    guard collect(aggregate.input, &parents),
      keys.contains(where: { !$0.expression.columns.isDisjoint(with: parents) })
    else { return nil }
    aggregate.keys = keys.map { ProjectedColumn($0.column, $0.expression.replacing(parents)) }
    if aggregate.groupingSets != nil { return .aggregate(aggregate) }
    // Of keys that have become the same the first stands for all.
    let signatures = aggregate.keys.map(\.expression.signature)
    let firsts = signatures.map { signature in signatures.firstIndex(of: signature) ?? 0 }
    if firsts.enumerated().allSatisfy({ $0 == $1 }) { return .aggregate(aggregate) }
    let outputs = plan.outputs
    let same = zip(keys, firsts).map { ($0.column, keys[$1].column.reference) }
    aggregate.keys = aggregate.keys.enumerated().filter { firsts[$0.offset] == $0.offset }
      .map(\.element)
    return .project(
      .aggregate(aggregate),
      outputs.map { column in
        ProjectedColumn(
          column, same.first { $0.0.id == column.id }?.1 ?? column.reference)
      })
  }

  /// Notes the columns that inner joins below hold equal to a key; false if there is more below than inner joins of tables.
  private func collect(
    _ plan: LogicalPlan, _ parents: inout ColumnMap<BoundExpression>
  ) -> Bool {
    switch plan {
    case .scan: return true
    case .filter(let input, _): return collect(input, &parents)
    case .join(let join):
      guard case .inner = join.kind, !join.isLateral else { return false }
      for condition in join.conditions {
        guard case .comparison(.equal, let left, let right) = condition, left.type == right.type,
          Self.isWrittenOneWay(left.type), let one = left.asColumn, let two = right.asColumn
        else { continue }
        for (parent, child) in [(join.left, join.right), (join.right, join.left)] {
          let (key, column) = parent.outputIDs.contains(one) ? (left, two) : (right, one)
          guard let id = key.asColumn, parent.outputIDs.contains(id),
            child.outputIDs.contains(column), isKey(id, of: parent), !isKey(column, of: child),
            parents[column] == nil
          else { continue }
          parents[column] = key
        }
      }
      return collect(join.left, &parents) && collect(join.right, &parents)
    case .values, .project, .projectSet, .path, .aggregate, .window, .sort, .limit, .distinct,
      .setOperation, .recursive, .workingTable, .withCommon, .commonReference, .tableFunction,
      .modify:
      return false
    }
  }

  /// Whether a column tells the rows of some table among the inputs of a join.
  private func isKey(_ id: ColumnID, of plan: LogicalPlan) -> Bool {
    switch plan {
    case .scan(let scan):
      return scan.columns.contains { column in
        column.column.id == id && scan.table.keys.contains { $0.columns == [column.index] }
      }
    case .filter(let input, _): return isKey(id, of: input)
    case .join(let join): return isKey(id, of: join.left) || isKey(id, of: join.right)
    case .values, .project, .projectSet, .path, .aggregate, .window, .sort, .limit, .distinct,
      .setOperation, .recursive, .workingTable, .withCommon, .commonReference, .tableFunction,
      .modify:
      return false
    }
  }

  /// Whether equal values are one and the same, which 1.0 and 1.00 are not.
  private static func isWrittenOneWay(_ type: LogicalType) -> Bool {
    type.isInteger || type == .uuid || type == .date
  }
}

extension ColumnSet {
  /// Whether none of the columns has an entry.
  fileprivate func isDisjoint(with map: ColumnMap<BoundExpression>) -> Bool {
    !contains { map[$0] != nil }
  }
}
