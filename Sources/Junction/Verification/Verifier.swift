import Catalog
import Columnar
import Diagnostics
import Execution
import SQLSyntax
import Storage

/// Checks a version of a database, all of it, and goes on after what it finds.
///
/// Constraints are checked from the columns, by code that has no part in enforcing them: keys by numbers that are
/// made of the values, conditions by queries. Indexes are held against the columns, entry by entry, both ways.
struct Verifier {
  /// Gives the number of rows of a query of one number.
  typealias Count = (String) throws(SQLError) -> Int

  let version: DatabaseVersion
  let evaluation: EvaluationContext
  /// What the memory of a check is charged to.
  let memory: MemoryBudget
  let text: DefinitionText
  let count: Count
  private(set) var report = VerificationReport()

  init(
    _ version: DatabaseVersion, _ evaluation: EvaluationContext, _ memory: MemoryBudget,
    count: @escaping Count
  ) {
    self.version = version
    self.evaluation = evaluation
    self.memory = memory
    self.count = count
    text = DefinitionText(version.catalog)
  }

  private var catalog: CatalogSnapshot { version.catalog }

  /// Checks everything but files.
  ///
  /// - Throws: 57014, and 53200 past the limit of memory.
  mutating func run(_ sequences: SequenceCounters) throws(SQLError) {
    try verifyCatalog(sequences)
    let tables = catalog.tables.values.sorted { $0.id < $1.id }
    for table in tables {
      guard let store = version.tables[table.id] else {
        report.add(
          "structure", name(table), 0,
          damage("the rows of table \"\(table.name.name)\" are missing"))
        continue
      }
      try verify(table, store)
    }
    try verifyViews()
  }

  mutating func add(
    _ check: String, _ object: String, _ body: () throws(SQLError) -> (count: Int, error: SQLError?)
  ) throws(SQLError) {
    try evaluation.checkCancellation()
    try report.add(check, object, body)
  }

  /// Notes the check of a file.
  mutating func add(file path: String, _ byteCount: Int, _ error: SQLError?) {
    report.add("file", path, byteCount, error)
  }

  func name(_ table: TableDefinition) -> String { text.name(table.name) }

  func damage(_ message: String, _ detail: String? = nil) -> SQLError {
    SQLError(.dataCorrupted, message, detail: detail)
  }

  // MARK: Catalog

  private mutating func verifyCatalog(_ sequences: SequenceCounters) throws(SQLError) {
    let objects =
      catalog.tables.count + catalog.views.count + catalog.sequences.count + catalog.graphs.count
      + catalog.functions.count + catalog.types.count
    let catalog = self.catalog
    try add("catalog", "catalog") { () throws(SQLError) in
      try catalog.checkConsistency()
      return (objects, nil)
    }
    for sequence in catalog.sequences.values.sorted(by: { $0.id < $1.id }) {
      let value = sequences.position(of: sequence).value
      let isSound = value >= sequence.minimum && value <= sequence.maximum
      report.add(
        "sequence", text.name(sequence.name), 1,
        isSound
          ? nil
          : damage(
            "sequence \"\(sequence.name.name)\" stands at \(value)",
            "It goes from \(sequence.minimum) to \(sequence.maximum)."))
    }
  }

  /// Views can be asked: each is bound and planned, and none of its rows read.
  private mutating func verifyViews() throws(SQLError) {
    let count = self.count
    for view in catalog.views.values.sorted(by: { $0.id < $1.id }) {
      let name = text.name(view.name)
      try add("view", name) { () throws(SQLError) in
        (try count("SELECT count(*) FROM (SELECT * FROM \(name) LIMIT 0) v"), nil)
      }
    }
  }

  // MARK: Tables

  private mutating func verify(
    _ table: TableDefinition, _ store: TableStore
  ) throws(SQLError) {
    let evaluation = self.evaluation
    let damaged = self.damage
    try add("structure", name(table)) { () throws(SQLError) in
      if store.types != table.columns.map(\.type) || store.layout != table.layout {
        return (0, damaged("table \"\(table.name.name)\" is not stored as it is defined", nil))
      }
      for page in 0..<store.pageCount {
        try evaluation.checkCancellation()
        if let reason = store.damage(ofPage: page) {
          return (store.liveRowCount, damaged("table \"\(table.name.name)\" is damaged", reason))
        }
      }
      let reason = store.damageOfCounts()
      return (
        store.liveRowCount,
        reason.map { damaged("table \"\(table.name.name)\" is damaged", $0) }
      )
    }
    // What is not as it is defined cannot be asked for more.
    guard report.entries.last?.error == nil else { return }
    try verifyNulls(table, store)
    try verifyConditions(table)
    try verifyKeys(table, store)
    try verifyReferences(table, store)
    try verifyIndexes(table, store)
    try verifyAdjacencies(table, store)
  }

  private mutating func verifyNulls(
    _ table: TableDefinition, _ store: TableStore
  ) throws(SQLError) {
    let evaluation = self.evaluation
    let columns = table.columns.indices.filter { table.columns[$0].isNotNull }
    for column in columns {
      let columnName = table.columns[column].name
      try add("not null", "\(name(table)).\(SQLPrinter.quoted(columnName))") {
        () throws(SQLError) in
        var found = 0
        for page in 0..<store.pageCount {
          try evaluation.checkCancellation()
          let chunk = store.scan(page: page, columns: [column])
          let vector = chunk.columns[0]
          switch vector.form {
          case .flat: found += vector.validity.nullCount(chunk.count)
          case .constant, .indirect:
            if !vector.mayHaveNulls { continue }
            for row in 0..<chunk.count where !vector.isValid(row) { found += 1 }
          }
        }
        let error = SQLError(
          .notNullViolation,
          "null value in column \"\(columnName)\" of relation \"\(table.name.name)\" violates not-null constraint",
          detail: "\(found) rows have it.")
        return (store.liveRowCount, found > 0 ? error : nil)
      }
    }
  }

  /// CHECK, domains and generated columns, by queries.
  private mutating func verifyConditions(_ table: TableDefinition) throws(SQLError) {
    for check in table.checks {
      let condition = SQLPrinter.text(of: check.expression)
      try verify(
        "check", "\(name(table)) \(SQLPrinter.quoted(check.name))", table,
        "SELECT count(*) FROM ONLY \(name(table)) WHERE NOT (\(condition))",
        SQLError(
          .checkViolation,
          "new row for relation \"\(table.name.name)\" violates check constraint \"\(check.name)\"")
      )
    }
    try verifyCardinalities(table)
    for column in table.columns {
      let quoted = SQLPrinter.quoted(column.name)
      if let generated = column.generated {
        let value = SQLPrinter.text(of: generated)
        try verify(
          "generated", "\(name(table)).\(quoted)", table,
          "SELECT count(*) FROM ONLY \(name(table)) WHERE \(quoted) IS DISTINCT FROM (\(value))",
          damage("column \"\(column.name)\" is not what it is generated as"))
      }
      guard let domain = column.domain.flatMap({ catalog.types[$0] }).flatMap(Domain.init) else {
        continue
      }
      for check in domain.checks {
        let condition = SQLPrinter.text(of: check.expression)
        try verify(
          "domain", "\(name(table)).\(quoted) \(SQLPrinter.quoted(check.name))", table,
          "SELECT count(*) FROM (SELECT \(quoted) AS value FROM ONLY \(name(table))) v"
            + " WHERE NOT (\(condition))",
          SQLError(.checkViolation, "a value violates check constraint \"\(check.name)\""))
      }
    }
  }

  /// Notes whether a query counts no rows that break a rule.
  mutating func verify(
    _ check: String, _ object: String, _ table: TableDefinition, _ query: String,
    _ violation: SQLError
  ) throws(SQLError) {
    let rows = version.tables[table.id]?.liveRowCount ?? 0
    let count = self.count
    try add(check, object) { () throws(SQLError) in
      let found = try count(query)
      var error = violation
      error.detail = "\(found) rows do."
      return (rows, found > 0 ? error : nil)
    }
  }
}

extension MemoryBudget {
  /// Runs what takes so much memory.
  ///
  /// - Throws: 53200 past the limit.
  func holding<Result>(
    _ byteCount: Int, _ body: () throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    defer { release(byteCount) }
    try charge(byteCount)
    return try body()
  }
}
