import Diagnostics

/// Puts rows in order whose sort keys are equal but do not show everything.
///
/// Where the first column that is left is a text, the next eight bytes of the tied rows become a key of their
/// own, and so on for those that are tied again: a radix sort from the front, eight bytes a round, over
/// the few rows that need it. Everything else is compared.
struct TieBreaker {
  private let columns: [Vector]
  private let orders: [SortOrder]
  private let settledBytes: Int
  private let rows: Buffer<UInt32>
  /// Whether the first column gives words that compare as its values do.
  private let hasWords: Bool
  private var entries: Buffer<SortEntry<UInt64>>
  private var scratch: Buffer<SortEntry<UInt64>>

  /// Texts that are still equal after so many rounds are compared as wholes, which bounds the depth.
  private static let roundLimit = 16

  /// - Parameters:
  ///   - columns: The columns from the first one on that the keys do not show wholly.
  ///   - orders: Their orders.
  ///   - settledBytes: How many bytes of the first one, a text, are equal among tied rows.
  ///   - rows: The rows, sorted by key; ties are settled in place.
  ///   - count: The number of rows.
  init(
    columns: [Vector], orders: [SortOrder], settledBytes: Int, rows: Buffer<UInt32>, count: Int
  ) {
    self.columns = columns
    self.orders = orders
    self.settledBytes = settledBytes
    self.rows = rows
    // A NUL would look like the end of a text: bytea may have one.
    let first = columns[0]
    hasWords =
      first.form == .flat && first.type.physical == .text && first.type != .jsonb
      && first.type != .bytea && settledBytes > 0
    entries = Buffer(uninitialized: hasWords ? count : 0)
    scratch = Buffer(uninitialized: hasWords ? count : 0)
  }

  /// Sorts a stretch of rows that are tied.
  mutating func settle(_ range: Range<Int>) throws(SQLError) {
    guard hasWords else {
      try Sorting.sortByComparison(rows, range, columns, orders)
      return
    }
    // The keys tell NULL from the rest, so that it is all or none.
    if columns[0].validity.isValid(Int(rows[range.lowerBound])) {
      try settleWords(range, from: settledBytes, round: 0)
    } else {
      try settleOthers(range)
    }
  }

  /// Sorts rows whose first texts are equal.
  private func settleOthers(_ range: Range<Int>) throws(SQLError) {
    if columns.count == 1 { return }
    try Sorting.sortByComparison(
      rows, range, Array(columns.dropFirst()), Array(orders.dropFirst()))
  }

  private mutating func settleWords(
    _ range: Range<Int>, from start: Int, round: Int
  ) throws(SQLError) {
    if round == Self.roundLimit {
      try Sorting.sortByComparison(rows, range, columns, orders)
      return
    }
    let values = columns[0].values(TextView.self)
    let trims = columns[0].type == .character
    let flip: UInt64 = orders[0].descending ? ~0 : 0
    let entries = entries
    let rows = rows
    try range.inSlices { slice in
      for place in slice {
        let row = rows[place]
        let whole = values.bytes(at: Int(row))
        let bytes = trims ? whole.withoutTrailingSpaces : whole
        entries[place] = SortEntry(key: bytes.orderWord(from: start) ^ flip, row: row)
      }
    }
    var source = entries
    var target = scratch
    try Sorting.sort(&source, &target, range)
    let sorted = source
    try range.inSlices { slice in
      for place in slice { rows[place] = sorted[place].row }
    }
    // Ties below are settled in the same two buffers: each in its own stretch, once it has been read.
    var first = range.lowerBound
    while first < range.upperBound {
      let key = source[first].key
      var end = first &+ 1
      while end < range.upperBound && source[end].key == key { end &+= 1 }
      if end > first &+ 1 {
        // A last byte of zero says that all these texts have ended.
        if (key ^ flip) & 0xFF == 0 {
          try settleOthers(first..<end)
        } else {
          try settleWords(first..<end, from: start &+ 8, round: round &+ 1)
        }
      }
      if (first ^ end) & ~(Range.sliceLength &- 1) != 0 { try RunningStatement.check() }
      first = end
    }
  }
}
