import Columnar
import Diagnostics
import Storage

/// Some rows of one version of a table, by position: a rising list while they are few, otherwise a bit for each
/// position of the table.
///
/// A set knows its table, and is read, united and walked from as one of that table's only.
struct ReachedSet: Sendable {
  private enum Form: Sendable {
    case list(Buffer<UInt32>)
    case bits(Buffer<UInt64>)
  }
  /// The table whose rows they are; nil only for no rows of no table.
  let table: TableStore?
  private let form: Form
  /// The number of rows.
  let count: Int
  /// Positions are below this.
  let limit: Int

  /// No rows of no table, to be united with others.
  static let none = ReachedSet(
    form: .list(Buffer(uninitialized: 1)), count: 0, limit: 0, in: nil)

  /// A set of `count` rising positions.
  init(rising positions: Buffer<UInt32>, count: Int, in table: TableStore) {
    self.init(form: .list(positions), count: count, limit: table.rowCount, in: table)
  }

  /// No rows of a table.
  init(noneIn table: TableStore) {
    self.init(rising: Buffer(uninitialized: 1), count: 0, in: table)
  }

  /// All rows of a table.
  ///
  /// - Complexity: O(positions of the table / 64) where none is deleted.
  init(allOf table: TableStore) {
    let bits = Buffer<UInt64>(zeroed: max(1, Self.wordCount(table.rowCount)))
    for page in 0..<table.pageCount {
      let first = page * TableStore.pageCapacity
      guard let live = table.liveRows(ofPage: page) else {
        let count = table.rowCount(ofPage: page)
        for word in 0..<(count / 64) { bits[first / 64 + word] = .max }
        if count % 64 > 0 { bits[(first + count) / 64] = 1 << UInt64(count % 64) - 1 }
        continue
      }
      for row in 0..<live.count {
        bits.insert(UInt32(truncatingIfNeeded: first) + live.positions[row])
      }
    }
    self.init(bits, in: table)
  }

  /// The set of some positions in any order, perhaps some more than once.
  ///
  /// - Complexity: O(*n* log *n*) unless they rise already.
  init(_ positions: Buffer<UInt32>, count: Int, in table: TableStore) {
    var rises = true
    var index = 1
    while index < count && rises {
      rises = positions[index &- 1] < positions[index]
      index += 1
    }
    if rises {
      self.init(rising: positions, count: count, in: table)
      return
    }
    var sorted = positions.array(count)
    sorted.sort()
    let found = Buffer<UInt32>(uninitialized: count)
    var next = 0
    for position in sorted where next == 0 || found[next - 1] != position {
      found[next] = position
      next += 1
    }
    self.init(rising: found, count: next, in: table)
  }

  /// The rows whose bits are set.
  ///
  /// - Precondition: `bits` has a bit for each position of the table, rounded up to a word.
  init(_ bits: Buffer<UInt64>, in table: TableStore) {
    let limit = table.rowCount
    var count = 0
    for word in 0..<Self.wordCount(limit) { count &+= bits[word].nonzeroBitCount }
    var form = Form.bits(bits)
    if count <= Self.listLimit(limit) {
      let found = Buffer<UInt32>(uninitialized: max(count, 1))
      _ = bits.positions(0..<Self.wordCount(limit), into: found)
      form = .list(found)
    }
    self.init(form: form, count: count, limit: limit, in: table)
  }

  /// The words of a bitmap over so many positions.
  static func wordCount(_ limit: Int) -> Int { (limit + 63) / 64 }

  /// Up to so many rows of a table a list is quicker than a bitmap.
  static func listLimit(_ limit: Int) -> Int { limit / 1024 }

  /// Which part of the table's rows they are.
  var share: Double { Double(count) / Double(max(1, table?.liveRowCount ?? 1)) }

  /// The rows in rising order, if they are kept so.
  var list: Buffer<UInt32>? {
    if case .list(let positions) = form { return positions }
    return nil
  }

  /// A bit for each position, made if there is none.
  var bits: Buffer<UInt64> {
    switch form {
    case .bits(let bits): return bits
    case .list(let positions):
      let bits = Buffer<UInt64>(zeroed: max(1, Self.wordCount(limit)))
      for index in 0..<count { bits.insert(positions[index]) }
      return bits
    }
  }

  /// Takes one row out.
  ///
  /// - Precondition: no other set shares the memory, as none does of a set just made.
  mutating func remove(_ position: UInt32) {
    switch form {
    case .bits(let bits):
      guard Int(position) < limit, bits.contains(position) else { return }
      bits[Int(position >> 6)] &= ~(1 &<< UInt64(position & 63))
      self = ReachedSet(form: form, count: count - 1, limit: limit, in: table)
    case .list(let positions):
      let place = positions.lowerBound(of: position, in: 0..<count)
      guard place < count, positions[place] == position else { return }
      let rest = Buffer<UInt32>(uninitialized: count)
      rest.copy(positions, count: place, to: 0)
      rest.copy(positions, from: place + 1, count: count - place - 1, to: place)
      self = ReachedSet(form: .list(rest), count: count - 1, limit: limit, in: table)
    }
  }

  /// The same rows in memory that no other set shares.
  var copy: ReachedSet {
    // A list is never written to.
    guard case .bits(let bits) = form else { return self }
    let words = max(1, Self.wordCount(limit))
    let own = Buffer<UInt64>(uninitialized: words)
    own.copy(bits, count: words, to: 0)
    return ReachedSet(form: .bits(own), count: count, limit: limit, in: table)
  }

  private init(form: Form, count: Int, limit: Int, in table: TableStore?) {
    self.form = form
    self.count = count
    self.limit = limit
    self.table = table
  }

  /// The table of the rows, which is to be `expected`.
  ///
  /// - Throws: XX000 if it is another, as positions of its rows say nothing about rows of `expected`.
  func isOf(_ expected: TableStore) throws(SQLError) {
    if let table, table !== expected {
      throw SQLError.internal("positions of one table are read as those of another")
    }
  }

  /// All rows of both sets.
  ///
  /// - Throws: XX000 if the sets are not of one table.
  func union(_ other: ReachedSet) throws(SQLError) -> ReachedSet {
    guard let table = table ?? other.table else { return self }
    try other.isOf(table)
    if count == 0 { return other.count == 0 ? self : other }
    if other.count == 0 { return self }
    let words = Self.wordCount(limit)
    let united = Buffer<UInt64>(uninitialized: words)
    let (left, right) = (bits, other.bits)
    for word in 0..<words { united[word] = left[word] | right[word] }
    return ReachedSet(united, in: table)
  }

  /// The rows that are not in the other set.
  ///
  /// - Throws: XX000 if the sets are not of one table.
  func subtracting(_ other: ReachedSet) throws(SQLError) -> ReachedSet {
    guard let table, count > 0 else { return self }
    try other.isOf(table)
    if other.count == 0 { return self }
    if case .list(let positions) = form, case .list(let taken) = other.form {
      let rest = Buffer<UInt32>(uninitialized: count + 1)
      var next = 0
      var place = 0
      for index in 0..<count {
        while place < other.count && taken[place] < positions[index] { place &+= 1 }
        rest[next] = positions[index]
        next &+= bit(place == other.count || taken[place] != positions[index])
      }
      return ReachedSet(rising: rest, count: next, in: table)
    }
    let words = Self.wordCount(limit)
    let rest = Buffer<UInt64>(uninitialized: max(1, words))
    let (left, right) = (bits, other.bits)
    for word in 0..<words { rest[word] = left[word] & ~right[word] }
    return ReachedSet(rest, in: table)
  }

  /// What is asked of a serial column in the rows.
  ///
  /// - Complexity: O(rows), or O(positions of the table / 64).
  func fold(_ keys: SerialColumn) -> KeyFold {
    var fold = KeyFold()
    switch form {
    case .list(let positions): fold.add(positions, count: count, keys: keys)
    case .bits(let bits): fold.add(bits: bits, words: 0..<Self.wordCount(limit), keys: keys)
    }
    return fold
  }

  // MARK: Pieces

  /// The rows of a piece are at most so many.
  static let pieceCapacity = 64 * pieceWords
  private static let pieceWords = 64

  /// How many pieces the rows are cut into, each of positions near each other.
  var pieceCount: Int {
    switch form {
    case .list: (count + Self.pieceCapacity - 1) / Self.pieceCapacity
    case .bits: (Self.wordCount(limit) + Self.pieceWords - 1) / Self.pieceWords
    }
  }

  /// The rows of a piece, in memory of the set or in `scratch`, which has room for `pieceCapacity`.
  func piece(_ index: Int, _ scratch: Buffer<UInt32>) -> (positions: Buffer<UInt32>, count: Int) {
    switch form {
    case .list(let positions):
      let start = index * Self.pieceCapacity
      let end = min(count, start + Self.pieceCapacity)
      return (positions.slice(start..<end), end - start)
    case .bits(let bits):
      let start = index * Self.pieceWords
      let end = min(Self.wordCount(limit), start + Self.pieceWords)
      return (scratch, bits.positions(start..<end, into: scratch))
    }
  }

  /// Hands over the rows of a piece, as many at a time as a chunk takes, until `body` says that it wants no more.
  ///
  /// - Returns: false if it said so.
  /// - Throws: what `body` throws.
  func forEachPart(
    ofPiece index: Int, _ body: (Buffer<UInt32>, Int) throws(SQLError) -> Bool
  ) throws(SQLError) -> Bool {
    let (positions, count) = piece(index, Buffer(uninitialized: Self.pieceCapacity))
    for start in stride(from: 0, to: count, by: Vector.chunkCapacity) {
      let length = min(Vector.chunkCapacity, count - start)
      if try !body(positions.slice(start..<(start + length)), length) { return false }
    }
    return true
  }
}

extension Buffer<UInt64> {
  /// Writes the places of the bits that are set in some words, and says how many there are.
  fileprivate func positions(_ words: Range<Int>, into found: Buffer<UInt32>) -> Int {
    var count = 0
    for word in words {
      var bits = self[word]
      let first = UInt32(truncatingIfNeeded: word &<< 6)
      while bits != 0 {
        found[count] = first &+ UInt32(truncatingIfNeeded: bits.trailingZeroBitCount)
        bits &= bits &- 1
        count &+= 1
      }
    }
    return count
  }
}
