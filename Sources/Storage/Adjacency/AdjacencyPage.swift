import Columnar

/// What a traversal needs of the lists of 128 sources.
struct AdjacencySlot: BitwiseCopyable {
  /// 129 numbers: list *i* takes edges `offsets[i] ..< offsets[i + 1]`.
  let offsets: PagePointer<UInt32>
  let targets: PagePointer<UInt32>
  /// The row of each edge; the targets themselves where the target is the row.
  let rows: PagePointer<UInt32>
  /// Which lists stand apart, as they are long.
  let longLow: UInt64
  let longHigh: UInt64

  @inline(__always)
  func isLong(_ list: Int) -> Bool {
    let word = list < 64 ? longLow : longHigh
    return word &>> UInt64(truncatingIfNeeded: list & 63) & 1 != 0
  }
}

/// The neighbour lists of 128 consecutive sources, one behind another in a single stretch of memory.
///
/// A write copies the stretch on first touch and then moves what stands behind the edge, which is cheap
/// because the stretch is short: lists that would make it long are kept apart as `LongList`.
///
/// - Invariant: the edges of a list rise by (target, row); a long list takes no part of the stretch.
final class AdjacencyPage: VersionedPage, @unchecked Sendable {
  static let shift = 7
  static let sourceCount = 128
  /// A list of more edges is kept apart.
  static let listLimit = 1024
  /// Where a page has more edges than this, lists of more than `shortLimit` are kept apart.
  static let edgeLimit = 4096
  static let shortLimit = 32

  // Sendable by the rule of `VersionedPage`.
  let owner: Epoch
  let offsets: Buffer<UInt32>
  private(set) var targets: Buffer<UInt32>
  /// nil if the target of each edge is its row.
  private(set) var rows: Buffer<UInt32>?
  private var ownsEdges: Bool
  private(set) var longLists = LongLists()
  private var longLow: UInt64 = 0
  private var longHigh: UInt64 = 0

  /// A page without edges.
  init(owner: Epoch, hasRows: Bool) {
    self.owner = owner
    offsets = Buffer(zeroed: Self.sourceCount + 1)
    targets = Buffer(uninitialized: 0)
    rows = hasRows ? Buffer(uninitialized: 0) : nil
    ownsEdges = true
  }

  /// A page over edges that stand in order already, in memory that others may read and nobody changes.
  init(
    owner: Epoch, offsets: Buffer<UInt32>, targets: Buffer<UInt32>, rows: Buffer<UInt32>?
  ) {
    self.owner = owner
    self.offsets = offsets
    self.targets = targets
    self.rows = rows
    ownsEdges = false
  }

  private init(copying page: AdjacencyPage, owner: Epoch) {
    self.owner = owner
    offsets = Buffer(uninitialized: Self.sourceCount + 1)
    offsets.copy(page.offsets, count: Self.sourceCount + 1, to: 0)
    targets = page.targets
    rows = page.rows
    ownsEdges = false
    longLists = page.longLists
    longLow = page.longLow
    longHigh = page.longHigh
  }

  func copy(owner: Epoch) -> AdjacencyPage { AdjacencyPage(copying: self, owner: owner) }

  var slot: AdjacencySlot {
    AdjacencySlot(
      offsets: PagePointer(offsets), targets: PagePointer(targets),
      rows: PagePointer(rows ?? targets), longLow: longLow, longHigh: longHigh)
  }

  /// The edges in the stretch.
  var edgeCount: Int { Int(offsets[Self.sourceCount]) }

  func isLong(_ list: Int) -> Bool { slot.isLong(list) }

  func degree(_ list: Int) -> Int {
    if let long = longLists[list] { return long.count }
    return Int(offsets[list + 1] - offsets[list])
  }

  // MARK: Changes

  /// Where an edge stands in the stretch, or would stand, and whether it is there.
  private func place(_ list: Int, _ target: UInt32, _ row: UInt32) -> (index: Int, found: Bool) {
    let range = Int(offsets[list])..<Int(offsets[list + 1])
    var index = targets.lowerBound(of: target, in: range)
    guard let rows else {
      return (index, index < range.upperBound && targets[index] == target)
    }
    while index < range.upperBound && targets[index] == target && rows[index] < row { index &+= 1 }
    let found = index < range.upperBound && targets[index] == target && rows[index] == row
    return (index, found)
  }

  private func makeRoom(_ wanted: Int) {
    if ownsEdges && targets.count >= wanted { return }
    let room = wanted + wanted / 4 + 8
    let moved = Buffer<UInt32>(uninitialized: room)
    moved.copy(targets, count: edgeCount, to: 0)
    targets = moved
    if let rows {
      let moved = Buffer<UInt32>(uninitialized: room)
      moved.copy(rows, count: edgeCount, to: 0)
      self.rows = moved
    }
    ownsEdges = true
  }

  /// Adds an edge.
  ///
  /// - Complexity: O(edges of the page), by one move of memory.
  func insert(_ list: Int, _ target: UInt32, _ row: UInt32) {
    if let long = longLists[list] {
      longLists.set(list, long.inserting(target, row, owner: owner), owner: owner)
      return
    }
    let count = edgeCount
    makeRoom(count + 1)
    let index = place(list, target, row).index
    targets.copy(targets, from: index, count: count - index, to: index + 1)
    targets[index] = target
    if let rows {
      rows.copy(rows, from: index, count: count - index, to: index + 1)
      rows[index] = row
    }
    for later in (list + 1)...Self.sourceCount { offsets[later] &+= 1 }
    if offsets[list + 1] - offsets[list] > UInt32(Self.listLimit) {
      moveApart { $0 == list }
    } else if count + 1 > Self.edgeLimit {
      moveApart { Int(self.offsets[$0 + 1] - self.offsets[$0]) > Self.shortLimit }
    }
  }

  /// Takes an edge out; false if there is none such.
  func remove(_ list: Int, _ target: UInt32, _ row: UInt32) -> Bool {
    if let long = longLists[list] {
      guard let rest = long.removing(target, row, owner: owner) else { return false }
      longLists.set(list, rest, owner: owner)
      return true
    }
    let (index, found) = place(list, target, row)
    guard found else { return false }
    let count = edgeCount
    makeRoom(count)
    targets.copy(targets, from: index + 1, count: count - index - 1, to: index)
    if let rows { rows.copy(rows, from: index + 1, count: count - index - 1, to: index) }
    for later in (list + 1)...Self.sourceCount { offsets[later] &-= 1 }
    return true
  }

  /// Takes the chosen lists out of the stretch and keeps each as a long list.
  func moveApart(_ isChosen: (Int) -> Bool) {
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
    var next = 0
    for list in 0..<Self.sourceCount {
      let start = Int(oldOffsets[list])
      let size = Int(oldOffsets[list + 1]) - start
      offsets[list] = UInt32(next)
      if chosen[list] {
        let range = start..<(start + size)
        longLists.set(
          list, LongList(owner: owner, targets: targets.slice(range), rows: rows?.slice(range)),
          owner: owner)
        if list < 64 { longLow |= 1 << UInt64(list) } else { longHigh |= 1 << UInt64(list - 64) }
      } else {
        newTargets.copy(targets, from: start, count: size, to: next)
        if let rows, let newRows { newRows.copy(rows, from: start, count: size, to: next) }
        next += size
      }
    }
    offsets[Self.sourceCount] = UInt32(next)
    targets = newTargets
    rows = newRows
    ownsEdges = true
  }
}
