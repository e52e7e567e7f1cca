import Columnar
import Planning

/// A column of a join's kept side by whose order partners are found: conditions hold it against values of the other side.
///
/// Rows of which each is closer than seven days to another are two searches for each row rather than a comparison with every other.
struct RangeKey {
  let column: PlanColumn
  /// The conditions that leave a range of the column.
  private(set) var conditions: [BoundExpression]

  /// nil where no condition does.
  ///
  /// Of several columns the first one that is held from both sides, or the first one.
  init?(_ conditions: [BoundExpression], probe: [PlanColumn], build: [PlanColumn]) {
    let (ofProbe, ofBuild) = (ColumnSet(probe.map(\.id)), ColumnSet(build.map(\.id)))
    var found: [(column: ColumnID, bounds: [(isUpper: Bool, condition: BoundExpression)])] = []
    for condition in conditions {
      guard case .comparison(var comparison, var value, var own) = condition,
        comparison != .equal, comparison != .notEqual, value.isRepeatable, own.isRepeatable
      else { continue }
      if own.shiftedColumn.map(ofBuild.contains) != true {
        (value, own) = (own, value)
        comparison = comparison.commuted
      }
      guard let column = own.shiftedColumn, ofBuild.contains(column), !value.columns.isEmpty,
        value.columns.isSubset(of: ofProbe), value.type.physical == own.type.physical,
        own.type.physical.isComparedAsNumber
      else { continue }
      let bound = (comparison == .greater || comparison == .greaterOrEqual, condition)
      if let place = found.firstIndex(where: { $0.column == column }) {
        found[place].bounds.append(bound)
      } else {
        found.append((column, [bound]))
      }
    }
    let best =
      found.first { $0.bounds.contains { $0.isUpper } && $0.bounds.contains { !$0.isUpper } }
      ?? found.first
    guard let best, let column = build.first(where: { $0.id == best.column }) else { return nil }
    self.column = column
    self.conditions = best.bounds.map(\.condition)
  }
}

extension BoundExpression {
  /// The column that the expression is, or that a known value is added to or taken from: it rises with the column.
  fileprivate var shiftedColumn: ColumnID? {
    if let column = asColumn { return column }
    guard case .call(let call) = self, call.isOperator, call.arguments.count == 2,
      call.volatility == .immutable
    else { return nil }
    let (left, right) = (call.arguments[0], call.arguments[1])
    if call.name == "+" && left.isKnown { return right.asColumn }
    return ["+", "-"].contains(call.name) && right.isKnown ? left.asColumn : nil
  }
}

extension HashJoin {
  /// By what partners are found among the rows of a key; nil for nothing.
  var rangeKey: RangeKey? {
    isRanged ? RangeKey(residual, probe: probe.outputs, build: build.outputs) : nil
  }

  /// Has the rows of a key stand in the order of a range key where they are many.
  mutating func keepRange(rowsPerKey: Double) {
    isRanged = rowsPerKey >= Self.rangedMin
    if rangeKey == nil { isRanged = false }
  }

  /// Fewer rows of a key are compared one by one in the time of a search.
  private static let rangedMin = 32.0
}

extension NestedLoopJoin {
  /// By what partners are found rather than by comparing each with each; nil for nothing.
  ///
  /// Where a mark may be NULL all pairs have to be looked at.
  var rangeKey: RangeKey? {
    if case .mark = kind { return nil }
    return RangeKey(conditions, probe: left.outputs, build: right.outputs)
  }
}
