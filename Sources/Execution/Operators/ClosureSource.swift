import Columnar
import Diagnostics
import Planning
import Storage

/// WITH RECURSIVE … UNION whose step walks along a foreign key: rows are positions of a table, and a round is a look
/// into the adjacency index for each that is new.
///
/// One column of the rows is the key of the row that is stood on; the others stay what they are from round to round, so
/// they are numbered once, and each number reaches rows for itself.
///
/// Each round's rows are handed on as soon as the round is done, in the order in which a join round by round would
/// give them.
final class ClosureSource: Source, CountingByNumber {
  /// Where the walk begins.
  enum Seeds {
    /// At rows that a walk arrives at.
    case walked(Walker)
    /// At the rows of a plan.
    case rows(StreamRunner)
    /// At both ends of all edges that are walked along: which the plan of the runner gives as well.
    case edges(StreamRunner)
  }

  private let seeds: Seeds
  private let access: AdjacencyAccess
  private let types: [LogicalType]
  /// The column that is walked along.
  private let place: Int
  private let reached: AdjacencyClosure
  private let conditions: EdgeConditions?
  private let account = MemoryAccount()
  /// The columns that stay, by group.
  private var carried: GroupTable?
  private var carriedKeys: [Vector] = []
  /// Rows of the first round that stand on no row of the table.
  private var strays: DistinctSet?

  /// Edges between two looks at whether the run was cancelled.
  private static let edgesAtOnce = 1 << 16

  init(_ seeds: Seeds, _ walk: ClosureWalk, _ conditions: EdgeConditions?) {
    self.seeds = seeds
    self.conditions = conditions
    access = AdjacencyAccess(walk.step)
    types = walk.types
    place = walk.place
    reached = AdjacencyClosure(isGrouped: walk.types.count > 1)
  }

  override var knowsRowCount: Bool { true }

  var parameter: Int? {
    guard conditions == nil, case .walked(let walker) = seeds else { return nil }
    return walker.parameter
  }

  /// A walk that is longer than this is left to a run, which can be cancelled.
  private static let shortCount = 1 << 14

  func countRows(of number: Int64, in tables: any TableSource) throws(SQLError) -> Int? {
    guard conditions == nil, case .walked(let walker) = seeds,
      let start = try walker.rows(number: number, in: tables)
    else { return nil }
    try access.open(tables)
    let opened = try access.current()
    let end = try opened.arrivals().end
    let reached = reached
    reached.start(rowCount: opened.parents.rowCount)
    reached.insert(start.positions, groups: nil, count: start.count)
    var rounds = 0
    while reached.walkedCount < reached.count {
      if reached.count > Self.shortCount || rounds > 256 { return nil }
      rounds += 1
      reached.walk(
        opened.lists, opened.adjacency, at: end, to: reached.count,
        edgeLimit: Self.shortCount)
    }
    return reached.count
  }

  override func countRows(_ context: ExecutionContext) throws(SQLError) -> Int? {
    if case .edges = seeds, let count = try countPairs(context) { return count }
    try begin(context)
    if types.count > 1 && conditions == nil {
      return try countByGroup(context) + (strays?.count ?? 0)
    }
    repeat { reached.sortWaiting() } while try goOn(context)
    return reached.count + (strays?.count ?? 0)
  }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    try begin(context)
    for chunk in try strays?.chunks() ?? [] where try !stage.push(chunk) { return false }
    var given = 0
    while true {
      let end = reached.count
      while given < end {
        let length = min(Vector.chunkCapacity, end - given)
        if try !stage.push(try chunk(given..<(given + length))) { return false }
        given += length
      }
      if try !goOn(context) { return true }
    }
  }

  /// Finds the rows of the first round.
  private func begin(_ context: ExecutionContext) throws(SQLError) {
    account.reset(context)
    try access.open(context.tables)
    try conditions?.access.open(context.tables)
    reached.start(rowCount: try access.current().parents.rowCount)
    if strays != nil { strays = nil }
    switch seeds {
    case .walked(let walker): insert(try walker.run(context))
    case .rows(let runner), .edges(let runner):
      carried = types.count > 1 ? GroupTable(types: carriedTypes) : nil
      _ = try runner.run(into: SeedStage(self), context)
      carriedKeys = carried.map { $0.keys(0..<$0.groupCount) } ?? []
    }
    try noteSize()
  }

  /// Rows and edges that are walked over, for each row and edge of the table and in all, before another way is taken.
  private static let workPerRow = 32
  private static let workLimit = 1 << 23

  /// The number of pairs of rows of which the first reaches the second; nil where they are better counted by
  /// group.
  private func countPairs(_ context: ExecutionContext) throws(SQLError) -> Int? {
    account.reset(context)
    try access.open(context.tables)
    let opened = try access.current()
    // An edge without a parent is a row all the same.
    guard try opened.arrivals().end == .target,
      opened.adjacency.edgeCount == opened.edges.liveRowCount
    else { return nil }
    let rowCount = opened.parents.rowCount
    let limit = min(Self.workLimit, Self.workPerRow * (rowCount + opened.adjacency.edgeCount))
    try context.check()
    do throws(SQLError) {
      try account.set(
        ClosureCounts.byteCount(rowCount: rowCount, edgeCount: opened.adjacency.edgeCount))
    } catch {
      // The other way may do with less.
      return nil
    }
    defer { account.reset(context) }
    return ClosureCounts(opened.adjacency, rowCount: rowCount, limit: limit)?.total
  }

  /// Groups to a piece of work.
  private static let groupsAtOnce = 128

  /// The number of rows reached, of each group by itself: where no row is wanted, a group after the other needs no
  /// table of pairs.
  private func countByGroup(_ context: ExecutionContext) throws(SQLError) -> Int {
    let opened = try access.current()
    let seeds = GroupedSeeds(reached, groupCount: carried?.groupCount ?? 0)
    let pieces = (seeds.groupCount + Self.groupsAtOnce - 1) / Self.groupsAtOnce
    let workers = max(1, min(pieces, Workers.parallelism, context.workerLimit))
    let rowCount = opened.parents.rowCount
    try account.charge(workers * rowCount * 8)
    let counters = (0..<workers).map { _ in ClosureCounter(rowCount: rowCount) }
    let end = try opened.arrivals().end
    try Workers.share(pieces, among: counters, context) {
      (counter: ClosureCounter, piece: Int) throws(SQLError) in
      let first = piece * Self.groupsAtOnce
      for group in first..<min(first + Self.groupsAtOnce, seeds.groupCount) {
        counter.add(seeds, group, opened.adjacency, at: end)
        if group & 15 == 0 { try context.check() }
      }
    }
    return counters.reduce(0) { $0 + $1.total }
  }

  private func insert(_ set: ReachedSet) {
    let scratch = Buffer<UInt32>(uninitialized: set.list == nil ? ReachedSet.pieceCapacity : 1)
    for piece in 0..<set.pieceCount {
      let (positions, count) = set.piece(piece, scratch)
      reached.insert(positions, groups: nil, count: count)
    }
  }

  /// Walks on from the rows of the last round; false if it gave none.
  private func goOn(_ context: ExecutionContext) throws(SQLError) -> Bool {
    let last = reached.count
    let opened = try access.current()
    let end = try opened.arrivals().end
    while reached.walkedCount < last {
      try context.check()
      if let conditions {
        try conditions.walk(reached, at: end, to: last, context)
        continue
      }
      reached.walk(
        opened.lists, opened.adjacency, at: end, to: last, edgeLimit: Self.edgesAtOnce)
    }
    if reached.count == last { return false }
    try noteSize()
    return true
  }

  private func noteSize() throws(SQLError) {
    try account.set(reached.byteCount + (carried?.byteCount ?? 0) + (strays?.byteCount ?? 0))
  }

  private var carriedTypes: [LogicalType] { types.indices.filter { $0 != place }.map { types[$0] } }

  /// Takes rows of the first round.
  fileprivate func add(_ chunk: DataChunk) throws(SQLError) {
    let count = chunk.count
    let positions = try access.sources([chunk.columns[place].flattened()], count: count)
    var missing = 0
    for row in 0..<count { missing &+= bit(positions[row] == TableStore.noRow) }
    if missing > 0 { try addStrays(chunk, positions, missing) }
    guard let carried else {
      reached.insert(positions, groups: nil, count: count)
      return
    }
    let rest = chunk.columns.indices.filter { $0 != place }.map { chunk.columns[$0].normalized() }
    let groups = try carried.findOrInsert(rest, count: count)
    reached.insert(positions, groups: groups, count: count)
  }

  /// Rows that stand nowhere are rows all the same.
  private func addStrays(
    _ chunk: DataChunk, _ positions: Buffer<UInt32>, _ missing: Int
  ) throws(SQLError) {
    let rows = Buffer<UInt32>(uninitialized: missing)
    var found = 0
    for row in 0..<chunk.count where positions[row] == TableStore.noRow {
      rows[found] = UInt32(truncatingIfNeeded: row)
      found &+= 1
    }
    let set = strays ?? DistinctSet(types: types)
    strays = set
    let columns = chunk.gathered(rows, count: missing).columns.map { $0.normalized() }
    _ = try set.insertNew(columns, count: missing)
  }

  /// Some of the rows reached.
  private func chunk(_ range: Range<Int>) throws(SQLError) -> DataChunk {
    let positions = reached.positions.slice(range)
    let own = try access.columns(
      TableAccess.Stretch(positions: positions, neighbours: positions, count: range.count))
    var columns: [Vector] = []
    columns.reserveCapacity(types.count)
    var next = 0
    for column in types.indices {
      if column == place {
        columns.append(own[0])
      } else {
        let groups = Buffer<UInt32>(uninitialized: range.count)
        groups.copy(reached.groups, from: range.lowerBound, count: range.count, to: 0)
        columns.append(carriedKeys[next].gathered(groups, count: range.count))
        next += 1
      }
    }
    return DataChunk(columns, count: range.count)
  }

  private final class SeedStage: Stage {
    private let source: ClosureSource

    init(_ source: ClosureSource) { self.source = source }

    override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
      try source.add(chunk)
      return true
    }
  }
}
