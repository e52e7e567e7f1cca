package import Columnar
package import Diagnostics

/// A record that is no row of the table, and why.
package struct RejectedRecord: Sendable {
  /// The line, counted from 1, on which the record starts.
  package let line: Int
  /// The byte, counted from 0, at which it starts in the file.
  package let offset: Int
  /// The column at fault, if it is one.
  package let column: String?
  /// What is wrong.
  package let error: SQLError
  /// The record as it stands in the file, or put together again from its fields.
  package let text: [UInt8]

  package init(line: Int, offset: Int, column: String?, error: SQLError, text: [UInt8]) {
    self.line = line
    self.offset = offset
    self.column = column
    self.error = error
    self.text = text
  }
}

/// What one block gave.
package struct ParsedBlock: Sendable {
  /// The number of the block in its file.
  package let index: Int
  /// The rows, as columns, 2,048 at a time.
  package let chunks: [DataChunk]
  /// The number of rows in `chunks`.
  package let rowCount: Int
  /// The number of records, rejected ones included, blank ones not.
  package let recordCount: Int
  package let rejects: [RejectedRecord]
  /// Whether an end marker was met, so that what follows is not data.
  package let isEnd: Bool
  /// Where each row's record starts, in bytes from `offset`.
  let rowOffsets: RecordOffsets
  /// The line of each row; nil if row *i* stands on line `firstLine + i`.
  package let rowLines: Buffer<UInt32>?
  package let offset: Int
  package let firstLine: Int

  /// The same without its rows: what is needed to name lines later.
  package var withoutRows: ParsedBlock {
    ParsedBlock(
      index: index, chunks: [], rowCount: rowCount, recordCount: recordCount, rejects: [],
      isEnd: isEnd, rowOffsets: rowOffsets, rowLines: rowLines, offset: offset,
      firstLine: firstLine)
  }

  /// The line and byte at which row `row` starts.
  package func place(of row: Int) -> (line: Int, offset: Int) {
    (rowLines.map { Int($0[row]) } ?? firstLine + row, offset + rowOffsets[row])
  }
}

/// Where the records of a block start; kept as long as the load, so in a byte a record where that is enough.
struct RecordOffsets: Sendable {
  private let first: UInt32
  /// From each start to the next.
  private let lengths: Buffer<UInt8>?
  /// The starts, where some record is longer than a byte can say.
  private let starts: Buffer<UInt32>?

  /// - Precondition: `starts` rises.
  init(_ starts: Buffer<UInt32>, count: Int) {
    first = count == 0 ? 0 : starts[0]
    let lengths = Buffer<UInt8>(uninitialized: max(count - 1, 0))
    var all: UInt32 = 0
    for row in 0..<lengths.count {
      let length = starts[row &+ 1] &- starts[row]
      all |= length
      lengths[row] = UInt8(truncatingIfNeeded: length)
    }
    self.lengths = all < 256 ? lengths : nil
    self.starts = all < 256 ? nil : starts
  }

  /// Records one behind another, each with its length but the last.
  init(first: Int, lengths: Buffer<UInt8>) {
    self.first = UInt32(truncatingIfNeeded: first)
    self.lengths = lengths
    starts = nil
  }

  /// Where record `row` starts.
  ///
  /// - Complexity: O(*row*).
  subscript(row: Int) -> Int {
    if let starts { return Int(starts[row]) }
    var start = Int(first)
    if let lengths { for before in 0..<row { start &+= Int(lengths[before]) } }
    return start
  }
}

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
  /// What reads blocks of short whole numbers; nil once there was another block.
  private var wholeNumbers: WholeNumberParser?

  /// A parser for records with one field for each of `rules` and `names`.
  package init(
    format: DelimitedTextFormat, rules: [ColumnRule?], names: [String], lineEnd: LineEnding,
    context: EvaluationContext
  ) {
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
    if let parsed = wholeNumbers?.parse(block, from: start) { return parsed }
    wholeNumbers = nil
    if let bad = block.bytes.bytes(start..<block.count).firstInvalidUTF8 {
      throw invalidUTF8(block, at: start + bad)
    }
    try scanner.scan(block, from: start, lineEnd: lineEnd)
    let rowCount = scanner.rowCount
    let converter = ColumnConverter(scanner: scanner, block: block, context: context)
    var faults: [FieldFault] = []
    var chunks: [DataChunk] = []
    var first = 0
    while first < rowCount {
      let rows = first..<min(first + Vector.chunkCapacity, rowCount)
      var columns: [Vector] = []
      for (column, rule) in rules.enumerated() {
        guard let rule else { continue }
        columns.append(try converter.convert(column, rows: rows, by: rule, faults: &faults))
      }
      chunks.append(DataChunk(columns, count: rows.count))
      first = rows.upperBound
    }
    return finish(block, start: start, chunks: chunks, faults: faults)
  }

  private func finish(
    _ block: TextBlock, start: Int, chunks: [DataChunk], faults: [FieldFault]
  ) -> ParsedBlock {
    let lines = LineFinder(block)
    var rejects = scanner.badRecords.map { reject($0, block, lines) }
    // Only the first fault of a record counts; later columns are not looked at.
    var faulty: [Int: FieldFault] = [:]
    for fault in faults where faulty[fault.row].map({ $0.column > fault.column }) ?? true {
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
    let isQuoted = scanner.ends[row * scanner.width] & RecordScanner.quotedBit != 0
    return isQuoted && start > 0 && block.bytes[start - 1] == format.quote ? start - 1 : start
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
    let error: SQLError
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
    return RejectedRecord(
      line: lines.line(at: bad.range.lowerBound), offset: block.offset + bad.range.lowerBound,
      column: column, error: error, text: block.bytes.bytes(bad.range).array)
  }

  private func reject(
    _ fault: FieldFault, _ block: TextBlock, _ lines: LineFinder
  ) -> RejectedRecord {
    let start = recordStart(fault.row, block)
    var text: [UInt8] = []
    for column in 0..<scanner.width {
      if column > 0 { text.append(format.delimiter) }
      let index = fault.row * scanner.width + column
      let end = Int(scanner.ends[index] & ~RecordScanner.quotedBit)
      DelimitedTextWriter.append(
        block.bytes.bytes(Int(scanner.starts[index])..<end), format: format, to: &text)
    }
    return RejectedRecord(
      line: lines.line(at: start), offset: block.offset + start, column: names[fault.column],
      error: fault.error, text: text)
  }

  private func invalidUTF8(_ block: TextBlock, at place: Int) -> SQLError {
    let line = LineFinder(block).line(at: place)
    let byte = String(block.bytes[place], radix: 16)
    return SQLError(
      .characterNotInRepertoire,
      "invalid byte sequence for encoding \"UTF8\": 0x\(byte.count < 2 ? "0" : "")\(byte)",
      detail: "Byte \(block.offset + place) of the file, on line \(line).",
      hint: "Convert the file to UTF-8 first, for example with iconv.")
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
