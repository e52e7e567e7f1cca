package import Columnar
package import Diagnostics

/// Turns blocks into chunks of typed columns; one for each worker.
package final class BlockParser {
  private let format: DelimitedTextFormat
  private let scanner: RecordScanner
  /// What becomes of each column of the file; nil for a column that is not wanted.
  private let rules: [ColumnRule?]
  private let context: EvaluationContext
  private let lineEnd: LineEnding
  /// The names of the file's columns, for messages.
  private let names: [String]
  /// Records to leave out although they can be parsed.
  private let known: KnownFaults
  /// What reads blocks of short whole numbers; nil once there was another block.
  private var wholeNumbers: WholeNumberParser?

  /// A parser for records with one field for each of `rules` and `names`, which rejects those in `known`.
  package init(
    format: DelimitedTextFormat, rules: [ColumnRule?], names: [String], lineEnd: LineEnding,
    known: KnownFaults = KnownFaults(), context: EvaluationContext
  ) {
    self.known = known
    self.format = format
    self.rules = rules
    self.names = names
    self.lineEnd = lineEnd
    self.context = context
    scanner = RecordScanner(format: format, width: rules.count)
    wholeNumbers = WholeNumberParser(format: format, rules: rules, lineEnd: lineEnd)
  }

  /// Parses a block from byte `start` on, which is 0 except behind a header.
  ///
  /// Chunks hold the wanted columns in the order of `rules`.
  ///
  /// - Throws: 22P04 where the format is broken beyond one record, 22021 for bytes that are no UTF-8.
  package func parse(_ block: TextBlock, from start: Int = 0) throws(SQLError) -> ParsedBlock {
    try context.checkCancellation()
    let hasKnown = known.hasAny(in: block.offset..<(block.offset + block.count))
    if !hasKnown {
      if let parsed = wholeNumbers?.parse(block, from: start) { return parsed }
      wholeNumbers = nil
    }
    try EncodingCheck.check(block, start..<block.count)
    try scanner.scan(block, from: start, lineEnd: lineEnd)
    let rowCount = scanner.rowCount
    let converter = ColumnConverter(scanner: scanner, block: block, context: context)
    var faults: [FieldFault] = []
    var chunks: [DataChunk] = []
    var first = 0
    while first < rowCount {
      let rows = first..<min(first + Vector.pageCapacity, rowCount)
      var columns: [Vector] = []
      for (column, rule) in rules.enumerated() {
        guard let rule else { continue }
        columns.append(try converter.convert(column, rows: rows, by: rule, faults: &faults))
      }
      chunks.append(DataChunk(columns, count: rows.count))
      first = rows.upperBound
    }
    if hasKnown { addKnownFaults(block, to: &faults) }
    return finish(block, start: start, chunks: chunks, faults: faults)
  }

  private func addKnownFaults(_ block: TextBlock, to faults: inout [FieldFault]) {
    for row in 0..<scanner.rowCount {
      guard let error = known.errors[block.offset + recordStart(row, block)] else { continue }
      faults.append(FieldFault(row: row, column: nil, error: error))
    }
  }

  private func finish(
    _ block: TextBlock, start: Int, chunks: [DataChunk], faults: [FieldFault]
  ) -> ParsedBlock {
    let lines = LineFinder(block)
    var rejects = scanner.badRecords.map { reject($0, block, lines) }
    // Only the first fault of a record counts; later columns are not looked at.
    var faulty: [Int: FieldFault] = [:]
    for fault in faults where faulty[fault.row].map({ fault.precedes($0) }) ?? true {
      faulty[fault.row] = fault
    }
    for row in faulty.keys.sorted() {
      if let fault = faulty[row] { rejects.append(reject(fault, block, lines)) }
    }
    rejects.sort { $0.offset < $1.offset }
    let isOdd = block.hasQuotes || !scanner.badRecords.isEmpty || scanner.blankCount > 0
    let kept = faulty.isEmpty ? chunks : Self.removing(faulty, from: chunks)
    let offsets = Buffer<UInt32>(uninitialized: scanner.rowCount - faulty.count)
    var place = 0
    if isOdd || !faulty.isEmpty {
      for row in 0..<scanner.rowCount where faulty[row] == nil {
        offsets[place] = UInt32(truncatingIfNeeded: recordStart(row, block))
        place &+= 1
      }
    } else {
      let starts = scanner.starts
      let width = scanner.width
      place = scanner.rowCount
      for row in 0..<place { offsets[row] = starts[row &* width] }
    }
    var rowLines: Buffer<UInt32>?
    if isOdd || !faulty.isEmpty {
      let found = Buffer<UInt32>(uninitialized: place)
      for row in 0..<place { found[row] = UInt32(lines.line(at: Int(offsets[row]))) }
      rowLines = found
    }
    return ParsedBlock(
      index: block.index, chunks: kept, rowCount: place,
      recordCount: scanner.rowCount + scanner.badRecords.count, rejects: rejects,
      isEnd: scanner.metEndMarker, rowOffsets: RecordOffsets(offsets, count: place),
      rowLines: rowLines,
      offset: block.offset, firstLine: lines.line(at: start))
  }

  /// Where record `row` starts: at its first field, or at the quote before that.
  private func recordStart(_ row: Int, _ block: TextBlock) -> Int {
    let start = scanner.start(row, 0)
    return isQuoted(0, of: row) && start > 0 && block.bytes[start - 1] == format.quote
      ? start - 1 : start
  }

  private static func removing(_ faulty: [Int: FieldFault], from chunks: [DataChunk]) -> [DataChunk]
  {
    var first = 0
    var kept: [DataChunk] = []
    for chunk in chunks {
      let positions = Buffer<UInt32>(uninitialized: chunk.count)
      var count = 0
      for row in 0..<chunk.count where faulty[first + row] == nil {
        positions[count] = UInt32(row)
        count += 1
      }
      first += chunk.count
      if count > 0 { kept.append(chunk.gathered(positions, count: count)) }
    }
    return kept
  }

  private func reject(
    _ bad: BadRecord, _ block: TextBlock, _ lines: LineFinder
  ) -> RejectedRecord {
    let column: String?
    var error: SQLError
    switch bad.fault {
    case .missing(let count):
      column = names[count]
      error = SQLError(.badCopyFileFormat, "missing data for column \"\(names[count])\"")
    case .extra:
      column = nil
      error = SQLError(.badCopyFileFormat, "extra data after last expected column")
    case .unterminatedQuote:
      column = nil
      error = SQLError(.badCopyFileFormat, "unterminated CSV quoted field")
    }
    let line = lines.line(at: bad.range.lowerBound)
    let last = lines.line(at: bad.range.upperBound)
    if last > line {
      error.detail =
        "The record goes on to line \(last): perhaps a quote is open from line \(line) on."
    }
    return RejectedRecord(
      line: line, offset: block.offset + bad.range.lowerBound, column: column, error: error,
      text: block.bytes.bytes(bad.range).array)
  }

  private func reject(
    _ fault: FieldFault, _ block: TextBlock, _ lines: LineFinder
  ) -> RejectedRecord {
    let start = recordStart(fault.row, block)
    var text = ByteBuilder()
    for column in 0..<scanner.width {
      if column > 0 { text.append(format.delimiter) }
      // What stood without quotes stays so, or NULL would turn into an empty text.
      let value = field(column, of: fault.row, block)
      if isQuoted(column, of: fault.row) {
        DelimitedTextWriter.append(value, format: format, forcingQuotes: true, to: &text)
      } else {
        text.append(value)
      }
    }
    return RejectedRecord(
      line: lines.line(at: start), offset: block.offset + start,
      column: fault.column.map { names[$0] },
      value: fault.column.map { field($0, of: fault.row, block).array }, error: fault.error,
      text: text.bytes.array)
  }

  private func isQuoted(_ column: Int, of row: Int) -> Bool {
    scanner.ends[row * scanner.width + column] & RecordScanner.quotedBit != 0
  }

  private func field(_ column: Int, of row: Int, _ block: TextBlock) -> TextBytes {
    let index = row * scanner.width + column
    let end = Int(scanner.ends[index] & ~RecordScanner.quotedBit)
    return block.bytes.bytes(Int(scanner.starts[index])..<end)
  }
}

/// Finds the lines of places in one block, which come in rising order.
final class LineFinder {
  private let block: TextBlock
  private var place = 0
  private var line: Int

  init(_ block: TextBlock) {
    self.block = block
    line = block.firstLine
  }

  /// The line on which byte `target` of the block stands.
  ///
  /// - Complexity: O(distance from the place asked for last).
  func line(at target: Int) -> Int {
    if target < place {
      place = 0
      line = block.firstLine
    }
    line += LineCounting.lineCount(block.bytes, place..<target)
    place = target
    return line
  }
}
