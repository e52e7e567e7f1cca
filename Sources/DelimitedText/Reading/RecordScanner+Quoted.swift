import Columnar
import Diagnostics

extension RecordScanner {
  /// Scans a block with quotes or carriage returns, eight bytes at a time.
  ///
  /// A field that is quoted as a whole and holds no quote is found by a search for its closing
  /// quote; all others with quotes are walked byte by byte, as PostgreSQL does: a quote anywhere in a field turns quoting
  /// on and off. What the loop counts stands in local variables, as in `scanPlain`.
  func scanAny(_ block: TextBlock, from start: Int, lineEnd: LineEnding) throws(SQLError) {
    let marks = Marks(format, lineEnd)
    let count = block.count
    let words = block.bytes.bytes(0..<(count + TextBlock.padding))
    let delimiter = format.delimiter
    var scan = Scan(block, starts, ends, from: start)
    while scan.place < count {
      var hits = marks.hits(in: words.word(at: scan.place))
      let place = scan.place
      scan.place &+= 8
      while hits != 0 {
        let hit = place &+ hits.trailingZeroBitCount &>> 3
        hits &= hits &- 1
        if hit >= count { break }
        if scan.bytes[hit] == delimiter {
          scan.addField(scan.fieldStart, hit)
          scan.fieldStart = hit &+ 1
          continue
        }
        if try !pass(hit, &scan, marks) { return }
        break
      }
    }
    rowCount = scan.rows
    fieldCount = scan.fields
    // What stands behind the last line end; a delimiter at the very end of the data has an empty field behind it.
    if scan.recordStart < count {
      addField(scan.fieldStart, count, quoted: false)
      endRecord(rowStart: scan.rowStart, range: scan.recordStart..<count, block)
    }
  }

  /// Where a scan by words stands.
  private struct Scan {
    let block: TextBlock
    let bytes: Buffer<UInt8>
    let starts: Buffer<UInt32>
    let ends: Buffer<UInt32>
    var fields = 0
    var rows = 0
    var rowStart = 0
    var fieldStart: Int
    var recordStart: Int
    var place: Int

    init(_ block: TextBlock, _ starts: Buffer<UInt32>, _ ends: Buffer<UInt32>, from start: Int) {
      self.block = block
      bytes = block.bytes
      self.starts = starts
      self.ends = ends
      (fieldStart, recordStart, place) = (start, start, start)
    }

    @inline(__always)
    mutating func addField(_ start: Int, _ end: Int, quoted: UInt32 = 0) {
      starts[fields] = UInt32(truncatingIfNeeded: start)
      ends[fields] = UInt32(truncatingIfNeeded: end) | quoted
      fields &+= 1
    }
  }

  /// Passes over a quote or a line end at `hit`; false if the data ends there.
  private func pass(
    _ hit: Int, _ scan: inout Scan, _ marks: Marks
  ) throws(SQLError) -> Bool {
    var end = hit
    var length = 0
    if scan.bytes[hit] == marks.quote {
      guard hit == scan.fieldStart, let close = closingQuote(of: hit, scan.block) else {
        return try passSlowly(&scan, marks.lineEnd)
      }
      end = close &+ 1
      let isDelimited = end < scan.block.count && scan.bytes[end] == marks.delimiter
      length = isDelimited ? 1 : marks.lineLength(scan.bytes, end, scan.block.count)
      guard length > 0 else { return try passSlowly(&scan, marks.lineEnd) }
      scan.addField(hit &+ 1, close, quoted: Self.quotedBit)
      if isDelimited {
        scan.place = end &+ 1
        scan.fieldStart = scan.place
        return true
      }
    } else {
      length = marks.lineLength(scan.bytes, hit, scan.block.count)
      guard length > 0 else { return try passSlowly(&scan, marks.lineEnd) }
      scan.addField(scan.fieldStart, hit)
    }
    // Records of one field may be blank or the end marker.
    if scan.fields &- scan.rowStart == width && width > 1 && !format.hasComments {
      scan.rows &+= 1
    } else {
      scan.fields = endRecord(
        scan.rowStart..<scan.fields, &scan.rows, range: scan.recordStart..<end, scan.block)
      if scan.fields < 0 { return false }
    }
    scan.rowStart = scan.fields
    scan.place = end &+ length
    scan.fieldStart = scan.place
    scan.recordStart = scan.place
    return true
  }

  /// Passes over a field that holds anything odd, from its beginning; false if the data ends there.
  private func passSlowly(_ scan: inout Scan, _ lineEnd: LineEnding) throws(SQLError) -> Bool {
    fieldCount = scan.fields
    rowCount = scan.rows
    var cursor = FieldCursor(place: scan.fieldStart)
    try readField(scan.block, &cursor, lineEnd: lineEnd)
    if cursor.endedRecord {
      endRecord(
        rowStart: scan.rowStart, range: scan.recordStart..<cursor.recordEnd, scan.block)
      if metEndMarker { return false }
      scan.rowStart = fieldCount
      scan.recordStart = cursor.place
    }
    (scan.fields, scan.rows) = (fieldCount, rowCount)
    scan.fieldStart = cursor.place
    scan.place = cursor.place
    return true
  }

  /// The bytes that a scan stops at.
  private struct Marks {
    let quote: UInt8?
    let delimiter: UInt8
    let lineEnd: LineEnding
    private let delimiters: UInt64
    private let newlines = UInt64(UInt8.newline) &* Self.ones
    private let returns = UInt64(UInt8.carriageReturn) &* Self.ones
    private let quotes: UInt64
    private static let ones: UInt64 = 0x0101_0101_0101_0101

    init(_ format: DelimitedTextFormat, _ lineEnd: LineEnding) {
      quote = format.quote
      delimiter = format.delimiter
      delimiters = UInt64(format.delimiter) &* Self.ones
      // Without a quote nothing more is looked for.
      quotes = format.quote.map { UInt64($0) &* Self.ones } ?? delimiters
      self.lineEnd = lineEnd
    }

    /// The top bit of each byte that is one of them.
    @inline(__always)
    func hits(in word: UInt64) -> UInt64 {
      zeroBytes(word ^ delimiters) | zeroBytes(word ^ newlines) | zeroBytes(word ^ returns)
        | zeroBytes(word ^ quotes)
    }

    /// The bytes of the line end at `place`; 0 where there is none that the file's lines have, and more than there are
    /// is none.
    @inline(__always)
    func lineLength(_ bytes: Buffer<UInt8>, _ place: Int, _ count: Int) -> Int {
      if place >= count { return 0 }
      let byte = bytes[place]
      if byte == .newline { return lineEnd == .newline || lineEnd == .mixed ? 1 : 0 }
      let isPair = byte == .carriageReturn && place &+ 1 < count && bytes[place &+ 1] == .newline
      return isPair && (lineEnd == .both || lineEnd == .mixed) ? 2 : 0
    }
  }

  /// Where the quote at `start` is closed, if its field holds neither quotes nor escapes.
  @inline(__always)
  private func closingQuote(of start: Int, _ block: TextBlock) -> Int? {
    guard let quote = format.quote else { return nil }
    let text = block.bytes.bytes(0..<block.count)
    guard let close = text.firstIndex(of: quote, from: start &+ 1) else { return nil }
    if quote != format.escape,
      text.slice((start &+ 1)..<close).firstIndex(of: format.escape) != nil
    {
      return nil
    }
    return close
  }

  /// Where the reading of one field stands.
  struct FieldCursor {
    var place: Int
    var recordEnd = 0
    /// Whether the field just read was the last of its record.
    var endedRecord = true
  }

  private func addField(_ start: Int, _ end: Int, quoted: Bool) {
    starts[fieldCount] = UInt32(truncatingIfNeeded: start)
    ends[fieldCount] = UInt32(truncatingIfNeeded: end) | (quoted ? Self.quotedBit : 0)
    fieldCount &+= 1
  }

  private func readField(
    _ block: TextBlock, _ cursor: inout FieldCursor, lineEnd: LineEnding
  ) throws(SQLError) {
    let bytes = block.bytes
    let start = cursor.place
    if let quote = format.quote, bytes[start] == quote, let close = closingQuote(of: start, block) {
      let next = close + 1
      if next >= block.count || bytes[next] == format.delimiter || bytes[next] == .newline
        || bytes[next] == .carriageReturn
      {
        addField(start + 1, close, quoted: true)
        try endField(block, at: next, &cursor, lineEnd: lineEnd)
        return
      }
    }
    try walkField(block, &cursor, lineEnd: lineEnd)
  }

  /// Reads a field byte by byte, moving its value to its start.
  private func walkField(
    _ block: TextBlock, _ cursor: inout FieldCursor, lineEnd: LineEnding
  ) throws(SQLError) {
    let bytes = block.bytes
    let start = cursor.place
    var from = start
    var to = start
    var isInside = false
    var wasQuoted = false
    var opening = start
    while from < block.count {
      let byte = bytes[from]
      if isInside {
        if byte == format.escape, from + 1 < block.count,
          bytes[from + 1] == format.quote || bytes[from + 1] == format.escape,
          format.escape != format.quote || bytes[from + 1] == format.quote
        {
          bytes[to] = bytes[from + 1]
          to &+= 1
          from &+= 2
          continue
        }
        if byte == format.quote {
          isInside = false
          from &+= 1
          continue
        }
      } else {
        if byte == format.delimiter || byte == .newline || byte == .carriageReturn { break }
        if byte == format.quote {
          isInside = true
          wasQuoted = true
          opening = from
          from &+= 1
          continue
        }
      }
      bytes[to] = byte
      to &+= 1
      from &+= 1
    }
    if isInside { throw unterminatedQuote(block, opening: opening, field: start, value: to) }
    addField(start, to, quoted: wasQuoted)
    // What the value left behind must not be counted again as line ends.
    bytes.fill(to..<from, with: 0x20)
    try endField(block, at: from, &cursor, lineEnd: lineEnd)
  }

  /// The error of a quote that no other closes; the field's value stands from `field` to `value` by now.
  private func unterminatedQuote(
    _ block: TextBlock, opening: Int, field: Int, value: Int
  ) -> SQLError {
    // Up to the field nothing has been moved, and what it holds before the quote is on the quote's line.
    let line = block.firstLine + LineCounting.lineCount(block.bytes, 0..<field)
    let last = line + LineCounting.lineCount(block.bytes, field..<value)
    return SQLError(
      .badCopyFileFormat, "unterminated CSV quoted field",
      detail:
        "The quote on line \(line), byte \(block.offset + opening), is still open at the end, on line "
        + "\(last).",
      hint: "Close the quote, or double it if it is a part of the value.")
  }

  /// Passes over what ends a field at `place`: a delimiter, a line end, or the end of the block.
  private func endField(
    _ block: TextBlock, at place: Int, _ cursor: inout FieldCursor, lineEnd: LineEnding
  ) throws(SQLError) {
    cursor.recordEnd = place
    cursor.endedRecord = true
    guard place < block.count else {
      cursor.place = block.count
      return
    }
    let byte = block.bytes[place]
    if byte == format.delimiter {
      cursor.endedRecord = false
      cursor.place = place + 1
      return
    }
    let isPair =
      byte == .carriageReturn && place + 1 < block.count && block.bytes[place + 1] == .newline
    switch lineEnd {
    case .newline where byte == .carriageReturn: throw Self.strayReturn
    case .both where byte == .newline: throw Self.strayNewline
    case .both where !isPair: throw Self.strayReturn
    case .carriageReturn where byte == .newline: throw Self.strayNewline
    case .carriageReturn: cursor.place = place + 1
    case .newline, .both, .mixed: cursor.place = place + (isPair ? 2 : 1)
    }
  }
}
