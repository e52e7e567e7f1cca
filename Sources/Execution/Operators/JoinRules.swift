import Columnar
import Diagnostics
import Planning

/// What a join does with matches and with rows that have none, told from probe and build side.
struct JoinRules {
  enum Output {
    /// Pairs that match.
    case pairs
    /// Probe rows with a match.
    case matched
    /// Probe rows without one.
    case unmatched
    /// Probe rows and a truth value.
    case mark
    /// Build rows with a match, once all probe rows have been.
    case buildMatched
    /// Build rows without one.
    case buildUnmatched
    /// Build rows and whether they have one.
    case buildMark
  }
  var output: Output
  /// Whether a probe row without a match comes out with NULLs for the build side.
  var keepsProbe = false
  /// The same for build rows.
  var keepsBuild = false
  /// Whether a second match of a probe row is an error.
  var isSingle = false
  /// Whether a condition that is NULL makes a mark NULL rather than false.
  var marksUnknown = false

  /// `isFlipped` says whether the build side is the logical left.
  init(_ kind: JoinPlan.Kind, isFlipped: Bool = false) {
    output = .pairs
    switch kind {
    case .inner: break
    case .left:
      keepsProbe = !isFlipped
      keepsBuild = isFlipped
    case .right:
      keepsProbe = isFlipped
      keepsBuild = !isFlipped
    case .full:
      keepsProbe = true
      keepsBuild = true
    case .single:
      keepsProbe = true
      isSingle = true
    case .semi: output = isFlipped ? .buildMatched : .matched
    case .anti: output = isFlipped ? .buildUnmatched : .unmatched
    case .mark: output = isFlipped ? .buildMark : .mark
    }
  }

  /// Whether what comes out is rows of the build side alone, at the end.
  var givesBuildRows: Bool {
    output == .buildMatched || output == .buildUnmatched || output == .buildMark
  }

  /// Whether all that is asked of a probe row is whether it has a match.
  var asksForMatch: Bool { output == .matched || output == .unmatched || output == .mark }

  /// Whether it must be known which build rows have had a match.
  var marksBuild: Bool { keepsBuild || givesBuildRows }

  /// Whether nothing comes out where the build side is empty.
  var needsBuildRows: Bool {
    switch output {
    case .pairs: !keepsProbe
    case .matched, .buildMatched, .buildUnmatched, .buildMark: true
    case .unmatched, .mark: false
    }
  }

  static func moreThanOneRow() -> SQLError {
    SQLError(
      .cardinalityViolation, "more than one row returned by a subquery used as an expression")
  }
}

/// The rows of a build side, put together in flat columns.
struct BuildRows: Sendable {
  /// No rows and no columns.
  static let none = BuildRows([], count: 0)

  var columns: [Vector]
  var count: Int
  /// The numbers that conditions compare, by the places of these.
  private(set) var numbers: [Int: PairNumbers] = [:]
  /// The places of those comparisons in the order of whose numbers the candidates stand.
  private(set) var rangePlaces: [Int] = []
  /// How many rows can meet the conditions: all but those without a range key.
  private(set) var candidateCount: Int

  /// Rows in flat columns.
  init(_ columns: [Vector], count: Int) {
    self.columns = columns
    self.count = count
    candidateCount = count
  }

  /// The rows of `chunks`; `optional` adds a row of NULLs behind them, which stands for a missing match.
  ///
  /// - Throws: 57014, 53200.
  init(_ chunks: [DataChunk], types: [LogicalType], optional: Bool) throws(SQLError) {
    let rows = chunks.reduce(0) { $0 + $1.count }
    count = rows
    candidateCount = rows
    columns = []
    for column in types.indices {
      var parts = chunks.map { $0.columns[column] }
      if optional { parts.append(Vector.null(types[column], count: 1)) }
      columns.append(
        parts.isEmpty
          ? VectorBuilder(types[column], capacity: 1).finish()
          : try Vector.concatenateInSlices(parts, type: types[column]))
    }
  }

  /// Brings the rows into another order; a row of NULLs behind them stays there.
  ///
  /// - Throws: 57014, 53200.
  mutating func arrange(_ order: Buffer<UInt32>) throws(SQLError) {
    for place in columns.indices {
      var arranged = try columns[place].gatheredInSlices(order, count: count)
      if columns[place].count > count {
        arranged = try Vector.concatenateInSlices(
          [arranged, Vector.null(arranged.type, count: 1)], type: arranged.type)
      }
      columns[place] = arranged
    }
  }

  /// Brings what conditions compare into the form in which it is compared, and rows into the order of the conditions' range key, those
  /// without one last.
  ///
  /// - Throws: 57014, 53200.
  mutating func prepare(
    for conditions: PairConditions?, _ context: ExecutionContext
  ) throws(SQLError) {
    guard let conditions else { return }
    if let column = conditions.rangeColumn { try arrange(byColumn: column) }
    numbers = try conditions.numbers(of: self, context)
    guard let column = conditions.rangeColumn else { return }
    // Without a value in the key no row meets the conditions.
    candidateCount =
      count
      - columns[column].slice(from: 0, count: count).compactFlattened().validity.nullCount(count)
    let all = Buffer(repeating: UInt32(truncatingIfNeeded: candidateCount), count: 2)
    all[0] = 0
    try takeRanges(conditions, starts: all, count: 1, order: nil)
  }

  /// The same for rows that a table finds by their keys, those of a key in the order of the range key.
  ///
  /// - Throws: 57014, 53200.
  mutating func prepare(
    for conditions: PairConditions?, in table: JoinTable, _ context: ExecutionContext
  ) throws(SQLError) {
    guard let conditions else { return }
    numbers = try conditions.numbers(of: self, context)
    if conditions.rangeColumn == nil { return }
    try takeRanges(conditions, starts: table.offsets, count: table.keyCount, order: table.order)
  }

  /// Notes the comparisons of numbers that rise in each stretch of candidates.
  ///
  /// What is computed of the range key, as it plus a number, rises with it, and so may other columns.
  private mutating func takeRanges(
    _ conditions: PairConditions, starts: Buffer<UInt32>, count: Int, order: Buffer<UInt32>?
  ) throws(SQLError) {
    for (place, numbers) in numbers where conditions.isRange(place) {
      if try numbers.rise(starts: starts, count: count, order: order) { rangePlaces.append(place) }
    }
  }

  /// Brings the rows into the order of a column, those without a value last.
  ///
  /// - Throws: 57014, 53200.
  mutating func arrange(byColumn column: Int) throws(SQLError) {
    let key = columns[column].slice(from: 0, count: count)
    let order = try Sorting.order(columns: [key], orders: [SortOrder()], count: count)
    if let order { try arrange(order) }
  }

  /// The bytes that `prepare` has taken, at most.
  var preparedByteCount: Int { numbers.count * 8 * count }

  /// The row of NULLs.
  var missing: UInt32 { UInt32(truncatingIfNeeded: count) }
}
