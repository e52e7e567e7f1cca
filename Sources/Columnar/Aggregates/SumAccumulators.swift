package import Diagnostics

/// Sums and averages of whole numbers, exact in 128 bits.
///
/// 2^63 rows of the largest bigint still fit, so that nothing overflows before the result is made.
package final class IntegerSumAccumulator: WeightedAccumulator, SharedAccumulator,
  SummingAccumulator
{
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

    mutating func add(_ sum: Int128, _ values: Int64) {
      let total = total + sum
      low = UInt64(truncatingIfNeeded: total)
      high = Int64(truncatingIfNeeded: total >> 64)
      count += values
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
    case .bool, .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
      add(argument.values(Int64.self), argument, groups, count)
    }
  }

  private func add<Number: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Number>, _ argument: Vector, _ groups: Buffer<UInt32>?, _ count: Int
  ) {
    let states = states.values
    if groups == nil {
      let added = WideSum(values, argument.validity, count)
      states[0].add(added.total, added.count)
      return
    }
    forEachPresent(argument, groups: groups, count: count) { row, group in
      var state = states[group]
      state.add(Int64(truncatingIfNeeded: values[row]))
      states[group] = state
    }
  }

  package func update(
    groups: Buffer<UInt32>?, argument: Vector, weights: Buffer<Int64>, count: Int
  ) throws(SQLError) {
    guard let numbers = try WholeNumbers(argument) else { return }
    let states = states.values
    forEachPresent(numbers.validity, groups: groups, count: count) { row, group in
      states[group].add(Int128(numbers.values[row]) * Int128(weights[row]), weights[row])
    }
  }

  package func add(
    sums: Buffer<Int64>, ofValues counts: Buffer<Int64>, scale: Int16, count: Int
  ) throws(SQLError) {
    for group in 0..<count { states.values[group].add(Int128(sums[group]), counts[group]) }
  }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? IntegerSumAccumulator else { return }
    for group in 0..<count {
      let more = other.states[group]
      states.values[groups[group]].add(more.total, more.count)
    }
  }

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector {
    try results(range, output)
  }

  package func holds(_ other: any AggregateAccumulator) -> Bool {
    other is IntegerSumAccumulator || (other as? CountAccumulator)?.countsValues ?? false
  }

  package func results(
    _ range: Range<Int>, of other: any AggregateAccumulator
  ) throws(SQLError) -> Vector {
    if let other = other as? IntegerSumAccumulator { return try results(range, other.output) }
    return Vector(.bigint, valueCounts(range), count: range.count)
  }

  package func valueCounts(_ range: Range<Int>) -> Buffer<Int64> {
    let counts = Buffer<Int64>(uninitialized: max(range.count, 1))
    let first = range.lowerBound
    for index in 0..<range.count { counts[index] = states[first &+ index].count }
    return counts
  }

  private func results(_ range: Range<Int>, _ output: Output) throws(SQLError) -> Vector {
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
    let result = Vector(.numeric, values, count: range.count, validity: validity)
    return result.narrowed(count: range.count) ?? result
  }
}
