import Columnar
import Diagnostics

/// Chunks that are there, handed out again: what pipeline breakers leave behind.
class ChunkListSource: Source {
  final var chunks: [DataChunk] = []
  /// Chunks to a morsel; fewer than two morsels' worth are left to one worker.
  private static let morselChunkCount = 16

  override var morselCount: Int {
    chunks.count < 2 * Self.morselChunkCount
      ? 1 : (chunks.count + Self.morselChunkCount - 1) / Self.morselChunkCount
  }

  override func produce(
    _ morsel: Int, into stage: Stage, _ context: ExecutionContext
  ) throws(SQLError) -> Bool {
    let width = morselCount == 1 ? chunks.count : Self.morselChunkCount
    let end = min(chunks.count, (morsel + 1) * width)
    for index in (morsel * width)..<max(end, morsel * width) {
      try context.check()
      let more = try chunks[index].forEachPart { (part) throws(SQLError) in try stage.push(part) }
      if !more { return false }
    }
    return true
  }
}

/// Gathers chunks in the order of their morsels.
final class CollectorSink: Sink {
  private var stages: [CollectorStage] = []
  private(set) var chunks: [DataChunk] = []
  private var isParallel = false
  private let chunkLimit: Int

  /// - Parameter chunkLimit: the most rows of a chunk that whoever takes the chunks can do with.
  init(chunkLimit: Int = Vector.chunkCapacity) { self.chunkLimit = chunkLimit }

  override var onlyKeeps: Bool { true }

  override func start(_ context: ExecutionContext, workerCount: Int) throws(SQLError) {
    chunks = []
    isParallel = workerCount > 1
    if stages.count > 1 { stages.removeLast(stages.count - 1) }
    stages.first?.notesMorsels = isParallel
  }

  override func makeStage(worker: Int) throws(SQLError) -> SinkStage {
    let stage = CollectorStage(chunkLimit: chunkLimit)
    stage.notesMorsels = isParallel
    stages.append(stage)
    return stage
  }

  override func combine(_ context: ExecutionContext) throws(SQLError) {
    if stages.count == 1 {
      chunks = stages[0].takeChunks()
      return
    }
    var parts: [(morsel: Int, chunks: ArraySlice<DataChunk>)] = []
    for stage in stages { parts += stage.takeParts() }
    parts.sort { $0.morsel < $1.morsel }
    chunks = parts.flatMap(\.chunks)
  }

  /// The chunks, which are the caller's from now on, and what holds their memory.
  func takeResult() -> (chunks: [DataChunk], memory: [HeldMemory]) {
    let memory = stages.compactMap { $0.handOver() }
    return (takeChunks(), memory)
  }

  /// The chunks, which the sink then forgets.
  func takeChunks() -> [DataChunk] {
    defer { chunks = [] }
    return chunks
  }

  var rowCount: Int { chunks.reduce(0) { $0 + $1.count } }
}

/// One worker's chunks, in the order in which they came.
final class CollectorStage: SinkStage {
  private var chunks: [DataChunk] = []
  /// Where the chunks of each morsel begin.
  private var starts: [(morsel: Int, chunk: Int)] = []
  /// Whether other workers gather as well, so that the order has to be made at the end.
  var notesMorsels = false
  private let account = MemoryAccount()
  private let mostRows: Int

  init(chunkLimit: Int = Vector.chunkCapacity) { mostRows = chunkLimit }

  override var chunkLimit: Int { mostRows }

  override func start(_ context: ExecutionContext) throws(SQLError) {
    forget()
    account.reset(context)
  }

  /// Hands over what is held for the chunks that are taken.
  func handOver() -> HeldMemory? { account.handOver() }

  private func forget() {
    chunks = []
    if !starts.isEmpty { starts = [] }
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    try account.charge(chunk.approximateByteCount)
    if notesMorsels && starts.last?.morsel != morsel { starts.append((morsel, chunks.count)) }
    chunks.append(chunk)
    return true
  }

  func takeParts() -> [(morsel: Int, chunks: ArraySlice<DataChunk>)] {
    defer { forget() }
    return starts.indices.map { index in
      let end = index + 1 < starts.count ? starts[index + 1].chunk : chunks.count
      return (starts[index].morsel, chunks[starts[index].chunk..<end])
    }
  }

  func takeChunks() -> [DataChunk] {
    defer { forget() }
    return chunks
  }
}

extension DataChunk {
  /// About the bytes that keeping the chunk holds, for memory accounting.
  var approximateByteCount: Int {
    var width = 16
    for column in columns {
      switch column.form {
      case .constant: width += 0
      case .indirect: width += 4
      case .flat: width += max(1, column.type.physical.stride)
      }
    }
    return width * count
  }
}
