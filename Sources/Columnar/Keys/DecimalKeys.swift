/// Exact numbers as keys: as long as those of a column have equally many digits behind the point and fit 64 bits, they are told
/// apart by their digits, as whole numbers are.
///
/// - Invariant: numbers of one column are only taken with the digits behind the point that the first of them had.
struct DecimalKeys {
  /// The types as they are looked up: those of exact numbers are bigint, though columns may be narrower.
  let types: [LogicalType]
  private let originals: [LogicalType]
  /// Which columns are exact numbers.
  private let places: [Int]
  /// How many digits stand behind the point, for each column; nil before the first number.
  private var scales: [Int16?]

  /// nil where no column is an exact number.
  init?(_ types: [LogicalType]) {
    places = types.indices.filter { types[$0] == .numeric }
    if places.isEmpty { return nil }
    originals = types
    self.types = types.map { $0 == .numeric ? .bigint : $0 }
    scales = Array(repeating: nil, count: types.count)
  }

  /// The columns with their exact numbers as whole ones, to be added; nil, having changed nothing, where one has other digits
  /// than those before.
  ///
  /// - Complexity: O(1) for numbers that are kept small, else O(*n*).
  mutating func taken(_ columns: [Vector], count: Int) -> [Vector]? {
    var (result, scales) = (columns, scales)
    for place in places {
      guard let small = columns[place].compactFlattened().narrowed(count: count, otherwise: -1),
        let scale = small.decimals
      else { return nil }
      let isKnown = small.validity.nullCount(count) == count || scale == scales[place]
      if !isKnown && scales[place] != nil { return nil }
      if !isKnown { scales[place] = scale }
      result[place] = small.scaledNumbers
    }
    self.scales = scales
    return result
  }

  /// The columns with their exact numbers as whole ones, to be looked for, and which rows have a number that cannot have been
  /// taken.
  ///
  /// - Complexity: O(1) for numbers that are kept small, else O(*n*).
  func sought(_ columns: [Vector], count: Int) -> (columns: [Vector], strangers: [Int]) {
    var (result, strangers) = (columns, [Int]())
    for place in places {
      let column = columns[place].compactFlattened()
      let scale = scales[place] ?? 0
      if column.decimals == scale {
        result[place] = column.scaledNumbers
        continue
      }
      let numbers = Buffer<Int64>(zeroed: max(count, 1))
      for row in 0..<count where column.validity.isValid(row) {
        let digits = column.numeric(at: row).digits(scale: scale)
        if let digits, scales[place] != nil { numbers[row] = digits } else { strangers.append(row) }
      }
      result[place] = Vector(.bigint, numbers, count: count, validity: column.validity)
    }
    return (result, strangers)
  }

  /// The columns with numbers of 64 bits throughout: where one chunk's are narrow, those of the next need not be.
  func widened(_ columns: [Vector]) -> [Vector] {
    var result = columns
    for place in places where columns[place].type != .bigint {
      let numbers = Buffer<Int64>(uninitialized: max(columns[place].count, 1))
      KeyPacking.widen(columns[place], columns[place].count, into: numbers)
      result[place] = Vector(
        .bigint, numbers, count: columns[place].count, validity: columns[place].validity)
    }
    return result
  }

  /// Columns that were taken, as they were.
  func given(_ columns: [Vector]) -> [Vector] {
    var result = columns
    for place in places {
      let column = columns[place].flattened()
      result[place] = Vector(
        decimals: scales[place] ?? 0, column.values(Int64.self), count: column.count,
        validity: column.validity)
    }
    return result
  }

  /// Whether numbers of both are taken alike.
  func agrees(with other: DecimalKeys) -> Bool {
    places.allSatisfy { place in
      guard let one = scales[place], let two = other.scales[place] else { return true }
      return one == two
    }
  }

  /// Takes over the digits of columns that have none yet.
  mutating func learn(from other: DecimalKeys) {
    for place in places { scales[place] = scales[place] ?? other.scales[place] }
  }
}

extension Numeric {
  /// The number in units of its last place where so many digits stand behind the point; nil where it has more or does not fit.
  fileprivate func digits(scale wanted: Int16) -> Int64? {
    let least = canonical
    guard kind == .finite, least.scale <= wanted else { return nil }
    let (digits, overflow) = least.coefficient.multipliedReportingOverflow(
      by: Int128(truncatingIfNeeded: powerOfTen(Int(wanted - least.scale))))
    return overflow ? nil : Int64(exactly: digits)
  }
}
