import Catalog
import Columnar
import DelimitedText
import Diagnostics
import Parquet
import SQLSyntax
import Storage

/// Reads files of one kind into one new table.
struct FileReader {
  private let session: Session
  private let table: String
  private let evaluation: EvaluationContext
  private let progress: ((LoadProgress) -> Void)?
  private let standardInput: () throws(SQLError) -> any ByteSource
  /// Where it is noted what types were found from, if anybody asks.
  private let log: InferenceLog?

  /// A table, and the names of all columns that its files have.
  struct Outcome {
    let definition: TableDefinition
    let names: [String]
    /// The rows, where they are not those of a table that was made.
    var rows: TableStore?
    /// What there is to say of how values are spelled.
    var notices: [Notice] = []
  }

  init(
    _ session: Session, table: String, _ evaluation: EvaluationContext,
    _ progress: ((LoadProgress) -> Void)?, log: InferenceLog? = nil,
    standardInput: @escaping () throws(SQLError) -> any ByteSource
  ) {
    self.session = session
    self.table = table
    self.evaluation = evaluation
    self.progress = progress
    self.log = log
    self.standardInput = standardInput
  }

  /// Makes the table and reads all files into it; nothing of it stays after an error.
  ///
  /// - Parameters:
  ///   - path: what stands in the statement.
  ///   - files: the files that it names; none for standard input.
  ///   - isWanted: whether a column may be asked for.
  /// - Returns: the table's definition.
  /// - Throws: 58P01, 58030, and what is wrong with a record, by line and column.
  func read(
    _ path: String, _ files: [FilePaths.Stamped], _ isWanted: @escaping (String) -> Bool
  ) throws(SQLError) -> Outcome {
    do throws(SQLError) {
      switch Self.format(path, files) {
      case .text: return try readText(path, files, isWanted)
      case .json: return try readJSON(path, files, isWanted)
      case .parquet: return try readParquet(path, files)
      }
    } catch {
      session.forget(table)
      throw error
    }
  }

  /// How the data of files is written, by their name or by what they begin with.
  static func format(_ path: String, _ files: [FilePaths.Stamped]) -> FileFormat {
    let format = FileFormat(files.first?.path ?? path)
    return format == .text && isParquet(files.first) ? .parquet : format
  }

  // MARK: Delimited text

  private func readText(
    _ path: String, _ files: [FilePaths.Stamped], _ isWanted: (String) -> Bool
  ) throws(SQLError) -> Outcome {
    var sheets: [Sheet] = []
    if files.isEmpty {
      let origin = TableLoad.Origin.source(try standardInput())
      sheets.append(
        try Sheet(FolderListing.File(path, table: table, byteCount: 0, origin: origin)))
    }
    for file in files {
      // It is read more than once.
      let origin: TableLoad.Origin? =
        file.isRegular ? nil : .source(try FileSource(path: file.path).repeatable)
      sheets.append(
        try Sheet(
          FolderListing.File(
            file.path, table: table, byteCount: file.byteCount, origin: origin)))
    }
    let inference = SchemaInference(session: session)
    for index in sheets.indices { sheets[index].keep(isWanted) }
    sheets[0].takeSamples(of: sheets.dropFirst())
    try inference.makeTable(for: &sheets[0])
    while let (misfits, index) = try load(&sheets, inference) {
      try inference.widen(&sheets[0], sheets[0].places(of: misfits, in: sheets[index]))
    }
    for finding in log == nil ? [] : inference.findings(of: sheets[0]) { log?.add(finding) }
    return Outcome(
      definition: try sheets[0].definition(in: session.state.current.catalog),
      names: sheets[0].names,
      notices: sheets.flatMap(\.notices)
        + (inference.noticesOfMixedTimes(in: sheets[0])
        + inference.noticesOfSpellings(in: sheets[0]))
        .map { named(path, $0) })
  }

  /// What is said of the table, said of the file.
  private func named(_ path: String, _ notice: Notice) -> Notice {
    var named = notice
    if notice.message.hasPrefix("\(table): ") {
      named.message = path + notice.message.dropFirst(table.count)
    }
    return named
  }

  /// Loads the sheets one by one; gives values that do not fit the types that were guessed, and whose they are.
  private func load(
    _ sheets: inout [Sheet], _ inference: SchemaInference
  ) throws(SQLError) -> (misfits: [Int: [String]], sheet: Int)? {
    let loader = SheetLoader(
      session: session, evaluation: evaluation, inference: inference, progress: progress ?? { _ in }
    )
    var accounts: [String] = []
    for index in sheets.indices {
      if index > 0 {
        let table = try sheets[0].definition(in: session.state.current.catalog)
        try sheets[index].share(table, of: sheets[0])
      }
      var own = [sheets[index]]
      let outcome = try loader.loadConverting(&own)
      sheets[index] = own[0]
      accounts += outcome.reports.map { "\($0.proof) (\(own[0].dialect.summary))" }
      if outcome.isDisproved, let report = outcome.reports.first {
        return (inference.misfits(of: sheets[index], report), index)
      }
    }
    for account in accounts { log?.say(account) }
    return nil
  }

  // MARK: JSON

  private func jsonRecords(
    _ sources: JSONSources, _ names: [String], _ isWanted: @escaping (String) -> Bool
  ) throws(SQLError) -> JSONRecords {
    var records = JSONRecords(isWanted: isWanted)
    for (index, name) in names.enumerated() {
      try records.read(try sources.opened(index), name: name)
    }
    return records
  }

  private func readJSON(
    _ path: String, _ files: [FilePaths.Stamped], _ isWanted: @escaping (String) -> Bool
  ) throws(SQLError) -> Outcome {
    let sources = JSONSources(
      files.map(\.path), standardInput: files.isEmpty ? try standardInput() : nil)
    var stream = JSONStream(sources, into: table, of: session, evaluation, progress, isWanted)
    if let (definition, names) = try stream.load() {
      return Outcome(definition: definition, names: names)
    }
    let names = files.isEmpty ? [path] : files.map(\.path)
    var records = try jsonRecords(sources, names, isWanted)
    if records.columns.isEmpty, let first = records.names.first {
      // A table has at least one column.
      records = try jsonRecords(sources, names) { $0 == HeaderNames.cut(first) }
    }
    guard !records.columns.isEmpty else {
      throw SQLError(
        .badCopyFileFormat, "\"\(path)\" holds no records, so nobody knows its columns")
    }
    return Outcome(
      definition: try JSONColumns.load(records, into: table, of: session, evaluation),
      names: records.names, notices: records.remarks.map { Notice($0, severity: .info) })
  }

  // MARK: Parquet

  /// Whether a file is one of parquet by another name.
  private static func isParquet(_ file: FilePaths.Stamped?) -> Bool {
    guard let file, file.isRegular, let source = try? FileSource(path: file.path) else {
      return false
    }
    let head = Buffer<UInt8>(zeroed: 4)
    guard let count = try? source.read(into: head, at: 0, count: 4) else { return false }
    return ParquetFile.isParquet(head.bytes(0..<count).array)
  }

  private func readParquet(
    _ path: String, _ files: [FilePaths.Stamped]
  ) throws(SQLError) -> Outcome {
    guard !files.isEmpty else {
      throw SQLError(
        .featureNotSupported, "parquet is not read from standard input",
        hint: "Its footer is read first: name a file.")
    }
    var parts: [ParquetFile] = []
    for file in files { parts.append(try ParquetFile(path: file.path)) }
    let rows = try ParquetRows(parts)
    let stream = try ParquetStream(rows)
    let names = rows.columns.map(\.name)
    let load = ChunkLoad(session, table: table, evaluation)
    let definition = try load.run(names, rows.columns.map(\.type)) { _ in true }
    guard let definition else { throw .internal("a table was not made") }
    return Outcome(definition: definition, names: names, rows: stream.table)
  }
}

extension Session {
  /// Drops a table that may be there.
  fileprivate func forget(_ table: String) {
    guard let statements = try? parseStatements("DROP TABLE IF EXISTS \(table)") else { return }
    for statement in statements { _ = try? run(statement) }
  }
}
