import Diagnostics

/// Where the value of a column stands in a text; nothing for NULL and for what is not there.
@frozen package struct JSONCell: BitwiseCopyable, Sendable {
  private let start: UInt32
  private let count: UInt32

  init() { (start, count) = (0, 0) }

  init(_ range: Range<Int>) {
    start = UInt32(truncatingIfNeeded: range.lowerBound)
    count = UInt32(truncatingIfNeeded: range.count)
  }

  /// The places of the bytes; none for NULL.
  package var range: Range<Int> { Int(start)..<(Int(start) + Int(count)) }
}

/// Takes objects apart that stand behind one another in a text, and checks them on the way.
///
/// A matrix has a row for each record and a place for each column; a key that is new gets a column of its own. What is wrong
/// is not told: `JSONText.validate` does that.
package struct JSONRecordScanner {
  /// How far a record got.
  package enum Outcome {
    /// Just behind the record.
    case end(Int)
    /// The text ends before the record does.
    case cutOff
    /// Here stands no object, or one that is no JSON.
    case bad
  }

  package private(set) var keys: JSONKeyTable
  /// By column: the kinds of its values, a bit for each.
  package private(set) var kinds: [UInt8]
  /// The cells, row by row.
  private var cells: Buffer<JSONCell>
  /// The columns that the matrix has room for.
  private var width: Int
  private let text: TextBytes
  /// The place in the text.
  private var position = 0
  private var isCutOff = false
  /// The bits of `kinds` that the record at hand has set.
  private var newKinds: [(place: Int, bit: UInt8)] = []

  /// The rows of the matrix.
  package static let rowsMax = Vector.pageCapacity

  /// A scanner of a text that begins with known keys; `text` outlives it.
  package init(_ text: TextBytes, keys: JSONKeyTable) {
    self.text = text
    self.keys = keys
    width = max(keys.columns.count, 1)
    kinds = Array(repeating: 0, count: keys.columns.count)
    cells = Buffer(zeroed: width * Self.rowsMax)
  }

  /// The longest text, whose places cells can hold.
  package static let textMax = Int(Int32.max)

  /// The kinds that the bits of `kinds` stand for.
  package static func kinds(of bits: UInt8) -> Set<JSONKind> {
    Set(order.enumerated().filter { bits & 1 << UInt8($0.offset) != 0 }.map(\.element))
  }

  private static let order: [JSONKind] = [.object, .array, .string, .number, .boolean]
  private static let objectBit: UInt8 = 1
  private static let arrayBit: UInt8 = 2
  private static let stringBit: UInt8 = 4
  private static let numberBit: UInt8 = 8
  private static let booleanBit: UInt8 = 16

  /// The value of a column in a row.
  package func cell(_ row: Int, _ column: Int) -> JSONCell { cells[row &* width &+ column] }

  /// Forgets the first rows.
  package func clear(rows: Int) { cells.zero(0..<(rows * width)) }

  /// Takes the object at `start` into a row, which is empty.
  ///
  /// - Complexity: O(*n*) in its bytes.
  package mutating func scan(at start: Int, row: Int) -> Outcome {
    position = start
    isCutOff = false
    if !newKinds.isEmpty { newKinds.removeAll() }
    guard take(UInt8(ascii: "{")) else { return failed }
    skipSpace()
    if take(UInt8(ascii: "}")) { return .end(position) }
    var number = 0
    while true {
      guard let key = key(after: number) else { return failed }
      number = key
      skipSpace()
      guard take(UInt8(ascii: ":")) else { return failed }
      skipSpace()
      let first = position
      guard let kind = value() else { return failed }
      if let place = keys.places[number] {
        set(kind == 0 ? JSONCell() : JSONCell(first..<position), row, place, kind)
      }
      skipSpace()
      if take(UInt8(ascii: ",")) {
        skipSpace()
        number += 1
        continue
      }
      return take(UInt8(ascii: "}")) ? .end(position) : failed
    }
  }

  /// Whether a byte may stand between tokens.
  @inline(__always)
  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 32 || byte == 10 || byte == 13 || byte == 9
  }

  /// The first place from `start` on where something else than white space stands.
  package static func skipSpace(_ text: TextBytes, from start: Int) -> Int {
    var place = start
    while place < text.count && isSpace(text[place]) { place &+= 1 }
    return place
  }

  /// What becomes of a record that could not be taken, whose values count for nothing.
  private var failed: Outcome {
    mutating get {
      for (place, bit) in newKinds { kinds[place] &= ~bit }
      return isCutOff || position >= text.count ? .cutOff : .bad
    }
  }

  private mutating func set(_ cell: JSONCell, _ row: Int, _ place: Int, _ kind: UInt8) {
    // Of members with one key the last one counts.
    cells[row &* width &+ place] = cell
    if kind & ~kinds[place] != 0 {
      kinds[place] |= kind
      newKinds.append((place, kind))
    }
  }

  /// Gives the matrix room for more columns.
  private mutating func widen() {
    let wider = width * 2
    let moved = Buffer<JSONCell>(zeroed: wider * Self.rowsMax)
    for row in 0..<Self.rowsMax {
      for place in 0..<width { moved[row * wider + place] = cells[row * width + place] }
    }
    cells = moved
    width = wider
  }

  // MARK: Tokens

  private mutating func take(_ byte: UInt8) -> Bool {
    guard position < text.count, text[position] == byte else { return false }
    position &+= 1
    return true
  }

  @inline(__always)
  private mutating func skipSpace() {
    while position < text.count && Self.isSpace(text[position]) { position &+= 1 }
  }

  /// The number of the key that stands here, mostly `expected`.
  private mutating func key(after expected: Int) -> Int? {
    // Keys that are left out are passed over.
    let known = keys.spellings.count
    var number = expected
    let last = min(known, expected + 8)
    while number < last {
      if stands(keys.spellings[number]) { return number }
      number += 1
    }
    let start = position
    guard position < text.count, text[position] == UInt8(ascii: "\""), string(),
      let found = keys.number(of: text.slice(start..<position).array)
    else { return nil }
    if keys.columns.count > kinds.count { kinds.append(0) }
    if keys.columns.count > width { widen() }
    return found
  }

  /// Passes over a spelling if it stands here.
  private mutating func stands(_ spelling: [UInt8]) -> Bool {
    let count = spelling.count
    guard position &+ count <= text.count else { return false }
    for index in 0..<count where text[position &+ index] != spelling[index] { return false }
    position &+= count
    return true
  }

  /// Passes over a value and gives the bit of its kind, 0 for NULL; nil for what is none.
  private mutating func value() -> UInt8? {
    guard position < text.count else { return nil }
    switch text[position] {
    case UInt8(ascii: "\""): return string() ? Self.stringBit : nil
    case UInt8(ascii: "t"): return word("true") ? Self.booleanBit : nil
    case UInt8(ascii: "f"): return word("false") ? Self.booleanBit : nil
    case UInt8(ascii: "n"): return word("null") ? 0 : nil
    case UInt8(ascii: "{"): return nested() ? Self.objectBit : nil
    case UInt8(ascii: "["): return nested() ? Self.arrayBit : nil
    default: return number() ? Self.numberBit : nil
    }
  }

  private mutating func word(_ word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard position &+ count <= text.count else {
      isCutOff = true
      return false
    }
    let isThere = word.withUTF8Buffer { letters in
      for index in 0..<count where unsafe text[position &+ index] != letters[index] {
        return false
      }
      return true
    }
    position &+= count
    return isThere
  }

  private mutating func nested() -> Bool {
    let end = JSONCursor.endOfValue(text, position)
    guard end < text.count else {
      isCutOff = true
      return false
    }
    guard JSONText.isValid(text.slice(position..<end), depth: 1) else { return false }
    position = end
    return true
  }

  private mutating func number() -> Bool {
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) && !digits() { return false }
    if take(UInt8(ascii: ".")) && !digits() { return false }
    if position < text.count && text[position] | 32 == UInt8(ascii: "e") {
      position &+= 1
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      if !digits() { return false }
    }
    return true
  }

  private mutating func digits() -> Bool {
    let start = position
    while position < text.count && isDigit(text[position]) { position &+= 1 }
    return position > start
  }

  /// Passes over a string; eight bytes at a time over those that stand for themselves.
  private mutating func string() -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var place = position &+ 1
    while place < text.count {
      if place &+ 8 <= text.count {
        let word = text.word(at: place)
        let quotes = word ^ (ones &* 0x22)
        let escapes = word ^ (ones &* 0x5C)
        // The lowest bit that is set stands in a byte that is meant; those above it may be set by borrowing.
        let hits =
          ((quotes &- ones) & ~quotes | (escapes &- ones) & ~escapes
            | (word &- ones &* 0x20) & ~word) & (ones &<< 7)
        if hits == 0 {
          place &+= 8
          continue
        }
        place &+= hits.trailingZeroBitCount &>> 3
      }
      let byte = text[place]
      place &+= 1
      if byte == UInt8(ascii: "\"") {
        position = place
        return true
      }
      if byte < 0x20 { return false }
      if byte == UInt8(ascii: "\\") {
        guard let end = endOfEscape(place) else { return false }
        place = end
      }
    }
    isCutOff = true
    return false
  }

  /// Just behind the escape whose letter stands at `place`.
  private mutating func endOfEscape(_ place: Int) -> Int? {
    guard place < text.count else {
      isCutOff = true
      return nil
    }
    switch text[place] {
    case 34, 92, 47, UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"),
      UInt8(ascii: "t"):
      return place &+ 1
    case UInt8(ascii: "u"):
      guard place &+ 5 <= text.count else {
        isCutOff = true
        return nil
      }
      for offset in 1...4 where hexDigit(text[place &+ offset]) == nil { return nil }
      return place &+ 5
    default: return nil
    }
  }
}
