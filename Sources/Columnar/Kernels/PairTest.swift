package import Diagnostics

/// Whole numbers of many rows in one form: integers, dates, times and small exact numbers.
package struct WholeNumbers: Sendable {
  package let values: Buffer<Int64>
  let validity: ValidityMask
  /// How many digits stand behind the point.
  fileprivate let decimals: Int16

  /// The values of a vector; nil for those of other types, and for exact numbers that are not small.
  ///
  /// - Complexity: O(*n*), nothing for flat vectors of 64 bits.
  /// - Throws: 57014, 53200.
  package init?(_ vector: Vector) throws(SQLError) {
    let isSmallNumeric = vector.decimals != nil
    switch vector.type.physical {
    case .int16, .int32, .int64: break
    case .bool, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      if !isSmallNumeric { return nil }
    }
    let flat = vector.compactFlattened()
    validity = flat.validity
    decimals = flat.decimals ?? 0
    if isSmallNumeric {
      values = flat.scaledValues
      return
    }
    switch flat.type.physical {
    case .int16: values = try Self.widen(flat.values(Int16.self), flat.count)
    case .int32: values = try Self.widen(flat.values(Int32.self), flat.count)
    case .bool, .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      values = flat.values(Int64.self)
    }
  }

  private static func widen<Element: FixedWidthInteger & BitwiseCopyable>(
    _ narrow: Buffer<Element>, _ count: Int
  ) throws(SQLError) -> Buffer<Int64> {
    // A whole build side may be brought into this form.
    let wide = try Buffer<Int64>(uninitializedInSlices: max(count, 1))
    try (0..<count).inSlices { slice in
      for row in slice { wide[row] = Int64(truncatingIfNeeded: narrow[row]) }
    }
    return wide
  }
}

/// Where the next pair of a left row and one of its candidates is looked for.
package struct PairPosition: Sendable {
  /// The left row whose candidates come next, and how many of them have been.
  package var row: Int
  package var taken: UInt32

  package init(row: Int = 0, taken: UInt32 = 0) {
    self.row = row
    self.taken = taken
  }

  @inline(__always)
  package mutating func next() {
    row &+= 1
    taken = 0
  }
}

/// A comparison of numbers of left rows with numbers of right rows, made where pairs are enumerated: a pair that it does
/// not hold for is never put together.
package struct PairTest: Sendable {
  package let comparison: Comparison
  private let left: WholeNumbers
  private let right: WholeNumbers

  /// nil for numbers that do not stand in the same unit.
  package init?(_ comparison: Comparison, _ left: WholeNumbers, _ right: WholeNumbers) {
    guard left.decimals == right.decimals else { return nil }
    self.comparison = comparison
    self.left = left
    self.right = right
  }

  /// Pairs before which it is looked whether the statement has to end.
  private static let visitLimit = 1 << 18
  /// Fewer places left count as none, so that candidates are gone through in stretches.
  private static let stretchMin = 64

  /// Writes the pairs of rows and their candidates for which the comparison holds behind the `found` first, until there is
  /// no room, no row, or it is time to look whether the statement has to end.
  ///
  /// The candidates of a row are `order[starts[row]..<ends[row]]`, or these numbers themselves; rows with a mark in
  /// `skipping` have none.
  package func find(
    from position: inout PairPosition, rowCount: Int, starts: Buffer<UInt32>,
    ends: Buffer<UInt32>, order: Buffer<UInt32>?, skipping: Buffer<UInt8>?,
    into rows: Buffer<UInt32>, _ partners: Buffer<UInt32>, _ found: inout Int, capacity: Int
  ) {
    let search = Search(
      left: left, right: right, rowCount: rowCount, starts: starts, ends: ends, order: order,
      skipping: skipping, rows: rows, partners: partners, capacity: capacity)
    switch comparison {
    case .equal: search.run(&position, &found) { $0 == $1 }
    case .notEqual: search.run(&position, &found) { $0 != $1 }
    case .less: search.run(&position, &found) { $0 < $1 }
    case .lessOrEqual: search.run(&position, &found) { $0 <= $1 }
    case .greater: search.run(&position, &found) { $0 > $1 }
    case .greaterOrEqual: search.run(&position, &found) { $0 >= $1 }
    }
  }

  private struct Search {
    let left: WholeNumbers
    let right: WholeNumbers
    let rowCount: Int
    let starts: Buffer<UInt32>
    let ends: Buffer<UInt32>
    let order: Buffer<UInt32>?
    let skipping: Buffer<UInt8>?
    let rows: Buffer<UInt32>
    let partners: Buffer<UInt32>
    let capacity: Int

    @inline(__always)
    func run(
      _ position: inout PairPosition, _ found: inout Int, _ holds: (Int64, Int64) -> Bool
    ) {
      let (own, others) = (left.values, right.values)
      let allValid = right.validity.isAllValid
      let full = capacity &- min(PairTest.stretchMin, capacity)
      var visits = 0
      while position.row < rowCount && found <= full && visits < PairTest.visitLimit {
        let row = position.row
        let start = starts[row] &+ position.taken
        let end = ends[row]
        if start == end || !left.validity.isValid(row) || (skipping.map { $0[row] != 0 } ?? false) {
          position.next()
          continue
        }
        let length = min(Int(end &- start), capacity &- found)
        let (number, value) = (UInt32(truncatingIfNeeded: row), own[row])
        let stretch = start..<(start &+ UInt32(truncatingIfNeeded: length))
        var count = found
        if order == nil && allValid {
          for partner in stretch {
            rows[count] = number
            partners[count] = partner
            count &+= bit(holds(value, others[partner]))
          }
        } else {
          for place in stretch {
            let partner = order.map { $0[place] } ?? place
            rows[count] = number
            partners[count] = partner
            let isPresent = allValid || right.validity.isValid(Int(truncatingIfNeeded: partner))
            count &+= bit(isPresent && holds(value, others[partner]))
          }
        }
        found = count
        visits &+= length &+ 1
        position.taken &+= UInt32(truncatingIfNeeded: length)
        if start &+ UInt32(truncatingIfNeeded: length) == end { position.next() }
      }
    }
  }

  /// Keeps those of the pairs from `start` on for which the comparison holds too, and says where they end.
  package func keep(
    _ rows: Buffer<UInt32>, _ partners: Buffer<UInt32>, from start: Int, to end: Int
  ) -> Int {
    switch comparison {
    case .equal: kept(rows, partners, start, end) { $0 == $1 }
    case .notEqual: kept(rows, partners, start, end) { $0 != $1 }
    case .less: kept(rows, partners, start, end) { $0 < $1 }
    case .lessOrEqual: kept(rows, partners, start, end) { $0 <= $1 }
    case .greater: kept(rows, partners, start, end) { $0 > $1 }
    case .greaterOrEqual: kept(rows, partners, start, end) { $0 >= $1 }
    }
  }

  @inline(__always)
  private func kept(
    _ rows: Buffer<UInt32>, _ partners: Buffer<UInt32>, _ start: Int, _ end: Int,
    _ holds: (Int64, Int64) -> Bool
  ) -> Int {
    let allValid = left.validity.isAllValid && right.validity.isAllValid
    var count = start
    for pair in start..<end {
      let (row, partner) = (rows[pair], partners[pair])
      rows[count] = row
      partners[count] = partner
      let isPresent =
        allValid
        || (left.validity.isValid(Int(truncatingIfNeeded: row))
          && right.validity.isValid(Int(truncatingIfNeeded: partner)))
      count &+= bit(isPresent && holds(left.values[row], right.values[partner]))
    }
    return count
  }
}
