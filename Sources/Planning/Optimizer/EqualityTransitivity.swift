import Columnar

/// From a = b and a = 5 follows b = 5, so that an index of b applies.
enum EqualityTransitivity {
  /// Columns of a plan that are known to equal something without columns in every row.
  static func constants(_ plan: LogicalPlan) -> [ColumnID: BoundExpression] {
    switch plan {
    case .scan(let scan): return constants(scan.filters)
    case .filter(let input, let conditions):
      return constants(input).merging(constants(conditions)) { first, _ in first }
    case .project(let input, let columns):
      let below = constants(input)
      var found: [ColumnID: BoundExpression] = [:]
      for column in columns {
        if let source = column.expression.asColumn, let value = below[source] {
          found[column.column.id] = value
        }
      }
      return found
    case .join(let join):
      let left = constants(join.left)
      switch join.kind {
      case .inner:
        return left.merging(constants(join.right)) { first, _ in first }
          .merging(constants(join.conditions)) { first, _ in first }
      case .left, .semi, .anti, .mark, .single: return left
      case .right, .full: return [:]
      }
    case .aggregate(let aggregate) where aggregate.groupingSets == nil:
      let below = constants(aggregate.input)
      var found: [ColumnID: BoundExpression] = [:]
      for key in aggregate.keys {
        if let source = key.expression.asColumn { found[key.column.id] = below[source] }
      }
      return found
    case .sort(let input, _), .limit(let input, _), .distinct(let input, on: _),
      .window(let input, _):
      return constants(input)
    case .withCommon(_, _, let body): return constants(body)
    case .values, .projectSet, .path, .aggregate, .setOperation, .recursive, .workingTable,
      .commonReference, .tableFunction, .modify:
      return [:]
    }
  }

  /// Columns that conditions hold equal to something without columns.
  static func constants(_ conditions: [BoundExpression]) -> [ColumnID: BoundExpression] {
    var found: [ColumnID: BoundExpression] = [:]
    for condition in conditions {
      guard case .comparison(.equal, let left, let right) = condition else { continue }
      for (one, two) in [(left, right), (right, left)] {
        if let id = one.asColumn, two.isStatementConstant, one.type == two.type,
          !one.type.hasParts, found[id] == nil
        {
          found[id] = two
        }
      }
    }
    return found
  }

  /// What equalities between known columns and columns of a side say of that side.
  static func passed(
    _ conditions: [BoundExpression], known: [ColumnID: BoundExpression], to side: Set<ColumnID>
  ) -> [BoundExpression] {
    var result: [BoundExpression] = []
    for (one, two) in equalities(conditions) {
      for (from, to) in [(one, two), (two, one)] {
        if let source = from.asColumn, let target = to.asColumn, side.contains(target),
          !side.contains(source), let value = known[source]
        {
          result.append(.comparison(.equal, to, value))
        }
      }
    }
    return result
  }

  /// The conditions of an inner join and what follows from them for columns of one class of equal
  /// columns.
  ///
  /// An equality between two columns that both equal the same constant says nothing more and goes.
  static func closed(
    _ conditions: [BoundExpression], known: [ColumnID: BoundExpression]
  ) -> [BoundExpression] {
    let pairs = equalities(conditions)
    if pairs.isEmpty { return conditions }
    var classes = ColumnClasses()
    var types: [ColumnID: LogicalType] = [:]
    for (one, two) in pairs {
      guard let first = one.asColumn, let second = two.asColumn else { continue }
      classes.unite(first, second)
      types[first] = one.type
      types[second] = two.type
    }
    let own = constants(conditions)
    let fixed = known.merging(own) { first, _ in first }
    var values: [ColumnID: BoundExpression] = [:]
    for id in types.keys.sorted() {
      if let value = fixed[id], values[classes.root(id)] == nil { values[classes.root(id)] = value }
    }
    var added: [BoundExpression] = []
    var implied: Set<ColumnID> = []
    for id in types.keys.sorted() {
      guard let value = values[classes.root(id)], let type = types[id], type == value.type else {
        continue
      }
      implied.insert(id)
      if fixed[id] == nil { added.append(.comparison(.equal, .column(id, type), value)) }
    }
    let kept = conditions.filter { condition in
      guard case .comparison(.equal, let left, let right) = condition,
        let one = left.asColumn, let two = right.asColumn
      else { return true }
      // Two constants of one class are compared where they stand, so the class has but one value.
      guard implied.contains(one), implied.contains(two) else { return true }
      let (first, second) = (fixed[one]?.signature, fixed[two]?.signature)
      let value = values[classes.root(one)]?.signature
      return (first ?? value) != (second ?? value)
    }
    return kept + added
  }

  private static func equalities(
    _ conditions: [BoundExpression]
  ) -> [(BoundExpression, BoundExpression)] {
    conditions.compactMap { condition in
      guard case .comparison(.equal, let left, let right) = condition, left.asColumn != nil,
        right.asColumn != nil, left.type == right.type, !left.type.hasParts
      else { return nil }
      return (left, right)
    }
  }
}

/// Sets of columns that are equal in every row (union-find).
struct ColumnClasses {
  private var parents: [ColumnID: ColumnID] = [:]

  /// The column that stands for its set: the least.
  func root(_ column: ColumnID) -> ColumnID {
    var current = column
    while let next = parents[current] { current = next }
    return current
  }

  mutating func unite(_ one: ColumnID, _ two: ColumnID) {
    let (first, second) = (root(one), root(two))
    if first == second { return }
    parents[max(first, second)] = min(first, second)
  }
}
