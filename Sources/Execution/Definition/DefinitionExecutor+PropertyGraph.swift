import Catalog
import Diagnostics
import SQLSyntax

/// Property graphs.
extension DefinitionExecutor {
  /// What ALTER TABLE and its like do to a graph that they name.
  mutating func alter(
    graph: PropertyGraphDefinition, _ statement: AlterTableStatement
  ) throws(SQLError) -> String {
    throw SQLError(
      .wrongObjectType,
      "\"\(graph.name.name)\" is not a \(statement.kind.rawValue.lowercased())",
      hint: "Use ALTER PROPERTY GRAPH instead.")
  }
}
