import Synchronization

/// Memory for blocks that are filled at about the same time and live together, taken from the system in large stretches.
///
/// A stretch lives as long as one of its blocks.
package final class MemoryStretches: Sendable {
  private let current = Mutex<(stretch: MemoryBlock, used: Int)?>(nil)
  private let byteCount: Int

  /// The largest stretch.
  private static let byteCountMax = 32 << 20

  /// Stretches for blocks that will come to about so many bytes.
  package init(_ byteCount: Int) {
    self.byteCount = min(max(byteCount, 1), Self.byteCountMax)
  }

  /// A block, not initialised.
  package func take(_ byteCount: Int) -> MemoryBlock {
    // Blocks begin at cache lines.
    let rounded = (byteCount + 63) & ~63
    if rounded > self.byteCount { return MemoryBlock(byteCount: byteCount) }
    return current.withLock { current in
      var (stretch, used) = current ?? (MemoryBlock(byteCount: self.byteCount), 0)
      if rounded > self.byteCount - used {
        (stretch, used) = (MemoryBlock(byteCount: self.byteCount), 0)
      }
      current = (stretch, used + rounded)
      return MemoryBlock(slicing: stretch, from: used, byteCount: byteCount)
    }
  }
}
