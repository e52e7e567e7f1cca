import Diagnostics
import Junction

/// Junction in process, through its public interface.
final class JunctionEngine: Engine {
  private var database: Database?
  private var connection: Connection?
  private var statements: [String: PreparedStatement] = [:]
  private let watchdog = Watchdog()
  private let threads: Int

  init(threads: Int) { self.threads = threads }

  let dialect = "junction"
  let checksKeys = true

  var description: BenchEngine {
    BenchEngine(
      id: "junction", name: "Junction", kind: .junction, version: "this commit",
      access: "in process, prepared statements, every value read column by column",
      settings: "keys and foreign keys checked, both directions indexed, threads=\(threads)")
  }

  func load(_ folder: String) throws(EngineFailure) -> LoadOutcome {
    let processorStart = Stopwatch.processorTime
    let start = Stopwatch.now
    do throws(SQLError) {
      let database = try Database(folder: folder)
      let connection = database.connect()
      _ = try connection.execute("SET threads = \(threads)")
      self.connection = connection
      self.database = database
    } catch {
      throw EngineFailure(.error, error.rendered(statement: ""))
    }
    return LoadOutcome(
      seconds: Stopwatch.now - start,
      processorSeconds: Stopwatch.processorTime - processorStart)
  }

  func memory() -> EngineMemory { ProcessMemory.own }

  private func loaded() throws(EngineFailure) -> Connection {
    guard let connection else { throw EngineFailure(.error, "nothing is loaded") }
    return connection
  }

  private func prepared(_ query: Query) throws(EngineFailure) -> PreparedStatement {
    if let statement = statements[query.sql] { return statement }
    let connection = try loaded()
    do throws(SQLError) {
      let statement = try connection.prepare(query.sql)
      statements[query.sql] = statement
      return statement
    } catch {
      throw EngineFailure(.error, error.rendered(statement: query.sql))
    }
  }

  private static func values(_ parameters: [ParameterValue]) -> [SQLValue] {
    parameters.map { parameter in
      switch parameter {
      case .integer(let value): .integer(value)
      case .text(let value): .text(value)
      }
    }
  }

  func check(
    _ query: Query, _ parameters: [[ParameterValue]], until deadline: Deadline
  ) throws(EngineFailure) -> [Answer] {
    let connection = try loaded()
    return try watchdog.run(until: deadline, interrupt: { connection.cancel() }) {
      () throws(EngineFailure) in
      var answers: [Answer] = []
      for set in parameters {
        do throws(SQLError) {
          answers.append(try answer(query, set, connection))
        } catch {
          throw watchdog.failure(error.rendered(statement: query.sql))
        }
        if deadline.isOver { break }
      }
      return answers
    }
  }

  private func answer(
    _ query: Query, _ set: [ParameterValue], _ connection: Connection
  ) throws(SQLError) -> Answer {
    if query.kind == .text {
      return Self.answer(query, try connection.query(query.text(with: set)))
    }
    let result = try connection.prepare(query.sql).execute(with: Self.values(set))
    if query.kind == .change { return Answer(rows: Self.changed(result), digest: 0) }
    guard let rows = result.rows else { return Answer(rows: 0, digest: 0) }
    return Self.answer(query, rows)
  }

  /// The number at the end of a tag such as `INSERT 0 1`.
  private static func changed(_ result: StatementResult) -> Int {
    result.commandTag.split(separator: " ").last.flatMap { Int($0) } ?? 0
  }

  /// The plan of a query as it is carried out once, as markup; nil where it cannot be shown.
  ///
  /// What the query and a statement before it change is undone.
  func plan(
    _ query: Query, after before: Query?, _ set: [ParameterValue], until deadline: Deadline
  ) -> String? {
    guard let connection else { return nil }
    return try? watchdog.run(until: deadline, interrupt: { connection.cancel() }) {
      () throws(EngineFailure) in
      do throws(SQLError) {
        _ = try connection.execute("BEGIN")
        defer { _ = try? connection.execute("ROLLBACK") }
        if let before {
          _ = try connection.prepare(before.sql).execute(with: Self.values(set))
        }
        // Of a prepared EXPLAIN the parameters would not be known.
        let text = "EXPLAIN (ANALYZE, FORMAT html) \(query.text(with: set))"
        let rows = try connection.query(text)
        return rows.text(row: 0, column: 0).flatMap(PlansPage.body)
      } catch {
        throw watchdog.failure(error.rendered(statement: query.sql))
      }
    }
  }

  static func answer(_ query: Query, _ rows: ResultSet) -> Answer {
    var digest = AnswerDigest(isOrdered: query.isOrdered)
    for row in 0..<rows.count {
      for column in rows.columns.indices {
        guard let text = rows.text(row: row, column: column) else {
          digest.addNull()
          continue
        }
        digest.add(text.utf8, query.form(of: column))
      }
      digest.endRow()
    }
    return digest.answer
  }

  func run(
    _ query: Query, _ parameters: [[ParameterValue]], _ block: inout SampleBlock,
    until deadline: Deadline
  ) throws(EngineFailure) {
    let connection = try loaded()
    try watchdog.run(until: deadline, interrupt: { connection.cancel() }) {
      () throws(EngineFailure) in
      switch query.kind {
      case .text: try runTexts(query, parameters, &block, connection)
      case .change: try runChanges(query, parameters, &block)
      case .rows: try runPrepared(query, parameters, &block)
      }
    }
  }

  private func runTexts(
    _ query: Query, _ parameters: [[ParameterValue]], _ block: inout SampleBlock,
    _ connection: Connection
  ) throws(EngineFailure) {
    let texts = parameters.map { query.text(with: $0) }
    var sum = 0
    try block.fill(parameterCount: texts.count) { index throws(EngineFailure) in
      do throws(SQLError) {
        let rows = try connection.query(texts[index])
        sum &+= rows.digest()
        return rows.count
      } catch {
        throw watchdog.failure(error.rendered(statement: texts[index]))
      }
    }
    Stopwatch.keep(sum)
  }

  private func runChanges(
    _ query: Query, _ parameters: [[ParameterValue]], _ block: inout SampleBlock
  ) throws(EngineFailure) {
    let statement = try prepared(query)
    let values = parameters.map(Self.values)
    try block.fill(parameterCount: values.count) { index throws(EngineFailure) in
      do throws(SQLError) {
        _ = try statement.execute(with: values[index])
        return 1
      } catch {
        throw watchdog.failure(error.rendered(statement: query.sql))
      }
    }
  }

  private func runPrepared(
    _ query: Query, _ parameters: [[ParameterValue]], _ block: inout SampleBlock
  ) throws(EngineFailure) {
    let statement = try prepared(query)
    let values = parameters.map(Self.values)
    var sum = 0
    try block.fill(parameterCount: values.count) { index throws(EngineFailure) in
      do throws(SQLError) {
        let set = values[index]
        let rows = set.count == 1 ? try statement.query(set[0]) : try Self.rows(statement, set)
        sum &+= rows.digest()
        return rows.count
      } catch {
        throw watchdog.failure(error.rendered(statement: query.sql))
      }
    }
    Stopwatch.keep(sum)
  }

  private static func rows(
    _ statement: PreparedStatement, _ values: [SQLValue]
  ) throws(SQLError) -> ResultSet {
    if let rows = try statement.execute(with: values).rows { return rows }
    return try statement.connection.query("SELECT 1 WHERE false")
  }
}
