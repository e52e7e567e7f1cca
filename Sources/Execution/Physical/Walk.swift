package import Catalog
import Columnar
package import Planning
import Storage

/// The different rows that steps along relationships arrive at, one step after another: of each step only the set of rows
/// is kept, never its edges.
///
/// Outputs: `columns`, which hold a key unless there are rounds, so that no row of the output comes twice; then the column that
/// counts rounds, if there is one.
package struct Walk: Sendable {
  package enum Start: Sendable {
    /// The rows with these keys, each a list of values for the columns of the key; free of columns.
    case keys([[BoundExpression]])
    /// The rows whose key some row of a plan has, over the plan's columns.
    case plan(PhysicalPlan, [BoundExpression])
  }
  package var start: Start
  /// Each arrives at rows of one table; its conditions are over columns of them, and drop rows from the set.
  package var steps: [AdjacencyStep]
  /// What is read of the rows arrived at.
  package var columns: [ScanPlan.Column]
  /// How often the steps are taken, if not once: then they lead from rows of a table to rows of the same.
  package var rounds: Rounds?
  /// Conditions on the rows arrived at in the end, over `columns`.
  package var filters: [BoundExpression] = []

  /// Rows are wanted that some number of rounds arrives at.
  package struct Rounds: Sendable {
    package var minimum: Int
    /// nil is no bound.
    package var maximum: Int?
    /// What the rows must meet that a round starts from.
    package var entry = RowCondition()
    /// The number of edges to a row in the first round that arrives there; nil where nobody asks.
    package var length: PlanColumn?
  }

  var input: PhysicalPlan? {
    if case .plan(let plan, _) = start { return plan }
    return nil
  }
}

/// Conditions on rows of one table, each over columns of one row.
package struct RowCondition: Sendable {
  /// The columns that are read.
  package var columns: [ScanPlan.Column] = []
  package var filters: [BoundExpression] = []

  /// Each condition by itself, with the columns that it reads.
  var parts: [RowCondition] {
    filters.map { filter in
      let used = filter.columns
      return RowCondition(
        columns: columns.filter { used.contains($0.column.id) }, filters: [filter])
    }
  }

  /// The same condition on rows of `table` that repeat some columns as others, `places` by their index; nil where more is read, or
  /// a column is of another type there.
  func repeated(_ places: [Int: Int], in table: TableDefinition) -> RowCondition? {
    var result = self
    for index in columns.indices {
      guard let place = places[columns[index].index],
        table.columns[place].type == columns[index].column.type
      else { return nil }
      result.columns[index].index = place
      result.columns[index].column.name = table.columns[place].name
    }
    return result
  }

  /// Adds conditions on rows of the same table.
  mutating func add(_ other: RowCondition) {
    columns += other.columns
    filters += other.filters
  }
}

/// The number of edges that lead from a set of rows to each row of a table, for those to which some does.
///
/// Outputs: `columns`, then `counts`.
package struct NeighbourCount: Sendable {
  package var start: Walk.Start
  /// The steps to the rows whose edges are counted; may be none.
  package var steps: [AdjacencyStep]
  /// The step whose edges are counted.
  package var counted: AdjacencyStep
  /// What is read of the rows counted for.
  package var columns: [ScanPlan.Column]
  /// Each is the number.
  package var counts: [PlanColumn]

  var input: PhysicalPlan? {
    if case .plan(let plan, _) = start { return plan }
    return nil
  }
}

/// The number of ways of two steps from each row of a table, or those that meet conditions, to each row of another, for pairs that
/// have some.
///
/// Outputs: the source's column and the target's, `targetFirst` or not, then `counts`.
package struct PairCount: Sendable {
  package var sources: TableDefinition
  package var sourceAlias: String
  package var source: ScanPlan.Column
  /// Conditions on the source's column.
  package var sourceFilters: [BoundExpression] = []
  package var first: AdjacencyStep
  package var second: AdjacencyStep
  package var target: ScanPlan.Column
  /// Conditions over both columns.
  package var filters: [BoundExpression]
  package var targetFirst: Bool
  package var counts: [PlanColumn]
  /// Comparisons of the count with numbers.
  package var having: [BoundExpression] = []
  /// How many pairs are wanted, those first in an order, and what is known of that; of more pairs it may say nothing.
  package var limit: LimitPlan?
  var order = CountBound.Order()

  /// The least and the greatest count that pairs may have.
  var wanted: (least: Int64, most: Int64) {
    var (least, most) = (Int64(1), Int64.max)
    for count in counts {
      let own = having.filter { $0.columns == [count.id] }
      for (comparison, number) in own.comparisons(of: count.id) ?? [] {
        switch comparison {
        case .equal: (least, most) = (max(least, number), min(most, number))
        case .less: most = min(most, number == .min ? number : number - 1)
        case .lessOrEqual: most = min(most, number)
        case .greater: least = max(least, number == .max ? number : number + 1)
        case .greaterOrEqual: least = max(least, number)
        case .notEqual: break
        }
      }
    }
    return (least, most)
  }

  /// The pairs whose counts meet conditions as well; nil for any but comparisons with numbers, one of the counts at a time.
  func having(_ conditions: [BoundExpression]) -> PairCount? {
    for condition in conditions {
      guard let count = counts.first(where: { condition.columns == [$0.id] }),
        let comparison = [condition].comparisons(of: count.id)?.first, comparison.0 != .notEqual
      else { return nil }
    }
    var result = self
    result.having += conditions
    return result
  }
}

/// The number of closed walks: joins of edges, the last of which leads back to where the first began.
///
/// Outputs: `counts`, one row.
package struct CycleCount: Sendable {
  /// The rows of a junction, walked from the parent of one foreign key to that of another.
  package struct Step: Sendable {
    package var scan: ScanPlan
    package var from: Int
    package var to: Int
    /// Conditions on the edges.
    package var filters: [BoundExpression] = []

    package var table: TableDefinition { scan.table }
  }
  /// How the keys of two corners compare, numbered by the steps that leave them.
  package struct Condition: Sendable {
    package var corner: Int
    package var comparison: ComparisonOperator
    package var other: Int
  }
  /// Conditions on the rows of a table at the corner that a step leaves.
  package struct Corner: Sendable {
    package var step: Int
    package var scan: ScanPlan
    package var filters: [BoundExpression]
  }
  /// Three or four.
  package var steps: [Step]
  package var corners: [Corner] = []
  /// All on keys of one table.
  package var conditions: [Condition] = []
  /// The key that conditions are on, a whole number.
  package var key: (table: ObjectID, columns: [Int])?
  /// All conditions as they are written.
  package var filters: [BoundExpression] = []
  /// Each is the number.
  package var counts: [PlanColumn] = []

  /// What is read of edges and of rows at corners.
  var scans: [ScanPlan] { steps.map(\.scan) + corners.map(\.scan) }
}

/// The rows that a step arrives at, and what is read of them.
struct StepArrival {
  var table: TableDefinition
  var columns: [ScanPlan.Column]

  /// The key that a condition leaves out, and its column in the table: `column <> key`.
  func excludedKey(_ condition: BoundExpression) -> (key: BoundExpression, column: Int)? {
    guard case .comparison(.notEqual, let left, let right) = condition else { return nil }
    for (one, other) in [(left, right), (right, left)] {
      guard let id = one.asColumn, other.columns.isEmpty, !other.isVolatile, !other.callsSession,
        let column = columns.first(where: { $0.column.id == id }), column.index >= 0,
        one.type.physical == other.type.physical, one.type.isInteger || one.type == .uuid,
        table.immediateKeys.contains(where: { $0.columns == [column.index] })
      else { continue }
      return (other, column.index)
    }
    return nil
  }
}

extension AdjacencyStep {
  /// Whether an index leads to the rows where the step arrives: to neighbours it need not, of edges with NULLs or more
  /// than three ends.
  var hasIndex: Bool { to.map { edgeTable.hasJunction(from: from, to: $0) } ?? true }

  /// Where the step arrives, if an index leads there and all it reads is of the rows there.
  var arrival: StepArrival? {
    if to == nil {
      return neighbourTable == nil ? StepArrival(table: edgeTable, columns: edgeColumns) : nil
    }
    guard edgeColumns.isEmpty, let neighbourTable, hasIndex else { return nil }
    return StepArrival(table: neighbourTable, columns: neighbourColumns)
  }

  /// Whether no two edges lead from one row to another.
  var isUnique: Bool {
    guard let to else { return true }
    let ends = Set(edgeTable.foreignKeys[from].columns + edgeTable.foreignKeys[to].columns)
    return edgeTable.immediateKeys.contains { Set($0.columns).isSubset(of: ends) }
      && ends.allSatisfy { edgeTable.columns[$0].isNotNull }
  }
}
