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
  private var states = GroupStates<State>()
  private var longSums: [Int: LongSums] = [:]
  private let deviation: Deviation

  package init(_ deviation: Deviation) { self.deviation = deviation }

  package var byteCount: Int { states.byteCount + longSums.count * 256 }

  package func grow(to groupCount: Int) { states.grow(to: groupCount) }

  package func update(
    groups: Buffer<UInt32>?, arguments: [Vector], count: Int
  ) throws(SQLError) {
    let argument = arguments[0].flattened()
    for row in 0..<count where argument.validity.isValid(row) {
      let value: Numeric
      switch argument.type.physical {
      case .int16: value = Numeric(argument.values(Int16.self)[row])
      case .int32: value = Numeric(argument.values(Int32.self)[row])
      case .int64: value = Numeric(argument.values(Int64.self)[row])
      case .bool, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
        value = argument.values(Numeric.self)[row]
      }
      add(value, to: groups.map { Int($0[row]) } ?? 0)
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

  private func sums(_ group: Int) -> LongSums { longSums[group] ?? LongSums(states[group]) }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? NumericDeviationAccumulator else { return }
    for group in 0..<count {
      let more = other.states[group]
      let target = Int(groups[group])
      var state = states.values[target]
      if !state.isLong, !more.isLong, let sum = Numeric.addExactly(state.sum, more.sum),
        let squares = Numeric.addExactly(state.squares, more.squares)
      {
        state.sum = sum
        state.squares = squares
      } else {
        let others = other.sums(group)
        var sums = sums(target)
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

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector {
    let values = Buffer<Numeric>(zeroed: range.count)
    var validity = ValidityMask.allValid
    for (row, group) in range.enumerated() {
      let state = states[group]
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
    let sums = sums(group)
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
