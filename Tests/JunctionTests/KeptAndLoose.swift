import Diagnostics
import Junction

/// The same rows in tables with keys, in schema `kept`, and in tables without, in `loose`: what keys promise may change plans, and
/// nothing else.
struct KeptAndLoose: Sendable {
  private let database: Result<Database, SQLError>

  /// - Parameters:
  ///   - setUp: makes the tables of `kept`, which is the schema that it runs in, and their rows.
  ///   - tables: those that are copied.
  init(_ setUp: String, copying tables: [String]) {
    let copies = tables.map { "CREATE TABLE loose.\($0) AS SELECT * FROM kept.\($0);" }
    let statements = """
      CREATE SCHEMA kept; CREATE SCHEMA loose; SET search_path = kept; \(setUp);
      \(copies.joined(separator: " ")) ANALYZE;
      """
    do throws(SQLError) {
      let database = Database()
      try database.connect().execute(SQL(raw: statements))
      self.database = .success(database)
    } catch {
      database = .failure(error)
    }
  }

  /// A connection to one of the schemas.
  func connect(_ schema: String) throws -> Connection {
    let connection = try database.get().connect()
    try connection.execute(SQL(raw: "SET search_path = \(schema)"))
    return connection
  }

  /// The rows of a query over tables of one of the schemas.
  func rows(
    _ query: String, _ parameters: [SQLValue] = [], in schema: String
  ) throws -> [String] {
    try connect(schema).query(SQL(raw: query), parameters).map { $0.line }
  }

  /// The same, or the state of the error that there is instead.
  func outcome(
    _ query: String, _ parameters: [SQLValue], in schema: String
  ) throws -> [String] {
    let connection = try connect(schema)
    do throws(SQLError) {
      return try connection.query(SQL(raw: query), parameters).map { $0.line }
    } catch {
      return ["\(error.state)"]
    }
  }

  /// The plan of a query over the tables with keys, line by line.
  func plan(_ query: String) throws -> [String] { try rows("EXPLAIN \(query)", in: "kept") }
}
