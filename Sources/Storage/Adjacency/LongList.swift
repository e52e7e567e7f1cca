import Columnar

/// Some neighbours of one source, in one stretch of memory.
final class EdgeRun: @unchecked Sendable {
  // Sendable by the rule of `VersionedPage`.
  let owner: Epoch
  /// Room for more edges than there are.
  let targets: Buffer<UInt32>
  /// nil if the target of each edge is its row.
  let rows: Buffer<UInt32>?
  fileprivate(set) var count: Int

  /// The edges of a run as it is built, and the most that it takes: a write copies and moves at most so many.
  static let usual = 512
  static let limit = 768

  init(owner: Epoch, targets: Buffer<UInt32>, rows: Buffer<UInt32>?, count: Int) {
    self.owner = owner
    self.targets = targets
    self.rows = rows
    self.count = count
  }

  /// Some of the edges in memory of their own, with room for more.
  fileprivate func copy(_ range: Range<Int>, _ epoch: Epoch) -> EdgeRun {
    let room = min(Self.limit, range.count + range.count / 4 + 16)
    let copied = Buffer<UInt32>(uninitialized: room)
    copied.copy(targets, from: range.lowerBound, count: range.count, to: 0)
    let copiedRows = rows.map { rows in
      let copied = Buffer<UInt32>(uninitialized: room)
      copied.copy(rows, from: range.lowerBound, count: range.count, to: 0)
      return copied
    }
    return EdgeRun(owner: epoch, targets: copied, rows: copiedRows, count: range.count)
  }

  /// Where an edge stands or would stand, and whether it is there.
  fileprivate func place(_ target: UInt32, _ row: UInt32) -> (index: Int, found: Bool) {
    var index = targets.lowerBound(of: target, in: 0..<count)
    guard let rows else { return (index, index < count && targets[index] == target) }
    while index < count && targets[index] == target && rows[index] < row { index &+= 1 }
    return (index, index < count && targets[index] == target && rows[index] == row)
  }

  fileprivate func insert(_ target: UInt32, _ row: UInt32) {
    let place = place(target, row).index
    targets.copy(targets, from: place, count: count - place, to: place + 1)
    targets[place] = target
    if let rows {
      rows.copy(rows, from: place, count: count - place, to: place + 1)
      rows[place] = row
    }
    count += 1
  }

  fileprivate func remove(at place: Int) {
    targets.copy(targets, from: place + 1, count: count - place - 1, to: place)
    if let rows { rows.copy(rows, from: place + 1, count: count - place - 1, to: place) }
    count -= 1
  }
}

/// The neighbours of one source that has many, in runs of several hundred edges.
///
/// A change under another epoch copies the table of runs and one run.
///
/// - Invariant: no run is empty; the edges rise by (target, row) within and across runs; `lasts` holds the
///   last target of each run.
final class LongList: @unchecked Sendable {
  // Sendable by the rule of `VersionedPage`.
  let owner: Epoch
  private let hasRows: Bool
  private(set) var runs: [EdgeRun]
  private(set) var count: Int
  /// What a search goes through, rather than from run to run.
  private var lasts: Buffer<UInt32>

  /// A list over edges that stand in order, in memory that nobody changes any more.
  init(owner: Epoch, targets: Buffer<UInt32>, rows: Buffer<UInt32>?) {
    self.owner = owner
    hasRows = rows != nil
    count = targets.count
    runs = []
    // Of nearly the same length, so that no last run is short.
    let runCount = (count + EdgeRun.usual - 1) / EdgeRun.usual
    runs.reserveCapacity(runCount)
    lasts = Buffer(uninitialized: runCount + 1)
    // The epoch of no writer: a first change copies the run.
    let shared = Epoch.next()
    for index in 0..<runCount {
      let start = count * index / runCount
      let end = count * (index + 1) / runCount
      lasts[index] = targets[end - 1]
      runs.append(
        EdgeRun(
          owner: shared, targets: targets.slice(start..<end), rows: rows?.slice(start..<end),
          count: end - start))
    }
  }

  private init(copying list: LongList, owner: Epoch) {
    self.owner = owner
    hasRows = list.hasRows
    runs = list.runs
    count = list.count
    lasts = Buffer(uninitialized: list.lasts.count)
    lasts.copy(list.lasts, count: runs.count, to: 0)
  }

  private func writable(_ epoch: Epoch) -> LongList {
    owner == epoch ? self : LongList(copying: self, owner: epoch)
  }

  /// The run in which an edge stands or would stand.
  private func run(_ target: UInt32, _ row: UInt32) -> Int {
    let last = runs.count - 1
    var index = lasts.lowerBound(of: target, in: 0..<max(0, last))
    // The edges of one target may go on for several runs.
    while hasRows && index < last && lasts[index] == target {
      let run = runs[index]
      guard let rows = run.rows, rows[run.count - 1] < row else { break }
      index += 1
    }
    return index
  }

  /// Notes the last targets of the runs from `index` on.
  private func noteLasts(from index: Int) {
    if lasts.count < runs.count {
      let grown = Buffer<UInt32>(uninitialized: runs.count + runs.count / 4 + 4)
      grown.copy(lasts, count: min(index, lasts.count), to: 0)
      lasts = grown
    }
    for place in index..<runs.count {
      let run = runs[place]
      lasts[place] = run.targets[run.count - 1]
    }
  }

  /// The first edge to `target`, as a run and a place in it.
  func find(_ target: UInt32) -> (run: Int, index: Int)? {
    guard !runs.isEmpty else { return nil }
    let index = run(target, 0)
    let run = runs[index]
    let place = run.targets.lowerBound(of: target, in: 0..<run.count)
    return place < run.count && run.targets[place] == target ? (index, place) : nil
  }

  /// The list with one edge more.
  func inserting(_ target: UInt32, _ row: UInt32, owner epoch: Epoch) -> LongList {
    let list = writable(epoch)
    if list.runs.isEmpty {
      list.runs.append(
        EdgeRun(
          owner: epoch, targets: Buffer(uninitialized: 16),
          rows: hasRows ? Buffer(uninitialized: 16) : nil, count: 0))
    }
    var index = list.runs.count == 1 ? 0 : list.run(target, row)
    if list.runs[index].count == EdgeRun.limit {
      let full = list.runs[index]
      let half = EdgeRun.limit / 2
      list.runs[index] = full.copy(0..<half, epoch)
      list.runs.insert(full.copy(half..<full.count, epoch), at: index + 1)
      list.noteLasts(from: index)
      index = list.run(target, row)
    }
    let run = list.runs[index]
    if run.owner != epoch || run.count == run.targets.count {
      list.runs[index] = run.copy(0..<run.count, epoch)
    }
    let changed = list.runs[index]
    changed.insert(target, row)
    list.count += 1
    if list.lasts.count > index {
      list.lasts[index] = changed.targets[changed.count - 1]
    } else {
      list.noteLasts(from: index)
    }
    return list
  }

  /// The list with one edge less; nil if there is none such.
  func removing(_ target: UInt32, _ row: UInt32, owner epoch: Epoch) -> LongList? {
    guard !runs.isEmpty else { return nil }
    let index = run(target, row)
    let (place, found) = runs[index].place(target, row)
    guard found else { return nil }
    let list = writable(epoch)
    let run = list.runs[index]
    if run.owner != epoch { list.runs[index] = run.copy(0..<run.count, epoch) }
    let changed = list.runs[index]
    changed.remove(at: place)
    list.count -= 1
    if changed.count == 0 {
      list.runs.remove(at: index)
      list.noteLasts(from: index)
    } else {
      list.lasts[index] = changed.targets[changed.count - 1]
    }
    return list
  }
}

/// The long lists of a page, in groups of 16, so that the change of one copies a small part.
struct LongLists: Sendable {
  private final class Group: @unchecked Sendable {
    // Sendable by the rule of `VersionedPage`.
    let owner: Epoch
    var lists: [LongList?]

    init(owner: Epoch, lists: [LongList?]) {
      self.owner = owner
      self.lists = lists
    }
  }

  private static let groupShift = 4
  /// Empty until a list is long; then one for each 16 lists of the page.
  private var groups: [Group?] = []

  subscript(list: Int) -> LongList? {
    let group = list >> Self.groupShift
    guard group < groups.count else { return nil }
    return groups[group]?.lists[list & (1 << Self.groupShift - 1)]
  }

  mutating func set(_ list: Int, _ long: LongList, owner: Epoch) {
    let width = 1 << Self.groupShift
    if groups.isEmpty {
      groups = Array(repeating: nil, count: AdjacencyPage.sourceCount >> Self.groupShift)
    }
    let index = list >> Self.groupShift
    let group: Group
    if let old = groups[index], old.owner == owner {
      group = old
    } else {
      group = Group(
        owner: owner, lists: groups[index]?.lists ?? Array(repeating: nil, count: width))
      groups[index] = group
    }
    group.lists[list & (width - 1)] = long
  }
}
