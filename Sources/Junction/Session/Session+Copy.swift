import Catalog
import Codecs
import Columnar
import DelimitedText
import Diagnostics
import Execution
import Parquet
import Planning
import SQLSyntax

/// Where COPY reads from or writes to when that is not a file.
struct CopyStreams {
  /// Gives the data of FROM STDIN piece by piece.
  var input: (any ByteSource)?
  /// Takes the data of TO STDOUT.
  var output: (([UInt8]) throws -> Void)?
}

extension Session {
  /// COPY with a file at its other end.
  func runCopy(_ statement: CopyStatement) throws(SQLError) -> StatementResult {
    try runCopy(statement, CopyStreams())
  }

  /// COPY whose other end is the caller.
  func copy(
    _ statements: [ParsedStatement], _ streams: CopyStreams
  ) throws(SQLError) -> StatementResult {
    guard statements.count == 1, case .copy(let statement)? = statements.first?.statement else {
      throw SQLError(.syntaxError, "this takes one COPY statement")
    }
    if isFailed {
      throw SQLError(
        .failedTransaction,
        "current transaction is aborted, commands ignored until end of transaction block")
    }
    do throws(SQLError) {
      return try runCopy(statement, streams)
    } catch {
      noteFailure()
      throw error
    }
  }

  /// COPY in either direction.
  func runCopy(
    _ statement: CopyStatement, _ streams: CopyStreams
  ) throws(SQLError) -> StatementResult {
    let options = try CopyOptions(statement)
    return statement.isFrom
      ? try copyFrom(statement, options, streams) : try copyTo(statement, options, streams)
  }

  // MARK: Out

  private func copyTo(
    _ statement: CopyStatement, _ options: CopyOptions, _ streams: CopyStreams
  ) throws(SQLError) -> StatementResult {
    let result = try runPlanned(try sourceOfCopy(statement))
    guard let rows = result.rows else {
      throw SQLError(.featureNotSupported, "COPY query must have a RETURNING clause")
    }
    try checkForcedQuotes(options, statement, rows.columns)
    let sink = try CopySink(statement, streams)
    switch options.rows {
    case .delimited:
      let writer = CopyWriter(options, rows.columns, rows.formatter)
      func put(_ lines: [UInt8]) throws(SQLError) {
        try sink.write(try options.encoding?.bytes(of: lines) ?? lines)
      }
      if let mark = options.encoding?.mark, !mark.isEmpty { try sink.write(mark) }
      if options.format.hasHeader { try put(writer.header(rows.columns)) }
      try rows.writeChunks {
        writer.lines($0)
      } to: { (lines) throws(SQLError) in
        try put(lines)
      }
    case .json, .jsonLines: try writeJSON(rows, isArray: options.rows == .json, sink)
    case .parquet: try Self.writeParquet(rows, options, sink)
    }
    try sink.close()
    return StatementResult(commandTag: "COPY \(rows.count)")
  }

  private func writeJSON(
    _ rows: ResultSet, isArray: Bool, _ sink: CopySink
  ) throws(SQLError) {
    let writer = JSONCopyWriter(rows.columns, isArray: isArray, makeEvaluation())
    var isEmpty = true
    try rows.writeChunks { (chunk) throws(SQLError) in
      try writer.lines(chunk)
    } to: { (lines) throws(SQLError) in
      if lines.isEmpty { return }
      try sink.write(isEmpty ? writer.opened(lines) : lines)
      isEmpty = false
    }
    try sink.write(writer.closing(isEmpty: isEmpty))
  }

  private static func writeParquet(
    _ rows: ResultSet, _ options: CopyOptions, _ sink: CopySink
  ) throws(SQLError) {
    var form = ParquetWriter.Options()
    form.isSnappy = options.isSnappy
    if let size = options.rowGroupSize { form.rowGroupRowsMax = size }
    let columns = rows.columns.map { ParquetWriter.Column($0.name, $0.columnType) }
    let writer = try ParquetWriter(columns, form) { (bytes, count) throws(SQLError) in
      try sink.write(bytes.bytes(0..<count).array)
    }
    for chunk in rows.chunks { try writer.append(chunk) }
    try writer.finish()
  }

  /// - Throws: 42703 and 42P10 if FORCE_QUOTE names a column that is not written.
  private func checkForcedQuotes(
    _ options: CopyOptions, _ statement: CopyStatement, _ columns: [ResultColumn]
  ) throws(SQLError) {
    guard case .columns(let names) = options.forceQuote else { return }
    for name in names where !columns.contains(where: { $0.name == name }) {
      guard case .table(let table, _) = statement.subject else {
        throw SQLError(.undefinedColumn, "column \"\(name)\" does not exist")
      }
      let catalog = transaction?.catalog ?? state.current.catalog
      let relation = catalog.relation(
        schema: table.qualifier, table.name, searchPath: settings.searchPath)
      if case .table(let definition) = relation, definition.column(named: name) != nil {
        throw SQLError(
          .invalidColumnReference, "FORCE_QUOTE column \"\(name)\" not referenced by COPY")
      }
      throw SQLError(
        .undefinedColumn, "column \"\(name)\" of relation \"\(table.name)\" does not exist")
    }
  }

  /// The query whose rows COPY TO writes.
  ///
  /// Of a table those are its own rows, without the columns that COPY FROM would compute again.
  private func sourceOfCopy(_ statement: CopyStatement) throws(SQLError) -> Statement {
    switch statement.subject {
    case .query(let query): return query
    case .table(let name, let named):
      var columns = named
      var isTable = false
      let catalog = transaction?.catalog ?? state.current.catalog
      switch catalog.relation(
        schema: name.qualifier, name.name, searchPath: settings.searchPath)
      {
      case .table(let table):
        if table.materialized != nil { throw Self.notCopied("materialized view", name) }
        isTable = true
        let fields = try Self.fields(named: named, of: table)
        if named.isEmpty { columns = fields.map { Identifier(table.columns[$0].name) } }
      case .view: throw Self.notCopied("view", name)
      case .sequence: throw Self.notCopied("sequence", name)
      case .graph: throw Self.notCopied("property graph", name)
      // A table of the system, or none, which the query will say.
      case nil: break
      }
      let items =
        columns.isEmpty && !isTable
        ? [SelectItem(.all)]
        : columns.map {
          SelectItem(.expression(SQLSyntax.Expression(.column(QualifiedName($0)), at: $0.range)))
        }
      let source = NamedTable(name, isOnly: isTable, at: name.range)
      return .select(
        SelectStatement(body: .select(SelectCore(items: items, from: [.table(source)]))))
    }
  }

  private static func notCopied(_ kind: String, _ name: QualifiedName) -> SQLError {
    SQLError(
      .wrongObjectType, "cannot copy from \(kind) \"\(name.name)\"", at: name.range,
      hint: kind.hasSuffix("view") ? "Try the COPY (SELECT ...) TO variant." : nil)
  }
}

/// The file, or the closure, that COPY TO writes to.
private final class CopySink {
  private var file: ReplacedFile?
  /// Packs what goes to a file whose name says so.
  private var packer: GzipWriter?
  private let stream: (([UInt8]) throws -> Void)?

  init(_ statement: CopyStatement, _ streams: CopyStreams) throws(SQLError) {
    switch statement.endpoint {
    case .file(let path):
      if path.lowercased().hasSuffix(".zst") {
        throw SQLError(
          .featureNotSupported, "files are not packed by zstd, which is only read",
          hint: "Write NAME.gz, or a file that zstd packs afterwards.")
      }
      let file = try ReplacedFile(path: path)
      self.file = file
      stream = nil
      if path.lowercased().hasSuffix(".gz") {
        packer = GzipWriter { (bytes, count) throws(SQLError) in
          try file.write(bytes.bytes(0..<count).array)
        }
      }
    case .program:
      throw SQLError(
        .featureNotSupported, "COPY to or from a program is not supported",
        hint: "Write to a file, or to standard output and pipe that.")
    case .standardStream:
      guard let output = streams.output else {
        throw SQLError(
          .featureNotSupported, "COPY TO STDOUT needs a reader",
          hint: "Use copyOut of a connection, or \\copy in the shell.")
      }
      stream = output
    }
  }

  func write(_ bytes: [UInt8]) throws(SQLError) {
    if let stream {
      do {
        try stream(bytes)
      } catch let error as SQLError {
        throw error
      } catch {
        throw SQLError(.ioError, "could not write the data: \(error)")
      }
    } else if let packer {
      try packer.write(Buffer(bytes), from: 0, count: bytes.count)
    } else {
      try file?.write(bytes)
    }
  }

  func close() throws(SQLError) {
    try packer?.finish()
    try file?.close()
  }
}
