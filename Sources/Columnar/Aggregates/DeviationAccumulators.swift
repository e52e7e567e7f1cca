package import Diagnostics

/// What is made of the spread of values.
package enum Deviation: Sendable {
  case populationVariance, sampleVariance, populationDeviation, sampleDeviation

  var isSample: Bool { self == .sampleVariance || self == .sampleDeviation }
  var isRoot: Bool { self == .populationDeviation || self == .sampleDeviation }
}

/// Number, sum and squared distances from the mean of doubles, by the updates of Youngs and Cramer (1971).
struct FloatMoments: BitwiseCopyable {
  var count: Double
  var sum: Double
  /// The sum of squared distances from the mean; NaN once a number is not finite.
  var squares: Double

  /// Says false where finite numbers have an infinite sum.
  @inline(__always)
  mutating func add(_ value: Double) -> Bool {
    let before = self
    count += 1
    sum += value
    guard before.count > 0 else {
      if !value.isFinite { squares = .nan }
      return true
    }
    let distance = value * count - sum
    squares += distance * distance / (count * before.count)
    guard sum.isInfinite || squares.isInfinite else { return true }
    squares = .nan
    return before.sum.isInfinite || value.isInfinite
  }

  mutating func add(_ other: FloatMoments) -> Bool {
    if other.count == 0 { return true }
    if count == 0 {
      self = other
      return true
    }
    let before = self
    let distance = sum / count - other.sum / other.count
    count += other.count
    sum += other.sum
    squares += other.squares + before.count * other.count * distance * distance / count
    let isFinite = before.sum.isFinite && other.sum.isFinite
    return !(isFinite && sum.isInfinite)
      && !(squares.isInfinite && before.squares.isFinite && other.squares.isFinite)
  }
}

/// Variance and standard deviation in double precision.
package final class FloatDeviationAccumulator: SharedAccumulator {
  private typealias State = FloatMoments
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
    var overflows = false
    forEachPresent(argument, groups: groups, count: count) { row, group in
      var state = states[group]
      overflows = !state.add(values[row]) || overflows
      states[group] = state
    }
    if overflows { throw FloatArithmetic.overflow }
  }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? FloatDeviationAccumulator else { return }
    for group in 0..<count {
      var state = states.values[groups[group]]
      guard state.add(other.states[group]) else { throw FloatArithmetic.overflow }
      states.values[groups[group]] = state
    }
  }

  package func holds(_ other: any AggregateAccumulator) -> Bool {
    other is FloatDeviationAccumulator
  }

  package func valueCounts(_ range: Range<Int>) -> Buffer<Int64> {
    let counts = Buffer<Int64>(zeroed: max(1, range.count))
    for (row, group) in range.enumerated() { counts[row] = Int64(states[group].count) }
    return counts
  }

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector { results(range, deviation) }

  package func results(
    _ range: Range<Int>, of other: any AggregateAccumulator
  ) throws(SQLError) -> Vector {
    results(range, (other as? FloatDeviationAccumulator)?.deviation ?? deviation)
  }

  private func results(_ range: Range<Int>, _ deviation: Deviation) -> Vector {
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
