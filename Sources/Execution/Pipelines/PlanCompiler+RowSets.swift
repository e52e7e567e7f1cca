import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

extension PlanCompiler {
  /// The rows of a table but for those left out, as a set of positions.
  func rowSet(_ rows: RemainingRows) throws(SQLError) -> TableRowSet {
    var exclusions: [Walker] = []
    for exclusion in rows.exclusions {
      let access = exclusion.keyColumns.map { KeyAccess(rows.scan.table, [], keyColumns: $0) }
      exclusions.append(
        try Walker(exclusion.start, exclusion.steps, access: access, self))
    }
    return TableRowSet(rows.scan.table, TableColumns(rows.scan.columns), exclusions: exclusions)
  }

  /// The rows of a set in the order that the table keeps.
  func storedOrder(
    _ order: StoredOrderScan, _ outputs: [PlanColumn]
  ) throws(SQLError) -> Stream {
    let rows = try rowSet(order.rows)
    let columns = order.keys.compactMap { key in
      order.rows.scan.columns.first { $0.column.id == key.expression.asColumn }?.index
    }
    let compiler = expressions(over: outputs)
    func evaluator() throws(SQLError) -> LimitEvaluator? {
      guard let limit = order.limit else { return nil }
      return try LimitEvaluator(limit, compiler)
    }
    let sort: SortSource
    let isOfAll = order.rows.exclusions.isEmpty
    if let limit = order.limit, isOfAll {
      let scan = PhysicalPlan(.scan(order.rows.scan), outputs: outputs, estimatedRows: 0)
      sort = try first(limit, of: scan, by: order.keys, isPart: true)
    } else {
      sort = SortSource(
        order.keys, limit: try evaluator(),
        Stream(source: RowSetSource(rows), outputs: outputs), compiler)
    }
    return Stream(
      source: StoredOrderSource(
        rows, by: StoredOrders.Key(columns: columns, orders: order.keys.map(\.order)),
        limit: try evaluator(), sort: sort, isOfAll: isOfAll),
      outputs: outputs)
  }

  /// The walk of a recursion along a foreign key.
  func closureSource(_ closure: Closure) throws(SQLError) -> ClosureSource {
    let seeds: ClosureSource.Seeds
    switch closure.seeds {
    case .neighbours(let lookup):
      seeds = .walked(try Walker(.keys(lookup.keys), [lookup.step], access: nil, self))
    case .row(let lookup, let isGiven):
      let start = Walk.Start.keys(lookup.keys)
      let access = KeyAccess(lookup.table, [], keyColumns: lookup.keyColumns)
      seeds = .row(
        try Walker(start, [], access: access, self), parameter: start.parameter, isGiven: isGiven)
    case .rows(let plan): seeds = .rows(StreamRunner(try stream(plan)))
    case .edges(let plan): seeds = .edges(StreamRunner(try stream(plan)))
    }
    let conditions = try closure.walk.conditional.map { (step) throws(SQLError) in
      try EdgeConditions(step, expressions(over: step.columns))
    }
    let rounds = try closure.walk.rounds.map { (rounds) throws(SQLError) in
      RoundCounter(
        rounds, try ConjunctiveFilter(rounds.conditions, expressions(over: [rounds.column])))
    }
    return ClosureSource(seeds, closure, conditions, rounds)
  }

  /// Has a closure summarize only those of its rows that meet conditions.
  func select(_ summary: RowSummary, _ source: Source) throws(SQLError) {
    guard let source = source as? ClosureSource, case .closure(let closure) = summary.input.node
    else { throw SQLError.internal("rows are summarized under conditions that nobody asks") }
    let outputs = summary.input.outputs
    guard let rows = closure.rows(outputs) else {
      throw SQLError.internal("a closure reaches rows of no table")
    }
    var selection = ReachedSelection()
    if !summary.filters.isEmpty {
      let used = summary.filters.columns
      let columns = rows.columns.filter { used.contains($0.column.id) }
      selection.rows = try KeptCondition(
        summary.filters, columns, expressions(over: columns.map(\.column)))
      if selection.rows == nil {
        throw SQLError.internal("a condition on the rows of a closure depends on more than them")
      }
    }
    for condition in summary.exclusions {
      guard let key = rows.excludedKey(condition)?.key else { continue }
      var parameter: Int?
      if case .parameter(let index, _) = key { parameter = index }
      selection.exclusions.append(
        ReachedSelection.Exclusion(
          key: try expressions(over: []).compile(key), parameter: parameter))
    }
    if let rounds = closure.walk.rounds {
      selection.rounds = summary.roundFilters.comparisons(of: outputs[rounds.place].id) ?? []
    }
    source.selection = selection
  }
}
