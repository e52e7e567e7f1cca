import Columnar

/// The lists of one index, read without counting references; an object, as the index itself has many of them.
class AdjacencyLists {
  final let index: AdjacencyIndex
  final let reader: ListReader
  /// Whether the lists are not all in a cache.
  private final let isLarge: Bool
  /// Keeps reads that bring lists into the cache from being left out.
  private final var warmth: UInt32 = 0

  /// So many lists are brought into the cache together.
  static var warmedCount: Int { 64 }

  init(_ index: AdjacencyIndex) {
    self.index = index
    reader = index.listReader
    isLarge = index.edgeCount >= 1 << 16
  }

  @inline(__always)
  final func degree(of source: UInt32) -> Int { Int(truncatingIfNeeded: reader.degree(of: source)) }

  @inline(__always)
  final func forEach(of source: UInt32, _ body: (UInt32) -> Void) {
    forEachStretch(of: source) { targets, count in
      for place in 0..<count { body(targets[place]) }
    }
  }

  /// Hands over the targets of a source, those that stand together at a time.
  @inline(__always)
  final func forEachStretch(
    of source: UInt32, _ body: (_ targets: PagePointer<UInt32>, _ count: Int) -> Void
  ) {
    if let list = reader.list(of: source) { return body(list.targets, list.count) }
    let long = reader.longList(of: source)
    for number in 0..<long.runCount {
      let run = long.header[0].runs[number]
      body(run.targets, Int(truncatingIfNeeded: run.count))
    }
  }

  /// Hands over the targets of a source, for each of which the list in `next` is gone through: the lists are brought into the cache
  /// some at a time.
  @inline(__always)
  final func forEach(of source: UInt32, before next: AdjacencyLists, _ body: (UInt32) -> Void) {
    forEachStretch(of: source) { targets, count in
      var start = 0
      while start < count {
        let length = min(Self.warmedCount, count &- start)
        let sources = targets.advanced(by: start)
        next.warm(sources, length)
        for place in 0..<length { body(sources[place]) }
        start &+= length
      }
    }
  }

  /// Reads where the lists of some sources start, and their first and last targets.
  ///
  /// Whoever looks at the lists one after the other waits for memory at each of them; here the waits overlap.
  final func warm(_ sources: PagePointer<UInt32>, _ count: Int) {
    if isLarge { warmth &+= reader.touch(sources, count) }
  }
}

extension ListReader {
  /// Reads the ends of some lists; what comes back means nothing.
  fileprivate func touch(_ sources: PagePointer<UInt32>, _ count: Int) -> UInt32 {
    var read: UInt32 = 0
    for index in 0..<count {
      let source = sources[index]
      let page = Int(truncatingIfNeeded: source) &>> AdjacencyPage.shift
      if page >= pageCount { continue }
      lazy.withObject { $0.require(page &>> 6) }
      let slot = directory[page &>> 6][page & 63]
      let list = AdjacencyIndex.list(source)
      if slot.isLong(list) { continue }
      let start = Int(truncatingIfNeeded: slot.offsets[list])
      let end = Int(truncatingIfNeeded: slot.offsets[list &+ 1])
      if start < end { read &+= slot.targets[start] &+ slot.targets[end &- 1] }
    }
    return read
  }
}
