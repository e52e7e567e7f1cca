import Catalog
import Columnar
import Diagnostics
import Planning

extension PhysicalPlanner {
  /// The cheapest way to carry out a join.
  func planned(_ join: JoinPlan) throws(SQLError) -> PlannedOperator {
    if join.isLateral { return try plannedApply(join) }
    let left = try aimingAtSide(join.left, of: join, isLeft: true).planned(join.left)
    let right = try aimingAtSide(join.right, of: join, isLeft: false).planned(join.right)
    let profile = RelationProfile.join(
      join.kind, left.profile, right.profile, on: join.conditions)
    let hash = hashJoin(join, left, right, profile)
    if rules.contains(.indexAccess) {
      var best = IndexJoin(operator: nil, cost: hash?.cost ?? .infinity)
      var sides = [(input: left, other: join.right)]
      if case .inner = join.kind { sides.append((right, join.left)) }
      for case (let input, .scan(let scan)) in sides {
        guard let indexed = indexable(join) else { continue }
        let equated = EquatedColumns(scan, indexed.conditions)
        if equated.isEmpty { continue }
        best.take(indexJoin(indexed, input: input, scan, equated, profile))
        best.take(intersection(join, left: input, scan, equated, profile))
      }
      best.take(listJoin(join, left: (left, join.left), join.right, profile))
      if join.kind.isInner {
        best.take(listJoin(join, left: (right, join.right), join.left, profile))
      }
      if case .semi = join.kind, case .scan(let scan) = join.left {
        best.take(reversedSemiJoin(join, scan, right, profile))
      }
      best.take(sharing(join, left: left, right: right, profile))
      if let found = best.operator { return found }
    }
    if let hash { return hash.operator }
    return nestedLoop(join, left, right, profile)
  }

  private func nestedLoop(
    _ join: JoinPlan, _ left: PlannedOperator, _ right: PlannedOperator,
    _ profile: RelationProfile
  ) -> PlannedOperator {
    // The side that is kept in memory should be the smaller one.
    let isFlipped = join.kind.isInner && right.profile.rows > left.profile.rows
    let (outer, inner) = isFlipped ? (right, left) : (left, right)
    let node = NestedLoopJoin(
      left: outer.plan, right: inner.plan, conditions: join.conditions.cheapFirst, kind: join.kind)
    return PlannedOperator(
      .nestedLoopJoin(node),
      outputs: join.kind.outputs(outer.plan.outputs, inner.plan.outputs),
      profile: profile)
  }

  private func plannedApply(_ join: JoinPlan) throws(SQLError) -> PlannedOperator {
    let left = try aimingAtSide(join.left, of: join, isLeft: true).planned(join.left)
    let right = try aiming(at: nil).planned(join.right)
    let free = join.right.freeColumns
    let node = Apply(
      left: left.plan, right: right.plan,
      parameters: left.plan.outputs.filter { free.contains($0.id) },
      conditions: join.conditions, kind: join.kind, isVolatile: join.right.isVolatile)
    return PlannedOperator(
      .apply(node), outputs: join.kind.outputs(left.plan.outputs, right.plan.outputs),
      profile: .join(join.kind, left.profile, right.profile, on: join.conditions))
  }

  // MARK: Hash joins

  private func hashJoin(
    _ join: JoinPlan, _ left: PlannedOperator, _ right: PlannedOperator,
    _ profile: RelationProfile
  ) -> (operator: PlannedOperator, cost: Double)? {
    guard let (keys, residual) = hashKeys(join), !keys.isEmpty else { return nil }
    let canFlip =
      switch join.kind {
      case .anti, .mark: !keys.contains(where: \.isNullAware)
      case .inner, .left, .right, .full, .semi: true
      case .single: false
      }
    let isFlipped = canFlip && left.profile.rows < right.profile.rows
    let (probe, build) = isFlipped ? (right, left) : (left, right)
    var node = HashJoin(
      probe: probe.plan, build: build.plan, keys: isFlipped ? keys.map(\.flipped) : keys,
      residual: residual.cheapFirst, kind: join.kind, isFlipped: isFlipped)
    node.keepDecidingKey(of: isFlipped ? join.left : join.right)
    let keyColumns = node.keys.compactMap(\.build.asColumn)
    if !residual.isEmpty, keyColumns.count == node.keys.count {
      node.keepRange(rowsPerKey: build.profile.rows / max(1, build.profile.groupCount(keyColumns)))
    }
    // Scans below the probe side drop most of the rows that will not match; rows without a match are told by a bit mostly.
    var kept = min(1, 0.25 + profile.rows / max(probe.profile.rows, 1))
    if case .anti = join.kind { kept = 0.25 }
    let share = askedShare(of: probe, for: profile)
    let cost =
      rowCost(build) + build.profile.rows * 2
      + (rowCost(probe) + probe.profile.rows * kept) * share
    return (
      PlannedOperator(
        .hashJoin(node), outputs: join.kind.outputs(left.plan.outputs, right.plan.outputs),
        profile: profile), cost
    )
  }

  /// What it costs to have the rows of a side: a scan visits more than it gives.
  private func rowCost(_ side: PlannedOperator) -> Double {
    if case .scan(let scan) = side.plan.node {
      return (statistics(scan.table.id)?.rowCount ?? 1000) * 0.3
    }
    return 0
  }

  /// The equalities between the two sides and the other conditions; nil where a mark join's NULLs
  /// need the full condition.
  private func hashKeys(_ join: JoinPlan) -> (keys: [HashJoin.Key], residual: [BoundExpression])? {
    let (left, right) = (join.left.outputIDs, join.right.outputIDs)
    func key(_ condition: BoundExpression) -> HashJoin.Key? {
      let (first, second, nullsMatch): (BoundExpression, BoundExpression, Bool)
      if case .comparison(.equal, let one, let two) = condition {
        (first, second, nullsMatch) = (one, two, false)
      } else if case .distinct(let one, let two, negated: true) = condition {
        (first, second, nullsMatch) = (one, two, true)
      } else {
        return nil
      }
      if condition.isVolatile { return nil }
      if first.type.physical == .record, !nullsMatch { return nil }
      for (one, two) in [(first, second), (second, first)] {
        let (ofOne, ofTwo) = (one.columns, two.columns)
        if !ofOne.isEmpty, !ofTwo.isEmpty, ofOne.isSubset(of: left), ofTwo.isSubset(of: right) {
          return HashJoin.Key(probe: one, build: two, nullsMatch: nullsMatch)
        }
      }
      return nil
    }
    let isMark =
      if case .mark = join.kind { true } else { false }
    let isAnti =
      if case .anti = join.kind { true } else { false }
    let notNull =
      isMark || isAnti ? join.left.notNullColumns.union(join.right.notNullColumns) : []
    var keys: [HashJoin.Key] = []
    var residual: [BoundExpression] = []
    for condition in join.conditions {
      var inner = condition
      // Whether a comparison that is NULL is no match.
      var isGuard = true
      if isMark {
        isGuard = condition.isNeverNull(notNull)
        // `x IS TRUE` is what unnesting makes of a condition whose NULL means no match.
        if case .isBoolean(let operand, true, negated: false) = condition {
          inner = operand
          isGuard = true
        }
      } else if isAnti, let equality = condition.possibleEquality {
        inner = equality
        isGuard = equality.isNeverNull(notNull)
      }
      if var found = key(inner) {
        found.isNullAware = !isGuard && !found.nullsMatch
        keys.append(found)
      } else if isGuard || isAnti {
        residual.append(condition)
      } else {
        return nil
      }
    }
    let awareCount = keys.count(where: \.isNullAware)
    if awareCount > 1 || (awareCount == 1 && !residual.isEmpty) { return nil }
    return (keys, residual)
  }

  // MARK: Joins through an index

  /// The cheapest join found so far.
  struct IndexJoin {
    var `operator`: PlannedOperator?
    var cost: Double

    fileprivate mutating func take(_ other: IndexJoin?) {
      guard let other, other.cost <= cost else { return }
      self = other
    }
  }

  /// A join of which an index may tell the matches: of a mark join the conditions that must be true for one, where no mark is NULL.
  private func indexable(_ join: JoinPlan) -> JoinPlan? {
    guard case .mark = join.kind else { return join }
    guard let (keys, _) = hashKeys(join), !keys.contains(where: \.isNullAware) else { return nil }
    var result = join
    result.conditions = join.conditions.map { condition in
      if case .isBoolean(let operand, true, negated: false) = condition { return operand }
      return condition
    }
    return result
  }

  /// A join whose input's rows each look up rows of a stored table.
  private func indexJoin(
    _ join: JoinPlan, input: PlannedOperator, _ scan: ScanPlan, _ equated: EquatedColumns,
    _ profile: RelationProfile
  ) -> IndexJoin? {
    switch join.kind {
    case .inner, .left, .semi, .anti, .mark, .single: break
    case .right, .full: return nil
    }
    // Conditions of the scan itself come after those of the join, so that keys are taken from the
    // join.
    let conditions = join.conditions + scan.filters
    let available = input.plan.outputs.ids
    var best: IndexJoin?
    let share = askedShare(of: input, for: profile)
    let base = input.profile.rows * share
    let inputCost = rowCost(input) * share
    for index in scan.table.hashIndices {
      guard let (keys, used) = equated.keys(index.columns), keys.count == 1, let key = keys.first,
        key.allSatisfy({ $0.usesOnly(available) })
      else { continue }
      let rest = conditions.indices.filter { !used.contains($0) }.map { conditions[$0] }
      let fanOut = index.isUnique ? 1 : profile.rows * share / max(1, base)
      let found = IndexJoin(
        operator: lookup(join.kind, input, scan, index.columns, key, rest, profile),
        // A walk from the other side often tells whether there is a match, and hands sets on rather than rows.
        cost: inputCost + base
          * (scan.lookupCost(index.columns) + (join.kind.onlyLooksForMatch ? 2 : 0.3 * fanOut)))
      if best.map({ found.cost < $0.cost }) ?? true { best = found }
    }
    guard join.kind.canExpand else { return best }
    let rows = statistics(scan.table.id)?.rowCount ?? 1000
    let foreignKeys = scan.table.foreignKeys
    for number in foreignKeys.indices {
      guard let (keys, used) = equated.keys(foreignKeys[number].columns), keys.count == 1,
        let key = keys.first, key.allSatisfy({ $0.usesOnly(available) }),
        isWalkable(foreignKeys[number], of: scan.table)
      else { continue }
      let foreign = foreignKeys[number]
      let rest = conditions.indices.filter { !used.contains($0) }.map { conditions[$0] }
      let step = walk(
        scan, number, rest, readsColumns: !(join.kind.onlyLooksForMatch && rest.isEmpty))
      let node = Expand(input: input.plan, step: step, keys: key, kind: join.kind)
      let found = IndexJoin(
        operator: PlannedOperator(
          .expand(node),
          outputs: join.kind.outputs(input.plan.outputs, scan.columns.map(\.column)),
          profile: profile),
        // Whether there is an edge at all is read off the index.
        cost: prefersWalks
          ? 0
          : inputCost + base * 1.5
            + edgeCount(
              join, scan, degree(foreign, of: scan, from: input, key), unused: rest.count,
              from: base, profile.rows * share) * scan.edgeCost(foreign, rows: rows))
      if best.map({ found.cost < $0.cost }) ?? true { best = found }
    }
    return best
  }

  /// How many edges a join looks at that follows those of `parents` rows, `degree` of each; `unused` conditions are left to
  /// be asked of them.
  private func edgeCount(
    _ join: JoinPlan, _ scan: ScanPlan, _ degree: Double, unused: Int, from parents: Double,
    _ rows: Double
  ) -> Double {
    guard join.kind.onlyLooksForMatch else { return max(parents * degree, rows) }
    if unused == 0 { return 0 }
    // The search for a match ends with the first: so many tries until then, if each has that chance.
    let all = max(1, statistics(scan.table.id)?.rowCount ?? 1000)
    let chance = min(1, max(1, profile(.scan(scan)).rows) / all)
    // Of a condition that reads both sides nothing is known: it may hold at once, or for no edge.
    let least = unused > scan.filters.count ? degree / 2 : Double(MatchSearch.firstWidth)
    return parents * min(degree, max(1 / chance, least))
  }

  /// A semi-join as a look-up in the left table, or a walk along it, for each of the right's different keys: it
  /// pays where those are few.
  private func reversedSemiJoin(
    _ join: JoinPlan, _ scan: ScanPlan, _ right: PlannedOperator, _ profile: RelationProfile
  ) -> IndexJoin? {
    let equated = EquatedColumns(scan, join.conditions)
    /// The right's different keys, if the conditions hold these columns equal to columns of the right.
    func keys(_ columns: [Int]) -> (input: PlannedOperator, key: [BoundExpression], cost: Double)? {
      guard let (keys, used) = equated.keys(columns), keys.count == 1, let key = keys.first,
        used.count == join.conditions.count,
        key.allSatisfy({ $0.asColumn.map(join.right.outputIDs.contains) ?? false })
      else { return nil }
      let wanted = join.right.outputs.filter { column in
        key.contains { $0.asColumn == column.id }
      }
      if join.right.isUnique(on: wanted.ids) {
        return (right, key, rowCost(right))
      }
      let exact = right.exactly(wanted)
      let logical = LogicalPlan.distinct(join.right.restricted(to: wanted), on: nil)
      let input = finish(logical, .distinct(exact.plan, on: nil), wanted, [exact])
      return (input, key, rowCost(right) + right.profile.rows)
    }
    for index in scan.table.hashIndices {
      guard let (input, key, cost) = keys(index.columns) else { continue }
      let found = lookup(.inner, input, scan, index.columns, key, scan.filters, profile)
      return IndexJoin(
        operator: found.exactly(join.left.outputs), cost: cost + input.profile.rows * 2.5)
    }
    for (number, foreign) in scan.table.foreignKeys.enumerated() {
      guard isWalkable(foreign, of: scan.table), let (input, key, cost) = keys(foreign.columns)
      else { continue }
      let step = walk(scan, number, scan.filters)
      let node = Expand(input: input.plan, step: step, keys: key, kind: .inner)
      let found = PlannedOperator(
        .expand(node), outputs: input.plan.outputs + scan.columns.map(\.column),
        profile: profile)
      return IndexJoin(
        operator: found.exactly(join.left.outputs),
        cost: cost + input.profile.rows
          * (1.5 + degree(foreign, of: scan, from: input, key)
            * scan.edgeCost(foreign, rows: statistics(scan.table.id)?.rowCount ?? 1000)))
    }
    return nil
  }

  /// A step from a parent to the rows of a table that name it by a foreign key.
  func walk(
    _ scan: ScanPlan, _ number: Int, _ filters: [BoundExpression], readsColumns: Bool = true
  ) -> AdjacencyStep {
    var step = AdjacencyStep(
      edgeTable: scan.table, edgeAlias: scan.alias, from: number,
      parentTable: tables[scan.table.foreignKeys[number].parent],
      edgeColumns: readsColumns ? scan.columns : [], filters: filters.cheapFirst)
    step.arrivals = arrivals(from: number, of: scan.table)
    return step
  }

  private func lookup(
    _ kind: JoinPlan.Kind, _ input: PlannedOperator, _ scan: ScanPlan, _ keyColumns: [Int],
    _ key: [BoundExpression], _ filters: [BoundExpression], _ profile: RelationProfile
  ) -> PlannedOperator {
    if case .inner = kind,
      let fused = fusedStep(input, scan, keyColumns, key, filters, profile)
    {
      return fused
    }
    let node = LookupJoin(
      input: input.plan, table: scan.table, alias: scan.alias, columns: scan.columns,
      keyColumns: keyColumns, keys: key, filters: filters.cheapFirst, kind: kind)
    return PlannedOperator(
      .lookupJoin(node), outputs: kind.outputs(input.plan.outputs, scan.columns.map(\.column)),
      profile: profile)
  }

  /// A step to an edge and on to its other parent as one step that arrives at the neighbour.
  private func fusedStep(
    _ input: PlannedOperator, _ scan: ScanPlan, _ keyColumns: [Int], _ key: [BoundExpression],
    _ filters: [BoundExpression], _ profile: RelationProfile
  ) -> PlannedOperator? {
    func fused(_ step: AdjacencyStep) -> AdjacencyStep? {
      guard step.to == nil else { return nil }
      var edge: ColumnMap<Int> = [:]
      for column in step.edgeColumns { edge[column.column.id] = column.index }
      let columns = key.compactMap { $0.asColumn.flatMap { edge[$0] } }
      guard columns.count == key.count else { return nil }
      let found = step.edgeTable.foreignKeys.indices.first { number in
        let foreign = step.edgeTable.foreignKeys[number]
        return number != step.from && foreign.parent == scan.table.id
          && foreign.columns == columns && foreign.parentColumns == keyColumns
          && isWalkable(foreign, of: step.edgeTable)
      }
      guard let found else { return nil }
      var result = step
      result.to = found
      result.neighbourTable = scan.table
      result.neighbourAlias = scan.alias
      result.neighbourColumns = scan.columns
      // An edge whose reference is NULL leads nowhere, which the neighbour's columns alone do not say.
      let present = zip(key, columns).filter { !step.edgeTable.columns[$1].isNotNull }
        .map { BoundExpression.isNull($0.0, negated: true) }
      result.filters = (present + step.filters + filters).cheapFirst
      return result
    }
    let outputs = input.plan.outputs + scan.columns.map(\.column)
    if case .adjacencyLookup(let lookup) = input.plan.node {
      guard let step = fused(lookup.step) else { return nil }
      return PlannedOperator(
        .adjacencyLookup(AdjacencyLookup(step: step, keys: lookup.keys)), outputs: outputs,
        profile: profile)
    }
    if case .expand(let expand) = input.plan.node, expand.kind.isInner {
      guard let step = fused(expand.step) else { return nil }
      return PlannedOperator(
        .expand(Expand(input: expand.input, step: step, keys: expand.keys, kind: .inner)),
        outputs: outputs, profile: profile)
    }
    return nil
  }
}

extension HashJoin.Key {
  fileprivate var flipped: HashJoin.Key {
    HashJoin.Key(probe: build, build: probe, nullsMatch: nullsMatch, isNullAware: isNullAware)
  }
}

extension JoinPlan.Kind {
  fileprivate var canExpand: Bool {
    switch self {
    case .inner, .left, .semi, .anti, .mark: true
    case .right, .full, .single: false
    }
  }

  /// The columns of a join of sides with these columns.
  func outputs(_ left: [PlanColumn], _ right: [PlanColumn]) -> [PlanColumn] {
    switch self {
    case .inner, .left, .right, .full, .single: left + right
    case .semi, .anti: left
    case .mark(let column): left + [column]
    }
  }
}

extension HashJoin {
  /// Leaves one whole number for the key where no two rows of the build side have the same: the other equalities are asked of the
  /// only candidate, which is found by its place.
  fileprivate mutating func keepDecidingKey(of build: LogicalPlan) {
    guard keys.count > 1, !keys.contains(where: { $0.nullsMatch || $0.isNullAware }),
      let place = keys.firstIndex(where: { key in
        key.build.type.isInteger
          && key.build.asColumn.map { build.isUniqueMatch(on: [$0]) } ?? false
      })
    else { return }
    let deciding = keys.remove(at: place)
    residual = keys.map { .comparison(.equal, $0.probe, $0.build) } + residual
    keys = [deciding]
  }
}
