import Columnar

/// Reads blocks that hold nothing but short whole numbers, as the files of junction tables do, in one pass from bytes to
/// columns.
///
/// Whatever else stands in a block, be it an empty field, a sign, a quote, a ninth digit or a carriage return, leaves the
/// block to the general way, which looks for the fields first and knows what they mean.
final class WholeNumberParser {
  private let types: [LogicalType]
  private let delimiter: UInt8
  /// Whether a number may begin with a zero: where the types are but guessed it may be a code.
  private let allowsLeadingZeros: Bool
  /// The length of each record of the block in hand.
  private var lengths = Buffer<UInt8>(uninitialized: 0)

  /// Digits that are read at once, and no more than that in a field.
  private static let mostDigits = 8
  /// A record's length fits a byte.
  private static let widthLimit = 255 / (mostDigits + 1)

  /// nil where a column is no whole number, or where the format takes digits for something else.
  init?(format: DelimitedTextFormat, rules: [ColumnRule?], lineEnd: LineEnding) {
    types = rules.compactMap { $0?.type }
    delimiter = format.delimiter
    allowsLeadingZeros = rules.allSatisfy { !($0?.isGuessed ?? false) }
    guard types.count == rules.count, rules.allSatisfy({ $0?.spelling == nil }),
      types.allSatisfy(\.isInteger), !types.isEmpty,
      types.count <= Self.widthLimit, !format.usesBackslashes,
      lineEnd == .newline || lineEnd == .mixed,
      delimiter < 0x80, delimiter != .newline, !Self.isDigit(delimiter),
      format.quote.map({ !Self.isDigit($0) }) ?? true
    else { return nil }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }

  /// The rows of a block from byte `start` on; nil if it is left to the general way.
  ///
  /// - Complexity: O(*n*) in the bytes of the block.
  func parse(_ block: TextBlock, from start: Int) -> ParsedBlock? {
    let width = types.count
    // The shortest record has a digit and a byte behind it for each column.
    let mostRows = (block.count - start) / (2 * width) + 1
    if lengths.count < mostRows { lengths = Buffer(uninitialized: mostRows) }
    var chunks: [DataChunk] = []
    var place = start
    var rowCount = 0
    while place < block.count {
      let numbers = Buffer<UInt32>(uninitialized: width * Vector.pageCapacity)
      guard let count = readChunk(block, from: &place, firstRow: rowCount, to: numbers),
        let chunk = chunk(numbers, count: count)
      else { return nil }
      chunks.append(chunk)
      rowCount += count
    }
    let known = max(rowCount - 1, 0)
    let kept = Buffer<UInt8>(uninitialized: known)
    kept.copy(lengths, count: known, to: 0)
    return ParsedBlock(
      index: block.index, chunks: chunks, rowCount: rowCount, recordCount: rowCount, rejects: [],
      isEnd: false, rowOffsets: RecordOffsets(first: start, lengths: kept), rowLines: nil,
      offset: block.offset, firstLine: LineFinder(block).line(at: start))
  }

  /// Reads the records of a chunk, the columns one behind another, and says how many there are; nil at anything but
  /// short whole numbers.
  private func readChunk(
    _ block: TextBlock, from start: inout Int, firstRow: Int, to numbers: Buffer<UInt32>
  ) -> Int? {
    let text = block.bytes.bytes(0..<(block.count + TextBlock.padding))
    let (width, end, delimiter, lengths) = (types.count, block.count, delimiter, lengths)
    let leadingZero: UInt8 = allowsLeadingZeros ? 0 : UInt8(ascii: "0")
    var place = start
    var row = 0
    while row < Vector.pageCapacity && place < end {
      let recordStart = place
      var target = row
      for column in 0..<width {
        let (number, digits) = Self.number(text.word(at: place))
        if digits == 0 || (digits > 1 && text[place] == leadingZero) { return nil }
        numbers[target] = number
        target &+= Vector.pageCapacity
        place &+= digits
        let isLast = column == width &- 1
        if text[place] != (isLast ? .newline : delimiter) {
          // The last line of a file may lack its end.
          guard isLast && place == end else { return nil }
        }
        place &+= 1
      }
      lengths[firstRow &+ row] = UInt8(truncatingIfNeeded: place &- recordStart)
      row &+= 1
    }
    start = place
    return row
  }

  /// The number that the first bytes spell, of which the lowest comes first, and how many of them are digits.
  ///
  /// A byte that is no digit shows in its high half, which is 3 for digits and stays so when 6 is added. What comes
  /// before the first such byte is moved to the high end, with zeros before it, and added up: pairs, then fours, then all.
  @inline(__always)
  private static func number(_ word: UInt64) -> (value: UInt32, digits: Int) {
    let plain = word ^ 0x3030_3030_3030_3030
    let odd = (plain | (plain &+ 0x0606_0606_0606_0606)) & 0xF0F0_F0F0_F0F0_F0F0
    let digits = odd == 0 ? mostDigits : odd.trailingZeroBitCount &>> 3
    let ones = plain &<< UInt64(truncatingIfNeeded: (mostDigits &- digits) &<< 3)
    let pairs = ones &* 10 &+ (ones &>> 8)
    let low = (pairs & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064
    let high = ((pairs &>> 16) & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001
    return (UInt32(truncatingIfNeeded: (low &+ high) &>> 32), digits)
  }

  /// The columns of a chunk; nil if a number does not fit its column.
  private func chunk(_ numbers: Buffer<UInt32>, count: Int) -> DataChunk? {
    var columns: [Vector] = []
    columns.reserveCapacity(types.count)
    for (index, type) in types.enumerated() {
      let first = index * Vector.pageCapacity
      let own = numbers.slice(first..<(first + count))
      if case .smallint = type {
        let values = Buffer<Int16>(uninitialized: count)
        var greatest: UInt32 = 0
        for row in 0..<count {
          greatest |= own[row]
          values[row] = Int16(truncatingIfNeeded: own[row])
        }
        // Together they have no bit that does not fit unless one of them has.
        if greatest > UInt32(Int16.max) { return nil }
        columns.append(Vector(type, values, count: count))
      } else if case .bigint = type {
        let values = Buffer<Int64>(uninitialized: count)
        for row in 0..<count { values[row] = Int64(truncatingIfNeeded: own[row]) }
        columns.append(Vector(type, values, count: count))
      } else {
        // Eight digits fit 32 bits with and without a sign.
        columns.append(
          Vector(type: type, count: count, storage: numbers.block(first..<(first + count))))
      }
    }
    return DataChunk(columns, count: count)
  }
}
