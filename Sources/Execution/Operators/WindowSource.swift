import Columnar
import Diagnostics
import Planning

/// Window functions.
final class WindowSource: ChunkListSource, @unchecked Sendable {
  init(_ calls: [WindowCall], _ input: Stream, _ compiler: ExpressionCompiler) throws(SQLError) {
    throw SQLError.unsupported("a window function")
  }
}
