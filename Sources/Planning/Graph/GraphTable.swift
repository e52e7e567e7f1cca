import Diagnostics
import SQLSyntax

extension BindingSession {
  /// The rows of GRAPH_TABLE: those of its matches.
  func bindGraphTable(_ table: GraphTable, in scope: Scope) throws(SQLError) -> FromItem {
    throw SQLError.unsupported("GRAPH_TABLE", at: table.range)
  }
}
