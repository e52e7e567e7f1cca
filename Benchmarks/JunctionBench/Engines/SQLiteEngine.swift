/// SQLite in process, through its C interface.
final class SQLiteEngine: Engine {
  private let library: SQLiteLibrary
  private var database: SQLiteDatabase?
  private var statements: [String: SQLiteStatement] = [:]
  private let watchdog = Watchdog()

  /// - Throws: a sentence that says that the library is missing.
  init() throws(BenchError) { library = try SQLiteLibrary() }

  let dialect = "sqlite"
  let checksKeys = true

  static let outline = BenchEngine(
    id: "sqlite", name: "SQLite", kind: .peer,
    access: "in process, C interface, prepared, every column of every row read",
    settings: "in memory, WITHOUT ROWID junction, index on both directions, ANALYZE, "
      + "journal_mode=MEMORY, synchronous=OFF, foreign_keys=ON",
    installCommand: "apt-get install libsqlite3-0")

  var description: BenchEngine {
    var description = Self.outline
    description.version = library.version
    return description
  }

  private static let schema = [
    "PRAGMA foreign_keys=ON", "PRAGMA synchronous=OFF", "PRAGMA journal_mode=MEMORY",
    "CREATE TABLE teacher (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT)",
    "CREATE TABLE course (id INTEGER PRIMARY KEY, short_code TEXT UNIQUE, name TEXT, "
      + "teacher_id INT REFERENCES teacher (id))",
    "CREATE TABLE student (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT)",
    "CREATE TABLE enrols_in (student_id INT REFERENCES student (id), "
      + "course_id INT REFERENCES course (id), PRIMARY KEY (student_id, course_id)) WITHOUT ROWID",
    "CREATE TABLE prerequisite (course_id INT REFERENCES course (id), "
      + "requires_id INT REFERENCES course (id), PRIMARY KEY (course_id, requires_id)) WITHOUT ROWID",
  ]
  private static let tables = ["teacher", "course", "student", "enrols_in", "prerequisite"]

  func load(_ folder: String) throws(EngineFailure) -> LoadOutcome {
    let processorStart = Stopwatch.processorTime
    let start = Stopwatch.now
    do throws(BenchError) {
      let database = try SQLiteDatabase(library)
      try Self.fill(database, from: folder)
      self.database = database
    } catch {
      throw EngineFailure(.error, error.description)
    }
    return LoadOutcome(
      seconds: Stopwatch.now - start,
      processorSeconds: Stopwatch.processorTime - processorStart,
      note: "prepared inserts in one transaction, keys and foreign keys checked")
  }

  /// Makes the tables of a school, with both indices of each junction, and fills them.
  static func fill(_ database: SQLiteDatabase, from folder: String) throws(BenchError) {
    for statement in schema { try database.execute(statement) }
    try database.execute("BEGIN")
    for table in tables { try fill(table, of: database, from: folder) }
    try database.execute("COMMIT")
    try database.execute("CREATE INDEX by_course ON enrols_in (course_id, student_id)")
    try database.execute("CREATE INDEX by_required ON prerequisite (requires_id, course_id)")
    try database.execute("ANALYZE")
  }

  /// Inserts the lines of a file; whole numbers are bound as such, and texts where they lie.
  private static func fill(
    _ table: String, of database: SQLiteDatabase, from folder: String
  ) throws(BenchError) {
    let file = try Cells<UInt8>(mapping: "\(folder)/\(table).csv")
    defer { file.free() }
    var fields = FieldReader(file)
    let header = fields.text(endedBy: 10)
    let columns = 1 + header.count { file[$0] == 44 }
    let marks = Array(repeating: "?", count: columns).joined(separator: ",")
    let insert = try SQLiteStatement(database, "INSERT INTO \(table) VALUES (\(marks))")
    while !fields.isAtEnd {
      for column in 1...columns {
        let field = fields.text(endedBy: column == columns ? 10 : 44)
        if let first = field.first, file[first] &- 48 < 10 {
          var value: Int64 = 0
          for place in field { value = value &* 10 &+ Int64(file[place] &- 48) }
          insert.bind(Int32(column), value)
        } else {
          unsafe insert.bind(
            Int32(column), file.bytes(from: field.lowerBound, count: field.count))
        }
      }
      _ = try insert.step()
      insert.reset()
    }
  }

  func memory() -> EngineMemory { ProcessMemory.own }

  private func loaded() throws(EngineFailure) -> SQLiteDatabase {
    guard let database else { throw EngineFailure(.error, "nothing is loaded") }
    return database
  }

  private func prepared(_ sql: String) throws(EngineFailure) -> SQLiteStatement {
    if let statement = statements[sql] { return statement }
    let database = try loaded()
    do throws(BenchError) {
      let statement = try SQLiteStatement(database, sql)
      statements[sql] = statement
      return statement
    } catch {
      throw EngineFailure(.error, error.description)
    }
  }

  private func bind(
    _ statement: SQLiteStatement, _ indices: [Int32], _ set: [ParameterValue]
  ) {
    for (place, value) in set.enumerated() where place < indices.count && indices[place] > 0 {
      switch value {
      case .integer(let number): statement.bind(indices[place], number)
      case .text(let text): statement.bind(indices[place], text)
      }
    }
  }

  private func indices(_ statement: SQLiteStatement, _ parameters: [[ParameterValue]]) -> [Int32] {
    (parameters.first ?? []).indices.map { statement.parameterIndex($0 + 1) }
  }

  func check(
    _ query: Query, _ parameters: [[ParameterValue]], until deadline: Deadline
  ) throws(EngineFailure) -> [Answer] {
    let database = try loaded()
    return try watchdog.run(until: deadline, interrupt: { database.interrupt() }) {
      () throws(EngineFailure) in
      var answers: [Answer] = []
      for set in parameters {
        let sql = query.kind == .text ? query.text(with: set) : query.sql
        do throws(BenchError) {
          let statement = try SQLiteStatement(database, sql)
          bind(statement, indices(statement, parameters), set)
          answers.append(try answer(query, statement, database))
        } catch {
          throw watchdog.failure(error.description)
        }
        if deadline.isOver { break }
      }
      return answers
    }
  }

  private func answer(
    _ query: Query, _ statement: SQLiteStatement, _ database: SQLiteDatabase
  ) throws(BenchError) -> Answer {
    var digest = AnswerDigest(isOrdered: query.isOrdered)
    let columns = statement.columnCount
    while try statement.step() {
      for column in 0..<columns {
        if statement.isNull(column) {
          digest.addNull()
        } else if query.jsonColumns.contains(Int(column)) {
          unsafe digest.addJSON(statement.bytes(column))
        } else {
          unsafe digest.add(statement.bytes(column))
        }
      }
      digest.endRow()
    }
    return query.kind == .change ? Answer(rows: database.changes, digest: 0) : digest.answer
  }

  func run(
    _ query: Query, _ parameters: [[ParameterValue]], _ block: inout SampleBlock,
    until deadline: Deadline
  ) throws(EngineFailure) {
    let database = try loaded()
    let texts = query.kind == .text ? parameters.map { query.text(with: $0) } : []
    let statement = query.kind == .text ? nil : try prepared(query.sql)
    let indices = statement.map { self.indices($0, parameters) } ?? []
    var sum = 0
    try watchdog.run(until: deadline, interrupt: { database.interrupt() }) {
      () throws(EngineFailure) in
      try block.fill(parameterCount: parameters.count) { index throws(EngineFailure) in
        do throws(BenchError) {
          guard let statement else {
            return try read(SQLiteStatement(database, texts[index]), &sum)
          }
          bind(statement, indices, parameters[index])
          defer { statement.reset() }
          return try read(statement, &sum)
        } catch {
          throw watchdog.failure(error.description)
        }
      }
    }
    Stopwatch.keep(sum)
  }

  /// Reads every column of every row, by the kinds that the first row shows; gives the number of rows.
  private func read(_ statement: SQLiteStatement, _ sum: inout Int) throws(BenchError) -> Int {
    var rows = 0
    let columns = statement.columnCount
    var integers: UInt64 = 0
    while try statement.step() {
      if rows == 0 {
        for column in 0..<columns where statement.isInteger(column) { integers |= 1 << column }
      }
      for column in 0..<columns {
        if integers >> UInt64(column) & 1 != 0 {
          sum &+= Int(statement.integer(column))
        } else {
          sum &+= statement.textDigest(column)
        }
      }
      rows += 1
    }
    return rows
  }
}
