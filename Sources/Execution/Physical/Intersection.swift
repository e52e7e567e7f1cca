package import Catalog
package import Planning
package import Storage

/// For each input row the edges of several lists that lead to the same row: the join that closes a ring in a query's graph,
/// whatever the ring's length and its tables.
///
/// Joined one after another, edges that have to meet give all paths first, of which few close. Here a
/// list is only looked at together with those that it has to meet. What else is asked of the edges found is told by a
/// filter above.
///
/// Outputs: `inputColumns`, then the columns of each arm's step; of edges that are met or not only those of the first arm's,
/// of inputs none.
package struct Intersection: Sendable {
  /// Edges from a row that is known to the row that is looked for.
  package struct Arm: Sendable {
    /// A step along a junction; its conditions stand above.
    package var step: AdjacencyStep
    /// The key of the row that the step starts from, over the input's columns.
    package var keys: [BoundExpression]
  }
  package var kind: ListIntersection.Kind
  /// The key of the row where edges meet, compared with a whole number.
  package struct Bound: Sendable {
    package var comparison: ComparisonOperator
    /// Over the input's columns.
    package var value: BoundExpression
  }
  package var input: PhysicalPlan
  /// Two at least, all of which arrive at rows of one table.
  package var arms: [Arm]
  /// The columns of the input that are handed on.
  package var inputColumns: [PlanColumn]
  /// Conditions on the key of the row where the edges meet, and columns of the input.
  package var bounds: [Bound] = []
  /// The key, and the table that it is of, where there are bounds.
  package var met: (table: TableDefinition, key: ScanPlan.Column)?
  /// Conditions on the input and on edges that meet, where only input rows come out: those count for which all are true.
  package var conditions: [BoundExpression] = []
  /// Whether the first two arms are one list, and conditions above let no edge of it match itself.
  package var joinsWithItself = false

  var outputs: [PlanColumn] {
    switch kind {
    case .combinations: inputColumns + arms.flatMap(\.step.columns)
    case .edges: inputColumns + arms[0].step.columns
    case .inputs: inputColumns
    }
  }

  /// Keeps the columns that somebody reads.
  mutating func keepColumns(_ needed: ColumnSet) {
    inputColumns.removeAll { !needed.contains($0.id) }
    for number in arms.indices {
      arms[number].step.keepColumns(needed.union(conditions.columns))
      arms[number].step.arrive()
    }
  }

  /// What the operator reads of its input, for outputs that are needed.
  func inputIDs(for needed: ColumnSet) -> ColumnSet {
    arms.reduce(needed.union(bounds.map(\.value).columns).union(conditions.columns)) {
      $0.union($1.keys.columns)
    }
  }
}
