/// Adds up the memory that a structure holds.
///
/// Each block counts once and whole, however small a part of it is in use, as the system gets it back only when its
/// last part is let go of. Parts that are given back by themselves count by themselves.
package struct MemoryCensus {
  /// What an allocation takes beside what was asked for: the allocator's own note of it.
  private static let noteByteCount = 8
  /// What stands before the fields of every object.
  private static let objectHeadByteCount = 16

  private var known: Set<ObjectIdentifier> = []
  /// The bytes of all that was added.
  package private(set) var byteCount = 0

  package init() {}

  /// Adds the block that a buffer is a part of.
  package mutating func add<Element>(_ buffer: Buffer<Element>) { add(buffer.block) }

  /// Adds a block.
  package mutating func add(_ block: MemoryBlock) {
    add(block.storage)
    // The memory of a block that is parted is that of its parts.
    if let whole = block.storage.header.whole, !block.storage.header.origin.isPart { add(whole) }
  }

  private mutating func add(_ storage: MemoryStorage) {
    guard known.insert(ObjectIdentifier(storage)).inserted else { return }
    add(objectOf: MemoryLayout<MemoryHeader>.stride)
    let header = storage.header
    if header.whole == nil || header.origin.isPart {
      byteCount += header.footprint + Self.noteByteCount
    }
  }

  /// Adds an object, or an array's memory, whose fields or elements take so many bytes.
  package mutating func add(objectOf fields: Int) {
    byteCount += (Self.objectHeadByteCount + fields + Self.noteByteCount + 15) & ~15
  }
}
