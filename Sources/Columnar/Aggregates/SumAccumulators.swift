package import Diagnostics

/// Sums and averages of whole numbers, exact in 128 bits.
///
/// 2^63 rows of the largest bigint still fit, so that nothing overflows before the result is made.
package final class IntegerSumAccumulator: AggregateAccumulator, @unchecked Sendable {
  /// What is made of the sum.
  package enum Output: Sendable {
    /// `sum` of smallint and integer.
    case bigint
    /// `sum` of bigint.
    case numeric
    /// `avg`.
    case average
  }
  /// The sum's low 64 bits, its high ones, and the number of values.
  private struct State: BitwiseCopyable {
    var low: UInt64
    var high: Int64
    var count: Int64

    @inline(__always)
    mutating func add(_ value: Int64) {
      let (sum, carry) = low.addingReportingOverflow(UInt64(bitPattern: value))
      low = sum
      high = high &+ (value &>> 63) &+ Int64(bit(carry))
      count &+= 1
    }

    var total: Int128 { Int128(high) << 64 | Int128(low) }
  }
  private var states = GroupStates<State>()
  private let output: Output

  package init(_ output: Output) { self.output = output }

  package var byteCount: Int { states.byteCount }

  package func grow(to groupCount: Int) { states.grow(to: groupCount) }

  package func update(
    groups: Buffer<UInt32>?, arguments: [Vector], count: Int
  ) throws(SQLError) {
    let argument = arguments[0].flattened()
    switch argument.type.physical {
    case .int16: add(argument.values(Int16.self), argument, groups, count)
    case .int32: add(argument.values(Int32.self), argument, groups, count)
    default: add(argument.values(Int64.self), argument, groups, count)
    }
  }

  private func add<Number: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Number>, _ argument: Vector, _ groups: Buffer<UInt32>?, _ count: Int
  ) {
    let states = states.values
    if groups == nil {
      // One group: the sum stays in registers.
      var state = states[0]
      forEachPresent(argument, groups: nil, count: count) { row, _ in
        state.add(Int64(truncatingIfNeeded: values[row]))
      }
      states[0] = state
      return
    }
    forEachPresent(argument, groups: groups, count: count) { row, group in
      var state = states[group]
      state.add(Int64(truncatingIfNeeded: values[row]))
      states[group] = state
    }
  }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? IntegerSumAccumulator else { return }
    for group in 0..<count {
      let more = other.states[group]
      var state = states.values[groups[group]]
      let total = state.total + more.total
      state.low = UInt64(truncatingIfNeeded: total)
      state.high = Int64(truncatingIfNeeded: total >> 64)
      state.count += more.count
      states.values[groups[group]] = state
    }
  }

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector {
    var validity = ValidityMask.allValid
    for group in range where states[group].count == 0 {
      validity.setNull(group - range.lowerBound, count: range.count)
    }
    if output == .bigint {
      let values = Buffer<Int64>(uninitialized: range.count)
      for (row, group) in range.enumerated() {
        guard let sum = Int64(exactly: states[group].total) else {
          throw SQLError(.numericOutOfRange, "bigint out of range")
        }
        values[row] = sum
      }
      return Vector(.bigint, values, count: range.count, validity: validity)
    }
    let values = Buffer<Numeric>(uninitialized: range.count)
    for (row, group) in range.enumerated() {
      let state = states[group]
      let sum = Numeric(coefficient: state.total, scale: 0)
      let isAverage = output == .average && state.count > 0
      values[row] =
        isAverage
        ? try Numeric.divide(sum, Numeric(coefficient: Int128(state.count), scale: 0)) : sum
    }
    return Vector(.numeric, values, count: range.count, validity: validity)
  }
}

/// Sums and averages of `real` and `double precision`.
package final class FloatSumAccumulator: AggregateAccumulator, @unchecked Sendable {
  private struct State: BitwiseCopyable {
    var sum: Double
    var count: Int64
  }
  private var states = GroupStates<State>()
  private let isAverage: Bool
  private let resultType: LogicalType

  package init(isAverage: Bool, resultType: LogicalType) {
    self.isAverage = isAverage
    self.resultType = resultType
  }

  package var byteCount: Int { states.byteCount }

  package func grow(to groupCount: Int) { states.grow(to: groupCount) }

  package func update(
    groups: Buffer<UInt32>?, arguments: [Vector], count: Int
  ) throws(SQLError) {
    let argument = arguments[0].flattened()
    let states = states.values
    if argument.type.physical == .float {
      let values = argument.values(Float.self)
      forEachPresent(argument, groups: groups, count: count) { row, group in
        states[group] = State(
          sum: states[group].sum + Double(values[row]), count: states[group].count &+ 1)
      }
    } else {
      let values = argument.values(Double.self)
      forEachPresent(argument, groups: groups, count: count) { row, group in
        states[group] = State(
          sum: states[group].sum + values[row], count: states[group].count &+ 1)
      }
    }
  }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? FloatSumAccumulator else { return }
    for group in 0..<count {
      let target = Int(groups[group])
      states[target] = State(
        sum: states[target].sum + other.states[group].sum,
        count: states[target].count + other.states[group].count)
    }
  }

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector {
    var validity = ValidityMask.allValid
    let doubles = Buffer<Double>(uninitialized: range.count)
    for (row, group) in range.enumerated() {
      let state = states[group]
      if state.count == 0 { validity.setNull(row, count: range.count) }
      doubles[row] = isAverage ? state.sum / Double(state.count) : state.sum
    }
    guard resultType == .real else {
      return Vector(.double, doubles, count: range.count, validity: validity)
    }
    let floats = Buffer<Float>(uninitialized: range.count)
    for row in 0..<range.count { floats[row] = Float(doubles[row]) }
    return Vector(.real, floats, count: range.count, validity: validity)
  }
}

/// Sums and averages of `numeric`.
package final class NumericSumAccumulator: AggregateAccumulator, @unchecked Sendable {
  private struct State: BitwiseCopyable {
    var sum: Numeric
    var count: Int64
  }
  private var states = GroupStates<State>()
  private let isAverage: Bool

  package init(isAverage: Bool) { self.isAverage = isAverage }

  package var byteCount: Int { states.byteCount }

  package func grow(to groupCount: Int) { states.grow(to: groupCount) }

  package func update(
    groups: Buffer<UInt32>?, arguments: [Vector], count: Int
  ) throws(SQLError) {
    if let decimals = arguments[0].decimals {
      try addSmall(arguments[0].compactFlattened(), decimals, groups, count)
      return
    }
    let argument = arguments[0].flattened()
    let values = argument.values(Numeric.self)
    let validity = argument.validity
    for row in 0..<count where validity.isValid(row) {
      try add(values[row], 1, to: groups.map { Int($0[row]) } ?? 0)
    }
  }

  /// Adds whole numbers whose last `decimals` digits stand behind the point.
  private func addSmall(
    _ argument: Vector, _ decimals: Int16, _ groups: Buffer<UInt32>?, _ count: Int
  ) throws(SQLError) {
    let values = argument.scaledValues
    guard let groups else {
      // One group: the sum stays in registers.
      var sum: Int128 = 0
      var present: Int64 = 0
      forEachPresent(argument, groups: nil, count: count) { row, _ in
        sum &+= Int128(values[row])
        present &+= 1
      }
      if present > 0 { try add(Numeric(coefficient: sum, scale: decimals), present, to: 0) }
      return
    }
    if states.count <= Self.fewGroups,
      try addFew(values, argument.validity, decimals, groups, count)
    {
      return
    }
    let states = states.values
    let validity = argument.validity
    for row in 0..<count where validity.isValid(row) {
      let group = Int(groups[row])
      var state = states[group]
      if state.count == 0 { state.sum = Numeric(coefficient: 0, scale: decimals) }
      if state.sum.addSmall(values[row], scale: decimals) {
        state.count &+= 1
        states[group] = state
      } else {
        try add(Numeric(coefficient: Int128(values[row]), scale: decimals), 1, to: group)
      }
    }
  }

  /// So few groups are summed up for a chunk by themselves.
  private static let fewGroups = 64

  /// Adds the sums of a chunk, in 64 bits as long as no number has more than 50: a chunk has fewer than 2^12 of them.
  ///
  /// Says false, having changed nothing, where some number has.
  private func addFew(
    _ values: Buffer<Int64>, _ validity: ValidityMask, _ decimals: Int16,
    _ groups: Buffer<UInt32>, _ count: Int
  ) throws(SQLError) -> Bool {
    guard validity.isAllValid, count <= Vector.chunkCapacity else { return false }
    let sums = Buffer<Int64>(zeroed: states.count)
    let counts = Buffer<Int64>(zeroed: states.count)
    var bits: Int64 = 0
    for row in 0..<count {
      let value = values[row]
      let group = Int(groups[row])
      bits |= value ^ (value &>> 63)
      sums[group] = sums[group] &+ value
      counts[group] = counts[group] &+ 1
    }
    if bits &>> 50 != 0 { return false }
    for group in 0..<states.count where counts[group] > 0 {
      try add(
        Numeric(coefficient: Int128(sums[group]), scale: decimals), counts[group], to: group)
    }
    return true
  }

  /// Adds a sum of `count` values to a group.
  private func add(_ value: Numeric, _ count: Int64, to group: Int) throws(SQLError) {
    var state = states[group]
    state.sum = state.count == 0 ? value : try Numeric.add(state.sum, value)
    state.count &+= count
    states[group] = state
  }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? NumericSumAccumulator else { return }
    for group in 0..<count where other.states[group].count > 0 {
      try add(other.states[group].sum, other.states[group].count, to: Int(groups[group]))
    }
  }

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector {
    var validity = ValidityMask.allValid
    let values = Buffer<Numeric>(uninitialized: range.count)
    for (row, group) in range.enumerated() {
      let state = states[group]
      if state.count == 0 {
        validity.setNull(row, count: range.count)
        values[row] = .zero
      } else {
        values[row] =
          isAverage
          ? try Numeric.divide(state.sum, Numeric(coefficient: Int128(state.count), scale: 0))
          : state.sum
      }
    }
    return Vector(.numeric, values, count: range.count, validity: validity)
  }
}
