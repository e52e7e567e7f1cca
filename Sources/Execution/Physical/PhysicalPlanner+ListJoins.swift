import Catalog
import Planning

extension PhysicalPlanner {
  /// A join of edges with further edges of the same parent, list by list; nil unless some condition compares the two.
  ///
  /// Without such a condition nothing is spared: all pairs have to be made. Edges may be joined to a table that they lead to: then
  /// it is read once an edge, and not once a pair.
  func listJoin(
    _ join: JoinPlan, left: (planned: PlannedOperator, plan: LogicalPlan), _ right: LogicalPlan,
    _ profile: RelationProfile
  ) -> IndexJoin? {
    guard !prefersWalks else { return nil }
    switch join.kind {
    case .inner, .left, .semi, .anti: break
    case .right, .full, .mark, .single: return nil
    }
    guard let edges = followedEdges(right) else { return nil }
    let scan = edges.scan
    let equated = EquatedColumns(scan, join.conditions)
    if equated.isEmpty { return nil }
    let own = edges.columnIDs
    var best: IndexJoin?
    let foreignKeys = scan.table.foreignKeys
    for number in foreignKeys.indices where number != edges.neighbour?.to {
      let foreign = foreignKeys[number]
      guard let (keys, used) = equated.keys(foreign.columns), keys.count == 1,
        let key = keys.first, isWalkable(foreign, of: scan.table),
        let lists = lists(of: left, keyedBy: key, foreign, isOuter: join.kind.keepsUnmatched)
      else { continue }
      let rest = join.conditions.indices.filter { !used.contains($0) }.map { join.conditions[$0] }
      let ofRight = rest.filter { !$0.columns.isEmpty && $0.columns.isSubset(of: own) }
      let ofPairs = rest.filter { $0.columns.isEmpty || !$0.columns.isSubset(of: own) }
      guard ofPairs.contains(where: { !$0.columns.isDisjoint(with: own) }) else { continue }
      var step = walk(scan, number, scan.filters + ofRight)
      edges.follow(from: &step)
      var node = ListJoin(
        input: lists.input, keys: lists.keys, left: lists.step, right: step,
        conditions: ofPairs.cheapFirst, kind: join.kind)
      let rows = statistics(scan.table.id)?.rowCount ?? 1000
      let degree = degree(foreign, of: scan.table, rows: rows)
      node.markEdges(
        left: lists.edgeCount >= rows * Self.markedShare,
        right: lists.input.estimatedRows * degree >= rows * Self.markedShare)
      let compared = node.equalColumns.isEmpty ? degree : min(degree, Self.comparedMax)
      let cost =
        lists.input.estimatedRows * 0.3
        + (lists.edgeCount + lists.input.estimatedRows * degree) * 0.6
        + left.planned.profile.rows * compared * 0.05
      if best.map({ cost < $0.cost }) ?? true {
        best = IndexJoin(
          operator: PlannedOperator(.listJoin(node), outputs: node.outputs, profile: profile),
          cost: cost)
      }
    }
    return best
  }

  /// Edges, and perhaps the table to which each of them is followed.
  private struct FollowedEdges {
    var scan: ScanPlan
    /// The table, by the foreign key that leads there, and conditions beside that.
    var neighbour: (to: Int, scan: ScanPlan, filters: [BoundExpression])?

    var columnIDs: ColumnSet {
      scan.columnIDs.union(neighbour?.scan.columnIDs ?? [])
    }

    /// Has a step to the edges lead on to the table.
    func follow(from step: inout AdjacencyStep) {
      guard let neighbour else { return }
      step.to = neighbour.to
      step.neighbourTable = neighbour.scan.table
      step.neighbourAlias = neighbour.scan.alias
      step.neighbourColumns = neighbour.scan.columns
      step.filters = (step.filters + neighbour.scan.filters + neighbour.filters).cheapFirst
      step.arrivals = []
    }
  }

  /// The edges that a plan reads, with the table to which it follows them; nil for any other plan.
  private func followedEdges(_ plan: LogicalPlan) -> FollowedEdges? {
    if case .scan(let scan) = plan { return FollowedEdges(scan: scan) }
    guard case .join(let join) = plan, join.kind.isInner, !join.isLateral,
      case .scan(let left) = join.left, case .scan(let right) = join.right
    else { return nil }
    for (scan, other) in [(left, right), (right, left)] {
      for (number, foreign) in scan.table.foreignKeys.enumerated()
      where foreign.parent == other.table.id && foreign.columns.count == 1
        && isWalkable(foreign, of: scan.table)
      {
        let equated = EquatedColumns(other, join.conditions)
        guard let (keys, used) = equated.keys(foreign.parentColumns), keys.count == 1,
          let key = keys.first?.first, let id = key.asColumn,
          scan.column(id) == foreign.columns[0]
        else { continue }
        var filters = join.conditions.indices.filter { !used.contains($0) }
          .map { join.conditions[$0] }
        if !scan.table.columns[foreign.columns[0]].isNotNull {
          filters.append(.isNull(key, negated: true))
        }
        return FollowedEdges(scan: scan, neighbour: (number, other, filters))
      }
    }
    return nil
  }

  /// Where lists have so many of all edges, conditions are asked of all of these: in their order a page at a time.
  private static let markedShare = 0.25

  /// In longer lists rows with equal columns are found by hash.
  private static let comparedMax = 128.0

  /// The rows of a plan as the edges of parents.
  struct ParentLists {
    var input: PhysicalPlan
    var keys: [BoundExpression]
    var step: AdjacencyStep
    /// How many edges there are, with those that a condition drops.
    var edgeCount: Double
  }

  /// The rows as edges of the parents that `key` names by the columns that `foreign` refers to.
  private func lists(
    of left: (planned: PlannedOperator, plan: LogicalPlan), keyedBy key: [BoundExpression],
    _ foreign: ForeignKeyConstraint, isOuter: Bool
  ) -> ParentLists? {
    let ids = key.compactMap(\.asColumn)
    guard ids.count == key.count else { return nil }
    let node = left.planned.plan.node
    if case .scan(let scan) = node { return lists(of: scan, ids, foreign, isOuter: isOuter) }
    if let edges = followedEdges(left.plan), let neighbour = edges.neighbour,
      var lists = lists(
        of: TableScan(
          table: edges.scan.table, alias: edges.scan.alias, columns: edges.scan.columns,
          filters: edges.scan.filters), ids, foreign, isOuter: isOuter),
      lists.step.from != neighbour.to
    {
      edges.follow(from: &lists.step)
      return lists
    }
    if case .expand(let expand) = node, expand.kind.isInner {
      let own = expand.step.edgeTable.foreignKeys[expand.step.from]
      guard own.parent == foreign.parent, own.parentColumns.count == foreign.parentColumns.count
      else { return nil }
      for (id, parentColumn) in zip(ids, foreign.parentColumns) {
        guard let place = own.parentColumns.firstIndex(of: parentColumn) else { return nil }
        let edge = expand.step.edgeColumns.first { $0.column.id == id }
        guard expand.keys[place].asColumn == id || edge?.index == own.columns[place] else {
          return nil
        }
      }
      let rows = statistics(expand.step.edgeTable.id)?.rowCount ?? 1000
      return ParentLists(
        input: expand.input, keys: expand.keys, step: expand.step,
        edgeCount: expand.input.estimatedRows
          * degree(own, of: expand.step.edgeTable, rows: rows))
    }
    return nil
  }

  /// All rows of a table as edges: the parents are gone through instead, and their key stands for the column that names it.
  func lists(
    of scan: TableScan, _ ids: [ColumnID], _ foreign: ForeignKeyConstraint, isOuter: Bool
  ) -> ParentLists? {
    guard ids.count == 1, let parent = tables[foreign.parent],
      let column = scan.columns.first(where: { $0.column.id == ids[0] }), column.index >= 0
    else { return nil }
    for (number, own) in scan.table.foreignKeys.enumerated() {
      guard own.parent == foreign.parent, own.columns == [column.index],
        own.parentColumns == foreign.parentColumns, isWalkable(own, of: scan.table),
        repeatsKey(own, of: scan.table, in: parent),
        !isOuter || scan.table.columns[column.index].isNotNull
      else { continue }
      let rows = statistics(scan.table.id)?.rowCount ?? 1000
      let key = parentKey(column.column, own, of: parent)
      let name = parent.name.name
      let parents = PhysicalPlan(
        .scan(TableScan(table: parent, alias: name, columns: [key], filters: [])),
        outputs: [column.column], estimatedRows: statistics(parent.id)?.rowCount ?? 1000)
      var step = AdjacencyStep(
        edgeTable: scan.table, edgeAlias: scan.alias, from: number, parentTable: parent,
        edgeColumns: scan.columns.filter { $0.column.id != ids[0] }, filters: scan.filters)
      step.arrivals = arrivals(from: number, of: scan.table)
      return ParentLists(
        input: parents, keys: [column.column.reference], step: step, edgeCount: rows)
    }
    return nil
  }
}

extension JoinPlan.Kind {
  /// Whether a left row without a match comes out.
  fileprivate var keepsUnmatched: Bool {
    switch self {
    case .left, .anti, .full, .single, .mark: true
    case .inner, .right, .semi: false
    }
  }
}
