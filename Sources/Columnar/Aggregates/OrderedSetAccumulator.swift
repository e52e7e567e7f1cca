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
  /// Where one output lies among sorted values: a position, mostly a second one above it, and how far towards it.
  private struct Places {
    var lower: [UInt32] = []
    var upper: [UInt32] = []
    var weights: [Double] = []

    mutating func add(_ lower: UInt32, _ upper: UInt32, _ weight: Double) {
      self.lower.append(lower)
      self.upper.append(upper)
      weights.append(weight)
    }

    mutating func addNull() { add(.max, .max, 0) }
  }
  private var rows: CollectedRows
  private var sorted: CollectedRows.Sorted?
  private let output: Output
  private let type: LogicalType
  /// Whether there is an array of fractions, and one of results.
  private let isList: Bool

  /// An accumulator for values of `type`; all but `mode` take a fraction before the value, or an array of them.
  package init(_ output: Output, type: LogicalType, isList: Bool = false) {
    self.output = output
    self.type = type
    self.isList = isList
    rows = CollectedRows(
      output == .mode ? [type] : [type, isList ? .array(.double) : .double])
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
    var places = Places()
    let slices = Buffer<ListSlice>(zeroed: range.count)
    var validity = ValidityMask.allValid
    for (row, group) in range.enumerated() {
      let first = places.lower.count
      let present = try self.present(group, sorted)
      if output == .mode {
        places.add(
          present.isEmpty ? .max : sorted.rows[mode(present, sorted)], .max, 0)
        continue
      }
      guard let start = present.first,
        sorted.columns[1].validity.isValid(Int(sorted.rows[start]))
      else {
        if isList { validity.setNull(row, count: range.count) } else { places.addNull() }
        continue
      }
      try addPlaces(of: Int(sorted.rows[start]), present, sorted, to: &places)
      slices[row] = ListSlice(
        offset: UInt32(truncatingIfNeeded: first),
        count: UInt32(truncatingIfNeeded: places.lower.count - first))
    }
    let count = places.lower.count
    var found = values.gatheredOptional(Buffer(places.lower), count: count).flattened()
    if output == .continuous {
      let upper = values.gatheredOptional(Buffer(places.upper), count: count).flattened()
      found = try interpolated(found, upper, Buffer(places.weights), count)
    }
    return isList ? Vector(slices, of: found, count: range.count, validity: validity) : found
  }

  /// The places of a group's values that are not NULL, which sort to one end, wherever that is.
  private func present(_ group: Int, _ sorted: CollectedRows.Sorted) throws(SQLError) -> [Int] {
    let validity = sorted.columns[0].validity
    let places = sorted.range(of: group)
    var present: [Int] = []
    present.reserveCapacity(places.count)
    try places.inSlices { slice in
      for place in slice where validity.isValid(Int(sorted.rows[place])) { present.append(place) }
    }
    return present
  }

  /// Adds where the fractions that stand at a row lie among the values that are there.
  private func addPlaces(
    of row: Int, _ present: [Int], _ sorted: CollectedRows.Sorted, to places: inout Places
  ) throws(SQLError) {
    let fractions = sorted.columns[1]
    guard isList else {
      try add(fractions.values(Double.self)[row], present, sorted, to: &places)
      return
    }
    let slice = fractions.values(ListSlice.self)[row]
    let elements = fractions.children[0].flattened()
    let numbers = elements.values(Double.self)
    for place in Int(slice.offset)..<Int(slice.offset) + Int(slice.count) {
      if elements.validity.isValid(place) {
        try add(numbers[place], present, sorted, to: &places)
      } else {
        places.addNull()
      }
    }
  }

  /// - Throws: 22003 for a fraction outside of 0 to 1.
  private func add(
    _ fraction: Double, _ present: [Int], _ sorted: CollectedRows.Sorted, to places: inout Places
  ) throws(SQLError) {
    guard fraction >= 0 && fraction <= 1 else {
      var text = ByteBuilder()
      if fraction.isFinite {
        text.append(fraction, as: .general, digits: 6)
      } else {
        text.append(double: fraction)
      }
      throw SQLError(
        .numericOutOfRange, "percentile value \(text.string) is not between 0 and 1")
    }
    if output == .discrete {
      let index = max(1, Int((fraction * Double(present.count)).rounded(.up))) - 1
      places.add(sorted.rows[present[index]], .max, 0)
    } else {
      let place = fraction * Double(present.count - 1)
      places.add(
        sorted.rows[present[Int(place.rounded(.down))]],
        sorted.rows[present[Int(place.rounded(.up))]], place - place.rounded(.down))
    }
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
