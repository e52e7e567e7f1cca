package import Diagnostics

/// What is made of the spread of values.
package enum Deviation: Sendable {
  case populationVariance, sampleVariance, populationDeviation, sampleDeviation

  var isSample: Bool { self == .sampleVariance || self == .sampleDeviation }
  var isRoot: Bool { self == .populationDeviation || self == .sampleDeviation }
}

/// Variance and standard deviation in double precision, by the updates of Youngs and Cramer (1971).
package final class FloatDeviationAccumulator: AggregateAccumulator, @unchecked Sendable {
  private struct State: BitwiseCopyable {
    var count: Double
    var sum: Double
    /// The sum of squared distances from the mean.
    var squares: Double

    @inline(__always)
    mutating func add(_ value: Double) {
      count += 1
      sum += value
      if count > 1 {
        let distance = value * count - sum
        squares += distance * distance / (count * (count - 1))
      } else if !value.isFinite {
        squares = .nan
      }
    }

    mutating func add(_ other: State) {
      if other.count == 0 { return }
      if count == 0 {
        self = other
        return
      }
      let distance = sum / count - other.sum / other.count
      let total = count + other.count
      squares += other.squares + count * other.count * distance * distance / total
      sum += other.sum
      count = total
    }
  }
  private var states = GroupStates<State>()
  private let deviation: Deviation

  package init(_ deviation: Deviation) { self.deviation = deviation }

  package var byteCount: Int { states.byteCount }

  package func grow(to groupCount: Int) { states.grow(to: groupCount) }

  package func update(
    groups: Buffer<UInt32>?, arguments: [Vector], count: Int
  ) throws(SQLError) {
    let argument = MixedOperands.widen(arguments[0].flattened(), to: .double)
    let values = argument.values(Double.self)
    let states = states.values
    forEachPresent(argument, groups: groups, count: count) { row, group in
      var state = states[group]
      state.add(values[row])
      states[group] = state
    }
  }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? FloatDeviationAccumulator else { return }
    for group in 0..<count {
      var state = states.values[groups[group]]
      state.add(other.states[group])
      states.values[groups[group]] = state
    }
  }

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector {
    let values = Buffer<Double>(zeroed: range.count)
    var validity = ValidityMask.allValid
    for (row, group) in range.enumerated() {
      let state = states[group]
      let divisor = deviation.isSample ? state.count - 1 : state.count
      if divisor <= 0 {
        validity.setNull(row, count: range.count)
        continue
      }
      let variance = state.squares / divisor
      values[row] = deviation.isRoot ? variance.squareRoot() : variance
    }
    return Vector(.double, values, count: range.count, validity: validity)
  }
}

/// Variance and standard deviation of whole and exact numbers, exact up to the last division.
package final class NumericDeviationAccumulator: AggregateAccumulator, @unchecked Sendable {
  private struct State: BitwiseCopyable {
    var count: Int64
    var special: UInt8
    var sum: Numeric
    var squares: Numeric
  }
  private var states = GroupStates<State>()
  private let deviation: Deviation

  package init(_ deviation: Deviation) { self.deviation = deviation }

  package var byteCount: Int { states.byteCount }

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
      default: value = argument.values(Numeric.self)[row]
      }
      let group = groups.map { Int($0[row]) } ?? 0
      var state = states.values[group]
      state.count += 1
      if value.kind == .finite {
        state.sum = try Numeric.add(state.sum, value)
        state.squares = try Numeric.add(state.squares, try Numeric.multiply(value, value))
      } else {
        state.special = 1
      }
      states.values[group] = state
    }
  }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? NumericDeviationAccumulator else { return }
    for group in 0..<count {
      let more = other.states[group]
      var state = states.values[groups[group]]
      state.count += more.count
      state.special |= more.special
      state.sum = try Numeric.add(state.sum, more.sum)
      state.squares = try Numeric.add(state.squares, more.squares)
      states.values[groups[group]] = state
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
        values[row] = try result(state)
      }
    }
    return Vector(.numeric, values, count: range.count, validity: validity)
  }

  private func result(_ state: State) throws(SQLError) -> Numeric {
    if state.special != 0 { return Numeric(Numeric.Kind.nan) }
    let count = Numeric(state.count)
    let spread = try Numeric.subtract(
      try Numeric.multiply(count, state.squares), try Numeric.multiply(state.sum, state.sum))
    if spread.coefficient <= 0 { return Numeric(coefficient: 0, scale: 0) }
    let divisor = try Numeric.multiply(
      count, deviation.isSample ? Numeric(state.count - 1) : count)
    let variance = try Numeric.divide(spread, divisor)
    return deviation.isRoot
      ? try Numeric.squareRoot(variance, scale: Int(variance.scale)) : variance
  }
}
