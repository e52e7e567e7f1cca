import Columnar

/// What a traversal needs of the lists of 64 sources.
struct AdjacencySlot: BitwiseCopyable {
  /// An `AdjacencyFrame`, which begins with 65 numbers: list *i* takes edges `offsets[i] ..< offsets[i + 1]`.
  let offsets: PagePointer<UInt32>
  let targets: PagePointer<UInt32>
  /// The row of each edge; the targets themselves where the target is the row.
  let rows: PackedNumbers
  /// The edges in the stretch when the slot was made: there may be others by now, but there is room for so many.
  ///
  /// The number stands in what `rows` leaves of its last word.
  let usualCount: UInt16
  /// Which lists stand apart, as they are long: a bit for each.
  let longs: UInt64

  init(
    offsets: PagePointer<UInt32>, targets: PagePointer<UInt32>, rows: PackedNumbers,
    longs: UInt64, edgeCount: Int
  ) {
    (self.offsets, self.targets, self.rows, self.longs) = (offsets, targets, rows, longs)
    usualCount = UInt16(clamping: edgeCount)
  }

  /// Where a list would begin if all had the same number of edges: to read something there while the offsets are on
  /// their way brings the list's memory sooner.
  @inline(__always)
  func likelyStart(_ list: Int) -> Int { list &* Int(usualCount) &>> 6 }

  @inline(__always)
  func isLong(_ list: Int) -> Bool {
    longs &>> UInt64(truncatingIfNeeded: list) & 1 != 0
  }
}

extension AdjacencySlot {
  /// A list that stands apart.
  @inline(__always)
  func long(_ list: Int) -> LongTable {
    LongTable(header: AdjacencyFrame(words: offsets).longs[list])
  }

  /// The number of edges of a list.
  @inline(__always)
  func degree(_ list: Int) -> Int {
    isLong(list)
      ? Int(truncatingIfNeeded: AdjacencyFrame(words: offsets).degrees[list])
      : Int(truncatingIfNeeded: offsets[list &+ 1] &- offsets[list])
  }

  /// Keeps the degree of a list that stands apart right; its writer owns the page, and so the degrees.
  private func noteDegree(_ list: Int) {
    let count = long(list).count
    let frame = AdjacencyFrame(words: offsets)
    frame.degrees.store(UInt32(truncatingIfNeeded: count), at: list)
    frame.note(list, isLinked: count > 0)
  }

  /// Where an edge stands in the stretch, or would stand, and whether it is there.
  @inline(__always)
  private func place(
    _ target: UInt32, _ row: UInt32, in range: Range<Int>, hasRows: Bool
  ) -> (index: Int, found: Bool) {
    var index = targets.lowerBound(of: target, in: range)
    let end = range.upperBound
    guard hasRows else { return (index, index < end && targets[index] == target) }
    while index < end && targets[index] == target && rows[index] < row { index &+= 1 }
    return (index, index < end && targets[index] == target && rows[index] == row)
  }

  @inline(__always)
  private func range(_ list: Int) -> Range<Int> {
    Int(truncatingIfNeeded: offsets[list])..<Int(truncatingIfNeeded: offsets[list &+ 1])
  }

  @inline(__always)
  private var edgeCount: Int { Int(truncatingIfNeeded: offsets[AdjacencyPage.sourceCount]) }

  /// Adds an edge, if the writer owns what it touches and there is room: a few loads, and one move of memory.
  func insert(
    _ list: Int, _ target: UInt32, _ row: UInt32, hasRows: Bool, _ epoch: Epoch
  ) -> Bool {
    if isLong(list) {
      guard long(list).insert(target, row, hasRows: hasRows, epoch) else { return false }
      noteDegree(list)
      return true
    }
    let frame = AdjacencyFrame(words: offsets)
    let count = edgeCount
    let range = range(list)
    guard frame.owner == epoch.number, count < frame.room, count < AdjacencyPage.edgeLimit,
      range.count < AdjacencyPage.listLimit
    else { return false }
    let index = place(target, row, in: range, hasRows: hasRows).index
    targets.move(from: index, count: count &- index, to: index &+ 1)
    targets.store(target, at: index)
    if hasRows {
      // What a writer owns is not packed.
      rows.plain.move(from: index, count: count &- index, to: index &+ 1)
      rows.plain.store(row, at: index)
    }
    for later in (list &+ 1)...AdjacencyPage.sourceCount {
      offsets.store(offsets[later] &+ 1, at: later)
    }
    frame.note(list, isLinked: true)
    return true
  }

  /// Takes an edge out, if the writer owns what it touches.
  func remove(
    _ list: Int, _ target: UInt32, _ row: UInt32, hasRows: Bool, _ epoch: Epoch
  ) -> LongTable.Removal {
    if isLong(list) {
      let removal = long(list).remove(target, row, hasRows: hasRows, epoch)
      if removal == .done { noteDegree(list) }
      return removal
    }
    let range = range(list)
    let (index, found) = place(target, row, in: range, hasRows: hasRows)
    if !found { return .absent }
    let frame = AdjacencyFrame(words: offsets)
    guard frame.owner == epoch.number else { return .refused }
    let rest = edgeCount &- index &- 1
    targets.move(from: index &+ 1, count: rest, to: index)
    if hasRows { rows.plain.move(from: index &+ 1, count: rest, to: index) }
    for later in (list &+ 1)...AdjacencyPage.sourceCount {
      offsets.store(offsets[later] &- 1, at: later)
    }
    if range.count == 1 { frame.note(list, isLinked: false) }
    return .done
  }
}

/// The neighbour lists of 64 consecutive sources, one behind another in a single stretch of memory.
///
/// A write copies the stretch on first touch and then moves what stands behind the edge, which is cheap
/// because the stretch is short: lists that would make it long are kept apart as `LongList`.
///
/// The rows of edges that were built in bulk may be packed; the first change unpacks them.
///
/// - Invariant: the edges of a list rise by (target, row); a long list takes no part of the stretch.
final class AdjacencyPage: VersionedPage, @unchecked Sendable {
  static let shift = 6
  static let sourceCount = 64
  /// A list of more edges is kept apart.
  static let listLimit = 1024
  /// Where a page has more edges than this, lists of more than `shortLimit` are kept apart.
  static let edgeLimit = 2048
  static let shortLimit = 32

  // Sendable by the rule of `VersionedPage`.
  let owner: Epoch
  /// An `AdjacencyFrame`.
  private let offsets: Buffer<UInt32>
  private var targets: Buffer<UInt32>
  /// nil if the target of each edge is its row.
  private var rows: NumberStretch?
  private(set) var longLists = LongLists()
  /// Where each list that stands apart has its header, and their degrees; made with the first.
  private var longTable: Buffer<PagePointer<LongHeader>>?
  private var longs: UInt64 = 0
  /// Whether a change has given the page memory apart from that of the pages beside it.
  var isStray = true

  private var frame: AdjacencyFrame { AdjacencyFrame(words: PagePointer(offsets)) }

  /// A page without edges.
  init(owner: Epoch, hasRows: Bool) {
    self.owner = owner
    offsets = Buffer(zeroed: AdjacencyFrame.wordCount)
    targets = Buffer(uninitialized: 0)
    rows = hasRows ? NumberStretch(Buffer(uninitialized: 0)) : nil
  }

  /// A page over edges that stand in order already, in memory that others may read and nobody changes.
  ///
  /// - Precondition: `offsets` has room for a frame.
  init(
    owner: Epoch, offsets: Buffer<UInt32>, targets: Buffer<UInt32>, rows: NumberStretch?
  ) {
    self.owner = owner
    self.offsets = offsets
    self.targets = targets
    self.rows = rows
    isStray = false
    frame.set(owner: 0, room: 0)
    frame.set(longs: .none)
    var linked: UInt64 = 0
    for list in 0..<Self.sourceCount {
      linked |= UInt64(truncatingIfNeeded: bit(offsets[list] < offsets[list + 1])) << UInt64(list)
    }
    frame.set(linked: linked)
  }

  /// The page in memory that `owner` has taken for it and its neighbours.
  ///
  /// - Precondition: `frame` has room for a frame, `targets` and `rows` for the edges in the stretch.
  init(
    packing page: AdjacencyPage, owner: Epoch, frame: Buffer<UInt32>, targets: Buffer<UInt32>,
    rows: Buffer<UInt32>?
  ) {
    self.owner = owner
    offsets = frame
    offsets.copy(page.offsets, count: AdjacencyFrame.wordCount, to: 0)
    self.targets = targets
    targets.copy(page.targets, count: page.edgeCount, to: 0)
    self.rows = rows.map { NumberStretch($0) }
    if let rows { page.rows?.copy(count: page.edgeCount, to: rows, at: 0) }
    longLists = page.longLists
    longs = page.longs
    isStray = false
    self.frame.set(owner: owner.number, room: targets.count)
    copyLongTable(of: page)
  }

  private func copyLongTable(of page: AdjacencyPage) {
    guard let table = page.longTable else { return }
    let copied = Buffer<PagePointer<LongHeader>>(uninitialized: table.count)
    copied.copy(table, count: table.count, to: 0)
    longTable = copied
    frame.set(longs: PagePointer(copied))
  }

  private init(copying page: AdjacencyPage, owner: Epoch) {
    self.owner = owner
    offsets = Buffer(uninitialized: AdjacencyFrame.wordCount)
    offsets.copy(page.offsets, count: AdjacencyFrame.wordCount, to: 0)
    targets = page.targets
    rows = page.rows
    longLists = page.longLists
    longs = page.longs
    frame.set(owner: 0, room: 0)
    copyLongTable(of: page)
  }

  func copy(owner: Epoch) -> AdjacencyPage { AdjacencyPage(copying: self, owner: owner) }

  var slot: AdjacencySlot {
    AdjacencySlot(
      offsets: PagePointer(offsets), targets: PagePointer(targets),
      rows: rows?.numbers ?? PackedNumbers(PagePointer(targets)), longs: longs,
      edgeCount: edgeCount)
  }

  /// The edges in the stretch.
  private var edgeCount: Int { Int(offsets[Self.sourceCount]) }

  /// For how many edges the stretch gets room where it is packed.
  var roomToPack: Int { edgeCount + edgeCount / 16 + 8 }

  func isLong(_ list: Int) -> Bool { slot.isLong(list) }

  /// The edges of a list in the stretch.
  func list(_ list: Int) -> NeighbourList {
    let range = Int(offsets[list])..<Int(offsets[list + 1])
    return NeighbourList(targets: targets.slice(range), rows: rows?.slice(range))
  }

  /// Adds the memory of the page, which stands in its group's table.
  func count(in census: inout MemoryCensus) {
    // The object's fields: the epoch, four buffers, the long lists, which of them there are, and a flag.
    census.add(objectOf: 8 + 4 * MemoryLayout<Buffer<UInt32>?>.stride + 8 + 8 + 8)
    census.add(offsets)
    census.add(targets)
    if let rows { census.add(rows.memory) }
    if let longTable { census.add(longTable) }
    longLists.count(in: &census)
  }

  // MARK: Changes

  private func setLong(_ list: Int, _ long: LongList) {
    longLists.set(list, long, owner: owner)
    if longTable == nil {
      let table = Buffer<PagePointer<LongHeader>>(zeroed: AdjacencyFrame.longTableCount)
      longTable = table
      frame.set(longs: PagePointer(table))
    }
    frame.longs.store(long.table.header, at: list)
    frame.degrees.store(UInt32(truncatingIfNeeded: long.table.count), at: list)
    frame.note(list, isLinked: long.table.count > 0)
  }

  /// Gives the stretch memory of its own with room for `wanted` edges.
  private func makeRoom(_ wanted: Int) {
    if frame.owner == owner.number && targets.count >= wanted { return }
    let room = wanted + wanted / 4 + 8
    isStray = true
    let moved = Buffer<UInt32>(uninitialized: room)
    moved.copy(targets, count: edgeCount, to: 0)
    targets = moved
    if let rows {
      let moved = Buffer<UInt32>(uninitialized: room)
      rows.copy(count: edgeCount, to: moved, at: 0)
      self.rows = NumberStretch(moved)
    }
    frame.set(owner: owner.number, room: room)
  }

  /// Adds an edge.
  ///
  /// - Complexity: O(edges of the page), by one move of memory.
  func insert(_ list: Int, _ target: UInt32, _ row: UInt32, _ memory: PackMemory? = nil) {
    if let long = longLists[list] {
      setLong(list, long.inserting(target, row, owner: owner, memory))
      return
    }
    let count = edgeCount
    let length = Int(offsets[list + 1] - offsets[list])
    if length >= Self.listLimit {
      moveApart { $0 == list }
    } else if count >= Self.edgeLimit {
      moveApart { Int(self.offsets[$0 + 1] - self.offsets[$0]) > Self.shortLimit }
      // Nothing but short lists, and yet no room.
      if edgeCount >= Self.edgeLimit { moveApart { $0 == list } }
    }
    if let long = longLists[list] {
      setLong(list, long.inserting(target, row, owner: owner, memory))
      return
    }
    makeRoom(edgeCount + 1)
    let isIn = slot.insert(list, target, row, hasRows: rows != nil, owner)
    precondition(isIn, "a page of the writer's own has room for an edge")
  }

  /// Takes an edge out; false if there is none such.
  func remove(
    _ list: Int, _ target: UInt32, _ row: UInt32, _ memory: PackMemory? = nil
  ) -> Bool {
    if let long = longLists[list] {
      guard let rest = long.removing(target, row, owner: owner, memory) else { return false }
      setLong(list, rest)
      return true
    }
    let removal = slot.remove(list, target, row, hasRows: rows != nil, owner)
    if removal != .refused { return removal == .done }
    makeRoom(edgeCount)
    return slot.remove(list, target, row, hasRows: rows != nil, owner) == .done
  }

  /// Takes the chosen lists out of the stretch, whose memory they keep, and keeps each as a long list.
  func moveApart(_ memory: BulkMemory = .shared, _ isChosen: (Int) -> Bool) {
    let oldOffsets = Buffer<UInt32>(uninitialized: Self.sourceCount + 1)
    oldOffsets.copy(offsets, count: Self.sourceCount + 1, to: 0)
    var kept = 0
    let chosen = (0..<Self.sourceCount).map {
      oldOffsets[$0 + 1] > oldOffsets[$0] && isChosen($0)
    }
    for list in 0..<Self.sourceCount where !chosen[list] {
      kept += Int(oldOffsets[list + 1] - oldOffsets[list])
    }
    let newTargets = Buffer<UInt32>(uninitialized: kept)
    let newRows = rows == nil ? nil : Buffer<UInt32>(uninitialized: kept)
    let starts = oldOffsets.array(Self.sourceCount + 1).map { Int($0) }
    let oldRows = rows?.buffer(edgeCount)
    for list in longLists(in: starts, oldRows, where: { chosen[$0] }, memory) {
      setLong(list.index, list.list)
      longs |= 1 << UInt64(list.index)
    }
    var next = 0
    for list in 0..<Self.sourceCount {
      let (start, size) = (starts[list], starts[list + 1] - starts[list])
      offsets[list] = UInt32(next)
      if !chosen[list] {
        newTargets.copy(targets, from: start, count: size, to: next)
        if let oldRows { newRows?.copy(oldRows, from: start, count: size, to: next) }
        next += size
      }
    }
    offsets[Self.sourceCount] = UInt32(next)
    targets = newTargets
    rows = newRows.map { NumberStretch($0) }
    isStray = true
    frame.set(owner: owner.number, room: kept)
  }

  /// The chosen ones of the lists that begin at `starts`, over the memory of the stretch.
  ///
  /// What lies between two lists that are parted is let go of together.
  private func longLists(
    in starts: [Int], _ rows: Buffer<UInt32>?, where isChosen: (Int) -> Bool,
    _ memory: BulkMemory
  ) -> [(index: Int, list: LongList)] {
    var made: [(index: Int, list: LongList)] = []
    var first = 0
    for list in 0...Self.sourceCount {
      let isParted =
        list < Self.sourceCount && isChosen(list)
        && LongList.isParted(starts[list + 1] - starts[list])
      guard isParted || list == Self.sourceCount else { continue }
      // Where no list is kept, whoever sorted the edges may still be about to read them.
      let shorts = (first..<list).filter(isChosen)
      let range = starts[first]..<starts[list]
      let between =
        (shorts.isEmpty ? BulkMemory.shared : memory).piece(targets, rows, range)
      let ranges = shorts.map {
        (starts[$0] - starts[first])..<(starts[$0 + 1] - starts[first])
      }
      var packed = memory.packed(between.rows, ranges.flatMap { LongList.runs(of: $0) })[...]
      for (short, range) in zip(shorts, ranges) {
        let runCount = LongList.runs(of: range).count
        let long = LongList(
          owner: owner, targets: between.targets.slice(range), rows: between.rows?.slice(range),
          packed: packed.prefix(runCount))
        packed = packed.dropFirst(runCount)
        made.append((short, long))
      }
      if isParted {
        let range = starts[list]..<starts[list + 1]
        let long = LongList(
          owner: owner, targets: targets.slice(range), rows: rows?.slice(range), memory)
        made.append((list, long))
        first = list + 1
      }
    }
    return made
  }
}
