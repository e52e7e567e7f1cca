import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

/// The rows that a walk arrives at, in the order of their table.
final class WalkSource: Source {
  private let walker: Walker
  private let table: TableDefinition
  private let columns: TableColumns
  private var set = ReachedSet.none
  private var readers: ColumnReaders?

  /// Pieces to a morsel; fewer rows than two morsels may have are left to one worker.
  private static let morselPieceCount = 8

  init(_ walker: Walker, _ table: TableDefinition, _ columns: [ScanPlan.Column]) {
    self.walker = walker
    self.table = table
    self.columns = TableColumns(columns)
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) {
    set = try walker.run(context)
    let store = try context.tables.table(table.id)
    try set.isOf(store)
    readers = try ColumnReaders(columns, of: store)
  }

  override var knowsRowCount: Bool { true }

  override func countRows(_ context: ExecutionContext) throws(SQLError) -> Int? {
    try walker.count(context)
  }

  override func fold(_ column: Int, _ context: ExecutionContext) throws(SQLError) -> KeyFold? {
    let set = try walker.run(context)
    let store = try context.tables.table(table.id)
    try set.isOf(store)
    if let keys = store.serialColumn(columns.indices[column]) { return set.fold(keys) }
    let readers = try ColumnReaders(columns.only(column), of: store)
    let workerCount = morselCount(of: set) == 1 ? 1 : min(Workers.parallelism, context.workerLimit)
    // One for each worker.
    let folds = (0..<max(1, workerCount)).map { _ in Buffer(repeating: KeyFold(), count: 1) }
    try Workers.share(set.pieceCount, among: folds, context) {
      (fold: Buffer<KeyFold>, piece: Int) throws(SQLError) in
      _ = try set.forEachPart(ofPiece: piece) { (part, count) throws(SQLError) in
        var sum = fold[0]
        sum.add(readers.gather(part, count: count)[0])
        fold[0] = sum
        return true
      }
    }
    return folds.reduce(into: KeyFold()) { $0.add($1[0]) }
  }

  override var morselCount: Int { morselCount(of: set) }

  private func morselCount(of set: ReachedSet) -> Int {
    let width = Self.morselPieceCount
    return set.count < 2 * width * ReachedSet.pieceCapacity
      ? 1 : (set.pieceCount + width - 1) / width
  }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    guard let readers else { return true }
    let width = morselCount == 1 ? set.pieceCount : Self.morselPieceCount
    for piece in (morsel * width)..<max(morsel * width, min(set.pieceCount, (morsel + 1) * width)) {
      try context.check()
      let goesOn = try set.forEachPart(ofPiece: piece) { (part, count) throws(SQLError) in
        try stage.push(DataChunk(readers.gather(part, count: count), count: count))
      }
      if !goesOn { return false }
    }
    return true
  }
}

/// How many edges lead from a set of rows to each row that some do.
final class NeighbourCountSource: Source {
  private let walker: Walker
  private let access: AdjacencyAccess
  private let step: AdjacencyStep
  private let columns: TableColumns
  private let counts: [PlanColumn]
  private var counters = Buffer<UInt32>(uninitialized: 0)
  private var readers: ColumnReaders?
  private var limit = 0
  private let account = MemoryAccount()

  /// Positions to a morsel.
  private static let morselPositionCount = 65_536

  init(_ count: NeighbourCount, _ compiler: PlanCompiler) throws(SQLError) {
    var step = count.counted
    step.filters = []
    step.edgeColumns = []
    step.neighbourColumns = []
    self.step = step
    access = AdjacencyAccess(step)
    walker = try Walker(
      count.start, count.steps, access: count.steps.isEmpty ? access : nil, compiler)
    columns = TableColumns(count.columns)
    counts = count.counts
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) {
    account.reset(context)
    counters = Buffer(uninitialized: 0)
    let set = try walker.run(context)
    try access.open(context.tables)
    let opened = try access.current()
    try set.isOf(opened.parents)
    let targets = try opened.arrivals().table
    limit = targets.rowCount
    readers = try ColumnReaders(columns, of: targets)
    try account.set(limit * 4)
    counters = try opened.scatter(
      set, edgeCount: opened.edgeCount(of: set), as: CountedNeighbours.self, context
    ).counters
  }

  override var morselCount: Int {
    max(1, (limit + Self.morselPositionCount - 1) / Self.morselPositionCount)
  }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    guard let readers else { return true }
    let width = Vector.chunkCapacity
    var start = morsel * Self.morselPositionCount
    let end = min(limit, start + Self.morselPositionCount)
    while start < end {
      try context.check()
      let kept = Buffer<UInt32>(uninitialized: width)
      var count = 0
      for position in start..<min(end, start + width) {
        kept[count] = UInt32(truncatingIfNeeded: position)
        count &+= bit(counters[position] != 0)
      }
      start += width
      if count == 0 { continue }
      let numbers = Buffer<Int64>(uninitialized: count)
      for index in 0..<count {
        numbers[index] = Int64(truncatingIfNeeded: counters[kept[index]])
      }
      let number = Vector(.bigint, numbers, count: count)
      let chunk = DataChunk(
        readers.gather(kept, count: count) + counts.map { _ in number }, count: count)
      if try !stage.push(chunk) { return false }
    }
    return true
  }
}
