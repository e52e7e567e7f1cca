import Catalog
import Columnar
package import Planning
import Storage

/// Aggregates over the edges of each row of a table, and over the rows that they lead to: GROUP BY the key of a parent.
///
/// The lists of an adjacency index are groups already, so no row is put into a hash table, none is kept, and a group is
/// complete when its list is.
package struct NeighbourAggregate: Sendable {
  /// The parents: all live rows of the table.
  package var parents: TableScan
  /// The step from a parent's row, to its edges or on to neighbours; without conditions.
  package var step: AdjacencyStep
  /// Conditions on the columns of parents and of the step; none of a left join.
  package var filters: [BoundExpression] = []
  /// Conditions on edges alone that cannot fail: they are asked of all edges in their order, before the lists are gone through.
  package var edgeConditions = RowCondition()
  /// Whether a parent without edges is a group of one row, that of a left join.
  package var isOuter: Bool
  /// The keys of the groups: columns of the parents.
  package var keys: [ColumnID]
  package var aggregates: [AggregatePlan.Item]
  /// Those of the aggregates, by place, that take only the first edge to each neighbour: DISTINCT of what the neighbour decides.
  package var onceEach: Set<Int> = []

  /// Whether no aggregate needs a set of the values that it has seen.
  var tellsDistinct: Bool {
    aggregates.indices.allSatisfy { onceEach.contains($0) || !aggregates[$0].call.isDistinct }
  }

  var isFiltered: Bool { !filters.isEmpty || !edgeConditions.filters.isEmpty }

  /// The columns that the aggregates read.
  var columns: [PlanColumn] { parents.columns.map(\.column) + step.columns }

  /// A grouping by the key of a parent whose edges, or the rows they lead to, are aggregated; nil for any other.
  ///
  /// With `unjoins` also one over a hash join of parents and edges, which pays where an aggregate would otherwise keep
  /// all rows of the join; with `asksEdges` also one under conditions where no sets of pairs are spared. `arrivals` are where edges
  /// from the parents of a foreign key could lead to.
  init?(
    _ node: AggregateNode, unjoins: Bool, asksEdges: Bool = false,
    arrivals: (_ from: Int, _ edges: TableDefinition) -> [AdjacencyStep.Arrival]
  ) {
    guard node.partial == nil, node.groupingSets == nil, node.groupings.isEmpty,
      !node.keys.isEmpty, !node.aggregates.isEmpty,
      var walk = Self.walk(node.input, unjoins: unjoins)
    else { return nil }
    if let key = node.keys.first?.expression.asColumn, let reversed = walk.reversed,
      reversed.parents.columns.contains(where: { $0.column.id == key })
    {
      walk = reversed
    }
    // Groups are all parents, or would have to be looked for.
    guard walk.parents.filters.isEmpty else { return nil }
    var keys: [ColumnID] = []
    for key in node.keys {
      guard let id = key.expression.asColumn,
        walk.parents.columns.contains(where: { $0.column.id == id })
      else { return nil }
      keys.append(id)
    }
    // Groups are parents only if their key is among the keys.
    let foreign = walk.step.edgeTable.foreignKeys[walk.step.from]
    let indices = Set(
      walk.parents.columns.filter { keys.contains($0.column.id) }.map(\.index))
    guard foreign.parentColumns.allSatisfy(indices.contains) else { return nil }
    for item in node.aggregates {
      let call = BoundExpression.aggregate(item.call)
      if call.callsSession || call.isVolatile { return nil }
    }
    parents = walk.parents
    step = walk.step
    isOuter = walk.isOuter
    self.keys = keys
    aggregates = node.aggregates
    if step.to == nil && step.arrivals.isEmpty {
      step.arrivals = arrivals(step.from, step.edgeTable)
    }
    takeNeighboursOnce()
    (filters, step.filters) = (step.filters, [])
    // Without sets of pairs to be spared, what is left of the edges is better put together by their own scan.
    if !filters.isEmpty && onceEach.isEmpty && !asksEdges { return nil }
    edgeConditions = step.takeEdgeConditions(from: &filters)
    readOnlyWhatIsUsed()
  }
}

extension NeighbourAggregate {
  /// Parents joined to their edges, and perhaps edges to neighbours.
  fileprivate struct Walk {
    var parents: TableScan
    var step: AdjacencyStep
    var isOuter: Bool
  }

  private static func walk(_ plan: PhysicalPlan, unjoins: Bool) -> Walk? {
    func walk(_ plan: PhysicalPlan) -> Walk? { Self.walk(plan, unjoins: unjoins) }
    if case .project(let input, let list) = plan.node {
      return plan.gives(list) ? walk(input) : nil
    }
    if case .expand(let expand) = plan.node { return Self.walk(expand) }
    if case .hashJoin(let join) = plan.node {
      guard join.residual.isEmpty || join.kind.isInner else { return nil }
      return Self.walk(join, unjoins: unjoins)?.asking(join.residual)
    }
    if case .lookupJoin(let join) = plan.node {
      // A left join keeps the edges for whose row a condition fails.
      guard join.filters.isEmpty || join.kind.isInner else { return nil }
      let scan = TableScan(
        table: join.table, alias: join.alias, columns: join.columns, filters: [])
      if unjoins, join.kind.isInner, case .scan(let edges) = join.input.node {
        let keys = zip(join.keys, join.keyColumns).compactMap { key, index in
          scan.columns.first { $0.index == index }.map { ($0.column.reference, key) }
        }
        guard keys.count == join.keys.count else { return nil }
        return Self.walk(scan, edges, keys, join.kind)?.asking(join.filters)
      }
      return walk(join.input)?.reaching(scan, keyColumns: join.keyColumns, join.keys, join.kind)?
        .asking(join.filters)
    }
    if case .filter(let input, let conditions) = plan.node {
      return walk(input)?.asking(conditions)
    }
    return nil
  }

  private static func walk(_ join: HashJoin, unjoins: Bool) -> Walk? {
    func walk(_ plan: PhysicalPlan) -> Walk? { Self.walk(plan, unjoins: unjoins) }
    guard join.keys.allSatisfy({ !$0.nullsMatch && !$0.isNullAware }) else { return nil }
    let (left, right) = join.isFlipped ? (join.build, join.probe) : (join.probe, join.build)
    let keys = join.keys.map { join.isFlipped ? ($0.build, $0.probe) : ($0.probe, $0.build) }
    if case .scan(let scan) = right.node, scan.filters.isEmpty {
      if unjoins, case .scan(let other) = left.node {
        if let found = Self.walk(other, scan, keys, join.kind) { return found }
        return join.kind.isInner
          ? Self.walk(scan, other, keys.map { ($0.1, $0.0) }, join.kind) : nil
      }
      return walk(left)?.reaching(scan, keys, join.kind)
    }
    if case .inner = join.kind, case .scan(let scan) = left.node, scan.filters.isEmpty {
      return walk(right)?.reaching(scan, keys.map { ($0.1, $0.0) }, join.kind)
    }
    return nil
  }

  /// The walk that a join of two whole tables along a foreign key comes to.
  private static func walk(
    _ parents: TableScan, _ edges: TableScan, _ keys: [(BoundExpression, BoundExpression)],
    _ kind: JoinPlan.Kind
  ) -> Walk? {
    let isOuter: Bool
    switch kind {
    case .inner: isOuter = false
    case .left: isOuter = true
    case .right, .full, .semi, .anti, .mark, .single: return nil
    }
    guard parents.filters.isEmpty,
      edges.filters.isEmpty || !isOuter && edges.filters.allSatisfy(\.isRepeatable)
    else { return nil }
    var pairs: [(edge: Int, parent: Int)] = []
    for (left, right) in keys {
      guard let parent = parents.columns.first(where: { $0.column.id == left.asColumn }),
        let edge = edges.columns.first(where: { $0.column.id == right.asColumn }),
        parent.column.type.physical == edge.column.type.physical
      else { return nil }
      pairs.append((edge.index, parent.index))
    }
    let found = edges.table.foreignKeys.indices.first { number in
      let foreign = edges.table.foreignKeys[number]
      return foreign.parent == parents.table.id && foreign.alwaysHasParent
        && foreign.columns.count == pairs.count
        && zip(foreign.columns, foreign.parentColumns).allSatisfy { own, other in
          pairs.contains { $0.edge == own && $0.parent == other }
        }
    }
    guard let found else { return nil }
    let step = AdjacencyStep(
      edgeTable: edges.table, edgeAlias: edges.alias, from: found, parentTable: parents.table,
      edgeColumns: edges.columns, filters: edges.filters)
    return Walk(parents: parents, step: step, isOuter: isOuter)
  }

  private static func walk(_ expand: Expand) -> Walk? {
    let isOuter: Bool
    switch expand.kind {
    case .inner: isOuter = false
    case .left: isOuter = true
    case .right, .full, .semi, .anti, .mark, .single: return nil
    }
    let filters = expand.step.filters
    guard case .scan(let scan) = expand.input.node,
      filters.isEmpty && scan.filters.isEmpty
        || !isOuter && filters.allSatisfy(\.isRepeatable) && scan.filters.allSatisfy(\.isRepeatable)
    else { return nil }
    let foreign = expand.step.edgeTable.foreignKeys[expand.step.from]
    guard foreign.parent == scan.table.id, expand.keys.count == foreign.parentColumns.count else {
      return nil
    }
    for (key, index) in zip(expand.keys, foreign.parentColumns) {
      guard let id = key.asColumn,
        scan.columns.contains(where: { $0.column.id == id && $0.index == index })
      else { return nil }
    }
    return Walk(parents: scan, step: expand.step, isOuter: isOuter)
  }
}

extension NeighbourAggregate.Walk {
  /// The same edges, each from its neighbour to its parent; nil where some have none, or stand in no list of it.
  fileprivate var reversed: Self? {
    guard !isOuter, let to = step.to, let neighbour = step.neighbourTable,
      step.edgeTable.foreignKeys[to].alwaysHasParent,
      step.edgeTable.foreignKeys[step.from].alwaysHasParent,
      step.edgeTable.layout.hasJunction(from: to, to: step.from)
    else { return nil }
    return Self(
      parents: TableScan(
        table: neighbour, alias: step.neighbourAlias, columns: step.neighbourColumns, filters: []),
      step: AdjacencyStep(
        edgeTable: step.edgeTable, edgeAlias: step.edgeAlias, from: to, parentTable: neighbour,
        to: step.from, edgeColumns: step.edgeColumns, neighbourTable: parents.table,
        neighbourAlias: parents.alias, neighbourColumns: parents.columns,
        filters: parents.filters + step.filters),
      isOuter: false)
  }

  /// The walk with further conditions; nil where rows without edges are kept, or the conditions may not be asked once for each edge.
  fileprivate func asking(_ conditions: [BoundExpression]) -> Self? {
    if conditions.isEmpty { return self }
    guard !isOuter, conditions.allSatisfy(\.isRepeatable) else { return nil }
    var result = self
    result.step.filters += conditions
    return result
  }

  /// The walk on to the parents of a foreign key of the edges, each edge of which has one.
  fileprivate func reaching(
    _ scan: TableScan, _ keys: [(BoundExpression, BoundExpression)], _ kind: JoinPlan.Kind
  ) -> Self? {
    var columns: [Int] = []
    for (_, other) in keys {
      guard let id = other.asColumn,
        let column = scan.columns.first(where: { $0.column.id == id })
      else { return nil }
      columns.append(column.index)
    }
    return reaching(scan, keyColumns: columns, keys.map(\.0), kind)
  }

  fileprivate func reaching(
    _ scan: TableScan, keyColumns: [Int], _ keys: [BoundExpression], _ kind: JoinPlan.Kind
  ) -> Self? {
    var result = self
    switch kind {
    case .inner: result.isOuter = false
    case .left: break
    case .right, .full, .semi, .anti, .mark, .single: return nil
    }
    if step.to != nil {
      guard step.hasArrived(at: scan, by: keys, keyColumns) else { return nil }
      result.step.neighbourColumns += scan.columns
      return result
    }
    let edge = step.edgeTable
    // The edge's columns by the parent's.
    var own: [Int: Int] = [:]
    for (key, index) in zip(keys, keyColumns) {
      guard let id = key.asColumn,
        let column = step.edgeColumns.first(where: { $0.column.id == id }),
        own.updateValue(column.index, forKey: index) == nil
      else { return nil }
    }
    let found = edge.foreignKeys.indices.first { number in
      let foreign = edge.foreignKeys[number]
      return number != step.from && foreign.parent == scan.table.id
        && foreign.alwaysHasParent && foreign.columns.count == own.count
        && zip(foreign.columns, foreign.parentColumns).allSatisfy { own[$1] == $0 }
        && foreign.columns.allSatisfy { edge.columns[$0].isNotNull }
    }
    guard let found else { return nil }
    result.step.to = found
    result.step.arrivals = []
    result.step.neighbourTable = scan.table
    result.step.neighbourAlias = scan.alias
    result.step.neighbourColumns = scan.columns
    return result
  }
}

extension AdjacencyStep {
  /// Whether the step, which arrives at a neighbour, arrives at the row of a table that has these keys.
  fileprivate func hasArrived(
    at scan: TableScan, by keys: [BoundExpression], _ keyColumns: [Int]
  ) -> Bool {
    guard let to, neighbourTable?.id == scan.table.id, edgeTable.foreignKeys[to].alwaysHasParent,
      Set(edgeTable.foreignKeys[to].parentColumns) == Set(keyColumns)
    else { return false }
    return zip(keys, keyColumns).allSatisfy { key, index in
      neighbourColumns.contains { $0.column.id == key.asColumn && $0.index == index }
    }
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
