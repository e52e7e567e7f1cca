import Columnar
import Diagnostics
import Planning

/// Groups rows that were dealt out by the hash of their keys, a partition a morsel.
class PartitionedSource: Source {
  private let pipeline: Pipeline
  private let sink: PartitionSink

  /// Groups are of rows that are equal in `keys`, or where these are nil altogether.
  init(
    _ keys: [BoundExpression]?, _ input: Stream, _ compiler: ExpressionCompiler, count: Int
  ) {
    sink = PartitionSink(keys, compiler, count: count)
    pipeline = Pipeline(input, into: sink)
  }

  final override func prepare(_ context: ExecutionContext) throws(SQLError) {
    try pipeline.run(context)
  }

  final override var morselCount: Int { sink.partitionCount }

  final override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    let chunks = sink.takeChunks(of: morsel)
    return chunks.isEmpty ? true : try group(chunks, into: stage, context)
  }

  /// Hands on the groups of rows that no row elsewhere belongs to.
  func group(
    _ chunks: [DataChunk], into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool { true }
}

/// Aggregation by partition.
final class PartitionedAggregateSource: PartitionedSource {
  private let node: AggregateNode
  private let compiler: ExpressionCompiler
  private let expectedGroups: Double

  init(
    _ node: AggregateNode, _ input: Stream, _ compiler: ExpressionCompiler, count: Int,
    expectedGroups: Double
  ) {
    self.node = node
    self.compiler = compiler
    self.expectedGroups = expectedGroups / Double(count)
    super.init(node.keys.map(\.expression), input, compiler, count: count)
  }

  override func group(
    _ chunks: [DataChunk], into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    let groups = AggregateSink(node, compiler, nil, nil, expectedGroups: expectedGroups)
    try groups.start(context, workerCount: 1)
    let grouping = try groups.makeStage(worker: 0)
    try grouping.start(context)
    for chunk in chunks {
      try context.check()
      _ = try grouping.push(chunk)
    }
    grouping.letGo()
    try groups.combine(context)
    for piece in groups.pieces {
      try context.check()
      if try !stage.push(try groups.chunk(piece)) { return false }
    }
    return true
  }
}

/// Different rows by partition.
final class PartitionedDistinctSource: PartitionedSource {
  private let types: [LogicalType]
  private let expectedRows: Double

  /// About `expectedRows` are different.
  init(_ input: Stream, _ compiler: ExpressionCompiler, count: Int, expectedRows: Double) {
    types = input.types
    self.expectedRows = expectedRows / Double(count)
    super.init(nil, input, compiler, count: count)
  }

  override func group(
    _ chunks: [DataChunk], into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    let rowCount = chunks.reduce(0) { $0 + $1.count }
    let seen = DistinctSet(
      types: types, expectedCount: Int(min(expectedRows, Double(rowCount))))
    let account = MemoryAccount()
    account.reset(context)
    for chunk in chunks {
      try context.check()
      let fresh = try seen.insertNew(chunk.columns, count: chunk.count)
      try account.set(seen.byteCount)
      if fresh.count > 0, try !stage.push(chunk.gathered(fresh)) { return false }
    }
    return true
  }
}
