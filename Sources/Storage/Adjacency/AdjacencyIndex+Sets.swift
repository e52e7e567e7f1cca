package import Columnar
package import Diagnostics

// What an index does with many sources at once: their neighbours as bits of a map over positions, or as counters.
// Nothing is handed on for an edge, so an edge costs a few instructions.

extension ListReader {
  /// Sets the bit of each position at one end of the edges of some sources.
  ///
  /// Sources whose lists stand apart are left to the caller, in `aside`.
  ///
  /// - Precondition: `bitmap` has a bit for each position of the table at that end.
  /// - Complexity: O(edges + sources).
  package func mark(
    _ end: EdgeEnd, of sources: Buffer<UInt32>, count: Int, in bitmap: Buffer<UInt64>,
    aside: inout [UInt32]
  ) {
    forEachList(end, sources, count, &aside) { first, list, count in
      bitmap.insert(first)
      for edge in 1..<count { bitmap.insert(list[edge]) }
    }
  }

  /// Adds one to the counter of each position at one end of the edges of some sources, once for each edge.
  ///
  /// Sources whose lists stand apart are left to the caller, in `aside`.
  ///
  /// - Precondition: there is a counter for each position of the table at that end.
  /// - Complexity: O(edges + sources).
  package func count(
    _ end: EdgeEnd, of sources: Buffer<UInt32>, count: Int, in counters: Buffer<UInt32>,
    aside: inout [UInt32]
  ) {
    forEachList(end, sources, count, &aside) { first, list, count in
      counters[first] &+= 1
      for edge in 1..<count { counters[list[edge]] &+= 1 }
    }
  }

  /// Counts where the edges of sources lead, for those of one origin at a time.
  ///
  /// Handed over is each origin that has edges, with how many positions are in `touched`. Whoever is handed them sets their
  /// counters to zero again, and says whether to go on.
  ///
  /// - Precondition: sources of one origin stand together; there is a counter for each position of the table at that
  ///   end, all of them zero, and room in `touched` for one more.
  /// - Complexity: O(edges + sources).
  package func countByOrigin(
    _ end: EdgeEnd, of sources: Buffer<UInt32>, origins: Buffer<UInt32>, count: Int,
    in counters: Buffer<UInt32>, touched: Buffer<UInt32>,
    _ body: (_ origin: UInt32, _ touchedCount: Int) throws(SQLError) -> Bool
  ) throws(SQLError) -> Bool {
    var found = InlineArray<64, ListPlace>(repeating: ListPlace())
    var firsts = InlineArray<64, UInt32>(repeating: 0)
    var scratch = RowScratch()
    defer { withExtendedLifetime(scratch) {} }
    var (index, next) = (0, 0)
    if !lazy.isNone { require(sources, 0..<count) }
    while index < count {
      let wanted = min(count &- index, found.count)
      let blockCount = findLists(end, sources, from: index, count: wanted, &found, &firsts)
      var warmth: UInt32 = 0
      for block in 0..<blockCount where found[block].count > 0 {
        warmth &+= counters[firsts[block]]
      }
      touched[next] = warmth
      // The one behind the block has a list that stands apart.
      for block in 0..<min(wanted, blockCount &+ 1) {
        let place = index &+ block
        if next > 0, origins[place] != origins[place &- 1] {
          if try !body(origins[place &- 1], next) { return false }
          next = 0
        }
        if block < blockCount {
          let list = found[block].positions(at: end, &scratch)
          next = list.count(Int(found[block].count), in: counters, touched: touched, next)
        } else {
          next = countLong(
            end, of: sources[place], in: counters, touched: touched, next, &scratch)
        }
      }
      index &+= min(wanted, blockCount &+ 1)
    }
    return next == 0 ? true : try body(origins[count &- 1], next)
  }

  private func countLong(
    _ end: EdgeEnd, of source: UInt32, in counters: Buffer<UInt32>, touched: Buffer<UInt32>,
    _ start: Int, _ scratch: inout RowScratch
  ) -> Int {
    let long = longList(of: source)
    var next = start
    for number in 0..<long.runCount {
      let run = long.header[0].runs[number]
      let count = Int(truncatingIfNeeded: run.count)
      let positions = end == .row ? scratch.plain(run.rows, count) : run.targets
      next = positions.count(count, in: counters, touched: touched, next)
    }
    return next
  }

  /// Finds a block of lists up to the first that stands apart, and reads the first edge of each: all of them before any
  /// is gone through, so that the waits for memory overlap.
  @inline(__always)
  private func findLists(
    _ end: EdgeEnd, _ sources: Buffer<UInt32>, from start: Int, count: Int,
    _ found: inout InlineArray<64, ListPlace>, _ firsts: inout InlineArray<64, UInt32>
  ) -> Int {
    let blockCount = findLists(sources, from: start, count: count, &found)
    for block in 0..<blockCount where found[block].count > 0 {
      firsts[block] = found[block].first(at: end)
    }
    return blockCount
  }

  /// Hands over the lists of sources that have edges: the first edge, the list and its length.
  ///
  /// A block of lists is found, and the first edge of each fetched, before any is gone through: so the misses of a
  /// block overlap, which the branches of the loops over edges would prevent.
  @inline(__always)
  private func forEachList(
    _ end: EdgeEnd, _ sources: Buffer<UInt32>, _ count: Int, _ aside: inout [UInt32],
    _ body: (UInt32, PagePointer<UInt32>, Int) -> Void
  ) {
    var found = InlineArray<64, ListPlace>(repeating: ListPlace())
    var firsts = InlineArray<64, UInt32>(repeating: 0)
    var scratch = RowScratch()
    defer { withExtendedLifetime(scratch) {} }
    var index = 0
    if !lazy.isNone { require(sources, 0..<count) }
    while index < count {
      let wanted = min(count &- index, found.count)
      let blockCount = findLists(end, sources, from: index, count: wanted, &found, &firsts)
      for block in 0..<blockCount where found[block].count > 0 {
        body(firsts[block], found[block].positions(at: end, &scratch), Int(found[block].count))
      }
      index &+= blockCount
      if blockCount < wanted {
        aside.append(sources[index])
        index &+= 1
      }
    }
  }
}

extension NeighbourList {
  /// Sets the bit of each position at one end of the edges in some of the runs.
  package func mark(_ end: EdgeEnd, _ runs: Range<Int>, in bitmap: Buffer<UInt64>) {
    if end == .row {
      for index in runs {
        let run = run(index)
        let rows = run.positions(at: .row)
        for place in 0..<run.count { bitmap.insert(rows[place]) }
      }
      return
    }
    forEachStretch(runs) { bits in
      bits.add(to: bitmap)
    } edges: { targets, count in
      for place in 0..<count { bitmap.insert(targets[place]) }
    }
  }

  /// Adds one to the counter of each position at one end of the edges in some of the runs.
  package func count(_ end: EdgeEnd, _ runs: Range<Int>, in counters: Buffer<UInt32>) {
    if end == .row {
      for index in runs {
        let run = run(index)
        let rows = run.positions(at: .row)
        for place in 0..<run.count { counters[rows[place]] &+= 1 }
      }
      return
    }
    forEachStretch(runs, bits: nil) { targets, count in
      for place in 0..<count { counters[targets[place]] &+= 1 }
    }
  }
}

extension PagePointer<UInt32> {
  /// Adds one to the counter of each of so many positions, writes those whose counter was zero to `touched` from `start`
  /// on, and says where they end.
  @inline(__always)
  fileprivate func count(
    _ count: Int, in counters: Buffer<UInt32>, touched: Buffer<UInt32>, _ start: Int
  ) -> Int {
    var next = start
    for place in 0..<count {
      let position = self[place]
      let known = counters[position]
      touched[next] = position
      next &+= bit(known == 0)
      counters[position] = known &+ 1
    }
    return next
  }
}

extension AdjacencyIndex {
  /// Sets, in some words of `bitmap`, the bit of each source that has a neighbour among `targets`.
  ///
  /// - Precondition: `targets` has a bit for each position of the neighbours' table, `bitmap` one for each of the
  ///   sources'.
  /// - Complexity: O(edges looked at): of each source those up to the first that is among `targets`.
  package func markSources(
    reaching targets: Buffer<UInt64>, words: Range<Int>, in bitmap: Buffer<UInt64>
  ) {
    for word in words {
      let first = word &<< 6
      let page = first &>> AdjacencyPage.shift
      if page >= pages.count { return }
      let slot = pages.slot(page)
      // A word has the bits of one page.
      let long = slot.longs
      let (offsets, edges) = (slot.offsets, slot.targets)
      var found: UInt64 = 0
      var edge = Int(truncatingIfNeeded: offsets[0])
      for bit in 0..<64 {
        // A list that stands apart takes no part of the stretch.
        let end = Int(truncatingIfNeeded: offsets[bit &+ 1])
        while edge < end {
          if targets.contains(edges[edge]) {
            found |= 1 &<< UInt64(truncatingIfNeeded: bit)
            break
          }
          edge &+= 1
        }
        edge = end
      }
      bitmap[word] |= found | (long == 0 ? 0 : slot.longs(meeting: targets))
    }
  }

  /// Sets, in some words of `bitmap`, the bit of each source that has neighbours.
  ///
  /// - Complexity: O(words).
  package func markSources(words: Range<Int>, in bitmap: Buffer<UInt64>) {
    for word in words {
      let first = word &<< 6
      let page = first &>> AdjacencyPage.shift
      if page >= pages.count { return }
      // A word has the bits of one page.
      bitmap[word] |= AdjacencyFrame(words: pages.slot(page).offsets).linked
    }
  }
}

extension AdjacencySlot {
  /// Which of the lists that stand apart have a neighbour among `targets`: a bit for each.
  ///
  /// What is read first of each list is read of all lists before any is gone through: so the misses of a page overlap,
  /// which the branches of the loops over edges would prevent.
  fileprivate func longs(meeting targets: Buffer<UInt64>) -> UInt64 {
    var places = InlineArray<64, PagePointer<UInt32>>(repeating: .none)
    // Some lists may have lost all of their edges.
    let linked = longs & AdjacencyFrame(words: offsets).linked
    var rest = linked
    while rest != 0 {
      let list = rest.trailingZeroBitCount
      rest &= rest &- 1
      places[list] = long(list).header[0].runs[0].targets
    }
    var firsts = InlineArray<64, UInt32>(repeating: 0)
    rest = linked
    while rest != 0 {
      let list = rest.trailingZeroBitCount
      rest &= rest &- 1
      firsts[list] = places[list][0]
    }
    var found: UInt64 = 0
    rest = linked
    while rest != 0 {
      let list = rest.trailingZeroBitCount
      rest &= rest &- 1
      if targets.contains(firsts[list]) || long(list).meets(targets) {
        found |= 1 &<< UInt64(truncatingIfNeeded: list)
      }
    }
    return found
  }
}

extension LongTable {
  /// Whether some neighbour is among `targets`.
  fileprivate func meets(_ targets: Buffer<UInt64>) -> Bool {
    let head = header[0]
    for index in 0..<Int(truncatingIfNeeded: head.runCount) {
      let run = head.runs[index]
      if run.bits.count > 0 {
        if run.bits.meets(targets) { return true }
        continue
      }
      for place in 0..<Int(truncatingIfNeeded: run.count)
      where targets.contains(run.targets[place]) {
        return true
      }
    }
    return false
  }
}

extension Buffer<UInt64> {
  /// Sets a bit.
  @inline(__always)
  package func insert(_ position: UInt32) {
    self[Int(truncatingIfNeeded: position &>> 6)] |= 1 &<< UInt64(truncatingIfNeeded: position & 63)
  }

  /// Whether a bit is set.
  @inline(__always)
  package func contains(_ position: UInt32) -> Bool {
    let word = self[Int(truncatingIfNeeded: position &>> 6)]
    return word &>> UInt64(truncatingIfNeeded: position & 63) & 1 != 0
  }
}
