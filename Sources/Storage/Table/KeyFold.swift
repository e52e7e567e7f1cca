package import Columnar

/// The number, the sum, the least and the greatest of the values that a column of whole numbers has in some rows.
///
/// Where the values rise by one from row to row (`SerialColumn`), they follow from the positions and are not read.
package struct KeyFold: BitwiseCopyable, Sendable {
  /// How many values there are that are not NULL.
  package private(set) var count = 0
  /// The sum, where `least` and `greatest` are of at most 32 bits.
  package private(set) var sum: Int64 = 0
  package private(set) var least = Int64.max
  package private(set) var greatest = Int64.min

  package init() {}

  /// What is known of `count` values of a serial column from their positions.
  package init(
    count: Int, positionSum: Int64, keys: SerialColumn, least: UInt32, greatest: UInt32
  ) {
    self.count = count
    sum = positionSum &+ keys.first &* Int64(count)
    self.least = keys.value(at: least)
    self.greatest = keys.value(at: greatest)
  }

  /// Takes the values of a serial column at some positions.
  ///
  /// - Complexity: O(*n*), without a load other than of the positions.
  package mutating func add(_ positions: Buffer<UInt32>, count: Int, keys: SerialColumn) {
    if count == 0 { return }
    var total: UInt64 = 0
    var (lower, upper) = (UInt32.max, UInt32.min)
    for index in 0..<count {
      let position = positions[index]
      total &+= UInt64(truncatingIfNeeded: position)
      lower = min(lower, position)
      upper = max(upper, position)
    }
    add(count, total, lower, upper, keys)
  }

  /// Takes the values of a serial column in the rows whose bits are set.
  ///
  /// - Complexity: O(words); places of bits are added up by counting those of each weight.
  package mutating func add(bits: Buffer<UInt64>, words: Range<Int>, keys: SerialColumn) {
    var (found, total) = (0, UInt64(0))
    var first: Int?
    var last = 0
    for index in words where bits[index] != 0 {
      let word = bits[index]
      let ones = word.nonzeroBitCount
      found &+= ones
      total &+= UInt64(truncatingIfNeeded: index &<< 6 &* ones &+ Self.placeSum(word))
      if first == nil { first = index }
      last = index
    }
    guard let first else { return }
    let lower = first << 6 + bits[first].trailingZeroBitCount
    let upper = last << 6 + 63 - bits[last].leadingZeroBitCount
    add(
      found, total, UInt32(truncatingIfNeeded: lower), UInt32(truncatingIfNeeded: upper), keys)
  }

  /// The sum of the places of the bits set in a word.
  @inline(__always)
  private static func placeSum(_ word: UInt64) -> Int {
    (word & 0xAAAA_AAAA_AAAA_AAAA).nonzeroBitCount
      &+ (word & 0xCCCC_CCCC_CCCC_CCCC).nonzeroBitCount &<< 1
      &+ (word & 0xF0F0_F0F0_F0F0_F0F0).nonzeroBitCount &<< 2
      &+ (word & 0xFF00_FF00_FF00_FF00).nonzeroBitCount &<< 3
      &+ (word & 0xFFFF_0000_FFFF_0000).nonzeroBitCount &<< 4
      &+ (word & 0xFFFF_FFFF_0000_0000).nonzeroBitCount &<< 5
  }

  /// Takes the values of a serial column at `count` positions of which these are the sum, the least and the greatest.
  private mutating func add(
    _ number: Int, _ total: UInt64, _ lower: UInt32, _ upper: UInt32, _ keys: SerialColumn
  ) {
    count += number
    sum &+= Int64(truncatingIfNeeded: total) &+ keys.first &* Int64(number)
    least = min(least, keys.value(at: lower))
    greatest = max(greatest, keys.value(at: upper))
  }

  /// Takes values of whole numbers, passing over NULLs.
  package mutating func add(_ values: Vector) {
    let flat = values.flattened()
    switch flat.type.physical {
    case .int16: add(flat.values(Int16.self), flat)
    case .int32: add(flat.values(Int32.self), flat)
    case .bool, .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      add(flat.values(Int64.self), flat)
    }
  }

  private mutating func add<Number: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Number>, _ vector: Vector
  ) {
    var (found, total) = (0, Int64(0))
    var (lower, upper) = (Int64.max, Int64.min)
    let validity = vector.validity
    for row in 0..<vector.count where validity.isValid(row) {
      let value = Int64(truncatingIfNeeded: values[row])
      found &+= 1
      total &+= value
      lower = min(lower, value)
      upper = max(upper, value)
    }
    count += found
    sum &+= total
    least = min(least, lower)
    greatest = max(greatest, upper)
  }

  /// Takes each value into the fold of its owner, passing over NULLs.
  package static func add(_ values: Vector, owners: Buffer<UInt32>, to folds: Buffer<KeyFold>) {
    let flat = values.flattened()
    switch flat.type.physical {
    case .int16: add(flat.values(Int16.self), flat, owners, folds)
    case .int32: add(flat.values(Int32.self), flat, owners, folds)
    case .bool, .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      add(flat.values(Int64.self), flat, owners, folds)
    }
  }

  private static func add<Number: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Number>, _ vector: Vector, _ owners: Buffer<UInt32>,
    _ folds: Buffer<KeyFold>
  ) {
    let validity = vector.validity
    for row in 0..<vector.count where validity.isValid(row) {
      let owner = Int(owners[row])
      var fold = folds[owner]
      fold.add(Int64(truncatingIfNeeded: values[row]), times: 1)
      folds[owner] = fold
    }
  }

  /// Takes the same value `number` times.
  package mutating func add(_ value: Int64, times number: Int) {
    if number == 0 { return }
    count += number
    sum &+= value &* Int64(number)
    least = min(least, value)
    greatest = max(greatest, value)
  }

  /// Takes what another fold has taken.
  package mutating func add(_ other: KeyFold) {
    count += other.count
    sum &+= other.sum
    least = min(least, other.least)
    greatest = max(greatest, other.greatest)
  }
}
