import Columnar

/// Whether two expressions are the same computation; volatile calls never are to SQL, but PostgreSQL
/// compares trees, and so does this.
///
/// Subqueries are the same only as the same occurrence, which this never sees.
func isSame(_ left: BoundExpression, _ right: BoundExpression) -> Bool {
  switch (left, right) {
  case (.column(let first, _), .column(let second, _)): return first == second
  case (.constant(let first, let firstType), .constant(let second, let secondType)):
    return firstType == secondType && isSameValue(first, second)
  case (.parameter(let first, _), .parameter(let second, _)): return first == second
  case (.call(let first), .call(let second)):
    guard first.name == second.name, first.type == second.type else { return false }
  case (.cast(let first), .cast(let second)):
    guard first.target == second.target else { return false }
  case (.and, .and), (.or, .or), (.not, .not): break
  case (.comparison(let first, _, _), .comparison(let second, _, _)):
    guard first == second else { return false }
  case (.distinct(_, _, let first), .distinct(_, _, let second)):
    guard first == second else { return false }
  case (.isNull(_, let first), .isNull(_, let second)):
    guard first == second else { return false }
  case (.isBoolean(_, let value, let first), .isBoolean(_, let other, let second)):
    guard value == other, first == second else { return false }
  case (.caseWhen(_, _, let first), .caseWhen(_, _, let second)),
    (.coalesce(_, let first), .coalesce(_, let second)),
    (.array(_, let first), .array(_, let second)):
    guard first == second else { return false }
  case (.extreme(_, let greatest, let first), .extreme(_, let other, let second)):
    guard greatest == other, first == second else { return false }
  case (.inList(_, _, let first), .inList(_, _, let second)):
    guard first == second else { return false }
  case (.quantified(let first, _, _, let isAll), .quantified(let second, _, _, let other)):
    guard first == second, isAll == other else { return false }
  case (.row(_, let first), .row(_, let second)):
    guard first == second else { return false }
  case (.field(_, let first, _), .field(_, let second, _)):
    guard first == second else { return false }
  case (.shared(let first, _), .shared(let second, _)):
    guard first.count == second.count else { return false }
  case (.local(let first, _), .local(let second, _)): return first == second
  case (.session(let first, _, _), .session(let second, _, _)):
    guard first == second else { return false }
  default: return false
  }
  let leftChildren = left.children
  let rightChildren = right.children
  return leftChildren.count == rightChildren.count
    && zip(leftChildren, rightChildren).allSatisfy(isSame)
}

/// Whether two constants are the same, also in how they are written: 1.5 is not 1.50.
private func isSameValue(_ left: Value, _ right: Value) -> Bool {
  switch (left, right) {
  case (.null, .null): true
  case (.boolean(let first), .boolean(let second)): first == second
  case (.int16(let first), .int16(let second)): first == second
  case (.int32(let first), .int32(let second)): first == second
  case (.int64(let first), .int64(let second)): first == second
  case (.float(let first), .float(let second)): first.bitPattern == second.bitPattern
  case (.double(let first), .double(let second)): first.bitPattern == second.bitPattern
  case (.numeric(let first), .numeric(let second)):
    first.kind == second.kind && first.scale == second.scale
      && first.coefficient == second.coefficient
  case (.interval(let first), .interval(let second)): first == second
  case (.uuid(let first), .uuid(let second)): first == second
  case (.text(let first), .text(let second)): first == second
  case (.list(let first), .list(let second)), (.record(let first), .record(let second)):
    first.count == second.count && zip(first, second).allSatisfy(isSameValue)
  default: false
  }
}
