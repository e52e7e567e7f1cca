import Catalog
import Columnar
import Planning
import Storage

extension PhysicalPlanner {
  /// A join with edges both of whose ends are known: one to the input, the other to the edges that were joined last.
  ///
  /// Those and the new ones lead to the same row, and are looked for together.
  func intersection(
    _ join: JoinPlan, left: PlannedOperator, _ scan: ScanPlan, _ equated: EquatedColumns,
    _ profile: RelationProfile
  ) -> IndexJoin? {
    guard let kind = kind(join, scan), !prefersWalks else { return nil }
    var best: IndexJoin?
    let foreignKeys = scan.table.foreignKeys
    for from in foreignKeys.indices {
      guard let own = equated.keys(foreignKeys[from].columns), own.keys.count == 1,
        let source = own.keys.first
      else { continue }
      for to in foreignKeys.indices where to != from {
        let arriving = foreignKeys[to]
        guard let end = equated.keys(arriving.columns), end.keys.count == 1,
          let met = end.keys.first, let ids = columnIDs(met), isJunction(scan.table, from, to)
        else { continue }
        var step = walk(scan, from, [])
        step.to = to
        let used = own.conditions.union(end.conditions)
        let rest = join.conditions.indices.filter { !used.contains($0) }.map { join.conditions[$0] }
        let closing = Closing(
          kind: kind, arm: Intersection.Arm(step: step, keys: source), end: ids, to: arriving,
          conditions: rest + scan.filters)
        if case .edges = kind, !closing.conditions.isEmpty { continue }
        for found in arms(of: left.plan, meeting: closing) {
          guard let joined = closed(closing, found, profile) else { continue }
          if best.map({ joined.cost < $0.cost }) ?? true { best = joined }
        }
      }
    }
    return best
  }

  private func kind(_ join: JoinPlan, _ scan: ScanPlan) -> ListIntersection.Kind? {
    switch join.kind {
    case .inner: .combinations
    case .semi: .edges(areMet: true)
    case .anti: join.conditions.allSatisfy(\.isEquality) ? .edges(areMet: false) : nil
    case .left, .right, .full, .mark, .single: nil
    }
  }

  /// Edges that close a ring.
  private struct Closing {
    var kind: ListIntersection.Kind
    var arm: Intersection.Arm
    /// The key of the row where they meet others, in the order of `to`.
    var end: [ColumnID]
    var to: ForeignKeyConstraint
    /// What else is asked.
    var conditions: [BoundExpression]
  }

  /// Whether an index leads from the parents of one foreign key to those of another.
  private func isJunction(_ table: TableDefinition, _ from: Int, _ to: Int) -> Bool {
    isWalkable(table.foreignKeys[from], of: table) && isWalkable(table.foreignKeys[to], of: table)
      && table.hasJunction(from: from, to: to)
  }

  private func columnIDs(_ key: [BoundExpression]) -> [ColumnID]? {
    let ids = key.compactMap(\.asColumn)
    return ids.count == key.count ? ids : nil
  }

  /// The intersection of an arm with those of a plan that lead to the same row.
  private func closed(
    _ closing: Closing, _ found: MeetingArms, _ profile: RelationProfile
  ) -> IndexJoin? {
    var meeting = found
    guard closing.arm.keys.columns.isSubset(of: meeting.input.outputs.ids) else {
      return nil
    }
    if case .edges = closing.kind, !meeting.isNew { return nil }
    meeting.arms.append(closing.arm)
    let (ofInput, others) = split(meeting.conditions + closing.conditions, meeting)
    let (met, bounds, rest) = bounds(others, meeting)
    let rows = meeting.input.estimatedRows
    var input = groupedBySource(meeting) ?? meeting.input
    if !ofInput.isEmpty {
      input = PhysicalPlan(
        .filter(input, ofInput.cheapFirst), outputs: input.outputs, estimatedRows: rows)
    }
    if case .edges = closing.kind { meeting.arms[1].step.keepColumns([]) }
    var node = Intersection(
      kind: closing.kind, input: input, arms: meeting.arms, inputColumns: input.outputs)
    (node.met, node.bounds) = (met, bounds)
    if case .combinations = closing.kind, meeting.arms.count == 2 {
      node.joinsWithItself = joinsWithItself(meeting.arms, rest)
    }
    var plan = PhysicalPlan(
      .intersection(node), outputs: node.outputs, estimatedRows: profile.rows)
    if !rest.isEmpty {
      plan = PhysicalPlan(
        .filter(plan, rest.cheapFirst), outputs: plan.outputs, estimatedRows: profile.rows)
    }
    let degrees = meeting.arms.map { degree($0.step) }
    // What was spent on rows below that are no longer made is spared.
    let spared = meeting.isNew ? min(rows * degrees[0], meeting.madeCost) : 0
    let cost = rows * (1 + 0.6 * (degrees.min() ?? 0)) + profile.rows - spared
    return IndexJoin(
      operator: PlannedOperator(plan.node, outputs: plan.outputs, profile: profile),
      cost: max(0, cost))
  }

  private func degree(_ step: AdjacencyStep) -> Double {
    let table = step.edgeTable
    return degree(
      table.foreignKeys[step.from], of: table, rows: statistics(table.id)?.rowCount ?? 1000)
  }

  // MARK: Edges that meet others

  /// Edges of a plan that lead to one row.
  private struct MeetingArms {
    var input: PhysicalPlan
    var arms: [Intersection.Arm]
    /// Conditions on the edges.
    var conditions: [BoundExpression]
    /// Whether the arm was a join of its own.
    var isNew = true
    /// What it would have cost at most to make its rows.
    var madeCost = Double.infinity
  }

  /// The ways in which the rows of a plan are those of an input with edges that lead where others close a ring.
  private func arms(of plan: PhysicalPlan, meeting closing: Closing) -> [MeetingArms] {
    switch plan.node {
    case .filter(let input, let conditions):
      return arms(of: input, meeting: closing).map { found in
        var result = found
        result.conditions += conditions
        return result
      }
    case .intersection(let node):
      guard case .combinations = node.kind,
        node.arms.contains(where: { $0.step.arrives(at: closing.end, closing.to) })
      else { return [] }
      return [MeetingArms(input: node.input, arms: node.arms, conditions: [], isNew: false)]
    case .expand(let expand) where expand.kind.isInner:
      return arm(expand.input, expand.step, expand.keys, [], closing)
    case .listJoin(let join) where join.kind.isInner:
      return arms(of: join, meeting: closing)
    case .hashJoin(let join) where join.kind.isInner:
      return arms(of: join, join.probe, join.build, \.build, \.probe, closing)
        + arms(of: join, join.build, join.probe, \.probe, \.build, closing)
    case .scan(let scan):
      let leaving = closing.arm.step.edgeTable.foreignKeys[closing.arm.step.from]
      guard let source = columnIDs(closing.arm.keys),
        let lists = lists(of: scan, source, leaving, isOuter: false)
      else { return [] }
      // Of a scan only those rows are handled that meet its conditions.
      let tableRows = statistics(scan.table.id)?.rowCount ?? 1000
      return arm(lists.input, lists.step, lists.keys, [], closing).map { found in
        var result = found
        result.madeCost = plan.estimatedRows + Self.scannedCost * tableRows
        return result
      }
    case .keyLookup, .adjacencyLookup, .values, .project, .projectSet, .tableFunction, .hashJoin,
      .nestedLoopJoin, .unlinkedPairs, .lookupJoin, .expand, .listJoin, .edgeCount, .walk,
      .neighbourCount, .pairCount, .remainingRows, .storedOrder, .neighbourAggregate, .rowSummary,
      .cycleCount, .pathSearch, .apply, .aggregate, .leadingRows, .window, .sort, .topN, .limit,
      .distinct,
      .append, .setOperation, .closure, .recursive, .workingTable, .partialGroups, .withCommon,
      .commonReference, .modify:
      return []
    }
  }

  /// Of two lists of a parent one as rows of the input, the other as edges of an arm.
  private func arms(of join: ListJoin, meeting closing: Closing) -> [MeetingArms] {
    [(join.left, join.right), (join.right, join.left)].flatMap { first, second in
      let node = Expand(input: join.input, step: first, keys: join.keys, kind: .inner)
      let outputs = join.input.outputs + first.columns
      let expanded = PhysicalPlan(
        .expand(node), outputs: outputs,
        estimatedRows: join.input.estimatedRows * degree(first))
      // Conditions that the join asks of all edges beforehand are no longer among those of its steps.
      let marks = join.leftMarks.filters + join.rightMarks.filters
      return arm(expanded, second, join.keys, marks + join.conditions, closing)
    }
  }

  /// One side of a hash join as edges of the rows that the other names.
  private func arms(
    of join: HashJoin, _ input: PhysicalPlan, _ side: PhysicalPlan,
    _ own: KeyPath<HashJoin.Key, BoundExpression>, _ other: KeyPath<HashJoin.Key, BoundExpression>,
    _ closing: Closing
  ) -> [MeetingArms] {
    guard case .scan(let scan) = side.node, !join.keys.contains(where: \.nullsMatch) else {
      return []
    }
    let conditions =
      join.residual
      + join.keys.map { BoundExpression.comparison(.equal, $0.probe, $0.build) }
    let edges = ScanPlan(
      table: scan.table, alias: scan.alias, columns: scan.columns, filters: scan.filters)
    let equated = EquatedColumns(edges, conditions)
    return scan.table.foreignKeys.enumerated().flatMap { number, foreign -> [MeetingArms] in
      guard isWalkable(foreign, of: scan.table), let (keys, used) = equated.keys(foreign.columns),
        keys.count == 1
      else { return [] }
      let rest = conditions.indices.filter { !used.contains($0) }.map { conditions[$0] }
      return arm(input, walk(edges, number, scan.filters), keys[0], rest, closing)
    }
  }

  /// A step as one along a junction to the row where a ring is closed.
  private func arm(
    _ input: PhysicalPlan, _ step: AdjacencyStep, _ keys: [BoundExpression],
    _ conditions: [BoundExpression], _ closing: Closing
  ) -> [MeetingArms] {
    let ends = step.to.map { [$0] } ?? Array(step.edgeTable.foreignKeys.indices)
    for to in ends where to != step.from && isJunction(step.edgeTable, step.from, to) {
      var own = step
      own.to = to
      own.filters = []
      guard own.arrives(at: closing.end, closing.to) else { continue }
      let arm = Intersection.Arm(step: own, keys: keys)
      return [MeetingArms(input: input, arms: [arm], conditions: step.filters + conditions)]
    }
    return []
  }

  // MARK: Conditions and order

  /// The conditions that a row of the input fulfils or not before any edge is looked at, and the others.
  ///
  /// A column of an edge that names the row that the edge starts from is as good as the input's.
  private func split(
    _ conditions: [BoundExpression], _ meeting: MeetingArms
  ) -> (ofInput: [BoundExpression], rest: [BoundExpression]) {
    let names = sourceNames(meeting)
    let known = meeting.input.outputs.ids
    var (ofInput, rest): ([BoundExpression], [BoundExpression]) = ([], [])
    for condition in conditions {
      let renamed = condition.replacing(names)
      if condition.cannotFail && !condition.isVolatile && !condition.columns.isEmpty
        && renamed.columns.isSubset(of: known)
      {
        ofInput.append(renamed)
      } else {
        rest.append(condition)
      }
    }
    return (ofInput, rest)
  }

  /// For columns of edges that name the row that the edge starts from the input's that say the same.
  private func sourceNames(_ meeting: MeetingArms) -> ColumnMap<BoundExpression> {
    var names: ColumnMap<BoundExpression> = [:]
    for arm in meeting.arms {
      let foreign = arm.step.edgeTable.foreignKeys[arm.step.from]
      guard let parent = tables[foreign.parent],
        repeatsKey(foreign, of: arm.step.edgeTable, in: parent), let key = arm.keys.first,
        key.asColumn != nil
      else { continue }
      for column in arm.step.edgeColumns where column.index == foreign.columns[0] {
        if column.column.type == key.type { names[column.column.id] = key }
      }
    }
    return names
  }

  /// The conditions that compare the key of the row where edges meet with a number that the input gives, and the others.
  private func bounds(
    _ conditions: [BoundExpression], _ meeting: MeetingArms
  ) -> (
    met: (table: TableDefinition, key: ScanPlan.Column)?, bounds: [Intersection.Bound],
    rest: [BoundExpression]
  ) {
    var keys: ColumnSet = []
    var met: (table: TableDefinition, key: ScanPlan.Column)?
    for arm in meeting.arms {
      guard let arrival = arm.step.arrivals.first(where: { $0.to == arm.step.to }) else { continue }
      let ofEdge = arm.step.edgeColumns.filter { $0.index == arrival.edgeColumn }
      let ofNeighbour = arm.step.neighbourColumns.filter { $0.index == arrival.neighbourColumn }
      for column in ofEdge + ofNeighbour where column.column.type.isInteger {
        keys.insert(column.column.id)
        met = (arrival.table, ScanPlan.Column(column.column, index: arrival.neighbourColumn))
      }
    }
    let known = meeting.input.outputs.ids
    let names = sourceNames(meeting)
    var (bounds, rest): ([Intersection.Bound], [BoundExpression]) = ([], [])
    for condition in conditions {
      guard case .comparison(let comparison, let left, let right) = condition,
        !condition.isVolatile, left.type.physical == right.type.physical,
        comparison.isOrder
          || comparison == .notEqual && !bounds.contains(where: { $0.comparison == .notEqual })
      else {
        rest.append(condition)
        continue
      }
      let (one, two) = (left.replacing(names), right.replacing(names))
      if let id = left.asColumn, keys.contains(id), two.cannotFail, two.columns.isSubset(of: known)
      {
        bounds.append(Intersection.Bound(comparison: comparison, value: two))
      } else if let id = right.asColumn, keys.contains(id), one.cannotFail,
        one.columns.isSubset(of: known)
      {
        bounds.append(Intersection.Bound(comparison: comparison.commuted, value: one))
      } else {
        rest.append(condition)
      }
    }
    return bounds.isEmpty ? (nil, [], rest) : (met, bounds, rest)
  }

  /// The edges of a table, which come in any order, as the lists of their parents, unless few of them are wanted: then one
  /// source of an arm stays the same from row to row.
  private func groupedBySource(_ meeting: MeetingArms) -> PhysicalPlan? {
    guard case .scan(let scan) = meeting.input.node,
      meeting.input.estimatedRows * 4 >= statistics(scan.table.id)?.rowCount ?? 1000
    else { return nil }
    for arm in meeting.arms {
      let leaving = arm.step.edgeTable.foreignKeys[arm.step.from]
      guard let source = columnIDs(arm.keys),
        let lists = lists(of: scan, source, leaving, isOuter: false)
      else { continue }
      let node = Expand(
        input: lists.input, step: lists.step, keys: lists.keys, kind: .inner)
      return PhysicalPlan(
        .expand(node), outputs: lists.input.outputs + lists.step.columns,
        estimatedRows: meeting.input.estimatedRows)
    }
    return nil
  }

  /// Whether both arms are the same list, and a condition is false for an edge and itself.
  private func joinsWithItself(
    _ arms: [Intersection.Arm], _ conditions: [BoundExpression]
  ) -> Bool {
    let (one, two) = (arms[0], arms[1])
    guard one.step.edgeTable.id == two.step.edgeTable.id, one.step.from == two.step.from,
      one.step.to == two.step.to, let first = columnIDs(one.keys), first == columnIDs(two.keys)
    else { return false }
    var own: ColumnMap<Int> = [:]
    var others: ColumnMap<Int> = [:]
    for column in one.step.edgeColumns { own[column.column.id] = column.index }
    for column in two.step.edgeColumns { others[column.column.id] = column.index }
    return conditions.contains { condition in
      guard case .comparison(let comparison, let left, let right) = condition,
        comparison.isIrreflexive, let a = left.asColumn, let b = right.asColumn
      else { return false }
      if let place = own[a], place == others[b] { return true }
      if let place = others[a], place == own[b] { return true }
      return false
    }
  }
}

// MARK: - Rows whose lists meet

extension PhysicalPlanner {
  /// A semi- or anti-join with pairs of edges that meet, one from each of two rows that the left row names: whether two
  /// lists have anything in common.
  func sharing(
    _ join: JoinPlan, left: PlannedOperator, right: PlannedOperator, _ profile: RelationProfile
  ) -> IndexJoin? {
    let areMet: Bool
    switch join.kind {
    case .semi: areMet = true
    case .anti: areMet = false
    case .inner, .left, .right, .full, .mark, .single: return nil
    }
    guard let (one, two, inner) = join.right.pairOfScans else { return nil }
    let conditions = join.conditions + inner
    guard !conditions.contains(where: \.isVolatile) else { return nil }
    let equated = EquatedColumns(one, conditions)
    let others = EquatedColumns(two, conditions)
    let known = left.plan.outputs.ids
    for (from, leaving) in one.table.foreignKeys.enumerated() {
      for (to, arriving) in one.table.foreignKeys.enumerated() where to != from {
        guard let source = equated.keys(leaving.columns), source.keys.count == 1,
          source.keys[0].columns.isSubset(of: known),
          let end = equated.keys(arriving.columns), end.keys.count == 1,
          let ids = columnIDs(end.keys[0]), isJunction(one.table, from, to)
        else { continue }
        for (number, foreign) in two.table.foreignKeys.enumerated() {
          guard isWalkable(foreign, of: two.table), let other = others.keys(foreign.columns),
            other.keys.count == 1, other.keys[0].columns.isSubset(of: known)
          else { continue }
          let used = source.conditions.union(end.conditions).union(other.conditions)
          let rest =
            conditions.indices.filter { !used.contains($0) }.map { conditions[$0] } + one.filters
            + two.filters
          var step = walk(one, from, [])
          step.to = to
          step.keepColumns(rest.columns)
          let closing = Closing(
            kind: .inputs(areMet: areMet), arm: Intersection.Arm(step: step, keys: source.keys[0]),
            end: ids, to: arriving, conditions: [])
          guard
            var arm = arm(left.plan, walk(two, number, []), other.keys[0], [], closing).first?.arms
              .first
          else { continue }
          arm.step.keepColumns(rest.columns)
          let meeting = MeetingArms(
            input: left.plan, arms: [arm, closing.arm], conditions: [])
          let input = groupedBySource(meeting) ?? left.plan
          var node = Intersection(
            kind: closing.kind, input: input, arms: meeting.arms, inputColumns: input.outputs)
          node.conditions = rest.cheapFirst
          let degrees = min(degree(arm.step), degree(step))
          return IndexJoin(
            operator: PlannedOperator(
              .intersection(node), outputs: node.outputs, profile: profile),
            // The pairs on the right are not made.
            cost: max(0, left.profile.rows * (1 + 0.6 * degrees) - right.profile.rows))
        }
      }
    }
    return nil
  }
}

extension LogicalPlan {
  /// The two tables that are joined, and on what; nil if the plan is anything else.
  fileprivate var pairOfScans: (ScanPlan, ScanPlan, [BoundExpression])? {
    if case .project(let input, let columns) = self {
      guard columns.allSatisfy({ $0.expression.asColumn == $0.column.id }) else { return nil }
      return input.pairOfScans
    }
    if case .join(let join) = self {
      guard join.kind.isInner, !join.isLateral, case .scan(let one) = join.left,
        case .scan(let two) = join.right, !(one.filters + two.filters).contains(where: \.isVolatile)
      else { return nil }
      return (one, two, join.conditions)
    }
    return nil
  }
}

extension AdjacencyStep {
  /// Whether the step arrives at the row whose key, in the order of `foreign`, is in the columns `ids`.
  fileprivate func arrives(at ids: [ColumnID], _ foreign: ForeignKeyConstraint) -> Bool {
    guard let to else { return false }
    let own = edgeTable.foreignKeys[to]
    guard own.parent == foreign.parent, own.columns.count == ids.count else { return false }
    return zip(ids, foreign.parentColumns).allSatisfy { id, parentColumn in
      guard let place = own.parentColumns.firstIndex(of: parentColumn) else { return false }
      return edgeColumns.contains { $0.column.id == id && $0.index == own.columns[place] }
        || neighbourColumns.contains { $0.column.id == id && $0.index == parentColumn }
    }
  }
}

extension BoundExpression {
  fileprivate var isEquality: Bool {
    if case .comparison(.equal, _, _) = self { return true }
    return false
  }
}

extension ComparisonOperator {
  /// Whether no value is in this relation to itself.
  fileprivate var isIrreflexive: Bool {
    switch self {
    case .notEqual, .less, .greater: true
    case .equal, .lessOrEqual, .greaterOrEqual: false
    }
  }

  fileprivate var isOrder: Bool {
    switch self {
    case .less, .lessOrEqual, .greater, .greaterOrEqual: true
    case .equal, .notEqual: false
    }
  }
}
