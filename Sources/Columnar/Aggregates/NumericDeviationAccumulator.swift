package import Diagnostics

/// Variance and standard deviation of whole and exact numbers, exact up to the last division.
package final class NumericDeviationAccumulator: AggregateAccumulator {
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
  /// States of the groups if arguments are of up to 32 bits; all arguments are of one type.
  private var small = GroupStates<SmallState>()
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
    let argument = arguments[0].flattened()
    let physical = argument.type.physical
    if physical == .int16 { return addSmall(argument, Int16.self, groups, count) }
    if physical == .int32 { return addSmall(argument, Int32.self, groups, count) }
    states.grow(to: groupCount)
    let isWhole = physical == .int64
    for row in 0..<count where argument.validity.isValid(row) {
      let value =
        isWhole
        ? Numeric(argument.values(Int64.self)[row]) : argument.values(Numeric.self)[row]
      add(value, to: groups.map { Int($0[row]) } ?? 0)
    }
  }

  private func addSmall<Number: FixedWidthInteger & BitwiseCopyable>(
    _ argument: Vector, _ type: Number.Type, _ groups: Buffer<UInt32>?, _ count: Int
  ) {
    small.grow(to: groupCount)
    let values = argument.values(type)
    let states = small.values
    forEachPresent(argument, groups: groups, count: count) { row, group in
      let value = Int64(truncatingIfNeeded: values[row])
      var state = states[group]
      state.count &+= 1
      state.sum &+= value
      state.squares &+= Int128(value &* value)
      states[group] = state
    }
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
    let own =
      group < small.count ? small[group] : SmallState(count: 0, sum: 0, squares: 0)
    return State(
      count: own.count, special: 0, isLong: false, sum: Numeric(own.sum),
      squares: Numeric(coefficient: own.squares, scale: 0))
  }

  private func sums(_ group: Int, _ state: State) -> LongSums {
    longSums[group] ?? LongSums(state)
  }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? NumericDeviationAccumulator else { return }
    if other.small.count > 0 { mergeSmall(other.small, groups, count) }
    if other.states.count == 0 { return }
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

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector {
    let values = Buffer<Numeric>(zeroed: range.count)
    var validity = ValidityMask.allValid
    for (row, group) in range.enumerated() {
      let state = state(group)
      if state.count == 0 || (deviation.isSample && state.count == 1) {
        validity.setNull(row, count: range.count)
      } else {
        values[row] = try result(group, state)
      }
    }
    return Vector(.numeric, values, count: range.count, validity: validity)
  }

  private func result(_ group: Int, _ state: State) throws(SQLError) -> Numeric {
    if state.special != 0 { return .nan }
    if !state.isLong, let short = try shortResult(state) { return short }
    let sums = sums(group, state)
    let count = BigDecimal(state.count)
    let spread = count * sums.squares - sums.sum * sums.sum
    if spread.isNegative || spread.isZero { return .zero }
    let divisor = count * (deviation.isSample ? BigDecimal(state.count - 1) : count)
    let variance = spread / divisor
    return try (deviation.isRoot ? variance.squareRoot : variance).numeric()
  }

  /// The result of sums of 38 digits; nil where it takes more to find it.
  private func shortResult(_ state: State) throws(SQLError) -> Numeric? {
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
