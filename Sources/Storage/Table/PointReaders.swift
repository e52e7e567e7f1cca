package import Columnar

/// Finds positions by whole number in a dense key index: plain bytes, so that a look-up counts no references.
///
/// - Invariant: whoever uses a reader holds the version of the table that it was taken from.
package struct NumberReader: BitwiseCopyable, Sendable {
  let base: Int64
  let room: UInt64
  /// Offsets from `serialStart` on, so many of them, hold 0, 1, 2, …: they need not be read.
  var serialStart: UInt64
  var serialCount: UInt64
  let directory: PagePointer<PagePointer<PagePointer<UInt32>>>
  /// What is still to be filled.
  let lazy: UncountedReference<LazyGroups>

  /// The position of the row with this number as its key, or `TableStore.noRow`.
  ///
  /// - Complexity: O(1): no load where numbers are serial, three elsewhere.
  package func position(of number: Int64) -> UInt32 {
    // A number below the base wraps round to one that is far too great.
    let offset = UInt64(bitPattern: number &- base)
    let serial = offset &- serialStart
    if serial < serialCount { return UInt32(truncatingIfNeeded: serial) }
    if offset >= room { return TableStore.noRow }
    let index = Int(truncatingIfNeeded: offset)
    lazy.withObject { $0.require(index &>> 17) }
    return directory[index &>> 17][(index &>> 11) & 63][index & 2047]
  }
}

extension KeyIndex {
  /// A reader of the index, if all of it is an array over one column of whole numbers.
  package var numberReader: NumberReader? {
    isDense ? numbers : nil
  }
}

extension DenseIndex {
  var reader: NumberReader {
    NumberReader(
      base: base, room: UInt64(positions.count), serialStart: UInt64(serial.start),
      serialCount: UInt64(serial.count), directory: PagePointer(positions.lazyDirectory),
      lazy: UncountedReference(positions.lazy))
  }
}

/// Reads the short lists of an adjacency index: plain bytes, so that a look-up counts no references.
///
/// - Invariant: whoever uses a reader holds the version of the table that it was taken from.
package struct ListReader: BitwiseCopyable, Sendable {
  let pageCount: Int
  let directory: PagePointer<PagePointer<AdjacencySlot>>
  /// What is still to be filled.
  let lazy: UncountedReference<LazyGroups>

  /// The number of bits by which a source's position is shifted to get its group.
  static var groupShift: Int { AdjacencyPage.shift &+ 6 }

  /// Copies the edges of a source, and says how many there are; nil if the list stands apart or is
  /// longer than `limit`, so that it is better read in place.
  ///
  /// - Precondition: `targets`, and `rows` if they are wanted, have room for `limit`.
  package func copyList(
    of source: UInt32, targets: Buffer<UInt32>, rows: Buffer<UInt32>?, limit: Int
  ) -> Int? {
    let page = Int(truncatingIfNeeded: source) &>> AdjacencyPage.shift
    if page >= pageCount { return 0 }
    lazy.withObject { $0.require(page &>> 6) }
    let slot = directory[page &>> 6][page & 63]
    let list = AdjacencyIndex.list(source)
    if slot.isLong(list) { return nil }
    // Something to be written over, read for its cache misses, which overlap with those of the offsets.
    if slot.usualCount > 0 { targets[0] = slot.targets[slot.likelyStart(list)] }
    let start = Int(truncatingIfNeeded: slot.offsets[list])
    let count = Int(truncatingIfNeeded: slot.offsets[list &+ 1]) &- start
    if count > limit { return nil }
    for index in 0..<count { targets[index] = slot.targets[start &+ index] }
    if let rows { slot.rows.copy(from: start, count: count, to: rows, at: 0) }
    return count
  }
}

extension ListReader {
  /// Copies the positions at one end of a source's edges, and says how many there are; nil if the list stands apart or
  /// is longer than `limit`, so that it is better read in place.
  ///
  /// - Precondition: `positions` has room for `limit`.
  package func copyList(
    at end: EdgeEnd, of source: UInt32, to positions: Buffer<UInt32>, limit: Int
  ) -> Int? {
    if end == .target { return copyList(of: source, targets: positions, rows: nil, limit: limit) }
    guard let list = list(of: source), list.count <= limit else { return nil }
    list.rows.copy(count: list.count, to: positions, at: 0)
    return list.count
  }

  /// Sees that the lists of some sources are in place.
  func require(_ sources: Buffer<UInt32>, _ range: Range<Int>) {
    lazy.withObject { $0.require(sources, range, shift: Self.groupShift) }
  }

  /// The lists of 64 sources; nil where there are none.
  @inline(__always)
  func slot(_ page: Int) -> AdjacencySlot? {
    if page >= pageCount { return nil }
    lazy.withObject { $0.require(page &>> 6) }
    return directory[page &>> 6][page & 63]
  }

  /// Where the edges of a source stand, and how many there are; nil if the list stands apart.
  @inline(__always)
  package func list(
    of source: UInt32
  ) -> (targets: PagePointer<UInt32>, rows: PackedNumbers, count: Int)? {
    let page = Int(truncatingIfNeeded: source) &>> AdjacencyPage.shift
    if page >= pageCount { return (.none, PackedNumbers(.none), 0) }
    lazy.withObject { $0.require(page &>> 6) }
    let slot = directory[page &>> 6][page & 63]
    let list = AdjacencyIndex.list(source)
    if slot.isLong(list) { return nil }
    let first = Int(truncatingIfNeeded: slot.offsets[list])
    let count = Int(truncatingIfNeeded: slot.offsets[list &+ 1]) &- first
    return (slot.targets.advanced(by: first), slot.rows.advanced(by: first), count)
  }

  /// The list of a source that stands apart.
  ///
  /// - Precondition: `list(of:)` has found none for it.
  @inline(__always)
  func longList(of source: UInt32) -> LongTable {
    let page = Int(truncatingIfNeeded: source) &>> AdjacencyPage.shift
    return directory[page &>> 6][page & 63].long(AdjacencyIndex.list(source))
  }

  /// In how many runs a list stands that stands apart.
  ///
  /// - Precondition: `list(of:)` has found none for it.
  package func runCount(of source: UInt32) -> Int { longList(of: source).runCount }

  /// One run of a list that stands apart.
  ///
  /// - Precondition: `list(of:)` has found none for it.
  package func run(
    _ number: Int, of source: UInt32
  ) -> (targets: PagePointer<UInt32>, rows: PackedNumbers, count: Int) {
    let run = longList(of: source).header[0].runs[number]
    return (run.targets, run.rows, Int(truncatingIfNeeded: run.count))
  }

  /// The number of edges of a source.
  @inline(__always)
  package func degree(of source: UInt32) -> UInt32 {
    let page = Int(truncatingIfNeeded: source) &>> AdjacencyPage.shift
    if page >= pageCount { return 0 }
    lazy.withObject { $0.require(page &>> 6) }
    let slot = directory[page &>> 6][page & 63]
    return UInt32(truncatingIfNeeded: slot.degree(AdjacencyIndex.list(source)))
  }

  /// The number of edges of each of the sources from `first` on, page by page.
  ///
  /// - Complexity: O(*n*), a load or two for each source, in the order of memory.
  package func degrees(from first: Int, count: Int) -> Buffer<Int64> {
    let result = Buffer<Int64>(uninitialized: count)
    var place = 0
    while place < count {
      let source = first &+ place
      let page = source &>> AdjacencyPage.shift
      let list = source & (AdjacencyPage.sourceCount &- 1)
      let length = min(count &- place, AdjacencyPage.sourceCount &- list)
      if page >= pageCount {
        for index in 0..<length { result[place &+ index] = 0 }
      } else {
        lazy.withObject { $0.require(page &>> 6) }
        let slot = directory[page &>> 6][page & 63]
        let offsets = slot.offsets.advanced(by: list)
        for index in 0..<length {
          result[place &+ index] = Int64(truncatingIfNeeded: offsets[index &+ 1] &- offsets[index])
        }
        // A list that stands apart takes no part of the stretch, and the degree of any other is 0 here.
        let degrees = AdjacencyFrame(words: slot.offsets).degrees
        if !degrees.isNone {
          let apart = degrees.advanced(by: list)
          for index in 0..<length {
            result[place &+ index] &+= Int64(truncatingIfNeeded: apart[index])
          }
        }
      }
      place &+= length
    }
    return result
  }
}

extension ListReader {
  /// Copies the edges of sources `next ..< end` one behind another, until room for `limit` edges is used up
  /// or a source's list stands apart; `next` is then the first source not done.
  ///
  /// Each edge's target and, where wanted, its row and the index of its source are written from `filled` on. A
  /// source of `TableStore.noRow` has no edges.
  ///
  /// - Precondition: the buffers have room for `limit`.
  /// - Complexity: O(edges + sources).
  package func expand(
    _ sources: Buffer<UInt32>, from next: inout Int, to end: Int, sourceRows: Buffer<UInt32>?,
    targets: Buffer<UInt32>, rows: Buffer<UInt32>?, filled: inout Int, limit: Int
  ) {
    var place = filled
    var index = next
    defer {
      next = index
      filled = place
    }
    // Lists are found a block at a time, and the first edge of each is touched, before any is copied: so the
    // misses of a block overlap, which the branches of the copying loops would prevent.
    var found = InlineArray<64, ListPlace>(repeating: ListPlace())
    if !lazy.isNone { require(sources, index..<end) }
    while index < end {
      let wanted = min(end &- index, found.count)
      let blockCount = findLists(sources, from: index, count: wanted, &found)
      var touched: UInt32 = 0
      for block in 0..<blockCount where found[block].count > 0 {
        touched ^= found[block].targets[0]
      }
      // Something to be written over.
      if place < limit { targets[place] = touched }
      for block in 0..<blockCount {
        let list = found[block]
        let count = Int(list.count)
        if count > limit &- place { return }
        for edge in 0..<count { targets[place &+ edge] = list.targets[edge] }
        if let rows { list.rows.copy(count: count, to: rows, at: place) }
        if let sourceRows {
          let row = UInt32(truncatingIfNeeded: index)
          for edge in 0..<count { sourceRows[place &+ edge] = row }
        }
        place &+= count
        index &+= 1
      }
      if blockCount < wanted { return }
    }
  }

  /// Where a list stands.
  struct ListPlace: BitwiseCopyable {
    var targets = PagePointer<UInt32>.none
    /// That of the list's page, where the rows are asked for.
    fileprivate var slot = PagePointer<AdjacencySlot>.none
    fileprivate var first: UInt32 = 0
    var count: UInt32 = 0

    /// The row of each edge; none where there are no edges, as of a source past the last page, which has no slot.
    @inline(__always)
    var rows: PackedNumbers {
      if count == 0 { return PackedNumbers(.none) }
      return slot[0].rows.advanced(by: Int(truncatingIfNeeded: first))
    }
  }

  /// Finds the lists of sources up to the first that stands apart, and says how many.
  ///
  /// - Precondition: their groups are in place.
  @inline(__always)
  func findLists(
    _ sources: Buffer<UInt32>, from start: Int, count: Int,
    _ found: inout InlineArray<64, ListPlace>
  ) -> Int {
    for index in 0..<count {
      let source = sources[start &+ index]
      let page = Int(truncatingIfNeeded: source) &>> AdjacencyPage.shift
      guard page < pageCount else {
        found[index] = ListPlace()
        continue
      }
      let place = directory[page &>> 6].advanced(by: page & 63)
      let slot = place[0]
      let list = AdjacencyIndex.list(source)
      if slot.isLong(list) { return index }
      let first = slot.offsets[list]
      found[index] = ListPlace(
        targets: slot.targets.advanced(by: Int(truncatingIfNeeded: first)), slot: place,
        first: first, count: slot.offsets[list &+ 1] &- first)
    }
    return count
  }
}

extension AdjacencyIndex {
  /// A reader of the lists that stand together.
  package var listReader: ListReader {
    ListReader(
      pageCount: pages.count, directory: PagePointer(pages.directory),
      lazy: UncountedReference(pages.lazy))
  }

  /// A reader for who goes through sources in any order, once all lists are in place.
  package var wholeListReader: ListReader {
    ListReader(
      pageCount: pages.count, directory: PagePointer(pages.wholeDirectory),
      lazy: UncountedReference(nil))
  }
}
