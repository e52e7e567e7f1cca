import Catalog
import Columnar
import DelimitedText
import Diagnostics
import Execution
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
    let writer = CopyWriter(options, rows.columns)
    let sink = try CopySink(statement, streams)
    if options.format.hasHeader { try sink.write(writer.header(rows.columns)) }
    for chunk in rows.chunks { try sink.write(writer.lines(chunk)) }
    try sink.close()
    return StatementResult(commandTag: "COPY \(rows.count)")
  }

  /// The query whose rows COPY TO writes.
  private func sourceOfCopy(_ statement: CopyStatement) throws(SQLError) -> Statement {
    switch statement.subject {
    case .query(let query): return query
    case .table(let name, let columns):
      let items =
        columns.isEmpty
        ? [SelectItem(.all)]
        : columns.map {
          SelectItem(.expression(SQLSyntax.Expression(.column(QualifiedName($0)), at: $0.range)))
        }
      let core = SelectCore(items: items, from: [.table(NamedTable(name, at: name.range))])
      return .select(SelectStatement(body: .select(core)))
    }
  }
}

/// The file, or the closure, that COPY TO writes to.
private final class CopySink {
  private var file: FileSink?
  private let stream: (([UInt8]) throws -> Void)?

  init(_ statement: CopyStatement, _ streams: CopyStreams) throws(SQLError) {
    switch statement.endpoint {
    case .file(let path):
      file = try FileSink(path: path)
      stream = nil
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
    } else {
      try file?.write(bytes)
    }
  }

  func close() throws(SQLError) { try file?.close() }
}
