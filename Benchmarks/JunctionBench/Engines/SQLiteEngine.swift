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

  /// Makes the tables of a school, with both directions of each junction indexed, and fills them.
  static func fill(_ database: SQLiteDatabase, from folder: String) throws(BenchError) {
    let tables = try SchoolSchema(folder: folder).tables
    for setting in ["foreign_keys=ON", "synchronous=OFF", "journal_mode=MEMORY"] {
      try database.execute("PRAGMA \(setting)")
    }
    for table in tables { try database.execute(table.sqliteDefinition) }
    try database.execute("BEGIN")
    for table in tables { try fill(table, of: database, from: folder) }
    try database.execute("COMMIT")
    for index in tables.flatMap(\.sqliteIndices) { try database.execute(index) }
    try database.execute("ANALYZE")
  }

  /// Inserts the lines of a file; whole numbers are bound as such, and texts where they lie.
  private static func fill(
    _ table: SchoolSchema.Table, of database: SQLiteDatabase, from folder: String
  ) throws(BenchError) {
    let file = try Cells<UInt8>(mapping: "\(folder)/\(table.name).csv")
    defer { file.free() }
    var fields = FieldReader(file)
    fields.skipLine()
    let columns = table.columns.count
    let marks = Array(repeating: "?", count: columns).joined(separator: ",")
    let insert = try SQLiteStatement(database, "INSERT INTO \(table.name) VALUES (\(marks))")
    while !fields.isAtEnd {
      for column in 1...columns {
        let field = fields.text(endedBy: column == columns ? 10 : 44)
        bind(insert, Int32(column), file, field, isBoolean: table.columns[column - 1].isBoolean)
      }
      _ = try insert.step()
      insert.reset()
    }
  }

  private static func bind(
    _ insert: SQLiteStatement, _ column: Int32, _ file: Cells<UInt8>, _ field: Range<Int>,
    isBoolean: Bool
  ) {
    if field.isEmpty { return insert.bindNull(column) }
    if isBoolean { return insert.bind(column, file[field.lowerBound] == 116 ? 1 : 0) }
    if field.allSatisfy({ file[$0] &- 48 < 10 }) {
      let value = field.reduce(0) { $0 &* 10 &+ Int64(file[$1] &- 48) }
      return insert.bind(column, value)
    }
    unsafe insert.bind(column, file.bytes(from: field.lowerBound, count: field.count))
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
        } else {
          unsafe digest.add(statement.bytes(column), query.form(of: Int(column)))
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
    var numbers: UInt64 = 0
    while try statement.step() {
      if rows == 0 {
        for column in 0..<columns where statement.isNumber(column) { numbers |= 1 << column }
      }
      for column in 0..<columns {
        if numbers >> UInt64(column) & 1 != 0 {
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
