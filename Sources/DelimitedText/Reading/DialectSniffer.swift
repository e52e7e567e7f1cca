import Columnar

/// What a look at the beginning of a file says of its dialect.
package struct SniffedDialect: Sendable {
  package var format: DelimitedTextFormat
  /// The number of fields of a record.
  package var width: Int
  /// The fields of the first records, the header included; nil is NULL.
  package var sample: [[String?]]
  /// Bytes to pass over before the header or the first record: a byte order mark, and a line `sep=;`.
  package var prefixLength: Int
  /// Bytes of the header record with its line end and all before it, 0 without a header.
  package var headerLength: Int
  /// What to say of the guess, such as "delimiter ';', header, CRLF".
  package var summary: String
  /// Lines of comments before the header or the first record.
  package var commentCount = 0
  /// Sampled records that end early, if that is a habit of the file.
  package var shortCount = 0
  /// Records before the header that are no part of the table: a title, a source.
  package var preamble: [[String?]] = []

  /// What was found, or what is said of an empty file.
  package init(
    format: DelimitedTextFormat, width: Int, sample: [[String?]], prefixLength: Int,
    headerLength: Int, summary: String
  ) {
    self.format = format
    self.width = width
    self.sample = sample
    self.prefixLength = prefixLength
    self.headerLength = headerLength
    self.summary = summary
  }

  /// Where the first record of data starts.
  package var dataStart: Int { max(headerLength, prefixLength) }
}

/// Guesses delimiter and header of a file from its first records.
///
/// A line `sep=;` before all others, as Excel writes it, says what the delimiter is. Otherwise one is believed if it
/// cuts all sampled records into one number of fields above one; of several the one that gives most fields wins, and a
/// comma wins a tie. Where some records are ragged, the delimiter wins that most records agree on, and most of them have to.
///
/// A first record is a header (`HeaderCheck`) unless a field of it reads like a number or a date. It may lack names, or have
/// one twice, as long as it has any. Lines before it that begin with `#` are comments, and a few records of half as many fields as
/// all others have, or fewer, tell of the table and are no part of it.
package enum DialectSniffer {
  private static let candidates = [",", ";", "\t", "|"].flatMap { Array($0.utf8) }
  private static let recordsLookedAt = 100

  /// Looks at the beginning of a file.
  ///
  /// - Complexity: O(*n*) in the bytes of at most 100 records.
  package static func sniff(
    _ block: TextBlock, lineEnd: DelimitedTextFormat.LineEnd = .any
  ) -> SniffedDialect {
    let mark = markLength(block)
    let announced = separatorLine(block, from: mark)
    let delimiters = announced.map { [$0.delimiter] } ?? candidates
    let comments = CommentLines(block, from: announced?.end ?? mark, delimiters)
    var start = comments.end
    let splits = delimiters.map { delimiter in
      SampleSplit(
        block, from: start, delimiter: delimiter, limit: recordsLookedAt,
        hasComments: comments.areUsual)
    }
    // The first of equals stays.
    let best = splits.indices.dropFirst().reduce(0) {
      splits[$1].isBetter(than: splits[$0]) ? $1 : $0
    }
    var split = splits[best]
    let preamble = split.preamble
    if let end = preamble.end {
      start = end
      split = SampleSplit(
        block, from: start, delimiter: delimiters[best], limit: recordsLookedAt,
        hasComments: comments.areUsual)
    }
    var format = DelimitedTextFormat()
    format.delimiter = delimiters[best]
    format.lineEnd = lineEnd
    format.skipsBlankLines = true
    format.hasEndMarker = false
    format.hasComments = comments.areUsual
    format.hasHeader =
      HeaderCheck.isHeader(split.records)
      && !(comments.count > 1 && HeaderCheck.beginsWithCode(split.records))
    let ending = LineEnding(of: block, format: DelimitedTextFormat())
    var dialect = SniffedDialect(
      format: format, width: split.records.first?.count ?? 0, sample: split.records,
      prefixLength: start, headerLength: format.hasHeader ? split.firstRecordEnd : 0,
      summary: summary(format, ending))
    dialect.commentCount = comments.count
    dialect.preamble = preamble.records
    if format.hasHeader, let header = split.wholeHeader {
      dialect.sample[0] = header
      dialect.width = header.count
    }
    if let (width, count) = split.habitOfEndingEarly(hasHeader: format.hasHeader) {
      dialect.width = width
      dialect.shortCount = count
      dialect.format.fillsShortRecords = true
    }
    return dialect
  }

  /// The bytes of a UTF-8 byte order mark at the start of the file.
  package static func markLength(_ block: TextBlock) -> Int {
    block.index == 0 && block.count >= 3 && block.bytes[0] == 0xEF && block.bytes[1] == 0xBB
      && block.bytes[2] == 0xBF ? 3 : 0
  }

  /// The line `sep=;` with which Excel begins a file: the delimiter that it names, and where it ends.
  private static func separatorLine(
    _ block: TextBlock, from start: Int
  ) -> (delimiter: UInt8, end: Int)? {
    let bytes = block.bytes
    let name = Array("sep=".utf8)
    guard block.count > start + name.count + 1,
      name.indices.allSatisfy({ bytes[start + $0] | 0x20 == name[$0] | 0x20 })
    else { return nil }
    let delimiter = bytes[start + name.count]
    var end = start + name.count + 1
    if bytes[end] == .carriageReturn { end += 1 }
    if end < block.count && bytes[end] == .newline { end += 1 }
    let isAlone = end > start + name.count + 1
    let isMark = delimiter == 9 || (0x20..<0x7F).contains(delimiter)
    return isAlone && isMark ? (delimiter, end) : nil
  }

  /// The first record of a file in a known dialect, and the bytes it takes with its line end.
  package static func header(
    of block: TextBlock, format: DelimitedTextFormat
  ) -> (fields: [String?], byteCount: Int) {
    let split = SampleSplit(
      block, from: markLength(block), delimiter: format.delimiter, quote: format.quote, limit: 1)
    return (split.records.first ?? [], split.firstRecordEnd)
  }

  private static func summary(_ format: DelimitedTextFormat, _ ending: LineEnding) -> String {
    let delimiter =
      format.delimiter == 9 ? "tab" : "'\(String(decoding: [format.delimiter], as: UTF8.self))'"
    let end =
      switch ending {
      case .both: ", CRLF"
      case .carriageReturn: ", CR"
      case .newline, .mixed: ""
      }
    return "delimiter \(delimiter), \(format.hasHeader ? "header" : "no header")\(end)"
  }
}
