import Columnar

/// Memory for the pages of a column that is loaded in bulk, many pages at a time.
///
/// It is filled with the pages that the system has at hand. Then they may become huge ones: whoever reads rows at random
/// positions of a large column would otherwise wait for the translation of nearly every address.
///
/// Sendable by rule: the one thread that loads a table takes pages from it.
final class PageArena: @unchecked Sendable {
  private let memory = MemoryBlock(byteCount: byteCount, pages: .small)
  private var used = 0

  private static let byteCount = 1 << 21
  /// Columns of fewer bytes are left to plain memory, of which no part stays unused.
  static let leastColumnByteCount = 1 << 20

  /// The next stretch; nil where there is none of that size any more.
  func take(_ byteCount: Int) -> MemoryBlock? {
    // Pages begin at cache lines.
    let rounded = (byteCount + 63) & ~63
    guard used + rounded <= Self.byteCount else { return nil }
    defer { used += rounded }
    return MemoryBlock(slicing: memory, from: used, byteCount: byteCount)
  }

  /// Says that it is full.
  func settle() { memory.settle() }
}

extension ColumnStore {
  /// Memory for page `index` of a column that is being loaded.
  mutating func bulkMemory(page index: Int, byteCount: Int) -> MemoryBlock {
    guard byteCount > 0, index * byteCount >= PageArena.leastColumnByteCount else {
      return MemoryBlock(byteCount: byteCount)
    }
    if let taken = arena?.take(byteCount) { return taken }
    arena?.settle()
    let next = PageArena()
    arena = next
    return next.take(byteCount) ?? MemoryBlock(byteCount: byteCount)
  }
}
