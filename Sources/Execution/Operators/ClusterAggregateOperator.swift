import Columnar
import Diagnostics
import Planning

/// Grouping of rows that come in clusters of one key: the groups of a cluster are complete when it ends, and are handed
/// on then.
///
/// Few groups are open at any time, in small tables that stay in the cache, and no table of all groups is ever made.
/// Each cluster must come to one worker, one row behind another, within one morsel.
final class ClusterAggregateOperator: StreamOperator {
  private let node: AggregateNode
  private let clusterKey: Int
  private let compiler: ExpressionCompiler

  /// `compiler` compiles expressions over the input's columns; `node` has two keys, of which `clusterKey` is a whole
  /// number and never NULL.
  init(_ node: AggregateNode, clusterKey: Int, _ compiler: ExpressionCompiler) {
    self.node = node
    self.clusterKey = clusterKey
    self.compiler = compiler
  }

  override func makeStage(next: Stage) throws(SQLError) -> Stage {
    var items: [AggregateItem] = []
    for aggregate in node.aggregates { items.append(try AggregateItem(aggregate.call, compiler)) }
    return ClusterAggregateStage(
      keys: try compiler.compile(node.keys.map(\.expression)), clusterKey: clusterKey,
      items: items, next: next)
  }
}

private final class ClusterAggregateStage: StreamingStage {
  private let keys: [any Evaluator]
  private let clusterKey: Int
  private let items: [AggregateItem]
  /// The key of the open cluster, as a vector of one row; nil if none is open.
  private var cluster: Vector?
  private var clusterNumber: Int64 = 0
  private var table: GroupTable
  private var states: [AggregateState] = []
  private let account = MemoryAccount()

  init(keys: [any Evaluator], clusterKey: Int, items: [AggregateItem], next: Stage) {
    self.keys = keys
    self.clusterKey = clusterKey
    self.items = items
    table = GroupTable(types: [keys[1 - clusterKey].type])
    super.init(next: next)
  }

  override func start(_ context: ExecutionContext) throws(SQLError) {
    cluster = nil
    account.reset(context)
    try super.start(context)
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    let context = try running()
    var chunk = chunk
    var clusters = try keys[clusterKey].evaluateNormalized(&chunk, context)
    if clusters.form == .indirect { clusters = clusters.flattened() }
    // The usual chunk is of one cluster.
    var start = 0
    while start < chunk.count {
      let (number, end) = Self.run(of: clusters, from: start, count: chunk.count)
      if cluster != nil && number != clusterNumber, try !close() { return false }
      if cluster == nil {
        open(clusters.slice(from: start, count: 1).flattened())
        clusterNumber = number
      }
      if start == 0 && end == chunk.count {
        try add(&chunk, context)
      } else {
        var part = chunk.slice(from: start, count: end - start)
        try add(&part, context)
      }
      start = end
    }
    return true
  }

  override func endMorsel() throws(SQLError) -> Bool {
    if cluster != nil, try !close() { return false }
    return try super.endMorsel()
  }

  /// The key at `start`, and where the rows end that have it too.
  private static func run(
    of keys: Vector, from start: Int, count: Int
  ) -> (number: Int64, end: Int) {
    let isConstant = keys.form == .constant
    let place = isConstant ? 0 : start
    let end = isConstant ? 1 : count
    let found =
      switch keys.type.physical {
      case .int16: run(keys.values(Int16.self), place, end)
      case .int32: run(keys.values(Int32.self), place, end)
      case .bool, .int64, .float, .double, .numeric, .interval, .uuid, .text, .list, .record:
        run(keys.values(Int64.self), place, end)
      }
    return (found.number, isConstant ? count : found.end)
  }

  private static func run<Element: FixedWidthInteger & BitwiseCopyable>(
    _ values: Buffer<Element>, _ start: Int, _ count: Int
  ) -> (number: Int64, end: Int) {
    let value = values[start]
    var end = start + 1
    while end < count && values[end] == value { end &+= 1 }
    return (Int64(truncatingIfNeeded: value), end)
  }

  private func open(_ key: Vector) {
    cluster = key
    table = GroupTable(types: table.types)
    states = items.map { AggregateState($0) }
  }

  private func add(_ rows: inout DataChunk, _ context: ExecutionContext) throws(SQLError) {
    let key = try keys[1 - clusterKey].evaluateNormalized(&rows, context)
    let groups = try table.findOrInsert([key], count: rows.count)
    for (state, item) in zip(states, items) {
      state.grow(to: table.groupCount)
      try state.update(try item.input(&rows, context), groups: groups)
    }
    try account.set(table.byteCount + states.reduce(0) { $0 + $1.byteCount })
  }

  /// Hands on the groups of the open cluster.
  private func close() throws(SQLError) -> Bool {
    guard let key = cluster else { return true }
    cluster = nil
    for state in states { try state.complete() }
    var start = 0
    while start < table.groupCount {
      let range = start..<min(table.groupCount, start + Vector.chunkCapacity)
      let repeated = Vector(
        type: key.type, count: range.count, form: .constant, storage: key.storage,
        validity: key.validity, heaps: key.heaps)
      let others = table.keys(range)
      var columns = clusterKey == 0 ? [repeated] + others : others + [repeated]
      for state in states { columns.append(try state.results(range)) }
      if try !next.push(DataChunk(columns, count: range.count)) { return false }
      start = range.upperBound
    }
    return true
  }
}
