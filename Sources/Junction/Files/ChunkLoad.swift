import Catalog
import Columnar
import Diagnostics
import Execution
import SQLSyntax

/// Makes a table of columns that come as chunks.
struct ChunkLoad {
  private let session: Session
  private let table: String
  private let evaluation: EvaluationContext

  init(_ session: Session, table: String, _ evaluation: EvaluationContext) {
    self.session = session
    self.table = table
    self.evaluation = evaluation
  }

  /// Takes rows.
  typealias Append = ([DataChunk]) throws(SQLError) -> Void

  /// Makes the table and gives it the rows that `produce` hands over; nothing stays where that says false.
  ///
  /// - Throws: what `produce` throws; then nothing stays either.
  func run(
    _ names: [String], _ types: [ColumnType], _ produce: (Append) throws(SQLError) -> Bool
  ) throws(SQLError) -> TableDefinition? {
    let transaction = OpenTransaction(session.state)
    defer { transaction.rollBack() }
    try transaction.beginStatement(writes: true, context: evaluation)
    let columns = zip(names, types).map { "\(SQLPrinter.quoted($0)) \($1.name)" }
    let text = "CREATE TABLE \(SQLPrinter.quoted(table)) (\(columns.joined(separator: ", ")))"
    for parsed in try parseStatements(text) {
      let environment = session.definitionEnvironment(parsed.statement, evaluation)
      _ = try DefinitionExecutor.execute(
        parsed.statement, in: transaction, environment: environment)
    }
    guard case .table(let definition)? = transaction.catalog.relation(schema: nil, table) else {
      throw .internal("a table that was made is not there")
    }
    let context = session.executionContext(transaction, evaluation)
    let insert = try BulkInsert(
      definition, in: transaction, context: context, sketching: false)
    let isDone = try produce { (chunks) throws(SQLError) in
      try insert.append(chunks)
    }
    guard isDone else { return nil }
    _ = try BulkInsert.finish([insert])
    try transaction.endStatement()
    try transaction.commit()
    return definition
  }
}
