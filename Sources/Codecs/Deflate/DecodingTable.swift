import Columnar

/// Finds the symbol that the next bits of a stream stand for: a prefix code as a table by so many bits, with tables of longer
/// codes behind it.
///
/// An entry has, from its lowest bits on: how many bits the symbol takes, those that tell more of it included (5); how many of
/// them are its code (4); what it is (3 flags); and its number (16). (The form is that of libdeflate.)
struct DecodingTable {
  /// What an entry stands for.
  enum Flag {
    static let literal: UInt32 = 1 << 9
    static let end: UInt32 = 1 << 10
    /// A table of longer codes, the end of a block, or no code at all: what needs a second look.
    static let exception: UInt32 = 1 << 11
  }
  /// The kinds of symbols that deflate has.
  enum Alphabet { case codeLengths, literals, distances }

  let entries: Buffer<UInt32>
  /// By how many bits the first table goes.
  let width: Int

  static let lengthMax = 15

  init(_ alphabet: Alphabet) {
    switch alphabet {
    case .codeLengths: (width, entries) = (7, Buffer(uninitialized: 128))
    // Room for all tables of longer codes that there can be (zlib's enough.c).
    case .literals: (width, entries) = (11, Buffer(uninitialized: 2342))
    case .distances: (width, entries) = (8, Buffer(uninitialized: 402))
    }
    self.alphabet = alphabet
  }

  private let alphabet: Alphabet

  @inline(__always)
  static func total(_ entry: UInt32) -> UInt64 { UInt64(entry & 31) }
  @inline(__always)
  static func codeLength(_ entry: UInt32) -> UInt64 { UInt64(entry &>> 5 & 15) }
  @inline(__always)
  static func number(_ entry: UInt32) -> Int { Int(truncatingIfNeeded: entry &>> 16) }

  /// Makes the table of the code whose symbols have these lengths, 0 for one that does not come.
  ///
  /// Says false where the lengths are those of no code: too many short ones, or, but for a single code of one bit and for none at
  /// all, too few.
  func fill(_ lengths: Buffer<UInt8>, _ symbols: Range<Int>) -> Bool {
    var counts = [Int](repeating: 0, count: Self.lengthMax + 1)
    for symbol in symbols { counts[Int(lengths[symbol])] += 1 }
    counts[0] = 0
    var room = 1
    var codes = 0
    for length in 1...Self.lengthMax {
      room = room << 1 - counts[length]
      if room < 0 { return false }
      codes += counts[length]
    }
    let isSingle = codes == 1 && counts[1] == 1
    if room > 0 && !(isSingle || codes == 0 && alphabet == .distances) { return false }
    for index in 0..<(1 << width) { entries[index] = Flag.exception }
    if codes == 0 { return true }
    // The first code of each length, and the symbols by length.
    var next = [Int](repeating: 0, count: Self.lengthMax + 2)
    var code = 0
    for length in 1...Self.lengthMax {
      code = (code + counts[length - 1]) << 1
      next[length] = code
    }
    var tables = Subtables(next: 1 << width, counts: counts, width: width)
    // By rising length, as the tables of longer codes are sized by the codes that are left.
    for length in 1...Self.lengthMax where counts[length] > 0 {
      for symbol in symbols where Int(lengths[symbol]) == length {
        let reversed = Self.reversed(next[length], length)
        next[length] += 1
        enter(entry(symbol - symbols.lowerBound), reversed, length, &tables)
      }
    }
    return true
  }

  /// Where tables of longer codes go.
  private struct Subtables {
    var next: Int
    /// How many codes of each length are still to come.
    var counts: [Int]
    let width: Int
    /// The bits that the codes of the table made last begin with, where it stands, and by how many bits it goes.
    var prefix = -1
    var start = 0
    var bits = 0

    /// By how many bits a table goes that begins with a code of this length, so that all its codes fit.
    func bits(from length: Int) -> Int {
      var bits = length - width
      var room = 1 << bits
      var current = length
      while current < DecodingTable.lengthMax {
        room -= counts[current]
        if room <= 0 { break }
        current += 1
        bits += 1
        room <<= 1
      }
      return bits
    }
  }

  private func enter(_ entry: UInt32, _ code: Int, _ length: Int, _ tables: inout Subtables) {
    if length <= width {
      tables.counts[length] -= 1
      var index = code
      let own = Self.with(entry, codeLength: length)
      while index < 1 << width {
        entries[index] = own
        index += 1 << length
      }
      return
    }
    let prefix = code & (1 << width - 1)
    if prefix != tables.prefix {
      tables.prefix = prefix
      tables.start = tables.next
      tables.bits = tables.bits(from: length)
      tables.next += 1 << tables.bits
      for index in tables.start..<tables.next { entries[index] = Flag.exception }
      entries[prefix] =
        UInt32(tables.start) << 16 | Flag.exception | UInt32(tables.bits) << 5 | UInt32(width)
    }
    tables.counts[length] -= 1
    let own = Self.with(entry, codeLength: length - width)
    var index = code >> width
    while index < 1 << tables.bits {
      entries[tables.start + index] = own
      index += 1 << (length - width)
    }
  }

  /// An entry whose code has a length, which is added to that of the bits behind the code.
  private static func with(_ entry: UInt32, codeLength: Int) -> UInt32 {
    entry + UInt32(codeLength) + UInt32(codeLength) << 5
  }

  private static func reversed(_ code: Int, _ length: Int) -> Int {
    var result = 0
    for bit in 0..<length where code >> bit & 1 == 1 { result |= 1 << (length - 1 - bit) }
    return result
  }

  /// The entry of a symbol but for its code.
  private func entry(_ symbol: Int) -> UInt32 {
    switch alphabet {
    case .codeLengths: return UInt32(symbol) << 16
    case .literals:
      if symbol < 256 { return UInt32(symbol) << 16 | Flag.literal }
      if symbol == 256 { return Flag.exception | Flag.end }
      guard symbol - 257 < Deflate.lengths.count else { return Flag.exception }
      let length = Deflate.lengths[symbol - 257]
      return UInt32(length.base) << 16 | UInt32(length.extraBits)
    case .distances:
      guard symbol < Deflate.distances.count else { return Flag.exception }
      let distance = Deflate.distances[symbol]
      return UInt32(distance.base) << 16 | UInt32(distance.extraBits)
    }
  }
}

/// The numbers of the format (RFC 1951, section 3.2.5).
enum Deflate {
  typealias Range = (base: Int, extraBits: Int)

  /// How far back a match may lie.
  static let windowSize = 1 << 15
  static let matchMax = 258

  /// The lengths that symbols 257 and up stand for.
  static let lengths: [Range] = {
    var found: [Range] = []
    var base = 3
    for symbol in 0..<28 {
      let extra = symbol < 8 ? 0 : symbol / 4 - 1
      found.append((base, extra))
      base += 1 << extra
    }
    return found + [(258, 0)]
  }()

  /// The distances that symbols stand for.
  static let distances: [Range] = {
    var found: [Range] = []
    var base = 1
    for symbol in 0..<30 {
      let extra = symbol < 4 ? 0 : symbol / 2 - 1
      found.append((base, extra))
      base += 1 << extra
    }
    return found
  }()

  /// In which order the lengths of the code of code lengths come.
  static let codeLengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
}
