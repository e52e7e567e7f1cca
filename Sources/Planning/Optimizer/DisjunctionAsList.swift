import Columnar

/// `x = 1 OR x = 2 OR x IN (3, 4)` as `x IN (1, 2, 3, 4)`, for which there are indices and one
/// pass.
enum DisjunctionAsList {
  /// The parts of a disjunction with equalities of one expression to constants and parameters brought together.
  static func merged(_ parts: [BoundExpression]) -> [BoundExpression] {
    if parts.count(where: { equated($0) != nil }) < 2 { return parts }
    // Values are added in place, so that a disjunction of *n* parts takes O(*n*).
    var places: [String: Int] = [:]
    var lists: [(operand: BoundExpression, values: [BoundExpression], place: Int)] = []
    var result: [BoundExpression?] = []
    for part in parts {
      guard let (operand, values) = equated(part) else {
        result.append(part)
        continue
      }
      let signature = operand.signature
      if let known = places[signature] {
        lists[known].values += values
      } else {
        places[signature] = lists.count
        lists.append((operand, values, result.count))
        result.append(nil)
      }
    }
    for list in lists {
      result[list.place] =
        list.values.count == 1
        ? .comparison(.equal, list.operand, list.values[0])
        : .inList(list.operand, list.values, negated: false)
    }
    return result.compactMap { $0 }
  }

  private static func equated(
    _ part: BoundExpression
  ) -> (operand: BoundExpression, values: [BoundExpression])? {
    if case .comparison(.equal, let left, let right) = part {
      let (operand, value) = left.isKnown ? (right, left) : (left, right)
      guard
        value.isKnown && !operand.isKnown && operand.type == value.type
          && !operand.isVolatile && !operand.type.hasParts
      else { return nil }
      return (operand, [value])
    }
    if case .inList(let operand, let values, negated: false) = part,
      values.allSatisfy(\.isKnown) && !operand.isVolatile
    {
      return (operand, values)
    }
    return nil
  }
}
