import Catalog
import Columnar
import DelimitedText
import Diagnostics
import Execution
import Planning
import SQLSyntax

/// Records on their way into one table, over all attempts to load them.
struct TableLoad {
  /// Where records are read.
  indirect enum Origin {
    /// A regular file, opened for each attempt.
    case file(path: String)
    /// A source that is there already; for more than one attempt it must be repeatable.
    case source(any ByteSource)
    /// Text in another encoding.
    case encoded(Origin, TextEncoding)

    /// The bytes from the first on.
    func opened() throws(SQLError) -> any ByteSource {
      switch self {
      case .file(let path): return try TextFile.open(path)
      case .source(let source):
        if source.isRepeatable { try source.rewind() }
        return source
      case .encoded(let origin, let encoding):
        return TranscodedSource(try origin.opened(), encoding)
      }
    }
  }

  var table: TableDefinition
  /// The table's column for each field of a record; nil for a field that is passed over.
  var fields: [Int?]
  let origin: Origin
  /// What the records are called in messages: a path, or `STDIN`.
  let name: String
  let options: CopyOptions
  /// The condition on rows to be stored.
  var filter: SQLSyntax.Expression?
  /// Whether the table's types were guessed, so that a value has to be spelled like them.
  var hasGuessedTypes = false
  /// How the values of a field are spelled, where that is not as SQL spells them.
  var spellings: [Int: FieldSpelling] = [:]
  /// Fields of which nothing is known yet: the first values that they have are kept.
  var openFields: Set<Int> = []
  /// The byte at which the first record starts; nil where the format tells.
  var dataStart: Int?
  /// Records that earlier attempts have found to break a rule of the table.
  var known = KnownFaults()
  /// What columns that the records lack have taken from sequences.
  let numbers: TakenNumbers

  /// Where records start in the first block of the source: behind the header, if there is one.
  ///
  /// - Throws: 22P04 for a header that must name the columns and does not.
  func start(in block: TextBlock) throws(SQLError) -> Int {
    if let dataStart { return dataStart }
    guard options.format.hasHeader else { return 0 }
    let header = DialectSniffer.header(of: block, format: options.format)
    if options.headerMustMatch { try check(header.fields) }
    return header.byteCount
  }

  private func check(_ header: [String?]) throws(SQLError) {
    let columns = fields.compactMap { $0 }.map { table.columns[$0].name }
    guard header.count == columns.count else {
      throw SQLError(
        .badCopyFileFormat,
        "wrong number of fields in header line: got \(header.count), expected \(columns.count)")
    }
    for (place, (name, column)) in zip(header, columns).enumerated() where name != column {
      throw SQLError(
        .badCopyFileFormat,
        "column name mismatch in header line field \(place + 1): got \"\(name ?? "")\", expected "
          + "\"\(column)\"")
    }
  }

  /// What loads the records inside the running statement of `transaction`.
  ///
  /// - Throws: 42703 and 42P10 for columns that options name, and what binding the condition or a default throws.
  func makeLoader(
    for session: Session, _ transaction: OpenTransaction, _ run: ExecutionContext
  ) throws(SQLError) -> TableLoader {
    let catalog = transaction.catalog
    let binder = Binder(catalog: catalog, settings: session.binderSettings(run.evaluation))
    var rowFilter: RowFilter?
    if let filter {
      let factory = ColumnFactory()
      let columns = table.columns.map { factory.make($0.name, $0.type) }
      let bound = try binder.bindExpression(
        filter, over: columns, of: table, for: .copyFilter)
      rowFilter = RowFilter(condition: bound.expression, columns: columns)
    }
    let named = Set(fields.compactMap { $0 })
    try check(options.forceNull, "FORCE_NULL", among: named)
    try check(options.forceNotNull, "FORCE_NOT_NULL", among: named)
    numbers.rewind()
    let fills = try ColumnFills(table, without: named, binder, catalog, numbers)
    return TableLoader(self, fills: fills, filter: rowFilter, run: run)
  }

  private func check(
    _ names: [String], _ option: String, among fields: Set<Int>
  ) throws(SQLError) {
    for name in names {
      guard let index = table.column(named: name) else {
        throw SQLError(
          .undefinedColumn,
          "column \"\(name)\" of relation \"\(table.name.name)\" does not exist")
      }
      guard fields.contains(index) else {
        throw SQLError(
          .invalidColumnReference, "\(option) column \"\(name)\" not referenced by COPY")
      }
    }
  }
}
