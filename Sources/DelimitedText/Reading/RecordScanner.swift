package import Columnar
package import Diagnostics

/// A record that has another number of fields than there are columns, or is not well formed.
package struct BadRecord: Sendable {
  /// What is wrong.
  package enum Fault: Sendable, Hashable {
    /// The number of fields that are there, too few.
    case missing(Int)
    /// More fields than columns.
    case extra(Int)
    case unterminatedQuote
  }
  package let fault: Fault
  /// Where the record stands in its block.
  package let range: Range<Int>
}

/// Finds the fields of the records of a block: an index pass, after which columns are converted one
/// at a time.
///
/// A field is a start and an end in the block's bytes. Quotes are taken off and escapes resolved in
/// place, which only shortens a field; the top bit of its end says that it was quoted.
///
/// One scanner serves one worker and keeps its buffers from block to block.
package final class RecordScanner {
  let format: DelimitedTextFormat
  /// The number of fields that a record must have.
  package let width: Int
  package internal(set) var starts = Buffer<UInt32>(uninitialized: 0)
  package internal(set) var ends = Buffer<UInt32>(uninitialized: 0)
  /// The number of good records found; field *c* of record *r* is at `r * width + c`.
  package internal(set) var rowCount = 0
  package internal(set) var badRecords: [BadRecord] = []
  /// Whether a line `\.` was met, which ends the data.
  package internal(set) var metEndMarker = false
  var fieldCount = 0
  /// Records passed over because nothing was in them.
  package internal(set) var blankCount = 0

  /// The bit of an end that says that the field was quoted.
  package static let quotedBit: UInt32 = 1 << 31

  package init(format: DelimitedTextFormat, width: Int) {
    self.format = format
    self.width = width
  }

  /// Finds the fields of all records from byte `start` on.
  ///
  /// - Throws: 22P04 where line ends or quotes break the format beyond one record.
  /// - Complexity: O(*n*) in the bytes of the block.
  package func scan(
    _ block: TextBlock, from start: Int = 0, lineEnd: LineEnding
  ) throws(SQLError) {
    let most = block.count - start + 2 + roomForFilling(block, from: start)
    if starts.count < most {
      starts = Buffer(uninitialized: most, pages: .small)
      ends = Buffer(uninitialized: most, pages: .small)
    }
    rowCount = 0
    fieldCount = 0
    blankCount = 0
    badRecords.removeAll()
    metEndMarker = false
    let bytes = block.bytes.bytes(0..<block.count)
    let hasReturns = bytes.firstIndex(of: .carriageReturn, from: start) != nil
    if format.usesBackslashes {
      try scanEscaped(block, from: start)
    } else if block.hasQuotes || hasReturns || lineEnd == .carriageReturn {
      try scanAny(block, from: start, lineEnd: lineEnd)
    } else {
      if format.lineEnd == .uniform && lineEnd == .both {
        if bytes.firstIndex(of: .newline, from: start) != nil { throw Self.strayNewline }
      }
      scanPlain(block, from: start)
    }
  }

  /// The most fields of a block that may be added; behind them short records are bad ones.
  private static let filledMax = 1 << 24

  /// The fields that may be added to short records.
  private func roomForFilling(_ block: TextBlock, from start: Int) -> Int {
    guard format.fillsShortRecords else { return 0 }
    var lines = 1
    for place in start..<max(start, block.count) {
      if block.bytes[place] == .newline || block.bytes[place] == .carriageReturn { lines += 1 }
    }
    return min(lines * width, Self.filledMax)
  }

  /// Whether a short record may be filled, so that all that comes behind it is still found.
  ///
  /// One that goes on over lines has an open quote rather.
  private func mayBeFilled(_ range: Range<Int>, rowStart: Int, _ block: TextBlock) -> Bool {
    rowStart + width + (block.count - range.upperBound) + 2 <= starts.count
      && !range.contains { block.bytes[$0] == .newline || block.bytes[$0] == .carriageReturn }
  }

  /// The start of field `column` of record `row`.
  @inline(__always)
  package func start(_ row: Int, _ column: Int) -> Int {
    Int(truncatingIfNeeded: starts[row &* width &+ column])
  }

  /// Ends the record whose fields start at `rowStart` in the index; `range` is where it stands.
  @inline(__always)
  func endRecord(rowStart: Int, range: Range<Int>, _ block: TextBlock) {
    if fieldCount &- rowStart == width
      && !(width == 1 && mayBeSpecial(range, block, rowStart: rowStart))
      && !(format.hasComments && isComment(range, block))
    {
      rowCount &+= 1
    } else {
      endOddRecord(rowStart: rowStart, range: range, block)
    }
  }

  /// Whether a record of one field is an end marker or blank.
  private func mayBeSpecial(_ range: Range<Int>, _ block: TextBlock, rowStart: Int) -> Bool {
    range.isEmpty ? format.skipsBlankLines : isEndMarker(range, block, rowStart: rowStart)
  }

  private func isEndMarker(_ range: Range<Int>, _ block: TextBlock, rowStart: Int) -> Bool {
    format.hasEndMarker && range.count == 2 && block.bytes[range.lowerBound] == UInt8(ascii: "\\")
      && block.bytes[range.lowerBound &+ 1] == UInt8(ascii: ".")
  }

  private func isComment(_ range: Range<Int>, _ block: TextBlock) -> Bool {
    !range.isEmpty && block.bytes[range.lowerBound] == UInt8(ascii: "#")
  }

  private func endOddRecord(rowStart: Int, range: Range<Int>, _ block: TextBlock) {
    let found = fieldCount - rowStart
    fieldCount = rowStart
    if found == 1 && isEndMarker(range, block, rowStart: rowStart) {
      metEndMarker = true
    } else if found == 1 && range.isEmpty && format.skipsBlankLines
      || format.hasComments && isComment(range, block)
    {
      blankCount += 1
    } else if format.fillsShortRecords && found < width
      && mayBeFilled(range, rowStart: rowStart, block)
    {
      fieldCount = rowStart + found
      while fieldCount < rowStart + width {
        starts[fieldCount] = UInt32(truncatingIfNeeded: range.upperBound)
        ends[fieldCount] = UInt32(truncatingIfNeeded: range.upperBound)
        fieldCount += 1
      }
      rowCount += 1
    } else {
      let fault = found < width ? BadRecord.Fault.missing(found) : .extra(found)
      badRecords.append(BadRecord(fault: fault, range: range))
    }
  }

  /// Scans a block without quotes and carriage returns, eight bytes at a time.
  ///
  /// What the loop counts stands in local variables: a property of an object is checked for overlapping
  /// accesses at each touch.
  private func scanPlain(_ block: TextBlock, from start: Int) {
    let delimiters = UInt64(format.delimiter) &* 0x0101_0101_0101_0101
    let newlines = UInt64(UInt8.newline) &* 0x0101_0101_0101_0101
    let count = block.count
    let words = block.bytes.bytes(0..<(count + TextBlock.padding))
    let bytes = block.bytes
    let starts = starts
    let ends = ends
    // Records of one field may be blank or the end marker, and others comments.
    let width = width == 1 || format.hasComments ? -1 : width
    var fields = 0
    var rows = 0
    var fieldStart = start
    var rowStart = 0
    var recordStart = start
    var place = start
    while place < count {
      let word = words.word(at: place)
      var hits = zeroBytes(word ^ delimiters) | zeroBytes(word ^ newlines)
      while hits != 0 {
        let hit = place &+ hits.trailingZeroBitCount &>> 3
        hits &= hits &- 1
        if hit >= count { break }
        starts[fields] = UInt32(truncatingIfNeeded: fieldStart)
        ends[fields] = UInt32(truncatingIfNeeded: hit)
        fields &+= 1
        fieldStart = hit &+ 1
        guard bytes[hit] == .newline else { continue }
        if fields &- rowStart == width {
          rows &+= 1
        } else {
          fields = endRecord(rowStart..<fields, &rows, range: recordStart..<hit, block)
          if fields < 0 { return }
        }
        rowStart = fields
        recordStart = fieldStart
      }
      place &+= 8
    }
    rowCount = rows
    fieldCount = fields
    if recordStart < count {
      starts[fieldCount] = UInt32(truncatingIfNeeded: fieldStart)
      ends[fieldCount] = UInt32(truncatingIfNeeded: count)
      fieldCount &+= 1
      endRecord(rowStart: rowStart, range: recordStart..<count, block)
    }
  }

  /// Ends a record that needs a closer look, among others that the caller counts; gives the number of
  /// fields after it, -1 if it was the end marker.
  ///
  /// Never inlined, as the checks of its accesses would move into the loop around it.
  @inline(never)
  func endRecord(
    _ fields: Range<Int>, _ rows: inout Int, range: Range<Int>, _ block: TextBlock
  ) -> Int {
    rowCount = rows
    fieldCount = fields.upperBound
    endRecord(rowStart: fields.lowerBound, range: range, block)
    rows = rowCount
    return metEndMarker ? -1 : fieldCount
  }

  static let strayNewline = SQLError(
    .badCopyFileFormat, "unquoted newline found in data",
    hint: "Use quoted CSV field to represent newline.")
  static let strayReturn = SQLError(
    .badCopyFileFormat, "unquoted carriage return found in data",
    hint: "Use quoted CSV field to represent carriage return.")
}

/// The top bit of each byte of `word` that is zero, and no other bit.
@inline(__always)
func zeroBytes(_ word: UInt64) -> UInt64 {
  let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
  return ~(((word & low) &+ low) | word | low)
}

/// What ends the lines of a file.
package enum LineEnding: Sendable, Hashable {
  /// LF.
  case newline
  /// CRLF.
  case both
  /// CR.
  case carriageReturn
  /// Any of these in any order.
  case mixed

  /// What ends the first line of `block`, as COPY takes it for the whole file.
  package init(of block: TextBlock, format: DelimitedTextFormat) {
    guard format.lineEnd == .uniform else {
      self = .mixed
      return
    }
    self = .newline
    var isInside = false
    var index = 0
    while index < block.count {
      let byte = block.bytes[index]
      if isInside && byte == format.escape && format.escape != format.quote {
        // What it makes plain is no quote.
        index += 1
      } else if byte == format.quote {
        isInside.toggle()
      } else if !isInside && byte == .newline {
        return
      } else if !isInside && byte == .carriageReturn {
        let pair = index + 1 < block.count && block.bytes[index + 1] == .newline
        self = pair ? .both : .carriageReturn
        return
      }
      index += 1
    }
  }
}
