import Columnar
package import Planning

/// The rows of each group that may be among its first, where those above ask for no others: a window whose ranks are bounded,
/// DISTINCT ON, or groups of which only the first in the order of a key are asked for.
///
/// A row that comes behind as many others of its group as are wanted is not kept and sorted. Where it stands is told by one number
/// made of the first order column, so that some rows remain that are not wanted, and all that are equal in it. Each
/// row that is wanted remains, and so do all before it, so that ranks of wanted rows are what they would be among
/// all rows.
///
/// Outputs: those of its input.
package struct LeadingRows: Sendable {
  /// None for one group of all rows.
  package var keys: [BoundExpression]
  package var order: SortKey
  /// How many rows of each group are wanted.
  package var count: Int
  /// Whether rows that are equal count as one, as they do for `dense_rank`.
  package var countsDifferent: Bool

  /// More rows of a group are not looked for, and more rows where they are one group.
  private static let (countMax, countMaxOfAll) = (64, 1024)
  /// So many times as many rows as wanted a group must have for it to pay.
  private static let shareMin = 8.0
  /// Fewer rows are sorted or grouped as they are.
  private static let rowMin = 20_000.0

  static func areMany(_ rows: Double) -> Bool { rows >= rowMin }

  /// The rows that a window needs, all of whose calls rank rows by the same order, where `conditions` bound one of the ranks.
  init?(
    _ calls: [(column: PlanColumn, call: WindowCall)], where conditions: [BoundExpression]
  ) {
    guard let first = calls.first?.call else { return nil }
    var least: (count: Int, isDense: Bool)?
    for (column, call) in calls {
      let isDense: Bool
      switch call.function {
      case .rowNumber, .rank: isDense = false
      case .denseRank: isDense = true
      case .percentRank, .cumeDist, .ntile, .lag, .lead, .firstValue, .lastValue, .nthValue,
        .aggregate:
        return nil
      }
      guard call.hasSameOrder(as: first) else { return nil }
      for condition in conditions {
        guard let bound = condition.greatest(of: column.id), bound >= 0 else { continue }
        if least.map({ bound < $0.count }) ?? true { least = (Int(clamping: bound), isDense) }
      }
    }
    guard let least else { return nil }
    self.init(first.partitionBy, first.orderBy[...], least.count, isDense: least.isDense)
  }

  /// The rows of which DISTINCT ON keeps one of each group, sorted by the group's keys and then by others.
  init?(distinctOn keys: [BoundExpression], sortedBy order: [SortKey]) {
    guard order.count > keys.count,
      zip(keys, order).allSatisfy({ $0.asColumn != nil && $0.asColumn == $1.expression.asColumn })
    else { return nil }
    self.init(keys, order.dropFirst(keys.count), 1, isDense: false)
  }

  /// The rows of the first `count` different values of an order: groups made by it, of which there are about `groups`, are not
  /// asked for behind these.
  init?(ofValues count: Int, in order: SortKey, groups: Double) {
    guard count > 0, groups >= Double(count) * Self.valueShareMin else { return nil }
    self.init([], [order][...], count, isDense: true)
  }

  /// So many times as many values as wanted there must be for it to pay.
  private static let valueShareMin = 4.0

  private init?(
    _ keys: [BoundExpression], _ order: ArraySlice<SortKey>, _ count: Int, isDense: Bool
  ) {
    guard let first = order.first, count <= (keys.isEmpty ? Self.countMaxOfAll : Self.countMax),
      OrderNumbers.suit(first.expression.type)
    else { return nil }
    // What is not looked at of rows left out must not fail, and what is looked at twice must not change.
    guard keys.allSatisfy({ !$0.isVolatile }), !first.expression.isVolatile,
      order.dropFirst().allSatisfy({ $0.expression.asColumn != nil })
    else { return nil }
    self.keys = keys
    self.order = first
    self.count = count
    countsDifferent = isDense
  }

  /// Whether it pays to look for them.
  func pays(rows: Double, groups: Double) -> Bool {
    Self.areMany(rows) && rows >= groups * Double(max(1, count)) * Self.shareMin
  }
}

extension WindowCall {
  /// Whether both have their rows in the same partitions and order.
  fileprivate func hasSameOrder(as other: WindowCall) -> Bool {
    partitionBy.count == other.partitionBy.count && orderBy.count == other.orderBy.count
      && zip(partitionBy, other.partitionBy).allSatisfy { isSame($0, $1) }
      && zip(orderBy, other.orderBy).allSatisfy {
        isSame($0.expression, $1.expression) && $0.isDescending == $1.isDescending
          && $0.nullsFirst == $1.nullsFirst
      }
  }
}

extension BoundExpression {
  /// The greatest value of a column of whole numbers with which the condition may be true; nil where it does not say.
  fileprivate func greatest(of column: ColumnID) -> Int64? {
    if case .inList(let operand, let list, negated: false) = self, operand.asColumn == column {
      var greatest: Int64 = 0
      for item in list {
        guard let number = item.wholeNumber else { return nil }
        greatest = max(greatest, number)
      }
      return greatest
    }
    guard case .comparison(var comparison, var left, var right) = self else { return nil }
    if left.asColumn != column {
      (left, right) = (right, left)
      comparison = comparison.commuted
    }
    guard left.asColumn == column, let number = right.wholeNumber else { return nil }
    switch comparison {
    case .equal, .lessOrEqual: return number
    case .less: return number == .min ? nil : number - 1
    case .notEqual, .greater, .greaterOrEqual: return nil
    }
  }
}
