import Catalog
import Columnar
import DelimitedText
public import Diagnostics
import Execution
import SQLSyntax
import Storage

/// Looks through files that a statement names as if they were opened as a database: one of its own, which nobody else sees.
struct FileInference {
  private let session = Session(DatabaseState())
  private let log = InferenceLog()
  private let evaluation: EvaluationContext
  private let standardInput: () throws(SQLError) -> any ByteSource

  init(
    _ evaluation: EvaluationContext,
    standardInput: @escaping () throws(SQLError) -> any ByteSource
  ) {
    self.evaluation = evaluation
    self.standardInput = standardInput
  }

  /// Reads all columns of the files, and looks for keys, and for references between them.
  ///
  /// - Throws: 58P01 and 58030 if a file cannot be read any more, and the errors of its records.
  func account(of paths: [String]) throws(SQLError) -> InferenceAccount {
    var tables: [LoadedTable] = []
    for path in paths {
      try evaluation.checkCancellation()
      tables.append(try load(path, besides: Set(tables.map(\.name))))
    }
    try evaluation.checkCancellation()
    try KeyInference(session: session, tables: tables, log: log).inferKeys()
    log.sort()
    return InferenceAccount(report: log.report, notices: log.notices)
  }

  private func load(_ path: String, besides taken: Set<String>) throws(SQLError) -> LoadedTable {
    let paths = try FilePaths(path)
    var name = paths.stem
    var number = 1
    while taken.contains(name) {
      number += 1
      name = "\(paths.stem)_\(number)"
    }
    let format = FileReader.format(path, paths.files)
    let definition: TableDefinition
    switch format {
    case .text:
      let reader = FileReader(
        session, table: name, evaluation, nil, log: log, standardInput: standardInput)
      let read = try reader.read(path, paths.files) { _ in true }
      for notice in read.notices { log.say(notice.message) }
      definition = read.definition
    case .json, .parquet:
      definition = try copy(path, into: name)
      let count = try session.state.current.table(definition.id).liveRowCount
      log.say("\(path): \(count) rows read = \(count) loaded + 0 rejected (\(format))")
      log.add(definition, called: name, rows: count, of: format)
    }
    return LoadedTable(name: name, columns: definition.columns.map(\.name), isInferred: true)
  }

  /// Makes a table of files that name their columns by themselves.
  private func copy(_ path: String, into name: String) throws(SQLError) -> TableDefinition {
    let source = SQLPrinter.quotedString(path)
    let text = "CREATE TABLE \(SQLPrinter.quoted(name)) AS FROM \(source)"
    for statement in try parseStatements(text) {
      for notice in try session.run(statement).notices { log.say(notice.message) }
    }
    return try ColumnQueries(session: session).definition(of: name)
  }
}

/// What was looked at to find the types, keys and references of files, and how they were read.
public struct InferenceAccount: Sendable {
  /// What was looked at, and what came of it.
  public let report: InferenceReport
  /// How many rows each file has, by which marks it was read, and what there is to say of it.
  public let notices: [Notice]
}
