import Columnar

/// From a = b and a = 5 follows b = 5, so that an index of b applies.
enum EqualityTransitivity {
  /// Columns of a plan that are known to equal something without columns in every row.
  static func constants(_ plan: LogicalPlan) -> ColumnMap<BoundExpression> {
    var found: ColumnMap<BoundExpression> = [:]
    collect(plan, into: &found)
    return found
  }

  /// Adds such columns to those known already.
  private static func collect(_ plan: LogicalPlan, into found: inout ColumnMap<BoundExpression>) {
    switch plan {
    case .scan(let scan): collect(scan.filters, into: &found)
    case .filter(let input, let conditions):
      collect(input, into: &found)
      collect(conditions, into: &found)
    case .project(let input, let columns): collect(columns, over: input, into: &found)
    case .join(let join):
      switch join.kind {
      case .inner:
        collect(join.left, into: &found)
        collect(join.right, into: &found)
        collect(join.conditions, into: &found)
      case .left, .semi, .anti, .mark, .single: collect(join.left, into: &found)
      case .right, .full: break
      }
    case .aggregate(let aggregate) where aggregate.groupingSets == nil:
      collect(aggregate.keys, over: aggregate.input, into: &found)
    case .sort(let input, _), .limit(let input, _), .distinct(let input, on: _),
      .window(let input, _), .withCommon(_, _, let input):
      collect(input, into: &found)
    case .values, .projectSet, .path, .aggregate, .setOperation, .recursive, .workingTable,
      .commonReference, .tableFunction, .modify:
      break
    }
  }

  private static func collect(
    _ columns: [ProjectedColumn], over input: LogicalPlan,
    into found: inout ColumnMap<BoundExpression>
  ) {
    let below = constants(input)
    if below.isEmpty { return }
    for column in columns {
      if let source = column.expression.asColumn, let value = below[source] {
        found.add(column.column.id, value)
      }
    }
  }

  /// Columns that conditions hold equal to something without columns.
  static func constants(_ conditions: [BoundExpression]) -> ColumnMap<BoundExpression> {
    var found: ColumnMap<BoundExpression> = [:]
    collect(conditions, into: &found)
    return found
  }

  private static func collect(
    _ conditions: [BoundExpression], into found: inout ColumnMap<BoundExpression>
  ) {
    for condition in conditions {
      guard case .comparison(.equal, let left, let right) = condition else { continue }
      for (one, two) in [(left, right), (right, left)] {
        if let id = one.asColumn, two.isStatementConstant, one.type == two.type, !one.type.hasParts
        {
          found.add(id, two)
        }
      }
    }
  }

  /// What equalities between known columns and columns of a side say of that side.
  static func passed(
    _ conditions: [BoundExpression], known: ColumnMap<BoundExpression>, to side: ColumnSet
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
    _ conditions: [BoundExpression], known: ColumnMap<BoundExpression>
  ) -> [BoundExpression] {
    let pairs = equalities(conditions)
    if pairs.isEmpty { return conditions }
    var classes = ColumnClasses()
    var types: ColumnMap<LogicalType> = [:]
    for (one, two) in pairs {
      guard let first = one.asColumn, let second = two.asColumn else { continue }
      classes.unite(first, second)
      types[first] = one.type
      types[second] = two.type
    }
    let own = constants(conditions)
    let fixed = known.merging(own) { first, _ in first }
    var values: ColumnMap<BoundExpression> = [:]
    for id in types.keys.sorted() {
      if let value = fixed[id], values[classes.root(id)] == nil { values[classes.root(id)] = value }
    }
    var added: [BoundExpression] = []
    var implied: ColumnSet = []
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
  private var parents: ColumnMap<ColumnID> = [:]

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
