import Columnar
import Diagnostics
import Planning
import Storage

/// Joins the edges of each parent with each other, or with edges of another kind of the same parent.
final class ListJoinOperator: StreamOperator {
  private let join: ListJoin
  private let access: ListAccess
  private let inputCompiler: ExpressionCompiler
  private let leftCompiler: ExpressionCompiler
  private let rightCompiler: ExpressionCompiler
  private let pairCompiler: ExpressionCompiler

  /// `marks` are what is asked of all edges of each side.
  init(
    _ join: ListJoin, marks: (left: RowFilter?, right: RowFilter?),
    _ compiler: (_ columns: [PlanColumn]) -> ExpressionCompiler
  ) {
    self.join = join
    inputCompiler = compiler(join.input.outputs)
    leftCompiler = compiler(join.leftOutputs)
    rightCompiler = compiler(join.right.columns)
    pairCompiler = compiler(join.leftOutputs + join.right.columns)
    access = ListAccess(join, marks)
  }

  override var isSequential: Bool { join.conditions.contains { $0.callsSession } }

  override func prepare(_ context: ExecutionContext) throws(SQLError) -> Bool {
    try access.open(context)
    return true
  }

  override func makeStage(next: Stage) throws(SQLError) -> Stage {
    let (left, right) = (join.leftOutputs, join.right.columns)
    return ListJoinStage(
      access, keys: try inputCompiler.compile(join.keys),
      leftFilter: try ConjunctiveFilter(join.left.filters, leftCompiler),
      rightFilter: try ConjunctiveFilter(join.right.filters, rightCompiler),
      conditions: try PairConditions(
        join.conditions, probe: left, build: right, pairCompiler),
      equal: join.equalColumns.compactMap { pair in
        guard let own = left.firstIndex(where: { $0.id == pair.left }),
          let other = right.firstIndex(where: { $0.id == pair.right })
        else { return nil }
        return (own, other)
      }, JoinRules(join.kind), probeTypes: left.map(\.type), next: next)
  }
}

/// Reads the two lists of a parent; once, where they are the same.
///
/// As `TableAccess`.
final class ListAccess {
  let left: AdjacencyAccess
  /// Whether both lists are the same, which is then gone through once.
  private let isOneList: Bool
  /// nil where the left access reads the columns of both.
  private let right: AdjacencyAccess?
  /// The places of each side's columns among those read, where they are read together, and their types.
  private var leftPlaces: [Int] = []
  private var rightColumns: [(place: Int, type: LogicalType)] = []
  private let marks: (left: RowFilter?, right: RowFilter?)
  /// A bit for each edge of a side that is taken; nil for all.
  private var wanted: (left: Buffer<UInt64>?, right: Buffer<UInt64>?)
  /// So many edges of a side are read for one that is taken, about.
  private(set) var edgesForOne = 1

  init(_ join: ListJoin, _ marks: (left: RowFilter?, right: RowFilter?)) {
    self.marks = marks
    isOneList = join.isOfOneList
    guard join.isReadOnce else {
      left = AdjacencyAccess(join.left)
      right = AdjacencyAccess(join.right)
      return
    }
    var both = join.left
    for column in join.right.edgeColumns
    where !both.edgeColumns.contains(where: { $0.index == column.index }) {
      both.edgeColumns.append(column)
    }
    left = AdjacencyAccess(both)
    right = nil
    leftPlaces = Array(join.left.edgeColumns.indices)
    rightColumns = join.right.edgeColumns.compactMap { column in
      both.edgeColumns.firstIndex { $0.index == column.index }.map { ($0, column.column.type) }
    }
  }

  func open(_ context: ExecutionContext) throws(SQLError) {
    try left.open(context.tables)
    try right?.open(context.tables)
    let own = try left.current().edges
    let others = try (right ?? left).current().edges
    let lefts = try marks.left?.filtered(ReachedSet(allOf: own), isOwn: true, own, context)
    let rights = try marks.right?.filtered(ReachedSet(allOf: others), isOwn: true, others, context)
    wanted = (lefts?.bits, rights?.bits)
    let share = max(lefts?.share ?? 1, rights?.share ?? 1)
    edgesForOne = Int(min(Self.edgesForOneMax, 1 / max(share, 1 / Self.edgesForOneMax)))
  }

  private static let edgesForOneMax = 8.0

  /// The edges of some sources: for each the index of its source, and its columns.
  struct Edges {
    var rows: Buffer<UInt32>
    var columns: [Vector]
    var count: Int
  }

  /// How many edges each source has on both sides.
  func degrees(
    of sources: Buffer<UInt32>, count: Int
  ) throws(SQLError) -> (left: Buffer<UInt32>, right: Buffer<UInt32>) {
    let own = try left.current().adjacency.degrees(of: sources, count: count)
    guard let right, !isOneList else { return (own, own) }
    return (own, try right.current().adjacency.degrees(of: sources, count: count))
  }

  func edges(
    of sources: Buffer<UInt32>, _ range: Range<Int>,
    _ degrees: (left: Buffer<UInt32>, right: Buffer<UInt32>)
  ) throws(SQLError) -> (left: Edges, right: Edges) {
    let all = try left.matches(of: sources, range, degrees.left)
    guard let right else {
      let columns = try left.columns(all)
      return (
        Edges(rows: all.rows, columns: leftPlaces.map { columns[$0] }, count: all.count),
        Edges(
          rows: all.rows, columns: rightColumns.map { columns[$0.place].retyped($0.type) },
          count: all.count)
      )
    }
    let others = isOneList ? all : try right.matches(of: sources, range, degrees.right)
    return (
      try edges(all, wanted.left, left), try edges(others, wanted.right, right)
    )
  }

  private func edges(
    _ found: TableAccess.Matches, _ wanted: Buffer<UInt64>?, _ access: AdjacencyAccess
  ) throws(SQLError) -> Edges {
    var found = found
    if let wanted { found.keepEdges(in: wanted) }
    return Edges(rows: found.rows, columns: try access.columns(found), count: found.count)
  }
}

private final class ListJoinStage: PairJoinStage {
  private let access: ListAccess
  private let keys: [any Evaluator]
  private let leftFilter: ConjunctiveFilter
  private let rightFilter: ConjunctiveFilter
  /// The places of columns that are equal in a pair.
  private let equal: [(left: Int, right: Int)]
  private let account = MemoryAccount()

  /// So many edges of a side are joined at a time, about, unless one parent has more.
  private static let edgeCountMax = Vector.chunkCapacity
  /// In a longer list rows with equal columns are looked up by hash rather than compared one by one.
  private static let comparedCountMax = 128

  init(
    _ access: ListAccess, keys: [any Evaluator], leftFilter: ConjunctiveFilter,
    rightFilter: ConjunctiveFilter, conditions: PairConditions?, equal: [(left: Int, right: Int)],
    _ rules: JoinRules, probeTypes: [LogicalType], next: Stage
  ) {
    self.access = access
    self.keys = keys
    self.leftFilter = leftFilter
    self.rightFilter = rightFilter
    self.equal = equal
    super.init(
      rules, isFlipped: false, conditions: conditions, truth: nil, probeTypes: probeTypes,
      next: next)
  }

  override func start(_ context: ExecutionContext) throws(SQLError) {
    try super.start(context)
    account.reset(context)
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    let context = try running()
    var chunk = chunk
    let sources = try access.left.sources(of: &chunk, keys, context)
    let degrees = try access.degrees(of: sources, count: chunk.count)
    let edgeCountMax = Self.edgeCountMax * access.edgesForOne
    var start = 0
    while start < chunk.count {
      try context.check()
      var (end, lefts, rights) = (start, 0, 0)
      while end < chunk.count {
        let (left, right) = (Int(degrees.left[end]), Int(degrees.right[end]))
        let isLong = right > Self.comparedCountMax
        if end > start
          && (isLong || lefts + left > edgeCountMax || rights + right > edgeCountMax)
        {
          break
        }
        lefts += left
        rights += right
        end += 1
        if isLong { break }
      }
      let hasPairs = lefts > 0 && (rights > 0 || !rules.needsBuildRows)
      if hasPairs, try !join(chunk, sources, start..<end, degrees, context) { return false }
      start = end
    }
    return true
  }

  /// Joins the lists of some sources.
  private func join(
    _ chunk: DataChunk, _ sources: Buffer<UInt32>, _ range: Range<Int>,
    _ degrees: (left: Buffer<UInt32>, right: Buffer<UInt32>), _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    var (left, right) = try access.edges(of: sources, range, degrees)
    var rows = DataChunk(
      Vector.gathered(chunk.columns, left.rows, count: left.count) + left.columns,
      count: left.count)
    if !leftFilter.isEmpty, let kept = try leftFilter.select(&rows, context) {
      rows = rows.gathered(kept)
      left.rows = kept.mapped(through: SelectionVector(left.rows, count: left.count)).positions
    }
    if !rightFilter.isEmpty {
      var others = DataChunk(right.columns, count: right.count)
      if let kept = try rightFilter.select(&others, context) {
        right.columns = others.gathered(kept).columns
        right.rows = kept.mapped(through: SelectionVector(right.rows, count: right.count)).positions
        right.count = kept.count
      }
    }
    if rows.count == 0 || right.count == 0 && rules.needsBuildRows { return true }
    let build = try buildRows(right)
    try account.set(
      rows.approximateByteCount
        + DataChunk(right.columns, count: right.count).approximateByteCount)
    let table = try range.count == 1 ? lookup(build) : nil
    let lists = Self.places(right, range)
    var start = 0
    while start < rows.count {
      try context.check()
      let part = rows.slice(from: start, count: min(Vector.chunkCapacity, rows.count - start))
      let ranges: CandidateRanges
      if let table {
        ranges = try table.candidates(
          of: equal.map { part.columns[$0.left].flattened() }, count: part.count)
      } else {
        ranges = CandidateRanges(all: 0, count: part.count)
        for row in 0..<part.count {
          let source = Int(left.rows[start &+ row]) &- range.lowerBound
          ranges.starts[row] = lists[source]
          ranges.ends[row] = lists[source &+ 1]
        }
      }
      if try !join(part, ranges, build) { return false }
      start += part.count
    }
    return true
  }

  /// The right rows in flat columns, with a row of NULLs behind them where a left row may have no match.
  private func buildRows(_ right: ListAccess.Edges) throws(SQLError) -> BuildRows {
    let chunk = DataChunk(right.columns, count: right.count)
    var build =
      rules.keepsProbe
      ? try BuildRows([chunk], types: right.columns.map(\.type), optional: true)
      : BuildRows(right.columns.map { $0.compactFlattened() }, count: right.count)
    try build.prepare(for: conditions, try running())
    return build
  }

  /// A long list by the columns that are equal in a pair; nil where it is not long, or there are none.
  private func lookup(_ build: BuildRows) throws(SQLError) -> JoinTable? {
    guard !equal.isEmpty, build.count > Self.comparedCountMax else { return nil }
    return try JoinTable(
      keys: equal.map { build.columns[$0.right].slice(from: 0, count: build.count).flattened() },
      nullsMatch: equal.map { _ in false }, count: build.count)
  }

  /// Where the list of each source of the range begins; its end is where the next one does.
  private static func places(_ edges: ListAccess.Edges, _ range: Range<Int>) -> Buffer<UInt32> {
    let places = Buffer<UInt32>(uninitialized: range.count + 1)
    var next = 0
    for source in range {
      places[source &- range.lowerBound] = UInt32(truncatingIfNeeded: next)
      while next < edges.count && Int(edges.rows[next]) == source { next &+= 1 }
    }
    places[range.count] = UInt32(truncatingIfNeeded: next)
    return places
  }
}
