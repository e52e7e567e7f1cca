import Columnar
import Diagnostics

/// Brings small chunks together before operators that cost more for a chunk than for a few rows.
///
/// Rows keep their order and their morsel, and wait for sixteen chunks at most.
final class CompactOperator: StreamOperator {
  override func makeStage(next: Stage) throws(SQLError) -> Stage { CompactStage(next: next) }
}

private final class CompactStage: StreamingStage {
  private var pending = ChunkCompactor()

  /// Chunks of this many rows are handed on as they are.
  private static let fullRowCount = 512
  /// As many chunks wait at most.
  private static let chunkCountMax = 16

  override func start(_ context: ExecutionContext) throws(SQLError) {
    pending = ChunkCompactor()
    try super.start(context)
  }

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    if chunk.count >= Self.fullRowCount {
      if try !flush() { return false }
      return try next.push(chunk)
    }
    if !pending.add(chunk) {
      if try !flush() { return false }
      if !pending.add(chunk) { return try next.push(chunk) }
    }
    return pending.chunkCount < Self.chunkCountMax ? true : try flush()
  }

  private func flush() throws(SQLError) -> Bool {
    pending.isEmpty ? true : try next.push(pending.take())
  }

  override func endMorsel() throws(SQLError) -> Bool {
    if try !flush() { return false }
    return try next.endMorsel()
  }
}
