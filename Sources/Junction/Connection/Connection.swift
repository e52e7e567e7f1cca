public import Diagnostics
import Synchronization

/// A session with a database: runs statements one after another.
///
/// Sendable by rule: one thread at a time uses a connection; only `cancel()` may come from any other.
public final class Connection: @unchecked Sendable {
  /// The database.
  public let database: Database

  init(to database: Database) {
    self.database = database
  }

  /// Runs every statement of `sql` in order and gives what each did.
  ///
  /// - Throws: the error of the first statement that fails; nothing of that statement stays.
  @discardableResult
  public func execute(_ sql: String, _ parameters: [SQLValue] = []) throws(SQLError)
    -> [StatementResult]
  {
    throw .unsupported("running statements")
  }

  /// Runs one statement and gives its rows; an empty set for a statement that gives none.
  ///
  /// - Throws: the statement's error; nothing of it stays.
  public func query(_ sql: String, _ parameters: [SQLValue] = []) throws(SQLError) -> ResultSet {
    let results = try execute(sql, parameters)
    return results.last?.rows ?? ResultSet(columns: [], chunks: [])
  }

  /// Runs one `COPY … FROM STDIN` whose data `read` gives, chunk by chunk, until it gives nothing.
  ///
  /// - Throws: 22P04 with line and column for bad data, and whatever a constraint says.
  public func copyIn(_ sql: String, from read: () throws -> [UInt8]?) throws -> StatementResult {
    throw SQLError.unsupported("COPY")
  }

  /// Runs one `COPY … TO STDOUT`, handing its data to `write` in pieces.
  ///
  /// - Throws: the statement's error, or what `write` throws.
  public func copyOut(_ sql: String, to write: ([UInt8]) throws -> Void) throws -> StatementResult {
    throw SQLError.unsupported("COPY")
  }

  /// Where the session stands in regard to transactions.
  public enum TransactionStatus: Sendable { case idle, active, failed }

  /// Where the session stands in regard to transactions, for a prompt.
  public var transactionStatus: TransactionStatus { .idle }

  /// Asks the statement that is running to end with 57014; from any thread or signal handler's thread.
  public func cancel() {}
}
