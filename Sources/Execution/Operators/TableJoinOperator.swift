import Columnar
import Diagnostics
import Planning
import Storage

/// For each input row the rows of a table that its key leads to: look-up join and expand.
final class TableJoinOperator: StreamOperator {
  private let access: TableAccess
  private let keys: [BoundExpression]
  private let filters: [BoundExpression]
  private let kind: JoinPlan.Kind
  private let input: [PlanColumn]
  private let found: [PlanColumn]
  private let inputCompiler: ExpressionCompiler
  private let pairCompiler: ExpressionCompiler

  /// - Parameters:
  ///   - access: How rows are found.
  ///   - keys: The key's values, over the input.
  ///   - filters: Conditions over the input's columns and those found.
  ///   - kind: The kind of join.
  ///   - input: The input's columns.
  ///   - found: The columns of the rows found.
  ///   - compiler: Makes compilers of expressions.
  init(
    _ access: TableAccess, keys: [BoundExpression], filters: [BoundExpression],
    kind: JoinPlan.Kind, input: [PlanColumn], found: [PlanColumn],
    _ compiler: (_ columns: [PlanColumn]) -> ExpressionCompiler
  ) {
    self.access = access
    access.notesReads = true
    self.keys = keys
    self.filters = filters
    self.kind = kind
    self.input = input
    self.found = found
    inputCompiler = compiler(input)
    pairCompiler = compiler(input + found)
  }

  override var isSequential: Bool { filters.contains { $0.callsSession } }

  override func prepare(_ context: ExecutionContext) throws(SQLError) -> Bool {
    try access.open(context.tables)
    return true
  }

  override func makeStage(next: Stage) throws(SQLError) -> Stage {
    let filter = filters.isEmpty ? nil : try ConjunctiveFilter(filters, pairCompiler)
    let conditions = try PairConditions(filters, probe: input, build: found, pairCompiler)
    return TableJoinStage(
      access, keys: try inputCompiler.compile(keys), JoinRules(kind), filter, conditions,
      probeTypes: input.map(\.type), next: next)
  }
}

private final class TableJoinStage: PairJoinStage {
  private let access: TableAccess
  private let keys: [any Evaluator]
  private let filters: ConjunctiveFilter?
  /// Matches found at once, unless one row alone has more.
  private static let matchCountMax = 4 * Vector.chunkCapacity

  init(
    _ access: TableAccess, keys: [any Evaluator], _ rules: JoinRules,
    _ filters: ConjunctiveFilter?, _ conditions: PairConditions?, probeTypes: [LogicalType],
    next: Stage
  ) {
    self.access = access
    self.keys = keys
    self.filters = filters
    super.init(
      rules, isFlipped: false, conditions: conditions, truth: nil, probeTypes: probeTypes,
      next: next)
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    let context = try running()
    try context.check()
    var chunk = chunk
    var vectors: [Vector] = []
    for key in keys { vectors.append(try key.evaluateNormalized(&chunk, context).flattened()) }
    let counts = try access.matchCounts(vectors, count: chunk.count)
    if let counts, filters == nil && rules.output != .pairs {
      // Whether there is a match is all that is asked.
      let ranges = CandidateRanges(
        starts: Buffer(zeroed: max(chunk.count, 1)), ends: counts, order: nil)
      return try join(chunk, ranges, BuildRows.none)
    }
    guard let counts else { return try joinPart(chunk, vectors, context) }
    if let filters, let edges = access as? AdjacencyAccess, rules.asksForMatch,
      let looks = MatchSearch(chunk, counts, filters, edges)
    {
      return try outputMatches(chunk, try looks.run(vectors, context))
    }
    // So few rows at a time that their matches fit into a few chunks.
    var start = 0
    while start < chunk.count {
      var end = start
      var total = 0
      while end < chunk.count {
        total += Int(counts[end])
        if total > Self.matchCountMax && end > start { break }
        end += 1
      }
      let length = end - start
      let more =
        length == chunk.count
        ? try joinPart(chunk, vectors, context)
        : try joinPart(
          chunk.slice(from: start, count: length),
          vectors.map { $0.slice(from: start, count: length).flattened() }, context)
      if !more { return false }
      start = end
    }
    return true
  }

  private func joinPart(
    _ chunk: DataChunk, _ keys: [Vector], _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    let matches = try access.matches(keys, count: chunk.count)
    if rules.output == .pairs && !rules.keepsProbe {
      if matches.count == 0 { return true }
      // Of rows that each have one match at most, as many as there are rows are all of them.
      let isWhole = access.isUnique && matches.count == chunk.count
      let own =
        isWhole ? chunk.columns : Vector.gathered(chunk.columns, matches.rows, count: matches.count)
      let columns = own + (try access.columns(matches))
      var pairs = DataChunk(columns, count: matches.count)
      if let filters { pairs = try filters.apply(pairs, context) }
      return try emit(pairs)
    }
    let ranges = CandidateRanges(all: 0, count: chunk.count)
    var place = 0
    for row in 0..<chunk.count {
      ranges.starts[row] = UInt32(truncatingIfNeeded: place)
      while place < matches.count && Int(matches.rows[place]) == row { place &+= 1 }
      ranges.ends[row] = UInt32(truncatingIfNeeded: place)
    }
    let needsColumns = rules.output == .pairs || filters != nil
    let found = DataChunk(
      needsColumns ? try access.columns(matches) : [], count: matches.count)
    var build = try BuildRows(
      [found], types: needsColumns ? access.types : [], optional: rules.keepsProbe)
    try build.prepare(for: conditions, try running())
    return try join(chunk, ranges, build)
  }
}
