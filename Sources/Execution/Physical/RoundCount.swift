import Columnar
import Planning

/// A column of a recursion that has one value in all rows of a round, and another by the same step in those of the next: the length
/// of the ways that lead to them.
package struct RoundCount: Sendable {
  /// The column, as the step reads it.
  let column: PlanColumn
  /// Its place among the columns of the recursion.
  let place: Int
  /// What the step adds.
  let increment: Int64
  /// What must be true of the last round for another to follow, over the column alone.
  let conditions: [BoundExpression]
  /// The value in the first round.
  private(set) var first: Int64 = 0

  /// The column with the number of edges of paths along a step, of at least `first` and at most `maximum`, if that is not nil.
  init(_ column: PlanColumn, at place: Int, from first: Int, to maximum: Int?) {
    self.column = column
    self.place = place
    self.first = Int64(first)
    increment = 1
    conditions =
      maximum.map {
        [
          .comparison(
            .less, column.reference, .constant(.int32(Int32(clamping: $0)), column.type))
        ]
      } ?? []
  }

  /// The column that `list`, the step's columns by those of the working table, counts in; nil if it does not count in just one.
  init?(_ list: [BoundExpression], over working: [PlanColumn], _ conditions: [BoundExpression]) {
    guard list.count == working.count else { return nil }
    let counted = list.indices.filter { list[$0].asColumn == nil }
    guard counted.count == 1, let place = counted.first,
      let increment = list[place].increment(of: working[place].id), increment != 0,
      list[place].type == working[place].type
    else { return nil }
    let column = working[place]
    let own = ColumnSet([column.id])
    guard conditions.allSatisfy({ $0.isRepeatable && $0.columns.isSubset(of: own) }) else {
      return nil
    }
    self.column = column
    self.place = place
    self.increment = increment
    self.conditions = conditions
  }

  /// The column with the value that a recursion starts with; nil if that is not the same in all rows.
  func starting(at anchor: PhysicalPlan) -> RoundCount? {
    guard let first = anchor.constant(at: place)?.asInteger else { return nil }
    var result = self
    result.first = first
    return result
  }

  /// The value in the round after one; nil where it is none of the column's type.
  func next(after value: Int64) -> Int64? {
    let (sum, overflow) = value.addingReportingOverflow(increment)
    if overflow { return nil }
    switch column.type.physical {
    case .int16: return Int16(exactly: sum).map { Int64($0) }
    case .int32: return Int32(exactly: sum).map { Int64($0) }
    case .bool, .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      return sum
    }
  }

  /// The conditions as comparisons with numbers, which hold or not without a run; nil for any other.
  var comparisons: [(ComparisonOperator, Int64)]? { conditions.comparisons(of: column.id) }
}

extension [BoundExpression] {
  /// Conditions as comparisons of a column with numbers; nil for any other.
  func comparisons(of id: ColumnID) -> [(ComparisonOperator, Int64)]? {
    var found: [(ComparisonOperator, Int64)] = []
    for condition in self {
      guard case .comparison(let comparison, let left, let right) = condition else { return nil }
      if left.asColumn == id, let number = right.asConstant?.asInteger {
        found.append((comparison, number))
      } else if right.asColumn == id, let number = left.asConstant?.asInteger {
        found.append((comparison.commuted, number))
      } else {
        return nil
      }
    }
    return found
  }
}

extension BoundExpression {
  /// What the expression adds to a column, if it is the column more or less a whole number.
  fileprivate func increment(of id: ColumnID) -> Int64? {
    guard case .call(let call) = self, call.isOperator, call.arguments.count == 2, type.isInteger,
      call.arguments.allSatisfy({ $0.type == type })
    else { return nil }
    let (left, right) = (call.arguments[0], call.arguments[1])
    if call.name == "+" {
      if left.asColumn == id { return right.asConstant?.asInteger }
      return right.asColumn == id ? left.asConstant?.asInteger : nil
    }
    guard call.name == "-", left.asColumn == id, let number = right.asConstant?.asInteger,
      number != .min
    else { return nil }
    return -number
  }

  /// Whether the expression is a column more or less a whole number.
  var isCounting: Bool {
    guard case .call(let call) = self else { return false }
    return call.arguments.contains { $0.asColumn.map { increment(of: $0) != nil } ?? false }
  }
}

extension PhysicalPlan {
  /// The value that a column has in all rows, if the plan says so.
  fileprivate func constant(at place: Int) -> Value? {
    if case .project(let input, let list) = node {
      if let value = list[place].asConstant { return value }
      guard let id = list[place].asColumn,
        let below = input.outputs.firstIndex(where: { $0.id == id })
      else { return nil }
      return input.constant(at: below)
    }
    guard case .values(let rows) = node, rows.count == 1 else { return nil }
    return rows[0][place].asConstant
  }
}
