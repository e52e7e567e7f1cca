import Columnar
import Diagnostics
import Planning

/// Window functions: gathers all rows, computes each call over the rows sorted as its window says, and hands
/// the rows out in the order of the last window, as PostgreSQL does.
///
/// Where all windows have partitions by some columns, workers share these.
final class WindowSource: ChunkListSource {
  private let computation: WindowComputation
  private let pipeline: Pipeline
  private let sink = CollectorSink()
  private let types: [LogicalType]
  private let account = MemoryAccount()

  init(_ calls: [WindowCall], _ input: Stream, _ compiler: ExpressionCompiler) throws(SQLError) {
    let width = input.outputs.count
    var expressions: [BoundExpression] = []
    var plans = calls.map { WindowCallPlan($0, &expressions) }
    let extend = try ExtendOperator(expressions, width: width, compiler)
    for index in plans.indices { plans[index].resolve(extend.places) }
    computation = WindowComputation(calls: plans, width: width)
    types = input.types + extend.addedTypes
    var stream = input
    stream.operators.append(extend)
    pipeline = Pipeline(stream, into: sink)
  }

  override func prepare(_ context: ExecutionContext) throws(SQLError) {
    chunks = []
    account.reset(context)
    try pipeline.run(context)
    let parts = sink.takeChunks()
    let rows = try DataChunk.concatenate(parts, types: types)
    if rows.count == 0 { return }
    try account.charge(2 * rows.approximateByteCount)
    // Positions, bounds of partitions and peers, and a result for each call.
    try account.charge(rows.count * (32 + 16 * computation.calls.count))
    let keys = try computation.sharedKeys(rows) ?? []
    let all = DataChunk(rows.columns + keys, count: rows.count)
    let keyPlaces = Array(rows.columns.count..<all.columns.count)
    guard keys.count == 1, let parts = try WindowParts(keys[0], count: rows.count) else {
      chunks = try computation.run(WindowRows(all), keyPlaces, context)
      return
    }
    let width = max(1, min(Workers.parallelism, context.workerLimit))
    let workers = (0..<width).map { _ in WindowWorker() }
    let computation = computation
    try Workers.share(parts.count, among: workers, context) {
      (worker: WindowWorker, part: Int) throws(SQLError) in
      let own = try parts.rows(part, of: all)
      if own.count == 0 { return }
      worker.results.append((part, try computation.run(own, keyPlaces, context)))
    }
    chunks = workers.flatMap(\.results).sorted { $0.part < $1.part }.flatMap(\.chunks)
  }
}

/// What a worker has computed, by part.
///
/// One thread at a time has it.
private final class WindowWorker {
  var results: [(part: Int, chunks: [DataChunk])] = []
}

/// Window calls over rows of whole partitions.
struct WindowComputation: Sendable {
  let calls: [WindowCallPlan]
  /// The number of columns that are handed on; what the calls use stands behind.
  let width: Int

  /// The columns by which all windows are cut into partitions, some into smaller ones by others, and by which the rows of the
  /// last window come first of all.
  private var sharedPlaces: [Int] {
    let last = calls.last?.partitionPlaces ?? []
    return Array(
      last.prefix { place in calls.allSatisfy { $0.partitionPlaces.contains(place) } })
  }

  /// Columns that tell apart rows which no window brings together; nil if there are none.
  func sharedKeys(_ rows: DataChunk) throws(SQLError) -> [Vector]? {
    let places = sharedPlaces
    if places.isEmpty { return nil }
    return try WindowPartitions.numbered(places.map { rows.columns[$0] }, rows.count)
  }

  /// The rows with the results of all calls, in the order of the last window.
  ///
  /// `keyPlaces` are the columns of the shared keys, if there are any: for some windows those of their partitions.
  func run(
    _ input: WindowRows, _ keyPlaces: [Int], _ context: ExecutionContext
  ) throws(SQLError) -> [DataChunk] {
    var rows = input
    var results: [Vector] = []
    var last: (call: WindowCallPlan, partitions: WindowPartitions)?
    for call in calls {
      try context.check()
      let partitions: WindowPartitions
      if let last, last.call.hasSameWindow(as: call) {
        partitions = last.partitions
      } else {
        var keys =
          call.partitionPlaces == sharedPlaces && !keyPlaces.isEmpty
          ? try rows.columns(keyPlaces)
          : try WindowPartitions.numbered(try rows.columns(call.partitionPlaces), rows.count)
        var orderColumns = try rows.columns(call.orderPlaces)
        let orders = keys.map { _ in SortOrder() } + call.orders
        if let order = try Sorting.order(
          columns: keys + orderColumns, orders: orders, count: rows.count)
        {
          try rows.reorder(order)
          keys = try Self.moved(keys, order)
          orderColumns = try Self.moved(orderColumns, order)
          results = try Self.moved(results, order)
        }
        partitions = try WindowPartitions(keys, orderColumns, count: rows.count)
        last = (call, partitions)
      }
      results.append(try call.compute(rows, partitions, context))
    }
    return try rows.chunks(width, and: results)
  }

  private static func moved(
    _ columns: [Vector], _ order: Buffer<UInt32>
  ) throws(SQLError) -> [Vector] {
    var result: [Vector] = []
    for column in columns {
      result.append(try column.gatheredInSlices(order, count: column.count))
    }
    return result
  }
}

/// One window call with the places of what it uses in the extended rows.
struct WindowCallPlan: Sendable {
  let call: WindowCall
  private(set) var partitionPlaces: [Int]
  private(set) var orderPlaces: [Int]
  private var argumentPlaces: [Int]
  private var filterPlace: Int?
  private var startPlace: Int?
  private var endPlace: Int?
  let orders: [SortOrder]

  /// Adds what the call uses to `expressions`, and keeps their numbers until `resolve`.
  init(_ call: WindowCall, _ expressions: inout [BoundExpression]) {
    self.call = call
    func add(_ expression: BoundExpression) -> Int {
      expressions.append(expression)
      return expressions.count - 1
    }
    partitionPlaces = call.partitionBy.map(add)
    orderPlaces = call.orderBy.map { add($0.expression) }
    orders = call.orderBy.map(\.order)
    if case .aggregate(let aggregate) = call.function {
      argumentPlaces = aggregate.arguments.map(add)
      filterPlace = aggregate.filter.map(add)
    } else {
      argumentPlaces = call.arguments.map(add)
    }
    startPlace = call.frame.start.offset.map(add)
    endPlace = call.frame.end.offset.map(add)
  }

  /// Turns numbers of expressions into places of columns.
  mutating func resolve(_ places: [Int]) {
    partitionPlaces = partitionPlaces.map { places[$0] }
    orderPlaces = orderPlaces.map { places[$0] }
    argumentPlaces = argumentPlaces.map { places[$0] }
    filterPlace = filterPlace.map { places[$0] }
    startPlace = startPlace.map { places[$0] }
    endPlace = endPlace.map { places[$0] }
  }

  func hasSameWindow(as other: WindowCallPlan) -> Bool {
    partitionPlaces == other.partitionPlaces && orderPlaces == other.orderPlaces
      && orders == other.orders
  }

  /// The call's value for each row; the rows are in the order of its window.
  func compute(
    _ rows: WindowRows, _ partitions: WindowPartitions, _ context: ExecutionContext
  ) throws(SQLError) -> Vector {
    func column(ifAny place: Int?) throws(SQLError) -> Vector? {
      guard let place else { return nil }
      return try rows.column(place).flattenedInSlices()
    }
    func makeFrames() throws(SQLError) -> WindowFrames {
      try self.makeFrames(partitions) { (place) throws(SQLError) in try column(ifAny: place) }
    }
    func flatArguments() throws(SQLError) -> [Vector] {
      var arguments: [Vector] = []
      for place in argumentPlaces {
        let column = try rows.column(place)
        arguments.append(
          column.decimals == nil ? try column.flattenedInSlices() : column.compactFlattened())
      }
      return arguments
    }
    // Offsets are looked at even by functions that take no notice of frames.
    let hasOffsets = startPlace != nil || endPlace != nil
    let checked = hasOffsets ? try makeFrames() : nil
    func frames() throws(SQLError) -> WindowFrames {
      if let checked { return checked }
      return try makeFrames()
    }
    switch call.function {
    case .rowNumber, .rank, .denseRank, .percentRank, .cumeDist:
      return try WindowRanking.compute(call.function, partitions, type: call.type)
    case .ntile: return try WindowRanking.ntile(try flatArguments()[0], partitions, type: call.type)
    case .lag, .lead:
      return try WindowOffsets.compute(
        try rows.columns(argumentPlaces), isLead: isLead, partitions, type: call.type)
    case .firstValue, .lastValue, .nthValue:
      return try WindowOffsets.frameValue(
        call.function, try flatArguments(), try frames(), type: call.type)
    case .aggregate(let aggregate):
      let aggregation = try WindowAggregation(
        aggregate, try flatArguments(), filter: try column(ifAny: filterPlace), partitions,
        try frames())
      return try aggregation.compute(context)
    }
  }

  private var isLead: Bool {
    if case .lead = call.function { return true }
    return false
  }

  private func makeFrames(
    _ partitions: WindowPartitions, _ column: (Int?) throws(SQLError) -> Vector?
  ) throws(SQLError) -> WindowFrames {
    let needsKey = call.frame.unit == .range && (startPlace != nil || endPlace != nil)
    return try WindowFrames(
      call.frame, partitions, startOffsets: try column(startPlace),
      endOffsets: try column(endPlace), key: needsKey ? try column(orderPlaces.first) : nil,
      order: orders.first ?? SortOrder())
  }
}

extension WindowCall.WindowFrame.Bound {
  /// The expression of PRECEDING and FOLLOWING.
  var offset: BoundExpression? {
    switch self {
    case .preceding(let offset), .following(let offset): offset
    case .unboundedPreceding, .currentRow, .unboundedFollowing: nil
    }
  }
}
