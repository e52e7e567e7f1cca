import Columnar
import Diagnostics
import Planning
import SQLSyntax

/// Operators of two inputs, and calls in FROM.
extension QueryTranslator {
  func joined(_ join: JoinPlan) throws(Refusal) -> SelectBlock {
    if join.isLateral, !join.right.freeColumns.isDisjoint(with: join.left.outputIDs) {
      return try lateral(join)
    }
    // Within EXISTS a subquery of the left side would be two levels away from what it is correlated with.
    let left = try lightened(
      try block(for: join.left, upTo: .joined), join.left, for: join.conditions,
      allowingSubqueries: !join.kind.onlyLooksForMatch)
    switch join.kind {
    case .inner: return try inner(join, left)
    case .left: return try outer(join, left, .left)
    case .right:
      var flipped = join
      (flipped.kind, flipped.left, flipped.right) = (.left, join.right, join.left)
      return try joined(flipped)
    case .full: return try outer(join, left, .full)
    case .semi, .anti:
      var block = left
      let isAnti = if case .anti = join.kind { true } else { false }
      block.filter.append(try existence(join, left, isAnti: isAnti))
      return block
    case .mark(let column):
      var block = left
      block.columns[column.id] = try mark(join, left)
      return block
    case .single: return try single(join, left)
    }
  }

  private func inner(_ join: JoinPlan, _ left: SelectBlock) throws(Refusal) -> SelectBlock {
    let right = try lightened(
      try block(for: join.right, upTo: .joined), join.right, for: join.conditions)
    var block = left
    block.columns.merge(right.columns) { own, _ in own }
    block.filter += right.filter
    block.hints += right.hints
    let pieces = try conditions(join.conditions, block.columns)
    block.orderBy = []
    guard let rightFrom = right.from, let leftFrom = left.from else {
      block.from = left.from ?? right.from
      block.filter += pieces
      return block
    }
    let plain = pieces.filter { !$0.hasSubquery }.map(\.expression)
    block.filter += pieces.filter(\.hasSubquery)
    block.from = Self.join(
      leftFrom, rightFrom, plain.isEmpty ? .cross : .inner, .conjunction(plain))
    return block
  }

  static func join(
    _ left: TableReference, _ right: TableReference, _ kind: JoinedTable.Kind,
    _ condition: SQLSyntax.Expression?
  ) -> TableReference {
    .join(
      JoinedTable(
        kind: kind, condition: condition.map { .on($0) } ?? .none, left: left, right: right))
  }

  /// A left or full join, of which the side that may come out NULL must have nothing but columns.
  private func outer(
    _ join: JoinPlan, _ first: SelectBlock, _ kind: JoinedTable.Kind
  ) throws(Refusal) -> SelectBlock {
    var left = first
    var right = try block(for: join.right, upTo: .joined)
    func isPlain(_ block: SelectBlock) -> Bool {
      block.from != nil && block.columns.values.allSatisfy(\.isColumn)
    }
    let movesFilter = kind == .left && !right.filter.contains(where: \.hasSubquery)
    if !isPlain(right) || !right.filter.isEmpty && !movesFilter {
      right = try wrapped(right, join.right.outputs)
    }
    if left.from == nil || kind == .full && (!isPlain(left) || !left.filter.isEmpty) {
      left = try wrapped(left, join.left.outputs)
    }
    var visible = left.columns.merging(right.columns) { own, _ in own }
    var pieces = try conditions(join.conditions, visible)
    if pieces.contains(where: \.hasSubquery) {
      left = try wrapped(left, join.left.outputs)
      visible = left.columns.merging(right.columns) { own, _ in own }
      pieces = try conditions(join.conditions, visible)
    }
    guard let leftFrom = left.from, let rightFrom = right.from else {
      throw Refusal("an outer join without tables")
    }
    var block = left
    block.orderBy = []
    block.columns = visible
    block.hints += right.hints
    let all = (pieces + right.filter).map(\.expression)
    block.from = Self.join(leftFrom, rightFrom, kind, .conjunction(all) ?? .boolean(true))
    return block
  }

  // MARK: Semi-joins

  /// `[NOT] EXISTS (SELECT 1 FROM right WHERE conditions)`, or NOT IN where that says the same.
  private func existence(
    _ join: JoinPlan, _ left: SelectBlock, isAnti: Bool
  ) throws(Refusal) -> Piece {
    let right = try block(for: join.right, upTo: .joined)
    if isAnti, join.conditions.count == 1,
      case .isBoolean(.comparison(.equal, let one, let other), false, negated: true) =
        join.conditions[0],
      one.columns.isSubset(of: join.left.outputIDs),
      !other.columns.isEmpty, other.columns.isSubset(of: join.right.outputIDs)
    {
      let operand = try comparable(try piece(one, left.columns), one.type)
      let value = try comparable(try piece(other, right.columns), other.type)
      return Piece(
        SQLSyntax.Expression(
          .inSubquery(
            operand.expression, right.statement([("value", value.expression)]), negated: true)),
        weight: 20, hasSubquery: true)
    }
    let exists = try exists(right, join.conditions, left)
    return Piece(isAnti ? exists.negation : exists, weight: 20, hasSubquery: true)
  }

  /// `EXISTS (SELECT 1 FROM right WHERE …)`.
  private func exists(
    _ right: SelectBlock, _ list: [BoundExpression], _ left: SelectBlock
  ) throws(Refusal) -> SQLSyntax.Expression {
    var inner = right
    inner.orderBy = []
    inner.filter += try conditions(list, left.columns.merging(right.columns) { own, _ in own })
    return SQLSyntax.Expression(.exists(inner.statement([])))
  }

  /// The truth value of IN and its like: true with a match, NULL where a comparison is NULL, else false.
  private func mark(_ join: JoinPlan, _ left: SelectBlock) throws(Refusal) -> Piece {
    let right = try block(for: join.right, upTo: .joined)
    let known = join.left.notNullColumns.union(join.right.notNullColumns)
    let match = try exists(right, join.conditions, left)
    if join.conditions.allSatisfy({ $0.isNeverNull(known) }) {
      return Piece(match, weight: 20, hasSubquery: true)
    }
    let all = join.conditions.count > 1 ? BoundExpression.and(join.conditions) : join.conditions[0]
    let unknown = try exists(right, [.isNull(all, negated: false)], left)
    let value = SQLSyntax.Expression.cases(
      [(match, .boolean(true)), (unknown, typed(.null, .boolean))], otherwise: .boolean(false))
    return Piece(value, weight: 40, hasSubquery: true)
  }

  /// A scalar subquery of which nothing says that it has one row at most.
  private func single(_ join: JoinPlan, _ left: SelectBlock) throws(Refusal) -> SelectBlock {
    let outputs = join.right.outputs
    let free = ColumnSet(outputs.map(\.id))
    // Conditions by which a key of the right side is fixed make it one row.
    var fixed: ColumnSet = []
    for case .comparison(.equal, let one, let other) in join.conditions {
      for (side, rest) in [(one, other), (other, one)] {
        if let id = side.asColumn, free.contains(id), rest.columns.isDisjoint(with: free) {
          fixed.insert(id)
        }
      }
    }
    if join.right.uniqueKeys.contains(where: { $0.columns.isSubset(of: fixed) }) {
      return try outer(join, left, .left)
    }
    let right = try block(for: join.right, upTo: .joined)
    let isUncorrelated = join.conditions.allSatisfy { $0.columns.isDisjoint(with: free) }
    guard isUncorrelated, let first = outputs.first else {
      throw Refusal("a correlated subquery of which nothing says that it gives one row at most")
    }
    var block = left
    let query = right.statement([("value", try lookUp(first.id, right.columns).expression)])
    var value = SQLSyntax.Expression(.subquery(query))
    let guards = try conditions(join.conditions, left.columns).map(\.expression)
    if let condition = SQLSyntax.Expression.conjunction(guards) {
      value = .cases([(condition, value)], otherwise: nil)
    }
    block.columns[first.id] = Piece(value, weight: 20, hasSubquery: true)
    return block
  }

  private func lateral(_ join: JoinPlan) throws(Refusal) -> SelectBlock {
    if dialect == .spark {
      throw Refusal("a lateral subquery that cannot be written as a join", about: .word("lateral"))
    }
    var left = try block(for: join.left, upTo: .joined)
    if left.from == nil { left = try wrapped(left, join.left.outputs) }
    let kept = outer
    outer.merge(left.columns) { _, new in new }
    defer { outer = kept }
    let right = try wrapped(try block(for: join.right), join.right.outputs)
    guard case .subquery(var table)? = right.from, let from = left.from else {
      throw Refusal("a lateral subquery that cannot be written as a join", about: .word("lateral"))
    }
    table.isLateral = true
    var block = left
    block.columns.merge(right.columns) { own, _ in own }
    let condition = try conditions(join.conditions, block.columns).map(\.expression)
    let kind: JoinedTable.Kind
    switch join.kind {
    case .inner: kind = .inner
    case .left, .single: kind = .left
    case .right, .full, .semi, .anti, .mark:
      throw Refusal("a lateral subquery of this kind", about: .word("lateral"))
    }
    block.from = Self.join(
      from, .subquery(table), kind, .conjunction(condition) ?? .boolean(true))
    return block
  }

  // MARK: Calls in FROM

  func called(_ plan: TableFunctionPlan) throws(Refusal) -> SelectBlock {
    var block = SelectBlock()
    if let input = plan.input {
      block = try lightened(
        try self.block(for: input, upTo: .joined), input, for: plan.calls.flatMap(\.arguments),
        allowingSubqueries: false)
    }
    return try calling(plan.calls, plan.ordinality, on: block, isOuter: plan.isOuter)
  }

  /// Adds a set-returning function to FROM, beside what stands there.
  private func calling(
    _ calls: [TableFunctionCall], _ ordinality: PlanColumn?, on block: SelectBlock, isOuter: Bool
  ) throws(Refusal) -> SelectBlock {
    guard calls.count == 1, let call = calls.first else {
      throw Refusal(
        "several set-returning functions side by side", about: .function(calls.last?.name ?? ""))
    }
    if call.graph != nil {
      throw Refusal("a graph algorithm", about: .function(call.name))
    }
    let name = alias("f")
    let names = names(of: call.columns)
    let number = "ordinality"
    let arguments = try call.arguments.map { (value) throws(Refusal) in
      try piece(value, block.columns).expression
    }
    var result = block
    let function: SQLSyntax.Expression
    var columns = names
    if dialect == .spark {
      let list = try sparkList(call, arguments)
      function = .call(ordinality == nil ? "explode" : "posexplode", list)
      if ordinality != nil { columns = [number] + names }
    } else {
      function = .call(call.name, arguments)
      if ordinality != nil { columns.append(number) }
    }
    let reference = TableReference.function(
      TableFunction(
        items: [TableFunction.Item(call: function, columns: [])], isRowsFrom: false,
        hasOrdinality: ordinality != nil && dialect == .postgres, isLateral: block.from != nil,
        alias: TableAlias(Identifier(name), columns: columns.map { Identifier($0) }),
        columns: [], range: .none))
    for (column, columnName) in zip(call.columns, names) {
      result.columns[column.id] = Piece(.column(name, columnName))
    }
    if let ordinality {
      let place = SQLSyntax.Expression.column(name, number)
      result.columns[ordinality.id] = Piece(
        dialect == .spark ? cast(.infix(place, "+", .number(1)), .bigint) : place)
    }
    if let from = block.from {
      result.from = Self.join(
        from, reference, isOuter ? .left : .cross, isOuter ? .boolean(true) : nil)
    } else {
      result.from = reference
    }
    return result
  }

  /// A select list with a set-returning function.
  func projected(
    _ input: LogicalPlan, _ columns: [ProjectedColumn], _ calls: [TableFunctionCall]
  ) throws(Refusal) -> SelectBlock {
    let block = try lightened(
      try block(for: input, upTo: .joined), input, for: calls.flatMap(\.arguments),
      allowingSubqueries: false)
    var result = try calling(calls, nil, on: block, isOuter: false)
    for column in columns {
      result.columns[column.column.id] = try piece(column.expression, result.columns)
    }
    return result
  }
}
