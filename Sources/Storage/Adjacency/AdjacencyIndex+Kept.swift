package import Columnar
package import Diagnostics

extension AdjacencyIndex {
  /// Which edges of an index are kept: a bit for each position, nil for any.
  package struct Kept: Sendable {
    package var sources: Buffer<UInt64>?
    package var targets: Buffer<UInt64>?
    package var rows: Buffer<UInt64>?

    package init(
      sources: Buffer<UInt64>? = nil, targets: Buffer<UInt64>? = nil, rows: Buffer<UInt64>? = nil
    ) {
      (self.sources, self.targets, self.rows) = (sources, targets, rows)
    }

    /// Whether all edges are kept.
    package var isAll: Bool { sources == nil && targets == nil && rows == nil }

    /// What is kept of the same edges the other way.
    package var reversed: Kept { Kept(sources: targets, targets: sources, rows: rows) }
  }

  /// An index of some of the edges, without their rows.
  ///
  /// - Throws: 57014, 53200.
  /// - Complexity: O(edges + sources), shared by the workers.
  package func keeping(_ kept: Kept) throws(SQLError) -> AdjacencyIndex {
    if kept.isAll { return self }
    let reader = wholeListReader
    let tasks = (pages.count + Self.pagesATask - 1) / Self.pagesATask
    let starts = Buffer<Int>(zeroed: tasks + 1)
    for task in 0..<tasks {
      try RunningStatement.check()
      var count = 0
      for source in sources(ofTask: task) {
        count &+= Int(reader.degree(of: UInt32(truncatingIfNeeded: source)))
      }
      starts[task + 1] = starts[task] + count
    }
    // Each task has room for all of its edges; what it keeps is moved together afterwards.
    let sources = Buffer<UInt32>(uninitialized: edgeCount + 1)
    let targets = Buffer<UInt32>(uninitialized: edgeCount + 1)
    let counts = Buffer<Int>(zeroed: max(1, tasks))
    try parallelForThrowing(tasks: tasks) { (task) throws(SQLError) in
      var copy = KeptEdges(kept, sources, targets, from: starts[task])
      for source in self.sources(ofTask: task) {
        if source % 64 == 0 { try RunningStatement.check() }
        copy.add(UInt32(truncatingIfNeeded: source), of: reader)
      }
      counts[task] = copy.next - starts[task]
    }
    var total = 0
    for task in 0..<tasks {
      if total < starts[task] {
        PagePointer(sources).move(from: starts[task], count: counts[task], to: total)
        PagePointer(targets).move(from: starts[task], count: counts[task], to: total)
      }
      total += counts[task]
    }
    var result = AdjacencyIndex(hasEdgeRows: false)
    _ = try result.build(
      EdgeList(sources: sources, targets: targets, count: total, hasRisingTargets: true),
      isUnique: false, epoch: Epoch.next())
    return result
  }

  /// The bytes that `keeping` takes at most.
  package var keptByteCount: Int { 8 * edgeCount }

  private static var pagesATask: Int { 64 }

  private func sources(ofTask task: Int) -> Range<Int> {
    let first = (task * Self.pagesATask) << AdjacencyPage.shift
    let end = min(pages.count, (task + 1) * Self.pagesATask) << AdjacencyPage.shift
    return first..<end
  }
}

/// A part of the edges of an index, copied to lists of their ends.
private struct KeptEdges {
  private let kept: AdjacencyIndex.Kept
  private let sources: Buffer<UInt32>
  private let targets: Buffer<UInt32>
  /// Where the next edge goes.
  private(set) var next: Int

  /// - Precondition: there is room for all edges from `next` on, and for one more.
  init(
    _ kept: AdjacencyIndex.Kept, _ sources: Buffer<UInt32>, _ targets: Buffer<UInt32>,
    from next: Int
  ) {
    (self.kept, self.sources, self.targets, self.next) = (kept, sources, targets, next)
  }

  /// Adds the edges of a source that are kept.
  mutating func add(_ source: UInt32, of reader: ListReader) {
    if let bits = kept.sources, !bits.contains(source) { return }
    if let list = reader.list(of: source) {
      return add(source, list.targets, list.rows, list.count)
    }
    let long = reader.longList(of: source)
    for number in 0..<long.runCount {
      let run = long.header[0].runs[number]
      add(source, run.targets, run.rows, Int(truncatingIfNeeded: run.count))
    }
  }

  private mutating func add(
    _ source: UInt32, _ found: PagePointer<UInt32>, _ rows: PackedNumbers, _ count: Int
  ) {
    let first = next
    if let bits = kept.rows {
      for place in 0..<count {
        targets[next] = found[place]
        next &+= bit(bits.contains(rows[place]))
      }
    } else {
      for place in 0..<count { targets[next &+ place] = found[place] }
      next &+= count
    }
    if let bits = kept.targets {
      let end = next
      next = first
      for place in first..<end {
        targets[next] = targets[place]
        next &+= bit(bits.contains(targets[place]))
      }
    }
    for place in first..<next { sources[place] = source }
  }
}
