import Columnar
import Diagnostics

/// Gives out numbers for common table expressions, of which a plan has some already.
final class CommonNumbers {
  private lazy var last = greatest()
  private let greatest: () -> Int

  /// Numbers after one that is looked for when the first is asked for.
  init(after greatest: @autoclosure @escaping () -> Int) { self.greatest = greatest }

  func next() -> Int {
    last += 1
    return last
  }
}

/// Turns subqueries and lateral joins into plain joins.
///
/// It works from the leaves up: the plan of a subquery is unnested before the subquery itself
/// becomes a join, so only one level
/// of correlation is dealt with at a time. What correlation is left over afterwards stays a lateral
/// join, which is carried out
/// as `Apply`.
///
/// The order of attempts for a correlated right side is in `decorrelated(_:)`. The general method
/// is that of Neumann and Kemper,
/// "Unnesting Arbitrary Queries" (BTW 2015).
///
/// An operator may come out with columns more than before; `exactly` takes them away where the
/// number of columns counts.
struct Unnesting {
  let factory: ColumnFactory
  let statistics: StatisticsSource
  let rules: OptimizerRules
  /// Numbers for the common table expressions that unnesting makes.
  let commons: CommonNumbers

  /// The plan without subqueries in its expressions, handing up the same columns in the same order.
  mutating func exactly(_ plan: LogicalPlan) throws(SQLError) -> LogicalPlan {
    let columns = plan.outputs
    return try unnested(plan).restricted(to: columns)
  }

  /// The plan without subqueries in its expressions; it may hand up columns more.
  mutating func unnested(_ plan: LogicalPlan) throws(SQLError) -> LogicalPlan {
    try RunningStatement.check()
    switch plan {
    case .filter(let input, let conditions):
      var (input, parts) = (input, conditions.flatMap(\.conjuncts))
      input.takeIntoLeft(&parts)
      let below = try unnested(input)
      var current = below.filtered(parts.filter { !$0.containsSubquery })
      for condition in parts where condition.containsSubquery {
        current = try filtering(current, by: condition)
      }
      return current
    case .join(let join): return try unnested(join)
    case .values(let rows, let columns): return try unnestedValues(rows, columns)
    case .limit(let input, let limit): return try unnestedLimit(try unnested(input), limit)
    case .distinct(let input, on: nil): return .distinct(try exactly(input), on: nil)
    case .setOperation(var plan):
      plan.left = try exactly(plan.left)
      plan.right = try exactly(plan.right)
      return .setOperation(plan)
    case .recursive(var plan):
      plan.anchor = try exactly(plan.anchor)
      plan.step = try exactly(plan.step)
      return .recursive(plan)
    case .withCommon(let id, let definition, let body):
      return .withCommon(id: id, definition: try exactly(definition), body: try unnested(body))
    case .tableFunction(var function):
      var input: LogicalPlan?
      if let own = function.input {
        input = try unnested(own)
      } else if plan.containsExpression(where: \.containsSubquery) {
        input = .oneRow
      }
      function.input = input
      function = try function.mapGraphPlans { (plan) throws(SQLError) in try exactly(plan) }
      return try unnestedOperator(.tableFunction(function))
    case .modify(var modify):
      modify.input = try exactly(modify.input)
      return try unnestedReturning(modify)
    case .path(var path):
      path.input = try unnested(path.input)
      path.target = try unnested(path.target)
      for index in path.conditions.indices {
        path.conditions[index] = try exactly(path.conditions[index])
      }
      for index in path.links.indices { path.links[index] = try exactly(path.links[index]) }
      for index in path.costs.indices { path.costs[index] = try exactly(path.costs[index]) }
      return .path(path)
    case .scan, .project, .projectSet, .aggregate, .window, .sort, .distinct, .workingTable,
      .commonReference:
      let unary = try plan.mapInputs { (input) throws(SQLError) in try unnested(input) }
      return try unnestedOperator(unary)
    }
  }

  /// A change of data whose RETURNING holds subqueries: they are computed above it, over the
  /// columns they use.
  private mutating func unnestedReturning(_ plan: ModifyPlan) throws(SQLError) -> LogicalPlan {
    guard let returning = plan.returning,
      returning.contains(where: \.expression.containsSubquery)
    else { return .modify(plan) }
    var used: ColumnSet = []
    for item in returning { used.formUnion(item.expression.allColumns) }
    var columns = plan.row.filter { used.contains($0.id) }
    let own = ColumnSet(plan.row.map(\.id))
    columns += plan.input.outputs.filter { used.contains($0.id) && !own.contains($0.id) }
    if columns.isEmpty { columns = Array(plan.row.prefix(1)) }
    var inner = plan
    inner.returning = columns.map { ProjectedColumn($0, $0.reference) }
    return try unnestedOperator(.project(.modify(inner), returning))
  }

  /// An operator with one input, already unnested, whose own expressions may hold subqueries.
  private mutating func unnestedOperator(_ plan: LogicalPlan) throws(SQLError) -> LogicalPlan {
    guard plan.containsExpression(where: \.containsSubquery), let input = plan.inputs.first
    else { return plan }
    var below = input
    let replaced = try plan.mapExpressions { (expression) throws(SQLError) in
      try attaching(expression, to: &below, guards: [])
    }
    return replaced.mapInputs { _ in below }
  }

  /// VALUES whose rows hold subqueries: each such row becomes a projection of one row.
  private mutating func unnestedValues(
    _ rows: [[BoundExpression]], _ columns: [PlanColumn]
  ) throws(SQLError) -> LogicalPlan {
    guard rows.contains(where: { $0.contains(where: \.containsSubquery) }) else {
      return .values(rows: rows, columns: columns)
    }
    var union: LogicalPlan?
    for (number, row) in rows.enumerated() {
      var below = LogicalPlan.oneRow
      // The last union takes the columns' own identities; every row before it has its own.
      let isOnly = rows.count == 1
      var projected: [ProjectedColumn] = []
      for (index, expression) in row.enumerated() {
        let value = try attaching(expression, to: &below, guards: [])
        let column = isOnly ? columns[index] : fresh(columns[index])
        projected.append(ProjectedColumn(column, value))
      }
      let one = LogicalPlan.project(below, projected)
      if let soFar = union {
        let isLast = number == rows.count - 1
        union = .setOperation(
          SetOperationPlan(
            .union, isAll: true, soFar, one, columns: isLast ? columns : columns.map(fresh)))
      } else {
        union = one
      }
    }
    return union ?? .values(rows: rows, columns: columns)
  }

  /// LIMIT (SELECT …): rows are numbered and compared with the subquery's value.
  private mutating func unnestedLimit(
    _ input: LogicalPlan, _ limit: LimitPlan
  ) throws(SQLError) -> LogicalPlan {
    let amounts = [limit.count, limit.offset].compactMap { $0 }
    guard amounts.contains(where: \.containsSubquery) else { return .limit(input, limit) }
    guard limit.ties == nil else {
      throw SQLError.unsupported("a subquery in FETCH FIRST ... WITH TIES")
    }
    var current = input
    // OFFSET first: rows are then numbered anew for LIMIT.
    for (amount, isOffset) in [(limit.offset, true), (limit.count, false)] {
      guard let amount else { continue }
      guard amount.containsSubquery else {
        current = .limit(
          current,
          LimitPlan(count: isOffset ? nil : amount, offset: isOffset ? amount : nil))
        continue
      }
      let number = factory.make("row_number", .bigint)
      var numbered = LogicalPlan.window(current, [(number, Self.rowNumber())])
      let value = Self.notNegative(
        try attaching(amount, to: &numbered, guards: []), isOffset: isOffset)
      let comparison = BoundExpression.comparison(
        isOffset ? .greater : .lessOrEqual, number.reference, value)
      // LIMIT NULL is no limit.
      current = numbered.filtered([.or([comparison, .isNull(value, negated: false)])])
    }
    return current
  }

  /// The value of LIMIT or OFFSET, which is an error where it is below zero.
  private static func notNegative(
    _ value: BoundExpression, isOffset: Bool
  ) -> BoundExpression {
    .call(
      BoundCall(
        name: isOffset ? "offset" : "limit", arguments: [value], type: value.type,
        isStrict: true, volatility: .immutable
      ) { (arguments, count, _) throws(SQLError) in
        for row in 0..<count {
          guard case .int64(let number) = arguments[0].value(at: row), number < 0 else { continue }
          throw isOffset
            ? SQLError(.invalidRowCountInOffset, "OFFSET must not be negative")
            : SQLError(.invalidRowCountInLimit, "LIMIT must not be negative")
        }
        return arguments[0]
      })
  }

  /// A `row_number()` over groups of rows in an order.
  static func rowNumber(
    partitionBy: [BoundExpression] = [], orderBy: [SortKey] = []
  ) -> WindowCall {
    WindowCall(
      function: .rowNumber, arguments: [], partitionBy: partitionBy, orderBy: orderBy,
      frame: WindowCall.WindowFrame(unit: .range, start: .unboundedPreceding, end: .currentRow),
      type: .bigint)
  }

  func fresh(_ column: PlanColumn) -> PlanColumn { factory.make(column.name, column.type) }

  // MARK: Joins

  /// A join whose inputs, conditions or right side hold subqueries or use the left side's columns.
  private mutating func unnested(_ plan: JoinPlan) throws(SQLError) -> LogicalPlan {
    var join = plan
    join.left = try unnested(join.left)
    join.right = try unnested(join.right)
    let conditions = join.conditions.flatMap(\.conjuncts)
    let nested = conditions.filter(\.containsSubquery)
    if nested.isEmpty {
      join.conditions = conditions
      return join.isLateral ? try decorrelated(join) : .join(join)
    }
    switch join.kind {
    case .inner:
      join.conditions = conditions.filter { !$0.containsSubquery }
      var current = join.isLateral ? try decorrelated(join) : .join(join)
      for condition in nested { current = try filtering(current, by: condition) }
      return current
    case .left, .semi, .anti, .single, .mark:
      // The condition moves to the right side, where it may use the left's columns as any lateral
      // join does.
      var right = join.right
      for condition in nested { right = try filtering(right, by: condition) }
      join.right = right
      join.conditions = conditions.filter { !$0.containsSubquery }
      join.isLateral = true
      return try decorrelated(join)
    case .right:
      let columns = join.left.outputs + join.right.outputs
      var left = join.left
      for condition in nested { left = try filtering(left, by: condition) }
      let flipped = JoinPlan(
        .left, join.right, left, on: conditions.filter { !$0.containsSubquery }, isLateral: true)
      return try decorrelated(flipped).restricted(to: columns)
    case .full:
      let columns = join.left.outputs + join.right.outputs
      let sides = (join.left.outputIDs, join.right.outputIDs)
      join.conditions = try conditions.map { (condition) throws(SQLError) in
        try attachingToSides(condition, of: &join, sides)
      }
      return LogicalPlan.join(join).restricted(to: columns)
    }
  }

  /// A condition of a full join with each subquery computed beforehand, on the side whose columns it uses.
  ///
  /// - Throws: 0A000 if it uses both.
  private mutating func attachingToSides(
    _ condition: BoundExpression, of join: inout JoinPlan,
    _ sides: (left: ColumnSet, right: ColumnSet)
  ) throws(SQLError) -> BoundExpression {
    guard condition.containsSubquery else { return condition }
    let used = condition.allColumns
    if used.isDisjoint(with: sides.right) {
      return try attaching(condition, to: &join.left, guards: [])
    }
    if used.isDisjoint(with: sides.left) {
      return try attaching(condition, to: &join.right, guards: [])
    }
    if case .subquery = condition {
      throw SQLError.unsupported(
        "a subquery over both sides in the condition of a FULL JOIN")
    }
    return try condition.mapChildren { (child) throws(SQLError) in
      try attachingToSides(child, of: &join, sides)
    }
  }
}

extension LogicalPlan {
  /// Lets the left side of a lateral join meet those conditions that are on it alone, before the right side is computed for what is left
  /// of it; these are taken from the list.
  fileprivate mutating func takeIntoLeft(_ conditions: inout [BoundExpression]) {
    guard case .join(var join) = self, join.isLateral, join.kind.keepsLeft else { return }
    let left = join.left.outputIDs
    func isOfLeft(_ condition: BoundExpression) -> Bool {
      !condition.containsSubquery && !condition.isVolatile && !condition.columns.isEmpty
        && condition.columns.isSubset(of: left)
    }
    join.left = join.left.filtered(conditions.filter(isOfLeft))
    conditions.removeAll(where: isOfLeft)
    self = .join(join)
  }
}
