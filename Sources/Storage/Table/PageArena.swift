import Columnar

/// Memory for the pages of a column that is loaded in bulk, many pages at a time.
///
/// It is filled with the pages that the system has at hand. Then they may become huge ones: whoever reads rows at random
/// positions of a large column would otherwise wait for the translation of nearly every address.
///
/// Sendable by rule: the one thread that loads a table takes pages from it.
final class PageArena: @unchecked Sendable {
  private let memory: MemoryBlock
  private var used = 0

  private static let largeByteCount = 1 << 21
  /// Columns of so many bytes and more take large stretches.
  private static let largeColumnByteCount = 1 << 20
  /// The first pages are left to plain memory, of which no part stays unused.
  static let plainPages = 8
  /// Of what a smaller column has so far, at most the share that stays unused.
  private static let unusedShare = 8

  /// Memory for the pages of a column of which there are so many bytes, in pages of `pageByteCount`.
  init(columnByteCount: Int, pageByteCount: Int) {
    // Pages are scanned as many at a time as a chunk has room for.
    let group = Vector.chunkCapacity / ColumnPage.capacity * Self.rounded(pageByteCount)
    let small = max(1, columnByteCount / Self.unusedShare / group) * group
    memory = MemoryBlock(
      byteCount: columnByteCount >= Self.largeColumnByteCount ? Self.largeByteCount : small,
      pages: .small)
  }

  /// Pages begin at cache lines.
  private static func rounded(_ byteCount: Int) -> Int { (byteCount + 63) & ~63 }

  /// The next stretch; nil where there is none of that size any more.
  func take(_ byteCount: Int) -> MemoryBlock? {
    let rounded = Self.rounded(byteCount)
    guard used + rounded <= memory.byteCount else { return nil }
    defer { used += rounded }
    return MemoryBlock(slicing: memory, from: used, byteCount: byteCount)
  }

  /// Says that it is full.
  func settle() { memory.settle() }
}

extension ColumnStore {
  /// Memory for page `index` of a column that is being loaded.
  mutating func bulkMemory(page index: Int, byteCount: Int) -> MemoryBlock {
    guard byteCount > 0, index >= PageArena.plainPages else {
      return MemoryBlock(byteCount: byteCount)
    }
    if let taken = arena?.take(byteCount) { return taken }
    arena?.settle()
    let next = PageArena(columnByteCount: index * byteCount, pageByteCount: byteCount)
    arena = next
    return next.take(byteCount) ?? MemoryBlock(byteCount: byteCount)
  }
}
