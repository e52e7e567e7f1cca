import Catalog
import Columnar
import Diagnostics

/// Makes typed columns of the values of JSON records.
struct JSONColumns {
  private let records: JSONRecords
  /// The names of the columns, each there and only once.
  let names: [String]
  private var guesses: [JSONColumnGuess]
  private let inference: SchemaInference
  private let evaluation: EvaluationContext

  init(_ records: JSONRecords, _ inference: SchemaInference, _ evaluation: EvaluationContext) {
    self.records = records
    self.inference = inference
    self.evaluation = evaluation
    names = HeaderNames(records.columns.map(\.name)).names
    guesses = records.columns.map { column in
      let samples = column.cells.lazy.filter { $0.count > 0 }.prefix(JSONColumnGuess.sampleCount)
      return JSONColumnGuess(
        column.kinds, samples.map { JSONColumnGuess.sample(records.text($0)) }, inference)
    }
  }

  var types: [LogicalType] { guesses.map(\.type) }

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

  /// Hands over all records, a chunk at a time; after a misfit `widen` finds another type, and all is to be done again.
  func forEachChunk(
    _ body: ([DataChunk]) throws(SQLError) -> Void
  ) throws(SQLError) -> (column: Int, rows: Range<Int>)? {
    var rules: [JSONColumnRule] = []
    for type in types { rules.append(try JSONColumnRule(type)) }
    var start = 0
    while start < records.count {
      try RunningStatement.check()
      let rows = start..<min(records.count, start + Vector.pageCapacity)
      var columns: [Vector] = []
      for (index, rule) in rules.enumerated() {
        let cells = records.columns[index].cells
        let vector = try rule.vector(rows.count, evaluation) { row in
          let row = rows.lowerBound + row
          return row < cells.count && cells[row].count > 0 ? records.text(cells[row]) : nil
        }
        guard let vector else { return (index, rows) }
        columns.append(vector)
      }
      try body([DataChunk(columns, count: rows.count)])
      start = rows.upperBound
    }
    return nil
  }

  /// Gives a column a type that some further values have, too.
  mutating func widen(_ column: Int, for rows: Range<Int>) {
    let cells = records.columns[column].cells
    let values = rows.filter { $0 < cells.count && cells[$0].count > 0 }.map {
      JSONColumnGuess.sample(records.text(cells[$0]))
    }
    guesses[column].widen(for: values, inference)
  }
}
