import Catalog
import Columnar
import Diagnostics
import Planning

/// Groups part of the input first, by the columns that the rest of it asks for, and does the rest for groups rather than for rows.
///
/// `SELECT d.title, avg(t.grade) FROM takes t JOIN course c … JOIN department d … GROUP BY d.title` would join millions of rows and
/// look up a text for each; here they are grouped by `course_id`, and some thousand groups are joined and put together by title.
/// Grouping sets share the groups of the finest set in the same way, and an expression over a column with few different values is
/// computed for those alone. States of aggregates are put together, not values, so every aggregate may be among them that does not
/// show the order of its rows. (Yan and Larson, "Eager Aggregation and Lazy Aggregation", VLDB 1995.)
extension PhysicalPlanner {
  /// The aggregation over groups made first; nil where that does not pay.
  func groupedFirst(_ aggregate: AggregatePlan) throws(SQLError) -> PlannedOperator? {
    guard !aggregate.keys.isEmpty || aggregate.input.hasJoin,
      aggregate.keys.allSatisfy({ $0.expression.isRepeatable }),
      aggregate.aggregates.allSatisfy({ $0.call.canBePutTogether })
    else { return nil }
    var best: PartialInput?
    var gain = 0.0
    let whole = PartialInput(aggregate)
    var candidates = [whole]
    while let next = candidates.last?.next() { candidates.append(next) }
    let profiles = profiles(of: candidates)
    var above = profiles[0].rows
    // What joins, conditions, expressions and keys above the candidate would cost.
    let plain = codedKeys(whole, profiles[0].rows).codes.count
    var spared =
      above * (aggregate.computedCost + keyCost(aggregate.keys.map(\.column), plain))
    for (current, profile) in zip(candidates, profiles) {
      // Rows that a join drops cost less than those that it hands on: most are dropped where they are read.
      if current.isBelowJoin {
        spared += 0.25 * profile.rows + 1.25 * min(above, profile.rows)
      } else if !current.isWhole {
        spared += 1.5 * profile.rows
      }
      if let own = current.cost(
        profile, sets: aggregate.groupingSets?.count ?? 1,
        keyCost: {
          keyCost(current.keys, 0) - 1.5 * Double(codedKeys(current, profile.rows).codes.count)
        }), spared - own > gain
      {
        best = current
        gain = spared - own
      }
      above = profile.rows
    }
    guard let best, try !isCountedByWalk(aggregate) else { return nil }
    return try planned(aggregate, over: best)
  }

  /// What it costs to put a row into groups by some columns, beside doing so by one whole number; `slow` of them could be read
  /// as numbers, and are not.
  private func keyCost(_ keys: [PlanColumn], _ slow: Int) -> Double {
    let texts = keys.count { $0.type.physical == .text }
    return 1 + 0.6 * Double(max(keys.count - 1, 0)) + 1.5 * Double(texts) + 0.5 * Double(slow)
  }

  /// Whether the rows of the groups are edges of a set of rows, which are counted without being enumerated.
  private func isCountedByWalk(_ aggregate: AggregatePlan) throws(SQLError) -> Bool {
    // The input is planned for this alone, which must not happen anew at each of many levels.
    guard rules.contains(.indexAccess), aggregate.groupingSets == nil,
      aggregate.aggregates.allSatisfy({ $0.call.isPlainCount }),
      !aggregate.input.hasAggregate
    else { return false }
    let input = try planned(aggregate.input)
    guard case .aggregate(let node) = withWalks(finish(aggregate, input).plan.pruned).node else {
      return true
    }
    // A walk knows how many rows it has.
    guard case .walk = node.input.node else { return false }
    return node.keys.isEmpty
  }

  /// The profiles of inputs each of which is an input of the one before, from the last.
  private func profiles(of candidates: [PartialInput]) -> [RelationProfile] {
    var found: [RelationProfile] = []
    for place in candidates.indices.reversed() {
      let plan = candidates[place].input
      guard let known = found.last else {
        found.append(profile(plan))
        continue
      }
      let inputs = plan.inputs.enumerated().map { index, input in
        index == candidates[place + 1].branch ? known : profile(input)
      }
      found.append(
        RelationProfile.of(plan, inputs: inputs, commons: commons, statistics: statistics))
    }
    return found.reversed()
  }

  func profile(_ plan: LogicalPlan) -> RelationProfile {
    RelationProfile.of(plan, statistics: statistics, commons: commons)
  }

  /// The input with codes in place of those keys that are columns of much smaller tables and slow to compare.
  ///
  /// Making the codes takes as long as grouping that table by the column, once for each of its versions.
  private func codedKeys(
    _ partial: PartialInput, _ rows: Double
  ) -> (input: LogicalPlan, keys: [PlanColumn], codes: [Int: CodedColumn]) {
    var (input, keys) = (partial.input, partial.keys)
    var codes: [Int: CodedColumn] = [:]
    for (place, key) in keys.enumerated() where key.type.physical == .text {
      guard let scan = input.scan(of: key.id), let column = scan.column(key.id),
        let known = statistics(scan.table.id),
        known.rowCount * Self.codedShare <= rows,
        known.rowCount * Self.tinyShare <= rows
          || known.column(column)?.distinctCount.map({ $0 * 2 <= known.rowCount }) ?? false
      else { continue }
      // No other column is numbered so, as each is coded in one way.
      let code = PlanColumn(ColumnID(-key.id.number), key.name, .integer)
      input = input.readingCode(code, of: key.id)
      keys[place] = code
      codes[place] = CodedColumn(table: scan.table.id, column: column)
    }
    return (input, keys, codes)
  }

  /// How many times as many rows there must be to group as the table has of whose column codes are made.
  private static let codedShare = 3.0
  /// The same for a table that is so small that codes pay though hardly any two of its rows are equal.
  private static let tinyShare = 50.0

  private func planned(
    _ aggregate: AggregatePlan, over partial: PartialInput
  ) throws(SQLError) -> PlannedOperator {
    let groups = profile(partial.input)
    let coded = codedKeys(partial, groups.rows)
    let below = try planned(coded.input)
    // No other column of the statement is numbered so, as no other operator gives the aggregation's first column.
    let own = LogicalPlan.aggregate(aggregate).outputs[0].id.number
    let number = PlanColumn(ColumnID(-own), "group", .integer)
    var inner = self
    inner.commons[Int(-own)] = groups.scaled(to: groups.groupCount(partial.keys.map(\.id)))
      .shared(as: partial.keys + [number])
    let completion = try inner.planned(
      partial.completed(
        .commonReference(id: Int(-own), columns: partial.keys + [number]), number))
    var node = AggregateNode(
      input: below.plan, keys: aggregate.keys,
      aggregates: zip(aggregate.aggregates, partial.calls).map {
        AggregatePlan.Item($0.column, $1)
      }, groupingSets: aggregate.groupingSets, groupings: aggregate.groupings)
    node.partial = PartialGroups(
      id: Int(-own), keys: coded.keys, codes: coded.codes, number: number,
      completion: completion.plan.readingGroups(Int(-own)))
    let plan = LogicalPlan.aggregate(aggregate)
    var input = below
    input.profile = profile(aggregate.input)
    return finish(plan, .aggregate(node), plan.outputs, [input])
  }
}

/// A part of an aggregation's input that has all that its aggregates read, and each of whose rows comes out of the rest at most once.
private struct PartialInput {
  private(set) var input: LogicalPlan
  /// The aggregates over the columns of `input`.
  private(set) var calls: [AggregateCall]
  /// What the operators above and the keys read.
  private var used: Set<ColumnID>
  /// The operators above, from the top; each as what makes it over another input, with the number of the group.
  private var operators: [(LogicalPlan, PlanColumn) -> LogicalPlan] = []
  /// Whether some operator above may drop rows, for which an aggregate that fails must then not be computed.
  private var dropsRows = false
  /// Which input of the lowest operator above this is.
  private(set) var branch = 0
  /// Whether the lowest operator above is a join.
  private(set) var isBelowJoin = false

  var isWhole: Bool { operators.isEmpty }

  init(_ aggregate: AggregatePlan) {
    input = aggregate.input
    calls = aggregate.aggregates.map(\.call)
    used = aggregate.keys.map(\.expression).columns
  }

  /// The columns by which rows are grouped.
  var keys: [PlanColumn] { input.outputs.filter { used.contains($0.id) } }

  /// The operators above over another input.
  func completed(_ groups: LogicalPlan, _ number: PlanColumn) -> LogicalPlan {
    operators.reversed().reduce(groups) { below, make in make(below, number) }
  }

  /// Below so many rows there is little to gain.
  private static let rowMin = 10_000.0
  /// What a group costs that is made first, beside a row that is put into one.
  private static let groupCost = 6.0
  /// What a value of DISTINCT costs that a group made first hands on.
  private static let distinctCost = 4.0

  /// The price of grouping first, in rows that are put into groups; nil where it cannot be done or has nothing to gain.
  func cost(_ profile: RelationProfile, sets: Int, keyCost: () -> Double) -> Double? {
    let keys = keys.map(\.id)
    guard profile.rows >= Self.rowMin, !keys.isEmpty,
      !dropsRows || calls.allSatisfy({ $0.cannotFail { input.digits(of: $0) } })
    else { return nil }
    let groups = profile.groupCount(keys)
    guard groups * 4 <= profile.rows else { return nil }
    return profile.rows * keyCost() + groups * Self.groupCost * Double(sets + operators.count)
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
      var meaning: [ColumnID: BoundExpression] = [:]
      for item in list { meaning[item.column.id] = item.expression }
      guard list.allSatisfy({ $0.expression.isRepeatable }) else { return nil }
      result.calls = calls.map { $0.replacing(meaning) }
      guard result.calls.allSatisfy(\.canBePutTogether) else { return nil }
      let kept = list.filter { used.contains($0.column.id) }
      result.input = below
      result.used = kept.map(\.expression).columns
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
    let needed = calls.reduce(into: Set<ColumnID>()) { found, call in
      found.formUnion(BoundExpression.aggregate(call).columns)
    }
    let isOfLeft = needed.isSubset(of: join.left.outputIDs)
    let isOfRight = needed.isSubset(of: join.right.outputIDs)
    let matchesOneRight = join.right.isUniqueMatch(
      on: join.equatedColumns(of: join.right, with: join.left))
    let matchesOneLeft = join.left.isUniqueMatch(
      on: join.equatedColumns(of: join.left, with: join.right))
    let goesLeft: Bool
    switch join.kind {
    case .inner:
      goesLeft = isOfLeft && matchesOneRight
      guard goesLeft || isOfRight && matchesOneLeft else { return nil }
    case .left:
      goesLeft = isOfLeft
      // A left row without a match is a group of its own, in which nothing is counted.
      guard
        isOfLeft
          ? matchesOneRight
          : isOfRight && matchesOneLeft && calls.allSatisfy({ $0.passesOverNulls(of: needed) })
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
    result.dropsRows = true
    result.isBelowJoin = true
    result.operators.append { below, _ in
      var above = join
      if goesLeft { above.left = below } else { above.right = below }
      return .join(above)
    }
    return result
  }
}

extension AggregatePlan {
  /// What computing the keys of a row costs, and putting it into the groups of more sets than one.
  fileprivate var computedCost: Double {
    let computed = keys.count { $0.expression.asColumn == nil }
    return Double(groupingSets?.count ?? 1) - 1 + 1.5 * Double(computed)
  }
}

extension AggregateCall {
  /// Whether results are the same when groups of the rows are aggregated first, in any order.
  fileprivate var canBePutTogether: Bool {
    BoundExpression.aggregate(self).isRepeatable && !isOrderSensitive && orderBy.isEmpty
  }

  /// Whether no row can make the aggregate fail, if columns have no more digits than `digits` says.
  fileprivate func cannotFail(digits: (ColumnID) -> DigitBounds?) -> Bool {
    let isExact =
      switch name {
      case "count", "min", "max": true
      default:
        arguments.allSatisfy { $0.type.physical != .float && $0.type.physical != .double }
      }
    return isExact
      && (arguments + [filter].compactMap { $0 }).allSatisfy {
        $0.cannotFail || DigitBounds.of($0, columns: digits) != nil
      }
  }

  /// Whether a row in which these columns are NULL makes no difference.
  fileprivate func passesOverNulls(of columns: Set<ColumnID>) -> Bool {
    isStrict && arguments.contains { $0.isNull(whenNull: columns) }
  }

  fileprivate func replacing(_ meaning: [ColumnID: BoundExpression]) -> AggregateCall {
    guard case .aggregate(let call) = BoundExpression.aggregate(self).replacing(meaning) else {
      return self
    }
    return call
  }
}

extension BoundExpression {
  /// Whether computing it more or less often makes no difference.
  fileprivate var isRepeatable: Bool { !isVolatile && !callsSession && !containsSubquery }
}

extension LogicalPlan {
  fileprivate var hasAggregate: Bool {
    if case .aggregate = self { return true }
    return inputs.contains(where: \.hasAggregate)
  }

  fileprivate var hasJoin: Bool {
    if case .join = self { return true }
    return inputs.count == 1 && inputs[0].hasJoin
  }
}

extension PhysicalPlan {
  /// The plan with the groups made first in place of the rows that stood for them.
  fileprivate func readingGroups(_ id: Int) -> PhysicalPlan {
    var result = self
    if case .commonReference(id) = node {
      result.node = .partialGroups(id: id)
    } else {
      result.node = node.mappingInputs { $0.readingGroups(id) }
    }
    return result
  }
}

extension LogicalPlan {
  /// The digits of a column of a table that is declared with them.
  fileprivate func digits(of column: ColumnID) -> DigitBounds? {
    guard let scan = scan(of: column), let index = scan.column(column),
      case .numeric(let precision, let scale) = scan.table.columns[index].columnType.modifier,
      scale >= 0
    else { return nil }
    return DigitBounds(whole: Int(max(precision - scale, 1)), scale: Int(scale))
  }

  /// The scan that gives one of the plan's columns, through joins and conditions alone.
  fileprivate func scan(of column: ColumnID) -> ScanPlan? {
    if case .scan(let scan) = self { return scan.column(column) == nil ? nil : scan }
    if case .filter(let input, _) = self { return input.scan(of: column) }
    guard case .join(let join) = self, !join.isLateral else { return nil }
    return join.left.scan(of: column) ?? join.right.scan(of: column)
  }

  /// The plan with the code of a column beside it, where `scan(of:)` finds that column.
  fileprivate func readingCode(_ code: PlanColumn, of column: ColumnID) -> LogicalPlan {
    guard case .scan(var scan) = self else {
      return mapInputs { $0.readingCode(code, of: column) }
    }
    guard let index = scan.column(column),
      !scan.columns.contains(where: { $0.column.id == code.id })
    else { return self }
    scan.columns.append(ScanPlan.Column(code, index: ScanPlan.codeIndex(of: index)))
    return .scan(scan)
  }
}

extension ScanPlan {
  /// The index in the table of a stored column that the scan gives.
  fileprivate func column(_ id: ColumnID) -> Int? {
    columns.first { $0.column.id == id && $0.index >= 0 }?.index
  }
}
