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
  struct Run {
    let targets: Buffer<UInt32>
    /// nil if the target of each edge is its row; packed only where nobody has changed the run.
    let rows: NumberStretch?
    /// The words of `RunBits`, nil for a run that is not dense.
    var bits: Buffer<UInt64>?
    var firstWord: UInt32 = 0
    /// Whether a change has given the run memory apart from that of the runs beside it.
    var isStray = false

    /// The bits as the slot of the run has them.
    var noted: RunBits {
      guard let bits else { return RunBits() }
      return RunBits(
        words: PagePointer(bits), first: firstWord, count: UInt16(bits.count))
    }
  }

  /// The edges of a run as it is built, and the most that it takes: a write copies and moves at most so many.
  static let usualRunCount = 256
  static let runLimit = 384

  let owner: Epoch
  let hasRows: Bool
  private(set) var runs: [Run]
  /// The header, and behind it the last targets and the slots of the runs.
  private var block: MemoryBlock
  /// The number of runs that fit the block.
  private var capacity: Int

  /// The runs that the edges of a range are cut into, of nearly the same length, so that no last run is short.
  static func runs(of range: Range<Int>) -> [Range<Int>] {
    let runCount = (range.count + usualRunCount - 1) / usualRunCount
    return (0..<runCount).map { index in
      let start = range.lowerBound + range.count * index / runCount
      return start..<(range.lowerBound + range.count * (index + 1) / runCount)
    }
  }

  /// A list over edges that stand in order, in memory that nobody changes any more.
  ///
  /// The rows of its runs are those in `packed`, if there are any.
  init(
    owner: Epoch, targets: Buffer<UInt32>, rows: Buffer<UInt32>?, _ memory: BulkMemory = .shared,
    packed: ArraySlice<NumberStretch> = []
  ) {
    self.owner = owner
    hasRows = rows != nil
    let count = targets.count
    let ranges = Self.runs(of: 0..<count)
    let runCount = ranges.count
    capacity = runCount + runCount / 8 + 1
    (block, _) = Self.makeBlock(owner, count: count, runCount: runCount, capacity: capacity)
    runs = []
    runs.reserveCapacity(runCount)
    // The bits of all dense runs stand in one block, found before any is made.
    let spans = ranges.map {
      Self.denseWords(targets[$0.lowerBound], targets[$0.upperBound - 1], $0.count)
    }
    let words = spans.reduce(0) { $0 + ($1?.count ?? 0) }
    let bits = words == 0 ? nil : Buffer<UInt64>(zeroed: words)
    var nextWord = 0
    var piece = (targets: targets, rows: rows)
    var packed = packed
    for index in 0..<runCount {
      let range = ranges[index]
      // Runs that are packed together are let go of together.
      let first = index / Self.packedRunCount * Self.packedRunCount
      let start = ranges[first].lowerBound
      if index == first {
        let last = min(runCount, first + Self.packedRunCount) - 1
        piece = memory.piece(targets, rows, start..<ranges[last].upperBound)
        if memory.packsRows { packed = memory.packed(rows, Array(ranges[first...last]))[...] }
      }
      let within = (range.lowerBound - start)..<(range.upperBound - start)
      var run = Run(
        targets: piece.targets.slice(within),
        rows: packed.popFirst() ?? piece.rows.map { NumberStretch($0.slice(within)) })
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
  static func denseWords(_ first: UInt32, _ last: UInt32, _ count: Int) -> Range<Int>? {
    RunBits.isDense(first, last, count) ? Int(first >> 6)..<(Int(last >> 6) + 1) : nil
  }

  /// Sets the bits of a run whose words are zero and noted.
  func fillBits(_ index: Int, _ count: Int) {
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
      targets: run.targets.slice(0..<count), rows: run.rows)
  }

  /// Whether each dense run has bits, and they are those of its targets and no more; for tests.
  var bitsAgree: Bool {
    runs.indices.allSatisfy { index in
      let slot = table.header[0].runs[index]
      guard slot.bits.count > 0 else {
        return !RunBits.isDense(slot.targets[0], slot.targets[Int(slot.count) - 1], Int(slot.count))
      }
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

  /// Adds the memory of the list.
  func count(in census: inout MemoryCensus) {
    // The object's fields: the epoch, a flag, the array of runs, the block and its capacity.
    census.add(objectOf: 40)
    census.add(objectOf: 16 + runs.capacity * MemoryLayout<Run>.stride)
    census.add(block)
    for run in runs {
      census.add(run.targets)
      if let rows = run.rows { census.add(rows.memory) }
      if let bits = run.bits { census.add(bits) }
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
  func note(_ index: Int, count: Int, room: Int, owner: UInt64) {
    let run = runs[index]
    let header = table.header[0]
    header.runs.store(
      RunSlot(
        owner: owner, targets: PagePointer(run.targets),
        rows: run.rows?.numbers ?? PackedNumbers(PagePointer(run.targets)),
        count: UInt16(count), bits: run.noted, room: UInt16(room)), at: index)
    if count > 0 { header.lasts.store(run.targets[count - 1], at: index) }
  }

  /// The least target that may come to stand in the run at an index, of which `first` is the first.
  ///
  /// Bits that begin there have a place for every target between the run and the one before it.
  func least(_ index: Int, _ first: UInt32) -> UInt32 {
    index > 0 ? min(first, table.header[0].lasts[index - 1]) : first
  }

  /// Gives a run some of its edges in memory of their own, with room for more, among them one to `expected`.
  private func own(_ index: Int, _ source: Run, _ range: Range<Int>, expected: UInt32? = nil) {
    let room = min(Self.runLimit, range.count + range.count / 8 + 16)
    let targets = Buffer<UInt32>(uninitialized: room)
    targets.copy(source.targets, from: range.lowerBound, count: range.count, to: 0)
    let rows = source.rows.map { rows in
      let copied = Buffer<UInt32>(uninitialized: room)
      rows.copy(from: range.lowerBound, count: range.count, to: copied, at: 0)
      return NumberStretch(copied)
    }
    var run = Run(targets: targets, rows: rows)
    run.isStray = true
    if !range.isEmpty {
      let (first, last) = (targets[0], targets[range.count - 1])
      let (lower, upper) = (min(first, expected ?? first), max(last, expected ?? last))
      let count = range.count + (expected == nil ? 0 : 1)
      let span =
        Self.denseWords(least(index, lower), upper, count) ?? Self.denseWords(lower, upper, count)
      if let span {
        run.bits = Buffer(zeroed: span.count)
        run.firstWord = UInt32(truncatingIfNeeded: span.lowerBound)
      }
    }
    runs[index] = run
    note(index, count: range.count, room: room, owner: owner.number)
    fillBits(index, range.count)
  }

  /// Puts other runs in place of some, whose slots are to be set.
  func replaceRuns(_ range: Range<Int>, with others: [Run]) {
    let grown = runs.count + others.count - range.count
    if grown > capacity {
      capacity = grown + grown / 4 + 4
      block = table.copy(owner, capacity: capacity)
    }
    var header = table.header[0]
    let rest = runs.count - range.upperBound
    let place = range.lowerBound + others.count
    header.runs.move(from: range.upperBound, count: rest, to: place)
    header.lasts.move(from: range.upperBound, count: rest, to: place)
    header.runCount = UInt32(truncatingIfNeeded: grown)
    table.header.store(header, at: 0)
    runs.replaceSubrange(range, with: others)
  }

  // MARK: Changes

  /// The list with one edge more.
  func inserting(
    _ target: UInt32, _ row: UInt32, owner epoch: Epoch, _ memory: PackMemory? = nil
  ) -> LongList {
    let list = writable(epoch)
    let strayed = list.makeRoom(target, row)
    let isIn = list.table.insert(target, row, hasRows: hasRows, epoch)
    precondition(isIn, "a run of the writer's own has room for an edge")
    if let strayed { list.packIfScattered(around: strayed, memory) }
    return list
  }

  /// Sees to it that the run of an edge is the writer's own and has room.
  ///
  /// - Returns: the run, if it was given other memory.
  private func makeRoom(_ target: UInt32, _ row: UInt32) -> Int? {
    if runs.isEmpty {
      let none = Run(
        targets: Buffer(uninitialized: 0),
        rows: hasRows ? NumberStretch(Buffer(uninitialized: 0)) : nil)
      replaceRuns(0..<0, with: [none])
      own(0, none, 0..<0)
      return nil
    }
    var index = table.run(target, row, hasRows: hasRows)
    var strayed: Int?
    if table.header[0].runs[index].count == UInt16(Self.runLimit) {
      let full = runs[index]
      let half = Self.runLimit / 2
      replaceRuns(index..<index, with: [full])
      own(index, full, 0..<half)
      own(index + 1, full, half..<Self.runLimit)
      index = table.run(target, row, hasRows: hasRows)
      strayed = index
    }
    let slot = table.header[0].runs[index]
    if slot.owner != owner.number || slot.count == slot.room || !slot.bits.takes(target)
      || slot.lacksBits(adding: target)
    {
      own(index, runs[index], 0..<Int(slot.count), expected: target)
      strayed = index
    }
    return strayed
  }

  /// The list with one edge less; nil if there is none such.
  func removing(
    _ target: UInt32, _ row: UInt32, owner epoch: Epoch, _ memory: PackMemory? = nil
  ) -> LongList? {
    if runs.isEmpty { return nil }
    let index = table.run(target, row, hasRows: hasRows)
    let slot = table.header[0].runs[index]
    let place = table.place(target, row, in: slot, hasRows: hasRows)
    guard place.found else { return nil }
    let becomesDense = slot.lacksBits(without: place.index)
    let list = writable(epoch)
    if slot.count == 1 {
      list.replaceRuns(index..<(index + 1), with: [])
      var header = list.table.header[0]
      header.count -= 1
      list.table.header.store(header, at: 0)
      return list
    }
    let isOwn = slot.owner == epoch.number
    if !isOwn { list.own(index, runs[index], 0..<Int(slot.count)) }
    let removal = list.table.remove(target, row, hasRows: hasRows, epoch, isLookedAfter: true)
    precondition(removal == .done, "an edge that was found is taken out")
    if becomesDense { list.own(index, list.runs[index], 0..<(Int(slot.count) - 1)) }
    if slot.count == LongTable.thinCount { list.packIfThin(around: index, memory) }
    if !isOwn || becomesDense { list.packIfScattered(around: index, memory) }
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
