package import Columnar

/// From each row of a parent table to its neighbours: the heart of a many-to-many relationship.
///
/// Sources and targets are positions of rows. Each source has a list of edges that rise by target; an
/// edge is a target and the row of the table whose foreign keys make it. For a foreign key by itself
/// target and row are one.
///
/// Lists stand in pages of 64 sources, one list behind another; long ones apart in runs of
/// several hundred edges. So every short list is contiguous, also after any number of writes.
package struct AdjacencyIndex: Sendable {
  /// Whether edges carry a row beside their target.
  package let hasEdgeRows: Bool
  var pages = PageTree<AdjacencyPage>()
  /// The number of edges.
  package internal(set) var edgeCount = 0
  /// Made when something is packed first, of a large index.
  var packMemory: PackMemory?

  init(hasEdgeRows: Bool) { self.hasEdgeRows = hasEdgeRows }

  /// Sources at and past this one have no neighbours.
  package var sourceLimit: Int { pages.count &<< AdjacencyPage.shift }

  @inline(__always)
  func slot(_ source: UInt32) -> AdjacencySlot? {
    let page = Int(truncatingIfNeeded: source) &>> AdjacencyPage.shift
    return page < pages.count ? pages.slot(page) : nil
  }

  @inline(__always)
  static func list(_ source: UInt32) -> Int {
    Int(truncatingIfNeeded: source) & (AdjacencyPage.sourceCount &- 1)
  }

  private func longList(_ source: UInt32) -> LongList? {
    pages[Int(source) >> AdjacencyPage.shift].longLists[Self.list(source)]
  }

  /// Whether the edges of a source stand together with those of others.
  @inline(__always)
  func isShort(_ source: UInt32) -> Bool {
    guard let slot = slot(source) else { return true }
    return !slot.isLong(Self.list(source))
  }

  /// Reads a little of everything that a change of an edge goes through, and gives a number that depends on it.
  ///
  /// Nothing is decided by what is read, so that whoever does this for both directions of a junction waits for
  /// the misses of both at once.
  @inline(__always)
  func touch(_ source: UInt32, _ target: UInt32) -> UInt32 {
    guard let slot = slot(source) else { return 0 }
    let list = Self.list(source)
    if slot.isLong(list) { return slot.long(list).touch(target, hasRows: hasEdgeRows) }
    let start = Int(truncatingIfNeeded: slot.offsets[list])
    let end = Int(truncatingIfNeeded: slot.offsets[AdjacencyPage.sourceCount])
    // Far pages of memory take longest to be found: one place of each is enough.
    return start < end ? slot.targets[start] ^ slot.rows[start] : 0
  }

  /// The number of edges of a source.
  ///
  /// - Complexity: O(1).
  package func degree(of source: UInt32) -> Int {
    slot(source)?.degree(Self.list(source)) ?? 0
  }

  /// The number of edges of each source of a range.
  package func degrees(_ sources: Range<Int>) -> Buffer<UInt32> {
    let lists = listReader
    let result = Buffer<UInt32>(uninitialized: sources.count)
    for (index, source) in sources.enumerated() {
      result[index] = lists.degree(of: UInt32(truncatingIfNeeded: source))
    }
    return result
  }

  /// The number of edges of each source; 0 for `TableStore.noRow`.
  package func degrees(of sources: Buffer<UInt32>, count: Int) -> Buffer<UInt32> {
    let lists = listReader
    let result = Buffer<UInt32>(uninitialized: count)
    for row in 0..<count { result[row] = lists.degree(of: sources[row]) }
    return result
  }

  /// The edges of a source, in the order of their targets.
  ///
  /// - Complexity: O(1); allocates nothing for a list of one run.
  package func neighbours(of source: UInt32) -> NeighbourList {
    let page = Int(source) >> AdjacencyPage.shift
    guard page < pages.count else { return NeighbourList() }
    let lists = pages[page]
    let list = Self.list(source)
    if lists.isLong(list), let long = lists.longLists[list] { return NeighbourList(long) }
    return lists.list(list)
  }

  /// Whether there is an edge from `source` to `target`.
  ///
  /// - Complexity: O(log *n*) in the degree of the source.
  package func contains(_ source: UInt32, _ target: UInt32) -> Bool {
    edge(source, target) != TableStore.noRow
  }

  /// The row of an edge from `source` to `target` (that of the lowest row), or `TableStore.noRow`.
  ///
  /// - Complexity: O(log *n*) in the degree of the source.
  package func edge(_ source: UInt32, _ target: UInt32) -> UInt32 {
    guard let slot = slot(source) else { return .max }
    let list = Self.list(source)
    if slot.isLong(list) { return slot.long(list).row(of: target, hasRows: hasEdgeRows) }
    let start = Int(truncatingIfNeeded: slot.offsets[list])
    let end = Int(truncatingIfNeeded: slot.offsets[list &+ 1])
    let index = slot.targets.lowerBound(of: target, in: start..<end)
    return index < end && slot.targets[index] == target ? slot.rows[index] : .max
  }

  /// The rows of all edges from `source` to `target`.
  ///
  /// - Complexity: O(log *n*) in the degree of the source, and the edges found.
  package func rows(_ source: UInt32, _ target: UInt32) -> [UInt32] {
    var found: [UInt32] = []
    let list = neighbours(of: source)
    var number = list.firstRun(reaching: target)
    while number < list.runCount {
      let run = list.run(number)
      var place = run.targets.lowerBound(of: target, in: 0..<run.count)
      while place < run.count && run.targets[place] == target {
        found.append(run.rows[place])
        place += 1
      }
      if place < run.count { break }
      number += 1
    }
    return found
  }

  /// The number of edges from `source` to `target`.
  ///
  /// - Complexity: as of `rows`.
  package func edgeCount(from source: UInt32, to target: UInt32) -> Int {
    contains(source, target) ? rows(source, target).count : 0
  }

  /// The row of an edge for each pair, or `TableStore.noRow`.
  package func edges(
    _ sources: Buffer<UInt32>, _ targets: Buffer<UInt32>, count: Int
  ) -> Buffer<UInt32> {
    let result = Buffer<UInt32>(uninitialized: count)
    for row in 0..<count { result[row] = edge(sources[row], targets[row]) }
    return result
  }
}

/// The edges of one source, as one or more stretches in the order of their targets.
package struct NeighbourList: Sendable {
  /// Edges that stand in one stretch.
  package struct Run: Sendable {
    package let targets: Buffer<UInt32>
    /// nil where the target of each edge is its row; there may be numbers behind the last row.
    private let stored: NumberStretch?
    package var count: Int { targets.count }

    /// The row of each edge.
    package var rows: NumberStretch { stored ?? NumberStretch(targets) }

    init(targets: Buffer<UInt32>, rows: NumberStretch?) {
      self.targets = targets
      stored = rows
    }
  }
  private let first: Run?
  private let long: LongList?

  init() {
    first = nil
    long = nil
  }

  init(targets: Buffer<UInt32>, rows: NumberStretch?) {
    first = targets.count > 0 ? Run(targets: targets, rows: rows) : nil
    long = nil
  }

  init(_ long: LongList) {
    first = nil
    self.long = long
  }

  /// The number of edges.
  package var count: Int { long?.count ?? first?.count ?? 0 }

  /// The number of stretches; 0 if there is no edge, 1 for all but long lists.
  package var runCount: Int { long?.runCount ?? (first == nil ? 0 : 1) }

  /// Whether bits that are kept of the targets are right; for tests.
  var bitsAgree: Bool { long?.bitsAgree ?? true }

  /// The first stretch that ends with a target no less than this one; the number of stretches if none does.
  func firstRun(reaching target: UInt32) -> Int {
    var (lower, upper) = (0, runCount)
    while lower < upper {
      let middle = (lower + upper) / 2
      let run = run(middle)
      if run.targets[run.count - 1] < target { lower = middle + 1 } else { upper = middle }
    }
    return lower
  }

  /// One stretch.
  package func run(_ index: Int) -> Run {
    if let first { return first }
    guard let long else { preconditionFailure("a list without edges has no run") }
    return long.run(index)
  }

  /// Hands over the targets in some of the runs and how many there are.
  ///
  /// Runs that stand behind each other, as they do until a change moves one of them, are handed over as one. Runs
  /// that are dense go to `bits`, if that is given.
  @inline(__always)
  func forEachStretch(
    _ runs: Range<Int>, bits: ((RunBits) -> Void)?, edges body: (PagePointer<UInt32>, Int) -> Void
  ) {
    guard let long else {
      if let first, !runs.isEmpty { body(PagePointer(first.targets), first.count) }
      return
    }
    let slots = long.table.header[0].runs
    var index = runs.lowerBound
    while index < runs.upperBound {
      if let bits, slots[index].bits.count > 0 {
        bits(slots[index].bits)
        index &+= 1
        continue
      }
      let targets = slots[index].targets
      var count = Int(truncatingIfNeeded: slots[index].count)
      index &+= 1
      while index < runs.upperBound, slots[index].targets == targets.advanced(by: count),
        bits == nil || slots[index].bits.count == 0
      {
        count &+= Int(truncatingIfNeeded: slots[index].count)
        index &+= 1
      }
      body(targets, count)
    }
    // What was read stands in the list's memory.
    withExtendedLifetime(long) {}
  }
}

extension AdjacencyIndex {
  /// Where an expansion of many sources stands.
  package struct Cursor: Sendable {
    /// The next source, as an index into those expanded.
    var source: Int
    /// How many of its edges have been given out.
    var edge = 0

    package init(source: Int = 0) { self.source = source }
  }

  /// Edges of several sources.
  package struct Expansion: Sendable {
    /// For each edge the index of its source.
    package let sourceRows: Buffer<UInt32>
    package let targets: Buffer<UInt32>
    package let rows: Buffer<UInt32>
    package let count: Int
  }

  /// The next edges, at most `limit`, of the given sources in their order; empty when none is left.
  ///
  /// A source of `TableStore.noRow` has no edges.
  ///
  /// - Complexity: O(edges + sources).
  package func expand(
    _ sources: Buffer<UInt32>, count: Int, from cursor: inout Cursor,
    limit: Int = Vector.chunkCapacity
  ) -> Expansion {
    let sourceRows = Buffer<UInt32>(uninitialized: limit)
    let targets = Buffer<UInt32>(uninitialized: limit)
    let rows = Buffer<UInt32>(uninitialized: limit)
    var filled = 0
    while cursor.source < count && filled < limit {
      let source = sources[cursor.source]
      guard let slot = slot(source) else {
        cursor.source += 1
        continue
      }
      let list = Self.list(source)
      if slot.isLong(list) {
        expandLong(source, &cursor, sourceRows, targets, rows, &filled, limit)
        continue
      }
      let start = Int(truncatingIfNeeded: slot.offsets[list]) &+ cursor.edge
      let end = Int(truncatingIfNeeded: slot.offsets[list &+ 1])
      let taken = min(end &- start, limit &- filled)
      let row = UInt32(truncatingIfNeeded: cursor.source)
      for index in 0..<taken {
        sourceRows[filled &+ index] = row
        targets[filled &+ index] = slot.targets[start &+ index]
      }
      slot.rows.copy(from: start, count: taken, to: rows, at: filled)
      filled &+= taken
      if start &+ taken == end {
        cursor.source &+= 1
        cursor.edge = 0
      } else {
        cursor.edge &+= taken
      }
    }
    return Expansion(sourceRows: sourceRows, targets: targets, rows: rows, count: filled)
  }

  private func expandLong(
    _ source: UInt32, _ cursor: inout Cursor, _ sourceRows: Buffer<UInt32>,
    _ targets: Buffer<UInt32>, _ rows: Buffer<UInt32>, _ filled: inout Int, _ limit: Int
  ) {
    var skipped = cursor.edge
    let row = UInt32(truncatingIfNeeded: cursor.source)
    guard let long = longList(source) else { return }
    for index in 0..<long.runCount {
      let run = long.run(index)
      if skipped >= run.count {
        skipped -= run.count
        continue
      }
      let taken = min(run.count - skipped, limit - filled)
      if taken == 0 { return }
      sourceRows.fill(filled..<(filled + taken), with: row)
      targets.copy(run.targets, from: skipped, count: taken, to: filled)
      run.rows.copy(from: skipped, count: taken, to: rows, at: filled)
      filled += taken
      cursor.edge += taken
      if skipped + taken < run.count { return }
      skipped = 0
    }
    cursor.source += 1
    cursor.edge = 0
  }

  // MARK: Maintenance

  /// Adds an edge.
  mutating func insert(_ source: UInt32, _ target: UInt32, row: UInt32, epoch: Epoch) {
    let index = Int(source) >> AdjacencyPage.shift
    let list = Self.list(source)
    if index < pages.count,
      pages.slot(index).insert(list, target, row, hasRows: hasEdgeRows, epoch)
    {
      edgeCount += 1
      return
    }
    while pages.count <= index {
      pages.append(AdjacencyPage(owner: epoch, hasRows: hasEdgeRows), epoch: epoch)
      _ = pages.noteStray(pages.count - 1, epoch: epoch)
    }
    _ = change(index, epoch) { page, memory in
      page.insert(list, target, row, memory)
      return true
    }
    edgeCount += 1
  }

  /// Takes an edge out, if it is there.
  mutating func remove(_ source: UInt32, _ target: UInt32, row: UInt32, epoch: Epoch) {
    let index = Int(source) >> AdjacencyPage.shift
    guard index < pages.count else { return }
    switch pages.slot(index).remove(Self.list(source), target, row, hasRows: hasEdgeRows, epoch) {
    case .done:
      edgeCount -= 1
      return
    case .absent: return
    case .refused: break
    }
    let isOut = change(index, epoch) { page, memory in
      page.remove(Self.list(source), target, row, memory)
    }
    if isOut { edgeCount -= 1 }
  }
}
