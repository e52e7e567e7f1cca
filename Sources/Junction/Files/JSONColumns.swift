import Catalog
import Columnar
import Diagnostics

/// Makes typed columns of the values of JSON records.
struct JSONColumns {
  private let records: JSONRecords
  /// The names of the columns, each there and only once.
  let names: [String]
  private(set) var types: [LogicalType]
  private let inference: SchemaInference
  /// Values that types are guessed from.
  private var samples: [[String]]
  private let evaluation: EvaluationContext

  private static let sampleCount = 1000
  /// What texts are looked at for: a number in quotes is a text on purpose.
  private static let textTypes: [LogicalType] = [.date, .timestamp, .timestamptz, .time, .uuid]

  init(_ records: JSONRecords, _ inference: SchemaInference, _ evaluation: EvaluationContext) {
    self.records = records
    self.inference = inference
    self.evaluation = evaluation
    names = HeaderNames(records.columns.map(\.name)).names
    samples = records.columns.map { column in
      column.cells.lazy.filter { $0.count > 0 }.prefix(Self.sampleCount).map {
        Self.text($0, records)
      }
    }
    types = []
    types = records.columns.indices.map { type(of: $0) }
  }

  /// Makes a table of records, of the narrowest types that hold all values.
  ///
  /// - Throws: what making it throws; nothing stays then.
  static func load(
    _ records: JSONRecords, into table: String, of session: Session, _ evaluation: EvaluationContext
  ) throws(SQLError) -> TableDefinition {
    var columns = JSONColumns(records, SchemaInference(session: session), evaluation)
    while true {
      let load = ChunkLoad(session, table: table, evaluation)
      var misfit: (column: Int, rows: Range<Int>)?
      let definition = try load.run(
        columns.names, columns.types.map { ColumnType($0) }
      ) { append throws(SQLError) in
        misfit = try columns.forEachChunk(append)
        return misfit == nil
      }
      if let definition { return definition }
      if let misfit { columns.widen(misfit.column, for: misfit.rows) }
    }
  }

  private func type(of index: Int) -> LogicalType {
    let kinds = records.columns[index].kinds
    if kinds.contains(.object) || kinds.contains(.array) { return .jsonb }
    if kinds.count > 1 || kinds.isEmpty { return .text }
    if kinds.contains(.boolean) { return .boolean }
    let guessed = inference.guessType(of: samples[index])
    if kinds.contains(.number) { return guessed.isNumeric ? guessed : .numeric }
    return Self.textTypes.contains(guessed) ? guessed : .text
  }

  private static func text(_ cell: JSONRecords.Cell, _ records: JSONRecords) -> String {
    let text = records.text(cell).string
    return text.hasPrefix("\"") ? String(text.dropFirst().dropLast()) : text
  }

  /// Hands over all records, a chunk at a time; after a misfit `widen` finds another type, and all is to be done again.
  func forEachChunk(
    _ body: ([DataChunk]) throws(SQLError) -> Void
  ) throws(SQLError) -> (column: Int, rows: Range<Int>)? {
    var kernels: [ScalarKernel?] = []
    for type in types { kernels.append(try castKernel(from: .text, to: ColumnType(type))) }
    var start = 0
    while start < records.count {
      try RunningStatement.check()
      let rows = start..<min(records.count, start + Vector.chunkCapacity)
      var columns: [Vector] = []
      for (index, kernel) in kernels.enumerated() {
        let texts = try texts(of: index, rows)
        guard let kernel else {
          columns.append(texts)
          continue
        }
        do throws(SQLError) {
          columns.append(try kernel([texts], rows.count, evaluation).flattened())
        } catch {
          if error.state == .queryCanceled || error.state == .outOfMemory { throw error }
          return (index, rows)
        }
      }
      try body([DataChunk(columns, count: rows.count)])
      start = rows.upperBound
    }
    return nil
  }

  /// Gives a column a type that some further values have, too.
  mutating func widen(_ column: Int, for rows: Range<Int>) {
    let before = types[column]
    let cells = records.columns[column].cells
    samples[column] += rows.filter { $0 < cells.count && cells[$0].count > 0 }.map {
      Self.text(cells[$0], records)
    }
    types[column] = type(of: column)
    // What disproves a guess and yet allows it again would be met for ever.
    if types[column] == before { types[column] = .text }
  }

  /// The values of some rows: strings without their quotes, unless the column keeps JSON.
  private func texts(of column: Int, _ rows: Range<Int>) throws(SQLError) -> Vector {
    let keepsQuotes = types[column] == .jsonb
    let cells = records.columns[column].cells
    var builder = VectorBuilder(.text, capacity: rows.count)
    var decoded = ByteBuilder()
    for row in rows {
      guard row < cells.count, cells[row].count > 0 else {
        builder.appendNull()
        continue
      }
      let text = records.text(cells[row])
      if keepsQuotes || text[0] != UInt8(ascii: "\"") {
        builder.append(text)
        continue
      }
      let inner = text.slice(1..<(text.count - 1))
      if (0..<inner.count).contains(where: { inner[$0] == UInt8(ascii: "\\") }) {
        decoded.removeAll()
        try JSONText.decodeString(text, to: &decoded)
        builder.append(decoded.buffer.bytes(0..<decoded.count))
      } else {
        builder.append(inner)
      }
    }
    return builder.finish()
  }
}
