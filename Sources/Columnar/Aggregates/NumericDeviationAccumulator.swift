package import Diagnostics

/// Variance and standard deviation of whole and exact numbers, exact up to the last division.
package final class NumericDeviationAccumulator: SharedAccumulator {
  private struct State: BitwiseCopyable {
    var count: Int64
    var special: UInt8
    /// Whether the sums stand among the long ones, as 38 digits do not hold them.
    var isLong: Bool
    var sum: Numeric
    var squares: Numeric
  }
  /// The sums of a group, however many digits they have.
  private struct LongSums {
    var sum: BigDecimal
    var squares: BigDecimal

    init(_ state: State) {
      sum = BigDecimal(state.sum)
      squares = BigDecimal(state.squares)
    }
  }
  /// The sums of numbers of up to 32 bits, which no number of rows makes too large.
  private struct SmallState: BitwiseCopyable {
    var count: Int64
    var sum: Int64
    var squares: Int128
  }
  private var groupCount = 0
  /// States of the groups while all numbers have up to 32 bits, but for the point.
  private var small = GroupStates<SmallState>()
  /// The digits behind the point of all of these; nil as long as there is none.
  private var smallScale: Int16?
  /// Whether some number was wider, or had other digits behind the point, and all are in `states`.
  private var isWide = false
  /// States of the groups otherwise.
  private var states = GroupStates<State>()
  private var longSums: [Int: LongSums] = [:]
  private let deviation: Deviation

  package init(_ deviation: Deviation) { self.deviation = deviation }

  package var byteCount: Int { small.byteCount + states.byteCount + longSums.count * 256 }

  package func grow(to groupCount: Int) { self.groupCount = max(self.groupCount, groupCount) }

  package func update(
    groups: Buffer<UInt32>?, arguments: [Vector], count: Int
  ) throws(SQLError) {
    if arguments[0].decimals != nil {
      let argument = arguments[0].compactFlattened()
      if let digits = argument.digits, canBeSmall(digits.scale) {
        let (numbers, validity) = (argument.scaledNumbers, argument.validity)
        switch digits.width {
        case .two:
          return addSmall(numbers.values(Int16.self), validity, digits.scale, groups, count)
        case .four:
          return addSmall(numbers.values(Int32.self), validity, digits.scale, groups, count)
        case .eight:
          let values = numbers.values(Int64.self)
          if Self.areShort(values, count) {
            return addSmall(values, validity, digits.scale, groups, count)
          }
        }
      }
    }
    let argument = arguments[0].flattened()
    let (physical, validity) = (argument.type.physical, argument.validity)
    if physical == .int16 {
      return addSmall(argument.values(Int16.self), validity, 0, groups, count)
    }
    if physical == .int32 {
      return addSmall(argument.values(Int32.self), validity, 0, groups, count)
    }
    widen()
    states.grow(to: groupCount)
    if physical == .int64 {
      let values = argument.values(Int64.self)
      forEachPresent(validity, groups: groups, count: count) { row, group in
        add(Numeric(values[row]), to: group)
      }
    } else {
      let values = argument.values(Numeric.self)
      forEachPresent(validity, groups: groups, count: count) { row, group in
        add(values[row], to: group)
      }
    }
  }

  /// Squares have twice as many digits behind the point, which must be no more than a number can have.
  private func canBeSmall(_ scale: Int16) -> Bool {
    !isWide && smallScale ?? scale == scale
      && (0...Numeric.digitCountMax / 2).contains(Int(scale))
  }

  /// Whether numbers have up to 32 bits.
  private static func areShort(_ values: Buffer<Int64>, _ count: Int) -> Bool {
    var bits: UInt64 = 0
    for row in 0..<count { bits |= UInt64(bitPattern: values[row] ^ (values[row] &>> 63)) }
    return bits < 1 << 31
  }

  private func addSmall<Number: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Number>, _ validity: ValidityMask, _ scale: Int16, _ groups: Buffer<UInt32>?,
    _ count: Int
  ) {
    smallScale = scale
    small.grow(to: groupCount)
    let states = small.values
    forEachPresent(validity, groups: groups, count: count) { row, group in
      let value = Int64(truncatingIfNeeded: values[row])
      var state = states[group]
      state.count &+= 1
      state.sum &+= value
      state.squares &+= Int128(value &* value)
      states[group] = state
    }
  }

  /// Brings the sums of small numbers to the others.
  private func widen() {
    if isWide { return }
    isWide = true
    states.grow(to: max(groupCount, small.count))
    for group in 0..<small.count { states[group] = state(of: small[group]) }
    small = GroupStates()
  }

  private func state(of own: SmallState) -> State {
    let scale = smallScale ?? 0
    return State(
      count: own.count, special: 0, isLong: false,
      sum: Numeric(coefficient: Int128(own.sum), scale: scale),
      squares: Numeric(coefficient: own.squares, scale: 2 * scale))
  }

  private func add(_ value: Numeric, to group: Int) {
    var state = states.values[group]
    state.count += 1
    if !value.isFinite {
      state.special = 1
    } else if !state.isLong, let sum = Numeric.addExactly(state.sum, value),
      let square = Numeric.multiplyExactly(value, value),
      let squares = Numeric.addExactly(state.squares, square)
    {
      state.sum = sum
      state.squares = squares
    } else {
      let long = BigDecimal(value)
      var sums = longSums[group] ?? LongSums(state)
      sums.sum = sums.sum + long
      sums.squares = sums.squares + long * long
      longSums[group] = sums
      state.isLong = true
    }
    states.values[group] = state
  }

  /// The sums of a group, in whichever form they are kept.
  private func state(_ group: Int) -> State {
    if group < states.count { return states[group] }
    return state(
      of: group < small.count ? small[group] : SmallState(count: 0, sum: 0, squares: 0))
  }

  private func sums(_ group: Int, _ state: State) -> LongSums {
    longSums[group] ?? LongSums(state)
  }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? NumericDeviationAccumulator else { return }
    if !other.isWide, canBeSmall(other.smallScale ?? smallScale ?? 0) {
      smallScale = other.smallScale ?? smallScale
      return mergeSmall(other.small, groups, count)
    }
    other.widen()
    widen()
    states.grow(to: groupCount)
    for group in 0..<min(count, other.states.count) {
      let more = other.states[group]
      let target = Int(groups[group])
      var state = states.values[target]
      if !state.isLong, !more.isLong, let sum = Numeric.addExactly(state.sum, more.sum),
        let squares = Numeric.addExactly(state.squares, more.squares)
      {
        state.sum = sum
        state.squares = squares
      } else {
        let others = other.sums(group, more)
        var sums = sums(target, state)
        sums.sum = sums.sum + others.sum
        sums.squares = sums.squares + others.squares
        longSums[target] = sums
        state.isLong = true
      }
      state.count += more.count
      state.special |= more.special
      states.values[target] = state
    }
  }

  private func mergeSmall(
    _ others: GroupStates<SmallState>, _ groups: Buffer<UInt32>, _ count: Int
  ) {
    small.grow(to: groupCount)
    for group in 0..<min(count, others.count) {
      let more = others[group]
      let target = Int(groups[group])
      var state = small[target]
      state.count &+= more.count
      state.sum &+= more.sum
      state.squares &+= more.squares
      small[target] = state
    }
  }

  package func holds(_ other: any AggregateAccumulator) -> Bool {
    other is NumericDeviationAccumulator
  }

  package func valueCounts(_ range: Range<Int>) -> Buffer<Int64> {
    let counts = Buffer<Int64>(zeroed: max(1, range.count))
    for (row, group) in range.enumerated() { counts[row] = state(group).count }
    return counts
  }

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector {
    try results(range, deviation)
  }

  package func results(
    _ range: Range<Int>, of other: any AggregateAccumulator
  ) throws(SQLError) -> Vector {
    try results(range, (other as? NumericDeviationAccumulator)?.deviation ?? deviation)
  }

  private func results(
    _ range: Range<Int>, _ deviation: Deviation
  ) throws(SQLError) -> Vector {
    let values = Buffer<Numeric>(zeroed: range.count)
    var validity = ValidityMask.allValid
    for (row, group) in range.enumerated() {
      let state = state(group)
      if state.count == 0 || (deviation.isSample && state.count == 1) {
        validity.setNull(row, count: range.count)
      } else {
        values[row] = try result(group, state, deviation)
      }
    }
    return Vector(.numeric, values, count: range.count, validity: validity)
  }

  private func result(
    _ group: Int, _ state: State, _ deviation: Deviation
  ) throws(SQLError) -> Numeric {
    if state.special != 0 { return .nan }
    if !state.isLong, let short = try shortResult(state, deviation) { return short }
    let sums = sums(group, state)
    let count = BigDecimal(state.count)
    let spread = count * sums.squares - sums.sum * sums.sum
    if spread.isNegative || spread.isZero { return .zero }
    let divisor = count * (deviation.isSample ? BigDecimal(state.count - 1) : count)
    let variance = spread / divisor
    return try (deviation.isRoot ? variance.squareRoot : variance).numeric()
  }

  /// The result of sums of 38 digits; nil where it takes more to find it.
  private func shortResult(
    _ state: State, _ deviation: Deviation
  ) throws(SQLError) -> Numeric? {
    let count = Numeric(state.count)
    guard let left = Numeric.multiplyExactly(count, state.squares),
      let right = Numeric.multiplyExactly(state.sum, state.sum),
      let spread = Numeric.addExactly(left, Numeric.negate(right)),
      let divisor = Numeric.multiplyExactly(
        count, deviation.isSample ? Numeric(state.count - 1) : count)
    else { return nil }
    if spread.coefficient <= 0 { return .zero }
    let variance = try Numeric.divide(spread, divisor)
    // The root takes as many places as the variance would have, had it room for them.
    if deviation.isRoot && decimalDigitCount(variance.magnitude) >= Numeric.digitCountMax {
      return nil
    }
    return deviation.isRoot
      ? try Numeric.squareRoot(variance, scale: Int(variance.scale)) : variance
  }
}
