import Columnar

extension RelationProfile {
  /// The share of rows for which a condition is true, 0 to 1.
  ///
  /// The constants for what nothing is known of are those that PostgreSQL uses.
  package func selectivity(of condition: BoundExpression) -> Double {
    switch condition {
    case .constant(.boolean(let value), _): return value ? 1 : 0
    case .constant: return 0
    case .column: return 0.5
    case .and(let list): return list.reduce(1) { $0 * selectivity(of: $1) }
    case .or(let list): return 1 - list.reduce(1) { $0 * (1 - selectivity(of: $1)) }
    case .not(let operand): return max(0, 1 - selectivity(of: operand))
    case .comparison(let comparison, let left, let right):
      return selectivity(comparison, left, right)
    case .distinct(let left, let right, let negated):
      let equal = selectivity(.equal, left, right)
      return negated ? equal : 1 - equal
    case .isNull(let operand, let negated):
      let share = operand.asColumn.flatMap { columns[$0]?.nullFraction } ?? 0.01
      return negated ? 1 - share : share
    case .isBoolean(let operand, let value, let negated):
      let isTrue = selectivity(of: operand)
      return value != negated ? isTrue : 1 - isTrue
    case .inList(let operand, let list, let negated):
      let share = equality(of: operand, withAnyOf: list.map(\.asConstant))
      return negated ? 1 - share : share
    case .quantified(.equal, let operand, let array, isAll: false):
      guard case .constant(.list(let values), _) = array else {
        return min(1, 10 * equality(with: operand))
      }
      return equality(of: operand, withAnyOf: values)
    case .call(let call) where call.name.hasPrefix("~~"): return 0.05
    case .call(let call) where call.name.hasPrefix("!~"): return 0.95
    case .parameter, .call, .cast, .caseWhen, .coalesce, .extreme, .quantified, .quantifiedCall,
      .array, .row, .field, .shared, .decoded, .local, .session, .subquery, .aggregate, .window:
      return 1.0 / 3
    }
  }

  /// The share of rows for which an expression equals some one value.
  private func equality(with operand: BoundExpression) -> Double {
    guard let column = operand.asColumn, columns[column] != nil else {
      return operand.asColumn == nil ? 0.005 : 1 / distinctCount(operand.asColumn ?? ColumnID(0))
    }
    let share = 1 - (columns[column]?.nullFraction ?? 0)
    return share / distinctCount(column)
  }

  /// The share of rows for which an expression equals a value, which an index may know.
  private func equality(of operand: BoundExpression, with value: Value?) -> Double {
    indexedShare(operand, value) ?? equality(with: operand)
  }

  /// The share of rows for which an expression equals one of some values, nil where they are not known.
  private func equality(of operand: BoundExpression, withAnyOf values: [Value?]) -> Double {
    let average = equality(with: operand)
    if values.count > Self.askedValues { return min(1, Double(values.count) * average) }
    return min(1, values.reduce(0) { $0 + (indexedShare(operand, $1) ?? average) })
  }

  /// Of longer lists of values none is asked for: their rows together are about as many as on average.
  private static let askedValues = 8

  /// The share of a table's rows that have a value in a column, where an index tells.
  private func indexedShare(_ operand: BoundExpression, _ value: Value?) -> Double? {
    guard let value, let column = operand.asColumn else { return nil }
    return columns[column]?.stored?.share(of: value)
  }

  /// Whether an index tells for how many rows of the table a condition is true.
  func isIndexed(_ condition: BoundExpression) -> Bool {
    switch condition {
    case .comparison(.equal, let left, let right):
      indexedShare(left, right.asConstant) != nil
    case .inList(let operand, let list, negated: false):
      list.count <= Self.askedValues
        && list.allSatisfy { indexedShare(operand, $0.asConstant) != nil }
    case .comparison, .inList, .constant, .column, .and, .or, .not, .distinct, .isNull, .isBoolean,
      .quantified, .parameter, .call, .cast, .caseWhen, .coalesce, .extreme, .quantifiedCall,
      .array, .row, .field, .shared, .decoded, .local, .session, .subquery, .aggregate, .window:
      false
    }
  }

  /// The share of pairs in which two columns are equal.
  ///
  /// A calendar has days of two hundred years, and the sales that are joined with it have five. Days outside of these are as
  /// good as not there, and conditions on days are taken as ones on the others: who asks for sales of a year asks for one
  /// that there is.
  private func equality(_ first: ColumnID, _ second: ColumnID) -> Double {
    if let one = columns[first]?.range, let two = columns[second]?.range, one.overlaps(two) {
      let common = one.clamped(to: two).width
      if common < Self.nearlyAll * max(one.width, two.width) {
        func count(_ column: ColumnID, _ range: ClosedRange<Double>) -> Double {
          (columns[column]?.rangeCount ?? distinctCount(column)) * common / range.width
        }
        return 1 / max(count(first, one), count(second, two), 1)
      }
    }
    // Of a key all values of the table count: others name rows that a filter may have dropped.
    func count(_ id: ColumnID) -> Double {
      guard let column = columns[id], column.isKey else { return distinctCount(id) }
      return max(column.rangeCount ?? 1, 1)
    }
    return Self.commonSkew((self, first), (self, second)) / max(count(first), count(second))
  }

  /// How many times as many pairs are equal as there would be if all values were as frequent: those of one column that are
  /// frequent on one side are so on the other.
  package static func commonSkew(
    _ one: (side: RelationProfile, column: ColumnID),
    _ two: (side: RelationProfile, column: ColumnID)
  ) -> Double {
    guard let first = one.side.columns[one.column], let second = two.side.columns[two.column],
      !first.isKey, !second.isKey
    else { return 1 }
    if let own = first.stored, let other = second.stored {
      return own.isSame(as: other) ? max(1, own.skew) : 1
    }
    for (drawn, own, all) in [(first.drawn, one, second), (second.drawn, two, first)] {
      guard let drawn, let other = all.stored, drawn.column.isSame(as: other) else { continue }
      let (values, allValues) = (own.side.distinctCount(own.column), all.distinctCount)
      // The rows that they were taken from are some of theirs.
      let least = drawn.rows / max(other.rowCount / allValues, 1)
      return max(least, drawnSkew(values, of: allValues, drawn.column.skew))
    }
    return 1
  }

  /// How many times as many rows have one of some values as would have as many values of any kind, if the values are those of some
  /// rows of the table: frequent ones are found first, and all of them have all rows.
  private static func drawnSkew(_ values: Double, of all: Double, _ skew: Double) -> Double {
    all > values ? max(1, skew / (1 + values / all * skew)) : 1
  }

  /// The part of a range that is taken for the whole of it.
  private static let nearlyAll = 0.9

  private func selectivity(
    _ comparison: ComparisonOperator, _ left: BoundExpression, _ right: BoundExpression
  ) -> Double {
    switch comparison {
    case .equal:
      if let first = left.asColumn, let second = right.asColumn, columns[second] != nil,
        columns[first] != nil
      {
        return equality(first, second)
      }
      return right.asColumn != nil && left.asColumn == nil
        ? equality(of: right, with: left.asConstant) : equality(of: left, with: right.asConstant)
    case .notEqual: return 1 - selectivity(.equal, left, right)
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      if let column = left.asColumn, let value = right.asConstant?.asDouble {
        return share(of: column, below: comparison == .less || comparison == .lessOrEqual, value)
      }
      if let column = right.asColumn, let value = left.asConstant?.asDouble {
        return share(
          of: column, below: comparison == .greater || comparison == .greaterOrEqual, value)
      }
      return 1.0 / 3
    }
  }

  /// The share of a column's values on one side of a number, taken as spread evenly.
  private func share(of column: ColumnID, below: Bool, _ value: Double) -> Double {
    guard let range = columns[column]?.range, range.upperBound > range.lowerBound else {
      return 1.0 / 3
    }
    let part = (value - range.lowerBound) / (range.upperBound - range.lowerBound)
    let clamped = min(max(below ? part : 1 - part, 0), 1)
    return max(clamped, 1e-6)
  }

  /// The shares of the values between columns' bounds that conditions leave of them, taken as spread evenly.
  func sharesOfValues(_ conditions: [BoundExpression]) -> ColumnMap<Double> {
    var left: ColumnMap<ClosedRange<Double>> = [:]
    for condition in conditions {
      guard case .comparison(var comparison, let one, let two) = condition else { continue }
      if one.asColumn == nil { comparison = comparison.commuted }
      guard let column = one.asColumn ?? two.asColumn, let range = columns[column]?.range,
        let value = (one.asConstant ?? two.asConstant)?.asDouble
      else { continue }
      let known = left[column] ?? range
      switch comparison {
      case .less, .lessOrEqual:
        let upper = max(known.lowerBound, min(known.upperBound, value))
        left[column] = known.lowerBound...upper
      case .greater, .greaterOrEqual:
        let lower = min(known.upperBound, max(known.lowerBound, value))
        left[column] = lower...known.upperBound
      case .equal, .notEqual: break
      }
    }
    var shares: ColumnMap<Double> = [:]
    for (column, range) in left {
      shares[column] = range.width / (columns[column]?.range?.width ?? range.width)
    }
    return shares
  }

  /// The share of rows for which all conditions are true.
  ///
  /// A bound from below and one from above on the same column leave what lies between them; of a value and a list of values for
  /// a column the narrower counts.
  func share(of conditions: [BoundExpression]) -> Double {
    var share = 1.0
    var named: ColumnMap<Double> = [:]
    var bounds: ColumnMap<(below: Double, above: Double)> = [:]
    for condition in conditions.flatMap(\.conjuncts) {
      let own = selectivity(of: condition)
      if let column = condition.columnWithValues {
        // One by one, so that the result does not depend on the order of a dictionary.
        let known = named[column] ?? 1
        named[column] = min(known, own)
        share *= own < known ? own / known : 1
        continue
      }
      if case .comparison(let comparison, let left, let right) = condition,
        let column = left.asColumn, right.asConstant != nil, columns[column]?.range != nil
      {
        switch comparison {
        case .less, .lessOrEqual:
          let known = bounds[column] ?? (1, 1)
          bounds[column] = (min(known.below, own), known.above)
          continue
        case .greater, .greaterOrEqual:
          let known = bounds[column] ?? (1, 1)
          bounds[column] = (known.below, min(known.above, own))
          continue
        case .equal, .notEqual: break
        }
      }
      share *= own
    }
    for bound in bounds.values { share *= max(bound.below + bound.above - 1, 1e-4) }
    return share
  }
}

extension ClosedRange<Double> {
  /// How many whole numbers there are in the range.
  fileprivate var width: Double { upperBound - lowerBound + 1 }
}
