/// From a = b and a < 5 follows b < 5, which is asked where rows are grouped by b: groups that no row of the other side meets are
/// never made.
///
/// Rows that are not grouped are told apart by the join itself, for less.
enum GroupTransitivity {
  /// What conditions on columns of one input say of groups of another, by equalities between both, where they do not say so
  /// yet.
  static func passed(
    _ conditions: [BoundExpression], from input: LogicalPlan, to groups: LogicalPlan
  ) -> [BoundExpression] {
    var result: [BoundExpression] = []
    for condition in conditions {
      guard case .comparison(.equal, let left, let right) = condition, left.type == right.type,
        !left.type.hasParts
      else { continue }
      for (one, two) in [(left, right), (right, left)] {
        guard let own = one.asColumn, let other = two.asColumn, groups.areMade(by: other) else {
          continue
        }
        let known = Set(groups.valueConditions(on: other).map(\.signature))
        result += input.valueConditions(on: own).map { $0.replacing([own: two]) }
          .filter { !known.contains($0.signature) }
      }
    }
    return result
  }
}

extension LogicalPlan {
  /// Whether what a column says of rows handed up may be asked of rows before they are grouped.
  fileprivate func areMade(by column: ColumnID) -> Bool {
    switch self {
    case .aggregate(let aggregate):
      aggregate.groupingSets == nil && aggregate.keys.source(of: column) != nil
    case .distinct(let input, on: nil): input.outputIDs.contains(column)
    case .window(let input, let calls):
      input.outputIDs.contains(column)
        && calls.allSatisfy { $0.call.partitionBy.contains { $0.asColumn == column } }
    case .project(let input, let list):
      list.source(of: column).map(input.areMade) ?? false
    case .filter(let input, _), .sort(let input, _): input.areMade(by: column)
    case .join(let join):
      join.kind.isInner
        && (join.left.areMade(by: column) || join.right.areMade(by: column))
    case .scan, .values, .distinct, .projectSet, .path, .limit, .setOperation, .recursive,
      .workingTable, .withCommon, .commonReference, .tableFunction, .modify:
      false
    }
  }

  /// The conditions below that hold a column against constants, as conditions on the column handed up.
  fileprivate func valueConditions(on column: ColumnID) -> [BoundExpression] {
    switch self {
    case .scan(let scan): return scan.filters.filter { $0.comparesValues(of: column) }
    case .filter(let input, let conditions):
      return conditions.filter { $0.comparesValues(of: column) }
        + input.valueConditions(on: column)
    case .project(let input, let list):
      return list.passed(column) { input.valueConditions(on: $0) }
    case .aggregate(let aggregate) where aggregate.groupingSets == nil:
      return aggregate.keys.passed(column) { aggregate.input.valueConditions(on: $0) }
    case .join(let join):
      switch join.kind {
      case .inner:
        return join.left.valueConditions(on: column) + join.right.valueConditions(on: column)
      case .left, .semi, .anti, .mark, .single: return join.left.valueConditions(on: column)
      case .right, .full: return []
      }
    case .sort(let input, _), .limit(let input, _), .distinct(let input, on: _),
      .window(let input, _), .withCommon(_, _, let input):
      return input.valueConditions(on: column)
    case .values, .projectSet, .path, .aggregate, .setOperation, .recursive, .workingTable,
      .commonReference, .tableFunction, .modify:
      return []
    }
  }
}

extension [ProjectedColumn] {
  /// The column of the input that is passed on as another; nil if that is computed.
  fileprivate func source(of column: ColumnID) -> ColumnID? {
    first { $0.column.id == column }?.expression.asColumn
  }

  /// Conditions on a column's source as ones on the column.
  fileprivate func passed(
    _ column: ColumnID, _ below: (ColumnID) -> [BoundExpression]
  ) -> [BoundExpression] {
    guard let source = source(of: column), let own = first(where: { $0.column.id == column })
    else { return [] }
    return below(source).map { $0.replacing([source: own.column.reference]) }
  }
}

extension BoundExpression {
  /// Whether the condition holds a column, and nothing else of the rows, against constants.
  fileprivate func comparesValues(of column: ColumnID) -> Bool {
    if case .comparison(_, let left, let right) = self {
      return left.asColumn == column && right.isStatementConstant
        || right.asColumn == column && left.isStatementConstant
    }
    if case .inList(let operand, let list, negated: _) = self {
      return operand.asColumn == column && list.allSatisfy(\.isStatementConstant)
    }
    return false
  }
}
