import Columnar

/// The sequences of a block: so many literals, then a copy of so many bytes from so far back.
///
/// Source: RFC 8878, sections 3.1.1.3.2 and 3.1.1.4.
struct SequenceDecoder {
  /// The tables used last, which a block may use again.
  private var literalLengths: FSETable?
  private var offsets: FSETable?
  private var matchLengths: FSETable?
  /// How far back the last three copies reached.
  private var recent = (1, 4, 8)

  /// The kinds of codes, with what numbers they stand for.
  private struct Kind {
    let symbolMax: Int
    let logMax: Int
    /// Codes that blocks use which bring none along.
    let usual: FSETable
    /// The least number of each code, and how many bits are added to it.
    let bases: Buffer<UInt32>
    let extraBits: Buffer<UInt8>

    init(logMax: Int, usualLog: Int, _ frequencies: [Int], _ numbers: [(base: Int, bits: Int)]) {
      symbolMax = numbers.count - 1
      self.logMax = logMax
      usual = FSETable(frequencies, log: usualLog)
      bases = Buffer(numbers.map { UInt32($0.base) })
      extraBits = Buffer(numbers.map { UInt8($0.bits) })
    }
  }

  /// Numbers of codes from `first` on, each code beginning behind the one before.
  private static func numbers(plain: Int, from first: Int, _ bits: [Int]) -> [(Int, Int)] {
    var result = (0..<plain).map { (first + $0, 0) }
    var base = first + plain
    for count in bits {
      result.append((base, count))
      base += 1 << count
    }
    return result
  }

  private static let literalKind = Kind(
    logMax: 9, usualLog: 6,
    [
      4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1,
      1, -1, -1, -1, -1,
    ],
    numbers(
      plain: 16, from: 0, [1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]))
  private static let matchKind = Kind(
    logMax: 9, usualLog: 6,
    [
      1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
      1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
    ],
    numbers(
      plain: 32, from: 3,
      [1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]))
  private static let offsetKind = Kind(
    logMax: 8, usualLog: 5,
    [
      1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1,
    ], (0...31).map { (1 << $0, $0) })

  init() {}

  /// Begins a frame.
  mutating func reset() { self = SequenceDecoder() }

  /// Literals, and where they are put.
  struct Target {
    let literals: Buffer<UInt8>
    let literalCount: Int
    let output: Buffer<UInt8>
    /// Where the frame begins, and where the output ends.
    let start: Int
    let end: Int
  }

  /// Carries out the sequences that stand in a range; what is wrong with them, if something is.
  ///
  /// The block is written from `out` on, which in the end is where the next one is.
  mutating func run(
    _ bytes: Buffer<UInt8>, _ range: Range<Int>, _ target: Target, _ out: inout Int
  ) -> String? {
    var position = range.lowerBound
    guard position < range.upperBound else { return "its sequences are missing" }
    let head = Int(bytes[position])
    let word = PagePointer(bytes).word(at: position)
    var count = head
    position += 1
    if head == 255 {
      count = Int(word >> 8 & 0xFFFF) + 0x7F00
      position += 2
    } else if head >= 128 {
      count = (head - 128) << 8 | Int(word >> 8 & 0xFF)
      position += 1
    }
    if count == 0 {
      guard position == range.upperBound else { return "bytes follow its sequences" }
      return copyRest(0, target, &out)
    }
    guard position < range.upperBound else { return "its sequences are cut off" }
    let modes = bytes[position]
    position += 1
    guard modes & 3 == 0 else { return "its sequences are of an unknown kind" }
    let end = range.upperBound
    guard
      Self.read(&literalLengths, modes >> 6, Self.literalKind, bytes, &position, end),
      Self.read(&offsets, modes >> 4 & 3, Self.offsetKind, bytes, &position, end),
      Self.read(&matchLengths, modes >> 2 & 3, Self.matchKind, bytes, &position, end),
      position < end, let bits = BackwardBits(bytes, position..<end)
    else { return "the codes of its sequences are damaged" }
    return carryOut(count, bits, target, &out)
  }

  private static func read(
    _ table: inout FSETable?, _ mode: UInt8, _ kind: Kind, _ bytes: Buffer<UInt8>,
    _ position: inout Int, _ end: Int
  ) -> Bool {
    switch mode {
    case 0: table = kind.usual
    case 1:
      guard position < end, Int(bytes[position]) <= kind.symbolMax else { return false }
      table = FSETable(only: bytes[position])
      position += 1
    case 2:
      table = FSETable(
        bytes, &position, end: end, logMax: kind.logMax, symbolMax: kind.symbolMax)
    default: break
    }
    return table != nil
  }

  /// The loop over sequences; all that changes with each is a local here.
  private mutating func carryOut(
    _ count: Int, _ given: BackwardBits, _ target: Target, _ place: inout Int
  ) -> String? {
    guard let literalLengths, let offsets, let matchLengths else { return "it has no codes" }
    var bits = given
    let lengthTable = PagePointer(literalLengths.entries)
    let offsetTable = PagePointer(offsets.entries)
    let matchTable = PagePointer(matchLengths.entries)
    let lengthBases = PagePointer(Self.literalKind.bases)
    let lengthBits = PagePointer(Self.literalKind.extraBits)
    let matchBases = PagePointer(Self.matchKind.bases)
    let matchBits = PagePointer(Self.matchKind.extraBits)
    let written = PagePointer(target.output)
    var lengthState = Int(bits.take(literalLengths.log))
    var offsetState = Int(bits.take(offsets.log))
    var matchState = Int(bits.take(matchLengths.log))
    var recent = recent
    var out = place
    var literal = 0
    for sequence in 0..<count {
      let lengthEntry = lengthTable[lengthState]
      let offsetEntry = offsetTable[offsetState]
      let matchEntry = matchTable[matchState]
      let offsetCode = FSETable.symbol(offsetEntry)
      let value = (1 &<< offsetCode) &+ Int(truncatingIfNeeded: bits.take(offsetCode))
      let matchCode = FSETable.symbol(matchEntry)
      let match =
        Int(matchBases[matchCode]) &+ Int(truncatingIfNeeded: bits.take(Int(matchBits[matchCode])))
      let lengthCode = FSETable.symbol(lengthEntry)
      let length =
        Int(lengthBases[lengthCode])
        &+ Int(truncatingIfNeeded: bits.take(Int(lengthBits[lengthCode])))
      if sequence &+ 1 < count {
        lengthState =
          FSETable.base(lengthEntry)
          &+ Int(truncatingIfNeeded: bits.take(FSETable.bitCount(lengthEntry)))
        matchState =
          FSETable.base(matchEntry)
          &+ Int(truncatingIfNeeded: bits.take(FSETable.bitCount(matchEntry)))
        offsetState =
          FSETable.base(offsetEntry)
          &+ Int(truncatingIfNeeded: bits.take(FSETable.bitCount(offsetEntry)))
      }
      if bits.left < 0 { return "its sequences are cut off" }
      let offset = Self.offset(value, hasLiterals: length > 0, &recent)
      if length > target.literalCount &- literal { return "it has too few literals" }
      if length &+ match > target.end &- out { return "it is longer than it says" }
      Self.copy(target, literal, length, to: out)
      literal &+= length
      out &+= length
      if offset <= 0 || offset > out &- target.start {
        return "a copy reaches before the beginning"
      }
      RepeatedBytes.copy(target.output, written, to: out, from: out &- offset, match)
      out &+= match
    }
    guard bits.left == 0 else { return "bits follow its sequences" }
    self.recent = recent
    place = out
    return copyRest(literal, target, &place)
  }

  /// How far back a copy reaches, where small numbers stand for one of the last three.
  @inline(__always)
  private static func offset(
    _ value: Int, hasLiterals: Bool, _ recent: inout (Int, Int, Int)
  ) -> Int {
    if value > 3 {
      recent = (value &- 3, recent.0, recent.1)
      return recent.0
    }
    switch hasLiterals ? value : value &+ 1 {
    case 1: break
    case 2: recent = (recent.1, recent.0, recent.2)
    case 3: recent = (recent.2, recent.0, recent.1)
    default: recent = (recent.0 &- 1, recent.0, recent.1)
    }
    return recent.0
  }

  @inline(__always)
  private static func copy(_ target: Target, _ literal: Int, _ length: Int, to out: Int) {
    if length <= 16 {
      let source = PagePointer(target.literals)
      target.output.store(word: source.word(at: literal), at: out)
      target.output.store(word: source.word(at: literal &+ 8), at: out &+ 8)
    } else {
      target.output.copy(target.literals, from: literal, count: length, to: out)
    }
  }

  /// The literals behind the last copy.
  private func copyRest(_ literal: Int, _ target: Target, _ out: inout Int) -> String? {
    let length = target.literalCount - literal
    guard length <= target.end - out else { return "it is longer than it says" }
    target.output.copy(target.literals, from: literal, count: length, to: out)
    out += length
    return nil
  }
}
