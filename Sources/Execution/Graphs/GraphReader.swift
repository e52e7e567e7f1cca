import Columnar
import Diagnostics

/// Runs one of the plans that a graph is read by.
final class GraphReader {
  private let stream: Stream
  private let rows: StreamRunner
  private let sink = NumberSink()
  private var pipeline: Pipeline?
  /// The rows, which both directions of edges are made of.
  private var kept: [DataChunk]?

  init(_ stream: Stream) {
    self.stream = stream
    rows = StreamRunner(stream)
  }

  /// All rows, in their order, held by an account; read once until the reader lets go of them.
  ///
  /// - Throws: 53200, and errors of the plan.
  func chunks(
    _ context: ExecutionContext, _ account: MemoryAccount
  ) throws(SQLError) -> [DataChunk] {
    if let kept { return kept }
    let chunks = try rows.chunks(context)
    try account.charge(chunks.reduce(0) { $0 + $1.approximateByteCount })
    kept = chunks
    return chunks
  }

  /// Forgets the rows.
  func letGo() { kept = nil }

  /// Reads positions of rows and a number of each, by all workers, and puts each number where its position says, from `first` on.
  ///
  /// - Returns: Whether a number is none: `EdgeWeight.null` where it is NULL.
  func numbers(
    to numbers: Buffer<Double>, from first: UInt32 = 0, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    let pipeline = self.pipeline ?? Pipeline(stream, into: sink)
    self.pipeline = pipeline
    sink.target = (numbers, first)
    // Also where the run ends early.
    defer { sink.letGo() }
    try pipeline.run(context)
    return sink.hasUnknown
  }
}

/// Takes numbers; positions differ, so workers write without regard to each other.
private final class NumberSink: Sink {
  var target: (numbers: Buffer<Double>, first: UInt32)?
  private var stages: [NumberStage] = []
  private(set) var hasUnknown = false

  override func start(_ context: ExecutionContext, workerCount: Int) throws(SQLError) {
    if stages.count > 1 { stages.removeLast(stages.count - 1) }
    for stage in stages { stage.begin(target) }
  }

  override func makeStage(worker: Int) throws(SQLError) -> SinkStage {
    let stage = NumberStage()
    stage.begin(target)
    stages.append(stage)
    return stage
  }

  override func combine(_ context: ExecutionContext) throws(SQLError) {
    hasUnknown = stages.contains { $0.hasUnknown }
  }

  /// Gives back the memory that numbers were put into.
  func letGo() {
    target = nil
    for stage in stages { stage.begin(nil) }
  }
}

private final class NumberStage: SinkStage {
  private var target: (numbers: Buffer<Double>, first: UInt32)?
  private(set) var hasUnknown = false

  func begin(_ target: (numbers: Buffer<Double>, first: UInt32)?) {
    self.target = target
    hasUnknown = false
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    guard let (numbers, first) = target else { return false }
    let values = EdgeWeight.numbers(chunk.columns[1], count: chunk.count)
    let positions = chunk.columns[0].flattened().values(UInt32.self)
    for row in 0..<chunk.count { numbers[positions[row] &+ first] = values.numbers[row] }
    hasUnknown = hasUnknown || values.hasUnknown
    return true
  }
}
