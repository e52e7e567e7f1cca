import Columnar
import Diagnostics
import Synchronization

/// A large page, as long as somebody reads it.
final class SharedPage: Sendable {
  let page: Page

  init(_ page: Page) { self.page = page }
}

/// Large pages of a file, unpacked once for all who read them at the same time.
///
/// Threads that share a row group come to the same page where it has more rows than a part of them.
final class SharedPages: Sendable {
  /// Which page of which column chunk: chunks of a damaged file may have bytes in common.
  struct Key: Hashable {
    let rowGroup: Int?
    let leaf: Int
    let position: Int
  }
  private struct Known: Sendable { weak var page: SharedPage? }
  private final class Slot: Sendable { let known = Mutex(Known()) }
  private let slots = Mutex<[Key: Slot]>([:])

  /// From so many unpacked bytes on a page is shared; to unpack a smaller one takes about a millisecond.
  let leastByteCount: Int

  init(leastByteCount: Int = 4 << 20) { self.leastByteCount = leastByteCount }

  /// The page that somebody reads, or what `unpack` gives, for which others wait.
  ///
  /// - Throws: what `unpack` throws.
  func page(_ key: Key, _ unpack: () throws(SQLError) -> Page) throws(SQLError) -> Page {
    let slot = slots.withLock { slots in
      if let slot = slots[key] { return slot }
      let slot = Slot()
      slots[key] = slot
      return slot
    }
    let shared = try slot.known.withLock { (known) throws(SQLError) in
      if let page = known.page { return page }
      let page = SharedPage(try unpack())
      known.page = page
      return page
    }
    var page = shared.page
    page.owner = shared
    return page
  }
}
