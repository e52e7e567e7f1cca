import Catalog
import Columnar
import Diagnostics
import Planning
import SQLSyntax

/// Operators of one input.
extension QueryTranslator {
  /// The block that gives the rows of a plan.
  func block(for plan: LogicalPlan) throws(Refusal) -> SelectBlock {
    switch plan {
    case .scan(let scan): return try block(of: scan)
    case .values(let rows, let columns): return try block(of: rows, columns)
    case .filter(let input, let conditions): return try filtered(input, conditions)
    case .project(let input, let columns): return try projected(input, columns)
    case .projectSet(let input, let columns, let calls):
      return try projected(input, columns, calls)
    case .join(let join): return try joined(join)
    case .path(let path): return try searched(path)
    case .aggregate(let plan): return try aggregated(plan)
    case .window(let input, let calls): return try windowed(input, calls)
    case .sort(let input, let keys): return try sorted(input, keys)
    case .limit(let input, let limit): return try limited(input, limit)
    case .distinct(let input, on: nil): return try distinct(input)
    case .distinct(let input, on: let keys?): return try firstRows(of: input, by: keys)
    case .setOperation(let plan): return try combined(plan)
    case .recursive(let plan): return try recursive(plan)
    case .workingTable(let id, let columns):
      guard let found = working[id] else { throw Refusal("rows of a round outside of it") }
      roundReads[id, default: 0] += 1
      return reading(found, columns)
    case .commonReference(let id, let columns): return try block(ofCommon: id, columns)
    case .withCommon(let id, let definition, let body):
      try define(id, definition)
      return try block(for: body)
    case .tableFunction(let plan): return try called(plan)
    case .modify: throw Refusal("only queries leave; changes of data do not")
    }
  }

  private func block(of scan: ScanPlan) throws(Refusal) -> SelectBlock {
    var block = SelectBlock()
    let name = alias(scan.alias)
    var joined: [Int] = []
    var constant: [Int] = []
    for column in scan.columns {
      // The position of a row is what tells it from others; there its key does.
      if column.index == ScanPlan.positionIndex, let key = scan.table.keyColumn {
        block.columns[column.column.id] = Piece(.column(name, scan.table.columns[key].name))
      }
      if column.index < 0 { continue }
      let found = partners[column.column.id] ?? []
      if !found.isEmpty { joined.append(column.index) }
      if fixed.contains(column.column.id) { constant.append(column.index) }
      guard scan.table.columns.indices.contains(column.index) else { continue }
      // Rows as values are kept as texts there.
      if dialect == .spark, column.column.type.physical == .record { continue }
      block.columns[column.column.id] = Piece(
        .column(name, scan.table.columns[column.index].name))
    }
    // Where a key is given, the rows that have it stand together.
    let choice = choose(scan.table, constant.isEmpty ? joined : constant)
    if choice.isSmall { block.hints = ["BROADCAST(\(dialect.quoted(name)))"] }
    let isOwnName = choice.name.parts.count == 1 && choice.name.name == name
    block.from = .table(
      NamedTable(
        choice.name, alias: isOwnName ? nil : TableAlias(Identifier(name)), isOnly: choice.isOnly))
    block.filter = try conditions(scan.filters, block.columns)
    return block
  }

  private func block(
    of rows: [[BoundExpression]], _ columns: [PlanColumn]
  ) throws(Refusal) -> SelectBlock {
    var block = SelectBlock()
    if rows.count == 1 {
      for (value, column) in zip(rows[0], columns) {
        block.columns[column.id] = try piece(value, [:])
      }
      return block
    }
    let name = alias("v")
    let names = names(of: columns)
    for (column, columnName) in zip(columns, names) {
      block.columns[column.id] = Piece(.column(name, columnName))
    }
    if rows.isEmpty || columns.isEmpty {
      // No row, or rows of which only the number counts.
      let one = SelectBlock().statement(
        zip(names, columns).map { ($0, typed(.null, $1.type)) })
      var query = SelectStatement(body: one.body)
      if rows.isEmpty {
        query.limit = .number(0)
      } else {
        for _ in rows.dropFirst() {
          query.body = .setOperation(
            SetOperation(
              kind: .union, isAll: true, left: query.body, right: one.body, operatorRange: .none))
        }
      }
      block.from = derived(query, name)
      return block
    }
    var list: [[SQLSyntax.Expression]] = []
    for row in rows {
      list.append(try row.map { (value) throws(Refusal) in try piece(value, [:]).expression })
    }
    block.from = .subquery(
      DerivedTable(
        query: SelectStatement(body: .values(ValuesList(rows: list, range: .none))),
        alias: TableAlias(Identifier(name), columns: names.map { Identifier($0) }),
        isLateral: false, range: .none))
    return block
  }

  func derived(_ query: SelectStatement, _ name: String) -> TableReference {
    .subquery(
      DerivedTable(
        query: query, alias: TableAlias(Identifier(name)), isLateral: false, range: .none))
  }

  func conditions(
    _ list: [BoundExpression], _ columns: [ColumnID: Piece]
  ) throws(Refusal) -> [Piece] {
    try list.map { (condition) throws(Refusal) in try piece(condition, columns) }
  }

  private func filtered(
    _ input: LogicalPlan, _ list: [BoundExpression]
  ) throws(Refusal) -> SelectBlock {
    var block = try lightened(try block(for: input, upTo: .grouped), input, for: list)
    var pieces = try conditions(list, block.columns)
    if block.stage == .grouped {
      if pieces.contains(where: \.hasSubquery) {
        block = try wrapped(block, input.outputs)
        pieces = try conditions(list, block.columns)
      } else {
        if block.groupBy == nil && dialect == .spark {
          block = try wrapped(block, input.outputs)
          block.filter += try conditions(list, block.columns)
        } else {
          block.having += pieces.map(\.expression)
        }
        return block
      }
    }
    block.filter += pieces
    return block
  }

  private func projected(
    _ input: LogicalPlan, _ columns: [ProjectedColumn]
  ) throws(Refusal) -> SelectBlock {
    var block = try block(for: input)
    if block.stage == .distinct || block.isDistinct {
      // The columns decide which rows are different.
      let kept = columns.compactMap(\.expression.asColumn)
      let isSame = kept.count == columns.count && Set(kept) == Set(input.outputs.map(\.id))
      if !isSame { block = try wrapped(block, input.outputs) }
    }
    block = try lightened(block, input, for: columns.map(\.expression))
    var result: [ColumnID: Piece] = [:]
    for column in columns { result[column.column.id] = try piece(column.expression, block.columns) }
    // One row of all rows is known by its aggregates alone.
    let isTotal = block.stage == .grouped && block.groupBy == nil
    if isTotal, !result.values.contains(where: { $0.contains(block.aggregates) }) {
      let outside = try wrapped(block, input.outputs)
      for column in columns {
        result[column.column.id] = try piece(column.expression, outside.columns)
      }
      block = outside
    }
    block.columns = result
    return block
  }

  private func sorted(
    _ input: LogicalPlan, _ keys: [SortKey]
  ) throws(Refusal) -> SelectBlock {
    var block = try block(for: input, upTo: .distinct)
    let isPlain = keys.allSatisfy { $0.expression.asColumn != nil }
    if block.stage == .distinct && !isPlain { block = try wrapped(block, input.outputs) }
    // Spark finds no aggregates in ORDER BY behind HAVING.
    if dialect == .spark && !block.having.isEmpty { block = try wrapped(block, input.outputs) }
    // Nor does it take window functions there.
    let isComputed = keys.contains { key in
      key.expression.columns.contains { block.columns[$0]?.isColumn == false }
    }
    if dialect == .spark && block.stage == .windowed && isComputed {
      block = try wrapped(block, input.outputs)
    }
    block = try lightened(
      block, input, for: keys.map(\.expression), allowingSubqueries: false)
    block.orderBy = try sortItems(keys, block.columns)
    return block
  }

  /// ORDER BY with where NULLs go spelled out, as systems differ in that.
  func sortItems(
    _ keys: [SortKey], _ columns: [ColumnID: Piece]
  ) throws(Refusal) -> [SortItem] {
    var items: [SortItem] = []
    for key in keys {
      if case .constant = key.expression { continue }
      let value = try orderable(try piece(key.expression, columns).expression, key.expression.type)
      if case .literal = value.kind { continue }
      items.append(
        SortItem(
          value, isDescending: key.isDescending, nulls: key.nullsFirst ? .first : .last))
    }
    return items
  }

  private func limited(_ input: LogicalPlan, _ limit: LimitPlan) throws(Refusal) -> SelectBlock {
    if let ties = limit.ties { return try limitedWithTies(input, limit, ties) }
    var block = try block(for: input, upTo: .distinct)
    if block.stage == .distinct { block.isDistinct = true }
    block.stage = .limited
    block.limit = try limit.count.map { (count) throws(Refusal) in try rowCount(count, "limit") }
    block.offset = try limit.offset.map { (count) throws(Refusal) in try rowCount(count, "offset") }
    return block
  }

  private func rowCount(
    _ value: BoundExpression, _ word: String
  ) throws(Refusal) -> SQLSyntax.Expression {
    if case .constant(.int64(let number), _) = value, number >= 0 {
      return .number(Int(min(number, Int64(Int32.max))))
    }
    if dialect == .postgres { return try piece(value, [:]).expression }
    throw Refusal("the number of rows is to be a constant", about: .word(word))
  }

  private func limitedWithTies(
    _ input: LogicalPlan, _ limit: LimitPlan, _ ties: [SortKey]
  ) throws(Refusal) -> SelectBlock {
    var block = try block(for: input, upTo: .grouped)
    if block.stage == .grouped { block = try wrapped(block, input.outputs) }
    let order = try sortItems(ties, block.columns)
    let skipped = try limit.offset.map { (count) throws(Refusal) in try rowCount(count, "offset") }
    let count = try limit.count.map { (count) throws(Refusal) in try rowCount(count, "fetch") }
    let rank = numbering("rank", [], order)
    let place = numbering("row_number", [], order)
    let name = alias("q")
    let names = names(of: input.outputs)
    var values: [(name: String, value: SQLSyntax.Expression)] = []
    var outside = SelectBlock()
    for (column, columnName) in zip(input.outputs, names) {
      values.append((columnName, try lookUp(column.id, block.columns).expression))
      outside.columns[column.id] = Piece(.column(name, columnName))
    }
    block.orderBy = []
    outside.from = derived(
      block.statement(values + [("rank of row", rank), ("number of row", place)]), name)
    if let count {
      let last = skipped.map { SQLSyntax.Expression.infix(count, "+", $0) } ?? count
      outside.filter.append(Piece(.infix(.column(name, "rank of row"), "<=", last)))
    }
    if let skipped {
      outside.filter.append(Piece(.infix(.column(name, "number of row"), ">", skipped)))
    }
    outside.orderBy = [
      SortItem(.column(name, "number of row"), nulls: .last)
    ]
    return outside
  }

  /// `function() OVER (PARTITION BY … ORDER BY …)`.
  func numbering(
    _ function: String, _ partition: [SQLSyntax.Expression], _ order: [SortItem]
  ) -> SQLSyntax.Expression {
    let window = WindowSpecification(
      base: nil, partitionBy: partition, orderBy: order, frame: nil, range: .none)
    return SQLSyntax.Expression(
      .function(FunctionCall(QualifiedName(Identifier(function)), over: .inline(window))))
  }

  private func distinct(_ input: LogicalPlan) throws(Refusal) -> SelectBlock {
    var block = try block(for: input, upTo: .windowed)
    // A column that is not handed up would tell rows apart by the order alone.
    if !block.orderBy.isEmpty || block.columns.count > input.outputs.count {
      block = try wrapped(block, input.outputs)
    }
    for column in input.outputs where dialect == .spark {
      try requireComparable(column.type, "DISTINCT", .word("distinct"))
    }
    block.stage = .distinct
    return block
  }

  /// DISTINCT ON: the first row, in the input's order, for each value of the keys.
  private func firstRows(
    of input: LogicalPlan, by keys: [BoundExpression]
  ) throws(Refusal) -> SelectBlock {
    var source = input
    var order: [SortKey] = []
    var above: [ProjectedColumn]?
    if case .project(let below, let columns) = source, case .sort = below {
      above = columns
      source = below
    }
    if case .sort(let below, let own) = source {
      order = own
      source = below
    }
    var block = try block(for: source, upTo: .joined)
    if block.stage != .joined { block = try wrapped(block, source.outputs) }
    var visible = block.columns
    if let above {
      for column in above { visible[column.column.id] = try piece(column.expression, visible) }
    }
    let partition = try keys.map { (key) throws(Refusal) in try piece(key, visible).expression }
    let items = try sortItems(order, visible)
    if dialect == .spark && items.isEmpty {
      throw Refusal(
        "DISTINCT ON without ORDER BY gives rows that nothing settles", about: .word("distinct"))
    }
    let number = numbering("row_number", partition, items)
    let name = alias("q")
    let columns = input.outputs
    let extra = source.outputs.filter { column in !columns.contains { $0.id == column.id } }
    var values: [(name: String, value: SQLSyntax.Expression)] = []
    var outside = SelectBlock()
    for (column, columnName) in zip(columns + extra, names(of: columns + extra)) {
      values.append((columnName, try lookUp(column.id, visible).expression))
      outside.columns[column.id] = Piece(.column(name, columnName))
    }
    outside.from = derived(block.statement(values + [("number of row", number)]), name)
    outside.filter = [
      Piece(.infix(.column(name, "number of row"), "=", .number(1)))
    ]
    outside.orderBy = try sortItems(
      order.filter { key in key.expression.columns.isSubset(of: ColumnSet(outside.columns.keys)) },
      outside.columns)
    return outside
  }
}
