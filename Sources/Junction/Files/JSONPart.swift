import Columnar
import Diagnostics

/// What the parts of a window of JSON are read by.
struct JSONPartPlan: Sendable {
  /// The keys that are known.
  let keys: JSONKeyTable
  /// The kinds that the values of each column have.
  let kinds: [Set<JSONKind>]
  /// How columns become vectors; none where values are only looked at.
  let rules: [JSONColumnRule]?
  /// How many samples each column lacks.
  let samplesWanted: [Int]
  /// Whether the records are elements of an array.
  let isArray: Bool
  let evaluation: EvaluationContext
}

/// Some of the records in a window of JSON: those that begin within a stretch of it, if one begins where it does.
struct JSONPart: Sendable {
  /// What stands behind a record.
  enum Next: Sendable {
    /// Another one, and where.
    case record(Int)
    /// Nothing but white space to the end of the window.
    case windowEnd
    /// The end of the array, and what is behind it.
    case arrayEnd(Int)
    /// A record that the window does not hold to its end.
    case cutOff
    /// What is not understood here.
    case bad
  }

  /// A column whose values are not all of its type.
  struct Misfit: Sendable {
    let column: Int
    let values: [String]
  }

  let start: Int
  /// Just behind the last record, or where one begins that is cut off.
  private(set) var end: Int
  private(set) var next: Next
  private(set) var rowCount = 0
  private(set) var chunks: [DataChunk] = []
  private(set) var keys: JSONKeyTable
  /// The kinds of the values of each column.
  private(set) var kinds: [Set<JSONKind>] = []
  private(set) var samples: [[String]] = []
  private(set) var misfit: Misfit?
  /// Whether the vectors are those of all values.
  private(set) var isConverted: Bool

  /// Reads the records from `start` on, up to the first that begins at `stop` or behind it.
  ///
  /// - Throws: 53200, 57014.
  init(
    _ text: TextBytes, from start: Int, to stop: Int, by plan: JSONPartPlan
  ) throws(SQLError) {
    self.start = start
    end = start
    next = .record(start)
    keys = plan.keys
    isConverted = plan.rules != nil
    var scanner = JSONRecordScanner(text, keys: plan.keys)
    var row = 0
    while case .record(let position) = next, position < stop {
      switch scanner.scan(at: position, row: row) {
      case .end(let place):
        row += 1
        end = place
        next = Self.next(text, behind: place, plan.isArray)
      case .cutOff:
        end = position
        next = .cutOff
      case .bad: next = .bad
      }
      if row == JSONRecordScanner.rowsMax {
        try take(row, of: scanner, text, plan)
        row = 0
      }
    }
    try take(row, of: scanner, text, plan)
    keys = scanner.keys
    kinds = scanner.kinds.map(JSONRecordScanner.kinds(of:))
    if text.slice(start..<end).firstInvalidUTF8 != nil { next = .bad }
  }

  /// What follows a record.
  static func next(_ text: TextBytes, behind end: Int, _ isArray: Bool) -> Next {
    var place = JSONRecordScanner.skipSpace(text, from: end)
    guard place < text.count else { return .windowEnd }
    if !isArray { return .record(place) }
    switch text[place] {
    case UInt8(ascii: "]"): return .arrayEnd(place + 1)
    case UInt8(ascii: ","):
      place = JSONRecordScanner.skipSpace(text, from: place + 1)
      return place < text.count ? .record(place) : .windowEnd
    default: return .bad
    }
  }

  /// Takes over the first rows of the matrix.
  private mutating func take(
    _ rows: Int, of scanner: JSONRecordScanner, _ text: TextBytes, _ plan: JSONPartPlan
  ) throws(SQLError) {
    try RunningStatement.check()
    rowCount += rows
    collectSamples(rows, scanner, text, plan)
    if isConverted, let rules = plan.rules {
      isConverted = zip(scanner.kinds, plan.kinds).allSatisfy {
        JSONRecordScanner.kinds(of: $0).isSubset(of: $1)
      }
      if isConverted { try convert(rows, scanner, text, rules, plan.evaluation) }
      if !isConverted { chunks = [] }
    }
    // The row behind them may hold a part of a record.
    scanner.clear(rows: min(rows + 1, JSONRecordScanner.rowsMax))
  }

  private mutating func convert(
    _ rows: Int, _ scanner: JSONRecordScanner, _ text: TextBytes, _ rules: [JSONColumnRule],
    _ evaluation: EvaluationContext
  ) throws(SQLError) {
    if rows == 0 { return }
    var columns: [Vector] = []
    columns.reserveCapacity(rules.count)
    for (column, rule) in rules.enumerated() {
      do throws(SQLError) {
        let vector = try rule.vector(rows, evaluation) { row in
          let range = scanner.cell(row, column).range
          return range.isEmpty ? nil : text.slice(range)
        }
        if let vector {
          columns.append(vector)
          continue
        }
        misfit = Misfit(column: column, values: values(of: column, rows, scanner, text, .max))
      } catch {
        if error.state == .queryCanceled || error.state == .outOfMemory { throw error }
        next = .bad
      }
      isConverted = false
      return
    }
    chunks.append(DataChunk(columns, count: rows))
  }

  private mutating func collectSamples(
    _ rows: Int, _ scanner: JSONRecordScanner, _ text: TextBytes, _ plan: JSONPartPlan
  ) {
    let width = scanner.keys.columns.count
    while samples.count < width { samples.append([]) }
    for column in 0..<width {
      let wanted =
        column < plan.samplesWanted.count
        ? plan.samplesWanted[column] : JSONColumnGuess.sampleCount
      let missing = wanted - samples[column].count
      if missing > 0 { samples[column] += values(of: column, rows, scanner, text, missing) }
    }
  }

  /// The first values of a column.
  private func values(
    of column: Int, _ rows: Int, _ scanner: JSONRecordScanner, _ text: TextBytes, _ limit: Int
  ) -> [String] {
    var values: [String] = []
    for row in 0..<rows {
      if values.count >= limit { break }
      let range = scanner.cell(row, column).range
      if !range.isEmpty { values.append(JSONColumnGuess.sample(text.slice(range))) }
    }
    return values
  }
}
