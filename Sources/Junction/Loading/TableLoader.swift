import Catalog
import Columnar
import DelimitedText
import Diagnostics
import Execution
import Planning

/// Loads one file into one table inside the running statement of a transaction.
///
/// The file is parsed on all cores and appended in its order. Rows that break a rule of the table are known by
/// number only when all are in; `places` then finds their lines.
final class TableLoader {
  let table: TableDefinition
  let name: String
  private let format: DelimitedTextFormat
  /// The table's column for each field of a record; nil for a field that is passed over.
  private let fields: [Int?]
  private let fills: ColumnFills
  private let filter: RowFilter?
  private let run: ExecutionContext
  /// What the load was given so far, block by block.
  private var blocks: [LoadedBlock] = []
  /// Rows, by number among those that parsed, that are left out because an earlier attempt found them bad.
  var excluded: Set<Int> = []
  private(set) var recordCount = 0
  private(set) var rejects: [RejectedRecord] = []

  /// What is remembered of a block after its rows are stored.
  private struct LoadedBlock {
    let firstRow: Int
    let parsed: ParsedBlock
    /// The rows of the block that were stored; nil for all.
    let kept: [Int]?
    /// The number of the first parsed row of the block.
    let firstParsed: Int
  }
  private var parsedCount = 0
  /// Columns in which quotes make no difference to NULL, and those in which nothing plain is NULL.
  var forceNull: Set<String> = []
  var forceNotNull: Set<String> = []

  init(
    _ table: TableDefinition, name: String, format: DelimitedTextFormat, fields: [Int?],
    fills: ColumnFills, filter: RowFilter?, run: ExecutionContext
  ) {
    self.table = table
    self.name = name
    self.format = format
    self.fields = fields
    self.fills = fills
    self.filter = filter
    self.run = run
  }

  /// Parses everything that `reader` gives and appends it to `bulk`.
  ///
  /// - Throws: what no single record is to blame for.
  func load(
    _ reader: BlockReader, first: TextBlock?, start: Int, into bulk: BulkInsert,
    progress: @escaping (Int) -> Void
  ) throws(SQLError) {
    blocks = []
    rejects = []
    recordCount = 0
    parsedCount = 0
    guard let first else { return }
    let lineEnd = LineEnding(of: first, format: format)
    let rules = try makeRules()
    let names = fields.map { $0.map { table.columns[$0].name } ?? "" }
    let context = run.evaluation
    let pipeline = BlockPipeline(
      reader, first: first, start: start,
      makeParser: { [format] in
        BlockParser(
          format: format, rules: rules, names: names, lineEnd: lineEnd, context: context)
      },
      deliver: { [self] (parsed) throws(SQLError) in
        try store(parsed, in: bulk)
        progress(bulk.rowCount)
      })
    try pipeline.run(workerLimit: run.workerLimit)
  }

  private func makeRules() throws(SQLError) -> [ColumnRule?] {
    var rules: [ColumnRule?] = []
    for field in fields {
      guard let field else {
        rules.append(nil)
        continue
      }
      let column = table.columns[field]
      var kernel: ScalarKernel?
      let isPlain =
        column.type.isInteger || (column.type == .text && column.columnType.modifier == .none)
        || column.columnType == ColumnType(.varchar)
      if !isPlain {
        kernel = try castKernel(from: .text, to: column.columnType, context: .assignment)
      }
      var nulls = ColumnRule.NullSpelling()
      nulls.countsInQuotes = forceNull.contains(column.name)
      nulls.countsPlain = !forceNotNull.contains(column.name)
      rules.append(
        ColumnRule(name: column.name, type: column.type, kernel: kernel, nulls: nulls))
    }
    return rules
  }

  private func store(_ parsed: ParsedBlock, in bulk: BulkInsert) throws(SQLError) {
    recordCount += parsed.recordCount
    rejects += parsed.rejects
    let firstRow = bulk.rowCount
    var kept: [Int]?
    var row = 0
    for chunk in parsed.chunks {
      var rows = try complete(chunk)
      let number = parsedCount + row
      let isTouched = filter != nil || !excluded.isEmpty
      if isTouched {
        let selection = try selection(&rows, firstNumber: number)
        kept = (kept ?? []) + (0..<selection.count).map { row + Int(selection.positions[$0]) }
        rows = rows.gathered(selection)
      }
      row += chunk.count
      try bulk.append(rows)
    }
    blocks.append(
      LoadedBlock(
        firstRow: firstRow, parsed: parsed.withoutRows, kept: kept, firstParsed: parsedCount))
    parsedCount += parsed.rowCount
  }

  /// The chunk with all columns of the table, in its order.
  private func complete(_ chunk: DataChunk) throws(SQLError) -> DataChunk {
    var columns = [Vector?](repeating: nil, count: table.columns.count)
    var next = 0
    for field in fields {
      guard let field else { continue }
      columns[field] = chunk.columns[next]
      next += 1
    }
    var complete: [Vector] = []
    for (index, column) in columns.enumerated() {
      if let column {
        complete.append(column)
      } else {
        complete.append(try fills.vector(for: index, count: chunk.count, run))
      }
    }
    return DataChunk(complete, count: chunk.count)
  }

  private func selection(
    _ rows: inout DataChunk, firstNumber: Int
  ) throws(SQLError) -> SelectionVector {
    let wanted = try filter?.selection(&rows, run) ?? .all(rows.count)
    if excluded.isEmpty { return wanted }
    let kept = Buffer<UInt32>(uninitialized: max(wanted.count, 1))
    var count = 0
    for place in 0..<wanted.count
    where !excluded.contains(firstNumber + Int(wanted.positions[place])) {
      kept[count] = wanted.positions[place]
      count += 1
    }
    return SelectionVector(kept, count: count)
  }

  /// The record of a stored row, as a rejected one, and its number among the parsed rows.
  func reject(_ violation: BulkViolation) -> (record: RejectedRecord, number: Int)? {
    guard let block = blocks.last(where: { $0.firstRow <= violation.row }) else { return nil }
    let place = violation.row - block.firstRow
    let row = block.kept.map { place < $0.count ? $0[place] : place } ?? place
    let (line, offset) = block.parsed.place(of: row)
    let record = RejectedRecord(
      line: line, offset: offset, column: nil, error: violation.error, text: [])
    return (record, block.firstParsed + row)
  }
}

/// Values for the columns that a file does not have: defaults, sequences, NULL.
struct ColumnFills {
  private enum Fill {
    case null
    case sequence(SequenceDefinition, ScalarKernel?)
    case expression(BoundExpression)
  }
  private let types: [LogicalType]
  private var fills: [Int: Fill] = [:]
  private let sequences: SequenceCounters

  init(
    _ table: TableDefinition, without given: Set<Int>, _ binder: Binder, _ catalog: CatalogSnapshot,
    _ sequences: SequenceCounters
  ) throws(SQLError) {
    types = table.columns.map(\.type)
    self.sequences = sequences
    for (index, column) in table.columns.enumerated() where !given.contains(index) {
      switch column.defaultValue {
      case .sequence(let id):
        guard let sequence = catalog.sequences[id] else { continue }
        fills[index] = .sequence(
          sequence, try castKernel(from: .bigint, to: column.columnType, context: .assignment))
      case .expression(let expression):
        let bound = try binder.bindExpression(
          expression, for: .columnDefault, target: (column.name, column.columnType))
        fills[index] = .expression(bound.expression)
      case nil: fills[index] = .null
      }
    }
  }

  /// The values of column `index` for `count` new rows.
  func vector(
    for index: Int, count: Int, _ run: ExecutionContext
  ) throws(SQLError) -> Vector {
    switch fills[index] {
    case .sequence(let sequence, let kernel):
      let values = Buffer<Int64>(uninitialized: count)
      var done = 0
      while done < count {
        let taken = try sequences.take(count - done, of: sequence)
        for step in 0..<taken.count {
          values[done] = taken.first &+ Int64(step) &* sequence.increment
          done += 1
        }
      }
      let numbers = Vector(.bigint, values, count: count)
      return try kernel?([numbers], count, run.evaluation) ?? numbers
    case .expression(let expression):
      var chunk = DataChunk([], count: count)
      return try ExpressionCompiler([]).compile(expression).evaluate(&chunk, run)
    case .null, nil: return .null(types[index], count: count)
    }
  }
}

/// The WHERE of a COPY.
struct RowFilter {
  let condition: BoundExpression
  let columns: [PlanColumn]

  func selection(_ rows: inout DataChunk, _ run: ExecutionContext) throws(SQLError)
    -> SelectionVector
  {
    let value = try ExpressionCompiler(columns).compile(condition).evaluate(&rows, run)
    return SelectionVector(whereTrue: value)
  }
}
