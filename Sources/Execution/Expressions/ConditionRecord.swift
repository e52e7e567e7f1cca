import Columnar
import Planning

/// What a filter has seen one of its conditions keep, and what it costs to test.
struct ConditionRecord {
  /// The time to test a row, of which a comparison of 32 bits with a constant takes 1.
  let cost: Double
  /// Whether the condition cannot fail, so that it may be tested before or after others.
  let isMovable: Bool
  /// Whether rows for which it is not true may be kept all the same.
  private let isOptional: Bool
  /// A whole chunk is tested as long as no more than one row in so many is still kept.
  let wholeShare: Int
  private var seen = 0
  private var kept = 0

  /// So many rows are looked at before conditions change places, at first and later on.
  static let firstTrialRowCount = 16_384
  static let lastTrialRowCount = 1 << 20
  /// Fewer rows say nothing of an optional condition.
  private static let judgedRowCount = 4096
  /// The cost of asking a join further on: what is cheaper is tested before.
  static let memberCost = 3.0

  private init(cost: Double, isMovable: Bool, isOptional: Bool = false, wholeShare: Int = 8) {
    self.cost = cost
    self.isMovable = isMovable
    self.isOptional = isOptional
    self.wholeShare = wholeShare
  }

  /// A comparison of a column with a constant, or of two columns.
  init(comparing type: LogicalType, isOfColumns: Bool) {
    let cost: Double =
      switch type.physical {
      case .bool, .int16, .int32, .float: 1
      case .int64, .double, .numeric: 2
      case .text, .interval, .uuid: 6
      case .list, .record: 20
      }
    self.init(cost: isOfColumns ? cost * 2 : cost, isMovable: true)
  }

  /// A question to a join further on.
  init(member keys: IntegerFilter) {
    self.init(
      cost: keys.isAlwaysRight ? Self.memberCost : 2 * Self.memberCost, isMovable: true,
      isOptional: true, wholeShare: 2)
  }

  static var ofNullTest: ConditionRecord { ConditionRecord(cost: 0.5, isMovable: true) }

  static var ofSet: ConditionRecord { ConditionRecord(cost: memberCost, isMovable: true) }

  static var ofBound: ConditionRecord { ConditionRecord(cost: 2, isMovable: false) }

  /// A result that is looked up by a column's value.
  static var ofTable: ConditionRecord { ConditionRecord(cost: 8, isMovable: true, wholeShare: 4) }

  static var ofOther: ConditionRecord { ConditionRecord(cost: 20, isMovable: false) }

  mutating func note(kept: Int, of seen: Int) {
    self.seen &+= seen
    self.kept &+= kept
  }

  /// The same with nothing seen.
  var cleared: ConditionRecord {
    var other = self
    other.seen = 0
    other.kept = 0
    return other
  }

  /// What it costs to drop one row: conditions with the least are tested first.
  var rank: Double { cost / (1 - (Double(kept) + 0.5) / (Double(seen) + 1)) }

  /// Whether testing costs more than it saves.
  var isUseless: Bool { isOptional && seen >= Self.judgedRowCount && kept * 10 > seen * 9 }
}

/// What becomes one test of conditions that cannot fail.
enum ConditionPart {
  /// A comparison of the column with a value that is known before any row is.
  typealias Bound = (comparison: Comparison, bound: BoundExpression)

  case single(BoundExpression)
  /// A column that has to lie between two values.
  case range(BoundExpression, above: Bound, below: Bound)

  /// The parts of some conditions, in their order: of two that bound a column from both sides the first makes way.
  static func parts(of conditions: [BoundExpression]) -> [ConditionPart] {
    var parts: [ConditionPart] = []
    // Where a bound stands that has no counterpart yet.
    var open: [ColumnID: (place: Int, isLow: Bool)] = [:]
    for condition in conditions {
      guard let (column, id, bound) = bound(condition) else {
        parts.append(.single(condition))
        continue
      }
      let isLow = bound.comparison == .greater || bound.comparison == .greaterOrEqual
      if let other = open[id], other.isLow != isLow,
        case .single(let first) = parts[other.place], let (_, _, opposite) = Self.bound(first)
      {
        parts[other.place] =
          isLow
          ? .range(column, above: bound, below: opposite)
          : .range(column, above: opposite, below: bound)
        open[id] = nil
      } else {
        open[id] = open[id] ?? (parts.count, isLow)
        parts.append(.single(condition))
      }
    }
    return parts
  }

  /// A condition as a bound of a column of numbers.
  private static func bound(
    _ condition: BoundExpression
  ) -> (column: BoundExpression, id: ColumnID, bound: Bound)? {
    guard case .comparison(let comparison, let left, let right) = condition else { return nil }
    let kernel = comparison.kernel
    if kernel == .equal || kernel == .notEqual { return nil }
    switch left.type.physical {
    case .int16, .int32, .int64, .numeric: break
    case .bool, .float, .double, .interval, .uuid, .text, .list, .record: return nil
    }
    if let id = left.asColumn, right.isFixed { return (left, id, (kernel, right)) }
    if let id = right.asColumn, left.isFixed { return (right, id, (kernel.commuted, left)) }
    return nil
  }
}
