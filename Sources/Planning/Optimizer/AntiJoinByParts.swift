import Columnar

/// An anti-join whose condition no hash table serves as one anti-join after another, each with a condition that one
/// does.
///
/// No match under `a OR b` is no match under `a` and none under `b`. What NOT IN asks for is such an alternative:
/// `(x = y) IS NOT FALSE` is `x = y OR x IS NULL OR y IS NULL`. A join does one of these by itself, as long as all else
/// is equalities (see `HashJoin.Key`); this is for what remains: rows of several columns that may be NULL, and NOT IN
/// with further conditions that are none. The right side is computed once.
struct AntiJoinByParts {
  let factory: ColumnFactory
  let commons: CommonNumbers
  /// More anti-joins than this are not made of one.
  private static let partLimit = 9

  func applied(_ plan: LogicalPlan) -> LogicalPlan {
    plan.changed { plan in
      guard case .join(let join) = plan, case .anti = join.kind, !join.isLateral,
        !join.right.isVolatile, !join.conditions.contains(where: \.isVolatile)
      else { return nil }
      return parts(of: join)
    } ?? plan
  }

  private func parts(of join: JoinPlan) -> LogicalPlan? {
    let (left, right) = (join.left.outputIDs, join.right.outputIDs)
    let notNull = join.left.notNullColumns.union(join.right.notNullColumns)
    func isKey(_ condition: BoundExpression) -> Bool { condition.isEquality(of: left, right) }
    let hasKey = join.conditions.contains(where: isKey)
    var aware = 0
    var splits = false
    let alternatives = join.conditions.map { condition -> [[BoundExpression]] in
      if let equality = condition.possibleEquality, isKey(equality) {
        aware += 1
        return equality.alternatives(notNull)
      }
      if case .or(let list) = condition, !hasKey,
        list.allSatisfy({ part in
          part.conjuncts.contains { isKey($0) || !$0.isAcross(left, right) }
        })
      {
        splits = true
        return list.map(\.conjuncts)
      }
      return [[condition]]
    }
    let others = join.conditions.count { $0.possibleEquality == nil && !isKey($0) }
    // One key that may be NULL beside equalities is a hash join as it is.
    guard splits || aware > 1 || (aware == 1 && others > 0) else { return nil }
    var parts: [[BoundExpression]] = [[]]
    for alternative in alternatives {
      parts = parts.flatMap { part in alternative.map { part + $0 } }
      if parts.count > Self.partLimit { return nil }
    }
    return chain(join, parts)
  }

  private func chain(_ join: JoinPlan, _ parts: [[BoundExpression]]) -> LogicalPlan {
    let id = commons.next()
    var result = join.left
    for part in parts {
      let columns = join.right.outputs.map { factory.make($0.name, $0.type) }
      var renamed: ColumnMap<BoundExpression> = [:]
      for (old, new) in zip(join.right.outputs, columns) { renamed[old.id] = new.reference }
      let conditions = part.map { $0.replacing(renamed) }
      // What speaks of the right side alone is asked of it before the join.
      let own = ColumnSet(columns.map(\.id))
      let ofRight = conditions.filter { !$0.columns.isEmpty && $0.usesOnly(own) }
      let rest = guarded(
        conditions.filter { $0.columns.isEmpty || !$0.usesOnly(own) },
        join.left.outputIDs)
      let right = LogicalPlan.commonReference(id: id, columns: columns).filtered(ofRight)
      result = .join(JoinPlan(.anti, result, right, on: rest))
    }
    return .withCommon(id: id, definition: join.right, body: result)
  }

  /// Conditions on the left side become part of a key, which is NULL and so equal to nothing where they are not met:
  /// else each match of the key would be tried with them.
  private func guarded(
    _ conditions: [BoundExpression], _ left: ColumnSet
  ) -> [BoundExpression] {
    var rest = conditions
    let isOnLeft = { (condition: BoundExpression) in
      !condition.columns.isEmpty && condition.usesOnly(left)
    }
    let ofLeft = conditions.filter(isOnLeft)
    let place = rest.firstIndex { condition in
      if case .comparison(.equal, let one, let two) = condition {
        return isOnLeft(one) && !two.columns.isEmpty && !two.uses(left)
      }
      return false
    }
    guard !ofLeft.isEmpty, let place, case .comparison(_, let one, let two) = rest[place] else {
      return conditions
    }
    let value = BoundExpression.caseWhen(
      [BoundBranch(condition: .conjunction(ofLeft), result: one)],
      otherwise: .constant(.null, one.type), one.type)
    rest[place] = .comparison(.equal, value, two)
    return rest.filter { !isOnLeft($0) }
  }
}

extension BoundExpression {
  /// `x = y`, where the expression is `(x = y) IS NOT FALSE`.
  package var possibleEquality: BoundExpression? {
    if case .isBoolean(let operand, false, negated: true) = self,
      case .comparison(.equal, let left, _) = operand, !left.type.hasParts
    {
      return operand
    }
    return nil
  }

  /// The ways in which an equality may come out as not false.
  fileprivate func alternatives(_ notNull: ColumnSet) -> [[BoundExpression]] {
    guard case .comparison(_, let left, let right) = self else { return [[self]] }
    return [[self]]
      + [left, right].filter { !$0.isNeverNull(notNull) }.map { [.isNull($0, negated: false)] }
  }

  /// Whether this holds something of one side equal to something of the other.
  fileprivate func isEquality(of left: ColumnSet, _ right: ColumnSet) -> Bool {
    let (one, two): (BoundExpression, BoundExpression)
    if case .comparison(.equal, let first, let second) = self, !first.type.hasParts {
      (one, two) = (first, second)
    } else if case .distinct(let first, let second, negated: true) = self {
      (one, two) = (first, second)
    } else {
      return false
    }
    let (first, second) = (one.columns, two.columns)
    if first.isEmpty || second.isEmpty { return false }
    return first.isSubset(of: left) && second.isSubset(of: right)
      || first.isSubset(of: right) && second.isSubset(of: left)
  }

  fileprivate func isAcross(_ left: ColumnSet, _ right: ColumnSet) -> Bool {
    let own = columns
    return !own.isDisjoint(with: left) && !own.isDisjoint(with: right)
  }
}
