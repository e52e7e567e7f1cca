import Catalog
import Columnar

/// `EXISTS (…) OR EXISTS (…)` as one semi-join with the rows of both, where the same is looked for in either; so is `x = 7 OR x IN (…)`.
///
/// As marks, each row is looked up in both places, whether it is in one or not. Put together, rows that are fewer than those
/// that look for one can be gone out from: who takes this course or that one is found by the two lists alone.
struct MarksAsSemiJoin {
  let statistics: StatisticsSource
  let factory: ColumnFactory

  func applied(_ plan: LogicalPlan) -> LogicalPlan {
    guard plan.contains(where: { $0.mark != nil }) else { return plan }
    var uses = Uses()
    uses.count(plan)
    uses.many.formUnion(plan.outputIDs)
    return plan.changed { rewritten($0, usedOnce: uses.once.subtracting(uses.many)) } ?? plan
  }

  /// The columns that one expression of a plan uses, and those that several do.
  private struct Uses {
    var once: ColumnSet = []
    var many: ColumnSet = []

    mutating func count(_ plan: LogicalPlan) {
      for expression in plan.expressions {
        let columns = expression.columns
        many.formUnion(columns.intersection(once))
        once.formUnion(columns)
      }
      for input in plan.inputs { count(input) }
    }
  }

  /// A filter by alternatives that are marks nobody else uses.
  private func rewritten(_ plan: LogicalPlan, usedOnce: ColumnSet) -> LogicalPlan? {
    guard case .filter(let input, let conditions) = plan else { return nil }
    for (index, condition) in conditions.enumerated() {
      guard case .or(let parts) = condition else { continue }
      let marks = ColumnSet(parts.compactMap(\.asColumn))
      let values = parts.compactMap(\.namedValues)
      guard marks.count + values.count == parts.count, marks.isSubset(of: usedOnce),
        let joined = joined(input, marks, values)
      else { continue }
      var rest = conditions
      rest.remove(at: index)
      let result = joined.filtered(rest)
      // There may be other alternatives.
      return rewritten(result, usedOnce: usedOnce) ?? result
    }
    return nil
  }

  /// A semi-join in place of the joins that make these marks, which others may stand between, and of comparisons with values.
  private func joined(
    _ plan: LogicalPlan, _ marks: ColumnSet, _ values: [NamedValues]
  ) -> LogicalPlan? {
    var (places, others): ([JoinPlan], [JoinPlan]) = ([], [])
    var base = plan
    while case .join(let join) = base, let mark = base.mark, !join.isLateral {
      if marks.contains(mark) { places.append(join) } else { others.append(join) }
      base = join.left
    }
    // As they were written.
    places.reverse()
    guard places.count == marks.count, places.count + values.count > 1, !places.isEmpty,
      let searches = searches(places, base.outputIDs), pays(places, base),
      let (union, columns) = union(places, searches, values)
    else { return nil }
    let conditions = zip(searches[0], columns).map { search, column in
      BoundExpression.comparison(search.comparison, search.wanted, column.reference)
    }
    var result = LogicalPlan.join(JoinPlan(.semi, base, union, on: conditions))
    for var other in others.reversed() {
      other.left = result
      result = .join(other)
    }
    return result
  }

  /// Whether finding the rows of the places costs less than looking up in each of them what the base has.
  private func pays(_ places: [JoinPlan], _ base: LogicalPlan) -> Bool {
    let found = places.reduce(0) { $0 + rows($1.right) + reading($1.right) }
    return found < rows(base)
  }

  private func rows(_ plan: LogicalPlan) -> Double {
    RelationProfile.of(plan, statistics: statistics, commons: [:]).rows
  }

  /// What is read to find the rows of a plan that no index leads to, as so many rows to be looked up.
  private func reading(_ plan: LogicalPlan) -> Double {
    if case .scan(let scan) = plan {
      if scan.filters.contains(where: scan.isLed) { return 0 }
      return (statistics(scan.table.id)?.rowCount ?? 0) * Self.readShare
    }
    return plan.inputs.reduce(0) { $0 + reading($1) }
  }

  /// What reading a row costs beside looking one up.
  private static let readShare = 0.1

  /// What is looked for, and in what.
  private struct Search {
    let comparison: ComparisonOperator
    let wanted: BoundExpression
    let place: BoundExpression
  }

  /// The comparisons of each place, in the order of the first one's; nil where they do not look for the same.
  private func searches(_ places: [JoinPlan], _ base: ColumnSet) -> [[Search]]? {
    var result: [[Search]] = []
    for place in places {
      var own: [Search] = []
      for condition in place.conditions {
        guard let search = search(condition, base, place.right.outputIDs) else { return nil }
        own.append(search)
      }
      guard let first = result.first else {
        if own.isEmpty { return nil }
        result.append(own)
        continue
      }
      guard own.count == first.count else { return nil }
      var ordered: [Search] = []
      for search in first {
        let same = own.firstIndex {
          $0.comparison == search.comparison && $0.place.type == search.place.type
            && $0.wanted.signature == search.wanted.signature
        }
        guard let same else { return nil }
        ordered.append(own.remove(at: same))
      }
      result.append(ordered)
    }
    return result
  }

  /// A comparison of what the base has with what a place has; what is NULL is no match, as above a filter it makes no difference.
  private func search(
    _ condition: BoundExpression, _ base: ColumnSet, _ place: ColumnSet
  ) -> Search? {
    if case .isBoolean(let operand, true, negated: false) = condition {
      return search(operand, base, place)
    }
    guard case .comparison(let comparison, let left, let right) = condition,
      !condition.isVolatile
    else { return nil }
    func isOf(_ expression: BoundExpression, _ side: ColumnSet) -> Bool {
      let columns = expression.columns
      return !columns.isEmpty && columns.isSubset(of: side)
    }
    if isOf(left, base) && isOf(right, place) {
      return Search(comparison: comparison, wanted: left, place: right)
    }
    if isOf(right, base) && isOf(left, place) {
      return Search(comparison: comparison.commuted, wanted: right, place: left)
    }
    return nil
  }

  /// What is looked in, all places one after another, and the values; nil where these are compared with something else.
  private func union(
    _ places: [JoinPlan], _ searches: [[Search]], _ values: [NamedValues]
  ) -> (LogicalPlan, [PlanColumn])? {
    var parts: [(LogicalPlan, [PlanColumn])] = []
    for (place, own) in zip(places, searches) {
      let columns = own.map { factory.make("key", $0.place.type) }
      let projected = zip(columns, own).map { ProjectedColumn($0, $1.place) }
      parts.append((.project(place.right, projected), columns))
    }
    for list in values {
      guard let search = searches.first?.first, searches[0].count == 1,
        search.comparison == .equal, search.wanted.signature == list.operand.signature,
        list.values.allSatisfy({ $0.type == search.place.type })
      else { return nil }
      let column = factory.make("key", search.place.type)
      parts.append((.values(rows: list.values.map { [$0] }, columns: [column]), [column]))
    }
    guard let first = parts.first else { return nil }
    return parts.dropFirst().reduce(first) { before, part in
      let all = part.1.map { factory.make($0.name, $0.type) }
      return (
        .setOperation(SetOperationPlan(.union, isAll: true, before.0, part.0, columns: all)), all
      )
    }
  }
}

/// Values one of which something must equal.
struct NamedValues {
  let operand: BoundExpression
  let values: [BoundExpression]
}

extension BoundExpression {
  /// The values of an equality with what is the same for all rows, or of a list of such.
  var namedValues: NamedValues? {
    func isNamed(_ value: BoundExpression) -> Bool { value.columns.isEmpty && !value.isVolatile }
    if case .comparison(.equal, let left, let right) = self {
      if isNamed(right), !isNamed(left) { return NamedValues(operand: left, values: [right]) }
      return isNamed(left) && !isNamed(right) ? NamedValues(operand: right, values: [left]) : nil
    }
    guard case .inList(let operand, let list, negated: false) = self, !operand.columns.isEmpty,
      list.allSatisfy(isNamed)
    else { return nil }
    return NamedValues(operand: operand, values: list)
  }
}

extension LogicalPlan {
  /// The column of a mark join.
  fileprivate var mark: ColumnID? {
    if case .join(let join) = self, case .mark(let column) = join.kind { return column.id }
    return nil
  }
}
