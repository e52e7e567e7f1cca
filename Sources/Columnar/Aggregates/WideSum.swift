/// The exact sum of the numbers of a column that are there.
struct WideSum {
  let total: Int128
  /// How many numbers there are.
  let count: Int64

  /// - Complexity: O(*n*).
  @inline(__always)
  init<Number: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Number>, _ validity: ValidityMask, _ count: Int
  ) {
    // Halves of 32 bits are summed apart: 2^31 of them fit in 64 bits, and both loops run several rows at a time.
    var upper: Int64 = 0
    var lower: Int64 = 0
    guard validity.isAllValid else {
      var present: Int64 = 0
      forEachPresent(validity, groups: nil, count: count) { row, _ in
        let value = Int64(truncatingIfNeeded: values[row])
        upper &+= value &>> 32
        lower &+= value & 0xFFFF_FFFF
        present &+= 1
      }
      self.init(upper, lower, present)
      return
    }
    if Number.bitWidth <= 32 {
      for row in 0..<count { lower &+= Int64(truncatingIfNeeded: values[row]) }
    } else {
      for row in 0..<count {
        let value = Int64(truncatingIfNeeded: values[row])
        upper &+= value &>> 32
        lower &+= value & 0xFFFF_FFFF
      }
    }
    self.init(upper, lower, Int64(count))
  }

  private init(_ upper: Int64, _ lower: Int64, _ count: Int64) {
    total = Int128(upper) << 32 + Int128(lower)
    self.count = count
  }
}
