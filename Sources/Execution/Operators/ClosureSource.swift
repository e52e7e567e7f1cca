import Columnar
import Diagnostics
import Planning
import Storage

/// WITH RECURSIVE … whose step walks along a foreign key: rows are positions of a table, and a round is a look
/// into the adjacency index for each that is new.
///
/// One column of the rows is the key of the row that is stood on, and one may count the rounds, so that all rows of a round have
/// one value in it. The others stay what they are from round to round, so they are numbered once, and each number reaches rows for
/// itself.
///
/// Each round's rows are handed on as soon as the round is done, in the order in which a join round by round would
/// give them.
final class ClosureSource: Source {
  /// Where the walk begins.
  enum Seeds {
    /// At rows that a walk arrives at.
    case walked(Walker)
    /// At the row that a walk without steps gives, which is reached by that if it `isGiven`; `parameter` is its key, if it is one.
    case row(Walker, parameter: Int?, isGiven: Bool)
    /// At the rows of a plan.
    case rows(StreamRunner)
    /// At both ends of all edges that are walked along: which the plan of the runner gives as well.
    case edges(StreamRunner)
  }

  let seeds: Seeds
  let access: AdjacencyAccess
  let types: [LogicalType]
  /// What is read of the rows reached beside their key.
  let own: TableColumns
  private(set) var ownReaders: ColumnReaders?
  private var identity: UInt64 = 0
  /// The column that is walked along.
  private let place: Int
  let reached: AdjacencyClosure
  let conditions: EdgeConditions?
  let rounds: RoundCounter?
  private let repeats: Bool
  /// The places of the columns that stay.
  private let carriedPlaces: [Int]
  private let account = MemoryAccount()
  /// The columns that stay, by group.
  private var carried: GroupTable?
  private var carriedKeys: [Vector] = []
  /// Rows of the first round that stand on no row of the table.
  private var strays: [DataChunk] = []
  /// The same to tell them apart, where a row comes once.
  private var strayRows: DistinctSet?

  /// Edges between two looks at whether the run was cancelled.
  private static let edgesAtOnce = 1 << 16

  init(
    _ seeds: Seeds, _ closure: Closure, _ conditions: EdgeConditions?, _ rounds: RoundCounter?
  ) {
    let walk = closure.walk
    self.seeds = seeds
    self.conditions = conditions
    self.rounds = rounds
    if case .always = closure.repetition { repeats = true } else { repeats = false }
    access = AdjacencyAccess(walk.step)
    types = walk.types
    own = TableColumns(closure.columns)
    place = walk.place
    carriedPlaces = walk.types.indices.filter(walk.carries)
    reached = AdjacencyClosure(
      isGrouped: !carriedPlaces.isEmpty, repetition: closure.repetition)
    countsGroups =
      !carriedPlaces.isEmpty && conditions == nil && rounds == nil && !repeats
  }

  /// Which of the rows reached a fold takes.
  var selection = ReachedSelection()

  /// Whether groups are counted one after another.
  let countsGroups: Bool

  override var knowsRowCount: Bool { true }

  override func countRows(_ context: ExecutionContext) throws(SQLError) -> Int? {
    if case .edges = seeds, let count = try countPairs(context) { return count }
    try begin(context)
    let strayCount = strays.reduce(0) { $0 + $1.count }
    if countsGroups { return try countByGroup(context) + strayCount }
    repeat { reached.sortWaiting() } while try goOn(context)
    return reached.forgottenCount + reached.count + strayCount
  }

  override func fold(_ column: Int, _ context: ExecutionContext) throws(SQLError) -> KeyFold? {
    try begin(context)
    var fold = KeyFold()
    for chunk in strays { fold.add(chunk.columns[column]) }
    var given = 0
    repeat {
      reached.sortWaiting()
      _ = try addRound(given..<reached.count, column, to: &fold, context)
      if try !goOn(context) { return fold }
      given = reached.walkedCount
    } while true
  }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    try begin(context)
    for chunk in strays where try !stage.push(chunk) { return false }
    var given = 0
    while true {
      let end = reached.count
      while given < end {
        let length = min(Vector.chunkCapacity, end - given)
        if try !stage.push(try chunk(given..<(given + length))) { return false }
        given += length
      }
      if try !goOn(context) { return true }
      given = reached.walkedCount
    }
  }

  /// Finds the rows of the first round.
  private func begin(_ context: ExecutionContext) throws(SQLError) {
    account.reset(context)
    try open(context.tables)
    try selection.start(try access.current(), context)
    strays = []
    strayRows = nil
    switch seeds {
    case .walked(let walker): insert(try walker.run(context))
    case .row(let walker, _, let isGiven):
      insert(try walker.run(context))
      if !isGiven {
        reached.unmark()
        try walkRound(context)
        reached.dropWalked()
      }
    case .rows(let runner), .edges(let runner):
      carried = carriedPlaces.isEmpty ? nil : GroupTable(types: carriedTypes)
      _ = try runner.run(into: SeedStage(self), context)
      carriedKeys = carried.map { $0.keys(0..<$0.groupCount) } ?? []
    }
    try noteSize()
  }

  /// Opens the tables, and forgets what was reached.
  func open(_ tables: any TableSource) throws(SQLError) {
    try access.open(tables)
    try conditions?.open(tables)
    let parents = try access.current().parents
    try selection.rows?.open(parents, tables)
    if identity != tables.identity {
      ownReaders = own.types.isEmpty ? nil : try ColumnReaders(own, of: parents)
      identity = tables.identity
    }
    reached.start(rowCount: parents.rowCount)
    rounds?.start()
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
    if reached.walkedCount == reached.count { return false }
    if let rounds, try !rounds.goesOn(context) { return false }
    reached.beginRound()
    let last = reached.count
    try walkRound(context)
    if reached.count == last { return false }
    return try rounds?.next() ?? true
  }

  /// Walks from all rows that have not been walked from.
  private func walkRound(_ context: ExecutionContext) throws(SQLError) {
    let last = reached.count
    let opened = try access.current()
    let end = try opened.arrivals().end
    while reached.walkedCount < last {
      try context.check()
      if let conditions {
        try conditions.walk(reached, at: end, to: last, context)
      } else {
        reached.walk(
          opened.lists, opened.adjacency, at: end, to: last, edgeLimit: Self.edgesAtOnce)
      }
      try noteSize()
    }
  }

  private func noteSize() throws(SQLError) {
    try account.set(reached.byteCount + (carried?.byteCount ?? 0) + strayByteCount)
  }

  private var strayByteCount: Int {
    strays.reduce(strayRows?.byteCount ?? 0) { $0 + $1.approximateByteCount }
  }

  private var carriedTypes: [LogicalType] { carriedPlaces.map { types[$0] } }

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
    let rest = carriedPlaces.map { chunk.columns[$0].normalized() }
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
    var strayed = chunk.gathered(rows, count: missing)
    strayed.columns = strayed.columns.map { $0.normalized() }
    if !repeats {
      let set = strayRows ?? DistinctSet(types: types)
      strayRows = set
      let new = try set.insertNew(strayed.columns, count: missing)
      if new.count == 0 { return }
      strayed = strayed.gathered(new)
      strayed.columns = strayed.columns.map { $0.normalized() }
    }
    strays.append(strayed)
  }

  /// Some of the rows reached.
  private func chunk(_ range: Range<Int>) throws(SQLError) -> DataChunk {
    let positions = reached.positions.slice(range)
    let keys = try access.columns(
      TableAccess.Stretch(positions: positions, neighbours: positions, count: range.count))
    var columns: [Vector] = []
    columns.reserveCapacity(types.count)
    var next = 0
    for column in types.indices {
      if column == place {
        columns.append(keys[0])
      } else if let rounds, column == rounds.place {
        columns.append(rounds.column(count: range.count))
      } else {
        let groups = Buffer<UInt32>(uninitialized: range.count)
        groups.copy(reached.groups, from: range.lowerBound, count: range.count, to: 0)
        columns.append(carriedKeys[next].gathered(groups, count: range.count))
        next += 1
      }
    }
    if let ownReaders { columns += ownReaders.gather(positions, count: range.count) }
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
