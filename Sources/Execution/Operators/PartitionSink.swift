import Columnar
import Diagnostics
import Planning

/// Deals rows out to partitions by the hash of their keys, so that equal keys stand in one partition.
///
/// Groups so many that one table of them fits no cache are made partition by partition: nothing of two partitions is merged, and they
/// are work for several workers. Rows that prove to be few are left in one. They are copied once for it, which takes less than to
/// miss the cache once a row
/// (Manegold, Boncz and Kersten, "Optimizing main-memory join on modern hardware", 2002).
final class PartitionSink: Sink {
  let count: Int
  /// nil for the whole row.
  private let keys: [BoundExpression]?
  private let compiler: ExpressionCompiler
  private var stages: [PartitionStage] = []
  private var partitions: [Partition] = []

  /// - Precondition: `count` is a power of two, from 2 to 256.
  init(_ keys: [BoundExpression]?, _ compiler: ExpressionCompiler, count: Int) {
    self.keys = keys
    self.compiler = compiler
    self.count = count
  }

  override func start(_ context: ExecutionContext, workerCount: Int) throws(SQLError) {
    if stages.count > 1 { stages.removeLast(stages.count - 1) }
    partitions = []
  }

  override func makeStage(worker: Int) throws(SQLError) -> SinkStage {
    let compiled = if let keys { try compiler.compile(keys) } else { nil as [any Evaluator]? }
    let stage = PartitionStage(compiled, count: count)
    stages.append(stage)
    return stage
  }

  override func combine(_ context: ExecutionContext) throws(SQLError) {
    if stages.allSatisfy({ $0.holdsAll }) {
      partitions = [Partition(stages.flatMap { $0.takeAll() })]
      return
    }
    for stage in stages { try stage.dealOut() }
    partitions = (0..<count).map { number in
      Partition(stages.flatMap { $0.takeChunks(of: number) })
    }
  }

  /// How many partitions there are in the end.
  var partitionCount: Int { partitions.count }

  /// The rows of a partition, which are then forgotten; different partitions may be asked for by different workers.
  func takeChunks(of number: Int) -> [DataChunk] { partitions[number].takeChunks() }

  /// The rows of one partition, which belong to whoever takes them.
  private final class Partition {
    private var chunks: [DataChunk]

    init(_ chunks: [DataChunk]) { self.chunks = chunks }

    func takeChunks() -> [DataChunk] {
      defer { chunks = [] }
      return chunks
    }
  }
}

/// One worker's share of the dealing out.
private final class PartitionStage: SinkStage {
  private let keys: [any Evaluator]?
  private let shift: UInt64
  private let count: Int
  /// The first rows, until they are so many that it pays to deal them out.
  private var first: [DataChunk] = []
  private var firstCount = 0
  private var partitioner: ChunkPartitioner?
  private var context: ExecutionContext?
  private let account = MemoryAccount()
  /// One table of so many groups stays in a cache.
  private static let firstMax = 32_768

  init(_ keys: [any Evaluator]?, count: Int) {
    self.keys = keys
    self.count = count
    shift = UInt64(64 - count.trailingZeroBitCount)
  }

  override func start(_ context: ExecutionContext) throws(SQLError) {
    self.context = context
    first = []
    firstCount = 0
    partitioner = nil
    account.reset(context)
  }

  override func letGo() { context = nil }

  /// Whether nothing has been dealt out.
  var holdsAll: Bool { partitioner == nil }

  func takeAll() -> [DataChunk] {
    defer { first = [] }
    return first
  }

  func takeChunks(of partition: Int) -> [DataChunk] {
    partitioner?.takeChunks(of: partition) ?? []
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    if let partitioner {
      try add(chunk, to: partitioner)
      return true
    }
    first.append(chunk)
    firstCount += chunk.count
    if firstCount > Self.firstMax { try dealOut() }
    return true
  }

  /// Deals out the first rows.
  func dealOut() throws(SQLError) {
    if partitioner != nil { return }
    let partitioner = ChunkPartitioner(count: count)
    self.partitioner = partitioner
    for chunk in takeAll() { try add(chunk, to: partitioner) }
  }

  private func add(_ chunk: DataChunk, to partitioner: ChunkPartitioner) throws(SQLError) {
    guard let context else { throw SQLError.internal("rows were dealt out before the start") }
    var chunk = chunk
    var vectors: [Vector] = []
    if let keys {
      for key in keys { vectors.append(try key.evaluateNormalized(&chunk, context)) }
    } else {
      vectors = chunk.columns.map { $0.normalized() }
    }
    // The high bits, as tables find their places by the low ones.
    let hashes = Hashing.hash(vectors, count: chunk.count)
    let partitions = Buffer<UInt8>(uninitialized: chunk.count)
    for row in 0..<chunk.count {
      partitions[row] = UInt8(truncatingIfNeeded: hashes[row] &>> shift)
    }
    partitioner.add(chunk, to: partitions)
    try account.set(partitioner.byteCount)
  }
}
