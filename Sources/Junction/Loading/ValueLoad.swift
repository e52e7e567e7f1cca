import Catalog
import Columnar
import Diagnostics
import Durability
import Execution
import Planning
import SQLSyntax

/// Rows that a program has put together, on their way into a table.
struct ValueLoad: Sendable {
  let table: String
  /// The columns of the table that the chunks have.
  let columns: [String]
  let chunks: [DataChunk]
  let onConflict: OnConflict
  /// Whether a column's default takes the place of NULL.
  let fillsNulls: Bool
  /// The columns of the table, by place, of which the new rows are given back; nil where only their number is of interest.
  var returned: [Int]?

  /// What a trace shows for it.
  var text: String {
    "INSERT INTO \(SQLPrinter.quoted(table)) "
      + "(\(columns.map { SQLPrinter.quoted($0) }.joined(separator: ", ")))"
  }
}

extension ValueLoad {
  /// Pairs of keys as rows of a junction table; those that are there already are left out.
  ///
  /// - Throws: 22P02, 22003 for a key that its column does not take, with the number of the pair.
  init(
    _ pairs: some Sequence<(any SQLValueConvertible, any SQLValueConvertible)>,
    _ writers: [ColumnWriter], into junction: TableDefinition
  ) throws(SQLError) {
    var chunks: [DataChunk] = []
    var number = 0
    func endChunk() {
      let columns = writers.map { $0.take() }
      if columns[0].count > 0 { chunks.append(DataChunk(columns, count: columns[0].count)) }
    }
    for pair in pairs {
      do throws(SQLError) {
        try writers[0].append(pair.0.sqlValue)
        try writers[1].append(pair.1.sqlValue)
      } catch {
        throw error.inside("pairs[\(number)]")
      }
      number += 1
      if writers[0].count == Vector.pageCapacity { endChunk() }
    }
    endChunk()
    self.init(
      table: junction.name.schema + "." + junction.name.name, columns: writers.map(\.name),
      chunks: chunks, onConflict: .ignore, fillsNulls: false)
  }
}

extension Session {
  /// Loads rows as one statement.
  ///
  /// - Throws: what a constraint says of the first row that breaks one; nothing stays then.
  func load(_ load: ValueLoad) throws(SQLError) -> ResultSet {
    notices = []
    if isFailed {
      throw SQLError(
        .failedTransaction,
        "current transaction is aborted, commands ignored until end of transaction block")
    }
    do throws(SQLError) {
      let evaluation = makeEvaluation()
      let rows = try cancellable(evaluation) { () throws(SQLError) in
        try inTransaction(writes: true, command: "INSERT", evaluation) {
          (transaction, version) throws(SQLError) in
          let table = try CatalogView(
            version.catalog, searchPath: settings.searchPath
          ).table(load.table)
          return try ValueLoadRun(load, table, self, transaction, evaluation).store()
        }
      }
      try state.damage?.check()
      try keepSequenceValues()
      return rows
    } catch {
      noteFailure()
      keepSequenceValuesOfFailure()
      throw error
    }
  }
}

/// One load inside the running statement of a transaction.
private struct ValueLoadRun {
  private let load: ValueLoad
  private let table: TableDefinition
  private let session: Session
  private let transaction: OpenTransaction
  private let evaluation: EvaluationContext
  private let context: ExecutionContext

  init(
    _ load: ValueLoad, _ table: TableDefinition, _ session: Session,
    _ transaction: OpenTransaction, _ evaluation: EvaluationContext
  ) {
    self.load = load
    self.table = table
    self.session = session
    self.transaction = transaction
    self.evaluation = evaluation
    context = session.executionContext(transaction, evaluation)
  }

  /// Loads the rows, those aside that are to be left out, and gives their number, and themselves if they are wanted.
  func store() throws(SQLError) -> ResultSet {
    let chunks = try complete()
    var left: Set<Int> = []
    while true {
      let insert = try BulkInsert(table, in: transaction, context: context)
      // The number of each row that is loaded among all rows.
      var rows: [Int] = []
      var first = 0
      for chunk in chunks {
        let kept = (0..<chunk.count).filter { !left.contains(first + $0) }
        if !left.isEmpty { rows += kept.map { first + $0 } }
        first += chunk.count
        let positions = Buffer(kept.map { UInt32(truncatingIfNeeded: $0) })
        try insert.append(chunk.gathered(SelectionVector(positions, count: kept.count)))
      }
      var violations = try insert.finish()
      if !left.isEmpty {
        for index in violations.indices { violations[index].row = rows[violations[index].row] }
      }
      if violations.isEmpty { return result(of: insert) }
      let taken = Set(
        violations.filter { load.onConflict == .ignore && $0.error.state == .uniqueViolation }
          .map(\.row))
      if let violation = violations.first(where: { !taken.contains($0.row) }) {
        throw violation.error.inside("rows[\(violation.row)]")
      }
      left.formUnion(taken)
      transaction.abandonStatement()
      try transaction.beginStatement(writes: true, context: evaluation)
    }
  }

  private func result(of insert: BulkInsert) -> ResultSet {
    var rows = ResultSet(columns: [], chunks: [])
    if let returned = load.returned {
      let columns = returned.map { index in
        ResultColumn(
          name: table.columns[index].name, columnType: table.columns[index].columnType)
      }
      rows = ResultSet(
        columns: columns, chunks: insert.rows(ofColumns: returned), keeping: transaction.share())
    }
    rows.rowCount = insert.rowCount
    return rows
  }

  /// The chunks with all columns of the table, in its order, in their types.
  private func complete() throws(SQLError) -> [DataChunk] {
    var given: [Int: Int] = [:]
    for (place, name) in load.columns.enumerated() {
      guard let index = table.column(named: name), let first = load.chunks.first,
        first.columns[place].type == table.columns[index].type
      else {
        throw SQLError(
          .serializationFailure, "table \"\(load.table)\" has changed since its columns were read",
          hint: "The call can be tried again.")
      }
      given[index] = place
    }
    for (index, place) in given where table.columns[index].generated != nil {
      let isEmpty = load.chunks.allSatisfy { chunk in
        (0..<chunk.count).allSatisfy { !chunk.columns[place].isValid($0) }
      }
      if !isEmpty || !load.fillsNulls {
        throw SQLError(
          .invalidColumnReference, "column \"\(table.columns[index].name)\" is a generated column",
          detail: "Its values are computed from other columns.")
      }
      given[index] = nil
    }
    let binder = Binder(
      catalog: transaction.catalog, settings: session.binderSettings(evaluation))
    let filled =
      load.fillsNulls
      ? Set(given.keys.filter { table.columns[$0].defaultValue == nil }) : Set(given.keys)
    let fills = try ColumnFills(
      table, without: filled, binder, transaction.catalog,
      TakenNumbers(from: session.state.sequences))
    var complete: [DataChunk] = []
    var first = 0
    for chunk in load.chunks {
      try evaluation.checkCancellation()
      var columns: [Vector] = []
      for (index, column) in table.columns.enumerated() {
        guard let place = given[index] else {
          columns.append(try fills.vector(for: index, count: chunk.count, context))
          continue
        }
        var vector = try fitted(chunk.columns[place], to: column, first)
        if load.fillsNulls, column.defaultValue != nil {
          vector = try replaceNulls(of: vector, index, fills)
        }
        columns.append(vector)
      }
      complete.append(DataChunk(columns, count: chunk.count))
      first += chunk.count
    }
    return complete
  }

  /// The values as the column's type with its modifier has them: rounded, padded, or refused as too long.
  private func fitted(
    _ vector: Vector, to column: TableColumn, _ first: Int
  ) throws(SQLError) -> Vector {
    guard column.columnType.modifier != .none,
      let kernel = try castKernel(
        from: vector.type, to: column.columnType, context: .assignment)
    else { return vector }
    do throws(SQLError) {
      return try kernel([vector], vector.count, evaluation)
    } catch {
      // Only now is it of interest which value it was.
      for row in 0..<vector.count {
        do throws(SQLError) {
          _ = try kernel([vector.slice(from: row, count: 1)], 1, evaluation)
        } catch {
          throw error.inColumn(column.name).inside("rows[\(first + row)]")
        }
      }
      throw error.inColumn(column.name)
    }
  }

  /// The values with the column's default in place of each NULL.
  private func replaceNulls(
    of vector: Vector, _ index: Int, _ fills: ColumnFills
  ) throws(SQLError) -> Vector {
    let missing = (0..<vector.count).filter { !vector.isValid($0) }
    if missing.isEmpty { return vector }
    let defaults = try fills.vector(for: index, count: missing.count, context)
    if missing.count == vector.count { return defaults }
    var builder = VectorBuilder(vector.type, capacity: vector.count)
    var next = 0
    for row in 0..<vector.count {
      if next < missing.count, missing[next] == row {
        builder.append(defaults.value(at: next))
        next += 1
      } else {
        builder.append(vector.value(at: row))
      }
    }
    return builder.finish()
  }
}
