import Catalog
import Columnar
import Diagnostics
import Durability
import Execution
import Planning
import SQLSyntax
import Storage
import Synchronization

extension Session {
  /// Runs a query or a change of data that is not cached, and hands its plan to `keep`.
  func runPlanned(
    _ statement: Statement, parameters: [SQLValue] = [], keep: (PreparedPlan) -> Void = { _ in }
  ) throws(SQLError) -> StatementResult {
    let evaluation = makeEvaluation()
    return try cancellable(evaluation) { () throws(SQLError) in
      try inTransaction(
        writes: statement.mayWrite, command: statement.commandName, evaluation
      ) { (transaction, version) throws(SQLError) in
        let plan = try plan(
          statement, version.catalog, version, types: [], evaluation)
        keep(plan)
        return try run(plan, transaction, version, parameters, evaluation)
      }
    }
  }

  /// Runs a plan that stands, planning it anew if the catalog has changed.
  func run(
    _ plan: PreparedPlan, parameters: [SQLValue], replace: (PreparedPlan) -> Void
  ) throws(SQLError) -> StatementResult {
    if let rows = try rowsOfPoint(plan, parameters) {
      return StatementResult(command: .query, rowCount: rows.count, rows: rows)
    }
    if let result = try changeRow(plan, parameters) { return result }
    let evaluation = makeEvaluation()
    return try cancellable(evaluation) { () throws(SQLError) in
      if transaction == nil && !plan.writes {
        // A query by itself needs no more of a transaction than a version to read.
        let version = state.current
        let current = try currentPlan(plan, version, evaluation, replace)
        return try run(current, nil, version, parameters, evaluation)
      }
      return try inTransaction(
        writes: plan.writes, command: plan.statement.commandName, evaluation
      ) { (transaction, version) throws(SQLError) in
        let current = try currentPlan(plan, version, evaluation, replace)
        return try run(current, transaction, version, parameters, evaluation)
      }
    }
  }

  /// The rows of a plan that is nothing but a look-up of one number; nil for any other.
  ///
  /// It takes too little time to be cancelled, knows no clock and keeps nothing; with a limit of memory
  /// set, the rows are left to a pipeline that counts them.
  func rowsOfPoint(
    _ plan: PreparedPlan, _ parameters: [SQLValue]
  ) throws(SQLError) -> ResultSet? {
    guard let point = plan.point, parameters.count == plan.parameterTypes.count else { return nil }
    let key = point.parameter.map { parameters[$0] }
    return try rowsOfPoint(plan, point, key) { parameters }
  }

  /// The same with the only parameter.
  func rowsOfPoint(_ plan: PreparedPlan, _ parameter: SQLValue) throws(SQLError) -> ResultSet? {
    guard let point = plan.point, plan.parameterTypes.count == 1 else { return nil }
    return try rowsOfPoint(plan, point, point.parameter == nil ? nil : parameter) { [parameter] }
  }

  private func rowsOfPoint(
    _ plan: PreparedPlan, _ point: PointLookup, _ key: SQLValue?, _ parameters: () -> [SQLValue]
  ) throws(SQLError) -> ResultSet? {
    let settingsVersion = shortWaySettings.load(ordering: .relaxed)
    if settingsVersion == 0 { return nil }
    var number: Int64?
    if let key {
      guard case .integer(let given) = key, plan.pointNumbers.contains(given) else { return nil }
      number = given
    }
    let version = state.current
    guard plan.isCurrent(version, settingsVersion: settingsVersion - 1) else { return nil }
    var context: ExecutionContext?
    if point.needsContext {
      // What cannot be bound is said by a run.
      guard let values = try? bind(parameters(), to: plan.parameterTypes) else { return nil }
      context = ExecutionContext(
        evaluation: makeEvaluation(), tables: version, parameters: values)
    }
    guard let chunks = try point.rows(of: number, in: version, context) else { return nil }
    try state.damage?.check()
    // With a style of its own the session does not take the short way.
    var rows = ResultSet(columns: plan.columns, chunks: chunks, keeping: version)
    rows.workerLimit = settings.workerLimit
    return rows
  }

  /// Carries out a change of one row the short way; nil where it has to be run as a statement, be it only to say
  /// what is wrong.
  ///
  /// It takes too little time to be cancelled, unless another writer is at work, and knows no clock.
  private func changeRow(
    _ plan: PreparedPlan, _ parameters: [SQLValue]
  ) throws(SQLError) -> StatementResult? {
    try plan.changeAtHand.withObject { change throws(SQLError) in
      try changeRow(change, plan, parameters)
    } ?? nil
  }

  private func changeRow(
    _ change: PreparedRowChange, _ plan: PreparedPlan, _ parameters: [SQLValue]
  ) throws(SQLError) -> StatementResult? {
    guard plan.settingsVersion == settingsVersion, set(parameters, of: change, plan) else {
      return nil
    }
    let outcome: RowChangeOutcome
    if let changed = transactionAtHand.withObject({
      $0.changeRow(change, catalogVersion: plan.catalogVersion)
    }) {
      outcome = changed
      if outcome == .changed { try state.damage?.check() }
    } else {
      outcome = try state.changeRow(change, catalogVersion: plan.catalogVersion) {
        (lock) throws(SQLError) in
        let evaluation = makeEvaluation()
        try cancellable(evaluation) { () throws(SQLError) in
          try lock.acquire(timeoutMilliseconds: settings.lockTimeout, context: evaluation)
        }
      }
    }
    if outcome == .refused { return nil }
    return StatementResult(
      command: plan.kind, rowCount: outcome == .changed ? 1 : 0, rows: nil)
  }

  /// Carries out a prepared change of one row the short way, noting a failure in an open transaction; nil for any other
  /// statement, and where it has to be run as one.
  func changeRowPrepared(
    _ plan: PreparedPlan, _ parameters: [SQLValue]
  ) throws(SQLError) -> StatementResult? {
    if plan.changeAtHand.isNone || isFailed { return nil }
    if !notices.isEmpty { notices = [] }
    do throws(SQLError) { return try changeRow(plan, parameters) } catch {
      noteFailure()
      throw error
    }
  }

  /// Hands parameters to a change; false if one has to be converted, or is wrong.
  private func set(
    _ parameters: [SQLValue], of change: PreparedRowChange, _ plan: PreparedPlan
  ) -> Bool {
    guard parameters.count == change.parameterCount else { return false }
    change.forgetTexts()
    for index in parameters.indices {
      if case .integer(let number) = parameters[index], change.set(index, number: number) {
        continue
      }
      if case .text(let text) = parameters[index], change.set(index, text: text) { continue }
      guard let value = try? parameters[index].engineValue(as: plan.parameterTypes[index])
      else { return false }
      change.set(index, value)
    }
    return true
  }

  /// The plan itself, or the one that takes its place since the catalog has changed.
  private func currentPlan(
    _ plan: PreparedPlan, _ version: DatabaseVersion, _ evaluation: EvaluationContext,
    _ replace: (PreparedPlan) -> Void
  ) throws(SQLError) -> PreparedPlan {
    if plan.isCurrent(version, settingsVersion: settings.version) { return plan }
    let renewed = try self.plan(
      plan.statement, version.catalog, version, types: plan.requestedTypes, evaluation)
    replace(renewed)
    return renewed
  }

  /// A statement, and how it is carried out.
  struct PlannedStatement {
    var bound: BoundStatement
    var plan: PhysicalPlan
    /// The catalog with the tables of files.
    var catalog: CatalogSnapshot
    /// The rows of these.
    var files: [ObjectID: TableStore]
    /// Whether what goes through the plan needs a stack of its own.
    var isDeep: Bool
  }

  /// Binds and optimises a statement.
  ///
  /// - Throws: what binder and optimiser say.
  func planned(
    _ statement: Statement, _ catalog: CatalogSnapshot, _ tables: any TableSource,
    types: [LogicalType?], _ evaluation: EvaluationContext
  ) throws(SQLError) -> PlannedStatement {
    let read = FilesOfStatement()
    let bound = try bind(statement, catalog, types: types, evaluation, keptIn: read)
    let files = read.stores
    let catalog = catalog.including(bound.files)
    let tables = files.isEmpty ? tables : TablesAndFiles(tables, files)
    let statistics = StatisticsReader(catalog, tables, evaluation).source
    let (logical, height) = try DeepStack.run(if: bound.height > Self.shallowHeight) {
      () throws(SQLError) in
      let optimizer = Optimizer(
        catalog: catalog, statistics: statistics, factory: bound.factory,
        style: evaluation.style)
      let logical = try optimizer.optimize(bound.plan)
      return (logical, logical.height(of: { _ in 0 }))
    }
    // Subqueries beside each other have become joins one above another.
    let isDeep = max(bound.height, height) > Self.shallowHeight
    let plan = try DeepStack.run(if: isDeep) { () throws(SQLError) in
      try PhysicalPlanner(catalog: catalog, statistics: statistics).plan(logical)
    }
    return PlannedStatement(
      bound: bound, plan: plan, catalog: catalog, files: files, isDeep: isDeep)
  }

  private func bind(
    _ statement: Statement, _ catalog: CatalogSnapshot, types: [LogicalType?],
    _ evaluation: EvaluationContext, keptIn files: FilesOfStatement
  ) throws(SQLError) -> BoundStatement {
    var binder = Binder(
      catalog: catalog,
      settings: binderSettings(
        evaluation, files: fileProvider(for: statement, evaluation, keptIn: files)),
      parameterTypes: types)
    do throws(SQLError) {
      return try binder.bind(statement)
    } catch {
      guard error.state == .undefinedColumn, statement.mayReadFiles else { throw error }
      // With all columns of a file at hand the error can say which one may be meant.
      binder.settings.files = fileProvider(
        for: statement, evaluation, areWhole: true, keptIn: files)
      return try binder.bind(statement)
    }
  }

  /// Binds, optimises and sets up a statement.
  ///
  /// - Throws: what binder and optimiser say.
  func plan(
    _ statement: Statement, _ catalog: CatalogSnapshot, _ tables: any TableSource,
    types: [LogicalType?], _ evaluation: EvaluationContext, isMeasured: Bool = false
  ) throws(SQLError) -> PreparedPlan {
    let start = ContinuousClock.now
    defer { planningTime += .now - start }
    let planned = try planned(statement, catalog, tables, types: types, evaluation)
    let executor = try DeepStack.run(if: planned.isDeep) { () throws(SQLError) in
      try QueryExecutor(planned.plan, isMeasured: isMeasured)
    }
    let change =
      isMeasured || settings.isReadOnly
      ? nil
      : PreparedRowChange(planned.plan, in: catalog, parameterTypes: planned.bound.parameterTypes)
    return PreparedPlan(
      statement: statement, bound: planned.bound,
      executor: executor, isDeep: planned.isDeep, rowChange: change,
      tables: tables, files: planned.files,
      catalogVersion: catalog.version, settingsVersion: settings.version, requestedTypes: types)
  }

  /// Runs a plan, as part of a statement of `transaction` if it writes.
  func run(
    _ plan: PreparedPlan, _ transaction: OpenTransaction?, _ version: DatabaseVersion,
    _ parameters: [SQLValue], _ evaluation: EvaluationContext, keepsRows: Bool = false
  ) throws(SQLError) -> StatementResult {
    let values = try bind(parameters, to: plan.parameterTypes)
    let own: any TableSource = plan.files.isEmpty ? version : TablesAndFiles(version, plan.files)
    let tables: any TableSource = reads.map { ObservedTables(own, $0) } ?? own
    let modification = plan.writes ? transaction.map(ModificationExecutor.init) : nil
    let context = ExecutionContext(
      evaluation: evaluation, tables: tables, parameters: values,
      session: SessionFunctionTable(self, transaction, reading: version),
      modifications: modification,
      workerLimit: settings.workerLimit, keepsRows: keepsRows && plan.executor.plan.givesAllRows)
    let result: QueryResult
    do throws(SQLError) {
      result = try DeepStack.run(if: plan.isDeep) { () throws(SQLError) in
        try plan.soundExecutor().execute(in: context)
      }
      // Asked to end, it may have left out what nobody would see.
      try context.check()
      let formatter = TextFormatter(evaluation)
      for chunk in result.chunks {
        for column in chunk.columns { try formatter.checkLengths(of: column) }
      }
    } catch {
      if plan.executor.statistics.isEmpty { plan.noteFailure(error) }
      // What a large run has left takes long to be freed: the caller need not wait for that.
      if StatementWatch.isLarge(evaluation) && plan.executor.statistics.isEmpty {
        try plan.renewExecutor(discarding: true)
      }
      throw error
    }
    try state.damage?.check()
    if context.memory.usedByteCount > Self.keptByteCount && plan.executor.statistics.isEmpty {
      try plan.renewExecutor()
    }
    let count = plan.kind == .query ? result.rowCount : modification?.affectedRows ?? 0
    guard plan.kind == .query || !plan.columns.isEmpty else {
      return StatementResult(command: plan.kind, rowCount: count, rows: nil)
    }
    var rows = ResultSet(
      columns: plan.columns, chunks: result.chunks, style: settings.ownStyle,
      keeping: ResultKeeper.keeper(own, result.memory))
    rows.workerLimit = settings.workerLimit
    return StatementResult(command: plan.kind, rowCount: count, rows: rows)
  }

  /// A plan of so many operators one above another finds room on any stack, in debug builds on one of 512 KB; a higher one
  /// gets its own.
  static let shallowHeight = 50

  /// A plan that holds more after a run, besides the result, is made anew: at rest it keeps little.
  private static let keptByteCount = 1 << 20

  /// The values of `$1`, … as constant vectors of the types that the plan expects.
  private func bind(
    _ parameters: [SQLValue], to types: [LogicalType]
  ) throws(SQLError) -> [Vector] {
    guard parameters.count >= types.count else {
      throw SQLError(
        SQLState("08P01"),
        "bind message supplies \(parameters.count) parameters, but the statement requires "
          + "\(types.count)")
    }
    var vectors: [Vector] = []
    vectors.reserveCapacity(types.count)
    for (parameter, type) in zip(parameters, types) {
      vectors.append(
        Vector(constant: try parameter.engineValue(as: type), type: type, count: 1))
    }
    return vectors
  }
}

extension SQLValue {
  /// The value as the engine keeps values of `type`.
  ///
  /// - Throws: 22003 or 22P02 where it is none of that type, 22021 for a text with a zero byte.
  func engineValue(as type: LogicalType) throws(SQLError) -> Value {
    if case .text(let text) = self { try text.checkNoZero() }
    func outOfRange() -> SQLError { SQLError(.numericOutOfRange, "\(type.name) out of range") }
    switch (self, type) {
    case (.null, _): return .null
    case (.boolean(let flag), .boolean): return .boolean(flag)
    case (.integer(let number), .smallint):
      guard let number = Int16(exactly: number) else { throw outOfRange() }
      return .int16(number)
    case (.integer(let number), .integer):
      guard let number = Int32(exactly: number) else { throw outOfRange() }
      return .int32(number)
    case (.integer(let number), .bigint), (.integer(let number), .oid): return .int64(number)
    case (.integer(let number), .numeric):
      return .numeric(Numeric(coefficient: Int128(number), scale: 0))
    case (.integer(let number), .double): return .double(Double(number))
    case (.double(let number), .double): return .double(number)
    case (.double(let number), .real): return .float(Float(number))
    case (.bytes(let bytes), .bytea): return .text(bytes)
    case (.text(let text), let type) where type == .text || type == .varchar:
      return .string(text)
    case (.numeric(let number), .numeric): return .numeric(number.numeric)
    case (.uuid(let uuid), .uuid): return .uuid(uuid.uuid)
    case (.date(let date), .date): return .int32(date.days)
    case (.time(let time), .time): return .int64(time.microseconds)
    case (.timestamp(let moment), .timestamp), (.timestamp(let moment), .timestamptz):
      return .int64(moment.microsecondsSince2000)
    case (.interval(let interval), .interval): return .interval(interval.interval)
    case (.array(let elements), .array(let element)):
      var values: [Value] = []
      values.reserveCapacity(elements.count)
      for value in elements { values.append(try value.engineValue(as: element)) }
      return .list(values)
    case (.boolean, _), (.integer, _), (.double, _), (.text, _), (.bytes, _), (.numeric, _),
      (.uuid, _), (.date, _), (.time, _), (.timestamp, _), (.interval, _), (.json, _), (.array, _):
      let spelling = spelling
      try spelling.checkNoZero()
      return try Value(parsing: spelling, as: ColumnType(type))
    }
  }

  /// The value's spelling as a literal would have it.
  var spelling: String {
    switch self {
    case .null: ""
    case .boolean(let flag): flag ? "true" : "false"
    case .integer(let number): String(number)
    case .double(let number): String(number)
    case .text(let text), .json(let text): text
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    case .numeric(let number): number.description
    case .uuid(let uuid): uuid.description
    case .date(let date): date.description
    case .time(let time): time.description
    case .timestamp(let moment): moment.description
    case .interval(let interval): interval.description
    case .array(let elements):
      "{" + elements.map(\.spellingInArray).joined(separator: ",") + "}"
    }
  }

  /// The spelling as a literal of text has it, also for bytes.
  var literalText: String {
    guard case .bytes(let bytes) = self else { return spelling }
    return "\\x" + bytes.map(Self.hexadecimal).joined()
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }

  /// The spelling as an element of an array, in quotes so that nothing in it is taken for a mark.
  private var spellingInArray: String {
    switch self {
    case .null: "NULL"
    case .array: spelling
    case .bytes: "\"\\" + literalText + "\""
    case .boolean, .integer, .double, .text, .numeric, .uuid, .date, .time, .timestamp, .interval,
      .json:
      "\""
        + spelling.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
  }
}

extension String {
  /// - Throws: 22021 if the text has a zero byte.
  func checkNoZero() throws(SQLError) {
    if utf8Span.span.hasZero {
      throw SQLError(
        .characterNotInRepertoire, "invalid byte sequence for encoding \"UTF8\": 0x00")
    }
  }
}

extension Statement {
  /// Whether the statement may change data, also through a common table expression.
  var mayWrite: Bool {
    if case .select(let query) = self { return query.with?.hasModification ?? false }
    return changesRows
  }

  /// The statement's first word, for messages.
  var commandName: String {
    if case .select = self {
      "SELECT"
    } else if case .insert = self {
      "INSERT"
    } else if case .update = self {
      "UPDATE"
    } else if case .delete = self {
      "DELETE"
    } else if case .merge = self {
      "MERGE"
    } else {
      "this statement"
    }
  }
}

extension WithClause {
  /// Whether a common table expression changes data.
  fileprivate var hasModification: Bool {
    expressions.contains { expression in
      if case .select(let inner) = expression.statement {
        return inner.with?.hasModification ?? false
      }
      return true
    }
  }
}
