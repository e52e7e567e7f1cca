import Catalog
import Columnar

/// Aggregates over the same rows, asked for in several places of a statement, computed in one pass.
///
/// `SELECT (SELECT count(*) FROM t WHERE x < 20), (SELECT avg(a) FROM t WHERE x < 20), …` reads the same rows for each value.
/// Aggregations with the same keys, or none, over inputs that differ in nothing but the names of columns become one aggregation,
/// a common table expression, and each place reads its columns of it. A join above may ask for few groups, and would tell the
/// scans so; but rows are then read once for each place.
struct AggregateSharing {
  let factory: ColumnFactory
  let commons: CommonNumbers

  /// Aggregations over the same rows.
  private struct Family {
    /// Its number among families, in the order of the plan.
    var number: Int
    var aggregate: AggregatePlan
    var memberCount = 0
    /// The number of the common table expression.
    var id = 0
  }

  func applied(_ plan: LogicalPlan) -> LogicalPlan {
    // Only of aggregations over the same tables it is worth knowing more.
    var counts: [[ObjectID]: Int] = [:]
    plan.countAggregations(&counts)
    counts = counts.filter { $0.value > 1 }
    if counts.isEmpty { return plan }
    var found: [String: Family] = [:]
    collect(plan, counts, &found)
    var families: [String: Family] = [:]
    for (signature, family) in found.sorted(by: { $0.value.number < $1.value.number })
    where family.memberCount > 1 {
      families[signature] = family
      families[signature]?.id = commons.next()
    }
    if families.isEmpty || RunningStatement.isInterrupted { return plan }
    let body = replaced(plan, families)
    return families.values.sorted { $0.id > $1.id }.reduce(body) { body, family in
      .withCommon(id: family.id, definition: .aggregate(family.aggregate), body: body)
    }
  }

  /// Gathers the aggregations of each family in one that has the aggregates of all.
  private func collect(
    _ plan: LogicalPlan, _ counts: [[ObjectID]: Int], _ families: inout [String: Family]
  ) {
    if let tables = plan.tablesAggregated, counts[tables] != nil,
      let member = SharedAggregation(plan)
    {
      var family =
        families[member.signature]
        ?? Family(number: families.count, aggregate: renamed(member.emptied))
      let meaning = member.meaning(over: &family.aggregate.input, factory)
      for item in member.aggregate.aggregates {
        let call = item.call.replacing(columns: meaning)
        let isKnown = family.aggregate.aggregates.contains { $0.call.isSame(as: call) }
        if isKnown { continue }
        family.aggregate.aggregates.append(
          AggregatePlan.Item(factory.make(item.column.name, item.column.type), call))
      }
      family.memberCount += 1
      families[member.signature] = family
      return
    }
    // A recursion may run its step many times, or never.
    if case .recursive = plan { return }
    plan.forEachInput { collect($0, counts, &families) }
  }

  /// The aggregation with keys of its own, as each place hands on the names of its keys.
  private func renamed(_ aggregate: AggregatePlan) -> AggregatePlan {
    var result = aggregate
    result.keys = aggregate.keys.map {
      ProjectedColumn(factory.make($0.column.name, $0.column.type), $0.expression)
    }
    return result
  }

  private func replaced(_ plan: LogicalPlan, _ families: [String: Family]) -> LogicalPlan {
    if let member = SharedAggregation(plan), let family = families[member.signature] {
      var input = family.aggregate.input
      let meaning = member.meaning(over: &input, factory)
      let made = LogicalPlan.aggregate(family.aggregate).outputs
      let columns = made.map { factory.make($0.name, $0.type) }
      let keyCount = member.aggregate.keys.count
      var own: [ProjectedColumn] = []
      for (key, column) in zip(member.aggregate.keys, columns) {
        own.append(ProjectedColumn(key.column, column.reference))
      }
      for item in member.aggregate.aggregates {
        let call = item.call.replacing(columns: meaning)
        guard
          let place = family.aggregate.aggregates.firstIndex(where: { $0.call.isSame(as: call) })
        else { return plan }
        own.append(ProjectedColumn(item.column, columns[keyCount + place].reference))
      }
      return .project(.commonReference(id: family.id, columns: columns), own)
    }
    if case .recursive = plan { return plan }
    return plan.mapInputs { replaced($0, families) }
  }
}

extension LogicalPlan {
  /// Counts the aggregations over tables, by the tables.
  fileprivate func countAggregations(_ counts: inout [[ObjectID]: Int]) {
    if let tables = tablesAggregated { counts[tables, default: 0] += 1 }
    forEachInput { $0.countAggregations(&counts) }
  }

  /// The tables of which rows are aggregated, in their order; nil if there is more than joins and conditions between.
  fileprivate var tablesAggregated: [ObjectID]? {
    guard case .aggregate(let aggregate) = self else { return nil }
    var tables: [ObjectID] = []
    return aggregate.input.collectTables(&tables) ? tables : nil
  }

  private func collectTables(_ tables: inout [ObjectID]) -> Bool {
    switch self {
    case .scan(let scan):
      tables.append(scan.table.id)
      return true
    case .filter(let input, _), .project(let input, _): return input.collectTables(&tables)
    case .join(let join):
      return join.left.collectTables(&tables) && join.right.collectTables(&tables)
    case .values, .projectSet, .path, .aggregate, .window, .sort, .limit, .distinct,
      .setOperation, .recursive, .workingTable, .withCommon, .commonReference, .tableFunction,
      .modify:
      return false
    }
  }
}

/// An aggregation over rows of tables that depend on nothing else.
private struct SharedAggregation {
  let aggregate: AggregatePlan
  /// What inputs of the same rows have in common.
  private(set) var signature = ""
  private var scans: [ScanPlan] = []
  private var hasConditions = false
  /// Columns by the number of their scan and their index in its table.
  private var places: ColumnMap<BoundExpression> = [:]

  init?(_ plan: LogicalPlan) {
    guard case .aggregate(let aggregate) = plan, aggregate.groupingSets == nil,
      aggregate.groupings.isEmpty,
      aggregate.aggregates.allSatisfy(\.call.canBeShared)
    else { return nil }
    self.aggregate = aggregate
    // What all rows of one table come to may be known without reading them.
    guard describe(aggregate.input), hasConditions else { return nil }
    // What comes from outside has no place.
    let used = aggregate.aggregates.reduce(into: ColumnSet()) { found, item in
      found.formUnion(item.call.columns)
    }
    guard used.allSatisfy({ places[$0] != nil }) else { return nil }
    for key in aggregate.keys {
      guard let id = key.expression.asColumn, let place = places[id] else { return nil }
      signature += "by " + place.signature
    }
  }

  /// The aggregation without aggregates.
  var emptied: AggregatePlan {
    var result = aggregate
    result.aggregates = []
    return result
  }

  /// Says false for what is more than scans, conditions and inner joins.
  private mutating func describe(_ plan: LogicalPlan) -> Bool {
    switch plan {
    case .scan(let scan):
      let number = scans.count
      scans.append(scan)
      for column in scan.columns {
        places[column.column.id] = .column(Self.place(number, column.index), column.column.type)
      }
      signature += "scan \(scan.table.id.number) "
      return describe(scan.filters)
    case .filter(let input, let conditions):
      guard describe(input) else { return false }
      signature += "filter "
      return describe(conditions)
    case .join(let join):
      guard case .inner = join.kind, !join.isLateral, describe(join.left), describe(join.right)
      else { return false }
      signature += "join "
      return describe(join.conditions)
    case .project(let input, let columns):
      // Columns that are passed on.
      guard columns.allSatisfy({ $0.expression.asColumn == $0.column.id }) else { return false }
      return describe(input)
    case .values, .projectSet, .path, .aggregate, .window, .sort, .limit, .distinct,
      .setOperation, .recursive, .workingTable, .withCommon, .commonReference, .tableFunction,
      .modify:
      return false
    }
  }

  private mutating func describe(_ conditions: [BoundExpression]) -> Bool {
    for condition in conditions {
      guard !condition.isVolatile, !condition.containsSubquery,
        condition.columns.allSatisfy({ places[$0] != nil })
      else { return false }
      hasConditions = true
    }
    signature += conditions.map { $0.replacing(places).signature }.sorted().joined(separator: ";")
    return true
  }

  /// The place of a column, as an identity that no column has.
  private static func place(_ scan: Int, _ index: Int) -> ColumnID {
    ColumnID(Int32(truncatingIfNeeded: -((scan + 1) << 20) + index))
  }

  /// The columns of `input`, which has the same rows, by those of this one; columns that it does not read are added to it.
  func meaning(
    over input: inout LogicalPlan, _ factory: ColumnFactory
  ) -> ColumnMap<BoundExpression> {
    var meaning: ColumnMap<BoundExpression> = [:]
    var rest = scans[...]
    input = extended(input, &rest, &meaning, factory)
    return meaning
  }

  private func extended(
    _ plan: LogicalPlan, _ rest: inout ArraySlice<ScanPlan>,
    _ meaning: inout ColumnMap<BoundExpression>, _ factory: ColumnFactory
  ) -> LogicalPlan {
    switch plan {
    case .scan(var scan):
      guard let own = rest.popFirst() else { return plan }
      for column in own.columns {
        if let known = scan.columns.first(where: { $0.index == column.index }) {
          meaning[column.column.id] = known.column.reference
        } else {
          let added = factory.make(column.column.name, column.column.type)
          scan.columns.append(ScanPlan.Column(added, index: column.index))
          meaning[column.column.id] = added.reference
        }
      }
      return .scan(scan)
    // All columns are handed on.
    case .project(let input, _): return extended(input, &rest, &meaning, factory)
    case .filter, .join: return plan.mapInputs { extended($0, &rest, &meaning, factory) }
    case .values, .projectSet, .path, .aggregate, .window, .sort, .limit, .distinct,
      .setOperation, .recursive, .workingTable, .withCommon, .commonReference, .tableFunction,
      .modify:
      return plan
    }
  }
}

extension AggregateCall {
  /// Whether it makes no difference that it is computed where nobody asks for it.
  fileprivate var canBeShared: Bool {
    let own = BoundExpression.aggregate(self)
    return !own.isVolatile && !own.containsSubquery && !isOrderSensitive && orderBy.isEmpty
      && arguments.allSatisfy { $0.type.physical != .float && $0.type.physical != .double }
      && (arguments + [filter].compactMap { $0 }).allSatisfy(\.cannotFail)
  }

  fileprivate func replacing(columns: ColumnMap<BoundExpression>) -> AggregateCall {
    guard case .aggregate(let call) = BoundExpression.aggregate(self).replacing(columns) else {
      return self
    }
    return call
  }

  fileprivate func isSame(as other: AggregateCall) -> Bool {
    BoundExpression.aggregate(self).signature == BoundExpression.aggregate(other).signature
  }
}
