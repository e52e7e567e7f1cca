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
  private(set) var longLists: [Int: LongList] = [:]
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

  /// A page over edges that stand in order already.
  init(
    owner: Epoch, offsets: Buffer<UInt32>, targets: Buffer<UInt32>, rows: Buffer<UInt32>?
  ) {
    self.owner = owner
    self.offsets = offsets
    self.targets = targets
    self.rows = rows
    ownsEdges = true
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
      longLists[list] = long.inserting(target, row, owner: owner)
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
      longLists[list] = rest
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
        longLists[list] = LongList(
          owner: owner, targets: targets.slice(start..<(start + size)),
          rows: rows?.slice(start..<(start + size)))
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

/// Some neighbours of one source, in one stretch of memory.
struct EdgeRun: Sendable {
  let owner: Epoch
  /// Room for more edges than there are.
  let targets: Buffer<UInt32>
  let rows: Buffer<UInt32>?
  var count: Int

  /// The most edges of a run: a write copies and moves at most so many.
  static let limit = 4096
}

/// The neighbours of one source that has many, in runs of at most 4,096 edges.
///
/// - Invariant: no run is empty; the edges rise by (target, row) within and across runs.
final class LongList: @unchecked Sendable {
  // Sendable by the rule of `VersionedPage`.
  let owner: Epoch
  private(set) var runs: [EdgeRun]
  private(set) var count: Int

  /// A list over edges that stand in order, in memory that nobody changes any more.
  init(owner: Epoch, targets: Buffer<UInt32>, rows: Buffer<UInt32>?) {
    self.owner = owner
    count = targets.count
    runs = []
    let shared = Epoch.next()
    var start = 0
    while start < count {
      let end = min(count, start + EdgeRun.limit)
      // The epoch of no writer: a first change copies the run.
      runs.append(
        EdgeRun(
          owner: shared, targets: targets.slice(start..<end), rows: rows?.slice(start..<end),
          count: end - start))
      start = end
    }
  }

  private init(owner: Epoch, runs: [EdgeRun], count: Int) {
    self.owner = owner
    self.runs = runs
    self.count = count
  }

  private func writable(_ epoch: Epoch) -> LongList {
    owner == epoch ? self : LongList(owner: epoch, runs: runs, count: count)
  }

  /// The run in which an edge stands or would stand.
  func run(_ target: UInt32, _ row: UInt32) -> Int {
    var lower = 0
    var upper = runs.count
    while lower < upper {
      let middle = (lower + upper) / 2
      let run = runs[middle]
      let last = run.targets[run.count - 1]
      let isBefore =
        last < target || (last == target && (run.rows.map { $0[run.count - 1] } ?? last) < row)
      if isBefore { lower = middle + 1 } else { upper = middle }
    }
    return min(lower, max(0, runs.count - 1))
  }

  private static func place(
    _ run: EdgeRun, _ target: UInt32, _ row: UInt32
  ) -> (index: Int, found: Bool) {
    var index = run.targets.lowerBound(of: target, in: 0..<run.count)
    guard let rows = run.rows else {
      return (index, index < run.count && run.targets[index] == target)
    }
    while index < run.count && run.targets[index] == target && rows[index] < row { index &+= 1 }
    return (
      index, index < run.count && run.targets[index] == target && rows[index] == row
    )
  }

  /// The first edge to `target`, as a run and a place in it.
  func find(_ target: UInt32) -> (run: Int, index: Int)? {
    guard !runs.isEmpty else { return nil }
    let index = run(target, 0)
    let run = runs[index]
    let place = run.targets.lowerBound(of: target, in: 0..<run.count)
    return place < run.count && run.targets[place] == target ? (index, place) : nil
  }

  private static func copy(_ run: EdgeRun, _ range: Range<Int>, _ epoch: Epoch) -> EdgeRun {
    let room = min(EdgeRun.limit, range.count + range.count / 4 + 16)
    let targets = Buffer<UInt32>(uninitialized: room)
    targets.copy(run.targets, from: range.lowerBound, count: range.count, to: 0)
    var rows: Buffer<UInt32>?
    if let old = run.rows {
      let copied = Buffer<UInt32>(uninitialized: room)
      copied.copy(old, from: range.lowerBound, count: range.count, to: 0)
      rows = copied
    }
    return EdgeRun(owner: epoch, targets: targets, rows: rows, count: range.count)
  }

  /// The list with one edge more.
  func inserting(_ target: UInt32, _ row: UInt32, owner epoch: Epoch) -> LongList {
    let list = writable(epoch)
    if list.runs.isEmpty {
      let hasRows = list.hasRows
      list.runs.append(
        EdgeRun(
          owner: epoch, targets: Buffer(uninitialized: 16),
          rows: hasRows ? Buffer(uninitialized: 16) : nil, count: 0))
    }
    var index = list.runs.count == 1 ? 0 : list.run(target, row)
    if list.runs[index].count == EdgeRun.limit {
      let full = list.runs[index]
      let half = EdgeRun.limit / 2
      list.runs[index] = Self.copy(full, 0..<half, epoch)
      list.runs.insert(Self.copy(full, half..<full.count, epoch), at: index + 1)
      index = list.run(target, row)
    }
    if list.runs[index].owner != epoch || list.runs[index].count == list.runs[index].targets.count {
      list.runs[index] = Self.copy(list.runs[index], 0..<list.runs[index].count, epoch)
    }
    let run = list.runs[index]
    let place = Self.place(run, target, row).index
    run.targets.copy(run.targets, from: place, count: run.count - place, to: place + 1)
    run.targets[place] = target
    if let rows = run.rows {
      rows.copy(rows, from: place, count: run.count - place, to: place + 1)
      rows[place] = row
    }
    list.runs[index].count += 1
    list.count += 1
    return list
  }

  /// Whether edges carry rows; remembered for when the list runs empty.
  private var hasRows: Bool { runs.first.map { $0.rows != nil } ?? emptyHasRows }
  private var emptyHasRows = false

  /// The list with one edge less; nil if there is none such.
  func removing(_ target: UInt32, _ row: UInt32, owner epoch: Epoch) -> LongList? {
    guard !runs.isEmpty else { return nil }
    let index = run(target, row)
    let (place, found) = Self.place(runs[index], target, row)
    guard found else { return nil }
    let list = writable(epoch)
    list.emptyHasRows = hasRows
    if list.runs[index].owner != epoch {
      list.runs[index] = Self.copy(list.runs[index], 0..<list.runs[index].count, epoch)
    }
    let run = list.runs[index]
    run.targets.copy(run.targets, from: place + 1, count: run.count - place - 1, to: place)
    if let rows = run.rows {
      rows.copy(rows, from: place + 1, count: run.count - place - 1, to: place)
    }
    list.runs[index].count -= 1
    list.count -= 1
    if list.runs[index].count == 0 { list.runs.remove(at: index) }
    return list
  }
}
