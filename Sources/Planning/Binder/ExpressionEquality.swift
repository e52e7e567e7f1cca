import Columnar

/// Whether two expressions are the same computation; volatile calls never are to SQL, but PostgreSQL
/// compares trees, and so does this.
///
/// Subqueries are the same only as the same occurrence, which this never sees.
package func isSame(_ left: BoundExpression, _ right: BoundExpression) -> Bool {
  guard isSameNode(left, right) else { return false }
  if left.isLeaf { return true }
  // Aggregates of a CASE for each month are compared with each other, and differ in a constant: no lists are made for that.
  if case .comparison(_, let one, let two) = left, case .comparison(_, let other, let next) = right
  {
    return isSame(one, other) && isSame(two, next)
  }
  if case .caseWhen(let branches, let otherwise, _) = left,
    case .caseWhen(let others, let last, _) = right
  {
    return branches.count == others.count && isSame(otherwise, last)
      && zip(branches, others).allSatisfy {
        isSame($0.condition, $1.condition) && isSame($0.result, $1.result)
      }
  }
  let leftChildren = left.children
  let rightChildren = right.children
  return leftChildren.count == rightChildren.count
    && zip(leftChildren, rightChildren).allSatisfy(isSame)
}

/// Whether two expressions are the same but for their operands.
private func isSameNode(_ left: BoundExpression, _ right: BoundExpression) -> Bool {
  switch left {
  case .column(let id, _): if case .column(id, _) = right { return true }
  case .constant(let value, let type):
    if case .constant(let other, type) = right { return isSameValue(value, other) }
  case .parameter(let index, _): if case .parameter(index, _) = right { return true }
  case .local(let number, _): if case .local(number, _) = right { return true }
  case .call(let call):
    if case .call(let other) = right { return call.name == other.name && call.type == other.type }
  case .cast(let cast): if case .cast(let other) = right { return cast.target == other.target }
  case .and: if case .and = right { return true }
  case .or: if case .or = right { return true }
  case .not: if case .not = right { return true }
  case .comparison(let comparison, _, _):
    if case .comparison(comparison, _, _) = right { return true }
  case .distinct(_, _, let negated): if case .distinct(_, _, negated) = right { return true }
  case .isNull(_, let negated): if case .isNull(_, negated) = right { return true }
  case .isBoolean(_, let value, let negated):
    if case .isBoolean(_, value, negated) = right { return true }
  case .caseWhen(_, _, let type): if case .caseWhen(_, _, type) = right { return true }
  case .coalesce(_, let type): if case .coalesce(_, type) = right { return true }
  case .array(_, let type): if case .array(_, type) = right { return true }
  case .extreme(_, let isGreatest, let type):
    if case .extreme(_, isGreatest, type) = right { return true }
  case .inList(_, _, let negated): if case .inList(_, _, negated) = right { return true }
  case .quantified(let comparison, _, _, let isAll):
    if case .quantified(comparison, _, _, isAll) = right { return true }
  case .row(_, let type): if case .row(_, type) = right { return true }
  case .field(_, let place, _): if case .field(_, place, _) = right { return true }
  case .decoded(_, let source, _): if case .decoded(_, source, _) = right { return true }
  case .shared(let values, _):
    if case .shared(let others, _) = right { return values.count == others.count }
  case .session(let function, _, _): if case .session(function, _, _) = right { return true }
  case .quantifiedCall, .subquery, .aggregate, .window: break
  }
  return false
}

/// Whether two constants are the same, also in how they are written: 1.5 is not 1.50.
private func isSameValue(_ left: Value, _ right: Value) -> Bool {
  switch left {
  case .null: if case .null = right { return true }
  case .boolean(let value): if case .boolean(value) = right { return true }
  case .int16(let value): if case .int16(value) = right { return true }
  case .int32(let value): if case .int32(value) = right { return true }
  case .int64(let value): if case .int64(value) = right { return true }
  case .float(let value):
    if case .float(let other) = right { return value.bitPattern == other.bitPattern }
  case .double(let value):
    if case .double(let other) = right { return value.bitPattern == other.bitPattern }
  case .numeric(let value):
    if case .numeric(let other) = right {
      return value.kind == other.kind && value.scale == other.scale
        && value.coefficient == other.coefficient
    }
  case .interval(let value): if case .interval(value) = right { return true }
  case .uuid(let value): if case .uuid(value) = right { return true }
  case .text(let value): if case .text(let other) = right { return value == other }
  case .list(let values): if case .list(let others) = right { return areSame(values, others) }
  case .record(let values): if case .record(let others) = right { return areSame(values, others) }
  }
  return false
}

private func areSame(_ left: [Value], _ right: [Value]) -> Bool {
  left.count == right.count && zip(left, right).allSatisfy(isSameValue)
}
