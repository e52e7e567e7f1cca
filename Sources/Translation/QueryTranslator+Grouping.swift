import Columnar
import Diagnostics
import Planning
import SQLSyntax

/// Groups, windows, set operations and recursion.
extension QueryTranslator {
  func aggregated(_ plan: AggregatePlan) throws(Refusal) -> SelectBlock {
    if dialect == .spark, let parts = withGrandTotalsApart(plan) { return try block(for: parts) }
    let operands =
      plan.keys.map(\.expression) + plan.aggregates.map { BoundExpression.aggregate($0.call) }
    var block = try lightened(
      try block(for: plan.input, upTo: .joined), plan.input, for: operands,
      allowingSubqueries: false)
    block.orderBy = []
    var keys = try plan.keys.map { (key) throws(Refusal) in
      try piece(key.expression, block.columns)
    }
    // A constant would be read as the number of a column, and keys of several sets must be columns.
    let needsColumns =
      keys.contains { if case .literal = $0.expression.kind { true } else { $0.hasSubquery } }
      || plan.groupingSets != nil && (!keys.allSatisfy(\.isColumn) || hasRepeats(keys))
      || zip(plan.keys, keys).contains { $0.expression.columns.isEmpty && !$1.isColumn }
    if needsColumns {
      var inner = block
      for (key, piece) in zip(plan.keys, keys) { inner.columns[key.column.id] = piece }
      block = try wrapped(inner, plan.input.outputs + plan.keys.map(\.column))
      keys = try plan.keys.map { (key) throws(Refusal) in
        try lookUp(key.column.id, block.columns)
      }
    }
    for key in plan.keys where dialect == .spark {
      try requireComparable(key.column.type, "GROUP BY", .word("group"))
    }
    if dialect == .spark, plan.aggregates.contains(where: { !$0.call.orderBy.isEmpty }) {
      block = try numberingRows(of: plan, &keys, block)
    }
    var columns: [ColumnID: Piece] = [:]
    for (key, piece) in zip(plan.keys, keys) { columns[key.column.id] = piece }
    for item in plan.aggregates {
      columns[item.column.id] = try aggregatePiece(item, block.columns)
    }
    for (column, asked) in plan.groupings {
      columns[column.id] = Piece(
        plan.groupingSets == nil
          ? .number(0) : grouping(asked.map { keys[$0].expression }), weight: 4)
    }
    block.columns = columns
    block.stage = .grouped
    block.aggregates = plan.aggregates.compactMap { item in
      columns[item.column.id].map { SQLPrinter.text(of: $0.expression) }
    }
    block.groupBy = grouping(plan, keys.map(\.expression))
    if block.groupBy == nil, plan.aggregates.isEmpty {
      if dialect == .spark { throw Refusal("one group of all rows without an aggregate") }
      block.groupBy = GroupByClause(elements: [.empty(.none)])
    }
    return block
  }

  private func hasRepeats(_ keys: [Piece]) -> Bool {
    Set(keys.map { SQLPrinter.text(of: $0.expression) }).count < keys.count
  }

  /// Grouping sets with each set of no keys as an aggregate of its own, as Spark has no row for it where there are no rows; nil
  /// where there is none.
  private func withGrandTotalsApart(_ plan: AggregatePlan) -> LogicalPlan? {
    guard let sets = plan.groupingSets, sets.contains(where: \.isEmpty) else { return nil }
    let columns = LogicalPlan.aggregate(plan).outputs
    let total = AggregatePlan(
      input: plan.input, keys: [],
      aggregates: plan.aggregates.isEmpty ? [Self.countOfNothing] : plan.aggregates)
    let row = LogicalPlan.project(
      .aggregate(total),
      plan.keys.map { ProjectedColumn($0.column, .constant(.null, $0.column.type)) }
        + plan.aggregates.map { ProjectedColumn($0.column, $0.column.reference) }
        + plan.groupings.map { column, keys in
          let bits = (Int64(1) << Int64(keys.count)) - 1
          return ProjectedColumn(
            column, .constant(.int32(Int32(truncatingIfNeeded: bits)), .integer))
        })
    var others = plan
    others.groupingSets = sets.filter { !$0.isEmpty }
    var parts = sets.filter(\.isEmpty).map { _ in row }
    if others.groupingSets?.isEmpty == false { parts.insert(.aggregate(others), at: 0) }
    return parts.dropFirst().reduce(parts[0]) { sum, part in
      .setOperation(SetOperationPlan(.union, isAll: true, sum, part, columns: columns))
    }
  }

  /// An aggregate that makes one row of any number of rows.
  private static let countOfNothing = AggregatePlan.Item(
    PlanColumn(ColumnID(Int32.min), "count", .bigint),
    AggregateCall(
      name: "count", arguments: [], type: .bigint, isStrict: false,
      factory: { _, _ in CountAccumulator() }))

  private func grouping(
    _ plan: AggregatePlan, _ keys: [SQLSyntax.Expression]
  ) -> GroupByClause? {
    guard let sets = plan.groupingSets else {
      return keys.isEmpty ? nil : GroupByClause(elements: keys.map { .expression($0) })
    }
    let elements = sets.map { set -> GroupingElement in
      switch set.count {
      case 0: return .empty(.none)
      case 1: return .expression(keys[set[0]])
      default:
        return .expression(
          SQLSyntax.Expression(.row(set.map { keys[$0] }, isExplicit: false)))
      }
    }
    return GroupByClause(elements: [.sets(elements, .none)])
  }

  /// `GROUPING(…)` of several keys: a bit for each.
  private func grouping(_ keys: [SQLSyntax.Expression]) -> SQLSyntax.Expression {
    if dialect == .postgres { return SQLSyntax.Expression(.grouping(keys)) }
    var value: SQLSyntax.Expression?
    for key in keys {
      let bit = cast(.call("grouping", key), .integer)
      value = value.map { .infix(.infix($0, "*", .number(2)), "+", bit) } ?? bit
    }
    return value ?? .number(0)
  }

  /// For aggregates with an order of their own: each row with its number in that order, within its group.
  private func numberingRows(
    of plan: AggregatePlan, _ keys: inout [Piece], _ block: SelectBlock
  ) throws(Refusal) -> SelectBlock {
    if plan.groupingSets != nil {
      throw Refusal("an aggregate with ORDER BY beside grouping sets", about: .word("grouping"))
    }
    var inner = block
    var numbers: [PlanColumn] = []
    for item in plan.aggregates where needsNumber(item.call) {
      let order = try sortItems(item.call.orderBy, block.columns)
      let number = PlanColumn(rowNumber(of: item.column.id), "row_number", .integer)
      inner.columns[number.id] = Piece(
        numbering("row_number", keys.map(\.expression), order), weight: 8)
      numbers.append(number)
    }
    if numbers.isEmpty { return block }
    for (key, piece) in zip(plan.keys, keys) { inner.columns[key.column.id] = piece }
    let outside = try wrapped(inner, plan.input.outputs + plan.keys.map(\.column) + numbers)
    keys = try plan.keys.map { (key) throws(Refusal) in
      try lookUp(key.column.id, outside.columns)
    }
    return outside
  }

  /// The identity of the column that numbers the rows for an aggregate: no operator gives out negative ones.
  func rowNumber(of column: ColumnID) -> ColumnID { ColumnID(-column.number) }

  func windowed(
    _ input: LogicalPlan, _ calls: [(column: PlanColumn, call: WindowCall)]
  ) throws(Refusal) -> SelectBlock {
    let operands = calls.map { BoundExpression.window($0.call) }
    let below = try lightened(
      try block(for: input, upTo: .joined), input, for: operands, allowingSubqueries: false)
    var block = below
    block.orderBy = []
    for (column, call) in calls {
      var isInexact = false
      if case .aggregate(let aggregate) = call.function {
        isInexact = try self.isInexact(aggregate, below.columns)
      }
      block.columns[column.id] = Piece(
        try window(call, below.columns), weight: 10, isInexact: isInexact)
    }
    block.stage = .windowed
    return block
  }

  func combined(_ plan: SetOperationPlan) throws(Refusal) -> SelectBlock {
    let names = names(of: plan.columns)
    func arm(_ input: LogicalPlan) throws(Refusal) -> QueryBody {
      let block = try self.block(for: input)
      var values: [(name: String, value: SQLSyntax.Expression)] = []
      for (column, name) in zip(input.outputs, names) {
        values.append((name, try lookUp(column.id, block.columns).expression))
      }
      var inner = block
      if inner.limit == nil && inner.offset == nil { inner.orderBy = [] }
      let query = inner.statement(values)
      return query.limit == nil && query.offset == nil ? query.body : .parenthesised(query)
    }
    if dialect == .spark && !(plan.kind == .union && plan.isAll) {
      for column in plan.columns {
        try requireComparable(
          column.type, plan.kind == .union ? "UNION" : "a set operation", .statement)
      }
    }
    let kind: SetOperation.Kind =
      switch plan.kind {
      case .union: .union
      case .intersect: .intersect
      case .except: .except
      }
    let operation = SetOperation(
      kind: kind, isAll: plan.isAll, left: try arm(plan.left), right: try arm(plan.right),
      operatorRange: .none)
    let name = alias("u")
    var block = SelectBlock()
    for (column, columnName) in zip(plan.columns, names) {
      block.columns[column.id] = Piece(.column(name, columnName))
    }
    block.from = derived(SelectStatement(body: .setOperation(operation)), name)
    return block
  }

  // MARK: Common table expressions

  /// Keeps a common table expression for whoever refers to it.
  func define(_ id: Int, _ definition: LogicalPlan) throws(Refusal) {
    // The rounds of recursions within are their own affair.
    var read: Set<Int> = []
    var made: Set<Int> = []
    _ = definition.contains { part in
      if case .workingTable(let id, _) = part { read.insert(id) }
      if case .recursive(let plan) = part { made.insert(plan.id) }
      return false
    }
    let readsInlined = definition.contains { part in
      if case .commonReference(let id, _) = part { inlined[id] != nil } else { false }
    }
    let readsRound = readsInlined || !read.isSubset(of: made)
    if readsRound || !definition.freeColumns.isEmpty {
      inlined[id] = definition
      return
    }
    let block = try self.block(for: definition)
    let name = commonAlias("common")
    let names = names(of: definition.outputs)
    var values: [(name: String, value: SQLSyntax.Expression)] = []
    for (column, columnName) in zip(definition.outputs, names) {
      values.append((columnName, try lookUp(column.id, block.columns).expression))
    }
    commons.append(
      CommonTableExpression(
        name: Identifier(name), statement: .select(block.statement(values))))
    commonNames[id] = (name, names)
  }

  func block(ofCommon id: Int, _ columns: [PlanColumn]) throws(Refusal) -> SelectBlock {
    if let definition = inlined[id] {
      let inner = try self.block(for: definition)
      var block = try wrapped(inner, definition.outputs)
      let pieces = definition.outputs.map { block.columns[$0.id] }
      block.columns = [:]
      for (column, piece) in zip(columns, pieces) { block.columns[column.id] = piece }
      return block
    }
    guard let common = commonNames[id] else {
      throw Refusal("a common table expression that stands within another's rounds")
    }
    return reading(common, columns)
  }

  /// A block that reads something by its name in the statement.
  func reading(
    _ common: (name: String, columns: [String]), _ columns: [PlanColumn]
  ) -> SelectBlock {
    let name = alias("c")
    var block = SelectBlock()
    block.from = .table(
      NamedTable(
        QualifiedName(Identifier(common.name)), alias: TableAlias(Identifier(name))))
    for (column, columnName) in zip(columns, common.columns) {
      block.columns[column.id] = Piece(.column(name, columnName))
    }
    return block
  }

  /// WITH RECURSIVE: as it is where the system has it, else as rounds that the runner makes.
  func recursive(_ plan: RecursivePlan) throws(Refusal) -> SelectBlock {
    let name = commonAlias("reached")
    let names = names(of: plan.columns)
    if !plan.anchor.freeColumns.isEmpty || !plan.step.freeColumns.isEmpty {
      throw Refusal("a recursion within a correlated subquery", about: .word("recursive"))
    }
    let isNative = !(makesRounds && !plan.isAll) && (dialect == .postgres || plan.isAll)
    working[plan.id] = (isNative ? name : name + "_new", names)
    let before = commons.count
    let anchor = try statement(of: plan.anchor, names, plan.columns)
    var step = try statement(of: plan.step, names, plan.columns)
    if isNative, roundReads[plan.id, default: 0] > 1 {
      throw Refusal("a recursion whose step reads its rows twice", about: .word("recursive"))
    }
    if isNative {
      if commons.count > before, dialect == .spark {
        throw Refusal("a recursion within a recursion", about: .word("recursive"))
      }
      if dialect == .spark, step.limit != nil || step.offset != nil {
        throw Refusal("LIMIT within a recursion", about: .word("recursive"))
      }
      let body = SetOperation(
        kind: .union, isAll: plan.isAll, left: anchor.body, right: step.body, operatorRange: .none)
      var common = CommonTableExpression(
        name: Identifier(name), columnNames: names.map { Identifier($0) },
        statement: .select(SelectStatement(body: .setOperation(body))))
      common.recursionLimit = Self.recursionLimit
      commons.append(common)
    } else {
      var first = anchor
      (first.with, step.with) = (withClause(), withClause())
      rounds.append(TranslatedQuery.Rounds(name: name, anchor: first, step: step))
    }
    return reading((name, names), plan.columns)
  }

  /// Rounds of a recursion before Spark gives up; 100 unless it is told.
  private static let recursionLimit = 1_000_000

  private func statement(
    of plan: LogicalPlan, _ names: [String], _ columns: [PlanColumn]
  ) throws(Refusal) -> SelectStatement {
    var block = try self.block(for: plan)
    if block.limit == nil && block.offset == nil { block.orderBy = [] }
    var values: [(name: String, value: SQLSyntax.Expression)] = []
    for (index, column) in plan.outputs.enumerated() {
      var value = try lookUp(column.id, block.columns).expression
      // All rounds are to be of one type.
      if dialect == .spark { value = cast(value, columns[index].type) }
      values.append((names[index], value))
    }
    return block.statement(values)
  }
}
