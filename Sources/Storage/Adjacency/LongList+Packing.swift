import Columnar

// What is said of pages in `AdjacencyIndex+Packing` holds for the runs of a list as well. Where they are packed they
// are also cut anew, so that neither splits nor deletes leave many runs of few edges.

extension LongList {
  /// Runs are packed so many at a time.
  static let packedRunCount = 64
  /// Fewer are left as they are.
  private static let leastPackedRunCount = 4

  /// Whether a list of so many edges is given back to the system in parts.
  static func isParted(_ edgeCount: Int) -> Bool {
    edgeCount > leastPackedRunCount * usualRunCount
  }

  private func neighbourhood(of index: Int) -> Range<Int> {
    // A run that was the last may just have become a part of the one before it.
    let first = min(index, runs.count - 1) / Self.packedRunCount * Self.packedRunCount
    return first..<min(runs.count, first + Self.packedRunCount)
  }

  /// Packs the runs around one that has got memory of its own, if every second of them has.
  func packIfScattered(around index: Int, _ memory: PackMemory?) {
    let range = neighbourhood(of: index)
    guard range.count >= Self.leastPackedRunCount else { return }
    let strayCount = range.reduce(0) { $0 + bit(runs[$1].isStray) }
    if strayCount * 2 >= range.count { pack(range, memory) }
  }

  /// Packs the runs around one that few edges are left of, if half as many would do.
  func packIfThin(around index: Int, _ memory: PackMemory?) {
    let range = neighbourhood(of: index)
    if range.count > 1, edgeCount(range) * 2 < range.count * Self.usualRunCount {
      pack(range, memory)
    }
  }

  private func edgeCount(_ range: Range<Int>) -> Int {
    let slots = table.header[0].runs
    return range.reduce(0) { $0 + Int(slots[$1].count) }
  }

  /// Cuts the edges of some runs anew, in memory beside each other with room for more.
  ///
  /// - Complexity: O(edges).
  private func pack(_ range: Range<Int>, _ memory: PackMemory?) {
    let edgeCount = edgeCount(range)
    // At least one, which then takes no more than `runLimit`.
    let runCount = max(1, (edgeCount + Self.usualRunCount / 2) / Self.usualRunCount)
    let cuts = (0...runCount).map { edgeCount * $0 / runCount }
    let rooms = (0..<runCount).map { index in
      let count = cuts[index + 1] - cuts[index]
      return min(Self.runLimit, count + count / 16 + 8)
    }
    let targets = PackMemory.take(rooms.reduce(0, +), from: memory)
    let rows = hasRows ? PackMemory.take(targets.count, from: memory) : nil
    var made: [Run] = []
    made.reserveCapacity(runCount)
    var (source, taken, place) = (range.lowerBound, 0, 0)
    for index in 0..<runCount {
      var filled = place
      let end = place + cuts[index + 1] - cuts[index]
      while filled < end {
        let left = Int(table.header[0].runs[source].count) - taken
        let count = min(left, end - filled)
        targets.copy(runs[source].targets, from: taken, count: count, to: filled)
        if let rows, let known = runs[source].rows {
          known.copy(from: taken, count: count, to: rows, at: filled)
        }
        filled += count
        taken += count
        if count == left { (source, taken) = (source + 1, 0) }
      }
      let own = place..<(place + rooms[index])
      made.append(Run(targets: targets.slice(own), rows: rows.map { NumberStretch($0.slice(own)) }))
      place = own.upperBound
    }
    addBits(&made, (0..<runCount).map { cuts[$0 + 1] - cuts[$0] }, behind: range.lowerBound)
    replaceRuns(range, with: made)
    for index in 0..<runCount {
      let (place, count) = (range.lowerBound + index, cuts[index + 1] - cuts[index])
      note(place, count: count, room: rooms[index], owner: owner.number)
      fillBits(place, count)
    }
  }

  /// Gives runs that are to stand at `start` words for their bits where they are dense, one behind another.
  private func addBits(_ made: inout [Run], _ counts: [Int], behind start: Int) {
    let spans = made.indices.map { index in
      let (first, last) = (made[index].targets[0], made[index].targets[counts[index] - 1])
      let before =
        index > 0 ? made[index - 1].targets[counts[index - 1] - 1] : least(start, first)
      return Self.denseWords(min(before, first), last, counts[index])
        ?? Self.denseWords(first, last, counts[index])
    }
    let words = spans.reduce(0) { $0 + ($1?.count ?? 0) }
    if words == 0 { return }
    let bits = Buffer<UInt64>(zeroed: words)
    var place = 0
    for index in made.indices {
      guard let span = spans[index] else { continue }
      made[index].bits = bits.slice(place..<(place + span.count))
      made[index].firstWord = UInt32(truncatingIfNeeded: span.lowerBound)
      place += span.count
    }
  }
}
