import Catalog
import Columnar
package import Planning

/// For each input row the pairs of an edge of one list and an edge of another, both lists being of the parent that the row
/// names.
///
/// Rows that refer to the same parent are joined there, list by list: each list is read once and nothing is hashed,
/// where a join row by row would look a list up for each row of the other side and a hash join would sort both sides by
/// chance. Pairs that have more in common than the parent (`a.student_id = b.student_id AND a.semester = b.semester`)
/// are told by conditions.
///
/// Outputs: the input's columns, the left step's, the right step's; without the right step's for semi and anti.
package struct ListJoin: Sendable {
  package var input: PhysicalPlan
  /// The parent's key, over the input's columns.
  package var keys: [BoundExpression]
  /// The step to the left edges; its conditions are over its columns and the input's.
  package var left: AdjacencyStep
  /// The step to the right edges; its conditions are over its own columns.
  package var right: AdjacencyStep
  /// Conditions of left edges that are asked of all of them in their order, before the lists are gone through.
  package var leftMarks = RowCondition()
  /// The same of right edges.
  package var rightMarks = RowCondition()
  /// Conditions on pairs, over all columns.
  package var conditions: [BoundExpression]
  /// inner, left, semi or anti.
  package var kind: JoinPlan.Kind

  /// Has conditions of edges asked of all of them where most lists of a side are gone through anyway.
  mutating func markEdges(left marksLeft: Bool, right marksRight: Bool) {
    if marksLeft { leftMarks = left.takeEdgeConditions(from: &left.filters) }
    if marksRight { rightMarks = right.takeEdgeConditions(from: &right.filters) }
  }

  /// The columns of a left row: the input's and those of the left edge.
  package var leftOutputs: [PlanColumn] { input.outputs + left.columns }

  var outputs: [PlanColumn] { kind.outputs(leftOutputs, right.columns) }

  /// Whether both lists are the same edges, which are then gone through once.
  var isOfOneList: Bool {
    left.edgeTable.id == right.edgeTable.id && left.from == right.from && left.to == right.to
  }

  /// Whether the columns of both sides are read together.
  var isReadOnce: Bool {
    isOfOneList && left.neighbourColumns.isEmpty && right.neighbourColumns.isEmpty
      && leftMarks.filters.isEmpty && rightMarks.filters.isEmpty
  }

  /// Reads from neighbours what edges only repeat; not on one side alone where both have one list.
  mutating func arrive() {
    var arrived = (left, right)
    arrived.0.arrive()
    arrived.1.arrive()
    if isOfOneList && arrived.0.to != arrived.1.to { return }
    (left, right) = arrived
  }

  /// Pairs of columns, one of the left and one of the right row, that must be equal.
  var equalColumns: [(left: ColumnID, right: ColumnID)] {
    let own = ColumnSet(leftOutputs.map(\.id))
    let others = ColumnSet(right.columns.map(\.id))
    return conditions.compactMap { condition in
      guard case .comparison(.equal, let one, let two) = condition,
        one.type.physical == two.type.physical, one.type.physical != .record,
        let first = one.asColumn, let second = two.asColumn
      else { return nil }
      if own.contains(first) && others.contains(second) { return (first, second) }
      return own.contains(second) && others.contains(first) ? (second, first) : nil
    }
  }
}
