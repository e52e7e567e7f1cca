import Columnar

/// The neighbours of one source that has many, in runs of some hundred edges.
///
/// A change under another epoch copies the table of runs and one run. What is read, and what most changes of an
/// owned list touch, stands in plain bytes (`LongTable`); the list keeps the memory of all of it.
///
/// - Invariant: no run is empty; the edges rise by (target, row) within and across runs.
final class LongList: @unchecked Sendable {
  // Sendable by the rule of `VersionedPage`.

  /// The memory of one run.
  private struct Run {
    let targets: Buffer<UInt32>
    /// nil if the target of each edge is its row.
    let rows: Buffer<UInt32>?
    /// The words of `RunBits`, nil for a run that is not dense.
    var bits: Buffer<UInt64>?
    var firstWord: UInt32 = 0

    /// The bits as the slot of the run has them.
    var noted: RunBits {
      guard let bits else { return RunBits() }
      return RunBits(
        words: PagePointer(bits), first: firstWord, count: UInt32(truncatingIfNeeded: bits.count))
    }
  }

  /// The edges of a run as it is built, and the most that it takes: a write copies and moves at most so many.
  static let usualRunCount = 256
  static let runLimit = 384

  let owner: Epoch
  private let hasRows: Bool
  private var runs: [Run]
  /// The header, and behind it the last targets and the slots of the runs.
  private var block: MemoryBlock
  /// The number of runs that fit the block.
  private var capacity: Int

  /// A list over edges that stand in order, in memory that nobody changes any more.
  init(owner: Epoch, targets: Buffer<UInt32>, rows: Buffer<UInt32>?) {
    self.owner = owner
    hasRows = rows != nil
    let count = targets.count
    // Of nearly the same length, so that no last run is short.
    let runCount = (count + Self.usualRunCount - 1) / Self.usualRunCount
    capacity = runCount + runCount / 8 + 1
    (block, _) = Self.makeBlock(owner, count: count, runCount: runCount, capacity: capacity)
    runs = []
    runs.reserveCapacity(runCount)
    // The bits of all dense runs stand in one block, found before any is made.
    let ranges = (0..<runCount).map { (count * $0 / runCount)..<(count * ($0 + 1) / runCount) }
    let spans = ranges.map {
      Self.denseWords(targets[$0.lowerBound], targets[$0.upperBound - 1], $0.count)
    }
    let words = spans.reduce(0) { $0 + ($1?.count ?? 0) }
    let bits = words == 0 ? nil : Buffer<UInt64>(zeroed: words)
    var nextWord = 0
    for index in 0..<runCount {
      let range = ranges[index]
      var run = Run(targets: targets.slice(range), rows: rows?.slice(range))
      if let span = spans[index], let bits {
        run.bits = bits.slice(nextWord..<(nextWord + span.count))
        run.firstWord = UInt32(truncatingIfNeeded: span.lowerBound)
        nextWord += span.count
      }
      runs.append(run)
      // Of no writer: a first change copies the run.
      note(index, count: range.count, room: range.count, owner: 0)
      fillBits(index, range.count)
    }
  }

  /// The words of a bitmap that the targets of a run lie in, nil if the run is not dense.
  private static func denseWords(_ first: UInt32, _ last: UInt32, _ count: Int) -> Range<Int>? {
    let words = Int(first >> 6)..<(Int(last >> 6) + 1)
    return words.count <= count * RunBits.wordsPerEdge ? words : nil
  }

  /// Sets the bits of a run whose words are zero and noted.
  private func fillBits(_ index: Int, _ count: Int) {
    let bits = table.header[0].runs[index].bits
    let targets = runs[index].targets
    for edge in 0..<count { bits.insert(targets[edge]) }
  }

  private init(copying list: LongList, owner: Epoch) {
    self.owner = owner
    hasRows = list.hasRows
    runs = list.runs
    capacity = list.capacity
    block = list.table.copy(owner, capacity: list.capacity)
  }

  /// The list in plain bytes.
  var table: LongTable { LongTable(header: PagePointer(block)) }

  var count: Int { table.count }

  var runCount: Int { runs.count }

  /// The edges of one run.
  func run(_ index: Int) -> NeighbourList.Run {
    let count = Int(table.header[0].runs[index].count)
    let run = runs[index]
    return NeighbourList.Run(
      targets: run.targets.slice(0..<count), rows: (run.rows ?? run.targets).slice(0..<count))
  }

  /// Whether the bits of each dense run are those of its targets, and no more; for tests.
  var bitsAgree: Bool {
    runs.indices.allSatisfy { index in
      let slot = table.header[0].runs[index]
      guard slot.bits.count > 0 else { return true }
      // Edges to one target stand beside each other.
      var wanted = 0
      for edge in 0..<Int(slot.count) {
        let target = slot.targets[edge]
        if !slot.bits.contains(target) { return false }
        wanted += bit(edge == 0 || slot.targets[edge - 1] != target)
      }
      return slot.bits.targetCount == wanted
    }
  }

  private func writable(_ epoch: Epoch) -> LongList {
    owner == epoch ? self : LongList(copying: self, owner: epoch)
  }

  // MARK: Memory

  fileprivate static func makeBlock(
    _ owner: Epoch, count: Int, runCount: Int, capacity: Int
  ) -> (MemoryBlock, LongHeader) {
    let head = MemoryLayout<LongHeader>.stride
    // Slots are aligned to eight bytes.
    let lasts = (capacity * MemoryLayout<UInt32>.stride + 7) & ~7
    let block = MemoryBlock(
      byteCount: head + lasts + capacity * MemoryLayout<RunSlot>.stride)
    let bytes = PagePointer<UInt8>(block)
    let header = LongHeader(
      owner: owner.number, count: UInt32(truncatingIfNeeded: count),
      runCount: UInt32(truncatingIfNeeded: runCount),
      lasts: bytes.advanced(by: head).bound(to: UInt32.self),
      runs: bytes.advanced(by: head + lasts).bound(to: RunSlot.self))
    PagePointer<LongHeader>(block).store(header, at: 0)
    return (block, header)
  }

  /// Notes how a run stands whose memory was set.
  private func note(_ index: Int, count: Int, room: Int, owner: UInt64) {
    let run = runs[index]
    let header = table.header[0]
    header.runs.store(
      RunSlot(
        owner: owner, targets: PagePointer(run.targets),
        rows: PagePointer(run.rows ?? run.targets), count: UInt32(truncatingIfNeeded: count),
        room: UInt32(truncatingIfNeeded: room), bits: run.noted), at: index)
    if count > 0 { header.lasts.store(run.targets[count - 1], at: index) }
  }

  /// Gives a run some of its edges in memory of their own, with room for more, among them one to `expected`.
  private func own(_ index: Int, _ source: Run, _ range: Range<Int>, expected: UInt32? = nil) {
    let room = min(Self.runLimit, range.count + range.count / 4 + 16)
    let targets = Buffer<UInt32>(uninitialized: room)
    targets.copy(source.targets, from: range.lowerBound, count: range.count, to: 0)
    let rows = source.rows.map { rows in
      let copied = Buffer<UInt32>(uninitialized: room)
      copied.copy(rows, from: range.lowerBound, count: range.count, to: 0)
      return copied
    }
    var run = Run(targets: targets, rows: rows)
    if !range.isEmpty {
      let (first, last) = (targets[0], targets[range.count - 1])
      let least = min(first, expected ?? first)
      let span = Self.denseWords(least, max(last, expected ?? last), range.count)
      if let span {
        run.bits = Buffer(zeroed: span.count)
        run.firstWord = UInt32(truncatingIfNeeded: span.lowerBound)
      }
    }
    runs[index] = run
    note(index, count: range.count, room: room, owner: owner.number)
    fillBits(index, range.count)
  }

  /// Makes room for a run at `index`, whose memory and slot are to be set.
  private func insertRun(_ run: Run, at index: Int) {
    if runs.count == capacity {
      capacity += capacity / 4 + 4
      block = table.copy(owner, capacity: capacity)
    }
    var header = table.header[0]
    header.runs.move(from: index, count: runs.count - index, to: index + 1)
    header.lasts.move(from: index, count: runs.count - index, to: index + 1)
    header.runCount += 1
    table.header.store(header, at: 0)
    runs.insert(run, at: index)
  }

  private func removeRun(at index: Int) {
    runs.remove(at: index)
    var header = table.header[0]
    header.runs.move(from: index + 1, count: runs.count - index, to: index)
    header.lasts.move(from: index + 1, count: runs.count - index, to: index)
    header.runCount -= 1
    table.header.store(header, at: 0)
  }

  // MARK: Changes

  /// The list with one edge more.
  func inserting(_ target: UInt32, _ row: UInt32, owner epoch: Epoch) -> LongList {
    let list = writable(epoch)
    list.makeRoom(target, row)
    let isIn = list.table.insert(target, row, hasRows: hasRows, epoch)
    precondition(isIn, "a run of the writer's own has room for an edge")
    return list
  }

  /// Sees to it that the run of an edge is the writer's own and has room.
  private func makeRoom(_ target: UInt32, _ row: UInt32) {
    if runs.isEmpty {
      let none = Run(
        targets: Buffer(uninitialized: 0), rows: hasRows ? Buffer(uninitialized: 0) : nil)
      insertRun(none, at: 0)
      own(0, none, 0..<0)
      return
    }
    var index = table.run(target, row, hasRows: hasRows)
    if table.header[0].runs[index].count == UInt32(Self.runLimit) {
      let full = runs[index]
      let half = Self.runLimit / 2
      insertRun(full, at: index + 1)
      own(index, full, 0..<half)
      own(index + 1, full, half..<Self.runLimit)
      index = table.run(target, row, hasRows: hasRows)
    }
    let slot = table.header[0].runs[index]
    if slot.owner != owner.number || slot.count == slot.room || !slot.bits.takes(target) {
      own(index, runs[index], 0..<Int(slot.count), expected: target)
    }
  }

  /// The list with one edge less; nil if there is none such.
  func removing(_ target: UInt32, _ row: UInt32, owner epoch: Epoch) -> LongList? {
    if runs.isEmpty { return nil }
    let index = table.run(target, row, hasRows: hasRows)
    let slot = table.header[0].runs[index]
    guard table.place(target, row, in: slot, hasRows: hasRows).found else { return nil }
    let list = writable(epoch)
    if slot.count == 1 {
      list.removeRun(at: index)
      var header = list.table.header[0]
      header.count -= 1
      list.table.header.store(header, at: 0)
      return list
    }
    if slot.owner != epoch.number { list.own(index, runs[index], 0..<Int(slot.count)) }
    let removal = list.table.remove(target, row, hasRows: hasRows, epoch)
    precondition(removal == .done, "an edge that was found is taken out")
    return list
  }
}

extension LongTable {
  /// The same header and slots in memory of their own, with room for `capacity` runs.
  fileprivate func copy(_ owner: Epoch, capacity: Int) -> MemoryBlock {
    let old = header[0]
    let (block, new) = LongList.makeBlock(
      owner, count: count, runCount: runCount, capacity: capacity)
    for index in 0..<runCount {
      new.lasts.store(old.lasts[index], at: index)
      new.runs.store(old.runs[index], at: index)
    }
    return block
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
