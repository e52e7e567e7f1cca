public import Diagnostics

/// A question or a change that a `Reader` runs.
public struct Request: Sendable {
  /// What is to be done.
  enum Work: Sendable {
    case sql(SQL)
    /// Statements of which all are done or none; the rows are those of the last one.
    case unit([SQL])
    /// A statement that is put together with the catalog.
    case made(@Sendable (CatalogView) throws(SQLError) -> SQL)
    /// A look at the catalog.
    case look(CatalogLook)
    /// Rows that are put together already.
    case load(ValueLoad)
    /// A request in PostgREST's way.
    case rest(RestRun)
  }
  let work: Work

  /// A statement, or several, of which the last one's rows are given.
  public init(_ sql: SQL) { work = .sql(sql) }

  init(_ work: Work) { self.work = work }

  /// What a trace shows; nil for what is no statement.
  var text: String? {
    switch work {
    case .sql(let sql): sql.text
    case .unit(let parts): parts.map(\.text).joined(separator: "; ")
    case .made, .look: nil
    case .load(let load): load.text
    case .rest(let run): run.text
    }
  }
}

/// Whatever a query can be asked of: a snapshot, a transaction, a database, a connection.
public protocol Reader: ~Copyable {
  /// Runs a request and gives its rows.
  ///
  /// - Throws: the statement's error; nothing of it stays.
  func run(_ request: Request) throws(SQLError) -> ResultSet
}

/// A reader through which rows can be changed as well.
public protocol Writer: Reader, ~Copyable {}

extension Reader where Self: ~Copyable {
  /// Runs a query and gives its rows.
  ///
  /// - Throws: the statement's error.
  public func query(_ sql: SQL) throws(SQLError) -> ResultSet { try run(Request(sql)) }
}

extension Writer where Self: ~Copyable {
  /// Runs a statement and says how many rows it changed, or gave.
  ///
  /// - Throws: the statement's error; nothing of it stays.
  @discardableResult
  public func execute(_ sql: SQL) throws(SQLError) -> Int { try run(Request(sql)).rowCount }
}
