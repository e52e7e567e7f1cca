import Diagnostics

/// The values of all groups, each group's in order: by numbers that stand for them, or as they are.
enum OrderedValues {
  case numbers(GroupedNumbers.Arranged, NumberForm, isDescending: Bool)
  case rows(CollectedRows.Sorted, SortOrder)

  /// One group's values.
  struct Group {
    var number: Int
    var count: Int
    /// The rows in order, where there are no numbers.
    var rows: [UInt32] = []
  }

  /// - Complexity: O(*n* log *n*) for rows.
  /// - Throws: 57014, 53200.
  func group(_ number: Int) throws(SQLError) -> Group {
    switch self {
    case .numbers(let numbers, _, _):
      return Group(number: number, count: try numbers.count(of: number))
    case .rows(let sorted, let order):
      let range = sorted.range(of: number)
      let values = sorted.columns[0].gathered(
        sorted.rows.slice(range), count: range.count
      ).flattened()
      let permutation = try Sorting.permutation(
        columns: [values], orders: [order], count: range.count)
      var rows: [UInt32] = []
      rows.reserveCapacity(range.count)
      try (0..<range.count).inSlices { slice in
        for place in slice { rows.append(sorted.rows[range.lowerBound + Int(permutation[place])]) }
      }
      return Group(number: number, count: range.count, rows: rows)
    }
  }

  /// What stands at `place` of a group: a number, or that of a row.
  func value(at place: Int, of group: Group) throws(SQLError) -> Int64 {
    switch self {
    case .numbers(let numbers, _, let isDescending):
      try numbers.number(
        at: isDescending ? group.count - 1 - place : place, of: group.number)
    case .rows: Int64(group.rows[place])
    }
  }

  /// The first of the values that occur most often.
  func mostFrequent(of group: Group) throws(SQLError) -> Int64 {
    switch self {
    case .numbers(let numbers, let form, let isDescending):
      return try numbers.mostFrequent(
        of: group.number, greatest: isDescending,
        equalToNext: form == .floating ? NumberForm.minusZero : nil)
    case .rows(let sorted, _):
      let values = sorted.columns[0]
      var best = (row: group.rows[0], count: 0)
      var own = best
      try (0..<group.count).inSlices { slice in
        for place in slice {
          let row = group.rows[place]
          if ValueOrder.compare(values, Int(own.row), values, Int(row)) != 0 { own = (row, 0) }
          own.count += 1
          if own.count > best.count { best = own }
        }
      }
      return Int64(best.row)
    }
  }

  /// The values that numbers, or those of rows, mean.
  func vector(
    _ found: Buffer<Int64>, type: LogicalType, count: Int, validity: ValidityMask
  ) -> Vector {
    switch self {
    case .numbers(_, let form, _):
      return form.values(found, of: type, count: count, validity: validity)
    case .rows(let sorted, _):
      let rows = Buffer<UInt32>(uninitialized: max(count, 1))
      for place in 0..<count {
        rows[place] =
          validity.isValid(place) ? UInt32(truncatingIfNeeded: found[place]) : UInt32.max
      }
      return sorted.columns[0].gatheredOptional(rows, count: count).flattened()
    }
  }
}

/// Where results lie among ordered values: at a value, mostly at a second one above it, and how far towards it.
struct FoundPlaces {
  private(set) var lower: [Int64] = []
  private var upper: [Int64] = []
  private var weights: [Double] = []
  private var nulls: [Int] = []

  mutating func add(_ value: Int64) {
    lower.append(value)
    upper.append(value)
    weights.append(0)
  }

  mutating func addNull() {
    nulls.append(lower.count)
    add(0)
  }

  /// - Throws: 22003 for a fraction outside of 0 to 1.
  mutating func add(
    _ fraction: Double, _ group: OrderedValues.Group, _ values: OrderedValues, isContinuous: Bool
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
    guard isContinuous else {
      let place = max(1, Int((fraction * Double(group.count)).rounded(.up))) - 1
      add(try values.value(at: place, of: group))
      return
    }
    let place = fraction * Double(group.count - 1)
    let (below, above) = (Int(place.rounded(.down)), Int(place.rounded(.up)))
    add(try values.value(at: below, of: group))
    if above > below {
      upper[upper.count - 1] = try values.value(at: above, of: group)
      weights[weights.count - 1] = place - place.rounded(.down)
    }
  }

  /// The results: the values, or what lies between two of them.
  func vector(
    _ values: OrderedValues, type: LogicalType, isContinuous: Bool
  ) throws(SQLError) -> Vector {
    let count = lower.count
    var validity = ValidityMask.allValid
    for place in nulls { validity.setNull(place, count: count) }
    if isContinuous, case .numbers(_, let form, _) = values {
      let result = Buffer<Double>(zeroed: count)
      for row in 0..<count where validity.isValid(row) {
        let value = form.double(lower[row])
        // Between a number and itself there is nothing to go, even if it is infinite.
        result[row] =
          weights[row] == 0 ? value : value + (form.double(upper[row]) - value) * weights[row]
      }
      return Vector(.double, result, count: count, validity: validity)
    }
    let found = values.vector(Buffer(lower), type: type, count: count, validity: validity)
    guard isContinuous else { return found }
    let above = values.vector(Buffer(upper), type: type, count: count, validity: validity)
    let a = found.values(Interval.self)
    let b = above.values(Interval.self)
    let result = Buffer<Interval>(zeroed: count)
    for row in 0..<count where validity.isValid(row) {
      if weights[row] == 0 {
        result[row] = a[row]
      } else {
        let distance = try Interval.subtract(b[row], a[row])
        result[row] = try Interval.add(a[row], try Interval.multiply(distance, weights[row]))
      }
    }
    return Vector(.interval, result, count: count, validity: validity)
  }
}
