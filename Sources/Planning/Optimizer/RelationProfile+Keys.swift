extension BoundExpression {
  /// The column that the condition holds equal to a constant or to one of a list of constants.
  var columnWithValues: ColumnID? {
    switch self {
    case .comparison(.equal, let left, let right): right.asConstant == nil ? nil : left.asColumn
    case .inList(let operand, let list, negated: false):
      list.allSatisfy { $0.asConstant != nil } ? operand.asColumn : nil
    default: nil
    }
  }
}
