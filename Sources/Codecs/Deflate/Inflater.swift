package import Columnar
package import Diagnostics

/// Unpacks data in the deflate format (RFC 1951), a stretch at a time.
///
/// The bytes unpacked last stay in the output in front of those that come next, as matches refer to them: whoever moves the output
/// keeps 32 KB. One thread at a time uses an inflater.
package final class Inflater {
  /// Why a stretch has ended.
  package enum Pause { case needsInput, outputIsFull, isDone }

  private enum State { case blockHeader, stored(Int), codes, done }

  private var state = State.blockHeader
  private var isLastBlock = false
  /// Bits that were loaded and not used yet, from the lowest on.
  ///
  /// Above `bitCount` of them stand bits of the bytes behind, which are loaded once more.
  private var bits: UInt64 = 0
  private var bitCount: UInt64 = 0
  private let codeLengths = DecodingTable(.codeLengths)
  private let literals = DecodingTable(.literals)
  private let distances = DecodingTable(.distances)
  private let lengths = Buffer<UInt8>(uninitialized: 320)

  /// So many bytes of input are wanted before a stretch, unless they are the last: a block's codes are described by fewer.
  package static let inputMin = 1024
  /// So many bytes of the input's memory behind its end may be read, whose values do not matter.
  package static let inputSlack = 16
  /// A stretch needs room for so many bytes of output: a match and what a copy by words writes too much.
  package static let outputMin = Deflate.matchMax + 16
  /// How far back a match may refer.
  package static let windowSize = Deflate.windowSize

  package init() {}

  /// What is read, and how far.
  package struct Input {
    package let bytes: Buffer<UInt8>
    package var position: Int
    package let end: Int
    /// Whether nothing comes behind.
    package let isLast: Bool

    /// - Precondition: the buffer has `inputSlack` bytes behind `end`.
    package init(_ bytes: Buffer<UInt8>, position: Int, end: Int, isLast: Bool) {
      precondition(end + Inflater.inputSlack <= bytes.count, "the input needs slack behind it")
      self.bytes = bytes
      self.position = position
      self.end = end
      self.isLast = isLast
    }
  }

  /// What is written, and how far.
  package struct Output {
    package let bytes: Buffer<UInt8>
    package var position: Int
    /// Where the data begins; matches do not refer to what stands before.
    package var start: Int

    package init(_ bytes: Buffer<UInt8>, position: Int = 0, start: Int = 0) {
      self.bytes = bytes
      self.position = position
      self.start = start
    }
  }

  /// Unpacks until the input is used up, the output is full, or the data has ended.
  ///
  /// - Throws: 22P04 for data that is none of the format, or ends too early.
  /// - Complexity: O(*n*) in the bytes read and written.
  package func run(_ input: inout Input, _ output: inout Output) throws(SQLError) -> Pause {
    while true {
      switch state {
      case .blockHeader:
        if !input.isLast && input.end - input.position < Self.inputMin { return .needsInput }
        try readBlockHeader(&input)
      case .stored(let count):
        if let pause = try copyStored(count, &input, &output) { return pause }
      case .codes:
        if let pause = try unpack(&input, &output) { return pause }
      case .done: return .isDone
      }
    }
  }

  // MARK: Bits

  private func damaged(_ reason: String, _ input: Input) -> SQLError {
    SQLError(
      .badCopyFileFormat,
      "compressed data is damaged: \(reason) (near byte \(max(0, input.position - Int(bitCount) / 8)) of a part read)"
    )
  }

  private func endsEarly() -> SQLError {
    SQLError(
      .badCopyFileFormat, "compressed data ends too early",
      hint: "The file may have been cut off while it was written or copied.")
  }

  /// Loads bits, at least 56 of which are then there.
  private func refill(_ input: inout Input) throws(SQLError) {
    if input.position - Int(bitCount >> 3) > input.end { throw endsEarly() }
    guard input.position <= input.end else { return }
    bits |= PagePointer(input.bytes).word(at: input.position) << bitCount
    input.position += Int((63 - bitCount) >> 3)
    bitCount |= 56
  }

  /// The next bits as a number.
  ///
  /// - Precondition: so many are loaded.
  private func take(_ count: UInt64) -> Int {
    let value = bits & (1 << count - 1)
    bits >>= count
    bitCount = bitCount >= count ? bitCount - count : 0
    return Int(value)
  }

  /// Gives back the whole bytes that were loaded and not used.
  private func giveBack(_ input: inout Input) throws(SQLError) {
    input.position -= Int(bitCount >> 3)
    bits = 0
    bitCount = 0
    if input.position > input.end { throw endsEarly() }
  }

  // MARK: Blocks

  private func readBlockHeader(_ input: inout Input) throws(SQLError) {
    if isLastBlock {
      try giveBack(&input)
      state = .done
      return
    }
    try refill(&input)
    isLastBlock = take(1) == 1
    switch take(2) {
    case 0:
      try giveBack(&input)
      guard input.position + 4 <= input.end else { throw endsEarly() }
      let head = PagePointer(input.bytes).word(at: input.position)
      let (count, check) = (head & 0xFFFF, head >> 16 & 0xFFFF)
      guard count == check ^ 0xFFFF else {
        throw damaged("the length of a stored block does not match its check", input)
      }
      input.position += 4
      state = .stored(Int(count))
    case 1:
      for symbol in 0..<288 {
        lengths[symbol] = symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8
      }
      for symbol in 288..<320 { lengths[symbol] = 5 }
      try makeTables(288, 32, input)
    case 2: try readCodes(&input)
    default: throw damaged("a block of unknown kind", input)
    }
  }

  private func makeTables(_ literalCount: Int, _ distanceCount: Int, _ input: Input)
    throws(SQLError)
  {
    guard literals.fill(lengths, 0..<literalCount),
      distances.fill(lengths, literalCount..<(literalCount + distanceCount))
    else { throw damaged("a block's code is incomplete or has too many symbols", input) }
    state = .codes
  }

  /// Reads the codes that a block brings along.
  private func readCodes(_ input: inout Input) throws(SQLError) {
    let literalCount = take(5) + 257
    let distanceCount = take(5) + 1
    let count = take(4) + 4
    guard literalCount <= 286 && distanceCount <= 30 else {
      throw damaged("a block has too many symbols", input)
    }
    for place in 0..<19 { lengths[place] = 0 }
    for place in 0..<count {
      try refill(&input)
      lengths[Deflate.codeLengthOrder[place]] = UInt8(take(3))
    }
    guard codeLengths.fill(lengths, 0..<19) else {
      throw damaged("the code of code lengths is incomplete or has too many symbols", input)
    }
    let total = literalCount + distanceCount
    var symbol = 0
    while symbol < total {
      try refill(&input)
      let entry = codeLengths.entries[Int(bits & 127)]
      guard entry & DecodingTable.Flag.exception == 0 else {
        throw damaged("a code length that has no code", input)
      }
      _ = take(DecodingTable.total(entry))
      let kind = DecodingTable.number(entry)
      if kind < 16 {
        lengths[symbol] = UInt8(kind)
        symbol += 1
        continue
      }
      let value: UInt8
      let repeats: Int
      if kind == 16 {
        guard symbol > 0 else { throw damaged("a code length repeats none", input) }
        value = lengths[symbol - 1]
        repeats = 3 + take(2)
      } else {
        value = 0
        repeats = kind == 17 ? 3 + take(3) : 11 + take(7)
      }
      guard symbol + repeats <= total else { throw damaged("too many code lengths", input) }
      lengths.fill(symbol..<(symbol + repeats), with: value)
      symbol += repeats
    }
    guard lengths[256] != 0 else { throw damaged("a block has no end", input) }
    try makeTables(literalCount, distanceCount, input)
  }

  private func copyStored(
    _ count: Int, _ input: inout Input, _ output: inout Output
  ) throws(SQLError) -> Pause? {
    if count == 0 {
      state = .blockHeader
      return nil
    }
    let length = min(count, input.end - input.position, output.bytes.count - output.position)
    output.bytes.copy(input.bytes, from: input.position, count: length, to: output.position)
    input.position += length
    output.position += length
    state = .stored(count - length)
    if length > 0 { return nil }
    if output.position == output.bytes.count { return .outputIsFull }
    if input.isLast { throw endsEarly() }
    return .needsInput
  }

  // MARK: Symbols

  private enum Finding { case pause(Pause), blockEnd, damage(String), early }

  private func unpack(_ input: inout Input, _ output: inout Output) throws(SQLError) -> Pause? {
    switch decode(&input, &output) {
    case .pause(let pause): return pause
    case .blockEnd:
      state = .blockHeader
      return nil
    case .damage(let reason):
      // What stands behind the end is no part of the data, and anything.
      if input.isLast && input.position - Int(bitCount >> 3) > input.end { throw endsEarly() }
      throw damaged(reason, input)
    case .early: throw endsEarly()
    }
  }

  /// The symbols of a block.
  ///
  /// Everything that changes with each symbol is a local here: a loop over the fields of an object would load and store them.
  private func decode(_ input: inout Input, _ output: inout Output) -> Finding {
    let bytes = output.bytes
    let written = PagePointer(bytes)
    let (literals, distances) = (PagePointer(literals.entries), PagePointer(distances.entries))
    let inputEnd = input.isLast ? input.end : input.end - Self.inputMin
    let outputEnd = bytes.count - Self.outputMin
    let start = output.start
    var out = output.position
    var cursor = BitCursor(input, bits, bitCount)
    defer {
      (bits, bitCount) = (cursor.bits, cursor.count)
      (input.position, output.position) = (cursor.position, out)
    }
    while true {
      if out > outputEnd { return .pause(.outputIsFull) }
      if cursor.position > inputEnd {
        if !input.isLast { return .pause(.needsInput) }
        if cursor.firstUnused > inputEnd { return .early }
      }
      cursor.refill()
      var entry = cursor.entry(literals, bits: 11)
      // Three bytes take 33 bits at most.
      if entry & DecodingTable.Flag.literal != 0 {
        bytes[out] = cursor.byte(entry)
        entry = cursor.entry(literals, bits: 11)
        out &+= 1
        if entry & DecodingTable.Flag.literal != 0 {
          bytes[out] = cursor.byte(entry)
          entry = cursor.entry(literals, bits: 11)
          out &+= 1
          if entry & DecodingTable.Flag.literal != 0 {
            bytes[out] = cursor.byte(entry)
            out &+= 1
            continue
          }
        }
      }
      if entry & DecodingTable.Flag.exception != 0 {
        guard let longer = cursor.longer(entry, literals) else {
          return .damage("bits that are no symbol")
        }
        entry = longer
        if entry & DecodingTable.Flag.literal != 0 {
          bytes[out] = cursor.byte(entry)
          out &+= 1
          continue
        }
        if entry & DecodingTable.Flag.end != 0 {
          cursor.drop(entry)
          return .blockEnd
        }
        if entry & DecodingTable.Flag.exception != 0 { return .damage("bits that are no symbol") }
      }
      let length = cursor.number(entry)
      cursor.refill()
      entry = cursor.entry(distances, bits: 8)
      if entry & DecodingTable.Flag.exception != 0 {
        guard let longer = cursor.longer(entry, distances),
          longer & DecodingTable.Flag.exception == 0
        else { return .damage("bits that are no distance") }
        entry = longer
      }
      let distance = cursor.number(entry)
      if distance > out &- start { return .damage("a match reaches before the beginning") }
      RepeatedBytes.copy(bytes, written, to: out, from: out &- distance, length)
      out &+= length
    }
  }
}

/// The bits of an input that are next.
private struct BitCursor {
  private let source: PagePointer<UInt8>
  /// Reads stay before it.
  private let last: Int
  var bits: UInt64
  var count: UInt64
  var position: Int

  init(_ input: Inflater.Input, _ bits: UInt64, _ count: UInt64) {
    source = PagePointer(input.bytes)
    // Bytes behind the end are read as well, and found out; but no farther than there is slack.
    last = input.end + 8
    self.bits = bits
    self.count = count
    position = input.position
  }

  /// The first byte none of whose bits was used.
  @inline(__always)
  var firstUnused: Int { position &- Int(truncatingIfNeeded: count &>> 3) }

  /// Loads bits, 56 of which are then there.
  @inline(__always)
  mutating func refill() {
    bits |= source.word(at: min(position, last)) &<< count
    position &+= Int(truncatingIfNeeded: (63 &- count) &>> 3)
    count |= 56
  }

  @inline(__always)
  func entry(_ table: PagePointer<UInt32>, bits width: UInt64) -> UInt32 {
    table[Int(truncatingIfNeeded: bits & (1 &<< width &- 1))]
  }

  /// Goes on behind a symbol.
  @inline(__always)
  mutating func drop(_ entry: UInt32) {
    bits &>>= DecodingTable.total(entry)
    count &-= DecodingTable.total(entry)
  }

  /// The byte that an entry stands for.
  @inline(__always)
  mutating func byte(_ entry: UInt32) -> UInt8 {
    drop(entry)
    return UInt8(truncatingIfNeeded: DecodingTable.number(entry))
  }

  /// The length or distance of an entry, with the bits behind its code.
  @inline(__always)
  mutating func number(_ entry: UInt32) -> Int {
    let taken = bits & (1 &<< DecodingTable.total(entry) &- 1)
    drop(entry)
    return DecodingTable.number(entry)
      &+ Int(truncatingIfNeeded: taken &>> DecodingTable.codeLength(entry))
  }

  /// The entry in a table of longer codes, that of a block's end being its own.
  ///
  /// nil for bits that are no code.
  @inline(__always)
  mutating func longer(_ entry: UInt32, _ table: PagePointer<UInt32>) -> UInt32? {
    if entry & DecodingTable.Flag.end != 0 { return entry }
    if DecodingTable.total(entry) == 0 { return nil }
    drop(entry)
    let mask = UInt64(1) &<< DecodingTable.codeLength(entry) &- 1
    return table[DecodingTable.number(entry) &+ Int(truncatingIfNeeded: bits & mask)]
  }
}
