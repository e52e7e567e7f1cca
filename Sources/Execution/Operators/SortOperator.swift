import Columnar
import Diagnostics
import Planning

extension SortKey {
  /// The kernel's name for the order.
  var order: SortOrder { SortOrder(descending: isDescending, nullsFirst: nullsFirst) }
}

/// All rows, in order: runs its input dry and hands out the rows by a sorted permutation.
///
/// With a limit the rows that can no longer be among the first are dropped from time to time.
final class SortSource: ChunkListSource {
  private let pipeline: Pipeline
  private let sink: SortSink
  private let limit: LimitEvaluator?
  private let width: Int

  /// With ties rows come too that are equal to the last; `bound` is what scans below are told of the rows that are still wanted.
  init(
    _ keys: [SortKey], limit: LimitEvaluator?, withTies: Bool = false, _ input: Stream,
    _ compiler: ExpressionCompiler, bound: SharedSortBound? = nil
  ) {
    sink = SortSink(keys, input: input.outputs, compiler, bound, keepsTies: withTies)
    pipeline = Pipeline(input, into: sink)
    self.limit = limit
    width = input.outputs.count
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) {
    chunks = []
    let bounds = try limit?.bounds(context) ?? LimitBounds()
    if bounds.count == 0 { return }
    sink.rowLimit = bounds.end
    try pipeline.run(context)
    guard let (rows, order, count) = sink.takeSorted() else { return }
    var start = min(bounds.offset, count)
    while start < count {
      try context.check()
      let length = min(Vector.chunkCapacity, count - start)
      let positions = order.slice(start..<(start + length))
      chunks.append(
        DataChunk(
          rows.columns[0..<width].map { $0.gathered(positions, count: length) }, count: length))
      start += length
    }
  }
}

/// Gathers rows with their sort keys.
final class SortSink: Sink {
  private let keys: [SortKey]
  private let compiler: ExpressionCompiler
  private let input: [PlanColumn]
  fileprivate let orders: [SortOrder]
  private var stages: [SortStage] = []
  /// How many rows from the start are wanted; nil for all.
  var rowLimit: Int?
  /// Whether those equal to the last of them are wanted too.
  fileprivate let keepsTies: Bool
  private var sorted: (rows: DataChunk, order: Buffer<UInt32>, count: Int)?
  /// What no row that is still wanted comes behind in the first key.
  fileprivate let bound: SharedSortBound?

  init(
    _ keys: [SortKey], input: [PlanColumn], _ compiler: ExpressionCompiler,
    _ bound: SharedSortBound? = nil, keepsTies: Bool = false
  ) {
    self.bound = bound ?? keys.first.map { SharedSortBound($0.order) }
    self.keepsTies = keepsTies
    self.keys = keys
    self.input = input
    self.compiler = compiler
    orders = keys.map(\.order)
  }

  override var isSequential: Bool { keys.contains { $0.expression.callsSession } }

  override func start(_ context: ExecutionContext, workerCount: Int) throws(SQLError) {
    sorted = nil
    bound?.reset()
    if stages.count > 1 { stages.removeLast(stages.count - 1) }
  }

  override func makeStage(worker: Int) throws(SQLError) -> SinkStage {
    let columns = try ColumnExtension(keys.map(\.expression), width: input.count, compiler)
    let stage = SortStage(self, columns, types: input.map(\.type) + columns.addedTypes)
    stages.append(stage)
    return stage
  }

  override func combine(_ context: ExecutionContext) throws(SQLError) {
    guard let first = stages.first else { return }
    var parts = first.takeParts()
    for stage in stages.dropFirst() { parts += stage.takeParts() }
    if parts.isEmpty { return }
    if parts.count > 1 { parts.sort { $0.morsel < $1.morsel } }
    let rows = try DataChunk.concatenate(parts.map(\.chunk), types: first.types)
    parts = []
    let columns = first.columns.places.map { rows.columns[$0] }
    if let rowLimit, rowLimit < rows.count {
      let top = try Sorting.topPermutation(
        columns: columns, orders: orders, count: rows.count, limit: rowLimit, withTies: keepsTies)
      sorted = (rows, top.rows, top.count)
    } else {
      let order = try Sorting.permutation(columns: columns, orders: orders, count: rows.count)
      sorted = (rows, order, rows.count)
    }
  }

  func takeSorted() -> (rows: DataChunk, order: Buffer<UInt32>, count: Int)? {
    defer { sorted = nil }
    return sorted
  }
}

/// One worker's rows to sort.
final class SortStage: SinkStage {
  private unowned let sink: SortSink
  fileprivate let columns: ColumnExtension
  fileprivate let types: [LogicalType]
  private var parts: [(morsel: Int, chunk: DataChunk)] = []
  private var rowCount = 0
  /// How many rows were left when the last others were dropped.
  private var keptCount = 0
  private var context: ExecutionContext?
  private let account = MemoryAccount()

  init(_ sink: SortSink, _ columns: ColumnExtension, types: [LogicalType]) {
    self.sink = sink
    self.columns = columns
    self.types = types
  }

  override func start(_ context: ExecutionContext) throws(SQLError) {
    self.context = context
    parts = []
    rowCount = 0
    keptCount = 0
    account.reset(context)
  }

  override func letGo() { context = nil }

  func takeParts() -> [(morsel: Int, chunk: DataChunk)] {
    defer { parts = [] }
    return parts
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    guard let context else { throw SQLError.internal("a sort was fed before its start") }
    var extended = try columns.extend(chunk, context)
    if let bound = sink.bound?.current {
      let first = extended.columns[columns.places[0]]
      if let kept = bound.rowsNotBehind(first, count: extended.count) {
        if kept.count == 0 { return true }
        extended = extended.gathered(kept)
      }
    }
    if let limit = sink.rowLimit { cut(&extended, to: limit) }
    // Twice: once as it came, once put together for sorting.
    try account.charge(2 * extended.approximateByteCount)
    parts.append((morsel, extended))
    rowCount += extended.count
    if let limit = sink.rowLimit, limit < 1 << 20, isPruned(max(limit, keptCount)) {
      try prune(limit)
    }
    return true
  }

  /// Leaves the rows of a chunk that may be among the first, if it comes in order, and tells scans below.
  private func cut(_ chunk: inout DataChunk, to limit: Int) {
    guard let place = columns.places.first, chunk.count / Self.cutShare >= limit else { return }
    let column = chunk.columns[place].compactNormalized()
    guard let found = column.firstRows(limit, order: sink.orders[0]) else { return }
    if let bound = SortBound(column, row: found.last, order: sink.orders[0]) {
      sink.bound?.offer(bound)
    }
    chunk = chunk.slice(from: found.rows.lowerBound, count: found.rows.count)
  }

  /// So many times as many rows as are wanted are worth a look.
  private static let cutShare = 4

  /// Whether enough rows have come to look for the first ones: soon, as a bound keeps the others from coming, and again where many
  /// small chunks have come since.
  private func isPruned(_ limit: Int) -> Bool {
    if keptCount == 0 { return rowCount >= max(2 * limit, Self.firstMin) }
    return rowCount > max(4 * limit, Self.laterMin)
      || parts.count > Self.partMax && rowCount > 2 * limit
  }

  /// Fewer rows are not worth a bound, or a better one.
  private static let firstMin = 64
  private static let laterMin = 1024

  private static let partMax = 256

  /// Keeps the first rows only; equal rows stay in the order in which they came.
  private func prune(_ limit: Int) throws(SQLError) {
    // In the order of morsels, whichever turn they were taken in, equal rows keep their order by the permutation. Rows are kept
    // morsel by morsel, as other workers' equal rows may stand between.
    parts.sort { $0.morsel < $1.morsel }
    let rows = try DataChunk.concatenate(parts.map(\.chunk), types: types)
    let top = try Sorting.topPermutation(
      columns: columns.places.map { rows.columns[$0] }, orders: sink.orders, count: rows.count,
      limit: limit, withTies: sink.keepsTies)
    if top.count >= limit, let place = columns.places.first,
      let bound = SortBound(
        rows.columns[place], row: Int(top.rows[limit - 1]), order: sink.orders[0])
    {
      sink.bound?.offer(bound)
    }
    let marks = Buffer<UInt8>(zeroed: rows.count)
    for index in 0..<top.count { marks[Int(top.rows[index])] = 1 }
    var kept: [(morsel: Int, chunk: DataChunk)] = []
    var start = 0
    for part in parts {
      let positions = Buffer<UInt32>(uninitialized: max(1, part.chunk.count))
      var found = 0
      for row in 0..<part.chunk.count {
        positions[found] = UInt32(truncatingIfNeeded: start &+ row)
        found &+= Int(marks[start &+ row])
      }
      start += part.chunk.count
      if found > 0 {
        let moved = rows.gathered(positions, count: found)
        let columns = moved.columns.map { $0.compactFlattened() }
        kept.append((part.morsel, DataChunk(columns, count: found)))
      }
    }
    parts = kept
    rowCount = top.count
    keptCount = max(limit, top.count)
    try account.set(2 * kept.reduce(0) { $0 + $1.chunk.approximateByteCount })
  }
}
