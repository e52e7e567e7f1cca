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
    guard ring.collect(aggregate.input), var node = ring.count({ isWalkable($0, of: $1) }),
      keepsEnough(node)
    else { return nil }
    let plan = LogicalPlan.aggregate(aggregate)
    node.counts = plan.outputs
    return finish(plan, .cycleCount(node), plan.outputs, [])
  }

  /// Whether conditions keep so many edges that it pays to go through all edges for them.
  private func keepsEnough(_ cycle: CycleCount) -> Bool {
    func share(_ scan: ScanPlan, _ filters: [BoundExpression]) -> Double {
      if filters.isEmpty { return 1 }
      let table = RelationProfile.table(scan.table, columns: scan.columns, statistics: statistics)
      return filters.reduce(1) { $0 * table.selectivity(of: $1) }
    }
    var shares = cycle.steps.map { share($0.scan, $0.filters) }
    for corner in cycle.corners {
      // Of the edges that leave it as well as of those that arrive.
      let kept = share(corner.scan, corner.filters)
      shares[corner.step] *= kept
      shares[(corner.step + shares.count - 1) % shares.count] *= kept
    }
    let least = shares.count == 3 ? Self.leastShareOfTriangles : Self.leastShareOfSquares
    return shares.allSatisfy { $0 >= least }
  }

  /// With fewer of the edges, an intersection that begins with them looks at less.
  private static let leastShareOfTriangles = 1.0 / 16
  /// The same for a join of squares, which makes all walks of two edges.
  private static let leastShareOfSquares = 1.0 / 256
}

/// A block of inner joins that may be a ring of edges.
private struct EdgeRing {
  private struct Relation {
    var scan: ScanPlan
    /// Conditions on it alone.
    var filters: [BoundExpression] = []
  }
  private struct Order {
    var written: BoundExpression
    var comparison: ComparisonOperator
    var left: ColumnID
    var right: ColumnID
  }

  private var relations: [Relation] = []
  /// For each column its relation, and its index in the table.
  private var owners: ColumnMap<(relation: Int, index: Int)> = [:]
  private var conditions: [BoundExpression] = []
  /// Columns that are equal.
  private var classes: [[ColumnID]] = []
  /// Other comparisons of columns.
  private var orders: [Order] = []

  /// Takes a plan apart; false if it is anything but inner joins of a few tables.
  mutating func collect(_ plan: LogicalPlan) -> Bool {
    if case .scan(let scan) = plan {
      for column in scan.columns {
        owners[column.column.id] = (relations.count, column.index)
      }
      relations.append(Relation(scan: scan))
      conditions += scan.filters
      // Four edges, and a row at each corner.
      return relations.count <= 8
    }
    if case .project(let input, _) = plan { return collect(input) }
    if case .filter(let input, let list) = plan {
      guard collect(input) else { return false }
      conditions += list
      return true
    }
    if case .join(let join) = plan {
      guard join.kind.isInner, !join.isLateral else { return false }
      guard collect(join.left), collect(join.right) else { return false }
      conditions += join.conditions
      return true
    }
    return false
  }

  /// The count of the ring; nil if there is none.
  mutating func count(
    _ isWalkable: (ForeignKeyConstraint, TableDefinition) -> Bool
  ) -> CycleCount? {
    guard relations.count >= 3, conditions.allSatisfy({ note($0) }),
      let found = steps(isWalkable)
    else { return nil }
    var result = CycleCount(steps: found.steps)
    var corners = found.corners
    guard let rows = rows(at: &corners, result), noteOrders(corners, &result) else { return nil }
    for (step, relation) in found.relations.enumerated() {
      result.steps[step].filters = relations[relation].filters
    }
    result.corners = rows.map { corner, relation in
      CycleCount.Corner(
        step: corner, scan: relations[relation].scan, filters: relations[relation].filters)
    }
    result.filters += result.steps.flatMap(\.filters) + result.corners.flatMap(\.filters)
    return result
  }

  // MARK: Conditions

  private mutating func note(_ condition: BoundExpression) -> Bool {
    guard case .comparison(let comparison, let left, let right) = condition,
      let one = left.asColumn, let two = right.asColumn
    else { return noteFilter(condition) }
    if comparison == .equal {
      unite(one, two)
      return true
    }
    guard left.type.isInteger, left.type == right.type else { return noteFilter(condition) }
    orders.append(Order(written: condition, comparison: comparison, left: one, right: two))
    return true
  }

  /// Takes in a condition on one relation; false if it is on several.
  private mutating func noteFilter(_ condition: BoundExpression) -> Bool {
    let used = condition.columns.map { owners[$0]?.relation }
    guard let first = used.first, let relation = first, used.allSatisfy({ $0 == relation }),
      condition.isRepeatable
    else { return false }
    relations[relation].filters.append(condition)
    return true
  }

  private mutating func unite(_ one: ColumnID, _ two: ColumnID) {
    var united: [ColumnID] = []
    classes.removeAll { known in
      let isMet = known.contains(one) || known.contains(two)
      if isMet { united += known }
      return isMet
    }
    for column in [one, two] where !united.contains(column) { united.append(column) }
    classes.append(united)
  }

  /// Takes in how corners compare.
  private mutating func noteOrders(_ corners: ColumnMap<Int>, _ result: inout CycleCount) -> Bool {
    var pairs: Set<[Int]> = []
    for order in orders {
      guard let corner = corners[order.left], let other = corners[order.right] else {
        if noteFilter(order.written) { continue }
        return false
      }
      guard corner != other, pairs.insert([min(corner, other), max(corner, other)]).inserted
      else { return false }
      for step in [result.steps[corner], result.steps[other]] {
        let key = step.table.foreignKeys[step.from]
        if let known = result.key {
          guard known.table == key.parent, known.columns == key.parentColumns else { return false }
        }
        result.key = (key.parent, key.parentColumns)
      }
      result.conditions.append(
        CycleCount.Condition(corner: corner, comparison: order.comparison, other: other))
      result.filters.append(order.written)
    }
    return true
  }

  // MARK: Corners and edges

  /// The rows that are joined at corners by their keys, whose columns are noted as those of corners; nil if a relation is neither
  /// such a row nor an edge.
  private func rows(
    at corners: inout ColumnMap<Int>, _ cycle: CycleCount
  ) -> [(corner: Int, relation: Int)]? {
    var found: [(corner: Int, relation: Int)] = []
    for columns in classes {
      guard let named = columns.first(where: { corners[$0] != nil }), let corner = corners[named]
      else { return nil }
      let step = cycle.steps[corner]
      let key = step.table.foreignKeys[step.from]
      for column in columns where corners[column] == nil {
        guard let owner = owners[column] else { return nil }
        let table = relations[owner.relation].scan.table
        guard table.id == key.parent, key.parentColumns == [owner.index],
          table.immediateKeys.contains(where: { $0.columns == [owner.index] }),
          !found.contains(where: { $0.relation == owner.relation })
        else { return nil }
        found.append((corner, owner.relation))
        corners[column] = corner
      }
    }
    return found.count + cycle.steps.count == relations.count ? found : nil
  }

  /// The columns of edges that are equal, in pairs; nil if equal columns are not those of two edges, and perhaps others.
  private func partners() -> ColumnMap<ColumnID>? {
    var result: ColumnMap<ColumnID> = [:]
    for columns in classes {
      let ends = columns.filter { column in
        guard let owner = owners[column] else { return false }
        return relations[owner.relation].scan.table.foreignKeys.contains {
          $0.columns == [owner.index]
        }
      }
      guard ends.count == 2 else { return nil }
      result[ends[0]] = ends[1]
      result[ends[1]] = ends[0]
    }
    return result
  }

  private struct Steps {
    var steps: [CycleCount.Step] = []
    /// The relation of each step.
    var relations: [Int] = []
    /// For each column of an edge the corner that it names.
    var corners: ColumnMap<Int> = [:]
  }

  /// The edges as steps round the ring; nil if they are none.
  private func steps(_ isWalkable: (ForeignKeyConstraint, TableDefinition) -> Bool) -> Steps? {
    guard let partners = partners(), classes.count == 3 || classes.count == 4,
      let first = classes[0].first(where: { partners[$0] != nil }), let start = owners[first]
    else { return nil }
    let count = classes.count
    var result = Steps()
    var (entered, current) = (first, start)
    repeat {
      let scan = relations[current.relation].scan
      let ends = scan.columns.filter { partners[$0.column.id] != nil }
      guard ends.count == 2, let left = ends.first(where: { $0.column.id != entered }),
        let next = partners[left.column.id], let owner = owners[next],
        let step = step(scan, current.index, left.index, isWalkable),
        let arrival = relations[owner.relation].scan.table.foreignKeys.first(where: {
          $0.columns == [owner.index]
        }),
        arrival.parent == scan.table.foreignKeys[step.to].parent,
        arrival.parentColumns == scan.table.foreignKeys[step.to].parentColumns
      else { return nil }
      result.corners[entered] = result.steps.count
      result.corners[left.column.id] = (result.steps.count + 1) % count
      result.steps.append(step)
      result.relations.append(current.relation)
      (entered, current) = (next, owner)
    } while entered != first && result.steps.count <= count
    // The ring is closed where it began, and has passed every edge once.
    return entered == first && result.steps.count == count ? result : nil
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
