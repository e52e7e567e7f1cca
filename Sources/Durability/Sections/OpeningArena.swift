import Columnar
import Synchronization

/// Memory for pages that are read, many at a time.
///
/// It is taken from the system in large pieces, which it gives large pages: whoever reads rows at random positions would
/// otherwise wait for the translation of nearly every address.
final class OpeningArena: Sendable {
  private static let pieceByteCount = 1 << 21
  /// What is left to plain memory, of which no part stays unused.
  private static let smallByteCount = 1 << 15

  private struct State {
    var piece: MemoryBlock?
    var used = 0
  }
  private let state = Mutex(State())

  /// A stretch that begins at a cache line.
  func take(_ byteCount: Int) -> MemoryBlock {
    if byteCount < Self.smallByteCount || byteCount > Self.pieceByteCount / 2 {
      return MemoryBlock(byteCount: byteCount)
    }
    let rounded = (byteCount + 63) & ~63
    return state.withLock { state in
      var piece = state.piece
      if piece == nil || state.used + rounded > Self.pieceByteCount {
        piece = MemoryBlock(byteCount: Self.pieceByteCount)
        state = State(piece: piece, used: 0)
      }
      guard let piece else { return MemoryBlock(byteCount: byteCount) }
      defer { state.used += rounded }
      return MemoryBlock(slicing: piece, from: state.used, byteCount: byteCount)
    }
  }

  func buffer<Element: BitwiseCopyable>(of element: Element.Type, count: Int) -> Buffer<Element> {
    take(max(1, count) * MemoryLayout<Element>.stride).buffer(of: element)
  }
}
