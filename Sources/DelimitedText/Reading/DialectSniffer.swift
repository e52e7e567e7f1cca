import Columnar

/// What a look at the beginning of a file says of its dialect.
package struct SniffedDialect: Sendable {
  package var format: DelimitedTextFormat
  /// The number of fields of a record.
  package var width: Int
  /// The fields of the first records, the header included; nil is NULL.
  package var sample: [[String?]]
  /// Bytes of a byte order mark to pass over.
  package var markLength: Int
  /// Bytes of the header record with its line end and the mark before it, 0 without a header.
  package var headerLength: Int
  /// What to say of the guess, such as "delimiter ';', header, CRLF".
  package var summary: String

  /// What was found, or what is said of an empty file.
  package init(
    format: DelimitedTextFormat, width: Int, sample: [[String?]], markLength: Int,
    headerLength: Int, summary: String
  ) {
    self.format = format
    self.width = width
    self.sample = sample
    self.markLength = markLength
    self.headerLength = headerLength
    self.summary = summary
  }
}

/// Guesses delimiter and header of a file from its first records.
///
/// A delimiter is believed if it cuts the sampled records into one number of fields above one; of several
/// the one that gives most fields wins, and a comma wins a tie. A first record is a header unless a field of it is
/// empty, repeated, or reads like a number or a date.
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
    var best: (delimiter: UInt8, split: SampleSplit)?
    for delimiter in candidates {
      let split = SampleSplit(block, from: mark, delimiter: delimiter, limit: recordsLookedAt)
      guard let width = split.commonWidth, width > 1 else { continue }
      if width > best?.split.commonWidth ?? 1 { best = (delimiter, split) }
    }
    let comma = UInt8(ascii: ",")
    let chosen =
      best ?? (comma, SampleSplit(block, from: mark, delimiter: comma, limit: recordsLookedAt))
    var format = DelimitedTextFormat()
    format.delimiter = chosen.delimiter
    format.lineEnd = lineEnd
    format.skipsBlankLines = true
    format.hasEndMarker = false
    format.hasHeader = chosen.split.records.first.map(isHeader) ?? false
    let ending = LineEnding(of: block, format: DelimitedTextFormat())
    return SniffedDialect(
      format: format, width: chosen.split.records.first?.count ?? 1,
      sample: chosen.split.records, markLength: mark,
      headerLength: format.hasHeader ? chosen.split.firstRecordEnd : 0,
      summary: summary(format, ending))
  }

  /// The bytes of a UTF-8 byte order mark at the start of the file.
  package static func markLength(_ block: TextBlock) -> Int {
    block.index == 0 && block.count >= 3 && block.bytes[0] == 0xEF && block.bytes[1] == 0xBB
      && block.bytes[2] == 0xBF ? 3 : 0
  }

  /// The first record of a file in a known dialect, and the bytes it takes with its line end.
  package static func header(
    of block: TextBlock, format: DelimitedTextFormat
  ) -> (fields: [String?], byteCount: Int) {
    let split = SampleSplit(
      block, from: markLength(block), delimiter: format.delimiter, quote: format.quote, limit: 1)
    return (split.records.first ?? [], split.firstRecordEnd)
  }

  private static func isHeader(_ fields: [String?]) -> Bool {
    let names = fields.compactMap { $0 }
    guard names.count == fields.count, Set(names).count == names.count else { return false }
    return names.allSatisfy { name in
      guard let first = name.utf8.first(where: { $0 != 0x20 }) else { return false }
      let isDigit = first >= 48 && first <= 57
      let isSign = (first == 43 || first == 45 || first == 46) && name.utf8.count > 1
      return !isDigit && !isSign
    }
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

/// The first records of a block, cut by one delimiter.
private struct SampleSplit {
  private(set) var records: [[String?]] = []
  /// Just past the line end of the first record.
  private(set) var firstRecordEnd = 0

  init(
    _ block: TextBlock, from start: Int, delimiter: UInt8, quote: UInt8? = UInt8(ascii: "\""),
    limit: Int
  ) {
    var record: [String?] = []
    var field: [UInt8] = []
    var isInside = false
    var wasQuoted = false
    var index = start
    func finished() -> String? {
      field.isEmpty && !wasQuoted ? nil : String(decoding: field, as: UTF8.self)
    }
    while index < block.count && records.count < limit {
      let byte = block.bytes[index]
      index += 1
      if byte == quote {
        if isInside, index < block.count, block.bytes[index] == quote {
          field.append(byte)
          index += 1
        } else {
          isInside.toggle()
          wasQuoted = true
        }
        continue
      }
      let isEnd = byte == .newline || byte == .carriageReturn
      if isInside || (byte != delimiter && !isEnd) {
        field.append(byte)
        continue
      }
      record.append(finished())
      field.removeAll()
      wasQuoted = false
      if isEnd {
        if byte == .carriageReturn, index < block.count, block.bytes[index] == .newline {
          index += 1
        }
        end(&record, at: index)
      }
    }
    if index >= block.count && records.count < limit && (!record.isEmpty || !field.isEmpty) {
      record.append(finished())
      end(&record, at: index)
    }
  }

  /// Adds a record unless it is a blank line.
  private mutating func end(_ record: inout [String?], at place: Int) {
    if record != [nil] {
      if records.isEmpty { firstRecordEnd = place }
      records.append(record)
    }
    record = []
  }

  /// The number of fields that all records have, nil if they differ.
  var commonWidth: Int? {
    guard let width = records.first?.count else { return nil }
    return records.allSatisfy { $0.count == width } ? width : nil
  }
}
