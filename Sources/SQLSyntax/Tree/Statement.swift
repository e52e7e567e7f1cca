package import Diagnostics

/// One SQL statement.
///
/// Where only few of them matter, ask by `if case` or by a property of all statements.
package indirect enum Statement: Sendable {
  // Queries and changes of data.
  case select(SelectStatement)
  case insert(InsertStatement)
  case update(UpdateStatement)
  case delete(DeleteStatement)
  case merge(MergeStatement)
  case truncate(TruncateStatement)
  case copy(CopyStatement)
  case call(FunctionCall, SourceRange)
  // Definitions.
  case createTable(CreateTableStatement)
  case createIndex(CreateIndexStatement)
  case createView(CreateViewStatement)
  case createMaterializedView(CreateMaterializedViewStatement)
  case refresh(RefreshStatement)
  case createSequence(CreateSequenceStatement)
  case createSchema(CreateSchemaStatement)
  case createType(CreateTypeStatement)
  case createDomain(CreateDomainStatement)
  case createFunction(CreateFunctionStatement)
  case createPropertyGraph(CreatePropertyGraphStatement)
  case alterPropertyGraph(AlterPropertyGraphStatement)
  case alterTable(AlterTableStatement)
  case alterSequence(AlterSequenceStatement)
  case alterType(AlterTypeStatement)
  case alterDomain(AlterDomainStatement)
  case alterObject(AlterObjectStatement)
  case drop(DropStatement)
  case comment(CommentStatement)
  // Sessions.
  case transaction(TransactionStatement, SourceRange)
  case setting(SettingStatement)
  case setConstraints(SetConstraintsStatement)
  case explain(ExplainStatement)
  case prepare(PrepareStatement)
  case execute(ExecuteStatement)
  /// DEALLOCATE; nil is ALL.
  case deallocate(Identifier?, SourceRange)
  case declareCursor(DeclareCursorStatement)
  case fetch(FetchStatement)
  /// CLOSE; nil is ALL.
  case closeCursor(Identifier?, SourceRange)
  case doBlock(DoStatement)
  case lock(LockStatement)
  case maintenance(MaintenanceStatement)
  case checkpoint(SourceRange)
  /// BACKUP TO.
  case backup(file: String, SourceRange)
  /// EXPORT; without a file the statements are the result.
  case export(file: String?, SourceRange)
  case verify(SourceRange)
  /// DESCRIBE, SUMMARIZE and SHOW TABLES.
  case describe(DescribeStatement)
  /// DISCARD with its word: `ALL`, `PLANS`, `SEQUENCES` or `TEMP`.
  case discard(String, SourceRange)
  case listen(Identifier, SourceRange)
  case notify(Identifier, payload: String?, SourceRange)
  /// UNLISTEN; nil is `*`.
  case unlisten(Identifier?, SourceRange)
  case privileges(PrivilegeStatement)
  // What is understood only far enough to be refused by name.
  case unsupported(UnsupportedStatement)
}

extension Statement {
  /// Whether it is SELECT or changes rows: what can be planned, prepared and explained.
  package var isQuery: Bool {
    if case .select = self { return true }
    return changesRows
  }

  /// Whether it is INSERT, UPDATE, DELETE or MERGE.
  package var changesRows: Bool {
    switch self {
    case .insert, .update, .delete, .merge: true
    case .select, .truncate, .copy, .call, .createTable, .createIndex, .createView,
      .createMaterializedView, .refresh, .createSequence, .createSchema, .createType,
      .createDomain, .createFunction, .createPropertyGraph, .alterPropertyGraph, .alterTable,
      .alterSequence, .alterType, .alterDomain, .alterObject, .drop, .comment, .transaction,
      .setting, .setConstraints, .explain, .prepare, .execute, .deallocate, .declareCursor,
      .fetch, .closeCursor, .doBlock, .lock, .maintenance, .checkpoint, .backup, .export, .verify,
      .describe, .discard, .listen, .notify, .unlisten, .privileges, .unsupported:
      false
    }
  }
}

/// A statement and where in the text it stands.
package struct ParsedStatement: Sendable {
  /// The tree; its ranges count from the start of the text that was parsed.
  package var statement: Statement
  /// From its first token to its last, without the semicolon.
  package var range: SourceRange
  /// The greatest `$n` in it, 0 without any.
  package var parameterCount: Int
  /// How many nodes stand one above another at most: whatever walks the tree recurses so deeply.
  package var height: Int

  /// A statement with what is known of its text; none is needed for one that was made as a tree.
  package init(
    statement: Statement, range: SourceRange = .none, parameterCount: Int = 0, height: Int = 0
  ) {
    self.statement = statement
    self.range = range
    self.parameterCount = parameterCount
    self.height = height
  }
}
