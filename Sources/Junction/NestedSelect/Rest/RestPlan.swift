import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// The statements that a request becomes.
struct RestPlan {
  /// What gives the rows or changes them; nil if there is nothing to be done.
  private(set) var statement: Statement?
  /// What counts the rows as they were without a limit; nil where the statement itself tells.
  private(set) var count: SelectStatement?
  /// The rows that are given back of those that a change gives; nil for all of them.
  private(set) var window: Range<Int>?
  /// Whether it gives a set of rows; else one row, or a value.
  private(set) var isSet = true

  /// - Throws: PGRST codes for what is not there or not clear, 42804 and others for values that are none of their columns.
  init(_ run: RestRun, _ view: CatalogView) throws(NestedSelectError) {
    var resolver = RequestResolver(catalog: view.catalog, searchPath: view.searchPath)
    let translator = RequestTranslator(catalog: view.catalog)
    switch run.action {
    case .read: try read(try resolver.resolve(run.request), run, translator)
    case .insert(let body, let conflict):
      let level = try resolver.resolve(run.request)
      let rows = try RestRows(body, of: level.table)
      let keys = view.catalog.tables[level.table.id]
      let insert = try translator.insert(rows, into: level, try conflict?.resolved(rows, keys))
      change(insert.map { .insert($0) }, level, run)
      try giveBack(level, run, translator)
    case .update(let body):
      let level = try resolver.resolve(run.request)
      let update = try translator.update(level, try RestRows(body, of: level.table))
      change(update.map { .update($0) }, level, run)
      try giveBack(level, run, translator)
    case .delete:
      let level = try resolver.resolve(run.request)
      change(.delete(translator.delete(level)), level, run)
      try giveBack(level, run, translator)
    case .call(let body):
      let found = try FunctionSearch(catalog: view.catalog, searchPath: view.searchPath)
        .find(run.request.table, body)
      try call(found, run, &resolver, translator)
    }
  }

  /// A query of a level's rows, and of their number.
  private mutating func read(
    _ resolved: ReadLevel, _ run: RestRun, _ translator: RequestTranslator
  ) throws(NestedSelectError) {
    var level = resolved
    if run.isHead || (run.counts && (level.limit != nil || level.offset != nil)) {
      count = try translator.count(of: level)
    }
    if let limit = run.rowLimit { level.limitRows(to: Int64(max(0, limit))) }
    statement = .select(try translator.query(for: level))
  }

  /// A change, without what it gives back.
  private mutating func change(_ statement: Statement?, _ level: ReadLevel, _ run: RestRun) {
    self.statement = statement
    let first = Int(clamping: level.offset ?? 0)
    let (end, isOver) = first.addingReportingOverflow(Int(clamping: level.limit ?? .max))
    if level.offset != nil || level.limit != nil { window = first..<(isOver ? .max : end) }
  }

  /// Has a change give back its rows with what is embedded in them.
  ///
  /// The rows are a query under a name, from which those that are given back are read: filters have chosen them already, and a
  /// row may not meet them any more.
  private mutating func giveBack(
    _ resolved: ReadLevel, _ run: RestRun, _ translator: RequestTranslator
  ) throws(NestedSelectError) {
    guard run.givesRows, !run.isHead, let changed = statement else { return }
    let name = "changed"
    var level = resolved
    level.source = .query(name)
    level.filters = []
    level.limit = nil
    level.offset = nil
    var query = try translator.query(for: level)
    query.with = WithClause(
      isRecursive: false,
      expressions: [
        CommonTableExpression(name: Identifier(name), statement: changed.returningAll)
      ])
    statement = .select(query)
  }

  /// A query of what a function gives.
  private mutating func call(
    _ found: FunctionSearch.Found, _ run: RestRun, _ resolver: inout RequestResolver,
    _ translator: RequestTranslator
  ) throws(NestedSelectError) {
    isSet = found.isSet
    guard let table = found.table else {
      statement = .select(found.values)
      return
    }
    var level = try resolver.resolve(run.request, from: table)
    level.source = .function(found.call)
    try read(level, run, translator)
  }
}

extension Statement {
  /// A change of data that gives back all columns of its rows.
  fileprivate var returningAll: Statement {
    let all = [SelectItem(.all)]
    if case .insert(var insert) = self {
      insert.returning = all
      return .insert(insert)
    }
    if case .update(var update) = self {
      update.returning = all
      return .update(update)
    }
    if case .delete(var delete) = self {
      delete.returning = all
      return .delete(delete)
    }
    return self
  }
}
