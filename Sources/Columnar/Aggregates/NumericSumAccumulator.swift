package import Diagnostics

/// Sums and averages of `numeric`.
package final class NumericSumAccumulator: WeightedAccumulator, SharedAccumulator,
  SummingAccumulator
{
  private struct State: BitwiseCopyable {
    var sum: Numeric
    var count: Int64
  }
  /// A sum of whole numbers.
  private struct SmallState: BitwiseCopyable {
    var sum: Int64
    var count: Int64
  }
  private var groupCount = 0
  /// Sums of values that came in small form with `smallScale` digits behind the point, as far as 64 bits hold them.
  private var small = GroupStates<SmallState>()
  private var smallScale: Int16?
  /// Sums of everything else; made when something else comes.
  private var states = GroupStates<State>()
  /// The sums of groups that 38 digits do not hold; their own sum is NaN, which no short way goes on with.
  private var longSums: [Int: BigDecimal] = [:]
  private let isAverage: Bool

  package init(isAverage: Bool) { self.isAverage = isAverage }

  package var byteCount: Int { small.byteCount + states.byteCount + longSums.count * 128 }

  package func grow(to groupCount: Int) { self.groupCount = max(self.groupCount, groupCount) }

  package func update(
    groups: Buffer<UInt32>?, arguments: [Vector], count: Int
  ) throws(SQLError) {
    if let decimals = arguments[0].decimals {
      let argument = arguments[0].compactFlattened()
      let scale = smallScale ?? decimals
      if scale == decimals {
        smallScale = scale
        return try addSmall(argument, scale, groups, count)
      }
    }
    self.states.grow(to: groupCount)
    let argument = arguments[0].flattened()
    let values = argument.values(Numeric.self)
    let validity = argument.validity
    let states = states.values
    for row in 0..<count where validity.isValid(row) {
      let group = groups.map { Int($0[row]) } ?? 0
      let value = values[row]
      var state = states[group]
      if state.count == 0 {
        state.sum = value
      } else if state.sum.isFinite, value.isFinite,
        let sum = Numeric.addExactly(state.sum, value)
      {
        state.sum = sum
      } else {
        try add(value, 1, to: group)
        continue
      }
      state.count &+= 1
      states[group] = state
    }
  }

  package func update(
    groups: Buffer<UInt32>?, argument: Vector, weights: Buffer<Int64>, count: Int
  ) throws(SQLError) {
    states.grow(to: groupCount)
    let argument = argument.flattened()
    let values = argument.values(Numeric.self)
    for row in 0..<count where argument.isValid(row) && weights[row] > 0 {
      let group = groups.map { Int($0[row]) } ?? 0
      let (value, weight) = (values[row], Numeric(weights[row]))
      if !value.isFinite {
        try add(value, weights[row], to: group)
      } else if let product = Numeric.multiplyExactly(value, weight) {
        try add(product, weights[row], to: group)
      } else {
        add(BigDecimal(value) * BigDecimal(weight), weights[row], to: group)
      }
    }
  }

  package func add(
    sums: Buffer<Int64>, ofValues counts: Buffer<Int64>, scale: Int16, count: Int
  ) throws(SQLError) {
    let known = smallScale ?? scale
    guard known == scale else {
      throw SQLError.internal("sums have as many digits as those before")
    }
    smallScale = scale
    let groups = Buffer<UInt32>(uninitialized: max(1, count))
    var added = GroupStates<SmallState>()
    added.grow(to: count)
    for group in 0..<count {
      groups[group] = UInt32(truncatingIfNeeded: group)
      added[group] = SmallState(sum: sums[group], count: counts[group])
    }
    try mergeSmall(added, scale, groups, count)
  }

  /// Adds whole numbers whose last `scale` digits stand behind the point.
  private func addSmall(
    _ argument: Vector, _ scale: Int16, _ groups: Buffer<UInt32>?, _ count: Int
  ) throws(SQLError) {
    guard let groups else {
      let added = WideSum(argument.scaledValues, argument.validity, count)
      if added.count > 0 {
        states.grow(to: groupCount)
        try add(Numeric(coefficient: added.total, scale: scale), added.count, to: 0)
      }
      return
    }
    let numbers = argument.scaledNumbers
    switch numbers.type.physical {
    case .int16: try addSmall(argument, numbers.values(Int16.self), scale, groups, count)
    case .int32: try addSmall(argument, numbers.values(Int32.self), scale, groups, count)
    case .bool, .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      try addSmall(argument, numbers.values(Int64.self), scale, groups, count)
    }
  }

  private func addSmall<Number: FixedWidthInteger & BitwiseCopyable>(
    _ argument: Vector, _ values: Buffer<Number>, _ scale: Int16, _ groups: Buffer<UInt32>,
    _ count: Int
  ) throws(SQLError) {
    small.grow(to: groupCount)
    let states = small.values
    // Rows of groups whose sum 64 bits do not hold any more.
    var overflowing: [Int] = []
    forEachPresent(argument, groups: groups, count: count) { row, group in
      var state = states[group]
      let value = Int64(truncatingIfNeeded: values[row])
      let (sum, overflow) = state.sum.addingReportingOverflow(value)
      if overflow { return overflowing.append(row) }
      state.sum = sum
      state.count &+= 1
      states[group] = state
    }
    if overflowing.isEmpty { return }
    self.states.grow(to: groupCount)
    for row in overflowing {
      try add(
        Numeric(coefficient: Int128(values[row]), scale: scale), 1, to: Int(groups[row]))
    }
  }

  /// Adds a sum of `count` values to a group, beside its small one.
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
    if other.states.count == 0, let scale = other.smallScale, scale == smallScale ?? scale {
      smallScale = scale
      return try mergeSmall(other.small, scale, groups, count)
    }
    states.grow(to: groupCount)
    for group in 0..<count {
      let target = Int(groups[group])
      switch other.total(group) {
      case .none: continue
      case .number(let sum, let more): try add(sum, more, to: target)
      case .long(let long, let more): add(long, more, to: target)
      }
    }
  }

  /// The same of a sum that 38 digits need not hold.
  private func add(_ long: BigDecimal, _ count: Int64, to group: Int) {
    var state = states[group]
    // A sum that is infinite or NaN stays so.
    if let own = finiteSum(group) {
      longSums[group] = own + long
      state.sum = .nan
    }
    state.count &+= count
    states[group] = state
  }

  /// Adds the sums of groups that came to nothing but small ones.
  private func mergeSmall(
    _ other: GroupStates<SmallState>, _ scale: Int16, _ groups: Buffer<UInt32>, _ count: Int
  ) throws(SQLError) {
    small.grow(to: groupCount)
    let states = small.values
    for group in 0..<min(count, other.count) where other[group].count > 0 {
      let more = other[group]
      var state = states[groups[group]]
      let (sum, overflow) = state.sum.addingReportingOverflow(more.sum)
      if overflow {
        self.states.grow(to: groupCount)
        try add(
          Numeric(coefficient: Int128(more.sum), scale: scale), more.count, to: Int(groups[group]))
        continue
      }
      state.sum = sum
      state.count &+= more.count
      states[groups[group]] = state
    }
  }

  /// The sum of a group beside its small one, with all of its digits; nil if it is infinite or NaN.
  private func finiteSum(_ group: Int) -> BigDecimal? {
    if let long = longSums[group] { return long }
    return states[group].sum.isFinite ? BigDecimal(states[group].sum) : nil
  }

  /// What a group comes to, with the number of its values.
  private enum Total {
    case none
    case number(Numeric, Int64)
    /// A sum that 38 digits do not hold.
    case long(BigDecimal, Int64)
  }

  private func total(_ group: Int) -> Total {
    let part = group < small.count ? small[group] : SmallState(sum: 0, count: 0)
    let state =
      group < states.count ? states[group] : State(sum: .zero, count: 0)
    let number = Numeric(coefficient: Int128(part.sum), scale: smallScale ?? 0)
    if state.count == 0 { return part.count == 0 ? .none : .number(number, part.count) }
    let count = state.count &+ part.count
    if let long = longSums[group] {
      return .long(part.count == 0 ? long : long + BigDecimal(number), count)
    }
    if part.count == 0 || !state.sum.isFinite { return .number(state.sum, count) }
    guard let sum = Numeric.addExactly(state.sum, number) else {
      return .long(BigDecimal(state.sum) + BigDecimal(number), count)
    }
    return .number(sum, count)
  }

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector {
    try results(range, isAverage: isAverage)
  }

  package func holds(_ other: any AggregateAccumulator) -> Bool {
    other is NumericSumAccumulator || (other as? CountAccumulator)?.countsValues ?? false
  }

  package func results(
    _ range: Range<Int>, of other: any AggregateAccumulator
  ) throws(SQLError) -> Vector {
    if let other = other as? NumericSumAccumulator {
      return try results(range, isAverage: other.isAverage)
    }
    return Vector(.bigint, valueCounts(range), count: range.count)
  }

  package func valueCounts(_ range: Range<Int>) -> Buffer<Int64> {
    let counts = Buffer<Int64>(zeroed: max(range.count, 1))
    // Groups that came after the last value have no state yet.
    let first = range.lowerBound
    for index in 0..<max(0, min(range.count, small.count - first)) {
      counts[index] = small[first &+ index].count
    }
    for index in 0..<max(0, min(range.count, states.count - first)) {
      counts[index] &+= states[first &+ index].count
    }
    return counts
  }

  private func results(_ range: Range<Int>, isAverage: Bool) throws(SQLError) -> Vector {
    if states.count == 0, let scale = smallScale, range.upperBound <= small.count {
      return isAverage ? try smallAverages(range, scale) : smallResults(range, scale)
    }
    var validity = ValidityMask.allValid
    let values = Buffer<Numeric>(uninitialized: range.count)
    for (row, group) in range.enumerated() {
      switch total(group) {
      case .none:
        validity.setNull(row, count: range.count)
        values[row] = .zero
      case .number(let sum, let count):
        values[row] =
          isAverage
          ? try Numeric.divide(sum, Numeric(coefficient: Int128(count), scale: 0)) : sum
      case .long(let sum, let count):
        values[row] = try (isAverage ? sum / BigDecimal(count) : sum).numeric()
      }
    }
    return Vector(.numeric, values, count: range.count, validity: validity)
  }

  /// Sums in the form in which their values came.
  private func smallResults(_ range: Range<Int>, _ scale: Int16) -> Vector {
    let states = small.values
    var validity = ValidityMask.allValid
    let values = Buffer<Int64>(uninitialized: range.count)
    for (row, group) in range.enumerated() {
      if states[group].count == 0 { validity.setNull(row, count: range.count) }
      values[row] = states[group].sum
    }
    return Vector(decimals: scale, values, count: range.count, validity: validity)
  }

  private func smallAverages(_ range: Range<Int>, _ scale: Int16) throws(SQLError) -> Vector {
    let states = small.values
    var validity = ValidityMask.allValid
    let values = Buffer<Numeric>(uninitialized: range.count)
    for (row, group) in range.enumerated() {
      let state = states[group]
      if state.count == 0 {
        validity.setNull(row, count: range.count)
        values[row] = .zero
        continue
      }
      let short = Numeric.shortQuotient(
        (state.sum.magnitude, Int(scale)), (state.count.magnitude, 0), isNegative: state.sum < 0)
      if let short {
        values[row] = short
      } else {
        values[row] = try Numeric.divide(
          Numeric(coefficient: Int128(state.sum), scale: scale),
          Numeric(coefficient: Int128(state.count), scale: 0))
      }
    }
    let result = Vector(.numeric, values, count: range.count, validity: validity)
    return result.narrowed(count: range.count) ?? result
  }
}
