package import Diagnostics

/// The aggregates over pairs (y, x): correlation, covariance, linear regression.
package final class RegressionAccumulator: SharedAccumulator {
  /// What is made of the pairs.
  package enum Output: Sendable {
    case count, averageX, averageY, squaresX, squaresY, products
    case slope, intercept, determination, correlation, populationCovariance, sampleCovariance
  }
  private struct State: BitwiseCopyable {
    var count: Double
    var sumX: Double
    var squaresX: Double
    var sumY: Double
    var squaresY: Double
    var products: Double

    /// Says false where finite numbers have infinite sums.
    @inline(__always)
    mutating func add(_ y: Double, _ x: Double) -> Bool {
      let before = self
      count += 1
      sumX += x
      sumY += y
      guard before.count > 0 else {
        if !x.isFinite { (squaresX, products) = (.nan, .nan) }
        if !y.isFinite { (squaresY, products) = (.nan, .nan) }
        return true
      }
      let distanceX = x * count - sumX
      let distanceY = y * count - sumY
      let scale = 1 / (count * before.count)
      squaresX += distanceX * distanceX * scale
      squaresY += distanceY * distanceY * scale
      products += distanceX * distanceY * scale
      let isLargeX = sumX.isInfinite || squaresX.isInfinite
      let isLargeY = sumY.isInfinite || squaresY.isInfinite
      guard isLargeX || isLargeY || products.isInfinite else { return true }
      let isInfiniteX = before.sumX.isInfinite || x.isInfinite
      let isInfiniteY = before.sumY.isInfinite || y.isInfinite
      let isRight =
        (isInfiniteX || !isLargeX) && (isInfiniteY || !isLargeY)
        && (isInfiniteX || isInfiniteY || !products.isInfinite)
      if squaresX.isInfinite { squaresX = .nan }
      if squaresY.isInfinite { squaresY = .nan }
      if products.isInfinite { products = .nan }
      return isRight
    }

    /// Says false where finite sums have infinite ones.
    mutating func add(_ other: State) -> Bool {
      if other.count == 0 { return true }
      if count == 0 {
        self = other
        return true
      }
      let before = self
      let total = count + other.count
      let distanceX = sumX / count - other.sumX / other.count
      let distanceY = sumY / count - other.sumY / other.count
      let weight = count * other.count / total
      squaresX += other.squaresX + weight * distanceX * distanceX
      squaresY += other.squaresY + weight * distanceY * distanceY
      products += other.products + weight * distanceX * distanceY
      sumX += other.sumX
      sumY += other.sumY
      count = total
      func overflows(_ part: KeyPath<State, Double>) -> Bool {
        self[keyPath: part].isInfinite && !before[keyPath: part].isInfinite
          && !other[keyPath: part].isInfinite
      }
      return !overflows(\.sumX) && !overflows(\.sumY) && !overflows(\.squaresX)
        && !overflows(\.squaresY) && !overflows(\.products)
    }
  }
  private var states = GroupStates<State>()
  private let output: Output

  package init(_ output: Output) { self.output = output }

  package var byteCount: Int { states.byteCount }

  package func grow(to groupCount: Int) { states.grow(to: groupCount) }

  package func update(
    groups: Buffer<UInt32>?, arguments: [Vector], count: Int
  ) throws(SQLError) {
    let y = arguments[0].flattened()
    let x = arguments[1].flattened()
    let valuesY = y.values(Double.self)
    let valuesX = x.values(Double.self)
    let states = states.values
    var isRight = true
    forEachPresent(y, groups: groups, count: count) { row, group in
      if !x.validity.isValid(row) { return }
      var state = states[group]
      isRight = state.add(valuesY[row], valuesX[row]) && isRight
      states[group] = state
    }
    if !isRight && output != .count { throw FloatArithmetic.overflow }
  }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? RegressionAccumulator else { return }
    for group in 0..<count {
      var state = states.values[groups[group]]
      guard state.add(other.states[group]) || output == .count else {
        throw FloatArithmetic.overflow
      }
      states.values[groups[group]] = state
    }
  }

  package func holds(_ other: any AggregateAccumulator) -> Bool {
    // The number of pairs alone is there where their sums are too large.
    other is RegressionAccumulator && output != .count
  }

  package func valueCounts(_ range: Range<Int>) -> Buffer<Int64> {
    let counts = Buffer<Int64>(zeroed: max(1, range.count))
    for (row, group) in range.enumerated() { counts[row] = Int64(states[group].count) }
    return counts
  }

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector { results(range, output) }

  package func results(
    _ range: Range<Int>, of other: any AggregateAccumulator
  ) throws(SQLError) -> Vector {
    results(range, (other as? RegressionAccumulator)?.output ?? output)
  }

  private func results(_ range: Range<Int>, _ output: Output) -> Vector {
    if output == .count { return Vector(.bigint, valueCounts(range), count: range.count) }
    let values = Buffer<Double>(zeroed: range.count)
    var validity = ValidityMask.allValid
    for (row, group) in range.enumerated() {
      if let value = result(states[group], output) {
        values[row] = value
      } else {
        validity.setNull(row, count: range.count)
      }
    }
    return Vector(.double, values, count: range.count, validity: validity)
  }

  private func result(_ state: State, _ output: Output) -> Double? {
    let count = state.count
    if count < 1 { return nil }
    switch output {
    case .count: return count
    case .averageX: return state.sumX / count
    case .averageY: return state.sumY / count
    case .squaresX: return state.squaresX
    case .squaresY: return state.squaresY
    case .products: return state.products
    case .populationCovariance: return state.products / count
    case .sampleCovariance: return count < 2 ? nil : state.products / (count - 1)
    case .correlation:
      if state.squaresX == 0 || state.squaresY == 0 { return nil }
      return state.products / (state.squaresX * state.squaresY).squareRoot()
    case .determination:
      if state.squaresX == 0 { return nil }
      if state.squaresY == 0 { return 1 }
      return state.products * state.products / (state.squaresX * state.squaresY)
    case .slope: return state.squaresX == 0 ? nil : state.products / state.squaresX
    case .intercept:
      if state.squaresX == 0 { return nil }
      return (state.sumY - state.sumX * state.products / state.squaresX) / count
    }
  }
}
