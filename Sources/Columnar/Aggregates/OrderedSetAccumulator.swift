package import Diagnostics

/// The ordered-set aggregates, which get a group's values in order.
package final class OrderedSetAccumulator: AggregateAccumulator, @unchecked Sendable {
  /// What is taken from the values.
  package enum Output: Sendable {
    /// `mode()`: the first of the most frequent values.
    case mode
    /// `percentile_disc(fraction)`: the first value at or past the fraction.
    case discrete
    /// `percentile_cont(fraction)`: between the two nearest values.
    case continuous
  }
  private var rows: CollectedRows
  private var sorted: CollectedRows.Sorted?
  private let output: Output
  private let type: LogicalType

  /// An accumulator for values of `type`; all but `mode` take a fraction before the value.
  package init(_ output: Output, type: LogicalType) {
    self.output = output
    self.type = type
    rows = CollectedRows(output == .mode ? [type] : [type, .double])
  }

  package var byteCount: Int { rows.byteCount }

  package func grow(to groupCount: Int) { rows.grow(to: groupCount) }

  package func update(
    groups: Buffer<UInt32>?, arguments: [Vector], count: Int
  ) throws(SQLError) {
    try rows.append(
      output == .mode ? [arguments[0]] : [arguments[1], arguments[0]], groups: groups, count: count)
  }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? OrderedSetAccumulator else { return }
    try rows.append(other.rows, mapping: groups)
  }

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector {
    let sorted: CollectedRows.Sorted
    if let known = self.sorted { sorted = known } else { sorted = try rows.sorted() }
    self.sorted = sorted
    let values = sorted.columns[0]
    let positions = Buffer<UInt32>(repeating: .max, count: range.count)
    let above = Buffer<UInt32>(repeating: .max, count: range.count)
    let weights = Buffer<Double>(zeroed: range.count)
    for (row, group) in range.enumerated() {
      let places = sorted.range(of: group)
      // NULLs sort to one end; they are passed over wherever that is.
      var present: [Int] = []
      present.reserveCapacity(places.count)
      try places.inSlices { slice in
        for place in slice where values.validity.isValid(Int(sorted.rows[place])) {
          present.append(place)
        }
      }
      if present.isEmpty { continue }
      if output == .mode {
        positions[row] = sorted.rows[mode(present, sorted)]
        continue
      }
      let first = Int(sorted.rows[present[0]])
      guard sorted.columns[1].validity.isValid(first) else { continue }
      let fraction = sorted.columns[1].values(Double.self)[first]
      guard fraction >= 0 && fraction <= 1 else {
        throw SQLError(
          .numericOutOfRange, "percentile value \(fraction) is not between 0 and 1")
      }
      if output == .discrete {
        let index = max(1, Int((fraction * Double(present.count)).rounded(.up))) - 1
        positions[row] = sorted.rows[present[index]]
      } else {
        let place = fraction * Double(present.count - 1)
        positions[row] = sorted.rows[present[Int(place.rounded(.down))]]
        above[row] = sorted.rows[present[Int(place.rounded(.up))]]
        weights[row] = place - place.rounded(.down)
      }
    }
    let lower = values.gatheredOptional(positions, count: range.count).flattened()
    if output != .continuous { return lower }
    let upper = values.gatheredOptional(above, count: range.count).flattened()
    return try interpolated(lower, upper, weights, range.count)
  }

  private func interpolated(
    _ lower: Vector, _ upper: Vector, _ weights: Buffer<Double>, _ count: Int
  ) throws(SQLError) -> Vector {
    if type == .interval {
      let a = lower.values(Interval.self)
      let b = upper.values(Interval.self)
      let result = Buffer<Interval>(zeroed: count)
      for row in 0..<count where lower.validity.isValid(row) {
        if weights[row] == 0 {
          result[row] = a[row]
        } else {
          let distance = try Interval.subtract(b[row], a[row])
          result[row] = try Interval.add(a[row], try Interval.multiply(distance, weights[row]))
        }
      }
      return Vector(.interval, result, count: count, validity: lower.validity)
    }
    let a = lower.values(Double.self)
    let b = upper.values(Double.self)
    let result = Buffer<Double>(zeroed: count)
    for row in 0..<count where lower.validity.isValid(row) {
      // Between a number and itself there is nothing to go, even if it is infinite.
      result[row] =
        weights[row] == 0 ? a[row] : a[row] + (b[row] - a[row]) * weights[row]
    }
    return Vector(.double, result, count: count, validity: lower.validity)
  }

  /// The place of the first of the values that occur most often; equal values stand together.
  private func mode(_ places: [Int], _ sorted: CollectedRows.Sorted) -> Int {
    let values = sorted.columns[0]
    var best = places[0]
    var bestLength = 0
    var start = 0
    while start < places.count {
      let row = Int(sorted.rows[places[start]])
      var end = start + 1
      while end < places.count
        && ValueOrder.compare(values, row, values, Int(sorted.rows[places[end]])) == 0
      {
        end += 1
      }
      if end - start > bestLength {
        best = places[start]
        bestLength = end - start
      }
      start = end
    }
    return best
  }
}
