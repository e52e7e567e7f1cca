import Columnar

extension FilterPushDown {
  /// A join with conditions above it: each goes to the side it speaks of, into the join's
  /// condition, or stays.
  func pushed(_ plan: JoinPlan, _ conditions: [BoundExpression]) -> LogicalPlan {
    var join = plan
    join.conditions = plan.conditions.flatMap(\.conjuncts)
    if case .right = join.kind { swap(&join.left, &join.right); join.kind = .left }
    var above = conditions
    if rules.contains(.outerJoinAsInner) {
      OuterJoinAsInner.narrow(&join, by: above)
      narrowInputs(&join, by: above)
    }
    if rules.contains(.outerJoinAsAnti),
      let anti = OuterJoinAsAnti.rewritten(join, &above)
    {
      return push(above, into: anti)
    }
    let (left, right) = (join.left.outputIDs, join.right.outputIDs)
    switch join.kind {
    case .inner: return inner(join, above, left, right)
    case .left, .single: return leftOuter(join, above, left, right)
    case .semi, .anti: return matching(join, above, left, right)
    case .mark(let mark): return marking(join, above, left, mark)
    case .full, .right:
      join.left = push([], into: join.left)
      join.right = push([], into: join.right)
      return LogicalPlan.join(join).filtered(above)
    }
  }

  /// Narrows outer joins below by what the join itself, or a condition above it, asks of its rows.
  private func narrowInputs(_ join: inout JoinPlan, by above: [BoundExpression]) {
    guard mayAddNulls,
      join.left.contains(where: \.addsNulls) || join.right.contains(where: \.addsNulls)
    else { return }
    // A condition that speaks of one side is pushed into it, and narrows what it meets on its way.
    let (left, right) = (join.left.outputIDs, join.right.outputIDs)
    func ofBoth(_ conditions: [BoundExpression]) -> [BoundExpression] {
      conditions.filter {
        !$0.isVolatile && $0.uses(left) && $0.uses(right)
      }
    }
    let own = ofBoth(join.conditions)
    switch join.kind {
    case .inner:
      let all = ofBoth(above) + own
      join.left = OuterJoinAsInner.narrowed(join.left, by: all)
      join.right = OuterJoinAsInner.narrowed(join.right, by: all)
    case .semi:
      join.left = OuterJoinAsInner.narrowed(join.left, by: own)
      join.right = OuterJoinAsInner.narrowed(join.right, by: own)
    case .left, .anti: join.right = OuterJoinAsInner.narrowed(join.right, by: own)
    case .right, .full, .mark, .single: break
    }
  }

  private func inner(
    _ plan: JoinPlan, _ conditions: [BoundExpression], _ left: ColumnSet,
    _ right: ColumnSet
  ) -> LogicalPlan {
    var join = plan
    var all = (conditions + join.conditions).withoutRepetition
    var fixed: ColumnMap<BoundExpression> = [:]
    if rules.contains(.transitivity) {
      let known = EqualityTransitivity.constants(join.left).merging(
        EqualityTransitivity.constants(join.right)
      ) { first, _ in first }
      all = EqualityTransitivity.closed(all, known: known)
      fixed = known.filter { $0.value.type.equalsOnlyItself }
    }
    if all.contains(where: \.isNeverTrue) {
      return .values(rows: [], columns: LogicalPlan.join(join).outputs)
    }
    var (toLeft, toRight, own, volatile):
      (
        [BoundExpression], [BoundExpression], [BoundExpression], [BoundExpression]
      ) = ([], [], [], [])
    for condition in all {
      let condition = oneSided(condition, left, right, fixed) ?? condition
      if condition.isVolatile {
        volatile.append(condition)
      } else if !condition.uses(right) {
        toLeft.append(condition)
      } else if !condition.uses(left) && !join.isLateral {
        toRight.append(condition)
      } else {
        own.append(condition)
        toLeft += ImpliedDisjunction.derived(condition, left)
        if !join.isLateral { toRight += ImpliedDisjunction.derived(condition, right) }
      }
    }
    if rules.contains(.transitivity) {
      toLeft += GroupTransitivity.passed(own, from: join.right, to: join.left)
      if !join.isLateral {
        toRight += GroupTransitivity.passed(own, from: join.left, to: join.right)
      }
    }
    join.left = push(toLeft, into: join.left)
    join.right = push(toRight, into: join.right)
    join.conditions = own
    return LogicalPlan.join(join).filtered(volatile)
  }

  /// A condition over both sides with constants for the columns of one, where these are known; nil for any other.
  private func oneSided(
    _ condition: BoundExpression, _ left: ColumnSet, _ right: ColumnSet,
    _ fixed: ColumnMap<BoundExpression>
  ) -> BoundExpression? {
    guard !fixed.isEmpty, condition.uses(left), condition.uses(right) else { return nil }
    let columns = condition.columns
    for side in [left, right] {
      let own = columns.intersection(side)
      if own.allSatisfy({ fixed[$0] != nil }) { return condition.replacing(fixed) }
    }
    return nil
  }

  /// Left and single joins: the left's conditions pass, those on the right stay above.
  private func leftOuter(
    _ plan: JoinPlan, _ conditions: [BoundExpression], _ left: ColumnSet,
    _ right: ColumnSet
  ) -> LogicalPlan {
    var join = plan
    let toLeft = conditions.filter { !$0.uses(right) }
    let above = conditions.filter { $0.uses(right) }
    join.left = push(toLeft, into: join.left)
    pushRightOnly(&join, left)
    return LogicalPlan.join(join).filtered(above)
  }

  /// Semi- and anti-joins: all conditions above speak of the left.
  private func matching(
    _ plan: JoinPlan, _ conditions: [BoundExpression], _ left: ColumnSet,
    _ right: ColumnSet
  ) -> LogicalPlan {
    var join = plan
    var toLeft = conditions
    if case .semi = join.kind, !join.isLateral {
      let onLeft = join.conditions.filter {
        !$0.uses(right) && !$0.isVolatile
      }
      // A condition without columns says something of the right side too: whether it is asked at
      // all.
      toLeft += onLeft
      join.conditions.removeAll { !$0.uses(right) && !$0.isVolatile }
      if rules.contains(.transitivity) {
        let known = EqualityTransitivity.constants(join.right)
        toLeft += EqualityTransitivity.passed(join.conditions, known: known, to: left)
      }
    }
    join.left = push(toLeft, into: join.left)
    pushRightOnly(&join, left)
    // Conditions that have gone down may rule out the NULLs that NOT IN was to reckon with.
    if join.conditions.contains(where: { $0.possibleEquality != nil }) {
      let notNull = join.left.notNullColumns.union(join.right.notNullColumns)
      join.conditions = join.conditions.map { $0.possibleEquality?.orUnknown(notNull) ?? $0 }
    }
    return .join(join)
  }

  private func marking(
    _ plan: JoinPlan, _ conditions: [BoundExpression], _ left: ColumnSet, _ mark: PlanColumn
  ) -> LogicalPlan {
    var join = plan
    let toLeft = conditions.filter { !$0.columns.contains(mark.id) }
    let above = conditions.filter { $0.columns.contains(mark.id) }
    join.left = push(toLeft, into: join.left)
    // A condition whose NULL is no match may be asked before the join; any other decides between
    // false and NULL.
    var toRight: [BoundExpression] = []
    if !join.isLateral {
      for condition in join.conditions {
        if case .isBoolean(let operand, true, negated: false) = condition,
          !condition.columns.isEmpty, !condition.uses(left),
          !condition.isVolatile
        {
          toRight.append(operand)
        }
      }
      join.conditions.removeAll { condition in
        if case .isBoolean(_, true, negated: false) = condition {
          return !condition.columns.isEmpty && !condition.uses(left)
            && !condition.isVolatile
        }
        return false
      }
      if rules.contains(.transitivity) {
        let known = EqualityTransitivity.constants(join.left)
        let guards = join.conditions.compactMap { condition in
          if case .isBoolean(let operand, true, negated: false) = condition { return operand }
          return nil as BoundExpression?
        }
        toRight += EqualityTransitivity.passed(guards, known: known, to: join.right.outputIDs)
      }
    }
    join.right = push(toRight, into: join.right)
    return LogicalPlan.join(join).filtered(above)
  }

  /// Moves conditions of the join that speak of the right side only into it, with what the left's
  /// constants say of it.
  private func pushRightOnly(_ join: inout JoinPlan, _ left: ColumnSet) {
    var toRight: [BoundExpression] = []
    if !join.isLateral {
      let right = join.right.outputIDs
      toRight = join.conditions.filter {
        !$0.columns.isEmpty && !$0.uses(left) && !$0.isVolatile
          && $0.uses(right)
      }
      join.conditions.removeAll {
        !$0.columns.isEmpty && !$0.uses(left) && !$0.isVolatile
          && $0.uses(right)
      }
      if rules.contains(.transitivity) {
        let known = EqualityTransitivity.constants(join.left)
        toRight += EqualityTransitivity.passed(join.conditions, known: known, to: right)
        toRight += GroupTransitivity.passed(join.conditions, from: join.left, to: join.right)
      }
      for condition in join.conditions {
        toRight += ImpliedDisjunction.derived(condition, right)
      }
    }
    join.right = push(toRight, into: join.right)
  }
}

extension LogicalPlan {
  /// Whether this is a join that adds NULLs to rows without a match.
  var addsNulls: Bool {
    guard case .join(let join) = self else { return false }
    switch join.kind {
    case .left, .right, .full: return true
    case .inner, .semi, .anti, .mark, .single: return false
    }
  }
}

/// What a disjunction over two tables says of one of them.
///
/// `(a.x = 1 AND b.y = 2) OR (a.x = 3 AND b.y = 4)` lets only rows of `a` through with `x = 1 OR x
/// = 3`.
enum ImpliedDisjunction {
  static func derived(_ condition: BoundExpression, _ side: ColumnSet) -> [BoundExpression] {
    guard case .or(let list) = condition, !condition.isVolatile else { return [] }
    var parts: [BoundExpression] = []
    for part in list {
      // What has no columns may still rule a part out.
      let own = part.conjuncts.filter { $0.usesOnly(side) }
      if own.allSatisfy(\.columns.isEmpty) { return [] }
      parts.append(.conjunction(own))
    }
    let merged = DisjunctionAsList.merged(parts)
    return merged.count == 1 ? merged : [.or(merged)]
  }
}
