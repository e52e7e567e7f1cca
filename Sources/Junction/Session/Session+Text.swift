import Columnar
import Diagnostics
import SQLSyntax

extension Session {
  /// Runs every statement of a text; the plan of a single one is kept for the next time.
  ///
  /// - Throws: the error of the first statement that fails; nothing of that statement stays.
  func run(_ sql: String, _ parameters: [SQLValue]) throws(SQLError) -> [StatementResult] {
    if !isFailed, let plan = planCache[sql] {
      return [try runPrepared(plan, parameters) { planCache.insert($0, for: sql) }]
    }
    if parameters.isEmpty, let result = try runShared(sql) { return [result] }
    let statements = try parse(sql)
    if statements.count == 1 {
      return [
        try run(statements[0], parameters: parameters) { planCache.insert($0, for: sql) }
      ]
    }
    var results: [StatementResult] = []
    for statement in statements {
      results.append(try run(statement, parameters: parameters))
    }
    return results
  }

  /// A longer text takes so long to be parsed that it may be cancelled.
  private static let longTextByteCount = 1 << 20

  /// Parses a text; a text that is no SQL ends a transaction like any other error.
  func parse(_ sql: String) throws(SQLError) -> [ParsedStatement] {
    do throws(SQLError) {
      if sql.utf8.count < Self.longTextByteCount {
        if let statements = try parseShallowStatements(sql) { return statements }
        return try DeepStack.run(if: true) { () throws(SQLError) in try parseStatements(sql) }
      }
      return try cancellable(makeEvaluation()) { () throws(SQLError) in
        try parseStatements(sql)
      }
    } catch {
      noteFailure()
      throw error
    }
  }
}
