package import Catalog
import Columnar
import DelimitedText
public import Diagnostics
import SQLSyntax
import Storage

/// A session with a database: runs statements one after another.
///
/// Sendable by rule: one thread at a time uses a connection, and a second one gets error 55006; only `cancel()` may come
/// from any other.
public final class Connection: @unchecked Sendable {
  /// The database.
  public let database: Database
  let session: Session
  /// The most rows that each level of a nested select gives, whatever limits the request has; nil for no limit.
  ///
  /// It keeps a service from answering a careless request with a whole table.
  public var nestedRowLimit: Int?

  init(to database: Database) {
    self.database = database
    session = Session(database.state)
  }

  deinit {
    // A cursor's or a plan's operators may know the session that keeps them.
    session.forgetPlans()
  }

  /// Runs every statement of `sql` in order and gives what each did.
  ///
  /// A single statement with or without parameters `$1`, `$2`, … is planned once and kept, so that
  /// sending it again costs little more than running it; texts that find rows by keys share a plan with
  /// those that differ from them in plain literals only.
  ///
  /// - Throws: the error of the first statement that fails; nothing of that statement stays.
  @discardableResult
  public func execute(_ sql: SQL, _ parameters: [SQLValue] = []) throws(SQLError)
    -> [StatementResult]
  {
    let sql = try resolved(sql, adding: parameters)
    return try execute(sql.text, sql.arguments)
  }

  /// The same for a text that was made elsewhere.
  @discardableResult
  package func execute(_ sql: String, _ parameters: [SQLValue] = []) throws(SQLError)
    -> [StatementResult]
  {
    try session.exclusively { () throws(SQLError) in try session.run(sql, parameters) }
  }

  /// Runs one statement and gives its rows; an empty set for a statement that gives none.
  ///
  /// - Throws: the statement's error; nothing of it stays.
  public func query(_ sql: SQL, _ parameters: [SQLValue] = []) throws(SQLError) -> ResultSet {
    let sql = try resolved(sql, adding: parameters)
    return try query(sql.text, sql.arguments)
  }

  /// The same for a text that was made elsewhere.
  package func query(_ sql: String, _ parameters: [SQLValue] = []) throws(SQLError) -> ResultSet {
    let results = try execute(sql, parameters)
    return results.last?.rows ?? ResultSet(columns: [], chunks: [])
  }

  /// Runs one `COPY … FROM STDIN` whose data `read` gives, piece by piece, until it gives nil.
  ///
  /// - Throws: 22P04 with line and column for bad data, and whatever a constraint says.
  public func copyIn(
    _ sql: SQL, from read: @escaping () throws -> [UInt8]?
  ) throws(SQLError) -> StatementResult {
    try copyIn(try resolved(sql).text, from: read)
  }

  /// The same for a text that was made elsewhere.
  package func copyIn(
    _ sql: String, from read: @escaping () throws -> [UInt8]?
  ) throws(SQLError) -> StatementResult {
    try session.exclusively { () throws(SQLError) in
      try session.copy(try session.parse(sql), CopyStreams(input: PieceSource(read)))
    }
  }

  /// Runs one `COPY … TO STDOUT`, handing its data to `write` in pieces.
  ///
  /// - Throws: the statement's error, or 58030 for what `write` throws.
  public func copyOut(
    _ sql: SQL, to write: @escaping ([UInt8]) throws -> Void
  ) throws(SQLError) -> StatementResult {
    try copyOut(try resolved(sql).text, to: write)
  }

  /// The same for a text that was made elsewhere.
  package func copyOut(
    _ sql: String, to write: @escaping ([UInt8]) throws -> Void
  ) throws(SQLError) -> StatementResult {
    try session.exclusively { () throws(SQLError) in
      try session.copy(try session.parse(sql), CopyStreams(output: write))
    }
  }

  /// Plans a query or a change of data, to be run any number of times.
  ///
  /// - Throws: what is wrong with the statement.
  public func prepare(_ sql: SQL) throws(SQLError) -> PreparedStatement {
    let sql = try resolved(sql)
    guard sql.arguments.isEmpty else {
      throw SQLError(
        .invalidParameterValue, "a statement is prepared without values",
        hint: "Write $1, $2, … in the text, and give the values when it is run.")
    }
    return try prepare(sql.text)
  }

  /// The same for a text that was made elsewhere.
  package func prepare(_ sql: String) throws(SQLError) -> PreparedStatement {
    try session.exclusively { () throws(SQLError) in
      PreparedStatement(connection: self, plan: try session.prepare(try session.parse(sql)))
    }
  }

  /// The statement with what the catalog knows of queries in it, and with more values.
  private func resolved(
    _ sql: SQL, adding parameters: [SQLValue] = []
  ) throws(SQLError) -> SQL {
    if sql.hasParts {
      return try session.exclusively { () throws(SQLError) in
        try sql.resolved(session.catalogView, adding: parameters)
      }
    }
    return parameters.isEmpty ? sql : SQL(raw: sql.text, sql.arguments + parameters)
  }

  /// Where the session stands in regard to transactions.
  public enum TransactionStatus: Sendable {
    /// No transaction is open.
    case idle
    /// A transaction is open.
    case active
    /// A statement of the open transaction failed; it can only be rolled back.
    case failed
  }

  /// Where the session stands in regard to transactions, for a prompt.
  public var transactionStatus: TransactionStatus {
    session.transaction == nil ? .idle : session.isFailed ? .failed : .active
  }

  /// Told now and then, from one thread at a time, how far a COPY FROM has come.
  package var loadProgress: ((LoadProgress) -> Void)? {
    get { session.loadProgress }
    set { session.loadProgress = newValue }
  }

  /// Asks the statement that is running to end with 57014; from any thread.
  public func cancel() { session.cancel() }

  /// The objects of the database as the session sees them.
  package var catalog: CatalogSnapshot {
    session.transaction?.catalog ?? database.state.current.catalog
  }

  /// The names of the settings that SET and SHOW know, sorted.
  package static var settingNames: [String] { SessionSettings.defaults.keys.sorted() }

  /// The number of rows of a table as of the last commit; nil if there was no such table.
  package func rowCount(of table: ObjectID) -> Int? {
    database.state.current.tables[table]?.liveRowCount
  }

  /// The time that the statements of the session have spent on being planned.
  package var planningTime: Duration { session.planningTime }

  /// How many edges the adjacency indexes of a table have, all directions together, and the bytes that they hold, as
  /// of the last commit; nil if there is no such table.
  package func adjacencySize(of name: String) -> (edgeCount: Int, byteCount: Int)? {
    let version = database.state.current
    guard let table = version.catalog.tables.values.first(where: { $0.name.name == name }) else {
      return nil
    }
    return version.tables[table.id]?.adjacencySize
  }
}

/// A statement whose plan is made, for a connection to run again and again.
///
/// Sendable by rule: used like its connection, by one thread at a time.
public final class PreparedStatement: @unchecked Sendable {
  /// The connection that runs it.
  public let connection: Connection
  private(set) var plan: PreparedPlan { didSet { planAtHand = UncountedReference(plan) } }
  /// The plan and its session, for a run that counts no references.
  private var planAtHand: UncountedReference<PreparedPlan>
  private let sessionAtHand: UncountedReference<Session>

  init(connection: Connection, plan: PreparedPlan) {
    self.connection = connection
    self.plan = plan
    planAtHand = UncountedReference(plan)
    sessionAtHand = UncountedReference(connection.session)
  }

  /// The columns of its rows; none for a statement that gives no rows.
  public var columns: [ResultColumn] { plan.columns }

  /// Runs the statement with values for `$1`, `$2`, ….
  ///
  /// - Throws: the statement's error; nothing of it stays.
  @discardableResult
  public func execute(_ parameters: SQLValue...) throws(SQLError) -> StatementResult {
    try execute(with: parameters)
  }

  /// Runs the statement with values for `$1`, `$2`, ….
  ///
  /// - Throws: the statement's error; nothing of it stays.
  public func execute(with parameters: [SQLValue]) throws(SQLError) -> StatementResult {
    try connection.session.exclusively { () throws(SQLError) in
      if let result = try changeRow(parameters) { return result }
      return try connection.session.runPrepared(plan, parameters) { plan = $0 }
    }
  }

  /// Runs a statement that changes one row the short way; nil if that cannot be done.
  private func changeRow(_ parameters: [SQLValue]) throws(SQLError) -> StatementResult? {
    try sessionAtHand.withObject { session throws(SQLError) in
      try planAtHand.withObject { plan throws(SQLError) in
        try session.changeRowPrepared(plan, parameters)
      } ?? nil
    } ?? nil
  }

  /// Runs the statement with a value for `$1` and gives its rows.
  ///
  /// - Throws: the statement's error; nothing of it stays.
  public func query(_ parameter: SQLValue) throws(SQLError) -> ResultSet {
    let session = connection.session
    let found = try session.exclusively { () throws(SQLError) in
      try session.rowsOfPoint(plan, parameter)
    }
    if let found { return found }
    return try execute(with: [parameter]).rows ?? ResultSet(columns: [], chunks: [])
  }

  /// Runs the statement and gives its rows.
  ///
  /// - Throws: the statement's error; nothing of it stays.
  public func query(_ parameters: SQLValue...) throws(SQLError) -> ResultSet {
    try execute(with: parameters).rows ?? ResultSet(columns: [], chunks: [])
  }
}
