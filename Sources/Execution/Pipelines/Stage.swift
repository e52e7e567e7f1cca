import Columnar
import Diagnostics
import Storage

/// One worker's end of an operator: takes chunks and hands chunks on to the stage behind it.
///
/// One worker at a time uses a stage.
class Stage {
  /// Forgets the last run.
  func start(_ context: ExecutionContext) throws(SQLError) {}

  /// The most rows of a chunk that the stage takes.
  var chunkLimit: Int { Vector.chunkCapacity }

  /// Takes a chunk of at least one row, and says whether more are wanted.
  func push(_ chunk: DataChunk) throws(SQLError) -> Bool { true }

  /// Hands on what waits of the morsel whose chunks have all been pushed, and says whether more are wanted.
  func endMorsel() throws(SQLError) -> Bool { true }

  /// Takes note that all workers have pushed all they had; called in one worker's chain.
  func finish() throws(SQLError) {}

  /// Lets go of the run that has ended, however it did.
  ///
  /// A plan is kept from run to run, and a run's context knows the session that keeps the plan, and the version of
  /// the database that was read: a stage that held on to it would keep both alive.
  func letGo() {}
}

/// A stage that hands on what it makes of each chunk.
class StreamingStage: Stage {
  final let next: Stage
  final private(set) var context: ExecutionContext?

  init(next: Stage) { self.next = next }

  override func start(_ context: ExecutionContext) throws(SQLError) {
    self.context = context
    try next.start(context)
  }

  final func running() throws(SQLError) -> ExecutionContext {
    guard let context else { throw SQLError.internal("an operator was fed before its start") }
    return context
  }

  override func endMorsel() throws(SQLError) -> Bool { try next.endMorsel() }

  override func finish() throws(SQLError) { try next.finish() }

  override func letGo() {
    context = nil
    next.letGo()
  }

  /// Hands on rows, cut into chunks where they are many, and says whether more are wanted.
  final func emit(_ chunk: DataChunk) throws(SQLError) -> Bool {
    try chunk.forEachPart { (part) throws(SQLError) in try next.push(part) }
  }
}

extension DataChunk {
  /// Hands over the rows in chunks of at most `Vector.chunkCapacity`, until `body` says no.
  func forEachPart(_ body: (DataChunk) throws(SQLError) -> Bool) throws(SQLError) -> Bool {
    if count == 0 { return true }
    if count <= Vector.chunkCapacity { return try body(self) }
    var start = 0
    while start < count {
      let length = min(Vector.chunkCapacity, count - start)
      if try !body(slice(from: start, count: length)) { return false }
      start += length
    }
    return true
  }
}

/// An operator that works chunk by chunk between a source and a sink.
///
/// What all workers share stands here; what each has for itself, in the stages it makes.
class StreamOperator {
  /// Whether the operator must see all rows in order, in one worker.
  var isSequential: Bool { false }

  /// Whether the operator may give rows when it finishes that none of those pushed led to.
  var givesOwnRows: Bool { false }

  /// Runs what the operator depends on, such as the build side of a join.
  ///
  /// Says false where nothing can come out, so that the source need not run; the operator stands
  /// ready for chunks all the same.
  func prepare(_ context: ExecutionContext) throws(SQLError) -> Bool { true }

  /// The operator's end for one worker.
  ///
  /// - Throws: what compiling its expressions throws.
  func makeStage(next: Stage) throws(SQLError) -> Stage { next }
}

/// What gives a pipeline its chunks, cut into morsels that workers can take in any order.
class Source {
  /// Runs what the source depends on, and cuts its work into morsels.
  func prepare(_ context: ExecutionContext) throws(SQLError) {}

  /// How many morsels there are, known after `prepare`; more than one only where several workers pay.
  var morselCount: Int { 1 }

  /// Whether one worker starts, and is joined by others only when there turns out to be enough work.
  var startsAlone: Bool { false }

  /// The morsel that is best taken in some turn, 0 ..< `morselCount`: each has one.
  func morsel(inTurn turn: Int) -> Int { turn }

  /// Tells that operators further on make many rows of one.
  func expectFanOut() {}

  /// The number of rows that all morsels would give, where that is known without looking at them; asked
  /// for instead of `prepare`.
  func countRows(_ context: ExecutionContext) throws(SQLError) -> Int? { nil }

  /// What is asked of the values of a column, of whole numbers, in all rows, where that is known without giving them; asked for
  /// instead of `prepare`.
  func fold(_ column: Int, _ context: ExecutionContext) throws(SQLError) -> KeyFold? { nil }

  /// Whether `countRows` always has an answer.
  var knowsRowCount: Bool { false }

  /// Pushes the chunks of one morsel, and says whether more are wanted.
  func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool { true }
}

/// A source that gives one chunk, which may be asked for without a pipeline.
class OneChunkSource: Source {
  /// The chunk, of at least one row; asked for after `prepare`.
  func chunk(_ context: ExecutionContext) throws(SQLError) -> DataChunk {
    throw SQLError.internal("a source has no implementation")
  }

  final override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    try stage.push(try chunk(context))
  }
}

/// Where a pipeline ends: gathers what all workers push.
class Sink {
  /// Whether all rows must come in order, in one worker.
  var isSequential: Bool { false }

  /// Whether rows are kept as they come, which takes next to no time.
  var onlyKeeps: Bool { false }

  /// Forgets the last run.
  func start(_ context: ExecutionContext, workerCount: Int) throws(SQLError) {}

  /// A worker's end; worker 0's is kept between runs.
  func makeStage(worker: Int) throws(SQLError) -> SinkStage { SinkStage() }

  /// Brings together what the workers gathered.
  func combine(_ context: ExecutionContext) throws(SQLError) {}
}

/// One worker's end of a sink.
class SinkStage: Stage {
  /// The number of the morsel that the next chunks belong to.
  final var morsel = 0
}
