package import Catalog
package import Columnar
package import Diagnostics
package import SQLSyntax

/// Settles the names and types of a statement: a syntax tree and a catalog become a logical plan.
///
/// The rules and the words of the errors are PostgreSQL 15's. A binder is a value without state of its
/// own; what one statement gathers on the way lives in a `BindingSession`.
package struct Binder {
  package var catalog: CatalogSnapshot
  package var settings: BinderSettings
  /// The types of `$1`, `$2`, … as far as they are given; nil is settled by use.
  package var parameterTypes: [LogicalType?]

  package init(
    catalog: CatalogSnapshot, settings: BinderSettings = BinderSettings(),
    parameterTypes: [LogicalType?] = []
  ) {
    self.catalog = catalog
    self.settings = settings
    self.parameterTypes = parameterTypes
  }

  /// The plan of a query or of a change of data.
  ///
  /// - Throws: the errors of PostgreSQL's parse analysis, with their places in the statement.
  package func bind(_ statement: Statement) throws(SQLError) -> BoundStatement {
    try bind(statement, in: makeSession())
  }

  private func bind(
    _ statement: Statement, in session: BindingSession
  ) throws(SQLError) -> BoundStatement {
    let bound = try session.bindTopLevel(statement)
    let height = try session.deepening(by: session.depthMax) { () throws(SQLError) in
      bound.plan.height()
    }
    if height > LogicalPlan.heightLimit { throw LogicalPlan.tooHigh(at: .none) }
    return BoundStatement(
      plan: bound.plan, height: max(height, session.depthMax), kind: bound.kind,
      columns: session.resultColumns(bound.columns),
      parameterTypes: session.settledParameterTypes, dependencies: session.dependencies,
      files: session.files, factory: session.factory)
  }

  /// The plan of a statement, and what its short forms stand for.
  ///
  /// - Throws: as `bind`.
  package func bindExpanding(
    _ statement: Statement
  ) throws(SQLError) -> (bound: BoundStatement, expansions: StatementExpansions) {
    let session = makeSession()
    session.expansions = StatementExpansions()
    let bound = try bind(statement, in: session)
    return (bound, session.expansions ?? StatementExpansions())
  }

  func makeSession() -> BindingSession {
    BindingSession(catalog: catalog, settings: settings, parameterTypes: parameterTypes)
  }
}

/// What a session says about names and about the reading of literals.
package struct BinderSettings: Sendable {
  /// Schemas in the order in which unqualified names are looked for.
  package var searchPath: [String]
  /// The time zone and times with which literals are read.
  package var evaluation: EvaluationContext
  package var userName: String
  package var databaseName: String
  /// Gives the rows of relations that are no tables, such as those of `information_schema`.
  package var virtualRelations: VirtualRelationProvider?
  /// Makes tables of files that a statement names.
  package var files: FileTableProvider?

  package init(
    searchPath: [String] = ["pg_temp", "public", "pg_catalog"],
    evaluation: EvaluationContext = EvaluationContext(transactionTime: 0, statementTime: 0),
    userName: String = "postgres", databaseName: String = "junction",
    virtualRelations: VirtualRelationProvider? = nil, files: FileTableProvider? = nil
  ) {
    self.searchPath = searchPath
    self.evaluation = evaluation
    self.userName = userName
    self.databaseName = databaseName
    self.virtualRelations = virtualRelations
    self.files = files
  }
}

/// Makes a virtual relation of a catalog, found by schema (nil where none was written) and name.
package typealias VirtualRelationProvider =
  @Sendable (_ catalog: CatalogSnapshot, _ schema: String?, _ name: String) -> VirtualRelation?

/// Gives the definition of the table that a file is read into, which is called as the file's alias or stem; `isWhole`
/// asks for all columns, also those that the statement does not name.
package typealias FileTableProvider =
  @Sendable (_ file: NamedTable, _ isWhole: Bool) throws(SQLError) -> TableDefinition

/// A relation whose rows are made when it is bound.
package struct VirtualRelation: Sendable {
  package var schema: String
  package var columns: [(name: String, type: ColumnType)]
  package var rows: [[Value]]

  package init(
    schema: String, columns: [(name: String, type: ColumnType)], rows: [[Value]]
  ) {
    self.schema = schema
    self.columns = columns
    self.rows = rows
  }
}

/// A statement ready for the optimiser.
package struct BoundStatement {
  /// What the statement is; its command tag follows from it.
  package enum Kind: Sendable, Hashable { case query, insert, update, delete, merge }
  package var plan: LogicalPlan
  /// How many operators, or expressions, stand above each other.
  package var height: Int
  package var kind: Kind
  /// What the client sees; empty for a change without RETURNING.
  package var columns: [ResultColumn]
  /// The types of `$1`, `$2`, … after inference.
  package var parameterTypes: [LogicalType]
  /// Tables, views, sequences, functions and types that the plan rests on.
  package var dependencies: Set<ObjectID>
  /// The tables of files, which are in no catalog.
  package var files: [TableDefinition]
  /// Where the optimiser gets further columns of this statement.
  package var factory: ColumnFactory
}

/// One column of a result.
package struct ResultColumn: Sendable, Hashable {
  package var name: String
  package var columnType: ColumnType
  /// Whether the values come from columns of different collations.
  package var lacksCollation: Bool

  package init(_ name: String, _ columnType: ColumnType, lacksCollation: Bool = false) {
    self.name = name
    self.columnType = columnType
    self.lacksCollation = lacksCollation
  }
}
