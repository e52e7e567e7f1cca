import Columnar

/// HAVING that asks how many matches a row of an outer join found.
///
/// Where each group has one row of the left side, `count(x) = 0` says that the row found none: the other rows go before they are
/// grouped, and the join becomes an anti-join. `count(x) > 0`, or a condition that `sum(x)` does not meet when it is NULL, says that
/// it found some: the join is an inner one.
enum GroupsOfMatches {
  /// Narrows the input of an aggregation by what is asked of its groups.
  ///
  /// Takes those of `conditions` away that conditions on the rows of the input stand for, which are returned.
  static func narrow(
    _ input: inout LogicalPlan, of aggregate: AggregatePlan, by conditions: inout [BoundExpression]
  ) -> [BoundExpression] {
    guard input.contains(where: \.addsNulls) else { return [] }
    let keys = ColumnSet(aggregate.keys.compactMap(\.expression.asColumn))
    var ofRows: [BoundExpression] = []
    var rest: [BoundExpression] = []
    for condition in conditions {
      guard let question = Question.of(condition, aggregate),
        let found = OuterMatch.of(question.argument, in: input, keys: keys)
      else {
        rest.append(condition)
        continue
      }
      if !question.asksForSome, found.isPresentInMatches, question.argument.asColumn != nil {
        ofRows.append(.isNull(question.argument, negated: false))
        continue
      }
      if question.asksForSome { input = found.inner }
      rest.append(condition)
    }
    conditions = rest
    return ofRows
  }
}

/// What a condition on groups asks of an expression: that some row of the group have a value of it, or none.
private struct Question {
  let argument: BoundExpression
  let asksForSome: Bool

  static func of(_ condition: BoundExpression, _ aggregate: AggregatePlan) -> Question? {
    if case .comparison(let comparison, let left, let right) = condition {
      if let count = left.asColumn, let bound = right.wholeNumber {
        return counted(aggregate, count, comparison, bound) ?? strict(condition, aggregate)
      }
      if let count = right.asColumn, let bound = left.wholeNumber {
        return counted(aggregate, count, comparison.commuted, bound)
          ?? strict(condition, aggregate)
      }
    }
    return strict(condition, aggregate)
  }

  /// `count(x) comparison bound`.
  private static func counted(
    _ aggregate: AggregatePlan, _ count: ColumnID, _ comparison: ComparisonOperator, _ bound: Int64
  ) -> Question? {
    guard let call = aggregate.aggregates.first(where: { $0.column.id == count })?.call,
      call.name == "count", call.arguments.count == 1
    else { return nil }
    switch (comparison, bound) {
    case (.equal, 0), (.lessOrEqual, 0), (.less, 1):
      return call.filter == nil ? Question(argument: call.arguments[0], asksForSome: false) : nil
    case (.greater, 0...), (.greaterOrEqual, 1...), (.equal, 1...), (.notEqual, 0):
      return Question(argument: call.arguments[0], asksForSome: true)
    case (.equal, _), (.notEqual, _), (.less, _), (.lessOrEqual, _), (.greater, _),
      (.greaterOrEqual, _):
      return nil
    }
  }

  /// A condition that an aggregate of no values does not meet.
  private static func strict(
    _ condition: BoundExpression, _ aggregate: AggregatePlan
  ) -> Question? {
    let asked = condition.columns
    for item in aggregate.aggregates
    where asked.contains(item.column.id) && valued.contains(item.call.name)
      && item.call.arguments.count == 1 && condition.rejects(nulls: [item.column.id])
    {
      return Question(argument: item.call.arguments[0], asksForSome: true)
    }
    return nil
  }

  /// The aggregates that are NULL where there is no value.
  private static let valued: Set = ["sum", "avg", "min", "max", "bool_and", "bool_or", "every"]
}

/// The outer join that adds the NULLs of an expression, each of whose left rows is in a group of its own.
private struct OuterMatch {
  /// Whether the expression, a column, has a value in every row that found a match.
  var isPresentInMatches: Bool
  /// The plan with that join as an inner one.
  ///
  /// Other outer joins stay: rows of theirs may be of a group in which some row has a value.
  var inner: LogicalPlan

  private func inside(_ operation: (LogicalPlan) -> LogicalPlan) -> OuterMatch {
    OuterMatch(isPresentInMatches: isPresentInMatches, inner: operation(inner))
  }

  /// nil where the expression is not one over the right side of such a join.
  static func of(
    _ argument: BoundExpression, in plan: LogicalPlan, keys: ColumnSet
  ) -> OuterMatch? {
    switch plan {
    case .filter(let input, let conditions):
      return of(argument, in: input, keys: keys)?.inside { .filter($0, conditions) }
    case .project(let input, let list):
      var meaning: ColumnMap<BoundExpression> = [:]
      for item in list { meaning[item.column.id] = item.expression }
      return of(
        argument.replacing(meaning), in: input,
        keys: ColumnSet(keys.compactMap { meaning[$0]?.asColumn }))?.inside { .project($0, list) }
    case .join(var join):
      if case .right = join.kind {
        swap(&join.left, &join.right)
        join.kind = .left
      }
      let columns = argument.columns
      if case .left = join.kind, columns.isSubset(of: join.right.outputIDs) {
        return found(join, argument, keys)
      }
      if case .full = join.kind { return nil }
      let joined = join
      if columns.isSubset(of: join.left.outputIDs) {
        return of(argument, in: join.left, keys: keys)?.inside { left in
          var result = joined
          result.left = left
          return .join(result)
        }
      }
      guard case .inner = join.kind, columns.isSubset(of: join.right.outputIDs) else { return nil }
      return of(argument, in: join.right, keys: keys)?.inside { right in
        var result = joined
        result.right = right
        return .join(result)
      }
    case .scan, .values, .projectSet, .path, .aggregate, .window, .sort, .limit, .distinct,
      .setOperation, .recursive, .workingTable, .commonReference, .withCommon, .tableFunction,
      .modify:
      return nil
    }
  }

  private static func found(
    _ join: JoinPlan, _ argument: BoundExpression, _ keys: ColumnSet
  ) -> OuterMatch? {
    guard !argument.type.hasParts, argument.isNull(whenNull: argument.columns),
      join.left.isUnique(on: keys.intersection(join.left.outputIDs))
    else { return nil }
    let rejected = LogicalPlan.rejected(
      by: join.conditions.flatMap(\.conjuncts), among: join.right.outputIDs)
    let present = join.right.notNullColumns.union(rejected)
    var inner = join
    inner.kind = .inner
    return OuterMatch(
      isPresentInMatches: argument.asColumn.map(present.contains) ?? false, inner: .join(inner))
  }
}
