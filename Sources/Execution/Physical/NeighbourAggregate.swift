import Catalog
import Columnar
package import Planning
import Storage

/// Aggregates over the edges of each row of a table, and over the rows that they lead to: GROUP BY the key of a parent.
///
/// The parents may also be those that rows of another plan name, none of them twice.
///
/// The lists of an adjacency index are groups already, so no row is put into a hash table, none is kept, and a group is
/// complete when its list is.
package struct NeighbourAggregate: Sendable {
  /// The parents: all live rows of the table, unless `rows` name them.
  package var parents: TableScan
  /// Rows that name a parent each, no two the same one.
  package var rows: Rows?
  /// The step from a parent's row, to its edges or on to neighbours; without conditions.
  package var step: AdjacencyStep
  /// Conditions on the columns of parents and of the step; of a left join, what an edge must meet to be joined.
  package var filters: [BoundExpression] = []
  /// Conditions on edges alone that cannot fail: they are asked of all edges in their order, before the lists are gone through.
  package var edgeConditions = RowCondition()
  /// Whether a parent without edges is a group of one row, that of a left join.
  package var isOuter: Bool
  /// The keys of the groups: columns of the parents, or of the rows that name them.
  package var keys: [ColumnID]
  package var aggregates: [AggregatePlan.Item]
  /// Those of the aggregates, by place, that take only the first edge to each neighbour: DISTINCT of what the neighbour decides.
  package var onceEach: Set<Int> = []

  /// Rows that name a parent each by its key.
  package struct Rows: Sendable {
    package var plan: PhysicalPlan
    package var keys: [BoundExpression]
  }

  /// Whether no aggregate needs a set of the values that it has seen.
  var tellsDistinct: Bool {
    aggregates.indices.allSatisfy { onceEach.contains($0) || !aggregates[$0].call.isDistinct }
  }

  var isFiltered: Bool { !filters.isEmpty || !edgeConditions.filters.isEmpty }

  /// The columns that the aggregates read.
  var columns: [PlanColumn] { (rows?.plan.outputs ?? parents.columns.map(\.column)) + step.columns }

  /// A grouping by the key of a parent whose edges, or the rows they lead to, are aggregated; nil for any other.
  ///
  /// With `unjoins` also one over a hash join of parents and edges, which pays where an aggregate would otherwise keep
  /// all rows of the join; with `asksEdges` also one under conditions where no sets of pairs are spared. `arrivals` are where edges
  /// from the parents of a foreign key could lead to.
  init?(
    _ node: AggregateNode, unjoins: Bool, asksEdges: Bool = false,
    parentTable: (ObjectID) -> TableDefinition?,
    arrivals: (_ from: Int, _ edges: TableDefinition) -> [AdjacencyStep.Arrival]
  ) {
    guard node.partial == nil, node.groupingSets == nil, node.groupings.isEmpty,
      !node.keys.isEmpty, !node.aggregates.isEmpty,
      var walk = Self.walk(node.input, unjoins: unjoins)
    else { return nil }
    if let key = node.keys.first?.expression.asColumn, let reversed = walk.reversed,
      reversed.parents?.columns.contains(where: { $0.column.id == key }) ?? false
    {
      walk = reversed
    }
    let foreign = walk.step.edgeTable.foreignKeys[walk.step.from]
    // Groups are all parents, or rows name them.
    guard walk.parents?.filters.isEmpty ?? true,
      let table = walk.parents?.table ?? parentTable(foreign.parent),
      let keys = walk.groupKeys(node.keys.map(\.expression))
    else { return nil }
    for item in node.aggregates {
      let call = BoundExpression.aggregate(item.call)
      if call.callsSession || call.isVolatile { return nil }
    }
    parents = walk.parents ?? TableScan(table: table, alias: "", columns: [], filters: [])
    rows = walk.rows
    step = walk.step
    step.parentTable = table
    isOuter = walk.isOuter
    self.keys = keys
    aggregates = node.aggregates
    if step.to == nil && step.arrivals.isEmpty {
      step.arrivals = arrivals(step.from, step.edgeTable)
    }
    takeNeighboursOnce()
    (filters, step.filters) = (step.filters, [])
    if rows == nil {
      // Without sets of pairs to be spared, what is left of the edges is better put together by their own scan.
      if !filters.isEmpty && onceEach.isEmpty && !asksEdges { return nil }
      edgeConditions = step.takeEdgeConditions(from: &filters)
    }
    readOnlyWhatIsUsed()
  }
}

extension NeighbourAggregate {
  /// Notes aggregates over different values that neighbours decide: lists rise by neighbour, so that equal ones follow one
  /// another.
  private mutating func takeNeighboursOnce() {
    let differing = aggregates.compactMap(\.call.differing)
    if step.to == nil {
      // Edges are then read in the order of the rows that they could lead to.
      guard
        let arrival = step.arrivals.first(where: { arrival in
          differing.contains { isDecided($0, byNeighbourOf: arrival.to) }
        })
      else { return }
      step.to = arrival.to
      step.arrivals = []
    }
    guard let to = step.to else { return }
    for place in aggregates.indices {
      guard let id = aggregates[place].call.differing, isDecided(id, byNeighbourOf: to) else {
        continue
      }
      onceEach.insert(place)
    }
  }

  /// Whether a column is different for different rows that edges lead to, the same for the same, and never NULL.
  private func isDecided(_ id: ColumnID, byNeighbourOf to: Int) -> Bool {
    let key = step.edgeTable.foreignKeys[to]
    guard step.edgeTable.hasJunction(from: step.from, to: to), key.columns.count == 1,
      key.alwaysHasParent, step.edgeTable.columns[key.columns[0]].isNotNull
    else { return false }
    return step.edgeColumns.contains { $0.column.id == id && key.columns == [$0.index] }
      || step.neighbourColumns.contains { $0.column.id == id && key.parentColumns == [$0.index] }
  }
}

extension AggregateCall {
  /// The column of whose different values the aggregate is, in any order; nil for any other aggregate.
  fileprivate var differing: ColumnID? {
    guard isDistinct, !isOrderSensitive, orderBy.isEmpty, filter == nil, !isWithinGroup,
      arguments.count == 1
    else { return nil }
    return arguments[0].asColumn
  }
}

extension NeighbourAggregate {
  /// Leaves out the columns that neither a key nor an aggregate reads.
  private mutating func readOnlyWhatIsUsed() {
    var used: ColumnSet = []
    for item in aggregates { used.formUnion(item.call.columns) }
    used.formUnion(filters.columns)
    step.edgeColumns.removeAll { !used.contains($0.column.id) }
    step.neighbourColumns.removeAll { !used.contains($0.column.id) }
    used.formUnion(keys)
    parents.columns.removeAll { !used.contains($0.column.id) }
  }
}
