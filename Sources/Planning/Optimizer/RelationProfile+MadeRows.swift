import Columnar

/// Rows that no table has: those written in the query, and those that functions make.
extension RelationProfile {
  /// The profile of the rows of VALUES.
  static func written(_ rows: [[BoundExpression]], _ columns: [PlanColumn]) -> RelationProfile {
    var profile = RelationProfile(rows: Double(rows.count))
    // Of so many rows it is not worth while to know more.
    guard rows.count <= 1000 else { return profile }
    for (place, column) in columns.enumerated() {
      let values = rows.map { place < $0.count ? $0[place].asConstant : nil }
      let numbers = values.compactMap { $0?.asDouble }
      let texts = values.compactMap { $0?.asText }
      let nullCount = values.count { $0?.isNull ?? false }
      guard numbers.count + texts.count + nullCount == rows.count else { continue }
      let count = Set(numbers).count + Set(texts).count
      var own = ColumnProfile(
        distinctCount: Double(max(count, 1)),
        nullFraction: Double(nullCount) / Double(max(rows.count, 1)))
      if texts.isEmpty, let low = numbers.min(), let high = numbers.max() { own.range = low...high }
      profile.columns[column.id] = own
    }
    return profile
  }

  /// The profile of these rows with those that functions make for each of them.
  func beside(
    _ function: TableFunctionPlan, _ graph: RelationProfile?, _ statistics: StatisticsSource
  ) -> RelationProfile {
    let series = function.calls.map(\.series)
    let made = zip(function.calls, series).map { call, series in
      call.graph.map { $0.vertexCount(statistics) ?? graph?.rows ?? Self.madeRows }
        ?? series?.rows ?? Self.madeRows
    }
    let most = made.max() ?? Self.madeRows
    guard function.input == nil else { return scaled(to: rows * most) }
    var profile = scaled(to: most)
    for (call, series) in zip(function.calls, series) {
      guard let series, let column = call.columns.first else { continue }
      var own = ColumnProfile(distinctCount: max(1, series.rows))
      own.range = series.range
      profile.columns[column.id] = own
    }
    return profile
  }

  /// How many rows a function is thought to make where nothing says so.
  private static let madeRows = 10.0
}

extension TableFunctionCall {
  /// The rows of `generate_series` between constants, and the numbers that they are between.
  fileprivate var series: (rows: Double, range: ClosedRange<Double>?)? {
    guard name == "generate_series", arguments.count >= 2,
      let low = arguments[0].number, let high = arguments[1].number
    else { return nil }
    var step = 1.0
    if arguments.count > 2 {
      guard let own = arguments[2].number(in: arguments[0].innermost.type) else { return nil }
      step = own
    }
    let length = step < 0 ? low - high : high - low
    guard step != 0, length >= 0 else { return (0, nil) }
    let isOfNumbers = arguments[0].type.isNumeric
    return (
      (length / abs(step)).rounded(.down) + 1, isOfNumbers ? min(low, high)...max(low, high) : nil
    )
  }
}

extension Value {
  fileprivate var asText: [UInt8]? {
    if case .text(let bytes) = self { return bytes }
    return nil
  }
}

extension BoundExpression {
  /// What casts are applied to.
  fileprivate var innermost: BoundExpression {
    if case .cast(let cast) = self { return cast.operand.innermost }
    return self
  }

  /// A constant as a number, perhaps behind casts.
  fileprivate var number: Double? { innermost.asConstant?.asDouble }

  /// A step between values of a type as a number of theirs.
  fileprivate func number(in type: LogicalType) -> Double? {
    guard case .interval(let step)? = innermost.asConstant else { return number }
    let days = Double(step.months) * 30 + Double(step.days)
    let seconds = days * 86_400 + Double(step.microseconds) / 1_000_000
    return type == .date ? seconds / 86_400 : seconds * 1_000_000
  }
}
