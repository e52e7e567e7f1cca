import Catalog
import Planning

extension PhysicalPlanner {
  /// A join of edges with further edges of the same parent, list by list; nil unless some condition compares the two.
  ///
  /// Without such a condition nothing is spared: all pairs have to be made.
  func listJoin(
    _ join: JoinPlan, left: PlannedOperator, _ scan: ScanPlan, _ equated: EquatedColumns,
    _ profile: RelationProfile
  ) -> IndexJoin? {
    guard !prefersWalks else { return nil }
    switch join.kind {
    case .inner, .left, .semi, .anti: break
    case .right, .full, .mark, .single: return nil
    }
    let own = scan.columnIDs
    var best: IndexJoin?
    let foreignKeys = scan.table.foreignKeys
    for number in foreignKeys.indices {
      let foreign = foreignKeys[number]
      guard let (keys, used) = equated.keys(foreign.columns), keys.count == 1,
        let key = keys.first, isWalkable(foreign, of: scan.table),
        let lists = lists(of: left, keyedBy: key, foreign, isOuter: join.kind.keepsUnmatched)
      else { continue }
      let rest = join.conditions.indices.filter { !used.contains($0) }.map { join.conditions[$0] }
      let ofRight = rest.filter { !$0.columns.isEmpty && $0.columns.isSubset(of: own) }
      let ofPairs = rest.filter { $0.columns.isEmpty || !$0.columns.isSubset(of: own) }
      guard ofPairs.contains(where: { !$0.columns.isDisjoint(with: own) }) else { continue }
      var node = ListJoin(
        input: lists.input, keys: lists.keys, left: lists.step,
        right: walk(scan, number, scan.filters + ofRight), conditions: ofPairs.cheapFirst,
        kind: join.kind)
      let rows = statistics(scan.table.id)?.rowCount ?? 1000
      let degree = degree(foreign, of: scan.table, rows: rows)
      node.markEdges(
        left: lists.edgeCount >= rows * Self.markedShare,
        right: lists.input.estimatedRows * degree >= rows * Self.markedShare)
      let compared = node.equalColumns.isEmpty ? degree : min(degree, Self.comparedMax)
      let cost =
        lists.input.estimatedRows * 0.3
        + (lists.edgeCount + lists.input.estimatedRows * degree) * 0.6
        + left.profile.rows * compared * 0.05 + profile.rows * 0.3
      if best.map({ cost < $0.cost }) ?? true {
        best = IndexJoin(
          operator: PlannedOperator(.listJoin(node), outputs: node.outputs, profile: profile),
          cost: cost)
      }
    }
    return best
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
    of left: PlannedOperator, keyedBy key: [BoundExpression], _ foreign: ForeignKeyConstraint,
    isOuter: Bool
  ) -> ParentLists? {
    let ids = key.compactMap(\.asColumn)
    guard ids.count == key.count else { return nil }
    if case .scan(let scan) = left.plan.node {
      return lists(of: scan, ids, foreign, isOuter: isOuter)
    }
    if case .expand(let expand) = left.plan.node, expand.kind.isInner {
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
