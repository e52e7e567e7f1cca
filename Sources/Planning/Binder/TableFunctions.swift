import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension BindingSession {
  /// One or more functions in FROM.
  func bindTableFunction(
    _ function: TableFunction, in scope: Scope
  ) throws(SQLError) -> FromItem {
    let outer = scope.clause
    scope.clause = .function
    defer { scope.clause = outer }
    let items = spreadUnnest(function.items)
    var sources: [FunctionSource] = []
    for item in items {
      let columns = item.columns.isEmpty && items.count == 1 ? function.columns : item.columns
      sources.append(try bindFunctionSource(item.call, columns: columns, in: scope))
    }
    guard let first = sources.first else { throw SQLError.internal("no function in FROM") }
    let functionName = first.name
    var plan: LogicalPlan
    var ordinality: PlanColumn?
    if function.hasOrdinality { ordinality = makeColumn("ordinality", .bigint) }
    if sources.count == 1, case .query(let query) = first.kind {
      plan = exact(query)
      if let column = ordinality { plan = number(plan, as: column) }
    } else {
      var calls: [TableFunctionCall] = []
      for source in sources {
        guard case .call(let call) = source.kind else {
          throw SQLError.unsupported(
            "a function without a set of rows among several functions in ROWS FROM",
            at: function.range)
        }
        calls.append(call)
      }
      plan = .tableFunction(TableFunctionPlan(calls: calls, ordinality: ordinality))
    }
    var columns = sources.flatMap(\.columns)
    // The one column of a scalar function is called as the function is, by its alias if it has one; but an OUT
    // parameter keeps its name.
    if sources.count == 1, first.isScalar, !first.hasOwnName, let alias = function.alias,
      alias.columns.isEmpty,
      function.columns.isEmpty, !columns.isEmpty
    {
      columns[0].name = alias.name.name
    }
    if let ordinality { columns.append(ordinality) }
    let alias = function.alias?.name.name ?? functionName
    let source = RangeSource(
      rowType: first.rowType,
      isScalarFunction: sources.count == 1 && first.isScalar && ordinality == nil,
      outputs: plan.outputs.map(\.id))
    let entry = RangeEntry(
      name: alias,
      columns: try renamed(
        rangeColumns(columns), function.alias, table: alias, at: function.range),
      source: source)
    return FromItem(plan: plan, entries: [register(entry, in: scope)])
  }

  /// `unnest(a, b)` in FROM is `ROWS FROM (unnest(a), unnest(b))`.
  private func spreadUnnest(_ items: [TableFunction.Item]) -> [TableFunction.Item] {
    items.flatMap { item -> [TableFunction.Item] in
      guard case .function(let call) = item.call.kind, call.name.name == "unnest",
        call.arguments.count > 1
      else { return [item] }
      return call.arguments.map { argument in
        var part = call
        part.arguments = [argument]
        var copy = item
        copy.call = Expression(.function(part), at: item.call.range)
        return copy
      }
    }
  }

  /// Numbers the rows of a plan, for WITH ORDINALITY.
  private func number(_ plan: LogicalPlan, as column: PlanColumn) -> LogicalPlan {
    let frame = WindowCall.WindowFrame(unit: .rows, start: .unboundedPreceding, end: .currentRow)
    let call = WindowCall(
      function: .rowNumber, arguments: [], partitionBy: [], orderBy: [], frame: frame,
      type: .bigint)
    return .window(plan, [(column: column, call: call)])
  }

  private func bindFunctionSource(
    _ expression: Expression, columns: [ColumnDefinition], in scope: Scope
  ) throws(SQLError) -> FunctionSource {
    guard case .function(let call) = expression.kind else {
      let value = try settled(try bind(expression, in: scope), at: expression.range)
      return scalarSource(value, name: outputName(of: expression))
    }
    if call.over != nil || isAggregate(call) {
      let what = call.over != nil ? "window" : "aggregate"
      throw SQLError(
        call.over != nil ? .windowingError : .groupingError,
        "\(what) functions are not allowed in functions in FROM", at: expression.range)
    }
    if let source = try bindGraphFunction(call, at: expression.range, in: scope) { return source }
    let arguments = try bindArguments(call, in: scope)
    var records: [PlanColumn]?
    if !columns.isEmpty {
      var list: [PlanColumn] = []
      for column in columns {
        list.append(makeColumn(column.name.name, try columnType(column.type)))
      }
      records = list
    }
    if let source = try resolveTableFunction(
      call, arguments, columns: records, at: expression.range, in: scope)
    {
      return source
    }
    let value = try settled(
      try resolveCall(call, arguments, at: expression.range, in: scope), at: expression.range)
    if case .record(let record) = value.type {
      // A composite value in FROM gives its fields as columns.
      let whole = makeColumn("row", value.type)
      var plan = LogicalPlan.project(
        .values(rows: [[]], columns: []), [ProjectedColumn(whole, value)])
      let fields = record.fields.enumerated().map { index, field in
        ProjectedColumn(
          makeColumn(field.name, field.type),
          .field(.column(whole.id, whole.type), index, field.type))
      }
      plan = .project(plan, fields)
      return FunctionSource(
        name: call.name.name,
        kind: .query(BoundQuery(plan: plan, columns: fields.map(\.column), ranges: [])),
        columns: fields.map(\.column), isScalar: false, rowType: record)
    }
    return scalarSource(value, name: call.name.name)
  }

  /// A scalar value as a table of one row.
  private func scalarSource(_ value: BoundExpression, name: String) -> FunctionSource {
    let column = makeColumn(name, for: value)
    let plan = LogicalPlan.project(
      .values(rows: [[]], columns: []), [ProjectedColumn(column, value)])
    return FunctionSource(
      name: name, kind: .query(BoundQuery(plan: plan, columns: [column], ranges: [])),
      columns: [column], isScalar: true, rowType: nil)
  }
}

/// A function as a source of rows.
struct FunctionSource {
  enum Kind {
    case call(TableFunctionCall)
    case query(BoundQuery)
  }
  var name: String
  var kind: Kind
  var columns: [PlanColumn]
  /// Whether the result is a scalar, whose column takes the alias as its name.
  var isScalar: Bool
  /// Whether an OUT parameter gives the scalar's column its name.
  var hasOwnName = false
  var rowType: RecordType?
}
