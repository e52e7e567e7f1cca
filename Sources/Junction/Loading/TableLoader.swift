import Catalog
import Columnar
import DelimitedText
import Diagnostics
import Execution
import Planning

/// Loads one file into one table inside the running statement of a transaction.
///
/// The file is parsed on all cores and appended in its order. Rows that break a rule of the table are known by
/// number only when all are in; `locate` then finds their lines.
final class TableLoader {
  private let table: TableDefinition
  private let format: DelimitedTextFormat
  /// The table's column for each field of a record; nil for a field that is passed over.
  private let fields: [Int?]
  private let fills: ColumnFills
  private let filter: RowFilter?
  private let run: ExecutionContext
  /// What the load was given so far, block by block.
  private var blocks: [LoadedBlock] = []
  /// Records that are rejected although they parse.
  private let known: KnownFaults
  private(set) var recordCount = 0
  private(set) var rejects: [RejectedRecord] = []
  /// Values that disprove the types that were guessed.
  private var disproofCount = 0
  /// Whether the load ended early, since the types have to be guessed again anyhow.
  var isDisproved: Bool { disproofCount > Self.disproofsMax }
  private static let disproofsMax = 10_000

  /// What is remembered of a block after its rows are stored.
  private struct LoadedBlock {
    let firstRow: Int
    let parsed: ParsedBlock
    /// The rows of the block that were stored; nil for all.
    let kept: [Int]?
  }
  /// Columns in which quotes make no difference to NULL, and those in which nothing plain is NULL.
  private let forceNull: Set<String>
  private let forceNotNull: Set<String>
  private let hasGuessedTypes: Bool
  private let spellings: [Int: FieldSpelling]
  /// The first values of fields of which nothing is known yet.
  private(set) var laterValues: [Int: [String]]
  private static let laterValuesMax = 100

  init(_ load: TableLoad, fills: ColumnFills, filter: RowFilter?, run: ExecutionContext) {
    table = load.table
    format = load.options.format
    fields = load.fields
    known = load.known
    forceNull = Set(load.options.forceNull)
    forceNotNull = Set(load.options.forceNotNull)
    hasGuessedTypes = load.hasGuessedTypes
    spellings = load.spellings
    laterValues = Dictionary(
      uniqueKeysWithValues: load.openFields.filter { load.fields[$0] != nil }.map { ($0, []) })
    self.fills = fills
    self.filter = filter
    self.run = run
  }

  /// Parses everything that `reader` gives and appends it to `bulk`.
  ///
  /// - Throws: what no single record is to blame for.
  func load(
    _ reader: BlockReader, first: TextBlock, start: Int, into bulk: BulkInsert,
    progress: @escaping (Int) -> Void
  ) throws(SQLError) {
    let lineEnd = LineEnding(of: first, format: format)
    let rules = try makeRules()
    let names = fields.map { $0.map { table.columns[$0].name } ?? "" }
    let context = run.evaluation
    let pipeline = BlockPipeline(
      reader, first: first, start: start,
      makeParser: { [format, known] in
        BlockParser(
          format: format, rules: rules, names: names, lineEnd: lineEnd, known: known,
          context: context)
      },
      deliver: { [self] (parsed) throws(SQLError) in
        try store(parsed, in: bulk)
        progress(bulk.rowCount)
      })
    try pipeline.run(workerLimit: run.workerLimit)
  }

  private func makeRules() throws(SQLError) -> [ColumnRule?] {
    var rules: [ColumnRule?] = []
    for (place, field) in fields.enumerated() {
      guard let field else {
        rules.append(nil)
        continue
      }
      let column = table.columns[field]
      var kernel: ScalarKernel?
      let isPlain =
        column.type.isInteger
        || [.text, .varchar].contains(column.type) && column.columnType.modifier == .none
      if !isPlain || spellings[place] != nil {
        kernel = try castKernel(from: .text, to: column.columnType, context: .assignment)
      }
      var nulls = ColumnRule.NullSpelling()
      // Where a number or a date was guessed, empty quotes are as good as nothing.
      let isGuessed = hasGuessedTypes && column.type != .text
      nulls.countsInQuotes = forceNull.contains(column.name) || isGuessed
      nulls.countsPlain = !forceNotNull.contains(column.name)
      rules.append(
        ColumnRule(
          name: column.name, type: column.type, kernel: kernel, nulls: nulls, isGuessed: isGuessed,
          spelling: spellings[place]))
    }
    return rules
  }

  private func store(_ parsed: ParsedBlock, in bulk: BulkInsert) throws(SQLError) {
    recordCount += parsed.recordCount
    rejects += parsed.rejects
    if hasGuessedTypes {
      disproofCount += parsed.rejects.count { $0.value != nil }
      if isDisproved { throw .internal("the types of \(table.name.name) were guessed wrong") }
    }
    if !laterValues.isEmpty { keepValues(of: parsed.chunks) }
    let firstRow = bulk.rowCount
    var kept: [Int]?
    var row = 0
    for chunk in parsed.chunks {
      var rows = try complete(chunk)
      if let filter {
        let selection = try filter.selection(&rows, run)
        kept = (kept ?? []) + (0..<selection.count).map { row + Int(selection.positions[$0]) }
        rows = rows.gathered(selection)
      }
      row += chunk.count
      try bulk.append(rows)
    }
    blocks.append(LoadedBlock(firstRow: firstRow, parsed: parsed.withoutRows, kept: kept))
  }

  /// Keeps values of fields of which nothing is known yet, words for NULL aside.
  private func keepValues(of chunks: [DataChunk]) {
    let wanted = fields.indices.filter { fields[$0] != nil }
    for (index, place) in wanted.enumerated() {
      guard var values = laterValues[place], values.count < Self.laterValuesMax else { continue }
      for chunk in chunks where values.count < Self.laterValuesMax {
        for row in 0..<chunk.count where values.count < Self.laterValuesMax {
          guard case .text(let bytes) = chunk.columns[index].value(at: row) else { continue }
          let text = String(decoding: bytes, as: UTF8.self)
          if FieldSpelling.nullWords(in: [text]).isEmpty { values.append(text) }
        }
      }
      laterValues[place] = values
    }
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

  /// The records of stored rows that break a rule.
  ///
  /// - Precondition: the rows do not fall.
  /// - Complexity: O(*n*) in the rows loaded.
  func locate(_ violations: [BulkViolation]) -> [RejectedRecord] {
    var records: [RejectedRecord] = []
    var next = 0
    for (index, block) in blocks.enumerated() where next < violations.count {
      let end = index + 1 < blocks.count ? blocks[index + 1].firstRow : Int.max
      let own = violations[next...].prefix { $0.row < end }
      next += own.count
      let rows = own.map { violation in
        let place = violation.row - block.firstRow
        return block.kept.map { place < $0.count ? $0[place] : place } ?? place
      }
      for ((line, offset), violation) in zip(block.parsed.places(of: rows), own)
      where records.last?.offset != offset {
        records.append(RejectedRecord(line: line, offset: offset, error: violation.error))
      }
    }
    return records
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
