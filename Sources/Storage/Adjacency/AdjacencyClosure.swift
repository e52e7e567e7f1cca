package import Columnar

/// The rows that can be reached from some rows along an adjacency index, round by round and each once: what a
/// recursion with UNION along a foreign key comes to.
///
/// With groups each of them reaches rows for itself. Without groups a bit for each position tells what was reached, and
/// with groups a table of pairs. Where a row may come again in another round, these tell what was reached in the last round, and
/// only the rows of that round are kept.
///
/// Sendable by rule: one thread at a time uses a closure.
package final class AdjacencyClosure: @unchecked Sendable {
  /// How often a row is reached.
  package enum Repetition: Sendable {
    /// Once.
    case never
    /// Once in each round that leads to it: of ways of one length it does not matter how many there are.
    case byRound
    /// By each way.
    case always
  }

  private let isGrouped: Bool
  private let repetition: Repetition
  // Private, so that the loops need not guard against others who change them meanwhile.
  private var reached = Buffer<UInt32>(uninitialized: firstRoom)
  private var reachedGroups = Buffer<UInt32>(uninitialized: 0)
  private var reachedCount = 0
  private var walked = 0
  private var bitmap = Buffer<UInt64>(zeroed: 1)
  private var pairs = PairSet()
  /// The ends of a row's edges that meet a condition.
  private var scratch = Buffer<UInt32>(uninitialized: 1)
  private var rowScratch = RowScratch()

  private static let firstRoom = 64

  package init(isGrouped: Bool, repetition: Repetition = .never) {
    self.isGrouped = isGrouped
    self.repetition = repetition
  }

  /// What was reached, in the order in which it was.
  package var positions: Buffer<UInt32> { reached }

  /// The group of each row reached; empty without groups.
  package var groups: Buffer<UInt32> { reachedGroups }

  /// How many rows are kept: all that were reached, or those of the last rounds.
  package var count: Int { reachedCount }

  /// How many rows were reached before those that are kept.
  package private(set) var forgottenCount = 0

  /// From how many of them the walk has gone on.
  package var walkedCount: Int { walked }

  /// The bytes held, for memory accounting.
  package var byteCount: Int {
    (positions.count + groups.count) * 4 + bitmap.count * 8 + pairs.byteCount
  }

  /// Forgets everything; positions will be below `rowCount`.
  package func start(rowCount: Int) {
    if isGrouped {
      pairs = PairSet()
      if reachedGroups.count == 0 { reachedGroups = Buffer(uninitialized: reached.count) }
    } else if bitmap.count * 64 < rowCount || reachedCount > bitmap.count / 4 {
      bitmap = Buffer(zeroed: max(bitmap.count, rowCount / 64 + 1))
    } else {
      for index in 0..<reachedCount { bitmap[Int(truncatingIfNeeded: reached[index] &>> 6)] = 0 }
    }
    reachedCount = 0
    forgottenCount = 0
    walked = 0
  }

  /// Begins a round from the rows not walked from yet: where rows may come again, those before them are forgotten, and rows of
  /// the new round are told apart from each other alone.
  ///
  /// - Complexity: O(rows not walked from yet) where rows may come again, else O(1).
  package func beginRound() {
    if repetition == .never { return }
    let rest = reachedCount - walked
    PagePointer(reached).move(from: walked, count: rest, to: 0)
    if isGrouped { PagePointer(reachedGroups).move(from: walked, count: rest, to: 0) }
    forgottenCount += walked
    reachedCount = rest
    walked = 0
    if repetition == .always { return }
    if isGrouped {
      pairs = PairSet()
    } else {
      for index in 0..<rest { bitmap[Int(truncatingIfNeeded: reached[index] &>> 6)] = 0 }
    }
  }

  /// Adds rows to start from, passing over `TableStore.noRow`.
  ///
  /// - Precondition: without groups `groups` is nil, and with them it has as many entries.
  package func insert(_ rows: Buffer<UInt32>, groups own: Buffer<UInt32>?, count rowCount: Int) {
    reserve(reachedCount + rowCount)
    let (found, foundGroups, bitmap) = (reached, reachedGroups, bitmap)
    let repeats = repetition == .always
    var total = reachedCount
    if let own {
      for row in 0..<rowCount where rows[row] != TableStore.noRow {
        found[total] = rows[row]
        foundGroups[total] = own[row]
        total &+= repeats ? 1 : pairs.insert(PairSet.pair(own[row], rows[row]))
      }
    } else {
      for row in 0..<rowCount where rows[row] != TableStore.noRow {
        found[total] = rows[row]
        total &+= repeats ? 1 : Self.mark(rows[row], bitmap)
      }
    }
    reachedCount = total
  }

  /// Adds a row to start from, unless it is `TableStore.noRow`.
  ///
  /// - Precondition: there are no groups.
  package func insert(_ row: UInt32) {
    if row == TableStore.noRow { return }
    reserve(reachedCount + 1)
    reached[reachedCount] = row
    reachedCount &+= repetition == .always ? 1 : Self.mark(row, bitmap)
  }

  /// Has the rows so far count as not reached, so that a way may lead back to them.
  ///
  /// - Precondition: there are no groups.
  package func unmark() {
    for index in 0..<reachedCount {
      let row = reached[index]
      bitmap[Int(truncatingIfNeeded: row &>> 6)] &= ~(1 &<< UInt64(truncatingIfNeeded: row & 63))
    }
  }

  /// Forgets the rows walked from.
  ///
  /// - Precondition: there are no groups.
  package func dropWalked() {
    reachedCount -= walked
    PagePointer(reached).move(from: walked, count: reachedCount, to: 0)
    walked = 0
  }

  /// Notes that somebody has gone on from the next `count` rows, and inserted where that leads.
  package func noteWalked(_ count: Int) { walked += count }

  /// Puts the rows not walked from yet in the order of their table, in which their lists stand in memory, where they are many and
  /// without groups: for who does not ask in which order rows are reached.
  ///
  /// - Complexity: O(rows + positions / 64).
  package func sortWaiting() {
    guard !isGrouped, repetition != .always,
      reachedCount - walked > max(Self.sortedMin, bitmap.count)
    else { return }
    let marks = Buffer<UInt64>(zeroed: bitmap.count)
    for index in walked..<reachedCount { _ = Self.mark(reached[index], marks) }
    var next = walked
    for word in 0..<marks.count {
      var bits = marks[word]
      while bits != 0 {
        reached[next] = UInt32(truncatingIfNeeded: word &<< 6 &+ bits.trailingZeroBitCount)
        next &+= 1
        bits &= bits &- 1
      }
    }
  }

  /// Fewer rows are walked from as they were reached.
  private static let sortedMin = 1024

  /// Goes on from rows not walked from yet, as far as row `last` of those reached; stops early, between two rows, once
  /// `edgeLimit` edges were looked at.
  ///
  /// `end` tells which positions of edges are those of rows arrived at. The index that `lists` belong to is asked for
  /// only where a list stands apart: a copy of it counts several references.
  ///
  /// - Complexity: O(edges + rows).
  package func walk(
    _ lists: ListReader, _ adjacency: @autoclosure () -> AdjacencyIndex, at end: EdgeEnd,
    to last: Int, edgeLimit: Int
  ) {
    var edges = 0
    var rowScratch = takeRowScratch()
    while walked < last && edges < edgeLimit {
      let source = reached[walked]
      if let list = lists.list(of: source) {
        edges &+= list.count
        if list.count > 0 {
          add(end == .row ? rowScratch.plain(list.rows, list.count) : list.targets, list.count)
        }
      } else {
        let list = adjacency().neighbours(of: source)
        for index in 0..<list.runCount {
          let run = list.run(index)
          edges &+= run.count
          let positions = run.positions(at: end)
          add(PagePointer(positions), run.count)
          withExtendedLifetime(positions) {}
        }
      }
      walked &+= 1
    }
    self.rowScratch = rowScratch
  }

  /// As `walk` along edges for whose row or target, as `asked` says, a condition is known to hold; stops before a row that has an
  /// edge of which that is not known, and says false.
  ///
  /// - Complexity: O(edges + rows).
  package func walk(
    _ lists: ListReader, _ adjacency: @autoclosure () -> AdjacencyIndex, at end: EdgeEnd,
    to last: Int, edgeLimit: Int, where known: KnownRows, of asked: EdgeEnd
  ) -> Bool {
    var edges = 0
    var (rowScratch, scratch) = (takeRowScratch(), scratch)
    defer { (self.rowScratch, self.scratch) = (rowScratch, scratch) }
    while walked < last && edges < edgeLimit {
      let source = reached[walked]
      var kept = 0
      if let list = lists.list(of: source) {
        scratch.makeRoom(list.count)
        let rows =
          asked == .row || end == .row ? rowScratch.plain(list.rows, list.count) : list.targets
        guard
          let count = known.select(
            asked == .row ? rows : list.targets, of: end == .row ? rows : list.targets,
            count: list.count, into: scratch)
        else { return false }
        edges &+= list.count
        kept = count
      } else {
        let list = adjacency().neighbours(of: source)
        scratch.makeRoom(list.count)
        for index in 0..<list.runCount {
          let run = list.run(index)
          let (tested, found) = (run.positions(at: asked), run.positions(at: end))
          defer { withExtendedLifetime((tested, found)) {} }
          guard
            let count = known.select(
              PagePointer(tested), of: PagePointer(found), count: run.count, into: scratch,
              from: kept)
          else { return false }
          kept &+= count
        }
        edges &+= list.count
      }
      if kept > 0 { add(PagePointer(scratch), kept) }
      walked &+= 1
    }
    return true
  }

  /// What a walk works with while it runs: in its own hand, so that nothing guards it against others for each row.
  private func takeRowScratch() -> RowScratch {
    defer { rowScratch = RowScratch() }
    return rowScratch
  }

  /// Adds what stands next to the row that is walked from.
  @inline(__always)
  private func add(_ targets: PagePointer<UInt32>, _ edgeCount: Int) {
    if reachedCount &+ edgeCount > reached.count { reserve(reachedCount &+ edgeCount) }
    if repetition == .always {
      addAll(targets, edgeCount)
      return
    }
    let found = reached
    if isGrouped {
      addPairs(targets, edgeCount)
      return
    }
    var total = reachedCount
    let bitmap = bitmap
    for edge in 0..<edgeCount {
      let target = targets[edge]
      found[total] = target
      total &+= Self.mark(target, bitmap)
    }
    reachedCount = total
  }

  /// Adds what stands next to the row that is walked from, whether it was reached or not.
  private func addAll(_ targets: PagePointer<UInt32>, _ edgeCount: Int) {
    let found = reached
    let total = reachedCount
    for edge in 0..<edgeCount { found[total &+ edge] = targets[edge] }
    if isGrouped {
      let foundGroups = reachedGroups
      let group = foundGroups[walked]
      for edge in 0..<edgeCount { foundGroups[total &+ edge] = group }
    }
    reachedCount = total &+ edgeCount
  }

  private func addPairs(_ targets: PagePointer<UInt32>, _ edgeCount: Int) {
    let (found, foundGroups) = (reached, reachedGroups)
    let group = foundGroups[walked]
    // In hand while the loop runs, so that nothing guards it against others.
    var pairs = pairs
    self.pairs = PairSet.none
    pairs.reserve(edgeCount)
    var total = reachedCount
    for edge in 0..<edgeCount {
      let target = targets[edge]
      found[total] = target
      foundGroups[total] = group
      total &+= pairs.place(PairSet.pair(group, target))
    }
    self.pairs = pairs
    reachedCount = total
  }

  /// Sets the bit of a position, and gives 1 if it was not set.
  @inline(__always)
  private static func mark(_ position: UInt32, _ bitmap: Buffer<UInt64>) -> Int {
    let word = Int(truncatingIfNeeded: position &>> 6)
    let shift = UInt64(truncatingIfNeeded: position & 63)
    let old = bitmap[word]
    bitmap[word] = old | (1 &<< shift)
    return Int(truncatingIfNeeded: ~old &>> shift & 1)
  }

  private func reserve(_ wanted: Int) {
    // One more, as a row is written before it is known to be new.
    if wanted < reached.count { return }
    let room = max(wanted + 1, reached.count * 2)
    let grown = Buffer<UInt32>(uninitialized: room)
    grown.copy(reached, count: reachedCount, to: 0)
    reached = grown
    guard isGrouped else { return }
    let grownGroups = Buffer<UInt32>(uninitialized: room)
    grownGroups.copy(reachedGroups, count: reachedCount, to: 0)
    reachedGroups = grownGroups
  }
}

extension Buffer<UInt32> {
  /// Makes room for so many and one more, as a position is written before it is known to be wanted; forgets what is there.
  fileprivate mutating func makeRoom(_ room: Int) {
    if count <= room { self = Buffer(uninitialized: Swift.max(room + 1, 2 * count)) }
  }
}

/// Pairs of a group and a position, as a table with open addressing.
struct PairSet {
  /// The pairs; all bits set where there is none.
  private var slots: Buffer<UInt64>
  private var shift = UInt64(64 - firstBits)
  private var count = 0

  private static let firstBits = 10

  init() { slots = Buffer(repeating: .max, count: 1 << Self.firstBits) }

  private init(slots: Buffer<UInt64>) { self.slots = slots }

  /// A set to which nothing is added.
  static let none = PairSet(slots: Buffer(uninitialized: 0))

  var byteCount: Int { slots.count * 8 }

  @inline(__always)
  static func pair(_ group: UInt32, _ position: UInt32) -> UInt64 {
    UInt64(truncatingIfNeeded: group) &<< 32 | UInt64(truncatingIfNeeded: position)
  }

  /// Makes room for so many more pairs.
  @inline(__always)
  mutating func reserve(_ more: Int) {
    if (count &+ more) &* 2 > slots.count { grow(count + more) }
  }

  private mutating func grow(_ wanted: Int) {
    var bits = 64 - Int(shift)
    while 1 << bits < wanted * 2 { bits += 1 }
    let old = slots
    slots = Buffer(repeating: .max, count: 1 << (bits + 1))
    shift = UInt64(64 - bits - 1)
    count = 0
    for index in 0..<old.count where old[index] != .max { _ = place(old[index]) }
  }

  /// Adds a pair, and gives 1 if it was not there.
  @inline(__always)
  mutating func insert(_ pair: UInt64) -> Int {
    reserve(1)
    return place(pair)
  }

  /// As `insert`, where room was reserved.
  @inline(__always)
  mutating func place(_ pair: UInt64) -> Int {
    let slots = slots
    let mask = slots.count &- 1
    var index = Int(truncatingIfNeeded: (pair &* 0x9E37_79B9_7F4A_7C15) &>> shift)
    while true {
      let known = slots[index]
      if known == pair { return 0 }
      if known == .max {
        slots[index] = pair
        count &+= 1
        return 1
      }
      index = (index &+ 1) & mask
    }
  }
}
