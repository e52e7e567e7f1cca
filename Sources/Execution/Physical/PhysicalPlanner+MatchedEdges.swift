import Catalog
import Columnar
import Planning

/// Semi-joins of edges as the edges of the rows that match.
///
/// `WHERE e.student_id IN (…)` keeps edges by a set of students, wherever it stands among the other joins of edges: where groups
/// of edges are counted, the set is walked from first, and the others are asked of groups.
extension HashJoin {
  /// A semi-join of edges with the rows at one end as the edges of those rows, of which the columns `read` are wanted.
  ///
  /// Joins that its left side begins with come after it, as they may. nil where there is nothing of the kind, or it would go
  /// through far more edges.
  func followingEdges(of read: ColumnSet, _ planner: PhysicalPlanner) -> PhysicalPlan? {
    guard case .semi = kind else { return nil }
    if case .hashJoin(let other) = left.node {
      switch other.kind {
      case .semi, .anti: return following(other, read, planner)
      case .inner, .left, .right, .full, .mark, .single: return nil
      }
    }
    if case .lookupJoin(var other) = left.node {
      guard other.kind.isInner else { return nil }
      var first = self
      first.left = other.input
      let used = read.union(other.keys.columns).union(other.filters.columns)
      guard let below = first.followingEdges(of: used, planner) else { return nil }
      other.input = below
      return PhysicalPlan(
        .lookupJoin(other), outputs: below.outputs + other.columns.map(\.column),
        estimatedRows: below.estimatedRows)
    }
    if case .scan(let scan) = left.node {
      return followingEdges(of: read, scan, limit: .infinity, planner)
    }
    var wanted = read
    for key in keys { wanted.formUnion((isFlipped ? key.build : key.probe).columns) }
    guard let joined = left.edgesJoined(reading: wanted) else { return nil }
    return following(joined, read, planner, limit: Self.edgeShare * left.estimatedRows)
  }

  /// So many edges are counted from a set in the time in which one is looked up in it.
  private static let edgeShare = 16.0

  /// The semi-join below a join that its left side begins with.
  private func following(
    _ join: HashJoin, _ read: ColumnSet, _ planner: PhysicalPlanner, limit: Double? = nil
  ) -> PhysicalPlan? {
    var (first, other) = (self, join)
    first.left = other.left
    let own = other.keys.map(other.isFlipped ? \.build : \.probe).columns
    let used = read.union(own).union(other.residual.columns)
    var below: PhysicalPlan?
    if let limit, case .scan(let scan) = other.left.node {
      below = first.followingEdges(of: used, scan, limit: limit, planner)
    } else {
      below = first.followingEdges(of: used, planner)
    }
    guard let below else { return nil }
    other.left = below
    return PhysicalPlan(
      .hashJoin(other), outputs: other.kind.outputs(below.outputs, other.right.outputs),
      estimatedRows: below.estimatedRows)
  }

  private func followingEdges(
    of read: ColumnSet, _ scan: TableScan, limit: Double, _ planner: PhysicalPlanner
  ) -> PhysicalPlan? {
    guard let columns = matched(scan) else { return nil }
    let number = scan.table.foreignKeys.firstIndex { foreign in
      Set(foreign.columns) == Set(columns.keys) && planner.isWalkable(foreign, of: scan.table)
    }
    guard let number else { return nil }
    let foreign = scan.table.foreignKeys[number]
    let keys = foreign.columns.compactMap { columns[$0] }
    let named = keys.compactMap { key in right.outputs.first { $0.id == key.asColumn } }
    let rows = planner.statistics(scan.table.id)?.rowCount ?? 1000
    guard named.count == keys.count,
      right.estimatedRows * planner.degree(foreign, of: scan.table, rows: rows) <= limit
    else { return nil }
    let sources = PhysicalPlan(
      .distinct(right.with(outputs: named), on: nil), outputs: named,
      estimatedRows: right.estimatedRows)
    var step = planner.walk(
      ScanPlan(table: scan.table, alias: scan.alias, columns: scan.columns), number, scan.filters)
    step.keepColumns(read.union(scan.filters.columns))
    step.arrive()
    return PhysicalPlan(
      .expand(Expand(input: sources, step: step, keys: keys, kind: .inner)),
      outputs: named + step.columns, estimatedRows: left.estimatedRows)
  }
}

extension PhysicalPlan {
  /// The edges that are followed from a set of rows, as a join of all edges, scanned, with those rows; nil for any other plan.
  ///
  /// It gives the columns `ids`, under the names that the plan has for them.
  fileprivate func edgesJoined(reading ids: ColumnSet) -> HashJoin? {
    var below: ColumnMap<ColumnID> = [:]
    var plan = self
    if case .project(let input, let list) = node {
      for (output, expression) in zip(outputs, list) { below[output.id] = expression.asColumn }
      plan = input
    } else {
      for output in outputs { below[output.id] = output.id }
    }
    guard case .expand(let expand) = plan.node, expand.kind.isInner, expand.step.filters.isEmpty
    else { return nil }
    let foreign = expand.step.edgeTable.foreignKeys[expand.step.from]
    let sources = expand.keys.compactMap(\.asColumn)
    guard sources.count == expand.keys.count, expand.input.isUnique(on: sources) else { return nil }
    var edges: [ScanPlan.Column] = []
    var added: [(column: PlanColumn, source: BoundExpression)] = []
    for column in outputs where ids.contains(column.id) {
      guard let id = below[column.id] else { return nil }
      if let index = expand.edgeColumn(id, column.type) {
        edges.append(ScanPlan.Column(column, index: index))
      } else if let source = expand.input.outputs.first(where: { $0.id == id }) {
        added.append((column, source.reference))
      } else {
        return nil
      }
    }
    var keys: [Key] = []
    for (index, key) in zip(foreign.columns, expand.keys) {
      guard let edge = edges.first(where: { $0.index == index }) else { return nil }
      keys.append(Key(probe: edge.column.reference, build: key, nullsMatch: false))
    }
    let rows = expand.input
    let named = added.map(\.column) + rows.outputs.filter { sources.contains($0.id) }
    guard Set(named.map(\.id)).count == named.count else { return nil }
    let build = PhysicalPlan(
      .project(rows, added.map(\.source) + named.dropFirst(added.count).map(\.reference)),
      outputs: named, estimatedRows: rows.estimatedRows)
    let scan = TableScan(
      table: expand.step.edgeTable, alias: expand.step.edgeAlias, columns: edges, filters: [])
    return HashJoin(
      probe: PhysicalPlan(
        .scan(scan), outputs: edges.map(\.column), estimatedRows: estimatedRows),
      build: build, keys: keys, residual: [], kind: added.isEmpty ? .semi : .inner,
      isFlipped: false)
  }

  private typealias Key = HashJoin.Key
}

extension Expand {
  /// The column of the edge that has the values of one of the columns around, whose type is `type`.
  fileprivate func edgeColumn(_ id: ColumnID, _ type: LogicalType) -> Int? {
    let table = step.edgeTable
    let from = table.foreignKeys[step.from]
    var found = step.edgeColumns.first { $0.column.id == id }?.index
    if let column = step.neighbourColumns.first(where: { $0.column.id == id }), let to = step.to,
      let place = table.foreignKeys[to].parentColumns.firstIndex(of: column.index)
    {
      found = table.foreignKeys[to].columns[place]
    } else if let place = keys.firstIndex(where: { $0.asColumn == id }) {
      found = from.columns[place]
    }
    guard let found, found >= 0, table.columns[found].type == type else { return nil }
    return found
  }
}
