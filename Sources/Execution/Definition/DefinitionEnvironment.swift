package import Catalog
package import Columnar
package import Diagnostics
package import Planning
package import SQLSyntax

/// What DDL needs from binder, planner and parser: names of types settled, expressions bound, queries run.
///
/// A protocol because the parts that do it stand above this folder or beside it; a session makes one for
/// each statement.
package protocol DefinitionEnvironment {
  /// The schema that gets new objects whose name has none.
  var creationSchema: String { get }
  /// The schemas in which names are looked for.
  var searchPath: [String] { get }
  var context: EvaluationContext { get }

  /// The type of this name.
  ///
  /// - Throws: 42704 `type "x" does not exist`, 22023 for its modifiers.
  func type(_ name: TypeName, in catalog: CatalogSnapshot) throws(SQLError) -> ColumnType

  /// An expression over one row of a table, or over nothing.
  func bind(
    _ expression: Expression, as purpose: RowExpressionPurpose, in catalog: CatalogSnapshot
  ) throws(SQLError) -> BoundRowExpression

  /// The columns of a query, and what it rests on.
  func describe(
    _ statement: Statement, in catalog: CatalogSnapshot
  ) throws(SQLError) -> QueryDescription

  /// The rows of a query as the transaction sees them.
  func run(
    _ statement: Statement, in transaction: OpenTransaction
  ) throws(SQLError) -> [DataChunk]

  /// The values of a bound expression for each row of a chunk whose columns are `columns`.
  func evaluate(
    _ expression: BoundExpression, columns: [PlanColumn], over chunk: DataChunk,
    in transaction: OpenTransaction
  ) throws(SQLError) -> Vector

  /// The statements of the body of a function.
  func parse(_ source: String, language: String) throws(SQLError) -> [Statement]

  /// Checks a function's body against its parameters and result, and says what it rests on.
  @discardableResult
  func check(
    _ function: FunctionDefinition, in catalog: CatalogSnapshot
  ) throws(SQLError) -> Set<ObjectID>
}

/// Why an expression of a table's definition is bound.
package enum RowExpressionPurpose: Sendable {
  /// CHECK over the columns of a table; boolean.
  case check(TableDefinition)
  /// DEFAULT of a column: no columns, assigned to the type.
  case defaultValue(column: String, ColumnType)
  /// `GENERATED ALWAYS AS` over the columns of a table, assigned to the type.
  case generated(TableDefinition, column: String, ColumnType)
  /// `USING` of ALTER COLUMN TYPE over the columns of a table, assigned to the type.
  case conversion(TableDefinition, column: String, ColumnType)
  /// A key or the predicate of an index.
  case index(TableDefinition)
  case indexPredicate(TableDefinition)
  /// A property of an element of a graph.
  case graphProperty(TableDefinition)
}

/// An expression over the columns of one row.
package struct BoundRowExpression: Sendable {
  package var expression: BoundExpression
  /// Columns that stand for the table's, in its order; empty where there are none.
  package var columns: [PlanColumn]
  /// What the type of the value is restricted to.
  package var modifier: TypeModifier
  /// What it rests on.
  package var dependencies: Set<ObjectID>

  package init(
    _ expression: BoundExpression, columns: [PlanColumn], modifier: TypeModifier = .none,
    dependencies: Set<ObjectID> = []
  ) {
    self.expression = expression
    self.columns = columns
    self.modifier = modifier
    self.dependencies = dependencies
  }
}

/// What is known of a query before it runs.
package struct QueryDescription: Sendable {
  package var names: [String]
  package var types: [ColumnType]
  package var dependencies: Set<ObjectID>
  /// What its short forms stand for.
  package var expansions: StatementExpansions

  package init(
    names: [String], types: [ColumnType], dependencies: Set<ObjectID>,
    expansions: StatementExpansions = StatementExpansions()
  ) {
    self.names = names
    self.types = types
    self.dependencies = dependencies
    self.expansions = expansions
  }
}

/// What a definition statement did.
package struct DefinitionResult: Sendable {
  /// Such as `CREATE TABLE`.
  package var tag: String
  package var notices: [Notice]

  package init(_ tag: String, _ notices: [Notice] = []) {
    self.tag = tag
    self.notices = notices
  }
}
