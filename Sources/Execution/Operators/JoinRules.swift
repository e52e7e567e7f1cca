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

  /// Rows in flat columns.
  init(_ columns: [Vector], count: Int) {
    self.columns = columns
    self.count = count
  }

  /// The rows of `chunks`; `optional` adds a row of NULLs behind them, which stands for a missing match.
  ///
  /// - Throws: 57014, 53200.
  init(_ chunks: [DataChunk], types: [LogicalType], optional: Bool) throws(SQLError) {
    let rows = chunks.reduce(0) { $0 + $1.count }
    count = rows
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

  /// Brings what conditions compare into the form in which it is compared.
  ///
  /// - Throws: 57014, 53200.
  mutating func prepare(
    for conditions: PairConditions?, _ context: ExecutionContext
  ) throws(SQLError) {
    numbers = try conditions?.numbers(of: self, context) ?? [:]
  }

  /// The bytes that `prepare` has taken, at most.
  var preparedByteCount: Int { numbers.count * 8 * count }

  /// The row of NULLs.
  var missing: UInt32 { UInt32(truncatingIfNeeded: count) }
}
