import Columnar

// Whoever goes through many sources reads page after page. As long as the memory of pages that stand beside each other
// does so too, the processor fetches it ahead; pages that were copied one by one lie anywhere. So they are brought
// together again, at a price for each change that does not depend on how many there are.

extension AdjacencyIndex {
  /// A group of pages is packed when so many of its 64 have strayed.
  private static let strayLimit = 32

  /// Changes a page, which is the writer's own afterwards.
  mutating func change(
    _ index: Int, _ epoch: Epoch, _ body: (AdjacencyPage, PackMemory?) -> Bool
  ) -> Bool {
    if packMemory == nil && edgeCount >= PackMemory.leastEdgeCount { packMemory = PackMemory() }
    let wasStray = pages[index].isStray
    let page = pages.writable(index, epoch: epoch)
    let result = body(page, packMemory)
    pages.refresh(index, epoch: epoch)
    if page.isStray && !wasStray, pages.noteStray(index, epoch: epoch) >= Self.strayLimit {
      pack(group: index >> 6, epoch)
    }
    return result
  }

  /// Gives the pages of a group memory beside each other.
  private mutating func pack(group: Int, _ epoch: Epoch) {
    let range = (group << 6)..<min(pages.count, (group + 1) << 6)
    let width = AdjacencyFrame.wordCount
    var room = 0
    for index in range { room += pages[index].roomToPack }
    let frames = PackMemory.take(range.count * width, from: packMemory)
    let targets = PackMemory.take(room, from: packMemory)
    let rows = hasEdgeRows ? PackMemory.take(room, from: packMemory) : nil
    var start = 0
    let packed = range.map { index in
      let page = pages[index]
      let own = start..<(start + page.roomToPack)
      start = own.upperBound
      let frame = (index - range.lowerBound) * width
      return AdjacencyPage(
        packing: page, owner: epoch, frame: frames.slice(frame..<(frame + width)),
        targets: targets.slice(own), rows: rows?.slice(own))
    }
    pages.replaceGroup(group, with: packed, epoch: epoch)
  }
}
