package import Diagnostics

/// Sums of `real` and `double precision`; those of `real` are rounded to it at each step, as PostgreSQL's are.
package final class FloatSumAccumulator: AggregateAccumulator {
  private struct State: BitwiseCopyable {
    var sum: Double
    var count: Int64

    /// Says false where finite numbers have an infinite sum.
    ///
    /// The first number is the sum, as zero and -0 would make 0.
    @inline(__always)
    mutating func add<Number: BinaryFloatingPoint>(
      _ value: Number, _ more: Int64, isNarrow: Bool
    ) -> Bool {
      let value = Double(value)
      var total = count == 0 ? value : sum + value
      if isNarrow { total = Double(Float(total)) }
      let isRight = !total.isInfinite || sum.isInfinite || value.isInfinite
      sum = total
      count &+= more
      return isRight
    }
  }
  private var states = GroupStates<State>()
  private let isNarrow: Bool

  package init(resultType: LogicalType) { isNarrow = resultType == .real }

  package var byteCount: Int { states.byteCount }

  package func grow(to groupCount: Int) { states.grow(to: groupCount) }

  package func update(
    groups: Buffer<UInt32>?, arguments: [Vector], count: Int
  ) throws(SQLError) {
    let argument = arguments[0].flattened()
    let isRight =
      argument.type.physical == .float
      ? add(argument.values(Float.self), argument, groups, count)
      : add(argument.values(Double.self), argument, groups, count)
    if !isRight { throw FloatArithmetic.overflow }
  }

  private func add<Number: BinaryFloatingPoint & BitwiseCopyable>(
    _ values: Buffer<Number>, _ argument: Vector, _ groups: Buffer<UInt32>?, _ count: Int
  ) -> Bool {
    let states = states.values
    let isNarrow = isNarrow
    var isRight = true
    forEachPresent(argument, groups: groups, count: count) { row, group in
      var state = states[group]
      isRight = state.add(values[row], 1, isNarrow: isNarrow) && isRight
      states[group] = state
    }
    return isRight
  }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? FloatSumAccumulator else { return }
    for group in 0..<count where other.states[group].count > 0 {
      var state = states.values[groups[group]]
      let more = other.states[group]
      guard state.add(more.sum, more.count, isNarrow: isNarrow) else {
        throw FloatArithmetic.overflow
      }
      states.values[groups[group]] = state
    }
  }

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector {
    var validity = ValidityMask.allValid
    let doubles = Buffer<Double>(uninitialized: range.count)
    for (row, group) in range.enumerated() {
      if states[group].count == 0 { validity.setNull(row, count: range.count) }
      doubles[row] = states[group].sum
    }
    guard isNarrow else {
      return Vector(.double, doubles, count: range.count, validity: validity)
    }
    let floats = Buffer<Float>(uninitialized: range.count)
    for row in 0..<range.count { floats[row] = Float(doubles[row]) }
    return Vector(.real, floats, count: range.count, validity: validity)
  }
}

/// Averages of `real` and `double precision`.
///
/// PostgreSQL makes them of what variances are made of too, and so refuses numbers whose squared distances are infinite.
/// Those distances are looked after once a number is so great that they can be; before they do not matter.
package final class FloatAverageAccumulator: AggregateAccumulator {
  private struct State: BitwiseCopyable {
    var moments: FloatMoments
    var hasGreat: Bool

    @inline(__always)
    mutating func add(_ value: Double) -> Bool {
      if !(value.magnitude > FloatAverageAccumulator.greatFrom) && !hasGreat {
        moments.count += 1
        moments.sum += value
        return true
      }
      hasGreat = true
      return moments.add(value)
    }
  }
  /// Squares of distances between lesser numbers do not reach the greatest double, however many are added up.
  private static let greatFrom = 1e140
  private var states = GroupStates<State>()

  package init() {}

  package var byteCount: Int { states.byteCount }

  package func grow(to groupCount: Int) { states.grow(to: groupCount) }

  package func update(
    groups: Buffer<UInt32>?, arguments: [Vector], count: Int
  ) throws(SQLError) {
    let argument = arguments[0].flattened()
    let isRight =
      argument.type.physical == .float
      ? add(argument.values(Float.self), argument, groups, count)
      : add(argument.values(Double.self), argument, groups, count)
    if !isRight { throw FloatArithmetic.overflow }
  }

  private func add<Number: BinaryFloatingPoint & BitwiseCopyable>(
    _ values: Buffer<Number>, _ argument: Vector, _ groups: Buffer<UInt32>?, _ count: Int
  ) -> Bool {
    let states = states.values
    var isRight = true
    forEachPresent(argument, groups: groups, count: count) { row, group in
      var state = states[group]
      isRight = state.add(Double(values[row])) && isRight
      states[group] = state
    }
    return isRight
  }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? FloatAverageAccumulator else { return }
    for group in 0..<count {
      var state = states.values[groups[group]]
      let more = other.states[group]
      state.hasGreat = state.hasGreat || more.hasGreat
      guard state.moments.add(more.moments) else { throw FloatArithmetic.overflow }
      states.values[groups[group]] = state
    }
  }

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector {
    var validity = ValidityMask.allValid
    let values = Buffer<Double>(uninitialized: range.count)
    for (row, group) in range.enumerated() {
      let moments = states[group].moments
      if moments.count == 0 { validity.setNull(row, count: range.count) }
      values[row] = moments.sum / moments.count
    }
    return Vector(.double, values, count: range.count, validity: validity)
  }
}
