import Catalog
import Columnar
import Planning
import Storage

extension NeighbourAggregate {
  /// Parents joined to their edges, and perhaps edges to neighbours.
  struct Walk {
    /// The table whose rows the parents are; nil where rows name them.
    var parents: TableScan?
    var rows: NeighbourAggregate.Rows?
    var step: AdjacencyStep
    var isOuter: Bool
  }

  static func walk(_ plan: PhysicalPlan, unjoins: Bool) -> Walk? {
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
    if case .inner = join.kind, case .scan(let scan) = left.node, scan.filters.isEmpty,
      let found = walk(right)?.reaching(scan, keys.map { ($0.1, $0.0) }, join.kind)
    {
      return found
    }
    guard unjoins else { return nil }
    return Self.walk(fromRows: left, right, keys, join.kind)
      ?? (join.kind.isInner
        ? Self.walk(fromRows: right, left, keys.map { ($0.1, $0.0) }, join.kind) : nil)
  }

  /// The walk that a join of rows with the edges of a table along a foreign key comes to.
  private static func walk(
    fromRows rows: PhysicalPlan, _ edges: PhysicalPlan,
    _ keys: [(BoundExpression, BoundExpression)],
    _ kind: JoinPlan.Kind
  ) -> Walk? {
    if case .lookupJoin(let join) = edges.node {
      guard join.kind.isInner, kind.isInner else { return nil }
      let scan = TableScan(
        table: join.table, alias: join.alias, columns: join.columns, filters: [])
      return walk(fromRows: rows, join.input, keys, kind)?
        .reaching(scan, keyColumns: join.keyColumns, join.keys, join.kind)?.asking(join.filters)
    }
    guard case .scan(let scan) = edges.node, scan.filters.allSatisfy(\.isRepeatable),
      let isOuter = isOuter(kind)
    else { return nil }
    var named: [(edge: Int, key: BoundExpression)] = []
    for (own, other) in keys {
      guard let edge = scan.columns.first(where: { $0.column.id == other.asColumn }),
        own.type.physical == other.type.physical
      else { return nil }
      named.append((edge.index, own))
    }
    for (number, foreign) in scan.table.foreignKeys.enumerated() {
      guard foreign.alwaysHasParent, foreign.columns.count == named.count else { continue }
      let own = foreign.columns.compactMap { index in named.first { $0.edge == index }?.key }
      guard own.count == named.count else { continue }
      let step = AdjacencyStep(
        edgeTable: scan.table, edgeAlias: scan.alias, from: number, edgeColumns: scan.columns,
        filters: scan.filters)
      return Walk(
        rows: NeighbourAggregate.Rows(plan: rows, keys: own), step: step, isOuter: isOuter)
    }
    return nil
  }

  /// The walk that a join of two whole tables along a foreign key comes to.
  private static func walk(
    _ parents: TableScan, _ edges: TableScan, _ keys: [(BoundExpression, BoundExpression)],
    _ kind: JoinPlan.Kind
  ) -> Walk? {
    guard parents.filters.isEmpty, let isOuter = isOuter(kind),
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

  /// Whether a join keeps rows without edges; nil for one that does anything else.
  private static func isOuter(_ kind: JoinPlan.Kind) -> Bool? {
    switch kind {
    case .inner: false
    case .left: true
    case .right, .full, .semi, .anti, .mark, .single: nil
    }
  }

  private static func walk(_ expand: Expand) -> Walk? {
    guard let isOuter = isOuter(expand.kind), expand.step.filters.allSatisfy(\.isRepeatable) else {
      return nil
    }
    let rows = NeighbourAggregate.Rows(plan: expand.input, keys: expand.keys)
    let walk = Walk(rows: rows, step: expand.step, isOuter: isOuter)
    return walk.fromTable ?? walk
  }
}

extension NeighbourAggregate.Walk {
  /// The same where the rows are those of a table, and their keys its own; nil for others.
  fileprivate var fromTable: Self? {
    guard let rows, case .scan(let scan) = rows.plan.node,
      scan.filters.isEmpty && (!isOuter || step.filters.isEmpty)
    else { return nil }
    let foreign = step.edgeTable.foreignKeys[step.from]
    guard foreign.parent == scan.table.id, rows.keys.count == foreign.parentColumns.count,
      zip(rows.keys, foreign.parentColumns).allSatisfy({ key, index in
        scan.columns.contains { $0.column.id == key.asColumn && $0.index == index }
      })
    else { return nil }
    return Self(parents: scan, step: step, isOuter: isOuter)
  }

  /// The columns of parents, or of the rows that name them, by which is grouped; nil where groups are not parents.
  func groupKeys(_ keys: [BoundExpression]) -> [ColumnID]? {
    let foreign = step.edgeTable.foreignKeys[step.from]
    var found: [ColumnID] = []
    for key in keys {
      guard let id = key.asColumn else { return nil }
      if let parents {
        guard parents.columns.contains(where: { $0.column.id == id }) else { return nil }
        found.append(id)
      } else if let rows {
        // A row without edges has NULL for a column of theirs.
        guard let own = isOuter ? rows.column(id) : rows.column(id, foreign, step) else {
          return nil
        }
        found.append(own)
      }
    }
    if let parents {
      // Groups are parents only if their key is among the keys.
      let indices = Set(parents.columns.filter { found.contains($0.column.id) }.map(\.index))
      return foreign.parentColumns.allSatisfy(indices.contains) ? found : nil
    }
    // Each row is a parent, and a group.
    let named = rows.map { $0.keys.compactMap(\.asColumn) } ?? []
    guard let rows, named.count == rows.keys.count, named.allSatisfy(found.contains),
      rows.plan.isUnique(on: named)
    else { return nil }
    return found
  }

  /// The same edges, each from its neighbour to its parent; nil where some have none, or stand in no list of it.
  var reversed: Self? {
    guard !isOuter, let parents, let to = step.to, let neighbour = step.neighbourTable,
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

extension NeighbourAggregate.Rows {
  /// The column, if it is one of the rows.
  fileprivate func column(_ id: ColumnID) -> ColumnID? {
    plan.outputs.contains { $0.id == id } ? id : nil
  }

  /// The column of the rows that is, or that for each edge is equal to, a column.
  fileprivate func column(
    _ id: ColumnID, _ foreign: ForeignKeyConstraint, _ step: AdjacencyStep
  ) -> ColumnID? {
    if let own = column(id) { return own }
    guard let index = step.edgeColumns.first(where: { $0.column.id == id })?.index,
      let place = foreign.columns.firstIndex(of: index), keys.indices.contains(place),
      case .column(let own, let type) = keys[place], type.isInteger,
      step.edgeTable.columns[index].type == type
    else { return nil }
    return own
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
