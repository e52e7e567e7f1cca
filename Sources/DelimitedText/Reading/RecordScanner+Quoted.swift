import Columnar
import Diagnostics

extension RecordScanner {
  /// Scans a block with quotes or carriage returns.
  ///
  /// A field that is quoted as a whole and holds no quote is found by a search for its closing
  /// quote; all others are walked byte by byte, as PostgreSQL does: a quote anywhere in a field turns quoting on and off.
  func scanAny(_ block: TextBlock, from start: Int, lineEnd: LineEnding) throws(SQLError) {
    var cursor = FieldCursor(place: start, recordStart: start)
    var rowStart = 0
    while cursor.place < block.count {
      try readField(block, &cursor, lineEnd: lineEnd)
      guard cursor.endedRecord else { continue }
      endRecord(rowStart: rowStart, range: cursor.recordStart..<cursor.recordEnd, block)
      if metEndMarker { return }
      rowStart = fieldCount
      cursor.recordStart = cursor.place
    }
    // A delimiter at the very end of the data has an empty field behind it.
    if !cursor.endedRecord && cursor.recordStart < block.count {
      addField(block.count, block.count, quoted: false)
      endRecord(rowStart: rowStart, range: cursor.recordStart..<block.count, block)
    }
  }

  /// Where a scan stands.
  struct FieldCursor {
    var place: Int
    var recordStart: Int
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
    if let quote = format.quote, bytes[start] == quote {
      let text = bytes.bytes(0..<block.count)
      if let close = text.firstIndex(of: quote, from: start + 1),
        quote == format.escape
          || text.slice((start + 1)..<close).firstIndex(of: format.escape) == nil
      {
        let next = close + 1
        if next >= block.count || bytes[next] == format.delimiter || bytes[next] == .newline
          || bytes[next] == .carriageReturn
        {
          addField(start + 1, close, quoted: true)
          try endField(block, at: next, &cursor, lineEnd: lineEnd)
          return
        }
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
