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
    var best: Candidate?
    var inputs = [PartialInput(aggregate)]
    if aggregate.aggregates.contains(where: { $0.call.takesWeights || $0.call.branches != nil }),
      let leaves = largestLeaf(of: aggregate.input),
      let asking = PartialInput(askingGroups: aggregate, largest: leaves)
    {
      inputs.append(asking)
    }
    for whole in inputs {
      if let found = gain(of: whole, aggregate), found.gain > best?.gain ?? 0 { best = found }
    }
    guard let best, try !isCountedByWalk(aggregate) else { return nil }
    return try planned(aggregate, over: best)
  }

  /// A part of an aggregation's input that may be grouped first.
  private struct Candidate {
    var input: PartialInput
    /// What that spares.
    var gain: Double
    /// What is guessed of its rows, and of those of the whole input.
    var rows: RelationProfile
    var wholeRows: RelationProfile
  }

  /// The part of an input that is best grouped first.
  private func gain(of whole: PartialInput, _ aggregate: AggregatePlan) -> Candidate? {
    var best: Candidate?
    var candidates = [whole]
    while let next = candidates.last?.next() { candidates.append(next) }
    let profiles = profiles(of: candidates)
    var above = profiles[0].rows
    // What joins, conditions, expressions and keys above the candidate would cost.
    let plain = codes(of: whole.keys, in: whole.input, profiles[0].rows).count
    let finalCost = keyCost(aggregate.keys.map(\.column), 0)
    let setCount = aggregate.setsOfRows
    var spared =
      above
      * (aggregate.computedCost + Double(setCount - 1)
        + keyCost(aggregate.keys.map(\.column), plain)
        + Self.conditionCost * Double(whole.asked.isEmpty ? 0 : whole.parts.count))
    let columns = aggregate.keys.compactMap(\.expression.asColumn)
    if columns.count == aggregate.keys.count {
      let groups = profiles[0].groupCount(columns)
      // Where rows are dealt out first, nothing is put together, and all of a row is moved.
      let copied = above * PlannedOperator.partitionCost * Double(columns.count)
      let merged = groups * profiles[0].groupCost(groups, by: columns)
      spared += PlannedOperator.arePartitioned(groups, of: above) ? min(copied, merged) : merged
    }
    for (current, profile) in zip(candidates, profiles) {
      // Rows that a join drops cost less than those that it hands on: most are dropped where they are read.
      if current.isBelowJoin {
        spared += 0.25 * profile.rows + 1.25 * min(above, profile.rows)
      } else if !current.isWhole {
        spared += 1.5 * profile.rows
      }
      if let own = current.cost(
        profile, sets: setCount, finalCost: finalCost,
        keyCost: {
          let codes = codes(of: $0, in: current.input, profile.rows)
          return keyCost($0, 0) - Self.textCost * Double(codes.count)
        }), spared - own > best?.gain ?? 0
      {
        best = Candidate(
          input: current, gain: spared - own, rows: profile, wholeRows: profiles[0])
      }
      above = profile.rows
    }
    return best
  }

  /// What it costs to look at more tables for an aggregate of a row, beside putting the row into a group.
  private static let conditionCost = 0.5

  /// The part of a join of many that has most rows.
  private func largestLeaf(of plan: LogicalPlan) -> LogicalPlan.Leaves? {
    let leaves = LogicalPlan.Leaves(plan)
    guard leaves.plans.count > 1 else { return nil }
    let rows = leaves.plans.map { profile($0).rows }
    return leaves.indices.max { rows[$0] < rows[$1] }.map { leaves.choosing($0) }
  }

  /// What it costs to put a row into groups by some columns, beside doing so by one whole number; `slow` of them could be read
  /// as numbers, and are not.
  private func keyCost(_ keys: [PlanColumn], _ slow: Int) -> Double {
    let texts = keys.count { $0.type.physical == .text }
    return 1 + 0.6 * Double(max(keys.count - 1, 0)) + Self.textCost * Double(texts) + 0.5
      * Double(slow)
  }

  /// What a text costs more than a number.
  private static let textCost = 6.0

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
    var (input, keys) = (partial.source, partial.keys)
    let codes = codes(of: keys, in: input, rows)
    for (place, key) in keys.enumerated() where codes[place] != nil {
      // No other column is numbered so, as each is coded in one way.
      let code = PlanColumn(ColumnID(-key.id.number), key.name, .integer)
      input = input.readingCode(code, of: key.id)
      keys[place] = code
    }
    return (input, keys, codes)
  }

  /// The codes that are used of some keys, by their places.
  private func codes(
    of keys: [PlanColumn], in input: LogicalPlan, _ rows: Double
  ) -> [Int: CodedColumn] {
    var codes: [Int: CodedColumn] = [:]
    for (place, key) in keys.enumerated() where key.type.physical == .text {
      guard let scan = input.scan(of: key.id), let column = scan.column(key.id),
        let known = statistics(scan.table.id),
        known.rowCount * Self.codedShare <= rows,
        known.rowCount * Self.tinyShare <= rows
          || known.column(column)?.distinctCount.map({ $0 * 2 <= known.rowCount }) ?? false
      else { continue }
      codes[place] = CodedColumn(table: scan.table.id, column: column)
    }
    return codes
  }

  /// How many times as many rows there must be to group as the table has of whose column codes are made.
  private static let codedShare = 3.0
  /// The same for a table that is so small that codes pay though hardly any two of its rows are equal.
  private static let tinyShare = 50.0

  private func planned(
    _ aggregate: AggregatePlan, over candidate: Candidate
  ) throws(SQLError) -> PlannedOperator {
    let (partial, groups) = (candidate.input, candidate.rows)
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
    // What an outer join above may make NULL need not be so here.
    let notNull =
      partial.calls.contains { $0.name == "count" } ? coded.input.notNullColumns : ColumnSet()
    let calls = partial.calls.map { $0.countingRows(notNull) ?? $0 }
    var node = AggregateNode(
      input: below.plan, keys: aggregate.keys,
      aggregates: zip(aggregate.aggregates, partial.parts).map { item, parts in
        guard parts.count == 1, parts[0].condition == nil, let call = parts[0].call
        else { return item }
        if !parts[0].isWeight { return AggregatePlan.Item(item.column, calls[call]) }
        // Its rows have been counted by their condition, if it has one.
        guard calls[call].filter != nil, let rest = item.call.withoutFilter else { return item }
        return AggregatePlan.Item(item.column, rest)
      }, groupingSets: aggregate.groupingSets, groupings: aggregate.groupings)
    node.partial = PartialGroups(
      id: Int(-own), keys: coded.keys, codes: coded.codes, number: number, calls: calls,
      parts: partial.parts, completion: completion.plan.readingGroups(Int(-own)))
    node.notePresent(in: coded.input)
    node.dependencies = KeyDependency.found(in: aggregate)
    let plan = LogicalPlan.aggregate(aggregate)
    var input = below
    input.profile = candidate.wholeRows
    return finish(plan, .aggregate(node), plan.outputs, [input])
  }
}

extension AggregatePlan {
  /// What computing the keys of a row costs.
  fileprivate var computedCost: Double {
    1.5 * Double(keys.count { $0.expression.asColumn == nil })
  }

  /// The number of grouping sets whose groups are made from rows rather than from those of other sets.
  fileprivate var setsOfRows: Int {
    groupingSets.map { GroupingSetGroups($0, canDerive: true).leading.count } ?? 1
  }
}

extension LogicalPlan {
  fileprivate var hasAggregate: Bool {
    if case .aggregate = self { return true }
    return containsInput(where: \.hasAggregate)
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
