package import Columnar
package import Diagnostics

/// A stretch of a file that holds whole records.
package struct TextBlock: @unchecked Sendable {
  /// The number of the block in its file.
  package let index: Int
  /// The bytes; at least `padding` more than `count` may be read, of any value.
  package let bytes: Buffer<UInt8>
  /// The number of bytes that belong to the block.
  package let count: Int
  /// Where the block starts in the file.
  package let offset: Int
  /// The line, counted from 1, on which the block starts.
  package let firstLine: Int
  /// Whether a quote stands anywhere in the block.
  package let hasQuotes: Bool
  /// Whether nothing follows the block.
  package let isLast: Bool

  /// Bytes behind the end of a block that a scan by words may read.
  package static let padding = 64
}

extension TextBlock {
  /// All bytes of a file.
  package init(all bytes: Buffer<UInt8>, count: Int) {
    self.init(
      index: 0, bytes: bytes, count: count, offset: 0, firstLine: 1, hasQuotes: true, isLast: true)
  }
}

/// Cuts a source into blocks of whole records, so that workers can parse them side by side.
///
/// A record ends at a line end outside quotes. Where quote and escape are one character, each quote
/// turns "inside" into "outside", so that the parity of quotes tells where the last record of a block
/// ends; with another escape character the block is walked byte by byte.
package final class BlockReader {
  private let source: any ByteSource
  private let format: DelimitedTextFormat
  private let blockSize: Int
  /// What a block left over: the start of a record that the next one ends.
  private var carried = Buffer<UInt8>(uninitialized: 0)
  private var carriedCount = 0
  private var isAtEnd = false
  private var nextIndex = 0
  private var offset = 0
  private var line = 1
  /// The bytes read so far, for a progress bar.
  package private(set) var bytesRead = 0

  /// A reader that gives blocks of about `blockSize` bytes; by default so few that a block and the index
  /// of its fields stay in the cache of a core.
  package init(_ source: any ByteSource, format: DelimitedTextFormat, blockSize: Int = 1 << 20) {
    self.source = source
    self.format = format
    self.blockSize = max(blockSize, 16)
  }

  /// The next block, nil at the end.
  ///
  /// - Throws: 58030 if reading fails; 54000 for a record of more than 1 GB.
  /// - Complexity: O(bytes read).
  package func next() throws(SQLError) -> TextBlock? {
    if isAtEnd { return nil }
    var capacity = blockSize + carriedCount
    var buffer = Buffer<UInt8>(uninitialized: capacity + TextBlock.padding)
    buffer.copy(carried, count: carriedCount, to: 0)
    var filled = carriedCount
    while true {
      while filled < capacity {
        let got = try source.read(into: buffer, at: filled, count: capacity - filled)
        if got == 0 {
          isAtEnd = true
          break
        }
        filled += got
        bytesRead += got
      }
      if isAtEnd { return finish(buffer, count: filled, of: filled) }
      if let end = endOfLastRecord(buffer, count: filled) {
        return finish(buffer, count: end, of: filled)
      }
      guard capacity < 1 << 30 else {
        throw SQLError(
          .programLimitExceeded, "a record of more than 1 GB starts on line \(line)",
          hint: "A quote may be open there.")
      }
      let grown = Buffer<UInt8>(uninitialized: capacity * 2 + TextBlock.padding)
      grown.copy(buffer, count: filled, to: 0)
      capacity *= 2
      buffer = grown
    }
  }

  private func finish(_ buffer: Buffer<UInt8>, count: Int, of filled: Int) -> TextBlock? {
    carriedCount = filled - count
    if carriedCount > 0 {
      carried = Buffer(uninitialized: carriedCount)
      carried.copy(buffer, from: count, count: carriedCount, to: 0)
    }
    if count == 0 { return nil }
    buffer.fill(count..<(count + TextBlock.padding), with: 0)
    let hasQuotes = format.quote.map { buffer.contains($0, in: 0..<count) } ?? false
    let block = TextBlock(
      index: nextIndex, bytes: buffer, count: count, offset: offset, firstLine: line,
      hasQuotes: hasQuotes, isLast: isAtEnd)
    nextIndex += 1
    offset += count
    line += LineCounting.lineCount(buffer, 0..<count)
    return block
  }

  /// Just past the line end of the last whole record; nil if there is none.
  private func endOfLastRecord(_ buffer: Buffer<UInt8>, count: Int) -> Int? {
    guard let quote = format.quote, buffer.contains(quote, in: 0..<count) else {
      return lastLineEnd(buffer, count: count) { _ in false }
    }
    if quote != format.escape { return walkToLastRecord(buffer, count: count, quote: quote) }
    var quotes = 0
    for index in 0..<count { quotes &+= bit(buffer[index] == quote) }
    var isInside = quotes & 1 == 1
    return lastLineEnd(buffer, count: count) { byte in
      if byte == quote { isInside.toggle() }
      return isInside
    }
  }

  /// Goes backwards to a line end that is not inside quotes.
  private func lastLineEnd(
    _ buffer: Buffer<UInt8>, count: Int, isInside: (UInt8) -> Bool
  ) -> Int? {
    var index = count - 1
    while index >= 0 {
      let byte = buffer[index]
      let inside = isInside(byte)
      if !inside {
        if byte == .newline { return index + 1 }
        // A CR at the very end may have its LF in what has not been read.
        if byte == .carriageReturn && index + 1 < count { return index + 1 }
      }
      index -= 1
    }
    return nil
  }

  private func walkToLastRecord(_ buffer: Buffer<UInt8>, count: Int, quote: UInt8) -> Int? {
    var end: Int?
    var isInside = false
    var index = 0
    while index < count {
      let byte = buffer[index]
      if isInside && byte == format.escape && index + 1 < count
        && (buffer[index + 1] == quote || buffer[index + 1] == format.escape)
      {
        index += 2
        continue
      }
      if byte == quote {
        isInside.toggle()
      } else if !isInside && byte == .newline {
        end = index + 1
      } else if !isInside && byte == .carriageReturn && index + 1 < count
        && buffer[index + 1] != .newline
      {
        end = index + 1
      }
      index += 1
    }
    return end
  }
}

/// Counts lines for messages.
enum LineCounting {
  /// The number of line ends in `range`; CRLF is one.
  static func lineCount(_ bytes: Buffer<UInt8>, _ range: Range<Int>) -> Int {
    let newlines = count(.newline, in: bytes, range)
    if !bytes.contains(.carriageReturn, in: range) { return newlines }
    let returns = count(.carriageReturn, in: bytes, range)
    var pairs = 0
    for index in range.dropLast()
    where bytes[index] == .carriageReturn && bytes[index &+ 1] == .newline {
      pairs &+= 1
    }
    return newlines &+ returns &- pairs
  }

  /// How often `byte` stands in `range`; eight bytes at a time, as eight sums of one byte each.
  static func count(_ byte: UInt8, in bytes: Buffer<UInt8>, _ range: Range<Int>) -> Int {
    let text = bytes.bytes(range)
    let wanted = UInt64(byte) &* 0x0101_0101_0101_0101
    var total = 0
    var place = 0
    while place &+ 8 <= text.count {
      // No sum overflows within 255 words.
      let end = min(place &+ 255 &* 8, text.count &- 7)
      var sums: UInt64 = 0
      while place < end {
        sums &+= zeroBytes(text.word(at: place) ^ wanted) &>> 7
        place &+= 8
      }
      let pairs = (sums & 0x00FF_00FF_00FF_00FF) &+ ((sums &>> 8) & 0x00FF_00FF_00FF_00FF)
      total &+= Int(truncatingIfNeeded: (pairs &* 0x0001_0001_0001_0001) &>> 48)
    }
    while place < text.count {
      total &+= bit(text[place] == byte)
      place &+= 1
    }
    return total
  }
}

extension UInt8 {
  static let newline = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
}

extension Buffer where Element == UInt8 {
  /// Whether `byte` stands in `range`.
  fileprivate func contains(_ byte: UInt8, in range: Range<Int>) -> Bool {
    bytes(range).firstIndex(of: byte) != nil
  }
}
