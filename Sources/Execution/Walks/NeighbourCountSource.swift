import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

/// How many edges lead from a set of rows to each row that some do.
final class NeighbourCountSource: Source {
  private let walker: Walker
  private let access: AdjacencyAccess
  private let step: AdjacencyStep
  private let columns: TableColumns
  private let counts: [PlanColumn]
  /// How many edges lead to each position; empty where few edges lead anywhere.
  private var counters = Buffer<UInt32>(uninitialized: 0)
  /// Those that some lead to, where they are few.
  private var few: (positions: Buffer<UInt32>, counts: Buffer<UInt32>, count: Int)?
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
    few = nil
    let set = try walker.run(context)
    try access.open(context.tables)
    let opened = try access.current()
    try set.isOf(opened.parents)
    let targets = try opened.arrivals().table
    limit = targets.rowCount
    readers = try ColumnReaders(columns, of: targets)
    let edgeCount = opened.edgeCount(of: set)
    if let list = set.list, edgeCount <= min(limit / Self.fewShare, Self.fewMax) {
      try account.set(edgeCount * 16)
      few = try opened.arrivals().counts(of: list, count: set.count, edgeCount)
      return
    }
    try account.set(limit * 4)
    counters = try opened.scatter(
      set, edgeCount: edgeCount, as: CountedNeighbours.self, context
    ).counters
  }

  /// To sort where an edge leads takes as long as to clear and look through the counters of so many positions.
  private static let fewShare = 64
  /// More are not sorted at once, so that a statement that is asked to end does.
  private static let fewMax = 1 << 16

  override var morselCount: Int {
    few == nil
      ? max(1, (limit + Self.morselPositionCount - 1) / Self.morselPositionCount) : 1
  }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    guard let readers else { return true }
    if let few { return try push(few.positions, few.counts, few.count, readers, into: stage) }
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
      let numbers = Buffer<UInt32>(uninitialized: count)
      for index in 0..<count { numbers[index] = counters[kept[index]] }
      if try !push(kept, numbers, count, readers, into: stage) { return false }
    }
    return true
  }

  /// Hands on rows with the numbers of edges that lead to them.
  private func push(
    _ positions: Buffer<UInt32>, _ edges: Buffer<UInt32>, _ count: Int, _ readers: ColumnReaders,
    into stage: Stage
  ) throws(SQLError) -> Bool {
    var start = 0
    while start < count {
      let length = min(Vector.chunkCapacity, count - start)
      let part = start..<(start + length)
      start += length
      let numbers = Buffer<Int64>(uninitialized: length)
      for (place, index) in part.enumerated() { numbers[place] = Int64(edges[index]) }
      let number = Vector(.bigint, numbers, count: length)
      let chunk = DataChunk(
        readers.gather(positions.slice(part), count: length) + counts.map { _ in number },
        count: length)
      if try !stage.push(chunk) { return false }
    }
    return true
  }
}
