import Catalog
import Diagnostics

extension Session {
  /// Runs a request, and gives the rows of its last statement.
  ///
  /// - Throws: the error of the first statement that fails; nothing of that statement stays.
  func rows(of request: Request) throws(SQLError) -> ResultSet {
    switch request.work {
    case .sql(let sql):
      return try rows(of: sql.hasParts ? sql.resolved(catalogView) : sql)
    case .made(let make): return try rows(of: make(catalogView))
    case .unit(let parts):
      var whole: [SQL] = []
      for part in parts { whole.append(try part.resolved(catalogView)) }
      return try rows(ofUnit: whole)
    case .look(let look):
      look.note(catalogView)
      return ResultSet(columns: [], chunks: [])
    case .load(let load): return try self.load(load)
    case .rest(let run): return try rows(of: run)
    }
  }

  /// The catalog as the session's statements see it.
  var catalogView: CatalogView {
    let (version, path) = (
      transaction?.catalog.version ?? state.current.catalog.version, settings.searchPath
    )
    if let last = lastView, last.catalog.version == version, last.searchPath == path { return last }
    let view = CatalogView(transaction?.catalog ?? state.current.catalog, searchPath: path)
    lastView = view
    return view
  }

  /// Runs statements of which all are done or none.
  ///
  /// - Throws: the error of the first that fails.
  private func rows(ofUnit parts: [SQL]) throws(SQLError) -> ResultSet {
    try asUnit { () throws(SQLError) in
      var rows = ResultSet(columns: [], chunks: [])
      for part in parts { rows = try self.rows(of: part) }
      return rows
    }
  }

  /// Runs `body`, of which all is done or nothing: a transaction, or a part of the one that is open.
  ///
  /// - Parameters:
  ///   - isKept: Whether what was done stays.
  ///   - body: Runs statements.
  /// - Returns: what `body` gives.
  /// - Throws: what `body` throws.
  func asUnit(
    isKept: Bool = true, _ body: () throws(SQLError) -> ResultSet
  ) throws(SQLError) -> ResultSet {
    let name = "unit"
    let isPart = transaction != nil
    if isPart {
      transaction?.addSavepoint(name)
    } else {
      let opened = OpenTransaction(state)
      let evaluation = makeEvaluation()
      try cancellable(evaluation) { () throws(SQLError) in try opened.beginWriting(evaluation) }
      open(opened)
    }
    do throws(SQLError) {
      let rows = try body()
      if !isKept {
        try undoUnit(name, isPart)
      } else if isPart {
        try transaction?.releaseSavepoint(name)
      } else {
        try commit()
      }
      return rows
    } catch {
      try undoUnit(name, isPart)
      throw error
    }
  }

  private func undoUnit(_ name: String, _ isPart: Bool) throws(SQLError) {
    guard isPart else { return endTransaction(rollingBack: true) }
    try transaction?.rollBack(toSavepoint: name)
    try transaction?.releaseSavepoint(name)
  }

  /// Runs the statements of a text, and gives the rows of the last one.
  private func rows(of sql: SQL) throws(SQLError) -> ResultSet {
    if !isFailed, let plan = planCache[sql.text] {
      if var rows = try rowsOfPoint(plan, sql.arguments) {
        if !notices.isEmpty { notices = [] }
        rows.rowCount = rows.count
        return rows
      }
      return try runPrepared(plan, sql.arguments) { planCache.insert($0, for: sql.text) }.answer
    }
    return try run(sql.text, sql.arguments).last?.answer ?? ResultSet(columns: [], chunks: [])
  }
}
