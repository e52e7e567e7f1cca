import Foundation

/// DuckDB in process, through its C interface.
final class DuckDBEngine: Engine {
  private let library: DuckDBLibrary
  private let threads: Int
  private var database: DuckDBDatabase?
  private var statements: [String: DuckDBStatement] = [:]
  private let watchdog = Watchdog()

  /// - Throws: a sentence that says what is missing.
  init(environment: String, threads: Int) throws(BenchError) {
    library = try DuckDBLibrary(environment: environment)
    self.threads = threads
  }

  let dialect = "duckdb"
  /// It is loaded without keys, which cost it much time and make no query faster.
  let checksKeys = false

  static let outline = BenchEngine(
    id: "duckdb", name: "DuckDB", kind: .peer,
    access: "in process, C interface, prepared, every vector of every chunk read",
    settings: "in memory, no keys, no indices")

  var description: BenchEngine {
    var description = Self.outline
    description.version = library.version
    description.settings += ", threads=\(threads)"
    return description
  }

  /// Makes the tables of a folder without keys, and fills them; then come its statements for DuckDB, if it has some.
  static func fill(_ database: DuckDBDatabase, from folder: String) throws(BenchError) {
    let path = folder.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "''")
    for table in try SchoolSchema(folder: folder).tables {
      _ = try database.query(table.plainDefinition)
      _ = try database.query("COPY \(table.name) FROM '\(path)/\(table.name).csv' (HEADER)")
    }
    if let own = FileManager.default.contents(atPath: "\(folder)/duckdb.sql") {
      _ = try database.query(String(decoding: own, as: UTF8.self))
    }
  }

  func load(_ folder: String) throws(EngineFailure) -> LoadOutcome {
    let processorStart = Stopwatch.processorTime
    let start = Stopwatch.now
    do throws(BenchError) {
      let database = try DuckDBDatabase(library)
      _ = try database.query("SET threads = \(threads)")
      try Self.fill(database, from: folder)
      self.database = database
    } catch {
      throw EngineFailure(.error, error.description)
    }
    return LoadOutcome(
      seconds: Stopwatch.now - start,
      processorSeconds: Stopwatch.processorTime - processorStart,
      note: "COPY, without keys or indices")
  }

  func memory() -> EngineMemory { ProcessMemory.own }

  private func loaded() throws(EngineFailure) -> DuckDBDatabase {
    guard let database else { throw EngineFailure(.error, "nothing is loaded") }
    return database
  }

  func check(
    _ query: Query, _ parameters: [[ParameterValue]], until deadline: Deadline
  ) throws(EngineFailure) -> [Answer] {
    let database = try loaded()
    return try watchdog.run(until: deadline, interrupt: { database.interrupt() }) {
      () throws(EngineFailure) in
      var answers: [Answer] = []
      do throws(BenchError) {
        for set in parameters {
          let result =
            query.kind == .text
            ? try database.query(Self.asTexts(query.text(with: set)))
            : try database.prepare(Self.asTexts(query.sql)).execute(set)
          answers.append(try result.answer(query))
          if deadline.isOver { break }
        }
      } catch {
        throw watchdog.failure(error.description)
      }
      return answers
    }
  }

  /// The query with every value as the text that DuckDB writes for it.
  static func asTexts(_ sql: String) -> String {
    "SELECT COLUMNS(*)::VARCHAR FROM (\(sql))"
  }

  func run(
    _ query: Query, _ parameters: [[ParameterValue]], _ block: inout SampleBlock,
    until deadline: Deadline
  ) throws(EngineFailure) {
    let database = try loaded()
    let texts = query.kind == .text ? parameters.map { query.text(with: $0) } : []
    var sum = 0
    try watchdog.run(until: deadline, interrupt: { database.interrupt() }) {
      () throws(EngineFailure) in
      let statement = query.kind == .text ? nil : try prepared(query.sql, database)
      try block.fill(parameterCount: parameters.count) { index throws(EngineFailure) in
        do throws(BenchError) {
          if let statement { return try statement.execute(parameters[index]).read(&sum) }
          return try database.query(texts[index]).read(&sum)
        } catch {
          throw watchdog.failure(error.description)
        }
      }
    }
    Stopwatch.keep(sum)
  }

  private func prepared(
    _ sql: String, _ database: DuckDBDatabase
  ) throws(EngineFailure) -> DuckDBStatement {
    if let statement = statements[sql] { return statement }
    do throws(BenchError) {
      let statement = try database.prepare(sql)
      statements[sql] = statement
      return statement
    } catch {
      throw watchdog.failure(error.description)
    }
  }
}
