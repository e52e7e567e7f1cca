import Columnar
import Diagnostics
import Planning

/// An expression over one column of whole numbers, dates or small exact numbers, looked up where it would be computed.
///
/// Millions of rows have some thousand days, a dozen semesters, forty grades: `to_char(taken_on, 'YYYY-MM')` is computed once for
/// each day from the first to the last, and rows find their day's result by its number. The table is made once as many rows
/// have been computed as it has entries, so that it never costs more than what it follows, and made anew, larger, for numbers
/// outside. Where they are too far apart, or the expression fails for one of them, rows are computed as before: a number
/// that no row has may never raise an error.
final class TabulatedEvaluator: Evaluator {
  let type: LogicalType
  /// The place of the column.
  private let column: Int
  /// The expression over a chunk of just that column.
  private let evaluator: any Evaluator
  /// Whether numbers beyond those of the rows may be tried.
  private let mayExceed: Bool

  private var table: Table?
  /// The numbers seen; nil before any.
  private var seen: ClosedRange<Int64>?
  /// How many rows were computed since the table was made.
  private var computedCount = 0
  private var isGivenUp = false
  /// What parameters, settings and codes stand for is the same in one run of a statement, and may be another in the next.
  private var run: UInt64 = 0

  /// The results of all numbers from `first` on, and behind them that of NULL.
  private struct Table {
    var first: Int64
    var span: Int
    var results: Vector
    /// How the numbers stand for exact ones.
    var digits: DecimalForm?

    /// The results of the rows of a flat vector; nil where a number is not in the table.
    func lookUp(_ input: Vector, _ count: Int) -> Vector? {
      WholeNumberTable.places(of: input, count: count, from: first, span: span)
        .map { results.gathered($0, count: count) }
    }
  }

  /// So many entries are still quicker to find than most expressions are to compute.
  private static let spanMax = 65_536

  init(_ evaluator: any Evaluator, column: Int, mayExceed: Bool) {
    self.evaluator = evaluator
    self.column = column
    self.mayExceed = mayExceed
    type = evaluator.type
  }

  func evaluate(_ chunk: inout DataChunk, _ context: ExecutionContext) throws(SQLError) -> Vector {
    if run != context.runNumber {
      (table, seen, computedCount, isGivenUp, run) = (nil, nil, 0, false, context.runNumber)
    }
    if isGivenUp { return try compute(chunk.columns[column], chunk.count, context) }
    let input = chunk.columns[column].compactNormalized()
    chunk.columns[column] = input
    if input.form == .constant { return try compute(input, chunk.count, context) }
    if let table, table.digits?.scale == input.digits?.scale,
      let found = table.lookUp(input, chunk.count)
    {
      return found
    }
    note(input, chunk.count)
    computedCount += chunk.count
    if let seen, !isGivenUp, computedCount >= seen.upperBound - seen.lowerBound {
      try tabulate(seen, like: input, context)
      if let table, let found = table.lookUp(input, chunk.count) { return found }
    }
    return try compute(input, chunk.count, context)
  }

  func evaluateCompact(
    _ chunk: inout DataChunk, _ context: ExecutionContext
  ) throws(SQLError) -> Vector {
    try evaluate(&chunk, context).compactNormalized()
  }

  private func compute(
    _ input: Vector, _ count: Int, _ context: ExecutionContext
  ) throws(SQLError) -> Vector {
    var part = DataChunk([input], count: count)
    return try evaluator.evaluateCompact(&part, context)
  }

  /// Widens what is known of the numbers by those of a chunk.
  private func note(_ input: Vector, _ count: Int) {
    if input.type.physical == .numeric && input.digits == nil {
      isGivenUp = true
      return
    }
    // A column whose exact numbers stand in another form now begins anew.
    if let table, table.digits?.scale != input.digits?.scale { (self.table, seen) = (nil, nil) }
    guard let range = WholeNumberTable.range(of: input, count: count) else { return }
    let all =
      seen.map {
        min($0.lowerBound, range.lowerBound)...max($0.upperBound, range.upperBound)
      } ?? range
    seen = all
    isGivenUp =
      all.upperBound.subtractingReportingOverflow(all.lowerBound).overflow
      || all.upperBound - all.lowerBound >= Int64(Self.spanMax)
  }

  /// Makes the table of all numbers of a range, and of as many more on the sides where it has grown.
  private func tabulate(
    _ range: ClosedRange<Int64>, like input: Vector, _ context: ExecutionContext
  ) throws(SQLError) {
    computedCount = 0
    if mayExceed, let wider = widened(range, input) {
      if (try? results(of: wider, like: input, context)) != nil { return }
      try RunningStatement.check()
    }
    do {
      try results(of: range, like: input, context)
    } catch {
      try RunningStatement.check()
      isGivenUp = true
      table = nil
    }
  }

  /// The range with room on the side where numbers fell outside of the last table; nil where there is none.
  private func widened(_ range: ClosedRange<Int64>, _ input: Vector) -> ClosedRange<Int64>? {
    let limits = input.type == .date ? Self.plainDays : WholeNumberTable.limits(of: input)
    let count = range.upperBound - range.lowerBound + 1
    let room = min(count, Int64(Self.spanMax) - count)
    guard let table, room > 0, limits.contains(range.lowerBound), limits.contains(range.upperBound)
    else { return nil }
    let (low, high) = (range.lowerBound, range.upperBound)
    if high - table.first >= Int64(table.span) {
      return low...(high > limits.upperBound - room ? limits.upperBound : high + room)
    }
    return (low < limits.lowerBound + room ? limits.lowerBound : low - room)...high
  }

  /// Dates that no calendar ends before.
  private static let plainDays: ClosedRange<Int64> = -500_000...500_000

  private func results(
    of range: ClosedRange<Int64>, like input: Vector, _ context: ExecutionContext
  ) throws(SQLError) {
    let span = Int(range.upperBound - range.lowerBound) + 1
    var parts: [Vector] = []
    for start in stride(from: 0, to: span, by: Vector.chunkCapacity) {
      try RunningStatement.check()
      let count = min(Vector.chunkCapacity, span - start)
      let numbers = WholeNumberTable.numbers(
        from: range.lowerBound + Int64(start), count: count, like: input)
      parts.append(try compute(numbers, count, context))
    }
    parts.append(try compute(Vector.null(input.type, count: 1), 1, context))
    var results = try Vector.concatenateInSlices(parts, type: type)
    if type == .numeric, results.digits == nil {
      // Once for all rows that will be moved.
      results = results.narrowed(count: results.count)?.narrowest() ?? results
    }
    table = Table(
      first: range.lowerBound, span: span, results: results, digits: input.digits)
  }
}

extension BoundExpression {
  /// What is known of an expression that may be tabulated.
  struct Tabulation {
    /// The only column.
    var column: ColumnID
    /// Whether it may be tried for numbers beyond those of all rows.
    var mayExceed: Bool
  }

  /// So dear an expression takes longer to compute than to look up.
  private static let tabulatedCost = 6.0
  /// Larger expressions are taken by their parts.
  private static let tabulatedParts = 200

  /// How the expression may be tabulated; nil where it has several columns, or is cheap, or not the same for equal rows.
  var tabulation: Tabulation? {
    if isLeaf { return nil }
    var (found, left): (ColumnID?, Int) = (nil, Self.tabulatedParts)
    // There may be no code, and no label, beyond the last one seen.
    var mayExceed = true
    /// Whether `part` says no; with `hasLocals` there is a `shared` around it inside of the expression.
    func refuses(_ part: BoundExpression, _ hasLocals: Bool) -> Bool {
      left -= 1
      if left < 0 { return true }
      switch part {
      case .column(let id, let type):
        guard found == nil || found == id, type.isCountable else { return true }
        found = id
        mayExceed = mayExceed && type.isOpen
        return false
      case .local: return !hasLocals
      case .call(let call) where call.volatility == .volatile: return true
      case .shared: return part.containsChild { refuses($0, true) }
      case .session, .subquery, .aggregate, .window: return true
      case .decoded:
        mayExceed = false
        return part.containsChild { refuses($0, hasLocals) }
      case .constant, .parameter, .call, .cast, .and, .or, .not, .comparison, .distinct, .isNull,
        .isBoolean, .caseWhen, .coalesce, .extreme, .inList, .quantified, .quantifiedCall, .array,
        .row, .field:
        return part.containsChild { refuses($0, hasLocals) }
      }
    }
    guard !refuses(self, false), let found, evaluationCost >= Self.tabulatedCost else { return nil }
    return Tabulation(column: found, mayExceed: mayExceed)
  }
}

extension LogicalType {
  /// Whether values are whole numbers, or may be kept as such.
  fileprivate var isCountable: Bool {
    switch physical {
    case .int16, .int32, .int64, .numeric: true
    case .bool, .float, .double, .interval, .uuid, .text, .list, .record: false
    }
  }

  /// Whether every number stands for a value.
  fileprivate var isOpen: Bool {
    switch self {
    case .smallint, .integer, .bigint, .numeric, .date: true
    case .boolean, .real, .double, .text, .varchar, .character, .name, .bytea, .time, .timetz,
      .timestamp, .timestamptz, .interval, .bit, .varbit, .uuid, .json, .jsonb, .array, .record,
      .oid, .enumeration, .unknown, .void:
      false
    }
  }
}
