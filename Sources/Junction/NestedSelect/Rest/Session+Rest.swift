import Catalog
import Diagnostics
import SQLSyntax

extension Session {
  /// Carries a request out.
  ///
  /// - Throws: the statement's error; what is wrong with the request is noted.
  func rows(of run: RestRun) throws(SQLError) -> ResultSet {
    let plan: RestPlan
    do throws(NestedSelectError) { plan = try RestPlan(run, catalogView) } catch {
      throw run.fail(error)
    }
    guard run.counts || run.isHead, let count = plan.count else {
      let rows = try self.rows(of: plan, run)
      run.note(count: run.counts ? rows.rowCount : nil, plan)
      return rows
    }
    return try inOneState { () throws(SQLError) in
      let counted = try rows(of: .select(count)).first?[0].integer ?? 0
      run.note(count: run.counts ? Int(counted) : nil, plan)
      if run.isHead { return ResultSet(columns: [], chunks: []) }
      return try rows(of: plan.statement)
    }
  }

  /// Runs a read, or a change on its terms.
  private func rows(of plan: RestPlan, _ run: RestRun) throws(SQLError) -> ResultSet {
    guard run.action.writes, run.terms.areGiven else { return try rows(of: plan.statement) }
    return try asUnit(isKept: !run.terms.isTrial) { () throws(SQLError) in
      let rows = try self.rows(of: plan.statement)
      let given = (plan.window ?? 0..<rows.count).clamped(to: 0..<rows.count).count
      do throws(NestedSelectError) {
        try run.terms.check(given: given, changed: rows.rowCount)
      } catch {
        throw run.fail(error)
      }
      return rows
    }
  }

  /// Runs a statement, if there is one.
  private func rows(of statement: Statement?) throws(SQLError) -> ResultSet {
    guard let statement else { return ResultSet(columns: [], chunks: []) }
    let result = try run(ParsedStatement(statement: statement))
    var rows = result.rows ?? ResultSet(columns: [], chunks: [])
    rows.rowCount = result.rowCount
    return rows
  }

  /// Runs `body`, whose statements see one state.
  private func inOneState(
    _ body: () throws(SQLError) -> ResultSet
  ) throws(SQLError) -> ResultSet {
    guard transaction == nil else { return try body() }
    open(
      OpenTransaction(
        state, isolation: .repeatableRead, isReadOnly: true, reading: state.current))
    defer { endTransaction(rollingBack: true) }
    return try body()
  }
}
