import Catalog
import Columnar
import Planning
import Storage

extension PhysicalPlanner {
  /// The count of a join of three or four edges in a ring, counted without making a row of it.
  ///
  /// Two joins of a ring give all walks of two edges, of which few close; intersection never looks at those.
  func cycleCount(_ aggregate: AggregatePlan) -> PlannedOperator? {
    guard aggregate.keys.isEmpty, aggregate.groupingSets == nil, aggregate.groupings.isEmpty,
      !aggregate.aggregates.isEmpty,
      aggregate.aggregates.allSatisfy({ $0.call.isPlainCount && $0.call.arguments.isEmpty })
    else { return nil }
    var ring = EdgeRing()
    guard ring.collect(aggregate.input), var node = ring.count({ isWalkable($0, of: $1) }) else {
      return nil
    }
    let plan = LogicalPlan.aggregate(aggregate)
    node.counts = plan.outputs
    return finish(plan, .cycleCount(node), plan.outputs, [])
  }
}

/// A block of inner joins that may be a ring of edges.
private struct EdgeRing {
  private var scans: [ScanPlan] = []
  /// The columns that are equal, in pairs.
  private var partners: ColumnMap<ColumnID> = [:]
  /// Other comparisons of columns.
  private var comparisons:
    [(written: BoundExpression, comparison: ComparisonOperator, left: ColumnID, right: ColumnID)] =
      []

  /// Takes a plan apart; false if it is anything but joins of tables by pairs of columns, and comparisons of others.
  mutating func collect(_ plan: LogicalPlan) -> Bool {
    if case .scan(let scan) = plan {
      scans.append(scan)
      return scans.count <= 4 && note(scan.filters)
    }
    if case .project(let input, _) = plan { return collect(input) }
    if case .filter(let input, let conditions) = plan { return collect(input) && note(conditions) }
    if case .join(let join) = plan {
      guard join.kind.isInner, !join.isLateral else { return false }
      return collect(join.left) && collect(join.right) && note(join.conditions)
    }
    return false
  }

  private mutating func note(_ conditions: [BoundExpression]) -> Bool {
    for condition in conditions {
      guard case .comparison(let comparison, let left, let right) = condition,
        let one = left.asColumn, let two = right.asColumn
      else { return false }
      if comparison != .equal {
        guard left.type.isInteger, left.type == right.type else { return false }
        comparisons.append((condition, comparison, one, two))
        continue
      }
      guard partners[one] == nil, partners[two] == nil else { return false }
      partners[one] = two
      partners[two] = one
    }
    return true
  }

  /// The count of the ring; nil if there is none.
  func count(_ isWalkable: (ForeignKeyConstraint, TableDefinition) -> Bool) -> CycleCount? {
    guard let (steps, corners) = steps(isWalkable) else { return nil }
    var result = CycleCount(steps: steps)
    var pairs: Set<[Int]> = []
    for (written, comparison, left, right) in comparisons {
      guard let corner = corners[left], let other = corners[right], corner != other,
        pairs.insert([min(corner, other), max(corner, other)]).inserted
      else { return nil }
      for step in [steps[corner], steps[other]] {
        let key = step.table.foreignKeys[step.from]
        if let known = result.key {
          guard known.table == key.parent, known.columns == key.parentColumns else { return nil }
        }
        result.key = (key.parent, key.parentColumns)
      }
      result.conditions.append(
        CycleCount.Condition(corner: corner, comparison: comparison, other: other))
      result.filters.append(written)
    }
    return result
  }

  /// The edges as steps round the ring, and for each of their columns the corner that it names; nil if they are none.
  private func steps(
    _ isWalkable: (ForeignKeyConstraint, TableDefinition) -> Bool
  ) -> (steps: [CycleCount.Step], corners: ColumnMap<Int>)? {
    guard scans.count >= 3, partners.count == 2 * scans.count else { return nil }
    var owners: ColumnMap<(scan: Int, column: Int)> = [:]
    for (number, scan) in scans.enumerated() {
      for column in scan.columns { owners[column.column.id] = (number, column.index) }
    }
    var steps: [CycleCount.Step] = []
    var corners: ColumnMap<Int> = [:]
    var current = 0
    guard let first = scans[0].columns.first(where: { partners[$0.column.id] != nil }) else {
      return nil
    }
    var entered = first.column.id
    repeat {
      let scan = scans[current]
      let ends = scan.columns.filter { partners[$0.column.id] != nil }
      guard ends.count == 2, let left = ends.first(where: { $0.column.id != entered }),
        let next = partners[left.column.id], let (owner, column) = owners[next],
        let from = owners[entered]?.column,
        let step = step(scan, from, left.index, isWalkable),
        let arrival = scans[owner].table.foreignKeys.first(where: { $0.columns == [column] }),
        arrival.parent == scan.table.foreignKeys[step.to].parent,
        arrival.parentColumns == scan.table.foreignKeys[step.to].parentColumns
      else { return nil }
      corners[entered] = steps.count
      corners[left.column.id] = (steps.count + 1) % scans.count
      steps.append(step)
      current = owner
      entered = next
    } while current != 0 && steps.count <= scans.count
    // The ring is closed where it began, and has passed every edge once.
    guard steps.count == scans.count, entered == first.column.id else { return nil }
    return (steps, corners)
  }

  /// The step along the two foreign keys that a junction's columns are.
  private func step(
    _ scan: ScanPlan, _ from: Int, _ to: Int,
    _ isWalkable: (ForeignKeyConstraint, TableDefinition) -> Bool
  ) -> CycleCount.Step? {
    let table = scan.table
    guard let first = table.foreignKeys.firstIndex(where: { $0.columns == [from] }),
      let second = table.foreignKeys.firstIndex(where: { $0.columns == [to] }),
      isWalkable(table.foreignKeys[first], table), isWalkable(table.foreignKeys[second], table),
      table.hasJunction(from: first, to: second), table.isAlwaysUnique([from, to])
    else { return nil }
    return CycleCount.Step(scan: scan, from: first, to: second)
  }
}
