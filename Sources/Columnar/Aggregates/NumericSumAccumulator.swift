package import Diagnostics

/// Sums and averages of `numeric`.
package final class NumericSumAccumulator: AggregateAccumulator, @unchecked Sendable {
  private struct State: BitwiseCopyable {
    var sum: Numeric
    var count: Int64
  }
  private var states = GroupStates<State>()
  /// The sums of groups that 38 digits do not hold; their own sum is NaN, which no short way goes on with.
  private var longSums: [Int: BigDecimal] = [:]
  private let isAverage: Bool

  package init(isAverage: Bool) { self.isAverage = isAverage }

  package var byteCount: Int { states.byteCount + longSums.count * 128 }

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
    defer { states[group] = state }
    let isFirst = state.count == 0
    state.count &+= count
    if isFirst {
      state.sum = value
    } else if !longSums.isEmpty, let long = longSums[group] {
      longSums[group] = value.isFinite ? long + BigDecimal(value) : nil
      if !value.isFinite { state.sum = value }
    } else if !state.sum.isFinite || !value.isFinite {
      state.sum = try Numeric.add(state.sum, value)
    } else if let sum = Numeric.addExactly(state.sum, value) {
      state.sum = sum
    } else {
      longSums[group] = BigDecimal(state.sum) + BigDecimal(value)
      state.sum = .nan
    }
  }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? NumericSumAccumulator else { return }
    for group in 0..<count where other.states[group].count > 0 {
      let more = other.states[group]
      let target = Int(groups[group])
      guard let long = other.longSums[group] else {
        try add(more.sum, more.count, to: target)
        continue
      }
      var state = states[target]
      // A sum that is infinite or NaN stays so.
      if let own = sum(target) {
        longSums[target] = own + long
        state.sum = .nan
      }
      state.count += more.count
      states[target] = state
    }
  }

  /// The finite sum of a group with all of its digits.
  private func sum(_ group: Int) -> BigDecimal? {
    if let long = longSums[group] { return long }
    return states[group].sum.isFinite ? BigDecimal(states[group].sum) : nil
  }

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector {
    var validity = ValidityMask.allValid
    let values = Buffer<Numeric>(uninitialized: range.count)
    for (row, group) in range.enumerated() {
      let state = states[group]
      if state.count == 0 {
        validity.setNull(row, count: range.count)
        values[row] = .zero
      } else if !longSums.isEmpty, let sum = longSums[group] {
        values[row] = try (isAverage ? sum / BigDecimal(state.count) : sum).numeric()
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
