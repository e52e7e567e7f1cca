import Columnar
import Diagnostics
import Junction

/// What `\plot` draws: labels or numbers along the one axis, and one or several series of numbers.
struct Chart: Equatable {
  enum Kind: String, CaseIterable { case bars, lines, histogram }

  /// Numbers with a name; nil where the row has NULL.
  struct Series: Equatable {
    let name: String
    let values: [Double?]
  }

  let kind: Kind
  /// The name of what stands along the first axis.
  let axis: String
  /// What stands at each place of the first axis.
  let labels: [String]
  /// The places themselves where they are numbers, in rising order.
  let positions: [Double]?
  let series: [Series]
  /// How many rows were left out since they have NULL.
  let nullCount: Int

  /// The most rows that bars are drawn for.
  static let barCountMax = 200

  /// Draws a result.
  ///
  /// - Throws: 22023 in words that say which columns are missing.
  init(_ result: ResultSet, kind wanted: Kind?, columns names: [String]) throws(SQLError) {
    guard result.count > 0, !result.columns.isEmpty else {
      throw Self.failure("the query gave no rows to draw")
    }
    var chosen: [Int] = []
    for name in names { chosen.append(try Crosstab.index(of: name, in: result.columns)) }
    if names.isEmpty { chosen = Array(result.columns.indices) }
    let numeric = chosen.filter { result.columns[$0].isNumeric }
    let kind = wanted ?? Self.kind(for: result, chosen, numeric)
    guard !numeric.isEmpty else {
      throw Self.failure(
        "there is no column of numbers among \(chosen.map { result.columns[$0].name }.joined(separator: ", "))",
        hint: "Count or sum something: SELECT name, count(*) … GROUP BY name \\plot")
    }
    switch kind {
    case .histogram: self = try Self.histogram(result, numeric[0])
    case .bars: self = try Self.bars(result, chosen, numeric)
    case .lines: self = try Self.lines(result, chosen, numeric)
    }
  }

  private init(
    kind: Kind, axis: String, labels: [String], positions: [Double]?, series: [Series],
    nullCount: Int
  ) {
    (self.kind, self.axis, self.labels, self.positions) = (kind, axis, labels, positions)
    (self.series, self.nullCount) = (series, nullCount)
  }

  /// Numbers alone make a histogram, numbers along a number or a date lines, and along anything else bars.
  private static func kind(
    for result: ResultSet, _ chosen: [Int], _ numeric: [Int]
  ) -> Kind {
    if chosen.count == 1 { return .histogram }
    return place(result, row: 0, column: chosen[0]) == nil ? .bars : .lines
  }

  private static func bars(
    _ result: ResultSet, _ chosen: [Int], _ numeric: [Int]
  ) throws(SQLError) -> Chart {
    // The first column names the bars, unless there is nothing but numbers to draw.
    let label =
      chosen.first { !result.columns[$0].isNumeric } ?? (chosen.count > 1 ? chosen[0] : nil)
    let values = numeric.filter { $0 != label }
    guard result.count <= barCountMax else {
      throw failure(
        "\(result.count) rows are more bars than can be told apart",
        hint: "Add LIMIT \(barCountMax), or draw \\plot lines or \\plot histogram.")
    }
    let drawn = values.map { series(result, $0) }
    return Chart(
      kind: .bars, axis: label.map { result.columns[$0].name } ?? "row",
      labels: (0..<result.count).map { row in
        label.map { result.text(row: row, column: $0) ?? "NULL" } ?? String(row + 1)
      }, positions: nil, series: drawn,
      nullCount: drawn.reduce(0) { $0 + $1.values.count { $0 == nil } })
  }

  private static func lines(
    _ result: ResultSet, _ chosen: [Int], _ numeric: [Int]
  ) throws(SQLError) -> Chart {
    let hasAxis = chosen.count > 1
    let axis = chosen[0]
    let values = numeric.filter { !hasAxis || $0 != axis }
    guard !values.isEmpty else { throw failure("lines need a column of numbers to go up and down") }
    var places: [(place: Double, row: Int)] = []
    var nullCount = 0
    let isPlaced = hasAxis && place(result, row: firstPlaced(result, axis), column: axis) != nil
    for row in 0..<result.count {
      if !isPlaced {
        places.append((Double(row + 1), row))
      } else if let place = place(result, row: row, column: axis) {
        places.append((place, row))
      } else {
        nullCount += 1
      }
    }
    guard !places.isEmpty else {
      throw failure("all rows have NULL in \(result.columns[axis].name)")
    }
    places.sort { ($0.place, $0.row) < ($1.place, $1.row) }
    let series = values.map { column in
      Series(
        name: result.columns[column].name,
        values: places.map { number(result, row: $0.row, column: column) })
    }
    return Chart(
      kind: .lines, axis: hasAxis ? result.columns[axis].name : "row",
      labels: places.map { place in
        hasAxis ? result.text(row: place.row, column: axis) ?? "NULL" : String(place.row + 1)
      }, positions: places.map(\.place), series: series,
      nullCount: nullCount + series.reduce(0) { $0 + $1.values.count { $0 == nil } })
  }

  private static func histogram(_ result: ResultSet, _ column: Int) throws(SQLError) -> Chart {
    let all = series(result, column)
    let values = all.values.compactMap { $0 }
    guard let low = values.min(), let high = values.max() else {
      throw failure("all rows have NULL in \(all.name)")
    }
    let ticks = NiceScale(low, high, about: 15)
    var counts = [Int](repeating: 0, count: max(1, ticks.count - 1))
    for value in values {
      let bin = Int(((value - ticks.low) / ticks.step).rounded(.down))
      counts[min(max(0, bin), counts.count - 1)] += 1
    }
    return Chart(
      kind: .histogram, axis: all.name,
      labels: counts.indices.map { bin in
        ticks.text(bin) + " … " + ticks.text(bin + 1)
      }, positions: nil,
      series: [Series(name: "count", values: counts.map { Double($0) })],
      nullCount: all.values.count - values.count)
  }

  // Values.

  private static func series(_ result: ResultSet, _ column: Int) -> Series {
    Series(
      name: result.columns[column].name,
      values: (0..<result.count).map { number(result, row: $0, column: column) })
  }

  /// The number in a place; nil for NULL, and for what is not finite or so large that no axis reaches it.
  private static func number(_ result: ResultSet, row: Int, column: Int) -> Double? {
    guard let number = result.text(row: row, column: column).flatMap({ Double($0) }),
      number.magnitude <= NiceScale.greatest
    else { return nil }
    return number.magnitude < NiceScale.least ? 0 : number
  }

  private static func firstPlaced(_ result: ResultSet, _ column: Int) -> Int {
    (0..<result.count).first { !result.isNull(row: $0, column: column) } ?? 0
  }

  /// Where a value stands on an axis: numbers by themselves, dates and times by the time; nil for anything else.
  private static func place(_ result: ResultSet, row: Int, column: Int) -> Double? {
    switch result.columns[column].type {
    case .smallint, .integer, .bigint, .oid, .real, .double, .numeric:
      return number(result, row: row, column: column)
    case .date, .timestamp, .timestamptz, .time:
      return result.chunkValue(row: row, column: column)
    case .boolean, .text, .varchar, .character, .name, .bytea, .timetz, .interval, .bit, .varbit,
      .uuid, .json, .jsonb, .array, .record, .enumeration, .unknown, .void:
      return nil
    }
  }

  static func failure(_ message: String, hint: String? = nil) -> SQLError {
    SQLError(.invalidParameterValue, message, hint: hint)
  }
}

extension ResultSet {
  /// The number by which a date or time is kept; nil for NULL.
  fileprivate func chunkValue(row: Int, column: Int) -> Double? {
    var row = row
    for chunk in chunks {
      guard row >= chunk.count else {
        switch chunk.columns[column].value(at: row) {
        case .int32(let value): return Double(value)
        case .int64(let value): return Double(value)
        case .null, .boolean, .int16, .float, .double, .numeric, .interval, .uuid, .text, .list,
          .record:
          return nil
        }
      }
      row -= chunk.count
    }
    return nil
  }
}

/// An axis with round numbers at equal distances.
struct NiceScale {
  let low, high, step: Double
  /// The number of marks, both ends included.
  let count: Int
  private let digits: Int

  /// Numbers beyond have no distances that a `Double` can hold, and those that are nearer to zero are zero.
  static let greatest = 1e200
  static let least = 1e-200

  /// About so many steps from a round number below `low` to one above `high`.
  ///
  /// - Precondition: both are within `greatest`, and zero or beyond `least`.
  init(_ low: Double, _ high: Double, about steps: Int) {
    // Numbers that differ in their last digits only are one.
    let isSpan = high - low > max(abs(low), abs(high)) * 1e-12
    let span = isSpan ? high - low : max(1, abs(low) * 0.1)
    let raw = span / Double(max(1, steps))
    var unit = 1.0
    while unit * 10 <= raw { unit *= 10 }
    while unit > raw { unit /= 10 }
    let step = [1.0, 2, 5, 10].map { $0 * unit }.first { $0 >= raw * 0.999 } ?? 10 * unit
    self.step = step
    self.low = (low / step).rounded(.down) * step
    let top = ((isSpan ? high : low + span) / step).rounded(.up) * step
    self.high = top
    count = Int(((top - self.low) / step).rounded()) + 1
    var digits = 0
    var scale = step
    while digits < 12, abs(scale - scale.rounded()) > 1e-9 * max(1, scale) {
      scale *= 10
      digits += 1
    }
    self.digits = digits
  }

  func value(_ mark: Int) -> Double { low + Double(mark) * step }

  /// The number at a mark.
  func text(_ mark: Int) -> String { Shell.decimal(value(mark), digits: digits) }
}
