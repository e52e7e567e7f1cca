package import Diagnostics

/// Sums and averages of intervals, field by field.
package final class IntervalSumAccumulator: AggregateAccumulator {
  private struct State: BitwiseCopyable {
    var sum: Interval
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
    let argument = arguments[0].flattened()
    let values = argument.values(Interval.self)
    let validity = argument.validity
    for row in 0..<count where validity.isValid(row) {
      try add(values[row], 1, to: groups.map { Int($0[row]) } ?? 0)
    }
  }

  /// Adds a sum of `count` values to a group.
  private func add(_ value: Interval, _ count: Int64, to group: Int) throws(SQLError) {
    var state = states[group]
    state.sum = state.count == 0 ? value : try Interval.add(state.sum, value)
    state.count &+= count
    states[group] = state
  }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? IntervalSumAccumulator else { return }
    for group in 0..<count where other.states[group].count > 0 {
      try add(other.states[group].sum, other.states[group].count, to: Int(groups[group]))
    }
  }

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector {
    var validity = ValidityMask.allValid
    let values = Buffer<Interval>(zeroed: range.count)
    for (row, group) in range.enumerated() {
      let state = states[group]
      if state.count == 0 {
        validity.setNull(row, count: range.count)
      } else {
        values[row] =
          isAverage ? try Interval.divide(state.sum, Double(state.count)) : state.sum
      }
    }
    return Vector(.interval, values, count: range.count, validity: validity)
  }
}
