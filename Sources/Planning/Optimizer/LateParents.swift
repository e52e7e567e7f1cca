import Catalog
import Columnar

/// Joins with parents above the groups whose keys name them, rather than below.
///
/// `SELECT c.name, count(*) FROM … GROUP BY c.id, c.name` has a name for each group, not for each row: where a foreign key
/// promises that each row has its course, groups are made by the column that names it, and the name is looked up for the groups, or
/// for those that LIMIT leaves of them. What is below is then a join of fewer tables, and often one that is counted without being made.
///
/// A parent is only joined late if nothing else is asked of it: no condition, no aggregate, and no other join than with parents that
/// are late as well. (Yan and Larson, "Eager Aggregation and Lazy Aggregation", VLDB 1995.)
///
/// Where groups do not name a parent, as with `GROUP BY c.name` alone, they are made by the column that does, joined, and then put
/// together, if their aggregates can be and there are far fewer of them than rows.
struct LateParents {
  let statistics: StatisticsSource
  let factory: ColumnFactory

  /// The plan with parents joined late; nil if there are none.
  func applied(_ plan: LogicalPlan) -> LogicalPlan? { plan.changed(rewritten) }

  private func rewritten(_ plan: LogicalPlan) -> LogicalPlan? {
    guard case .aggregate(let aggregate) = plan, !aggregate.keys.isEmpty,
      aggregate.groupingSets == nil, aggregate.groupings.isEmpty,
      !aggregate.keys.contains(where: { $0.expression.isVolatile })
    else { return nil }
    var input = JoinedInput()
    input.collect(aggregate.input)
    guard input.scans.count > 1 else { return nil }
    for item in aggregate.aggregates { input.pinned.formUnion(item.call.columns) }
    let canBeMerged = aggregate.aggregates.allSatisfy(\.call.isMergeable)
    return late(aggregate, input, merging: canBeMerged)
      ?? (canBeMerged ? late(aggregate, input, merging: false) : nil)
  }

  /// The aggregation with parents joined late; `merging` says whether groups may be made by more than the keys asked for.
  private func late(
    _ aggregate: AggregatePlan, _ input: JoinedInput, merging: Bool
  ) -> LogicalPlan? {
    var excluded: Set<ObjectIdentifier> = []
    while true {
      let parents = input.parents(without: excluded)
      if parents.isEmpty { return nil }
      var keys = KeyPlaces(aggregate.keys, parents)
      guard let undetermined = keys.settle(parents, merging: merging) else {
        return joined(aggregate, keys, parents)
      }
      excluded.insert(undetermined)
    }
  }

  /// The groups without the parents, joined with these.
  private func joined(
    _ aggregate: AggregatePlan, _ keys: KeyPlaces, _ parents: [Parent]
  ) -> LogicalPlan? {
    let named = parents.named
    let late = parents.reduce(into: ColumnSet()) { $0.formUnion($1.scan.columnIDs) }
    guard aggregate.input.keepsLeftSides(without: late),
      let below = aggregate.input.without(late, named), below.isMoreThanTable,
      keys.added.isEmpty || areFewer(keys, below)
    else { return nil }
    // A key that is NULL has no parent.
    let notNull = below.notNullColumns
    let nullable = named.values.filter { $0.asColumn.map { !notNull.contains($0) } ?? false }
    var grouped = aggregate
    grouped.input = below.filtered(nullable.map { .isNull($0, negated: true) })
    grouped.keys = []
    grouped.aggregates = aggregate.aggregates.map { item in
      let column =
        keys.added.isEmpty ? item.column : factory.make(item.column.name, item.column.type)
      return AggregatePlan.Item(column, item.call.mapOperands { $0.replacing(named) })
    }
    // Keys may go by the names that columns have below, and parents give some of these above.
    var columns: ColumnMap<BoundExpression> = [:]
    var outputs: ColumnMap<BoundExpression> = [:]
    var known: [String: BoundExpression] = [:]
    func key(_ expression: BoundExpression, _ name: String) -> BoundExpression {
      let signature = expression.signature
      if let reference = known[signature] { return reference }
      let own = factory.make(name, expression.type)
      grouped.keys.append(ProjectedColumn(own, expression))
      known[signature] = own.reference
      if let id = expression.asColumn { columns[id] = own.reference }
      return own.reference
    }
    for early in keys.early { outputs[early.column.id] = key(early.expression, early.column.name) }
    for added in keys.added { _ = key(added, "key") }
    for late in keys.late { outputs[late.column.id] = late.expression.replacing(columns) }
    var result = LogicalPlan.aggregate(grouped)
    // Those found last name those found before them.
    for parent in parents.reversed() {
      let conditions = parent.key.sorted { $0.key < $1.key }.compactMap { key, child in
        parent.scan.columns.first { $0.column.id == key }.map {
          BoundExpression.comparison(.equal, child.replacing(columns), $0.column.reference)
        }
      }
      result = .join(JoinPlan(.inner, result, .scan(parent.scan), on: conditions))
    }
    if !keys.added.isEmpty { return merged(aggregate, outputs, of: grouped.aggregates, in: result) }
    return .project(
      result,
      LogicalPlan.aggregate(aggregate).outputs.map {
        ProjectedColumn($0, outputs[$0.id] ?? $0.reference)
      })
  }

  /// The groups asked for, put together from smaller ones.
  private func merged(
    _ aggregate: AggregatePlan, _ keys: ColumnMap<BoundExpression>,
    of parts: [AggregatePlan.Item], in input: LogicalPlan
  ) -> LogicalPlan {
    var result = aggregate
    result.input = input
    result.keys = aggregate.keys.map {
      ProjectedColumn($0.column, keys[$0.column.id] ?? $0.expression)
    }
    result.aggregates = zip(aggregate.aggregates, parts).map { item, part in
      AggregatePlan.Item(item.column, item.call.merging(part.column))
    }
    return .aggregate(result)
  }

  /// Whether groups by what is known without the parents are few enough to be put together afterwards.
  private func areFewer(_ keys: KeyPlaces, _ input: LogicalPlan) -> Bool {
    let rows = RelationProfile.of(input, statistics: statistics, commons: [:])
    let all = keys.early.map(\.expression) + keys.added
    let columns = all.compactMap(\.asColumn)
    // What is computed of these makes no more groups.
    let isKnown = all.allSatisfy { $0.columns.isSubset(of: ColumnSet(columns)) }
    return isKnown && rows.rows >= Self.rowMin
      && rows.groupCount(columns) * Self.rowsOfGroup <= rows.rows
  }

  /// Fewer rows are soon joined.
  private static let rowMin = 10_000.0
  /// Groups that are put together have so many rows at least, on average.
  private static let rowsOfGroup = 4.0
}

extension AggregateCall {
  /// Whether what it gives for a group follows from what it gives for parts of it.
  fileprivate var isMergeable: Bool {
    if isDistinct || isOrderSensitive || !orderBy.isEmpty { return false }
    return name == "count"
      || ["min", "max", "bool_and", "bool_or", "every"].contains(name) && arguments.count == 1
  }

  /// What it gives for a group, from a column of what it gives for parts of it.
  fileprivate func merging(_ parts: PlanColumn) -> AggregateCall {
    if name == "count" { return .sum(ofCounts: parts) }
    var result = self
    result.arguments = [parts.reference]
    result.filter = nil
    return result
  }
}

/// A table of which each row of a join has one row, by the columns of a child.
private struct Parent {
  var scan: ScanPlan
  /// For each column of its key the child's column.
  var key: ColumnMap<BoundExpression>

  /// The columns that rows have from it alone.
  var own: ColumnSet { scan.columnIDs.subtracting(ColumnSet(key.keys)) }
}

extension [Parent] {
  /// What each column of their keys is without them; parents of parents have no other name than their own.
  fileprivate var named: ColumnMap<BoundExpression> {
    let own = reduce(into: ColumnSet()) { $0.formUnion($1.own) }
    var named: ColumnMap<BoundExpression> = [:]
    for parent in self {
      for (key, child) in parent.key where child.asColumn.map({ !own.contains($0) }) ?? false {
        named[key] = child
      }
    }
    return named
  }
}

/// The keys of an aggregation by where they are known: without its late parents, or only with them.
private struct KeyPlaces {
  /// Over columns of what is left without the parents.
  var early: [ProjectedColumn] = []
  var late: [ProjectedColumn] = []
  /// Further columns that groups are made by, of those without the parents.
  private(set) var added: [BoundExpression] = []

  init(_ keys: [ProjectedColumn], _ parents: [Parent]) {
    let named = parents.named
    let all = parents.reduce(into: ColumnSet()) { $0.formUnion($1.scan.columnIDs) }
    for key in keys {
      let expression = key.expression.replacing(named)
      if expression.columns.intersection(all).isEmpty {
        early.append(ProjectedColumn(key.column, expression))
      } else {
        late.append(key)
      }
    }
  }

  /// Sees what groups have to name so that each of the parents is known of them.
  ///
  /// - Parameters:
  ///   - parents: each is named by those behind it, or by what is not among them.
  ///   - merging: whether columns may be added to the keys.
  /// - Returns: a parent that cannot be joined late; nil if there is none.
  mutating func settle(_ parents: [Parent], merging: Bool) -> ObjectIdentifier? {
    let own = parents.reduce(into: ColumnSet()) { $0.formUnion($1.own) }
    var known = ColumnSet(early.compactMap(\.expression.asColumn))
    for parent in parents.reversed() {
      for (_, child) in parent.key {
        guard let id = child.asColumn else { return parent.scan.identity }
        if known.contains(id) { continue }
        guard merging, !own.contains(id) else { return parent.scan.identity }
        added.append(child)
        known.insert(id)
      }
      known.formUnion(parent.scan.columnIDs)
    }
    // Conditions on groups and limits may go below: what fails must do so for all of them.
    for key in late
    where !key.expression.columns.isSubset(of: known) || !key.expression.cannotFail {
      let used = key.expression.columns
      if let parent = parents.first(where: { !used.intersection($0.own).isEmpty }) {
        return parent.scan.identity
      }
    }
    return nil
  }
}

/// The tables whose rows are all part of each row of an input, and what conditions ask of them.
private struct JoinedInput {
  var scans: [ScanPlan] = []
  /// Equalities of columns that inner joins ask for.
  var equalities: [BoundExpression] = []
  /// The columns that anything else uses.
  var pinned: ColumnSet = []

  mutating func collect(_ plan: LogicalPlan) {
    if case .scan(let scan) = plan {
      scans.append(scan)
      if !scan.filters.isEmpty { pinned.formUnion(scan.columnIDs) }
    } else if case .filter(let input, let conditions) = plan {
      pinned.formUnion(conditions.columns)
      if case .scan(let scan) = input { pinned.formUnion(scan.columnIDs) }
      collect(input)
    } else if let input = plan.passedThrough {
      collect(input)
    } else if case .join(let join) = plan, join.keepsLeft {
      for condition in join.conditions {
        if join.kind.isInner, case .comparison(.equal, let one, let two) = condition,
          one.asColumn != nil, two.asColumn != nil
        {
          equalities.append(condition)
        } else {
          pinned.formUnion(condition.columns)
        }
      }
      let known = scans.count
      collect(join.left)
      if join.kind.isInner {
        collect(join.right)
      } else if scans.count == known + 1 {
        // What the matches hang on stays below.
        pinned.formUnion(join.left.outputIDs)
      }
    }
  }

  /// The tables that may be joined late; each is named by tables that come behind it, or are not among them.
  func parents(without excluded: Set<ObjectIdentifier>) -> [Parent] {
    let equal = equalities.equalColumns
    var found: [Parent] = []
    var rest = scans
    while true {
      let late = found.reduce(into: ColumnSet()) { $0.formUnion($1.scan.columnIDs) }
      let next = rest.indices.lazy.compactMap { place -> (Int, Parent)? in
        let scan = rest[place]
        if excluded.contains(scan.identity) { return nil }
        var others = rest
        others.remove(at: place)
        let key = scan.keyNamed(by: others, equal) { key in
          isNeededLate(scan, key, equal, late)
        }
        return key.map { (place, Parent(scan: scan, key: $0)) }
      }.first
      guard let (place, parent) = next else { return found }
      found.append(parent)
      rest.remove(at: place)
    }
  }

  /// Whether a table is named by one other, which is joined with the rest by other columns, and nothing but late parents and keys of
  /// groups may use what it gives.
  private func isNeededLate(
    _ scan: ScanPlan, _ key: ColumnMap<BoundExpression>, _ equal: ColumnMap<ColumnSet>,
    _ late: ColumnSet
  ) -> Bool {
    scan.filters.isEmpty && scan.columns.count > key.count
      && scan.columnIDs.allSatisfy { id in
        if let child = key[id]?.asColumn { return equal[id] == [child] && equal[child] == [id] }
        return !pinned.contains(id) && equal[id]?.isSubset(of: late) ?? true
      }
  }
}

extension JoinPlan {
  /// Whether left rows come out with their columns, and with no more than matches of theirs.
  fileprivate var keepsLeft: Bool {
    switch kind {
    case .inner, .left, .semi, .anti, .mark, .single: !isLateral
    case .right, .full: false
    }
  }
}

extension LogicalPlan {
  /// The input of a projection that computes nothing.
  fileprivate var passedThrough: LogicalPlan? {
    guard case .project(let input, let list) = self,
      list.allSatisfy({ $0.expression.asColumn == $0.column.id })
    else { return nil }
    return input
  }

  /// Whether there is more than the rows of one table.
  fileprivate var isMoreThanTable: Bool {
    if case .scan = self { return false }
    if case .filter(let input, _) = self { return input.isMoreThanTable }
    return true
  }

  /// Whether something is left of the left side of each join but inner ones without the scans that give columns of `late`.
  fileprivate func keepsLeftSides(without late: ColumnSet) -> Bool {
    if case .filter(let input, _) = self { return input.keepsLeftSides(without: late) }
    if let input = passedThrough { return input.keepsLeftSides(without: late) }
    guard case .join(let join) = self, join.keepsLeft else { return true }
    if join.kind.isInner {
      return join.left.keepsLeftSides(without: late) && join.right.keepsLeftSides(without: late)
    }
    return join.left.without(late, [:]) != nil && join.left.keepsLeftSides(without: late)
  }

  /// The plan without the scans that give columns of `late`, in whose place their children name their keys; nil if that leaves
  /// nothing.
  fileprivate func without(
    _ late: ColumnSet, _ named: ColumnMap<BoundExpression>
  ) -> LogicalPlan? {
    if case .scan(let scan) = self {
      return scan.columnIDs.isDisjoint(with: late) ? self : nil
    } else if case .filter(let input, let conditions) = self {
      return input.without(late, named)?.filtered(conditions.map { $0.replacing(named) })
    } else if let input = passedThrough {
      return input.without(late, named)
    } else if case .join(var join) = self, join.keepsLeft {
      let left = join.left.without(late, named)
      guard join.kind.isInner else {
        guard let left else { return nil }
        join.left = left
        join.conditions = join.conditions.map { $0.replacing(named) }
        return .join(join)
      }
      let right = join.right.without(late, named)
      // What parents of parents are joined by is asked for above.
      join.conditions = join.conditions.replacing(keys: named)
        .filter { $0.columns.isDisjoint(with: late) }
      guard let left, let right else { return (left ?? right)?.filtered(join.conditions) }
      join.left = left
      join.right = right
      return .join(join)
    } else {
      return self
    }
  }
}
