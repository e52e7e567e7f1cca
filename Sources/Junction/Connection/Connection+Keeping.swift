public import Diagnostics

extension Connection {
  /// Writes the database, as the session sees it, to a file as SQL that `psql` loads into PostgreSQL 15.
  ///
  /// - Throws: 58P02 if there is something of this name, 42501, 53100 and 58030 as the system says.
  public func export(to path: String) throws(SQLError) {
    _ = try session.exclusively { () throws(SQLError) in try session.runExport(to: path) }
  }

  /// Hands the database, as the session sees it, to `write` as SQL, statement by statement.
  ///
  /// - Throws: 57014 if it was cancelled.
  public func export(_ write: ([UInt8]) -> Void) throws(SQLError) {
    try session.exclusively { () throws(SQLError) in
      try session.export { piece throws(SQLError) in write(piece) }
    }
  }

  /// Writes a folder with each table, as the session sees it, as a parquet file, and the definitions as `schema.sql`.
  ///
  /// A table of more than four million rows is a folder of several files.
  ///
  /// - Parameter path: The folder, which must not be there.
  /// - Returns: What was written, as lines to be told.
  /// - Throws: 58P02 if there is something of this name, 22003 and 22008 with table, column and row for a value that parquet has
  ///   not, such as an infinite date, and what the system says. Then nothing is left.
  public func export(toParquet path: String) throws(SQLError) -> ExportAccount {
    try session.exclusively { () throws(SQLError) in try session.exportParquet(to: path) }
  }

  /// Writes a folder from which Spark gets the tables and asks queries, and compares its answers with Junction's.
  ///
  /// - Parameters:
  ///   - path: The folder, which must not be there.
  ///   - queries: Queries, separated by semicolons.
  /// - Returns: What was written, and which queries could not be translated and why, as lines to be told.
  /// - Throws: 58P02 if there is something of this name, 22003 and 22008 for a value that parquet has not, and what the system says.
  ///   Then nothing is left.
  public func export(toSpark path: String, queries: String = "") throws(SQLError) -> ExportAccount {
    try session.exclusively { () throws(SQLError) in
      try session.exportSpark(to: path, queries: queries)
    }
  }

  /// Writes a folder from which a Citus cluster, or PostgreSQL alone, gets the tables and asks queries, and compares its answers with
  /// Junction's.
  ///
  /// - Parameters:
  ///   - path: The folder, which must not be there.
  ///   - queries: Queries, separated by semicolons.
  /// - Returns: What was written, where tables stand and why, and what cannot be kept there, as lines to be told.
  /// - Throws: 58P02 if there is something of this name, and what the system says. Then nothing is left.
  public func export(toCitus path: String, queries: String = "") throws(SQLError) -> ExportAccount {
    try session.exclusively { () throws(SQLError) in
      try session.exportCitus(to: path, queries: queries)
    }
  }
}
