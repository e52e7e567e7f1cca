package import Diagnostics

/// Whole numbers of many rows in one form: integers, dates, times and small exact numbers; or floating ones by numbers in their order.
package struct WholeNumbers: Sendable {
  package let values: Buffer<Int64>
  fileprivate let count: Int
  let validity: ValidityMask
  /// How many digits stand behind the point.
  let decimals: Int16

  /// The values of a vector; nil for those of other types, and for exact numbers that are not small.
  ///
  /// - Complexity: O(*n*), nothing for flat vectors of 64 bits.
  /// - Throws: 57014, 53200.
  package init?(_ vector: Vector) throws(SQLError) {
    switch vector.type.physical {
    case .int16, .int32, .int64: break
    case .bool, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      if vector.digits == nil { return nil }
    }
    let flat = vector.compactFlattened()
    count = flat.count
    validity = flat.validity
    decimals = flat.decimals ?? 0
    let whole = flat.digits == nil ? flat : flat.scaledNumbers
    switch whole.type.physical {
    case .int16: values = try Self.widen(whole.values(Int16.self), whole.count)
    case .int32: values = try Self.widen(whole.values(Int32.self), whole.count)
    case .bool, .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      values = whole.values(Int64.self)
    }
  }

  /// The values of a vector, floating ones too, which whole numbers stand for in the same order.
  ///
  /// - Complexity: as that of `init(_:)`.
  /// - Throws: 57014, 53200.
  package init?(comparing vector: Vector) throws(SQLError) {
    guard vector.type.physical == .double || vector.type.physical == .float else {
      try self.init(vector)
      return
    }
    let flat = vector.compactFlattened()
    guard let numbers = NumberForm.numbers(of: flat, count: flat.count, before: nil)?.0 else {
      return nil
    }
    try (0..<flat.count).inSlices { slice in
      // Both zeros are equal.
      for row in slice where numbers[row] == NumberForm.minusZero { numbers[row] = 0 }
    }
    self.init(numbers, count: flat.count, validity: flat.validity, decimals: 0)
  }

  /// The same numbers with more digits behind the point; nil where they would be fewer, or one were too long.
  fileprivate func scaled(to digits: Int16) -> WholeNumbers? {
    guard digits > decimals, digits - decimals < 19 else { return nil }
    let power = Int64(truncatingIfNeeded: DecimalPowers.table[Int(digits - decimals)])
    let limit = UInt64(Int64.max / power)
    var isTooLong = false
    let result = Buffer<Int64>(uninitialized: max(count, 1))
    for row in 0..<count {
      isTooLong = isTooLong || values[row].magnitude > limit
      result[row] = values[row] &* power
    }
    return isTooLong
      ? nil : WholeNumbers(result, count: count, validity: validity, decimals: digits)
  }

  private init(
    _ values: Buffer<Int64>, count: Int, validity: ValidityMask, decimals: Int16
  ) {
    self.values = values
    self.count = count
    self.validity = validity
    self.decimals = decimals
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

/// Exact numbers of many rows that are not small.
package struct WideNumbers: Sendable {
  fileprivate let values: Buffer<Numeric>
  fileprivate let validity: ValidityMask
  /// How many digits stand behind the points.
  private let scales: ClosedRange<Int16>
  /// The powers of ten by which whole numbers can come to be multiplied.
  private let powers: Buffer<Int128>

  /// The values of a vector; nil for other types, and where one is no finite number.
  ///
  /// - Complexity: O(*n*).
  /// - Throws: 57014, 53200.
  fileprivate init?(_ vector: Vector) throws(SQLError) {
    guard vector.type == .numeric else { return nil }
    let flat = try vector.flattenedInSlices()
    values = flat.values(Numeric.self)
    validity = flat.validity
    var (least, greatest) = (Int16.max, Int16.min)
    var areFinite = true
    let (values, validity) = (values, validity)
    try (0..<flat.count).inSlices { slice in
      for row in slice where validity.isValid(row) {
        areFinite = areFinite && values[row].isFinite
        least = min(least, values[row].scale)
        greatest = max(greatest, values[row].scale)
      }
    }
    if !areFinite { return nil }
    scales = least > greatest ? 0...0 : least...greatest
    powers = DecimalPowers.table
  }

  /// Whether whole numbers can be compared with all of them: none becomes too long for 128 bits with as many digits behind the point.
  fileprivate func takes(_ numbers: WholeNumbers) -> Bool {
    guard numbers.decimals <= scales.lowerBound else { return false }
    let missing = Int(scales.upperBound - numbers.decimals)
    if missing < 19 { return true }
    guard missing < powers.count else { return false }
    let limit = UInt64(clamping: Int128.max / powers[missing])
    let values = numbers.values
    return !(0..<numbers.count).contains { values[$0].magnitude > limit }
  }

  /// Whether the number of a row is less than that of another.
  fileprivate func isLess(_ row: Int, _ other: Int) -> Bool { values[row] < values[other] }

  /// How a whole number with so many digits behind the point stands to the number of a row: negative, zero, or positive.
  ///
  /// - Precondition: the digits are taken.
  @inline(__always)
  func order(_ number: Int64, _ decimals: Int16, _ row: UInt32) -> Int {
    let other = values[row]
    let scaled = Int128(number) &* powers[Int(other.scale &- decimals)]
    let coefficient = other.coefficient
    return bit(scaled > coefficient) &- bit(scaled < coefficient)
  }
}

/// The numbers of the rows that others are compared with.
package enum PairNumbers: Sendable {
  case whole(WholeNumbers)
  case exact(WideNumbers)

  /// nil for values that are no numbers, or not finite ones.
  ///
  /// - Throws: 57014, 53200.
  package init?(_ vector: Vector) throws(SQLError) {
    if let numbers = try WholeNumbers(comparing: vector) {
      self = .whole(numbers)
    } else if let numbers = try WideNumbers(vector) {
      self = .exact(numbers)
    } else {
      return nil
    }
  }

  package var validity: ValidityMask {
    switch self {
    case .whole(let numbers): numbers.validity
    case .exact(let numbers): numbers.validity
    }
  }

  /// Whether the rows of each of some stretches have a number, none a lesser one than the row before it.
  ///
  /// The rows of a stretch are `order[starts[stretch]..<starts[stretch + 1]]`, or these numbers themselves.
  ///
  /// - Complexity: O(rows).
  /// - Throws: 57014, 53200.
  package func rise(
    starts: Buffer<UInt32>, count: Int, order: Buffer<UInt32>?
  ) throws(SQLError) -> Bool {
    var rises = true
    func check(_ isLess: (Int, Int) -> Bool) throws(SQLError) {
      try (0..<count).inSlices { slice in
        for stretch in slice where rises {
          var before = -1
          for place in starts[stretch]..<starts[stretch &+ 1] {
            let row = Int(truncatingIfNeeded: order?[place] ?? place)
            rises = rises && validity.isValid(row) && !(before >= 0 && isLess(row, before))
            before = row
          }
        }
      }
    }
    switch self {
    case .whole(let numbers):
      let values = numbers.values
      try check { values[$0] < values[$1] }
    case .exact(let numbers): try check { numbers.isLess($0, $1) }
    }
    return rises
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
  let left: WholeNumbers
  let right: PairNumbers

  /// nil for numbers that do not stand in the same unit and cannot be brought into one, unless the right ones are exact.
  ///
  /// - Complexity: O(left rows), and O(right rows) for a few right ones with fewer digits behind the point.
  package init?(_ comparison: Comparison, _ left: WholeNumbers, _ right: PairNumbers) {
    var (left, right) = (left, right)
    switch right {
    case .whole(let numbers):
      if numbers.decimals < left.decimals {
        guard numbers.count <= Vector.chunkCapacity, let scaled = numbers.scaled(to: left.decimals)
        else { return nil }
        right = .whole(scaled)
      } else if numbers.decimals > left.decimals {
        guard let scaled = left.scaled(to: numbers.decimals) else { return nil }
        left = scaled
      }
    case .exact(let numbers): if !numbers.takes(left) { return nil }
    }
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
  /// The candidates of a row are `order[starts[row]..<ends[row]]`, or these numbers themselves, at most one where they `areSingle`; rows with
  /// a mark in `skipping` have none.
  package func find(
    from position: inout PairPosition, rowCount: Int, starts: Buffer<UInt32>,
    ends: Buffer<UInt32>, order: Buffer<UInt32>?, areSingle: Bool, skipping: Buffer<UInt8>?,
    into rows: Buffer<UInt32>, _ partners: Buffer<UInt32>, _ found: inout Int, capacity: Int
  ) {
    let search = Search(
      left: left, validity: right.validity, rowCount: rowCount, starts: starts, ends: ends,
      order: order, areSingle: areSingle, skipping: skipping, rows: rows, partners: partners,
      capacity: capacity)
    switch right {
    case .whole(let numbers): search.run(&position, &found, comparison, numbers)
    case .exact(let numbers): search.run(&position, &found, comparison, numbers)
    }
  }

  private struct Search {
    let left: WholeNumbers
    let validity: ValidityMask
    let rowCount: Int
    let starts: Buffer<UInt32>
    let ends: Buffer<UInt32>
    let order: Buffer<UInt32>?
    let areSingle: Bool
    let skipping: Buffer<UInt8>?
    let rows: Buffer<UInt32>
    let partners: Buffer<UInt32>
    let capacity: Int

    func run(
      _ position: inout PairPosition, _ found: inout Int, _ comparison: Comparison,
      _ right: WholeNumbers
    ) {
      let others = right.values
      switch comparison {
      case .equal: run(&position, &found) { $0 == others[$1] }
      case .notEqual: run(&position, &found) { $0 != others[$1] }
      case .less: run(&position, &found) { $0 < others[$1] }
      case .lessOrEqual: run(&position, &found) { $0 <= others[$1] }
      case .greater: run(&position, &found) { $0 > others[$1] }
      case .greaterOrEqual: run(&position, &found) { $0 >= others[$1] }
      }
    }

    func run(
      _ position: inout PairPosition, _ found: inout Int, _ comparison: Comparison,
      _ right: WideNumbers
    ) {
      let decimals = left.decimals
      switch comparison {
      case .equal: run(&position, &found) { right.order($0, decimals, $1) == 0 }
      case .notEqual: run(&position, &found) { right.order($0, decimals, $1) != 0 }
      case .less: run(&position, &found) { right.order($0, decimals, $1) < 0 }
      case .lessOrEqual: run(&position, &found) { right.order($0, decimals, $1) <= 0 }
      case .greater: run(&position, &found) { right.order($0, decimals, $1) > 0 }
      case .greaterOrEqual: run(&position, &found) { right.order($0, decimals, $1) >= 0 }
      }
    }

    @inline(__always)
    private func run(
      _ position: inout PairPosition, _ found: inout Int, _ holds: (Int64, UInt32) -> Bool
    ) {
      if areSingle { return runSingle(&position, &found, holds) }
      let own = left.values
      let allValid = validity.isAllValid
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
        // One number is written for a candidate, and beside those that remain the row's.
        let partners = partners
        var count = found
        if order == nil && allValid {
          for partner in stretch {
            partners[count] = partner
            count &+= bit(holds(value, partner))
          }
        } else {
          for place in stretch {
            let partner = order.map { $0[place] } ?? place
            partners[count] = partner
            let isPresent = allValid || validity.isValid(Int(truncatingIfNeeded: partner))
            count &+= bit(isPresent && holds(value, partner))
          }
        }
        for pair in found..<count { rows[pair] = number }
        found = count
        visits &+= length &+ 1
        position.taken &+= UInt32(truncatingIfNeeded: length)
        if start &+ UInt32(truncatingIfNeeded: length) == end { position.next() }
      }
    }

    /// The same for rows that have at most one candidate, of which none is left in the middle.
    @inline(__always)
    private func runSingle(
      _ position: inout PairPosition, _ found: inout Int, _ holds: (Int64, UInt32) -> Bool
    ) {
      let own = left.values
      let end = min(rowCount, position.row &+ (capacity &- found))
      let places = position.row..<max(position.row, end)
      var count = found
      if order == nil && skipping == nil && validity.isAllValid && left.validity.isAllValid {
        for row in places where starts[row] != ends[row] {
          let partner = starts[row]
          rows[count] = UInt32(truncatingIfNeeded: row)
          partners[count] = partner
          count &+= bit(holds(own[row], partner))
        }
      } else {
        for row in places where starts[row] != ends[row] {
          let partner = order.map { $0[starts[row]] } ?? starts[row]
          rows[count] = UInt32(truncatingIfNeeded: row)
          partners[count] = partner
          let isPresent =
            left.validity.isValid(row) && validity.isValid(Int(truncatingIfNeeded: partner))
            && (skipping.map { $0[row] == 0 } ?? true)
          count &+= bit(isPresent && holds(own[row], partner))
        }
      }
      found = count
      position = PairPosition(row: max(position.row, end))
    }
  }

  /// Keeps those of the pairs from `start` on for which the comparison holds too, and says where they end.
  package func keep(
    _ rows: Buffer<UInt32>, _ partners: Buffer<UInt32>, from start: Int, to end: Int
  ) -> Int {
    switch right {
    case .whole(let numbers):
      let others = numbers.values
      return switch comparison {
      case .equal: kept(rows, partners, start, end) { $0 == others[$1] }
      case .notEqual: kept(rows, partners, start, end) { $0 != others[$1] }
      case .less: kept(rows, partners, start, end) { $0 < others[$1] }
      case .lessOrEqual: kept(rows, partners, start, end) { $0 <= others[$1] }
      case .greater: kept(rows, partners, start, end) { $0 > others[$1] }
      case .greaterOrEqual: kept(rows, partners, start, end) { $0 >= others[$1] }
      }
    case .exact(let numbers):
      let (comparison, decimals) = (comparison, left.decimals)
      return kept(rows, partners, start, end) {
        comparison.holds(numbers.order($0, decimals, $1))
      }
    }
  }

  @inline(__always)
  private func kept(
    _ rows: Buffer<UInt32>, _ partners: Buffer<UInt32>, _ start: Int, _ end: Int,
    _ holds: (Int64, UInt32) -> Bool
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
      count &+= bit(isPresent && holds(left.values[row], partner))
    }
    return count
  }
}
