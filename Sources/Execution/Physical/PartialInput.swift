import Catalog
import Columnar
import Planning

/// A part of an aggregation's input that has all that its aggregates read, and each of whose rows comes out of the rest at most once.
struct PartialInput {
  private(set) var input: LogicalPlan
  /// The aggregates of which groups have states, over the columns of `input`.
  private(set) var calls: [AggregateCall]
  /// What each aggregate asked for is put together of; conditions are over the columns of the whole input.
  let parts: [[PartialGroups.Part]]
  /// The columns of the whole input that aggregates look at for each group.
  let asked: ColumnSet
  /// What the operators above and the keys read.
  private var used: ColumnSet
  /// The operators above, from the top; each as what makes it over another input, with the number of the group.
  private var operators: [(LogicalPlan, PlanColumn) -> LogicalPlan] = []
  /// Whether some operator above may drop other rows than those of which a foreign key is NULL.
  private var dropsRows = false
  /// That these foreign keys have a parent, which is asked for by operators above.
  private var parents: [BoundExpression] = []
  /// Which input of the lowest operator above this is.
  private(set) var branch = 0
  /// Whether the lowest operator above is a join.
  private(set) var isBelowJoin = false

  var isWhole: Bool { operators.isEmpty }

  init(_ aggregate: AggregatePlan) {
    input = aggregate.input
    calls = aggregate.aggregates.map(\.call)
    parts = calls.indices.map { [PartialGroups.Part(call: $0)] }
    asked = ColumnSet()
    used = aggregate.keys.map(\.expression).columns
  }

  /// The same for aggregates that read more than one of the tables joined; nil if nothing is spared.
  ///
  /// What the largest of the tables has is put into groups, and conditions and arguments of the others are looked at for each
  /// group rather than for each row.
  init?(askingGroups aggregate: AggregatePlan, largest: LogicalPlan.Leaves) {
    input = aggregate.input
    var calls: [AggregateCall] = []
    var places: [String: Int] = [:]
    func place(_ call: AggregateCall) -> Int {
      let signature = BoundExpression.aggregate(call).signature
      if let known = places[signature] { return known }
      places[signature] = calls.count
      calls.append(call)
      return calls.count - 1
    }
    var parts: [[PartialGroups.Part]] = []
    var asked = ColumnSet()
    for call in aggregate.aggregates.map(\.call) {
      let columns = BoundExpression.aggregate(call).columns
      if largest.holds(columns) {
        parts.append([PartialGroups.Part(call: calls.count)])
        calls.append(call)
      } else if let branches = call.branches,
        branches.allSatisfy({ branch in
          branch.call.map { largest.holds(BoundExpression.aggregate($0).columns) } ?? true
        })
      {
        asked.formUnion(branches.compactMap(\.condition).columns)
        parts.append(
          branches.map { PartialGroups.Part(condition: $0.condition, call: $0.call.map(place)) })
      } else if call.takesWeights, largest.holdsNone(of: columns) {
        asked.formUnion(columns)
        parts.append([PartialGroups.Part(call: place(.rowCount), isWeight: true)])
      } else if let (rest, count) = call.weighed, largest.holds(count.columns),
        largest.holdsNone(of: rest.columns)
      {
        asked.formUnion(rest.columns)
        parts.append([PartialGroups.Part(call: place(count), isWeight: true)])
      } else {
        return nil
      }
    }
    if asked.isEmpty { return nil }
    self.calls = calls
    self.parts = parts
    self.asked = asked
    used = aggregate.keys.map(\.expression).columns.union(asked)
  }

  /// The rows that are grouped: where an aggregate may fail, without those that operators above drop.
  var source: LogicalPlan { cannotFail ? input : input.filtered(parents) }

  private var cannotFail: Bool { calls.allSatisfy { $0.cannotFail { input.digits(of: $0) } } }

  /// The columns by which rows are grouped.
  var keys: [PlanColumn] { input.outputs.filter { used.contains($0.id) } }

  /// The operators above over another input.
  func completed(_ groups: LogicalPlan, _ number: PlanColumn) -> LogicalPlan {
    operators.reversed().reduce(groups) { below, make in make(below, number) }
  }

  /// Below so many rows there is little to gain.
  private static let rowMin = 10_000.0
  /// Groups of fewer rows than this are taken for too many, whatever they save.
  private static let groupRows = 2.0
  /// What handing a group on to a grouping set or an operator above costs.
  private static let handingCost = 6.0
  /// What a value of DISTINCT costs that a group made first hands on.
  private static let distinctCost = 4.0

  /// The price of grouping first, in rows that are put into groups; nil where it cannot be done or has nothing to gain.
  ///
  /// `finalCost` is what it costs to put a group into one of those asked for.
  func cost(
    _ profile: RelationProfile, sets: Int, finalCost: Double, keyCost: ([PlanColumn]) -> Double
  ) -> Double? {
    if profile.rows < Self.rowMin { return nil }
    let keys = keys
    guard !keys.isEmpty, (!dropsRows && asked.isEmpty) || cannotFail else { return nil }
    let groups = profile.groupCount(keys.map(\.id))
    guard groups * Self.groupRows <= profile.rows else { return nil }
    return profile.rows * keyCost(keys)
      + groups
      * (profile.groupCost(groups, by: keys.map(\.id))
        + Self.handingCost * Double(sets + operators.count) + finalCost)
      + distinctValues(profile) * Self.distinctCost
  }

  /// The values that groups made first keep for DISTINCT: none is spared where they are as many as rows.
  private func distinctValues(_ profile: RelationProfile) -> Double {
    calls.reduce(0) { total, call in
      guard call.isDistinct else { return total }
      let columns = call.arguments.columns.union(keys.map(\.id))
      return total + min(profile.rows, profile.groupCount(Array(columns)))
    }
  }

  /// The same below the topmost operator of the input; nil if rows would be lost or doubled.
  func next() -> PartialInput? {
    var result = self
    result.isBelowJoin = false
    result.branch = 0
    if case .filter(let below, let conditions) = input {
      guard conditions.allSatisfy(\.isRepeatable) else { return nil }
      result.input = below
      result.used.formUnion(conditions.columns)
      result.dropsRows = true
      result.operators.append { below, _ in .filter(below, conditions) }
    } else if case .project(let below, let list) = input {
      var meaning: ColumnMap<BoundExpression> = [:]
      for item in list { meaning[item.column.id] = item.expression }
      guard list.allSatisfy({ $0.expression.isRepeatable }) else { return nil }
      result.calls = calls.map { $0.replacing(meaning) }
      guard result.calls.allSatisfy(\.canBePutTogether) else { return nil }
      let kept = list.filter { used.contains($0.column.id) }
      result.input = below
      result.used = kept.map(\.expression).columns
      result.parents = parents.map { $0.replacing(meaning) }
      result.operators.append { below, number in
        .project(below, kept + [ProjectedColumn(number, number.reference)])
      }
    } else if case .join(let join) = input {
      return next(join)
    } else {
      return nil
    }
    return result
  }

  private func next(_ join: JoinPlan) -> PartialInput? {
    guard !join.isLateral, join.conditions.allSatisfy(\.isRepeatable) else { return nil }
    let needed = calls.reduce(into: ColumnSet()) { found, call in
      found.formUnion(call.columns)
    }
    let isOfLeft = needed.isSubset(of: join.left.outputIDs)
    let isOfRight = needed.isSubset(of: join.right.outputIDs)
    // What tells rows of many joins apart takes a while to find out.
    func matchesOneRight() -> Bool {
      join.right.isUniqueMatch(on: join.equatedColumns(of: join.right, with: join.left))
    }
    func matchesOneLeft() -> Bool {
      join.left.isUniqueMatch(on: join.equatedColumns(of: join.left, with: join.right))
    }
    let goesLeft: Bool
    switch join.kind {
    case .inner:
      goesLeft = isOfLeft && matchesOneRight()
      guard goesLeft || isOfRight && matchesOneLeft() else { return nil }
    case .left:
      goesLeft = isOfLeft
      // A left row without a match is a group of its own, in which nothing is counted.
      guard
        isOfLeft
          ? matchesOneRight()
          : isOfRight && matchesOneLeft() && calls.allSatisfy({ $0.passesOverNulls(of: needed) })
      else { return nil }
    case .semi, .anti, .mark, .single:
      goesLeft = true
      guard isOfLeft else { return nil }
    case .right, .full: return nil
    }
    var result = self
    result.input = goesLeft ? join.left : join.right
    result.branch = goesLeft ? 0 : 1
    result.used.formUnion(join.conditions.columns)
    result.isBelowJoin = true
    let own = result.input.outputIDs
    switch join.kind {
    case .inner:
      if let keys = join.foreignKeys(of: result.input, to: goesLeft ? join.right : join.left) {
        let present = result.input.notNullColumns
        result.parents += keys.filter { !$0.columns.isSubset(of: present) }
          .map { .isNull($0, negated: true) }
      } else {
        result.dropsRows = true
      }
    case .left where goesLeft: break
    case .mark, .single: break
    case .left, .semi, .anti, .right, .full: result.dropsRows = true
    }
    // What the other side asks of its own rows is not known of these.
    if !result.parents.allSatisfy({ $0.columns.isSubset(of: own) }) { result.dropsRows = true }
    result.parents.removeAll { !$0.columns.isSubset(of: own) }
    result.operators.append { below, _ in
      var above = join
      if goesLeft { above.left = below } else { above.right = below }
      return .join(above)
    }
    return result
  }
}

extension RelationProfile {
  /// What making a group costs beside putting rows into it, in rows that are put into groups: each worker makes it, and then they
  /// are put together.
  ///
  /// Groups that come in about the order of the rows stand near each other wherever they are kept.
  func groupCost(_ groups: Double, by keys: [ColumnID]) -> Double {
    let span = keys.map { columns[$0]?.stored?.span ?? 1 }.min() ?? 1
    return Self.nearCost + Self.farCost * min(1, groups * span / Self.cachedGroups)
  }

  /// Where all groups are in a cache, and what is added where they are not.
  private static let (nearCost, farCost) = (20.0, 80.0)
  /// So many groups are in a cache, with their states.
  private static let cachedGroups = 16_384.0
}

extension AggregateCall {
  /// Whether results are the same when groups of the rows are aggregated first, in any order.
  var canBePutTogether: Bool {
    BoundExpression.aggregate(self).isRepeatable && !isOrderSensitive && orderBy.isEmpty
  }

  /// Whether a row in which these columns are NULL makes no difference.
  fileprivate func passesOverNulls(of columns: ColumnSet) -> Bool {
    isStrict && arguments.contains { $0.isNull(whenNull: columns) }
  }

  fileprivate func replacing(_ meaning: ColumnMap<BoundExpression>) -> AggregateCall {
    guard case .aggregate(let call) = BoundExpression.aggregate(self).replacing(meaning) else {
      return self
    }
    return call
  }
}

extension BoundExpression {
  /// Whether computing it more or less often makes no difference.
  var isRepeatable: Bool { !isVolatile && !callsSession && !containsSubquery }
}

extension JoinPlan {
  /// The columns of one side by which each of its rows finds a row of the other, unless one of them is NULL; nil if some row may
  /// find none.
  fileprivate func foreignKeys(
    of children: LogicalPlan, to others: LogicalPlan
  ) -> [BoundExpression]? {
    guard let (parent, places) = others.wholeTable else { return nil }
    var columns: [(own: ColumnID, theirs: Int)] = []
    for condition in conditions {
      guard case .comparison(.equal, let left, let right) = condition, left.type == right.type,
        left.type.isInteger, let one = left.asColumn, let two = right.asColumn
      else { return nil }
      if let theirs = places[two] {
        columns.append((one, theirs))
      } else if let theirs = places[one] {
        columns.append((two, theirs))
      } else {
        return nil
      }
    }
    guard let first = columns.first, let child = children.scan(of: first.own) else { return nil }
    let owns = columns.map { child.column($0.own) }
    let isKept = child.table.foreignKeys.contains { key in
      key.parent == parent.id && key.alwaysHasParent && key.columns.count == columns.count
        && zip(key.columns, key.parentColumns).allSatisfy { own, theirs in
          zip(owns, columns).contains { $0 == own && $1.theirs == theirs }
        }
    }
    return isKept ? columns.map { .column($0.own, parent.columns[$0.theirs].type) } : nil
  }
}

extension LogicalPlan {
  /// The table of which the plan gives all rows, and the places in it of columns that are handed up; nil if there is none.
  fileprivate var wholeTable: (table: TableDefinition, places: ColumnMap<Int>)? {
    if case .scan(let scan) = self, scan.filters.isEmpty {
      var places: ColumnMap<Int> = [:]
      for column in scan.columns where column.index >= 0 { places[column.column.id] = column.index }
      return (scan.table, places)
    }
    guard case .project(let input, let list) = self, let (table, below) = input.wholeTable else {
      return nil
    }
    var places: ColumnMap<Int> = [:]
    for item in list { places[item.column.id] = item.expression.asColumn.flatMap { below[$0] } }
    return (table, places)
  }

  /// The digits of a column of a table that is declared with them.
  fileprivate func digits(of column: ColumnID) -> DigitBounds? {
    guard let scan = scan(of: column), let index = scan.column(column),
      case .numeric(let precision, let scale) = scan.table.columns[index].columnType.modifier,
      scale >= 0
    else { return nil }
    return DigitBounds(whole: Int(max(precision - scale, 1)), scale: Int(scale))
  }

  /// The scan that gives one of the plan's columns, through joins and conditions alone.
  func scan(of column: ColumnID) -> ScanPlan? {
    if case .scan(let scan) = self { return scan.column(column) == nil ? nil : scan }
    if case .filter(let input, _) = self { return input.scan(of: column) }
    guard case .join(let join) = self, !join.isLateral else { return nil }
    return join.left.scan(of: column) ?? join.right.scan(of: column)
  }
}

extension ScanPlan {
  /// The index in the table of a stored column that the scan gives.
  func column(_ id: ColumnID) -> Int? {
    columns.first { $0.column.id == id && $0.index >= 0 }?.index
  }
}
