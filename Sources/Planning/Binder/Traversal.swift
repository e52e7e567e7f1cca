import Columnar
import Diagnostics
import SQLSyntax

/// A recursive definition after SEARCH and CYCLE have become ordinary columns.
struct RewrittenRecursion {
  var operation: SetOperation
  var columnNames: [Identifier]
}

extension BindingSession {
  /// Rewrites SEARCH and CYCLE; without them the definition stays as it is.
  func rewriteTraversal(
    _ item: CommonTableExpression, _ operation: SetOperation
  ) throws(SQLError) -> RewrittenRecursion {
    if let clause = item.search?.range ?? item.cycle?.range {
      throw SQLError.unsupported("SEARCH or CYCLE", at: clause)
    }
    return RewrittenRecursion(operation: operation, columnNames: item.columnNames)
  }
}
