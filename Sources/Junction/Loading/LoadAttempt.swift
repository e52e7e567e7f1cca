import Catalog
import Columnar
import DelimitedText
import Diagnostics
import Execution

/// One attempt to load one or more tables inside the running statement of a transaction: the way of COPY, and
/// of the files of a folder.
///
/// Every record that parses is stored before keys, foreign keys and checks are asked. Which records break one
/// is therefore known only at the end; if the good ones are wanted all the same, the statement is taken back, and the
/// next attempt reads everything again and leaves out what is known to be bad. Leaving out rows can only make
/// rows bad that refer to them, so attempts come to an end.
struct LoadAttempt {
  /// What became of the records of each load.
  private(set) var reports: [LoadReport] = []
  /// The records of each load that were stored although they break a rule of their table.
  private(set) var broken: [[RejectedRecord]] = []

  /// Whether what is stored may stay.
  var isClean: Bool { broken.allSatisfy(\.isEmpty) }

  /// Attempts until what is stored may stay, or `isLast` says of an attempt that no other is wanted.
  ///
  /// - Throws: what no single record is to blame for.
  static func run(
    _ loads: inout [TableLoad], for session: Session, _ transaction: OpenTransaction,
    _ evaluation: EvaluationContext, progress: ((LoadProgress) -> Void)?,
    isLast: (LoadAttempt) -> Bool
  ) throws(SQLError) -> LoadAttempt {
    while true {
      let attempt = try LoadAttempt(loads, for: session, transaction, evaluation, progress)
      if attempt.isClean || isLast(attempt) { return attempt }
      for index in loads.indices { loads[index].known.add(attempt.broken[index]) }
      transaction.abandonStatement()
      try transaction.beginStatement(writes: true, context: evaluation)
    }
  }

  private init(
    _ loads: [TableLoad], for session: Session, _ transaction: OpenTransaction,
    _ evaluation: EvaluationContext, _ progress: ((LoadProgress) -> Void)?
  ) throws(SQLError) {
    let run = session.executionContext(transaction, evaluation)
    var meter = LoadMeter(progress)
    var inserts: [BulkInsert] = []
    var loaders: [TableLoader] = []
    for load in loads {
      let source = try load.origin.opened()
      let loader = try load.makeLoader(for: session, transaction, run)
      let insert = try BulkInsert(load.table, in: transaction, context: run)
      let reader = BlockReader(source, format: load.options.format)
      do throws(SQLError) {
        if let first = try reader.next() {
          let start = try load.start(in: first)
          try loader.load(reader, first: first, start: start, into: insert) { [meter] rows in
            meter.tell(read: reader.bytesRead, rows: rows, of: source)
          }
        }
      } catch {
        if !loader.isDisproved { throw error.located(in: load) }
      }
      meter.end(read: reader.bytesRead, rows: insert.rowCount)
      inserts.append(insert)
      loaders.append(loader)
    }
    let violations = try BulkInsert.finish(inserts)
    try evaluation.checkCancellation()
    for (index, loader) in loaders.enumerated() {
      let found = loader.locate(violations[index])
      broken.append(found)
      reports.append(
        LoadReport(
          name: loads[index].name, recordCount: loader.recordCount,
          loadedCount: inserts[index].rowCount - found.count,
          rejects: (loader.rejects + found).sorted { $0.offset < $1.offset },
          laterValues: loader.laterValues))
    }
  }
}

/// Counts what several loads have read, for a progress bar.
private struct LoadMeter {
  private let progress: ((LoadProgress) -> Void)?
  private var bytesBefore = 0
  private var rowsBefore = 0

  init(_ progress: ((LoadProgress) -> Void)?) { self.progress = progress }

  func tell(read bytes: Int, rows: Int, of source: any ByteSource) {
    progress?(
      LoadProgress(
        bytesRead: bytesBefore + bytes, bytesInAll: source.byteCount, rows: rowsBefore + rows))
  }

  mutating func end(read bytes: Int, rows: Int) {
    bytesBefore += bytes
    rowsBefore += rows
  }
}

extension SQLError {
  /// The same with the name of what was being loaded.
  fileprivate func located(in load: TableLoad) -> SQLError {
    var located = self
    let place = "COPY \(load.table.name.name), from \(load.name)"
    located.context = [context, place].compactMap { $0 }.joined(separator: "\n")
    return located
  }
}
